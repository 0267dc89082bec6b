"""What of a directory is shown to others: what lies in it, and no hidden files but Zarr's own."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator

from omnizarr.errors import StoreError
from omnizarr.store.base import Listing, Store
from omnizarr.store.directories.directory import DirectoryStore
from omnizarr.store.layers.below import unwrapped
from omnizarr.store.layers.wrap import WrappedStore

_HIDDEN = re.compile(r"(?:.*/)?\.(?!(?:z(?:array|group|attrs|metadata)|ncz(?:arr|group|var|array|attrs?))(?:/|\Z))")


def served(store: Store, *, follow_links: bool = False, hidden: bool = False) -> Store:
    """Return what is shown of a store.

    Parameters
    ----------
    follow_links
        Whether symbolic links are followed out of a directory.
    hidden
        Whether names that begin with a dot are shown, which in a directory may be anyone's files.
    """
    inner, _ = unwrapped(store)
    if not isinstance(inner, DirectoryStore) or (follow_links and hidden):
        return store
    return InsideStore(store, inner.root, follow_links=follow_links, hidden=hidden)


class InsideStore(WrappedStore):
    """A directory, of which links that lead out of it and hidden files are refused, and not listed.

    A link is looked at just before it is used: whoever may change the directory itself could be quicker.
    """

    def __init__(self, inner: Store, root: str, *, follow_links: bool, hidden: bool) -> None:
        super().__init__(inner)
        self._root = root
        self._real = os.path.realpath(root)
        self._follow_links = follow_links
        self._hidden = hidden

    def before(self, operation: str, key: str) -> None:
        """Refuse what is not shown, as a file system refuses what one may not read."""
        if self._is_hidden(key):
            raise StoreError("hidden files are not served", store=self.name, key=key, errno=errno.EACCES)
        if not self._is_inside(key):
            message = "a symbolic link leads out of the directory"
            raise StoreError(message, store=self.name, key=key, errno=errno.EACCES)

    def list_dir(self, prefix: str = "") -> Listing:
        found = super().list_dir(prefix)
        return Listing(*([name for name in names if self._is_shown(name)] for names in found))

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        self.before("list_prefix", prefix)
        waiting = [prefix]
        while waiting:
            found = self.list_dir(waiting.pop())
            yield from found.keys
            waiting += [below for below in found.prefixes if not self._leads_back(below)]

    def _is_shown(self, name: str) -> bool:
        return not self._is_hidden(name) and self._is_inside(name)

    def _is_hidden(self, key: str) -> bool:
        return not self._hidden and _HIDDEN.match(key) is not None

    def _is_inside(self, key: str) -> bool:
        if self._follow_links:
            return True
        real = os.path.realpath(os.path.join(self._root, key)) if _is_name(key) else self._real
        return real == self._real or real.startswith(self._real.rstrip(os.sep) + os.sep)

    def _leads_back(self, prefix: str) -> bool:
        """Say whether a prefix is a link to a directory that it lies in, which would make a walk endless."""
        path = os.path.join(self._root, prefix.rstrip("/"))
        if not os.path.islink(path):
            return False
        target, above = os.path.realpath(path), path
        while above != self._root:
            above = os.path.dirname(above)
            if os.path.realpath(above) == target:
                return True
        return False


def _is_name(key: str) -> bool:
    """Say whether a key is one that could lead anywhere; the store refuses the others itself."""
    return bool(key) and not key.startswith(("/", "\\")) and "\0" not in key
