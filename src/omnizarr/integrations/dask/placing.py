"""Where a dask array goes: the part of a stored array that each of its blocks is written to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from omnizarr.errors import SelectionError
from omnizarr.geometry.blocks import Blocks, aligned_sizes
from omnizarr.geometry.grid import Axis
from omnizarr.hierarchy.array import Array
from omnizarr.store.base import Store

Place: TypeAlias = tuple[int | range, ...]
"""For each axis of the stored array: an index, or those that an axis of the dask array goes to."""


@dataclass(frozen=True, slots=True)
class Target:
    """An array to store in; `reopen` opens it again for reading, where it was opened for that alone."""

    array: Array
    reopen: Callable[[], Array] | None = None

    @property
    def store_to_close(self) -> Store | None:
        """The store, unless it is the caller's."""
        return None if self.reopen is None else self.array.store

    def close(self) -> None:
        """Close the store, unless it is the caller's."""
        if self.reopen is not None:
            self.array.store.close()

    def reopened(self) -> Array:
        """Return the array for reading, after the store was closed."""
        return self.array if self.reopen is None else self.reopen()


@dataclass(frozen=True, slots=True)
class Placed:
    """A dask array, and where it goes.

    Attributes
    ----------
    source
        The dask array.
    target
        What it is stored in.
    place
        The part of the target; it has the shape of the source.
    """

    source: Any
    target: Target
    place: Place

    @property
    def axes(self) -> list[tuple[int, Axis, range]]:
        """For each axis of the source: which one of the target it is, its stored grid, and its part of it."""
        grid = self.target.array.layout.axes
        return [
            (number, grid[number], part) for number, part in enumerate(self.place) if isinstance(part, range)
        ]

    @property
    def blocks(self) -> Blocks:
        """The sizes of the source's blocks along each axis."""
        found: Blocks = self.source.chunks
        return found

    def aligned(self) -> Placed:
        """Return the same with blocks of which no two share a stored chunk."""
        sizes = tuple(
            aligned_sizes(found, axis, part)
            for found, (_, axis, part) in zip(self.blocks, self.axes, strict=True)
        )
        return self if sizes == self.blocks else replace(self, source=self.source.rechunk(sizes))


def placed(source: Any, target: Target, region: Any) -> Placed:
    """Return where a dask array goes.

    Parameters
    ----------
    region
        None for the whole target, or what would select as much in numpy: slices with any step, and numbers,
        for each axis; axes that are left out, or that an ellipsis stands for, are whole.

    Raises
    ------
    SelectionError
        The region is none, or has another shape than the dask array.
    """
    array = target.array
    items = zip(_items(region, array), array.shape, strict=True)
    place = tuple(_part(item, length, axis) for axis, (item, length) in enumerate(items))
    shape = tuple(len(part) for part in place if isinstance(part, range))
    if shape != source.shape:
        where = "it" if region is None else f"its region {region!r}"
        message = f"a dask array of shape {source.shape} does not fit {array!r}: {where} has shape {shape}"
        raise SelectionError(message)
    return Placed(source, target, place)


def _items(region: Any, array: Array) -> list[Any]:
    """Return an item for each axis."""
    items = [] if region is None else list(region) if isinstance(region, tuple) else [region]
    gap = next((number for number, item in enumerate(items) if item is ...), len(items))
    before, after = items[:gap], items[gap + 1 :]
    missing = array.ndim - len(before) - len(after)
    if missing < 0 or ... in after:
        raise SelectionError(f"a region of {array!r} has {array.ndim} axes at most, found {region!r}")
    return [*before, *[slice(None)] * missing, *after]


def _part(item: Any, length: int, axis: int) -> int | range:
    try:
        found: int | range = range(length)[item]
        return found
    except TypeError:
        raise SelectionError(
            f"region: expected a slice or a number for axis {axis}, found {item!r}"
        ) from None
    except IndexError:
        raise SelectionError(f"region: axis {axis} has {length} elements, found index {item}") from None


def selection_of(place: Place, block: Sequence[slice]) -> tuple[int | slice, ...]:
    """Return what a block of a source selects in the target."""
    parts = iter(block)
    return tuple(part if isinstance(part, int) else _as_slice(part[next(parts)]) for part in place)


def _as_slice(part: range) -> slice:
    stop = part.stop if part.stop >= 0 else None  # a range may end before the first element
    return slice(part.start, stop, part.step)
