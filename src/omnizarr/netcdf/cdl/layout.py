"""The data section of CDL: rows of values, wrapped as `ncdump` wraps them.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_CONTINUED = "    "


class Lines:
    """Text that breaks before an item which would reach past the end of a line.

    Lengths are counted in bytes, and a line may be two shorter than `width`, as in `ncdump`. Items of
    one or two bytes never start a line.
    """

    __slots__ = ("_indent", "_limit", "_parts", "_position")

    def __init__(self, indent: str = "", width: int = 80) -> None:
        self._indent = indent
        self._limit = width - 2
        self._position = 0
        self._parts: list[str] = []

    def start(self, text: str, position: int) -> None:
        """Add text as it is; the items behind it count from `position` within the indentation."""
        self._parts.append(text)
        self._position = position + len(self._indent)

    def add(self, text: str) -> None:
        """Add text as it is, without counting it."""
        self._parts.append(text)

    def put(self, item: str) -> None:
        """Add an item, on a new line where this one has no room for it."""
        size = byte_length(item)
        if size > 2 and size + self._position > self._limit:
            self._parts.append(f"\n{self._indent}{_CONTINUED}")
            self._position = len(_CONTINUED) + len(self._indent)
        self._parts.append(item)
        self._position = len(self._indent) if item.endswith("\n") else self._position + size

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
