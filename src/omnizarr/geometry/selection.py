"""Selections with numpy's meaning, normalized to regions.

https://numpy.org/doc/stable/user/basics.indexing.html
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from operator import index as as_index
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import SelectionError
from omnizarr.geometry.grid import Axis
from omnizarr.geometry.region import Indices, Joint, Region, Selector


@dataclass(frozen=True, slots=True)
class Selection:
    """A normalized selection: the region to take, and how it becomes the result.

    Attributes
    ----------
    region
        What to take, with ascending slices.
    shape
        The shape of the result.
    flips
        Axes of the region's shape to reverse, for slices with a negative step.
    joint_shape, joint_at
        The shape that the points of `region.joint` take in the result, and before which of the
        region's other axes it stands.
    """

    region: Region
    shape: tuple[int, ...]
    flips: tuple[int, ...] = ()
    joint_shape: tuple[int, ...] = ()
    joint_at: int = 0

    def result(self, taken: NDArray[Any]) -> NDArray[Any]:
        """Return what the caller gets for the region's elements; a view where that is possible."""
        if self.flips:
            taken = np.flip(taken, self.flips)
        if self.region.joint is not None:
            taken = taken.reshape(self.joint_shape + taken.shape[1:])
            if self.joint_at:
                taken = np.moveaxis(taken, range(len(self.joint_shape)), self._joint_axes())
        return taken.reshape(self.shape)

    def region_view(self, result: NDArray[Any]) -> NDArray[Any]:
        """Return an array of the result's shape in the region's shape; a view where that is possible."""
        counts = self.region.shape
        if self.region.joint is not None:
            others = counts[1:]
            moved = others[: self.joint_at] + self.joint_shape + others[self.joint_at :]
            result = np.moveaxis(result.reshape(moved), self._joint_axes(), range(len(self.joint_shape)))
        result = result.reshape(counts)
        return np.flip(result, self.flips) if self.flips else result

    def _joint_axes(self) -> range:
        return range(self.joint_at, self.joint_at + len(self.joint_shape))


def select(selection: Any, shape: tuple[int, ...]) -> Selection:
    """Normalize what stands in `array[...]`: basic and advanced indexing as numpy has them.

    Raises
    ------
    SelectionError
        The selection does not fit the shape.
    """
    if isinstance(selection, bool | np.bool_) or _is_single_truth(selection):
        return _all_or_nothing(bool(selection), shape)
    items, gap = _expand(selection, shape)
    if any(isinstance(item, np.ndarray) for item in items):
        return _advanced(items, shape, gap)
    return _outer(items, shape)


def _is_single_truth(selection: Any) -> bool:
    return isinstance(selection, np.ndarray) and selection.dtype == bool and not selection.shape


def _all_or_nothing(wanted: bool, shape: tuple[int, ...]) -> Selection:
    """Normalize a mask of no dimensions, which numpy gives a new first axis: all of it once, or never."""
    everything = _outer([None, *(slice(None) for _ in shape)], shape)
    if wanted:
        return everything
    nothing = Joint((), (np.zeros(0, np.intp),))
    return Selection(Region(everything.region.axes, nothing), (0, *shape), joint_shape=(0,))


def select_orthogonal(selection: Any, shape: tuple[int, ...]) -> Selection:
    """Normalize what stands in `array.oindex[...]`: each axis by itself, also for index arrays."""
    items, _ = _expand(selection, shape, orthogonal=True)
    return _outer(items, shape)


def select_vectorized(selection: Any, shape: tuple[int, ...]) -> Selection:
    """Normalize what stands in `array.vindex[...]`: points; their shape comes first in the result."""
    items, _ = _expand(selection, shape)
    if not any(isinstance(item, np.ndarray) for item in items):
        items = [
            np.asarray(item) if not isinstance(item, slice) and item is not None else item for item in items
        ]
    if not any(isinstance(item, np.ndarray) for item in items):
        raise SelectionError("vindex: expected at least one integer, index array or mask, found slices only")
    return _advanced(items, shape, joint_first=True)


def select_mask(mask: Any, shape: tuple[int, ...]) -> Selection:
    """Normalize a boolean mask of the array's own shape."""
    mask = np.asarray(mask)
    if mask.dtype != bool or mask.shape != shape:
        raise SelectionError(f"expected a boolean mask of shape {shape}, found {mask.dtype} {mask.shape}")
    return select(mask, shape)


