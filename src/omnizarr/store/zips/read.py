"""Reading a zip archive: its central directory once, its values by place, from many threads."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, cast

from isal import isal_zlib

from omnizarr.config import config
from omnizarr.store.base import ByteRange, Span
from omnizarr.store.directories.files import BINARY, file_size, read_at, read_between, read_into
from omnizarr.store.keys import check_key
from omnizarr.store.ranges import bounds
from omnizarr.store.zips.format import DEFLATED, ENCRYPTED, LOCAL, LOCAL_SIGNATURE, STORED, Entry

_PIECE = 2**20
# No byte of deflate gives more than this many bytes: it has codes of at least one bit for at most 258.
_MOST_INFLATION = 1032


_INFLATE_ERROR = cast("type[Exception]", isal_zlib.error)  # its annotation says that it is an instance
# What may stand right in a folder that is a whole dataset.
_DOCUMENTS = (".zgroup", ".zarray", "zarr.json")


class BadEntryError(ValueError):
    """An entry that is not what the archive says of it; `zip.py` adds the store and the key."""


class ZipReader:
    """An open archive, or the archive that is being written.

    Values are read by position: no lock, and no state that a forked process would share. The file is
    closed with the last reference, so never under a thread that reads.

    Raises
    ------
    BadEntryError
        By every method that reads a value, where the archive is damaged.
    """

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._data_starts: dict[int, int] = {}

    def __del__(self) -> None:
        os.close(self.fd)

    def read(self, entry: Entry, part: ByteRange | None) -> bytes:
        """Return a value, whose checksum is verified, or a part of it."""
        _check_readable(entry)
        start, stop = bounds(part, entry.size)
        if entry.method == STORED:
            value = self._stored(entry, start, stop)
        elif entry.method == DEFLATED:
            value = self._inflated(entry, start, stop)
        else:
            value = self._extracted(entry)[start:stop]
        if len(value) != stop - start:
            raise BadEntryError(f"it ends after {start + len(value)} bytes, expected {entry.size}")
        if len(value) == entry.size:
            _check_sum(entry, value)
        return value

    def read_into(self, entry: Entry, out: memoryview, start: int) -> int:
        """Fill `out` with the bytes from `start` on; return how many there are from there on."""
        _check_readable(entry)
        if entry.method != STORED:
            value = self.read(entry, None)[start:]
            count = min(len(value), len(out))
            out[:count] = value[:count]
            return len(value)
        available = max(entry.size - start, 0)
        wanted = out[:available]
        if wanted and read_into(self.fd, wanted, self.data_start(entry) + start) < len(wanted):
            raise BadEntryError(f"the archive ends before its {entry.size} bytes do")
        if len(wanted) == entry.size:
            _check_sum(entry, wanted)
        return available

    def read_spans(self, entry: Entry, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts of a value."""
        if entry.method != STORED:
            value = self.read(entry, None)  # inflated once, not for each span from its start
            return [value[start : start + length] for start, length in spans]
        _check_readable(entry)
        return [self._stored(entry, *bounds(Span(*span), entry.size)) for span in spans]

    def stored_pieces(self, entry: Entry) -> Iterator[bytes]:
        """Yield the bytes of an entry as they stand in the archive."""
        start = self.data_start(entry)
        stop = start + entry.stored_size
        while start < stop:
            piece = read_at(self.fd, min(_PIECE, stop - start), start)
            if not piece:
                raise BadEntryError(f"the archive ends before its {entry.stored_size} bytes do")
            yield piece
            start += len(piece)

    def data_start(self, entry: Entry) -> int:
        """Return where the bytes of an entry begin; its header is read once."""
        known = self._data_starts.get(entry.start)
        if known is not None:
            return known
        header = read_at(self.fd, LOCAL.size, entry.start)
        if len(header) < LOCAL.size or not header.startswith(LOCAL_SIGNATURE):
            raise BadEntryError(f"no local header at byte {entry.start}")
        *_, name_length, extra_length = LOCAL.unpack(header)
        found = entry.start + LOCAL.size + int(name_length) + int(extra_length)
        self._data_starts[entry.start] = found
        return found

    def _stored(self, entry: Entry, start: int, stop: int) -> bytes:
        if entry.stored_size != entry.size:
            raise BadEntryError(f"stored, but {entry.stored_size} bytes for a value of {entry.size}")
        begin = self.data_start(entry)
        return read_between(self.fd, begin + start, begin + stop)

    def _inflated(self, entry: Entry, start: int, stop: int) -> bytes:
        """Return bytes `start` to `stop`; what comes after them is not inflated."""
        if entry.size > (entry.stored_size + 1) * _MOST_INFLATION:
            raise BadEntryError(f"{entry.stored_size} bytes cannot inflate to {entry.size}")
        kept, place = [], 0
        for piece in _inflate(self.stored_pieces(entry), stop):
            kept.append(piece[max(start - place, 0) :])
            place += len(piece)
        return kept[0] if len(kept) == 1 else b"".join(kept)

    def _extracted(self, entry: Entry) -> bytes:
        """Return a value of any method that Python's zipfile knows."""
        try:
            with zipfile.ZipFile(_Positioned(self.fd)) as archive:
                info = next(info for info in archive.infolist() if info.header_offset == entry.start)
                with archive.open(info) as file:
                    return file.read(entry.size)
        except (NotImplementedError, RuntimeError, zipfile.BadZipFile, EOFError, OSError) as error:
            raise BadEntryError(str(error)) from error
        except Exception as error:  # lzma.LZMAError, zstd's own
            raise BadEntryError(f"compression method {entry.method}: {error}") from error


