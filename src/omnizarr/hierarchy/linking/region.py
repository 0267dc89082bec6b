"""Regions: what part of a dataset a reference means.

`docs/hdmf.md` defines the stored form: `{"slices": [[start, stop, step], …]}` with one for each axis, or
`{"points": [[index, …], …]}` with one index for each axis in each point.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from omnizarr.errors import SelectionError
from omnizarr.geometry.selection import select
from omnizarr.jsontypes import Json, JsonObject, Problems, inside, read_ints, read_list, read_object, shown

SLICES = "slices"
POINTS = "points"


@dataclass(frozen=True, slots=True)
class Slices:
    """A box with steps: start, stop and step along each axis.

    Raises
    ------
    ValueError
        A start is negative, a stop lies before its start, or a step is less than 1.
    """

    axes: tuple[tuple[int, int, int], ...]

    def __post_init__(self) -> None:
        for axis, (start, stop, step) in enumerate(self.axes):
            if not 0 <= start <= stop or step < 1:
                found = shown([start, stop, step])
                raise ValueError(f"axis {axis}: expected 0 ≤ start ≤ stop and step ≥ 1, found {found}")

    def selection(self, shape: tuple[int, ...]) -> tuple[Any, ...]:
        """Return a slice for each axis; SelectionError where they do not fit the shape."""
        if len(self.axes) != len(shape):
            raise _misfit(SLICES, f"{len(shape)}, one for each axis, found {len(self.axes)}")
        for axis, ((_, stop, _), length) in enumerate(zip(self.axes, shape, strict=True)):
            if stop > length:
                raise _misfit(
                    f"{SLICES}[{axis}][1]", f"at most {length}, the length of the axis, found {stop}"
                )
        return tuple(slice(*axis) for axis in self.axes)

    def to_json(self) -> JsonObject:
        """Return the stored form."""
        return {SLICES: [list(axis) for axis in self.axes]}


@dataclass(frozen=True, slots=True)
class Points:
    """Single elements, in their order: the index along each axis of each.

    Raises
    ------
    ValueError
        An index is negative, or points have different numbers of indices, or none.
    """

    points: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        for number, point in enumerate(self.points):
            if not point or len(point) != len(self.points[0]) or min(point) < 0:
                expected = f"{len(self.points[0])} indices" if self.points[0] else "an index for each axis"
                raise ValueError(
                    f"point {number}: expected {expected} of at least 0, found {shown(list(point))}"
                )

    def selection(self, shape: tuple[int, ...]) -> tuple[Any, ...]:
        """Return an array of indices for each axis; SelectionError where they do not fit the shape."""
        if not shape:
            raise _misfit(POINTS, "none, as the dataset has no axes")
        for number, point in enumerate(self.points):
            if len(point) != len(shape):
                raise _misfit(
                    f"{POINTS}[{number}]", f"{len(shape)} indices, one for each axis, found {len(point)}"
                )
            for axis, (index, length) in enumerate(zip(point, shape, strict=True)):
                if index >= length:
                    raise _misfit(f"{POINTS}[{number}][{axis}]", f"less than {length}, found {index}")
        indices = np.array(self.points, dtype=np.intp).reshape(len(self.points), len(shape))
        return tuple(np.ascontiguousarray(axis) for axis in indices.T)

    def to_json(self) -> JsonObject:
        """Return the stored form."""
        return {POINTS: [list(point) for point in self.points]}


Region: TypeAlias = Slices | Points


def region_of(selection: Any, shape: tuple[int, ...]) -> Region:
    """Return what a selection means in a dataset of a shape: slices where these can say it, points elsewhere.

    Parameters
    ----------
    selection
        As numpy has it: integers, slices, ellipsis, masks, index arrays; or the region itself.

    Raises
    ------
    SelectionError
        The selection does not fit the shape.
    """
    if isinstance(selection, Slices | Points):
        selection.selection(shape)
        return selection
    items = _per_axis(selection, shape)
    if items is not None:
        return Slices(tuple(map(_ascending, items)))
    return _points(selection, shape)


def _per_axis(selection: Any, shape: tuple[int, ...]) -> list[range] | None:
    """Return the indices of each axis, where the selection is of integers, forward slices and an ellipsis."""
    items = list(selection) if isinstance(selection, tuple) else [selection]
    if not all(item is Ellipsis or isinstance(item, slice | int | np.integer) for item in items):
        return None
    if any(isinstance(item, bool) for item in items):
        return None
    select(selection, shape)  # says what does not fit
    at = items.index(Ellipsis) if Ellipsis in items else len(items)
    after = items[at + 1 :]
    whole = [slice(None)] * (len(shape) - at - len(after))
    ranges = [_range(item, length) for item, length in zip([*items[:at], *whole, *after], shape, strict=True)]
    return ranges if all(one.step > 0 for one in ranges) else None


def _range(item: Any, length: int) -> range:
    if isinstance(item, slice):
        return range(*item.indices(length))
    start = int(item) % length
    return range(start, start + 1)


def _ascending(indices: range) -> tuple[int, int, int]:
    if not indices:
        return 0, 0, 1
    return indices.start, indices[-1] + 1, indices.step if len(indices) > 1 else 1


def _points(selection: Any, shape: tuple[int, ...]) -> Points:
    select(selection, shape)  # says what does not fit
    axes = np.indices(shape, sparse=True)
    chosen = [np.broadcast_to(axis, shape)[selection].ravel() for axis in axes]
    return Points(tuple(zip(*(axis.tolist() for axis in chosen), strict=True)))


def read_region(value: Json, at: str, problems: Problems) -> Region | None:
    """Narrow to a region; None, and a problem, where it is none."""
    ours = Problems()
    found = _read_region(value, at, ours)
    problems.include("", ours)
    return found


def _read_region(value: Json, at: str, problems: Problems) -> Region | None:
    fields = read_object(value, at, problems, optional=(SLICES, POINTS))
    if not problems and len(fields) != 1:
        problems.add(at, f"expected one of {SLICES} and {POINTS}, found {shown(list(fields))}")
    if problems:
        return None
    ((kind, value),) = fields.items()
    place = inside(at, kind)
    items = read_list(value, place, problems)
    found = [read_ints(item, f"{place}[{number}]", problems) for number, item in enumerate(items)]
    if problems:
        return None
    try:
        return _slices(found) if kind == SLICES else Points(tuple(found))
    except ValueError as error:
        problems.add(place, str(error))
        return None


def _slices(found: Iterable[tuple[int, ...]]) -> Slices:
    axes = []
    for axis, numbers in enumerate(found):
        if len(numbers) not in (2, 3):
            raise ValueError(
                f"axis {axis}: expected [start, stop] or [start, stop, step], found {list(numbers)}"
            )
        start, stop, step = (*numbers, 1)[:3]
        axes.append((start, stop, step))
    return Slices(tuple(axes))


def _misfit(at: str, expected: str) -> SelectionError:
    return SelectionError(f"region.{at}: expected {expected}")
