"""What a byte range means for a value of a known size."""

from __future__ import annotations

from collections.abc import Sequence

from omnizarr.store.base import ByteRange, From, Last, Span


def check_part(part: ByteRange) -> None:
    """Refuse a range with a negative number.

    Raises
    ------
    ValueError
        With the range.
    """
    if min(part) < 0:
        raise ValueError(f"byte range: expected numbers from 0 on, found {part!r}")


def check_start(start: int) -> None:
    """Refuse a negative start, as `check_part` does."""
    if start < 0:
        raise ValueError(f"start: expected a number from 0 on, found {start}")


def check_spans(spans: Sequence[tuple[int, int]]) -> None:
    """Refuse (start, length) pairs with a negative number, as `check_part` does."""
    for start, length in spans:
        check_part(Span(start, length))


def bounds(part: ByteRange | None, size: int) -> tuple[int, int]:
    """Return where a part of a value of `size` bytes starts and stops; `start <= stop <= size`."""
    match part:
        case None:
            return 0, size
        case Span(start, length):
            start = min(start, size)
            return start, min(start + length, size)
        case From(start):
            return min(start, size), size
        case Last(length):
            return size - min(length, size), size


def cut(value: bytes, part: ByteRange | None) -> bytes:
    """Return a part of a value; the value itself where all of it is asked for."""
    if part is None:
        return value
    check_part(part)
    start, stop = bounds(part, len(value))
    return value[start:stop]
