"""Lists of values in CDL: read by their type, and kept as runs of what is given.

What a list leaves out is the fill value, which takes no memory here: a list of three values for a
variable of a billion elements is three values.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.netcdf.model.items import Item, to_numpy
from omnizarr.netcdf.model.types import CHAR, AtomicType, Compound, Enum, NcType, Opaque, Vlen

AnyArray: TypeAlias = NDArray[Any]

# How many elements may stand between two runs that are made one.
_GAP = 4096
_RUN_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Block:
    """Values in a row, as they stand in the text.

    Attributes
    ----------
    lead
        The number of the brace that they stand in, one for each unlimited dimension but the first.
    start
        The number of the first one within the brace.
    """

    lead: tuple[int, ...]
    start: int
    values: AnyArray


@dataclass(frozen=True, slots=True)
class Data:
    """The values of a variable: runs of elements by their number in C order.

    Attributes
    ----------
    fill
        What the elements hold that are in no run.
    is_stored
        Whether an element that is never written reads as `fill`.
    """

    kind: NcType
    shape: tuple[int, ...]
    runs: tuple[tuple[int, AnyArray], ...]
    fill: Item
    is_stored: bool

    def array(self) -> AnyArray:
        """Return all values; a scalar's is an array of no dimensions."""
        found = filled(self.kind, self.fill, prod(self.shape))
        for start, values in self.runs:
            found[start : start + len(values)] = values
        return found.reshape(self.shape)

    def merged(self) -> Iterator[tuple[int, AnyArray]]:
        """Yield the runs; those with little between them as one, with the fill value in between."""
        waiting: list[tuple[int, AnyArray]] = []
        count = 0
        for start, values in self.runs:
            first = waiting[0][0] if waiting else start
            stop = start + len(values)
            count += len(values)
            if waiting and (stop - first > 2 * count + _GAP or (stop - first) * self.kind.size > _RUN_BYTES):
                yield self._joined(waiting)
                waiting, count = [], len(values)
            waiting.append((start, values))
        if waiting:
            yield self._joined(waiting)

    def missing(self) -> Iterator[tuple[int, int]]:
        """Yield (start, stop) of the elements that are in no run."""
        at = 0
        for start, values in self.runs:
            if start > at:
                yield at, start
            at = start + len(values)
        if at < prod(self.shape):
            yield at, prod(self.shape)

    def _joined(self, runs: Sequence[tuple[int, AnyArray]]) -> tuple[int, AnyArray]:
        first, (last, tail) = runs[0][0], runs[-1]
        if len(runs) == 1:
            return first, tail
        found = filled(self.kind, self.fill, last + len(tail) - first)
        for start, values in runs:
            found[start - first : start - first + len(values)] = values
        return first, found


def filled(kind: NcType, fill: Item, count: int) -> AnyArray:
    """Return as many elements, all with one value."""
    if isinstance(kind, Vlen):
        found = np.empty(count, object)
        for at in range(count):
            found[at] = to_numpy(kind, [fill])[0]
        return found
    return np.repeat(to_numpy(kind, [fill]), count)


def filler(kind: NcType) -> Item:
    """Return what `ncgen` takes for a value that a list leaves out, where no `_FillValue` says it.

    For types of the user it is made of the default fill values of what they are made of.
    """
    match kind:
        case AtomicType():
            return kind.default_fill
        case Enum(members=members):
            values = [value for _, value in members]
            return 0 if 0 in values or not values else values[0]
        case Opaque():
            return kind.default_fill
        case Vlen(base=base):
            return () if base is CHAR else (filler(base),)
        case Compound(fields=fields):
            return tuple(
                (filler(field.type),) * prod(field.shape) if field.shape else filler(field.type)
                for field in fields
            )


def regions(
    shape: Sequence[int], start: int, values: AnyArray
) -> Iterator[tuple[tuple[slice, ...], AnyArray]]:
    """Yield the regions of an array that a run of values makes, and the values of each in its shape."""
    at = 0
    for box, count in boxes(shape, start, start + len(values)):
        yield box, values[at : at + count].reshape(tuple(part.stop - part.start for part in box))
        at += count


def boxes(shape: Sequence[int], start: int, stop: int) -> Iterator[tuple[tuple[slice, ...], int]]:
    """Yield the boxes that a range of elements in C order makes, and how many elements each has."""
    if start >= stop:
        return
    if not shape:
        yield (), 1
        return
    inner = prod(shape[1:])
    first, behind = divmod(start, inner)
    last, rest = divmod(stop, inner)
    if behind:
        end = min(inner, stop - first * inner)
        yield from _inside(first, shape, behind, end)
        first += 1
    if last > first:
        yield (slice(first, last), *(slice(0, size) for size in shape[1:])), (last - first) * inner
    if rest and last >= first:
        yield from _inside(last, shape, 0, rest)


def _inside(row: int, shape: Sequence[int], start: int, stop: int) -> Iterator[tuple[tuple[slice, ...], int]]:
    for box, count in boxes(shape[1:], start, stop):
        yield (slice(row, row + 1), *box), count
