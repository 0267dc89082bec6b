"""What a chunk is read from: a stored value, a part of one, or bytes in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from omnizarr.store.base import Buffer, ByteRange, From, Last, Span, Store


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

    def within(self, start: int, length: int) -> Value:
        """Return a part as a value."""


@dataclass(frozen=True, slots=True)
class StoredValue:
    """The value of a key."""

    store: Store
    key: str

    def whole(self) -> Buffer | None:
        """Return all bytes."""
        return self.store.get(self.key)

    def part(self, part: ByteRange) -> Buffer | None:
        """Return a part, shorter where the value ends earlier."""
        return self.store.get(self.key, part)

    def parts(self, spans: Sequence[tuple[int, int]]) -> Sequence[Buffer] | None:
        """Return several (start, length) parts."""
        return self.store.get_ranges(self.key, spans)

    def into(self, out: memoryview) -> int | None:
        """Fill `out` from the start; return how many bytes there are, more than fit included."""
        return self.store.get_into(self.key, out)

    def within(self, start: int, length: int) -> StoredPart:
        """Return a part as a value."""
        return StoredPart(self.store, self.key, start, length)


@dataclass(frozen=True, slots=True)
class StoredPart:
    """A part of the value of a key."""

    store: Store
    key: str
    start: int
    length: int

    def whole(self) -> Buffer | None:
        """Return all bytes."""
        return self.store.get(self.key, Span(self.start, self.length))

    def part(self, part: ByteRange) -> Buffer | None:
        """Return a part, shorter where the value ends earlier."""
        start, stop = _bounds(part, self.length)
        return self.store.get(self.key, Span(self.start + start, stop - start))

    def parts(self, spans: Sequence[tuple[int, int]]) -> Sequence[Buffer] | None:
        """Return several (start, length) parts."""
        inside = [_bounds(Span(*span), self.length) for span in spans]
        return self.store.get_ranges(self.key, [(self.start + start, stop - start) for start, stop in inside])

    def into(self, out: memoryview) -> int | None:
        """Fill `out` from the start; return how many bytes there are, more than fit included."""
        count = min(len(out), self.length)
        found = self.store.get_into(self.key, out[:count], self.start)
        return None if found is None else self.length if found >= count else found

    def within(self, start: int, length: int) -> StoredPart:
        """Return a part as a value."""
        start, stop = _bounds(Span(start, length), self.length)
        return StoredPart(self.store, self.key, self.start + start, stop - start)


@dataclass(frozen=True, slots=True)
class MemoryValue:
    """Bytes in memory."""

    data: memoryview

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

    def within(self, start: int, length: int) -> MemoryValue:
        """Return a part as a value."""
        return MemoryValue(self.data[start : start + length])


def _bounds(part: ByteRange, size: int) -> tuple[int, int]:
    if isinstance(part, Last):
        return max(0, size - part.length), size
    start = min(part.start, size)
    return start, size if isinstance(part, From) else min(start + part.length, size)
