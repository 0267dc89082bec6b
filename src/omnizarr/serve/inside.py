"""What of a directory is shown to others: what lies in it, and no hidden files but Zarr's own."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from pathlib import Path

from omnizarr.errors import StoreError
from omnizarr.store.base import Listing, Store
from omnizarr.store.directories.directory import DirectoryStore
from omnizarr.store.keys import is_legal
from omnizarr.store.layers.below import unwrapped
from omnizarr.store.layers.wrap import WrappedStore

# Documents of Zarr v2 and NCZarr, and what omnizarr writes of a copy that is not complete.
_OURS = r"(?:z(?:array|group|attrs|metadata)|ncz(?:arr|group|var|array|attrs?)|omnizarr-[a-z]+)(?:/|\Z)"
_HIDDEN = re.compile(rf"(?:.*/)?\.(?!{_OURS})", re.DOTALL)


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
    if not isinstance(inner, DirectoryStore):
        return store
    return InsideStore(store, inner.root, follow_links=follow_links, hidden=hidden)


class InsideStore(WrappedStore):
    """A directory, of which links that lead out of it and hidden files are refused, and not listed.

    Neither are links to what they lie in, since a walk would never end.
    A link is looked at just before it is used: whoever may change the directory itself could be quicker.
    """

    def __init__(self, inner: Store, root: str, *, follow_links: bool, hidden: bool) -> None:
        super().__init__(inner)
        self._root = Path(root)
        self._real = self._root.resolve()
        self._follow_links = follow_links
        self._hidden = hidden

    def before(self, operation: str, key: str) -> None:
        """Refuse what is not shown, as a file system refuses what one may not read."""
        if self._is_hidden(key) and is_legal(key.rstrip("/")):
            raise StoreError("hidden files are not served", store=self.name, key=key, errno=errno.EACCES)
        if not self._is_inside(key):
            message = "a symbolic link leads out of the directory"
            raise StoreError(message, store=self.name, key=key, errno=errno.EACCES)

    def list_dir(self, prefix: str = "") -> Listing:
        found = super().list_dir(prefix)
        keys = [key for key in found.keys if self._is_shown(key)]
        below = [prefix for prefix in found.prefixes if self._is_shown(prefix)]
        return Listing(keys, [prefix for prefix in below if not self._leads_back(prefix)])

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        self.before("list_prefix", prefix)
        waiting = [prefix]
        while waiting:
            found = self.list_dir(waiting.pop())
            yield from found.keys
            waiting += found.prefixes

    def _is_shown(self, name: str) -> bool:
        return not self._is_hidden(name) and self._is_inside(name)

    def _is_hidden(self, key: str) -> bool:
        return not self._hidden and _HIDDEN.match(key) is not None

    def _is_inside(self, key: str) -> bool:
        if self._follow_links:
            return True
        if not is_legal(key.rstrip("/")):
            return True  # which the store refuses itself
        return (self._root / key).resolve().is_relative_to(self._real)

    def _leads_back(self, prefix: str) -> bool:
        """Say whether a prefix is a link to a directory that it lies in, which would make a walk endless."""
        path = self._root / prefix
        if not path.is_symlink():
            return False
        above = [parent for parent in path.parents if parent.is_relative_to(self._root)]
        return path.resolve() in [parent.resolve() for parent in above]
