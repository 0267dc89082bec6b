"""What a chunk is read from: a stored value, an extent of one, or bytes in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from omnizarr.store.base import Buffer, ByteRange, From, Last, Reader, Span, Store


class Value(Protocol):
    """Bytes that can be read whole or in parts; every method returns None where there are none."""

    def whole(self) -> Buffer | None:
        """Return all bytes."""

    def part(self, part: ByteRange) -> Buffer | None:
        """Return a part, shorter where the value ends earlier."""

    def parts(self, spans: Sequence[tuple[int, int]]) -> Sequence[Buffer] | None:
        """Return several (start, length) parts."""

    def into(self, out: memoryview) -> int | None:
        """Fill `out` from the start; return how many bytes there are, more than fit included."""

    def held(self) -> AbstractContextManager[HeldValue | None]:
        """Return this value so that all that is read is of one state of it."""


class HeldValue(Value, Protocol):
    """A value that stays as it is, so that an index read from it is true of the rest."""

    @property
    def waits(self) -> bool:
        """Whether each reading waits for a network, so that few pay off, or many at once."""

    def within(self, start: int, length: int) -> HeldValue:
        """Return a part as a value."""


@dataclass(frozen=True, slots=True)
class StoredValue:
    """The value of a key."""

    store: Store
    key: str

    def whole(self) -> Buffer | None:
        """Return all bytes."""
        return self.store.get_buffer(self.key)

    def part(self, part: ByteRange) -> Buffer | None:
        """Return a part, shorter where the value ends earlier."""
        return self.store.get(self.key, part)

    def parts(self, spans: Sequence[tuple[int, int]]) -> Sequence[Buffer] | None:
        """Return several (start, length) parts."""
        return self.store.get_ranges(self.key, spans)

    def into(self, out: memoryview) -> int | None:
        """Fill `out` from the start; return how many bytes there are, more than fit included."""
        return self.store.get_into(self.key, out)

    @contextmanager
    def held(self) -> Iterator[HeldValue | None]:
        """Hold on to the value as it is now."""
        with self.store.reading(self.key) as reader:
            yield None if reader is None else Extent(reader, 0, None, self.store.requests > 1)


@dataclass(frozen=True, slots=True)
class Extent:
    """A part of a value that a reader holds on to; all of it where `length` is None."""

    reader: Reader
    start: int
    length: int | None
    waits: bool = False

    def whole(self) -> Buffer:
        """Return all bytes."""
        return self.reader.get(None if self.length is None else Span(self.start, self.length))

    def part(self, part: ByteRange) -> Buffer:
        """Return a part, shorter where the value ends earlier."""
        if self.length is None:
            return self.reader.get(part)
        start, stop = _bounds(part, self.length)
        return self.reader.get(Span(self.start + start, stop - start))

    def parts(self, spans: Sequence[tuple[int, int]]) -> Sequence[Buffer]:
        """Return several (start, length) parts."""
        if self.length is None:
            return self.reader.get_ranges(spans)
        inside = [_bounds(Span(*span), self.length) for span in spans]
        return self.reader.get_ranges([(self.start + start, stop - start) for start, stop in inside])

    def into(self, out: memoryview) -> int:
        """Fill `out` from the start; return how many bytes there are, more than fit included."""
        if self.length is None:
            return self.reader.get_into(out)
        count = min(len(out), self.length)
        found = self.reader.get_into(out[:count], self.start)
        return self.length if found >= count else found

    def held(self) -> AbstractContextManager[Extent]:
        """Return this value, which stays as it is."""
        return nullcontext(self)

    def within(self, start: int, length: int) -> Extent:
        """Return a part as a value."""
        if self.length is not None:
            start, stop = _bounds(Span(start, length), self.length)
            length = stop - start
        return Extent(self.reader, self.start + start, length, self.waits)


@dataclass(frozen=True, slots=True)
class MemoryValue:
    """Bytes in memory."""

    data: memoryview

    @property
    def waits(self) -> bool:
        """No: they are here."""
        return False

    def whole(self) -> Buffer | None:
        """Return all bytes."""
        return self.data

    def part(self, part: ByteRange) -> Buffer | None:
        """Return a part, shorter where the value ends earlier."""
        start, stop = _bounds(part, len(self.data))
        return self.data[start:stop]

    def parts(self, spans: Sequence[tuple[int, int]]) -> Sequence[Buffer] | None:
        """Return several (start, length) parts."""
        return [self.data[start : start + length] for start, length in spans]

    def into(self, out: memoryview) -> int | None:
        """Fill `out` from the start; return how many bytes there are, more than fit included."""
        count = min(len(out), len(self.data))
        out[:count] = self.data[:count]
        return len(self.data)

    def held(self) -> AbstractContextManager[MemoryValue]:
        """Return this value, which stays as it is."""
        return nullcontext(self)

    def within(self, start: int, length: int) -> MemoryValue:
        """Return a part as a value."""
        return MemoryValue(self.data[start : start + length])


def _bounds(part: ByteRange, size: int) -> tuple[int, int]:
    if isinstance(part, Last):
        return max(0, size - part.length), size
    start = min(part.start, size)
    return start, size if isinstance(part, From) else min(start + part.length, size)