def select_blocks(selection: Any, shape: tuple[int, ...], axes: Sequence[Axis]) -> Selection:
    """Normalize what stands in `array.blocks[...]`: numbers of chunks along each axis."""
    counts = tuple(axis.count for axis in axes)
    items, _ = _expand(selection, counts)
    if None in items or any(isinstance(item, np.ndarray) for item in items):
        raise SelectionError("blocks: expected integers and slices of step 1")
    spans = [_block_span(i, item, axis) for i, (item, axis) in enumerate(zip(items, axes, strict=True))]
    return _outer(spans, shape)


def _block_span(number: int, item: Any, axis: Axis) -> slice:
    if not isinstance(item, slice):
        first = _position(item, axis.count, number)
        return axis.span(first)
    first, last, step = item.indices(axis.count)
    if step != 1:
        raise SelectionError(f"blocks: expected a step of 1 on axis {number}, found {step}")
    if last <= first:
        return slice(0, 0)
    return slice(axis.start(first), axis.span(last - 1).stop)


def _expand(selection: Any, shape: tuple[int, ...], orthogonal: bool = False) -> tuple[list[Any], int]:
    """Return one item for each axis (int, slice, index array) and None for each new axis.

    The second result is before which item an ellipsis stood for no axis at all; 0 where none did. To numpy
    it keeps the index arrays on either side of it apart.
    """
    items = list(selection) if isinstance(selection, tuple) else [selection]
    parsed: list[Any] = []
    for item in items:
        parsed.extend(_parse(item, len(shape), orthogonal))
    used = sum(item is not None and item is not Ellipsis for item in parsed)
    if used > len(shape):
        raise SelectionError(
            f"too many indices: the array has {len(shape)} dimensions, but {used} were indexed"
        )
    rest = [slice(None)] * (len(shape) - used)
    dots = [i for i, item in enumerate(parsed) if item is Ellipsis]
    if len(dots) > 1:
        raise SelectionError("an index can have one ellipsis ('...') only")
    expanded = parsed[: dots[0]] + rest + parsed[dots[0] + 1 :] if dots else parsed + rest
    _check_masks(items, expanded, shape)
    return expanded, dots[0] if dots and not rest else 0


def _parse(item: Any, ndim: int, orthogonal: bool) -> list[Any]:
    if item is None or item is Ellipsis or isinstance(item, slice | EllipsisType):
        return [item]
    if isinstance(item, bool | np.bool_):
        raise SelectionError("expected an integer, slice, index array or mask, found a single boolean")
    if not isinstance(item, np.ndarray | list | tuple | range) and not hasattr(item, "__array__"):
        return [_integer(item)]
    array = np.asarray(item)
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.intp)
    if array.dtype.kind == "b":
        if orthogonal and array.ndim != 1:
            raise SelectionError(f"oindex: expected a mask of one dimension, found {array.ndim}")
        return [_Mask.of(positions, array.shape[i]) for i, positions in enumerate(array.nonzero())]
    if array.dtype.kind not in "iu":
        raise SelectionError(f"expected integers or booleans as indices, found {array.dtype}")
    if array.ndim == 0:
        return [int(array)]
    if orthogonal and array.ndim != 1:
        raise SelectionError(f"oindex: expected index arrays of one dimension, found {array.ndim}")
    return [array.astype(np.intp, copy=False)]


class _Mask(np.ndarray):
    """Positions that a mask was true at, with the length that the mask had along their axis."""

    length: int

    @classmethod
    def of(cls, positions: Indices, length: int) -> _Mask:
        mask = positions.view(cls)
        mask.length = length
        return mask


def _check_masks(items: list[Any], expanded: list[Any], shape: tuple[int, ...]) -> None:
    for number, item in enumerate(item for item in expanded if item is not None):
        if isinstance(item, _Mask) and item.length != shape[number]:
            raise SelectionError(
                f"a mask of length {item.length} does not fit axis {number} of length {shape[number]}"
            )


def _integer(item: Any) -> int:
    try:
        return as_index(item)
    except TypeError:
        raise SelectionError(
            f"expected an integer, slice, ellipsis, None, index array or mask, found {type(item).__name__}"
        ) from None


def _position(item: int, length: int, axis: int) -> int:
    position = item + length if item < 0 else item
    if not 0 <= position < length:
        raise SelectionError(f"index {item} is out of bounds for axis {axis} of length {length}")
    return position


