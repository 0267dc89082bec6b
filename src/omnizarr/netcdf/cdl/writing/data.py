"""The values of one variable as CDL.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np

from omnizarr.netcdf.cdl.text import escaped_name, quoted_chars
from omnizarr.netcdf.cdl.words import FILL
from omnizarr.netcdf.cdl.writing.layout import Braces, Lines, byte_length, row_coordinates
from omnizarr.netcdf.cdl.writing.options import Comments, Shown
from omnizarr.netcdf.cdl.writing.rows import NumberFormat, number_format
from omnizarr.netcdf.cdl.writing.spell import spelled_item
from omnizarr.netcdf.cdl.writing.times import TimeUnit
from omnizarr.netcdf.model.items import AnyArray, Item, from_numpy
from omnizarr.netcdf.model.nodes import VariableModel
from omnizarr.netcdf.model.types import CHAR, AtomicType, NcType, Vlen

ReadRows: TypeAlias = Callable[[slice], AnyArray]

_BLOCK_BYTES = 8 * 2**20


def write_values(
    lines: Lines,
    variable: VariableModel,
    shape: Sequence[int],
    unlimited: Sequence[bool],
    read: ReadRows,
    shown: Shown,
    unit: TimeUnit | None = None,
) -> Iterator[str]:
    """Yield ` name = values ;` piece by piece; a variable without values yields nothing.

    Parameters
    ----------
    shape, unlimited
        The current sizes of its dimensions, and which of them can grow.
    read
        Returns the values at a slice of the first axis; of a scalar, whatever the slice.
    unit
        Where its numbers are times, and are to be shown so: what they count.
    """
    if not prod(shape):
        return
    grid = tuple(shape) or (1,)
    head = f"\n{lines.indent} {escaped_name(variable.name)}"
    if len(shape) > 1:
        lines.add(f"{head} =\n  ", 2)
    else:
        lines.add(f"{head} = ", byte_length(variable.name) + 4)
    braces = Braces(grid, tuple(unlimited) or (False,))
    table = _Table(lines, variable, grid, braces, shown, unit, number_format(variable, shown.precision))
    for first, rows in _blocks(grid, variable.type, read):
        table.write(first, rows)
        yield lines.take()


def _blocks(grid: Sequence[int], kind: NcType, read: ReadRows) -> Iterator[tuple[int, AnyArray]]:
    """Yield (number of the first row, rows) in blocks of some megabytes."""
    if len(grid) == 1:
        yield 0, np.asarray(read(slice(0, grid[0]))).reshape(1, -1)
        return
    step = max(1, _BLOCK_BYTES // max(1, kind.size * prod(grid[1:])))
    rows_each = prod(grid[1:-1])
    for start in range(0, grid[0], step):
        block = np.asarray(read(slice(start, min(start + step, grid[0]))))
        yield start * rows_each, block.reshape(-1, grid[-1])


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows of one variable: runs along its last axis."""

    lines: Lines
    variable: VariableModel
    grid: tuple[int, ...]
    braces: Braces
    shown: Shown
    unit: TimeUnit | None
    numbers: NumberFormat

    def write(self, first: int, rows: AnyArray) -> None:
        """Write rows, of which the first has this number."""
        texts = self.whole_rows(rows)
        if texts is not None and self.is_simple(texts):
            last = first + len(rows) == self.count
            self.lines.add(",\n  ".join(texts) + (" ;\n" if last else ",\n  "), 0 if last else 2)
            return
        for number, row in enumerate(row_coordinates(self.grid, first, first + len(rows))):
            self.row(row, rows[number], None if texts is None else texts[number])
            if self.shown.comments is None or not self.shown.comments.is_full:
                is_last = first + number + 1 == self.count
                self.lines.put(" ;" if is_last else ",\n")
                self.lines.put("\n" if is_last else "  ")

    @property
    def count(self) -> int:
        return prod(self.grid[:-1])

    def whole_rows(self, rows: AnyArray) -> list[str] | None:
        """Return each row as one text, where the items in it can be told by their commas."""
        comments = self.shown.comments
        is_full = comments is not None and comments.is_full
        if self.variable.type is CHAR:
            width = rows.shape[1]
            data = np.ascontiguousarray(rows).tobytes()
            return [quoted_chars(data[at : at + width]) for at in range(0, len(data), width)]
        if is_full or self.unit or not self.is_numeric or not self.numbers.has_plain_items:
            return None
        return self.numbers.rows(rows)

    def is_simple(self, texts: list[str]) -> bool:
        """Say whether rows stand line by line, with nothing between them."""
        if self.braces or self.shown.comments or len(self.grid) == 1:
            return False
        return self.variable.type is CHAR or self.lines.fits(max(map(len, texts)), 2)

    @property
    def is_numeric(self) -> bool:
        kind = self.variable.type
        return isinstance(kind, AtomicType) and kind.is_numeric

    def row(self, row: tuple[int, ...], values: AnyArray, text: str | None) -> None:
        lines, comments = self.lines, self.shown.comments
        for _ in range(self.braces.opening(row)):
            lines.put("{")
        closing = "}" * self.braces.closing(row)
        if comments is not None and comments.is_full:
            self.commented(row, [text] if text is not None else self.items(values), closing, comments)
            return
        if comments is not None and len(self.grid) > 1:
            lines.add(f"// {_row_indices(self.variable.name, row, self.grid[-1], comments)}\n")
            lines.add(f"{lines.indent}    ", 4)
        if self.variable.type is CHAR:
            lines.add(text or "")
            lines.put(closing)
        elif text is not None:
            lines.put_all(text + closing)
        else:
            *others, last = self.items(values)
            for value in others:
                lines.put(value + ", ")
            lines.put(last + closing)

    def commented(self, row: tuple[int, ...], items: list[str], closing: str, comments: Comments) -> None:
        """Write each item on a line of its own; a row of characters is one item, called by its last."""
        first = self.grid[-1] - len(items)
        is_last = all(at == size - 1 for at, size in zip(row, self.grid[:-1], strict=True))
        for at, item in enumerate(items, first):
            indices = _indices(self.variable.name, row, at, comments)
            end = ", " if at < self.grid[-1] - 1 else f"{closing};" if is_last else f"{closing},"
            self.lines.add(f"{item}{end}  // {indices}\n    ")

    def items(self, values: AnyArray) -> list[str]:
        """Return the values of a row, one by one."""
        kind, fill = self.variable.type, self.numbers.fill
        if self.unit is not None:
            words = self.numbers.items(values)
            times = (self.unit.spelled(value, self.shown.times or " ") for value in values.tolist())
            return [FILL if word == FILL else time for word, time in zip(words, times, strict=True)]
        if self.is_numeric:
            return self.numbers.items(values)
        return [
            FILL if fill is not None and _is_fill(kind, item, fill) else self.spelled(item)
            for item in from_numpy(kind, values)
        ]

    def spelled(self, item: Item) -> str:
        return spelled_item(self.variable.type, item, self.shown.precision)


def _is_fill(kind: NcType, item: Item, fill: Item) -> bool:
    """Say whether a value is written `_`; sequences of several elements never are, as in `ncdump`."""
    if isinstance(kind, Vlen) and isinstance(item, tuple) and len(item) > 1:
        return False
    return item == fill


def _row_indices(name: str, row: Sequence[int], width: int, comments: Comments) -> str:
    if comments.language == "c":
        span = "0" if width == 1 else f" 0-{width - 1}"
        return f"{escaped_name(name)}({''.join(f'{at},' for at in row)}{span})"
    span = "1" if width == 1 else f"1-{width} "
    return f"{escaped_name(name)}({span}{''.join(f',{at + 1}' for at in reversed(row))})"


def _indices(name: str, row: Sequence[int], at: int, comments: Comments) -> str:
    whole = (*row, at)
    found = whole if comments.language == "c" else tuple(index + 1 for index in reversed(whole))
    return f"{escaped_name(name)}({','.join(map(str, found))})"
