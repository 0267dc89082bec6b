"""The values of one variable: what stands in which braces, and how long unlimited dimensions become.

Each unlimited dimension but the first has braces of its own. The values within the innermost ones fill
the dimensions from there on in C order; a list that is too short leaves the rest to the fill value.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import TypeAlias

import numpy as np

from omnizarr.netcdf.cdl.reading.characters import Row, end_of, packed, rows_of
from omnizarr.netcdf.cdl.reading.lists import Lists
from omnizarr.netcdf.cdl.reading.scope import DimensionDraft, VariableDraft
from omnizarr.netcdf.cdl.reading.tokens import Unexpected
from omnizarr.netcdf.cdl.reading.values import Block, Data, filler
from omnizarr.netcdf.model.items import Item
from omnizarr.netcdf.model.nodes import FILL_VALUE
from omnizarr.netcdf.model.types import CHAR, AtomicType, NcType

# Dimensions that share their braces: an unlimited one (or the first of all), and the fixed ones behind it.
Stretch: TypeAlias = tuple[DimensionDraft, ...]


def fill_of(variable: VariableDraft) -> Item:
    """Return what `_` and what is left out mean for a variable."""
    declared = variable.attributes.get(FILL_VALUE)
    if declared is None:
        return filler(variable.type)
    value = declared.value
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value[0]


def read_blocks(lists: Lists, variable: VariableDraft) -> tuple[Block, ...]:
    """Read the values of a variable up to `;`; its unlimited dimensions become long enough.

    Raises
    ------
    Unexpected
        There are more values than the variable holds, or one that its type does not hold.
    """
    return _Reader(lists, variable).run()


def data_of(variable: VariableDraft) -> Data | None:
    """Return the values of a variable, once the sizes of all dimensions are known; None where it has none."""
    if variable.blocks is None:
        return None
    shape = tuple(dimension.size for dimension in variable.dimensions)
    lengths = [prod(d.size for d in stretch) for stretch in stretches(variable.dimensions)]
    runs = []
    for block in variable.blocks:
        start = 0
        for number, length in zip(block.lead, lengths, strict=False):
            start = start * length + number
        start = start * (lengths[-1] if block.lead else 1) + block.start
        runs.append((start, block.values))
    no_fill = variable.special.get("_NoFill")
    is_stored = FILL_VALUE in variable.attributes or isinstance(variable.type, AtomicType)
    return Data(variable.type, shape, tuple(runs), fill_of(variable), is_stored and no_fill is None)


def stretches(dimensions: Sequence[DimensionDraft]) -> list[Stretch]:
    """Return the dimensions parted before each unlimited one but the first."""
    starts = [0, *(axis for axis, d in enumerate(dimensions) if axis and d.unlimited), len(dimensions)]
    return [tuple(dimensions[start:stop]) for start, stop in pairwise(starts)]


class _Reader:
    """One reading of a variable's values."""

    def __init__(self, lists: Lists, variable: VariableDraft) -> None:
        self.lists = lists
        self.tokens = lists.tokens
        self.variable = variable
        self.kind: NcType = variable.type
        self.fill = fill_of(variable)
        self.stretches = stretches(variable.dimensions)
        self.blocks: list[Block] = []

    def run(self) -> tuple[Block, ...]:
        if not self.variable.dimensions:
            self.scalar()
        elif len(self.stretches) == 1 and self.kind is CHAR and self.tokens.skip("{"):
            # Not needed, and yet ncgen takes braces around all rows of characters.
            self.values(())
            self.tokens.expect("}")
        else:
            self.braces(())
        return tuple(self.blocks)

    def scalar(self) -> None:
        at = self.tokens.peek().at
        if self.kind is CHAR:
            self.blocks += [Block((), 0, _chars(text)) for _, text in self.lists.rows((), self.char_fill())]
            return
        values = self.lists.array(self.kind, self.lists.elements(self.kind, self.fill), at)
        self.check(len(values), 1, at)
        self.blocks.append(Block((), 0, values))

    def braces(self, lead: tuple[int, ...]) -> None:
        """Read the list of a stretch: values in the last one, else a list in braces for each element."""
        level = len(lead)
        if level == len(self.stretches) - 1:
            self.values(lead)
            return
        count = 0
        at = self.tokens.peek().at
        while not (self.tokens.is_next(";") or self.tokens.is_next("}")):
            if count:
                self.tokens.expect(",", " or the end of the list")
            name = self.stretches[level + 1][0].name
            self.tokens.expect("{", f" in front of the values along unlimited dimension {name!r}")
            self.braces((*lead, count))
            self.tokens.expect("}", f" behind the values along unlimited dimension {name!r}")
            count += 1
        self.extend(self.stretches[level], count, at)

    def values(self, lead: tuple[int, ...]) -> None:
        """Read the values of the last stretch."""
        stretch = self.stretches[-1]
        at = self.tokens.peek().at
        if self.kind is CHAR:
            rows = self.rows(stretch)
            # A dump leaves out the NULs that a text ends in, and notes how long it is.
            noted = stretch[0].noted if len(stretch) == 1 and stretch[0].unlimited else None
            self.extend(stretch, max(end_of(rows), noted or 0), at)
            self.blocks += [Block(lead, start, _chars(text)) for start, text in rows if text]
            return
        values = self.lists.array(self.kind, self.lists.elements(self.kind, self.fill), at)
        self.extend(stretch, len(values), at)
        if len(values):
            self.blocks.append(Block(lead, 0, values))

    def rows(self, stretch: Stretch) -> tuple[Row, ...]:
        last = self.variable.dimensions[-1]
        width = None if last.unlimited or len(self.variable.dimensions) == 1 else last.size
        leader = stretch[0]
        length = leader.noted if leader.unlimited else leader.size
        expected = None if length is None else length * prod(d.size for d in stretch[1:])
        rows = rows_of(self.lists.texts(self.char_fill()), width, expected)
        # An empty row at the end is a row all the same.
        if rows and width is not None:
            rows = (*rows[:-1], (rows[-1][0], rows[-1][1] or self.char_fill()))
        return packed(rows, self.char_fill())

    def extend(self, stretch: Stretch, count: int, at: int) -> None:
        """Make an unlimited dimension long enough for as many elements; a fixed one must be."""
        leader, inner = stretch[0], prod(d.size for d in stretch[1:])
        if leader.unlimited:
            leader.size = max(leader.size, -(-count // max(1, inner)))
        else:
            self.check(count, leader.size * inner, at)

    def check(self, count: int, most: int, at: int) -> None:
        if count > most:
            what = "characters" if self.kind is CHAR else "values"
            raise Unexpected(at, f"expected at most {most} {what} for {self.variable.name!r}, found {count}")

    def char_fill(self) -> bytes:
        return self.fill if isinstance(self.fill, bytes) and self.fill else b"\0"


def _chars(text: bytes) -> np.ndarray[tuple[int], np.dtype[np.bytes_]]:
    return np.frombuffer(text, "S1")