def _positions(item: NDArray[Any], length: int, axis: int) -> Indices:
    indices = item.view(np.ndarray)
    if indices.size and (indices.min() < -length or indices.max() >= length):
        wrong = indices[(indices < -length) | (indices >= length)].flat[0]
        raise SelectionError(f"index {wrong} is out of bounds for axis {axis} of length {length}")
    return np.where(indices < 0, indices + length, indices) if (indices < 0).any() else indices


def _outer(items: list[Any], shape: tuple[int, ...]) -> Selection:
    selectors: list[Selector] = []
    result: list[int] = []
    flips: list[int] = []
    for item in items:
        number = len(selectors)
        if item is None:
            result.append(1)
        elif isinstance(item, slice):
            selector, size, flipped = _ascending(item, shape[number])
            selectors.append(selector)
            result.append(size)
            if flipped:
                flips.append(number)
        elif isinstance(item, np.ndarray):
            selectors.append(_as_slice(_positions(item, shape[number], number)))
            result.append(item.size)
        else:
            at = _position(item, shape[number], number)
            selectors.append(slice(at, at + 1, 1))
    return Selection(Region(tuple(selectors)), tuple(result), tuple(flips))


def _ascending(item: slice, length: int) -> tuple[slice, int, bool]:
    """Return a slice as one with a positive step, its count, and whether it was turned round."""
    try:
        start, stop, step = item.indices(length)
    except (TypeError, ValueError) as error:
        raise SelectionError(f"{item}: {error}") from None
    size = len(range(start, stop, step))
    if size == 0:
        return slice(0, 0, 1), 0, False
    last = start + (size - 1) * step
    if step > 0:
        return slice(start, last + 1, step), size, False
    return slice(last, start + 1, -step), size, True


def _as_slice(indices: Indices) -> Selector:
    """Return indices as a slice where they ascend evenly."""
    if indices.size == 0:
        return slice(0, 0, 1)
    first, last = int(indices[0]), int(indices[-1])
    step = int(indices[1]) - first if indices.size > 1 else 1
    if step >= 1 and last == first + step * (indices.size - 1) and (np.diff(indices) == step).all():
        return slice(first, last + 1, step)
    return indices


def _advanced(items: list[Any], shape: tuple[int, ...], gap: int = 0, joint_first: bool = False) -> Selection:
    """Normalize index arrays that are broadcast together, as numpy does it: integers count among them."""
    joined = [i for i, item in enumerate(items) if item is not None and not isinstance(item, slice)]
    adjacent = joined[-1] - joined[0] + 1 == len(joined) and not joined[0] < gap <= joined[-1]
    arrays = [items[i] for i in joined if isinstance(items[i], np.ndarray)]
    if len(arrays) == 1 and arrays[0].ndim == 1 and adjacent and not joint_first:
        return _outer(items, shape)
    axis_of = np.cumsum([item is not None for item in items]) - 1
    points = [_positions(np.asarray(items[i]), shape[axis_of[i]], int(axis_of[i])) for i in joined]
    try:
        broadcast = np.broadcast_arrays(*points)
    except ValueError:
        shapes = ", ".join(str(point.shape) for point in points)
        raise SelectionError(f"index arrays of shapes {shapes} cannot be broadcast together") from None
    others = _outer([item for i, item in enumerate(items) if i not in joined], _drop(shape, axis_of[joined]))
    first = 0 if joint_first or not adjacent else joined[0]
    return _joined(tuple(int(a) for a in axis_of[joined]), broadcast, others, items[:first], len(shape))


def _drop(shape: tuple[int, ...], axes: Any) -> tuple[int, ...]:
    return tuple(length for i, length in enumerate(shape) if i not in axes)


def _joined(
    axes: tuple[int, ...], points: Sequence[Indices], others: Selection, before: list[Any], ndim: int
) -> Selection:
    rest = iter(others.region.axes)
    selectors = tuple(None if i in axes else next(rest) for i in range(ndim))
    shape = points[0].shape
    joint = Joint(axes, tuple(point.reshape(prod(shape)) for point in points))
    return Selection(
        Region(selectors, joint),
        others.shape[: len(before)] + shape + others.shape[len(before) :],
        tuple(axis + 1 for axis in others.flips),
        shape,
        sum(item is not None for item in before),
    )
