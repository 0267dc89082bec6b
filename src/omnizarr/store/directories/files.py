"""Reading and writing at places of open files; whole buffers, whatever their size."""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeVar

from omnizarr.store.base import Buffer, ByteRange, Facts, Span
from omnizarr.store.ranges import bounds, check_part, check_spans, check_start

T = TypeVar("T")

# Windows would otherwise change line ends.
BINARY: int = getattr(os, "O_BINARY", 0)
# A pipe under the name of a value must not make a reader wait for its other end.
READ: int = os.O_RDONLY | BINARY | getattr(os, "O_NONBLOCK", 0)

# Small values come with one call and no fstat: 2.7 µs to open, read and close 100 bytes and 5.0 for
# 64 KiB, against 3.4 and 5.8 with fstat. A buffer from 128 KiB on would be mapped anew for each
# call: 14 µs.
_FIRST_READ = 2**16 + 1
# Spans up to this length are read without asking for the size of the file first.
_SMALL = 2**20
# What one call of the operating system reads or writes at most is a little less than 2 GiB.
_LARGEST_CALL = 2**30
_LARGEST_OFFSET = 2**63 - 1
_spare = bytearray(1)  # takes the byte that shows that a value is longer; nobody looks at it
_seeking = threading.Lock()

if sys.platform != "win32":
    read_at = os.pread
    write_at = os.pwrite
else:

    def read_at(fd: int, length: int, start: int) -> bytes:
        with _seeking:
            os.lseek(fd, start, os.SEEK_SET)
            return os.read(fd, length)

    def write_at(fd: int, value: Buffer, start: int) -> int:
        with _seeking:
            os.lseek(fd, start, os.SEEK_SET)
            return os.write(fd, value)


def file_size(fd: int) -> int:
    """Return the size of an open file; OSError where it is a device or a pipe."""
    found = os.fstat(fd)
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "expected a file, found a device, a pipe or a socket")
    return found.st_size


def facts_of_file(found: os.stat_result) -> Facts:
    """Return what tells a file from the one that takes its name."""
    return Facts(found.st_size, f"{found.st_ino:x} {found.st_mtime_ns:x}", found.st_mtime)


def read_whole(fd: int) -> bytes:
    """Return all bytes of a file that was just opened."""
    first = os.read(fd, _FIRST_READ)
    return first if 0 < len(first) < _FIRST_READ else read_between(fd, 0, file_size(fd))


def read_part(fd: int, part: ByteRange) -> bytes:
    """Return a part of a file."""
    if type(part) is Span and part.length <= _SMALL and part.start <= _LARGEST_OFFSET:
        return read_at(fd, part.length, part.start)
    return read_between(fd, *bounds(part, file_size(fd)))


def read_between(fd: int, start: int, stop: int) -> bytes:
    """Return the bytes from `start` to `stop`, fewer where the file ends earlier."""
    pieces: list[bytes] = []
    while start < stop and (piece := read_at(fd, min(stop - start, _LARGEST_CALL), start)):
        pieces.append(piece)
        start += len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def read_spans(fd: int, spans: Sequence[tuple[int, int]]) -> list[bytes]:
    """Return several (start, length) parts of a file."""
    # 0.4 µs for each of many points of a file in memory, against 0.8 by way of read_part.
    read = read_at
    try:
        return [
            read(fd, length, start)
            if length <= _SMALL and start <= _LARGEST_OFFSET
            else read_part(fd, Span(start, length))
            for start, length in spans
        ]
    except OSError:
        check_spans(spans)  # only now, since this would double the time for many points
        raise


def read_into(fd: int, out: memoryview, start: int) -> int:
    """Fill `out` with the bytes from `start` on; return how many there were, one more where it overflows."""
    if start > _LARGEST_OFFSET:
        return 0
    if not hasattr(os, "preadv") or len(out) > _LARGEST_CALL:
        return _read_pieces_into(fd, out, start)
    count = os.preadv(fd, (out, _spare), start)
    while 0 < count < len(out) and (more := os.preadv(fd, (out[count:], _spare), start + count)):
        count += more
    return count


@dataclass(frozen=True, slots=True)
class FileReader:
    """An open file, which stays what it is when another one takes its name.

    `fail` raises for what the operating system says.
    """

    fd: int
    fail: Callable[[OSError], NoReturn]

    def get(self, part: ByteRange | None = None) -> bytes:
        """Return all bytes, or a part of them."""
        if part is not None:
            check_part(part)
            return self._try(lambda fd: read_part(fd, part))
        return self._try(lambda fd: read_between(fd, 0, file_size(fd)))

    def get_into(self, out: memoryview, start: int = 0) -> int:
        """Fill `out` as `Store.get_into` does."""
        check_start(start)
        return self._try(lambda fd: read_into(fd, out, start))

    def get_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts."""
        return self._try(lambda fd: read_spans(fd, spans))

    def facts(self) -> Facts:
        """Return the facts of the file."""
        return self._try(lambda fd: facts_of_file(os.fstat(fd)))

    def _try(self, read: Callable[[int], T]) -> T:
        try:
            return read(self.fd)
        except OSError as error:
            self.fail(error)


def _read_pieces_into(fd: int, out: memoryview, start: int) -> int:
    count = 0
    while piece := read_at(fd, min(len(out) - count, _SMALL) or 1, start + count):
        if count == len(out):
            return count + 1
        out[count : count + len(piece)] = piece
        count += len(piece)
    return count


def flat(value: Buffer) -> memoryview:
    """Return the bytes of any buffer; copied only where they do not lie one after the other."""
    view = memoryview(value)
    return view.cast("B") if view.c_contiguous and view.nbytes else memoryview(view.tobytes())


def write_all(fd: int, value: Buffer) -> None:
    """Write all bytes at the place where the file stands."""
    whole = value if type(value) is bytes else flat(value)
    written = os.write(fd, whole)
    while written < len(whole):
        written += os.write(fd, memoryview(whole)[written : written + _LARGEST_CALL])


def write_all_at(fd: int, value: Buffer, start: int) -> None:
    """Write all bytes at a place of the file."""
    rest = flat(value)
    while rest:
        written = write_at(fd, rest[:_LARGEST_CALL], start)
        rest, start = rest[written:], start + written


def sync_directory(directory: str) -> None:
    """Have the names in a directory survive a loss of power; nothing on Windows, which cannot."""
    if sys.platform == "win32":
        return
    fd = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
