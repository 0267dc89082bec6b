"""Where a cache keeps what it has read: in a directory, which outlives the process and is shared.

One file an entry, named after a digest of the entry's name. It starts with `_START` and a CRC-32C of
all that follows: the lengths of name, note and value, then these three. What does not agree with
itself, or bears another name, is thrown away.

The file `ledger` says how many bytes the entries have at most, and what moment it is; its lock is
that of the directory. A process that dies leaves the count too high, never too low: room is taken
before a file is made. Where the bound is reached, the files are counted anew.
"""

from __future__ import annotations

import hashlib
import os
import struct
import sys
import threading
import time
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import NamedTuple

import google_crc32c

from omnizarr.errors import StoreError
from omnizarr.store.directories.draft import NO_FILE_LOCKS
from omnizarr.store.directories.files import BINARY, read_at, read_between, write_all, write_all_at
from omnizarr.store.layers.keepers import Entry

if sys.platform != "win32":
    import fcntl

_START = b"omnizarr kept 1\n"
_HEAD = struct.Struct("<16sI")
_LENGTHS = struct.Struct("<IIQ")
_LEDGER = struct.Struct("<Q16s")
_CHECKSUM = struct.Struct("<I")
_LEDGER_BYTES = _LEDGER.size + _CHECKSUM.size
_SUFFIX = ".kept"
_FIRST_READ = 1024  # with the name, more than any note and what is before it take
# Entries that were not used for longest make room for a tenth of the bound at once: to look for them
# takes a `stat` of each file.
_ROOM = 10
# On Windows, where other processes are not kept out. Elsewhere a lock here would outlive a fork.
_lock = threading.Lock() if sys.platform == "win32" else nullcontext()


class _Ledger(NamedTuple):
    size: int
    moment: bytes


