"""The hidden file beside a value which becomes the value, and whose lock is the lock of the key.

One scheme carries all writing. The draft of `c/0` is `c/.0.partial`. Whoever changes `c/0` opens that
file, locks it, and then looks whether it still bears that name: the writer before may have made it
the value. So the lock that counts is always that of the file under the name, it holds between
threads and between processes, and nothing is left behind. A draft whose writer was killed is
unlocked by the operating system; the next writer takes it over, and `delete_prefix` removes it.

Measured with 16 KiB on a file system in memory: a temporary file and a rename take 17 µs; the lock
adds 0.8 to that, and the look at its name 2.5.
"""

from __future__ import annotations

import errno
import hashlib
import os
import sys
import warnings
from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import Self

from omnizarr.store.base import Buffer, KeyLocks
from omnizarr.store.directories.files import BINARY, sync_directory, write_all

if sys.platform != "win32":
    import fcntl

    HAS_LOCKS = True
else:
    HAS_LOCKS = False

LONGEST_NAME = 255
_PREFIX, _SUFFIX = ".", ".partial"
_NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_FLAGS = os.O_RDWR | os.O_CREAT | _NO_FOLLOW | BINARY
NO_FILE_LOCKS = {errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK}
_HELD = {errno.EAGAIN, errno.EACCES}
_NO_HARD_LINKS = {errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM, errno.EMLINK}
# For file systems without locks: shared by all stores, since two of them may have the same root.
_locks = KeyLocks(256)


def draft_name(name: str) -> str:
    """Return the name of the draft of a value; of a digest where it would be too long."""
    draft = f"{_PREFIX}{name}{_SUFFIX}"
    if len(draft) * 4 > LONGEST_NAME and len(os.fsencode(draft)) > LONGEST_NAME:
        digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16)
        return f"{_PREFIX}{digest.hexdigest()}{_SUFFIX}"
    return draft


def is_draft(name: str) -> bool:
    """Say whether this is the name of a draft."""
    return name.startswith(_PREFIX) and name.lower().endswith(_SUFFIX)


class Draft:
    """An empty file that is locked and open for writing; removed on exit unless it was published."""

    __slots__ = ("_given_up", "_lock", "fd", "path", "temporary")

    def __init__(
        self, fd: int, temporary: str, path: str, lock: AbstractContextManager[object] | None = None
    ) -> None:
        self.fd = fd
        self.temporary = temporary
        self.path = path
        self._lock = lock
        self._given_up = False  # whether the name may be another one's by now

    def write(self, value: Buffer) -> None:
        """Write all bytes of a value."""
        write_all(self.fd, value)

    def publish(self, *, fsync: bool = False) -> None:
        """Make what was written the value, in one step; with `fsync`, have it outlive a loss of power."""
        self._finish(fsync)
        try:
            os.replace(self.temporary, self.path)
        except IsADirectoryError:
            os.rmdir(self.path)  # an empty directory holds no keys
            os.replace(self.temporary, self.path)
        self._given_up = True
        if fsync:
            sync_directory(os.path.dirname(self.path))

    def publish_if_absent(self, *, fsync: bool = False) -> bool:
        """Publish unless there is a file; say whether there was none.

        A link, since it also notices a file made by a writer that knows nothing of drafts.
        """
        self._finish(fsync)
        try:
            os.link(self.temporary, self.path)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            if os.path.lexists(self.path):
                return False
            self.publish(fsync=fsync)
        if fsync:
            sync_directory(os.path.dirname(self.path))
        return True

    def second(self) -> Draft:
        """Open another draft of the same value, which the lock on this one covers."""
        temporary = _beside(self.temporary)
        return Draft(os.open(temporary, _FLAGS | os.O_TRUNC, 0o666), temporary, self.path)

    def close(self) -> None:
        """Remove the draft unless it was published, and unlock it; a second time, do nothing."""
        try:
            if not self._given_up:
                self._given_up = True
                with suppress(OSError):
                    os.unlink(self.temporary)
        finally:
            self._close_file()
            if self._lock is not None:
                lock, self._lock = self._lock, None
                lock.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _finish(self, fsync: bool) -> None:
        if fsync and self.fd >= 0:
            os.fsync(self.fd)
        if sys.platform == "win32":
            self._close_file()  # an open file cannot be renamed there

    def _close_file(self) -> None:
        if self.fd >= 0:
            fd, self.fd = self.fd, -1
            os.close(fd)


