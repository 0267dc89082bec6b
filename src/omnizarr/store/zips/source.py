"""Where the bytes of an archive are: in an open file, or in a value of any store."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from omnizarr.store.base import Reader, Span, Store
from omnizarr.store.directories.files import file_size, read_between, read_into, read_spans
from omnizarr.store.readers import BytesReader, facts_of


class Source(Protocol):
    """The bytes of one archive; read from many threads.

    What lies behind the end is not there: such reads return fewer bytes.
    """

    @property
    def size(self) -> int:
        """Bytes of the archive."""

    @property
    def waits(self) -> bool:
        """Whether one request more costs more than some hundred bytes more."""

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes from `start` to `stop`."""

    def read_into(self, out: memoryview, start: int) -> int:
        """Fill `out` with the bytes from `start` on; return how many there were, or more."""

    def read_spans(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts."""


class FileSource:
    """An archive that is an open file, or one that is being written.

    The file is closed with the last reference, so never under a thread that reads.
    """

    __slots__ = ("fd",)
    waits = False

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def __del__(self) -> None:
        os.close(self.fd)

    @property
    def size(self) -> int:
        """Bytes of the file as it is now."""
        return file_size(self.fd)

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes from `start` to `stop`."""
        return read_between(self.fd, start, stop)

    def read_into(self, out: memoryview, start: int) -> int:
        """Fill `out` with the bytes from `start` on."""
        return read_into(self.fd, out, start)

    def read_spans(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts."""
        return read_spans(self.fd, spans)


@dataclass(frozen=True, slots=True)
class ValueSource:
    """An archive that is a value of a store, held on to by a reader."""

    reader: Reader
    size: int
    waits: bool

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes from `start` to `stop`."""
        return self.reader.get(Span(start, stop - start))

    def read_into(self, out: memoryview, start: int) -> int:
        """Fill `out` with the bytes from `start` on."""
        return self.reader.get_into(out, start)

    def read_spans(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts; a reader of a network asks for neighbours at once."""
        return self.reader.get_ranges(spans)


def source_of(reader: Reader, store: Store, key: str) -> ValueSource:
    """Return the bytes of a value that is being read; its size costs a request where no reader knows it."""
    return ValueSource(reader, _size_of(reader, store, key), store.requests > 1)


def _size_of(reader: Reader, store: Store, key: str) -> int:
    if isinstance(reader, BytesReader):
        return len(reader.value)  # whose facts are a digest, which takes longer
    facts = facts_of(reader)
    return (store.size(key) or 0) if facts is None else facts.size
