"""Regions: the canonical form of a selection, and how blocks of memory are cut by it."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Indices: TypeAlias = NDArray[np.intp]
# A slice has a start, a stop and a step, all of them given, start >= 0 and step >= 1;
# it stops right behind its last element.
Selector: TypeAlias = slice | Indices


class Joint(NamedTuple):
    """Points: index arrays of one length, for several axes taken together."""

    axes: tuple[int, ...]
    indices: tuple[Indices, ...]


class Region(NamedTuple):
    """What to take of a box: an outer product of selectors, one for each axis.

    The axes of `joint` have no selector of their own (None); its points are the first axis of what is
    taken, and the others follow in their order. Where there is a `joint`, all selectors are slices.
    """

    axes: tuple[Selector | None, ...]
    joint: Joint | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what is taken."""
        counts = tuple(count(axis) for axis in self.axes if axis is not None)
        return counts if self.joint is None else (len(self.joint.indices[0]), *counts)

    @property
    def is_box(self) -> bool:
        """Whether every selector is a slice."""
        for axis in self.axes:  # half the time of `all`
            if type(axis) is not slice:
                return False
        return self.joint is None


def count(selector: Selector) -> int:
    """Return how many elements of an axis a selector takes."""
    if isinstance(selector, slice):
        return len(range(selector.start, selector.stop, selector.step))
    return len(selector)


def take(block: NDArray[Any], region: Region) -> NDArray[Any]:
    """Return the region of a block; a view where every selector is a slice."""
    if region.joint is not None:
        return _joint_view(block, region)[_joint_index(region)]  # type: ignore[no-any-return]
    arrays = [i for i, axis in enumerate(region.axes) if not isinstance(axis, slice)]
    if len(arrays) <= 1:
        return block[(*region.axes, ...)]
    block = block[tuple(axis if isinstance(axis, slice) else slice(None) for axis in region.axes)]
    for i in arrays:
        block = block.take(region.axes[i], axis=i)  # type: ignore[arg-type]
    return block


def put(block: NDArray[Any], region: Region, values: NDArray[Any]) -> None:
    """Assign the region of a block; where an element is taken twice, the last value stays."""
    if region.joint is not None:
        _joint_view(block, region)[_joint_index(region)] = values
    else:
        block[numpy_index(region.axes)] = values


def numpy_index(selectors: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return selectors as an index that numpy reads as an outer product."""
    arrays = 0
    for selector in selectors:  # a third of the time of `sum`, and this is asked for each chunk
        arrays += type(selector) is not slice
    if arrays <= 1:
        return selectors
    return np.ix_(
        *(
            np.arange(selector.start, selector.stop, selector.step)
            if isinstance(selector, slice)
            else selector
            for selector in selectors
        )
    )


def _joint_view(block: NDArray[Any], region: Region) -> NDArray[Any]:
    assert region.joint is not None
    first = region.joint.axes
    return block.transpose(*first, *(i for i in range(block.ndim) if i not in first))


def _joint_index(region: Region) -> tuple[Any, ...]:
    assert region.joint is not None
    return (*region.joint.indices, *(axis for axis in region.axes if axis is not None))