class Drafts:
    """Opens drafts, by file locks where the file system has them, else by locks of this process."""

    __slots__ = ("_has_locks",)

    def __init__(self) -> None:
        self._has_locks = HAS_LOCKS

    def __reduce__(self) -> tuple[type[Drafts], tuple[()]]:
        return Drafts, ()  # another machine finds out for itself

    def open(self, path: str) -> Draft:
        """Wait until nobody else holds the draft of `path`, and hold it."""
        if self._has_locks:
            try:
                return open_locked(path)
            except OSError as error:
                if error.errno not in NO_FILE_LOCKS:
                    raise
                self._has_locks = False
                message = f"no file locks where {path!r} is: writers in other processes are not kept out"
                warnings.warn(message, RuntimeWarning, stacklevel=5)
        return _open_private(path)


def open_locked(path: str, *, wait: bool = True) -> Draft:
    """Lock the draft of `path`; BlockingIOError where another one holds it and `wait` is false."""
    temporary = _beside(path)
    while True:
        fd = _open(temporary)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            found = os.fstat(fd)
            if _is_at(found, temporary):
                if found.st_nlink == 1:
                    if found.st_size:
                        os.ftruncate(fd, 0)
                    return Draft(fd, temporary, path)
                # Its writer was killed between link and unlink: this file is a value as well.
                os.unlink(temporary)
        except BaseException as error:
            if isinstance(error, OSError) and error.errno in NO_FILE_LOCKS:
                os.unlink(temporary)
            os.close(fd)
            raise
        os.close(fd)


def open_exclusive(path: str) -> Draft:
    """Hold the draft of `path` for long; BlockingIOError where another one does.

    Where there are no file locks nobody is kept out, but drafts never mix.
    """
    try:
        if HAS_LOCKS:
            draft = open_locked(path, wait=False)
            with suppress(OSError):  # what a writer left that was killed while it had a second one
                os.unlink(_beside(draft.temporary))
            return draft
    except OSError as error:
        if error.errno not in NO_FILE_LOCKS:
            raise
    return _open_own(path, None)


def is_held(temporary: str) -> bool:
    """Say whether a writer holds a draft, or may hold it: where it cannot be known, it does."""
    try:
        fd = os.open(temporary, os.O_RDONLY | _NO_FOLLOW)
    except OSError:
        return True
    try:
        if not HAS_LOCKS:
            return True
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False


def remove_stale(temporary: str, *, wait: bool = False) -> bool:
    """Remove a draft that nobody holds, or wait until it is gone; say whether it was there.

    With `wait` false, one that is held stays, and so does what cannot be opened.
    """
    try:
        fd = os.open(temporary, os.O_RDONLY | _NO_FOLLOW)
    except OSError:
        return False
    try:
        if HAS_LOCKS:
            fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_at(os.fstat(fd), temporary):
            os.unlink(temporary)
    except OSError as error:
        if error.errno not in _HELD | NO_FILE_LOCKS:
            raise
    finally:
        os.close(fd)
    return True


def _open(temporary: str) -> int:
    try:
        return os.open(temporary, _FLAGS, 0o666)
    except PermissionError:
        # A killed writer of another user may have left it: its lock needs no right to write.
        if not remove_stale(temporary, wait=True):
            raise
        return os.open(temporary, _FLAGS, 0o666)


def _open_private(path: str) -> Draft:
    lock = _locks.of(path)
    lock.__enter__()
    try:
        return _open_own(path, lock)
    except BaseException:
        lock.__exit__(None, None, None)
        raise


def _open_own(path: str, lock: AbstractContextManager[object] | None) -> Draft:
    """Open a draft under a name that nobody else has."""
    directory, name = os.path.split(path)
    own = draft_name(f"{os.getpid():x}-{os.urandom(4).hex()}-{name}")
    temporary = os.path.join(directory, own)
    return Draft(os.open(temporary, _FLAGS | os.O_EXCL, 0o666), temporary, path, lock)


def _beside(path: str) -> str:
    directory, _, name = path.rpartition("/")
    return f"{directory}/{draft_name(name)}"


def _is_at(found: os.stat_result, path: str) -> bool:
    try:
        there = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return there.st_ino == found.st_ino and there.st_dev == found.st_dev
