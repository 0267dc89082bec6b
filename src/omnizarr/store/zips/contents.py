"""What a zip archive holds: its central directory, and the folder that is the dataset."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection
from typing import NamedTuple

from omnizarr.store.keys import check_key
from omnizarr.store.zips.format import BadEntryError, Entry
from omnizarr.store.zips.source import Source

# What is read first of the end of an archive over a network, as a reader has it anyhow; most central
# directories are within. Before that at least as much as is received while a request would wait.
_ENDING = 64 * 1024
_BEFORE = 256 * 1024
_LARGEST_DIRECTORY = 2**30
# What may stand right in a folder that is a whole dataset.
_DOCUMENTS = (".zgroup", ".zarray", "zarr.json")


class Contents(NamedTuple):
    """What the central directory says, without directories, and the comment of the archive."""

    entries: list[Entry]
    comment: bytes


def contents_of(source: Source) -> Contents:
    """Read the central directory.

    Raises
    ------
    BadEntryError
        It is no zip archive, or has names that no archive should have.
    OSError
        It cannot be read.
    """
    try:
        with zipfile.ZipFile(_Ending(source)) as archive:
            infos, comment = archive.infolist(), archive.comment
    except BadEntryError:
        raise
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError) as error:
        raise BadEntryError(f"no zip archive, or a damaged one: {error}") from error
    return Contents([_entry(info) for info in infos if not info.filename.endswith("/")], comment)


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


class _Ending(io.RawIOBase):
    """An archive as a file for Python's zipfile, which reads its end alone.

    Where reading waits, what was read is kept, and what comes before it is read in pieces that are
    not small. Closing it leaves the archive open.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._place = self._held_from = self._size = source.size
        self._held = b""

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
        start, stop = self._place, self._place + (rest if size < 0 else min(size, rest))
        value = self._held_between(start, stop) if self._source.waits else self._source.read(start, stop)
        self._place += len(value)
        return value

    def _held_between(self, start: int, stop: int) -> bytes:
        if start < self._held_from and start < stop:
            least = _BEFORE if self._held else _ENDING
            begin = max(min(start, self._held_from - least), 0)
            if self._size - begin > _LARGEST_DIRECTORY:
                raise BadEntryError(f"a central directory of more than {_LARGEST_DIRECTORY} bytes")
            self._held = self._source.read(begin, self._held_from) + self._held
            self._held_from = begin
        return self._held[start - self._held_from : stop - self._held_from]


def _entry(info: zipfile.ZipInfo) -> Entry:
    try:
        check_key(info.filename)
    except ValueError as error:
        raise BadEntryError(f"entry {info.orig_filename!r}: {error}") from error
    if info.header_offset < 0:  # zipfile counts from where it finds the directory, not from what is said
        raise BadEntryError(f"entry {info.orig_filename!r}: expected a place, found {info.header_offset}")
    sizes = (info.compress_size, info.file_size)
    return Entry(info.filename, info.header_offset, *sizes, info.CRC, info.compress_type, info.flag_bits)
