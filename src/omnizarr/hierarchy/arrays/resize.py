"""Changing an array's shape: which chunks are stored, and what lies outside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from omnizarr.engine.layout import Layout
from omnizarr.engine.write import write_region
from omnizarr.errors import SelectionError
from omnizarr.geometry.grid import Axis
from omnizarr.geometry.region import Region


def stored_chunks(layout: Layout) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the key and the coordinates of every chunk in the store that covers a part of the array."""
    for key, coords in _all_stored(layout):
        if all(i < axis.count for i, axis in zip(coords, layout.axes, strict=True)):
            yield key, coords


def sizes_of_chunks(layout: Layout) -> Iterator[int]:
    """Yield the bytes of every chunk in the store that covers a part of the array, as a listing has them."""
    ndim = len(layout.axes)
    if ndim == 0:
        size = layout.store.size(layout.key(()))
        yield from () if size is None else (size,)
        return
    for key, size in layout.store.list_sizes(layout.prefix):
        coords = layout.keys.coords(key[len(layout.prefix) :], ndim)
        if coords is not None and all(i < axis.count for i, axis in zip(coords, layout.axes, strict=True)):
            yield size


def _all_stored(layout: Layout) -> Iterator[tuple[str, tuple[int, ...]]]:
    ndim = len(layout.axes)
    if ndim == 0:
        key = layout.key(())
        if layout.store.exists(key):
            yield key, ()
        return
    for key in layout.store.list_prefix(layout.prefix):
        coords = layout.keys.coords(key[len(layout.prefix) :], ndim)
        if coords is not None:
            yield key, coords


def clear_outside(layout: Layout, shape: tuple[int, ...]) -> None:
    """Remove what an array of `layout` holds outside a smaller shape, so that growing shows fill values."""
    old = tuple(axis.length for axis in layout.axes)
    if all(new >= length for new, length in zip(shape, old, strict=True)):
        return
    axes = layout.grid.axes(shape)
    for key, coords in list(_all_stored(layout)):
        if any(i >= axis.count for i, axis in zip(coords, axes, strict=True)):
            layout.store.delete(key)
    # Edge chunks reach past the new end: what they hold there is set to the fill value.
    ends = [min(_end(axis), length) for axis, length in zip(axes, old, strict=True)]
    for number, (length, end) in enumerate(zip(shape, ends, strict=True)):
        if length < end:
            box = [slice(0, stop, 1) for stop in ends]
            box[number] = slice(length, end, 1)
            _clear(layout, Region(tuple(box)))


def _end(axis: Axis) -> int:
    return axis.start(axis.count - 1) + axis.extent(axis.count - 1) if axis.count else 0


def _clear(layout: Layout, region: Region) -> None:
    blank = replace(layout.chain.spec, shape=()).blank()
    write_region(layout, region, np.broadcast_to(blank, region.shape), write_empty=False)


def appended(shape: tuple[int, ...], added: tuple[int, ...], axis: int) -> tuple[tuple[int, ...], int]:
    """Return the shape after data of shape `added` were put at the end of an axis, and where they start."""
    fits = len(added) == len(shape) and -len(shape) <= axis < len(shape)
    if not fits or any(
        a != b for i, (a, b) in enumerate(zip(shape, added, strict=True)) if i != axis % len(shape)
    ):
        raise SelectionError(
            f"data of shape {added} cannot be appended along axis {axis} to an array of shape {shape}"
        )
    start = shape[axis]
    grown = list(shape)
    grown[axis] += added[axis]
    return tuple(grown), start
