"""The directories that values lie in: made on demand, and checked before anything is written there."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

from omnizarr.errors import StoreError
from omnizarr.store.directories.cases import CaseProbe, has_cases, taken_for
from omnizarr.store.directories.files import sync_directory

_TRIES = 100
_REMEMBERED = 4096


class Parents:
    """Makes directories below a root and vouches for them.

    A directory is fit to write into where no symbolic link leads from it out of the root, and where
    its name is spelled as on the disk. What was found fit is remembered by its inode, so that a
    directory that was exchanged for another one is looked at again: one `stat` for each write, 1.6 µs.
    """

    def __init__(self, root: str, *, name: str, fsync: bool, case_probe: CaseProbe) -> None:
        self._root = root
        self._name = name
        self._fsync = fsync
        self._case_probe = case_probe
        self._folds: bool | None = None
        self._fit: dict[str, tuple[int, int]] = {}

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "_folds": None, "_fit": {}}  # other machines find out for themselves

    def ensure(self, directory: str) -> None:
        """Make a directory unless it exists, and check it."""
        for _ in range(_TRIES):  # another process may remove it again, since it is empty
            try:
                found = os.stat(directory)
                if self._fit.get(directory) != (found.st_dev, found.st_ino):
                    self._check(directory, found)
                return
            except FileNotFoundError:
                self._make(directory)
        raise FileNotFoundError(errno.ENOENT, "a directory vanishes as often as it is made", directory)

    def check(self, directory: str) -> bool:
        """Check a directory; say whether it exists."""
        try:
            found = os.stat(directory)
            if stat.S_ISDIR(found.st_mode):
                self._check(directory, found)
                return True
        except (FileNotFoundError, NotADirectoryError):
            pass
        return False

    def check_name(self, path: str) -> None:
        """Refuse to make what the file system would take for something else that exists."""
        if (other := self.lookalike(path)) is not None:
            raise self._error(f"the file system takes it for {other!r}, which exists", path)

    def lookalike(self, path: str) -> str | None:
        """Return the name that the file system takes this one for, if there is one and not this one."""
        if self._folds is None:
            self._folds = self._case_probe(self._root)
        if not self._folds:
            return None
        directory, _, name = path.rpartition("/")
        return taken_for(directory, name) if has_cases(name) else None

    def prune(self, directory: str) -> None:
        """Remove a directory and those above it as far as they are empty, but never the root."""
        with suppress(OSError):
            while directory.startswith(self._root + "/"):
                os.rmdir(directory)
                if self._fsync:
                    sync_directory(os.path.dirname(directory))
                directory = os.path.dirname(directory)

    def _make(self, directory: str) -> None:
        if directory == self._root:
            os.makedirs(directory, exist_ok=True)
            return
        parent, _, _ = directory.rpartition("/")
        self.ensure(parent)
        try:
            self.check_name(directory)
            os.mkdir(directory)
        except FileNotFoundError:
            return  # the parent is gone again
        except FileExistsError:
            if os.path.islink(directory):
                raise self._error("a symbolic link leads nowhere", directory) from None
            return
        if self._fsync:
            sync_directory(parent)

    def _check(self, directory: str, found: os.stat_result) -> None:
        if not stat.S_ISDIR(found.st_mode):
            message = "a value and no directory, so no key can lie below"
            raise self._error(message, directory, errno.ENOTDIR)
        if directory != self._root:
            self.ensure(directory.rpartition("/")[0])
            # What lies in a fit directory and is no link is fit; to resolve the whole path takes 30 µs.
            if stat.S_ISLNK(os.lstat(directory).st_mode):
                self._check_link(directory)
            self.check_name(directory)
        if len(self._fit) >= _REMEMBERED:
            self._fit.clear()
        self._fit[directory] = (found.st_dev, found.st_ino)

    def _check_link(self, directory: str) -> None:
        if not _lies_in(os.path.realpath(directory), os.path.realpath(self._root)):
            raise self._error("a symbolic link leads out of the store; nothing is written there", directory)

    def _error(self, message: str, path: str, number: int | None = None) -> StoreError:
        key = path[len(self._root) + 1 :]
        return StoreError(f"cannot write: {key!r}: {message}", store=self._name, key=key, errno=number)


def _lies_in(path: str, root: str) -> bool:
    return path == root or path.startswith(root if root.endswith(os.sep) else root + os.sep)