class Contents(NamedTuple):
    """What the central directory says, without directories, and the comment of the archive."""

    entries: list[Entry]
    comment: bytes


def open_archive(path: str) -> tuple[ZipReader, Contents]:
    """Open an archive and read its central directory.

    Raises
    ------
    BadEntryError
        It is no zip archive, or has names that no archive should have.
    OSError
        It cannot be opened.
    """
    reader = ZipReader(os.open(path, os.O_RDONLY | BINARY))
    try:
        with zipfile.ZipFile(_Positioned(reader.fd)) as archive:
            infos, comment = archive.infolist(), archive.comment
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError) as error:
        raise BadEntryError(f"no zip archive, or a damaged one: {error}") from error
    return reader, Contents([_entry(info) for info in infos if not info.is_dir()], comment)


def top_folder(names: Collection[str], archive: str) -> str:
    """Return the one folder that all names are in, if it stands for the dataset; else `""`.

    It does where it is called as the archive is, with or without suffixes, or where a document of
    an array or group is right in it. netCDF-C writes such archives, and so does who zips a directory.
    """
    tops = {name.partition("/")[0] for name in names}
    if len(tops) != 1 or any("/" not in name for name in names):
        return ""
    (top,) = tops
    stem = archive.removesuffix(".zip")
    called_alike = top in (archive, stem, stem.partition(".")[0])
    return f"{top}/" if called_alike or any(f"{top}/{name}" in names for name in _DOCUMENTS) else ""


class _Positioned(io.RawIOBase):
    """An open file with a place of its own, for Python's zipfile; closing it leaves the file open."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._size = file_size(fd)
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        if origin + offset < 0:
            raise OSError(22, "a place before the start of the file")
        self._place = origin + offset
        return self._place

    def tell(self) -> int:
        return self._place

    def read(self, size: int = -1) -> bytes:
        rest = max(self._size - self._place, 0)
        value = read_between(self._fd, self._place, self._place + (rest if size < 0 else min(size, rest)))
        self._place += len(value)
        return value


def _inflate(deflated: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Yield at most `size` bytes, in pieces; an empty piece of input at the end brings what is left."""
    inflate = isal_zlib.decompressobj(-zlib.MAX_WBITS)
    for raw in chain(deflated, (b"",)):
        while size > 0:
            wanted = min(size, _PIECE)
            try:
                piece = inflate.decompress(raw, wanted)
            except _INFLATE_ERROR as error:
                raise BadEntryError(f"deflate: {error}") from error
            raw = inflate.unconsumed_tail
            size -= len(piece)
            yield piece
            if len(piece) < wanted:
                break


def _entry(info: zipfile.ZipInfo) -> Entry:
    try:
        check_key(info.filename)
    except ValueError as error:
        raise BadEntryError(f"entry {info.orig_filename!r}: {error}") from error
    sizes = (info.compress_size, info.file_size)
    return Entry(info.filename, info.header_offset, *sizes, info.CRC, info.compress_type, info.flag_bits)


def _check_readable(entry: Entry) -> None:
    if entry.flags & ENCRYPTED:
        raise BadEntryError("it is encrypted")
    if entry.size > config.max_chunk_bytes:
        raise BadEntryError(f"{entry.size} bytes are more than max_chunk_bytes, {config.max_chunk_bytes}")


def _check_sum(entry: Entry, value: bytes | memoryview) -> None:
    found = isal_zlib.crc32(value)
    if found != entry.crc:
        raise BadEntryError(f"CRC-32: expected {entry.crc:08x}, found {found:08x}")
