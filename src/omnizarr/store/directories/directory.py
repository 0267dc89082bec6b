"""A store that keeps each value in a file."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn, TypeVar
from urllib.parse import quote_from_bytes

from omnizarr.errors import StoreError, StoreNotFoundError
from omnizarr.store.base import Buffer, ByteRange, Change, Facts, Listing, Reader, Store
from omnizarr.store.directories.cases import CaseProbe, folds_case
from omnizarr.store.directories.draft import Draft, Drafts
from omnizarr.store.directories.failure import failure
from omnizarr.store.directories.files import (
    READ,
    FileReader,
    facts_of_file,
    file_size,
    read_into,
    read_part,
    read_spans,
    read_whole,
)
from omnizarr.store.directories.parents import Parents
from omnizarr.store.directories.tree import names_in, remove_contents, remove_tree, walk
from omnizarr.store.keys import check_key, check_prefix
from omnizarr.store.ranges import check_part, check_spans, check_start

# What the operating system says where there is no such key: a part of it is a value, or it is a
# prefix, a link to itself, or longer than any name of this file system.
_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG}
_TRIES = 100
T = TypeVar("T")
_FULL = {errno.ENOSPC, errno.EDQUOT}


class DirectoryStore(Store):
    """Values as files below `root`; a `/` of a key is a directory.

    A value is written to a hidden file beside it which then takes its place, so a reader sees the old
    bytes or the new, also where the writer is killed. The lock on that file keeps writers of one key
    apart, in other processes too. Directories are made when needed and removed when empty.

    Symbolic links are followed on reading. On writing, links that lead out of `root` are refused.
    Where the file system takes `A` for `a`, writing the one is refused while the other exists.

    Parameters
    ----------
    root
        The directory; made with the first value unless it exists.
    fsync
        Have each value outlive a loss of power before its write returns.
    read_only
        Refuse every write.
    create
        Whether `root` may be absent.
    case_probe
        Tells of a directory whether its file system takes `A` for `a`.

    Raises
    ------
    StoreNotFoundError
        There is no `root`, and `read_only` is set or `create` is not.
    StoreError
        `root` is no directory, or may not be looked at.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        fsync: bool = False,
        read_only: bool = False,
        create: bool = True,
        case_probe: CaseProbe = folds_case,
    ) -> None:
        self.root = os.path.abspath(os.fspath(root))
        self.name = _url_of(self.root)
        self.read_only = read_only
        self._base = self.root.rstrip("/") + "/"
        self._fsync = fsync
        self._drafts = Drafts()
        self._parents = Parents(self.root, name=self.name, fsync=fsync, case_probe=case_probe)
        self._check_root(may_be_absent=create and not read_only)

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        if part is None:
            return self._read(key, read_whole)
        check_part(part)
        return self._read(key, lambda fd: read_part(fd, part))

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        check_start(start)
        return self._read(key, lambda fd: read_into(fd, out, start))

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        found = self._read(key, lambda fd: read_spans(fd, spans))
        if found is None:
            check_spans(spans)
        return found

    @contextmanager
    def reading(self, key: str) -> Iterator[Reader | None]:
        fd = self._read(key, _kept_open)
        if fd is None:
            yield None
            return
        try:
            yield FileReader(fd, lambda error: self._fail("read", error, key))
        finally:
            os.close(fd)

    def _read(self, key: str, read: Callable[[int], T]) -> T | None:
        """Return what `read` makes of the open file of a key, or None where there is no such key."""
        check_key(key)
        try:
            fd = os.open(self._base + key, READ)
            try:
                return read(fd)
            finally:
                os.close(fd)
        except OSError as error:
            self._require_absent(error, key)
            return None

    def size(self, key: str) -> int | None:
        check_key(key)
        try:
            found = os.stat(self._base + key)
        except OSError as error:
            self._require_absent(error, key)
            return None
        return found.st_size if stat.S_ISREG(found.st_mode) else None

    def facts(self, key: str) -> Facts | None:
        return self._read(key, lambda fd: facts_of_file(os.fstat(fd)) if file_size(fd) >= 0 else None)

    def set(self, key: str, value: Buffer) -> None:
        with self._draft(key) as draft:
            self._publish(draft, key, value)

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        self.require_writable(key)
        if self.size(key) is not None:
            return False
        with self._draft(key) as draft:
            try:
                draft.write(value)
                was_set = draft.publish_if_absent(fsync=self._fsync)
            except OSError as error:
                self._fail("write", error, key)
        if not was_set and self.size(key) is None:
            self._fail("write", IsADirectoryError(errno.EISDIR, "Is a directory"), key)
        return was_set

    def update(self, key: str, change: Change) -> None:
        with self._draft(key) as draft:
            value = change(self.get(key))
            if value is not None:
                self._publish(draft, key, value)
                return
            self._unlink(key)
        self._parents.prune(os.path.dirname(draft.path))

    def delete(self, key: str) -> None:
        self.require_writable(key)
        if not self._lies_there(key):
            return
        try:
            with self._draft(key):
                self._unlink(key)
        except StoreError as error:
            if error.errno not in _FULL:
                raise
            self._unlink(key)  # a full disk has no room for a draft, and must not keep what filled it
        self._parents.prune(os.path.dirname(self._base + key))

    def delete_prefix(self, prefix: str) -> None:
        check_prefix(prefix)
        self.require_writable(prefix)
        directory = (self._base + prefix).rstrip("/")
        try:
            if not prefix:
                remove_contents(self.root)
            elif self._parents.check(os.path.dirname(directory)) and not self._parents.lookalike(directory):
                remove_tree(directory)
                self._parents.prune(os.path.dirname(directory))
        except OSError as error:
            self._fail("delete", error, prefix)

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        check_prefix(prefix)
        return self._walk(prefix)

    def list_dir(self, prefix: str = "") -> Listing:
        check_prefix(prefix)
        try:
            names = names_in(self._base + prefix)
        except OSError as error:
            self._fail("list", error, prefix)
        below = [f"{prefix}{name}/" for name in (*names.directories, *names.links)]
        return Listing(sorted(prefix + name for name in names.files), sorted(below))

    def _walk(self, prefix: str) -> Iterator[str]:
        try:
            yield from walk(self.root, prefix)
        except OSError as error:
            self._fail("list", error, prefix)

    def _draft(self, key: str) -> Draft:
        """Hold the draft of a key, whose directory is made and checked."""
        check_key(key)
        self.require_writable(key)
        path = self._base + key
        try:
            draft = self._open_draft(path)
        except OSError as error:
            self._fail("write", error, key)
        try:
            self._parents.check_name(path)
        except BaseException:
            draft.close()
            raise
        return draft

    def _open_draft(self, path: str) -> Draft:
        directory, _, _ = path.rpartition("/")
        for _ in range(_TRIES):
            self._parents.ensure(directory)
            try:
                return self._drafts.open(path)
            except FileNotFoundError:
                continue  # another process removed the directory, since it was empty
        return self._drafts.open(path)

    def _publish(self, draft: Draft, key: str, value: Buffer) -> None:
        try:
            draft.write(value)
            draft.publish(fsync=self._fsync)
        except OSError as error:
            self._fail("write", error, key)

    def _lies_there(self, key: str) -> bool:
        """Say whether there is anything to delete, which may also be a link that leads nowhere."""
        check_key(key)
        try:
            return not stat.S_ISDIR(os.lstat(self._base + key).st_mode)
        except OSError as error:
            self._require_absent(error, key)
            return False

    def _unlink(self, key: str) -> None:
        try:
            os.unlink(self._base + key)
        except FileNotFoundError:
            pass
        except OSError as error:
            self._fail("delete", error, key)

    def _check_root(self, *, may_be_absent: bool) -> None:
        try:
            mode = os.stat(self.root).st_mode
        except FileNotFoundError:
            if not may_be_absent:
                raise StoreNotFoundError("there is no such directory", store=self.name) from None
        except OSError as error:
            self._fail("open", error, None)
        else:
            if not stat.S_ISDIR(mode):
                raise StoreError("expected a directory, found a file", store=self.name, errno=errno.ENOTDIR)

    def _require_absent(self, error: OSError, key: str) -> None:
        """Raise unless an error only means that there is no such key."""
        if error.errno in _ABSENT:
            return
        if isinstance(error, PermissionError) and os.path.isdir(self._base + key):
            return  # what Windows says of a directory
        self._fail("read", error, key)

    def _fail(self, action: str, error: OSError, key: str | None) -> NoReturn:
        raise failure(action, error, store=self.name, key=key) from error


def _url_of(path: str) -> str:
    """Return the `file:` URL of an absolute path; by `Path` it takes 9 µs, a sixth of opening an array."""
    return Path(path).as_uri() if os.name == "nt" else "file://" + quote_from_bytes(os.fsencode(path))


def _kept_open(fd: int) -> int:
    """Return another descriptor of an open file, which must be one that has bytes."""
    file_size(fd)
    return os.dup(fd)