class DirectoryKeeper:
    """Entries as files of a directory, within a bound of bytes of these files.

    Any number of threads and processes may share it. Where it cannot be written to, or its disk is full,
    nothing more is kept.

    Raises
    ------
    StoreError
        The directory cannot be made.
    """

    def __init__(self, directory: str | os.PathLike[str], max_bytes: int) -> None:
        self.directory = os.path.abspath(os.fspath(directory))
        self.max_bytes = max_bytes
        try:
            # What is read from here is believed, so nobody else may write to it.
            os.makedirs(self.directory, mode=0o700, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"cannot keep a cache: {error.strerror}", store=self.directory, errno=error.errno
            ) from error
        self._ledger_path = os.path.join(self.directory, "ledger")
        self._draft = os.path.join(self.directory, "draft")
        self._require_locks()

    @property
    def size_kept(self) -> int:
        """Bytes of the files, counted anew."""
        return sum(found.st_size for _, found in self._files())

    def moment(self) -> Hashable:
        """Return random bytes that each `drop` replaces."""
        try:
            with open(self._ledger_path, "rb") as file:
                return _parsed(file.read(_LEDGER_BYTES)).moment
        except (OSError, struct.error):
            pass
        try:
            with self._locked() as (_, ledger):
                return ledger.moment
        except OSError:
            return object()  # which is no moment, so nothing is kept

    def find(self, name: str) -> Entry | None:
        """Return an entry as it was kept; a file that is not that is removed."""
        path = self._path(name)
        try:
            entry = _read(path, name)
            if entry is None:
                os.unlink(path)
            else:
                _touch(path)
        except OSError:
            return None  # a cache that fails is as good as an empty one
        return entry

    def keep(self, name: str, entry: Entry, since: Hashable) -> None:
        """Keep an entry in a file that appears whole, after room for it was made."""
        content = _written(name, entry)
        size = sum(map(len, content))
        if size > self.max_bytes:
            return
        path = self._path(name)
        with suppress(OSError), self._locked() as (fd, ledger):
            if ledger.moment != since:
                return
            with suppress(FileNotFoundError):
                os.unlink(path)
            if ledger.size + size > self.max_bytes:
                ledger = ledger._replace(size=self._make_room(size))
            _enter(fd, ledger._replace(size=ledger.size + size))
            self._publish(path, content)

    def drop(self, names: Iterable[str]) -> None:
        """Keep these no longer; StoreError where the directory cannot be changed."""
        self._drop(map(self._path, names))

    def drop_below(self, start: str) -> None:
        """Keep nothing whose name starts with `start`; each file is looked into."""
        self._drop(path for path, _ in self._files() if _begins(path, start))

    def _drop(self, paths: Iterable[str]) -> None:
        try:
            with self._locked() as (fd, ledger):
                freed = 0
                for path in paths:
                    with suppress(FileNotFoundError):
                        size = os.stat(path).st_size
                        os.unlink(path)
                        freed += size
                _enter(fd, _Ledger(max(ledger.size - freed, 0), os.urandom(16)))
        except OSError as error:
            message = f"cannot drop what a cache keeps: {error.strerror}"
            raise StoreError(message, store=self.directory, errno=error.errno) from error

    def _make_room(self, size: int) -> int:
        """Remove what was not used for longest; return the bytes that are left, with room for `size`."""
        found = sorted(self._files(), key=lambda each: each[1].st_mtime_ns)
        left = sum(each.st_size for _, each in found)
        target = self.max_bytes - size
        if left > target:
            target = min(target, self.max_bytes - self.max_bytes // _ROOM)
        with suppress(FileNotFoundError):
            os.unlink(self._draft)  # of a process that died
        for path, each in found:
            if left <= target:
                break
            os.unlink(path)
            left -= each.st_size
        return left

    def _publish(self, path: str, content: list[bytes]) -> None:
        # One name for all: whoever holds the lock is alone, and what a dead process left is overwritten.
        fd = os.open(self._draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | BINARY, 0o600)
        try:
            try:
                for piece in content:
                    write_all(fd, piece)
            finally:
                os.close(fd)
            _touch(self._draft)
            os.replace(self._draft, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(self._draft)  # not even a part of it may fill a disk
            raise

    def _files(self) -> Iterator[tuple[str, os.stat_result]]:
        with suppress(FileNotFoundError), os.scandir(self.directory) as entries:
            for entry in entries:
                if entry.name.endswith(_SUFFIX):
                    with suppress(FileNotFoundError):
                        yield entry.path, entry.stat(follow_symlinks=False)

    @contextmanager
    def _locked(self) -> Iterator[tuple[int, _Ledger]]:
        """Hold the lock of the directory; give the ledger, made anew where it is none."""
        with _lock:
            # Opened each time: a lock belongs to what was opened, which threads and forks would share.
            fd = os.open(self._ledger_path, os.O_RDWR | os.O_CREAT | BINARY, 0o600)
            try:
                if sys.platform != "win32":
                    fcntl.flock(fd, fcntl.LOCK_EX)
                try:
                    ledger = _parsed(read_at(fd, _LEDGER_BYTES, 0))
                except struct.error:
                    ledger = _Ledger(self.size_kept, os.urandom(16))
                    _enter(fd, ledger)
                yield fd, ledger
            finally:
                if sys.platform != "win32":
                    fcntl.flock(fd, fcntl.LOCK_UN)  # closing would not do where a fork has it open, too
                os.close(fd)

    def _require_locks(self) -> None:
        try:
            with self._locked():
                pass
        except OSError as error:
            if error.errno in NO_FILE_LOCKS:
                message = "cannot keep a cache: the file system has no locks"
                raise StoreError(message, store=self.directory, errno=error.errno) from error

    def _path(self, name: str) -> str:
        digest = hashlib.blake2b(name.encode(), digest_size=20).hexdigest()
        return os.path.join(self.directory, digest + _SUFFIX)


def _touch(path: str) -> None:
    # By the clock itself: the system's own stamps are the same for what is some milliseconds apart.
    now = time.time_ns()
    os.utime(path, ns=(now, now))


def _parsed(ledger: bytes) -> _Ledger:
    """Return the ledger; struct.error where it is damaged."""
    told = ledger[: _LEDGER.size]
    if ledger[_LEDGER.size :] != _checksum_of(told):
        raise struct.error("the ledger does not agree with its checksum")
    return _Ledger(*_LEDGER.unpack(told))


def _enter(fd: int, ledger: _Ledger) -> None:
    told = _LEDGER.pack(*ledger)
    write_all_at(fd, told + _checksum_of(told), 0)


def _checksum_of(told: bytes) -> bytes:
    return _CHECKSUM.pack(google_crc32c.value(told))


def _written(name: str, entry: Entry) -> list[bytes]:
    """Return the pieces of the file of an entry."""
    named, note = name.encode(), entry.note.encode()
    described = _LENGTHS.pack(len(named), len(note), len(entry.value)) + named + note
    checksum = google_crc32c.extend(google_crc32c.value(described), entry.value)
    return [_HEAD.pack(_START, checksum) + described, entry.value]


def _read(path: str, name: str) -> Entry | None:
    """Return the entry in a file; None where the file is damaged, or of another name."""
    fd = os.open(path, os.O_RDONLY | BINARY)
    try:
        size = os.fstat(fd).st_size
        found = _described(fd, size, name)
        if found is None:
            return None
        checksum, described, note = found
        # By itself, so that it is copied nowhere.
        value = read_between(fd, _HEAD.size + len(described), size)
    finally:
        os.close(fd)
    if google_crc32c.extend(google_crc32c.value(described), value) != checksum:
        return None
    return Entry(note, value)


def _described(fd: int, size: int, name: str) -> tuple[int, bytes, str] | None:
    """Return the checksum of a file, what it has before the value, and the note; None where it cannot be."""
    wanted = name.encode()
    begin = read_at(fd, _FIRST_READ + len(wanted), 0)
    at = _HEAD.size + _LENGTHS.size
    if len(begin) < at:
        return None
    start, checksum = _HEAD.unpack_from(begin)
    named, note, value = _LENGTHS.unpack_from(begin, _HEAD.size)
    end = at + named + note
    if start != _START or size != end + value or begin[at : at + named] != wanted or len(begin) < end:
        return None
    return checksum, begin[_HEAD.size : end], begin[at + named : end].decode(errors="replace")


def _begins(path: str, start: str) -> bool:
    """Say whether the name of an entry starts so."""
    wanted = start.encode()
    at = _HEAD.size + _LENGTHS.size
    try:
        with open(path, "rb") as file:
            found = file.read(at + len(wanted))
    except OSError:
        return True
    length = _LENGTHS.unpack_from(found, _HEAD.size)[0] if len(found) >= at else 0
    return found[at:] == wanted and length >= len(wanted)
