"""Lines of CDL, wrapped as `ncdump` wraps them.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_CONTINUED = "    "

# ncdump never starts a line with so short an item, such as a brace.
_SHORT = 2


class Lines:
    """Text that breaks before an item which would reach past the end of a line.

    Lengths are counted in bytes, and a line may be two shorter than `width`, as in `ncdump`. Items of
    one or two bytes never start a line. The position is that of what was counted last, also where other
    text was added since: so `ncdump` breaks one attribute where another one ended.
    """

    __slots__ = ("_limit", "_parts", "_position", "indent")

    def __init__(self, width: int = 80) -> None:
        self.indent = ""
        self._limit = width - 2
        self._position = 0
        self._parts: list[str] = []

    def add(self, text: str, position: int | None = None) -> None:
        """Add text as it is, without counting it; what follows counts from `position`, where one is given."""
        self._parts.append(text)
        if position is not None:
            self._position = position + len(self.indent)

    def put(self, item: str) -> None:
        """Add an item, on a new line where this one has no room for it."""
        size = byte_length(item)
        if size > _SHORT and size + self._position > self._limit:
            self._parts.append(f"\n{self.indent}{_CONTINUED}")
            self._position = len(_CONTINUED) + len(self.indent)
        self._parts.append(item)
        self._position = len(self.indent) if item.endswith("\n") else self._position + size

    def put_all(self, text: str) -> None:
        """Add items with `, ` between them, of ASCII and without a comma in them, as `put` adds each.

        It looks for the last comma of each line instead of at each item: 1 µs a line.
        """
        start, stop, fresh = 0, len(text), False
        room, parts = self._limit - self._position, self._parts
        broken = f"\n{self.indent}{_CONTINUED}"
        while stop - start > room and stop - start > _SHORT:
            comma = text.rfind(", ", start, start + room) if room > 0 else -1
            if comma < 0 and fresh:
                comma = text.find(", ", start)
                comma = comma if comma > 0 else stop
            if comma > 0:
                parts.append(text[start : comma + 2])
                start = min(comma + 2, stop)
                if stop - start <= _SHORT:
                    break
            parts.append(broken)
            room, fresh = self._limit - len(broken) + 1, True
        parts.append(text[start:])
        self._position = self._limit - room + stop - start

    def fits(self, size: int, position: int) -> bool:
        """Say whether so many bytes have room on a line from a position on."""
        return size + position + len(self.indent) <= self._limit

    def take(self) -> str:
        """Return what was added since the last call."""
        text = "".join(self._parts)
        self._parts.clear()
        return text


def byte_length(text: str) -> int:
    """Return how many bytes a text has in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


class Braces:
    """The braces around records: one pair for each unlimited dimension but the first.

    Without them the sizes of nested unlimited dimensions could not be told from the values.
    """

    __slots__ = ("_marked", "_shape")

    def __init__(self, shape: Sequence[int], unlimited: Sequence[bool]) -> None:
        self._shape = shape
        self._marked = tuple(axis for axis in range(1, len(shape)) if unlimited[axis])

    def __bool__(self) -> bool:
        return bool(self._marked)

    def opening(self, row: Sequence[int]) -> int:
        """Return how many braces open before the row at these coordinates (all but the last axis)."""
        return sum(not any(row[axis:]) for axis in self._marked)

    def closing(self, row: Sequence[int]) -> int:
        """Return how many braces close behind the row at these coordinates."""
        return sum(
            all(at == size - 1 for at, size in zip(row[axis:], self._shape[axis:-1], strict=True))
            for axis in self._marked
        )


def row_coordinates(shape: Sequence[int], first: int, stop: int) -> Iterator[tuple[int, ...]]:
    """Yield the coordinates of the rows `first` to `stop` in C order, by all axes but the last."""
    for number in range(first, stop):
        coordinates = []
        for size in reversed(shape[:-1]):
            number, at = divmod(number, size)
            coordinates.append(at)
        yield tuple(reversed(coordinates))
