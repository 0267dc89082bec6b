"""Plans: which chunks a region touches, which part of each, and where it goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from omnizarr.geometry.grid import Axis, RegularAxis
from omnizarr.geometry.region import Indices, Joint, Region, Selector


class Part(NamedTuple):
    """One chunk of a plan.

    Attributes
    ----------
    coords
        The chunk's coordinates in the grid.
    region
        What to take of the chunk.
    place
        Where it goes: an index into an array of the planned region's shape. Index arrays in it are
        to be read as an outer product.
    whole
        Whether the region takes every element of the chunk. A chunk that reaches past the end of the
        array is never whole: others may have made the array longer.
    """

    coords: tuple[int, ...]
    region: Region
    place: tuple[Any, ...]
    whole: bool


class AxisPlan(NamedTuple):
    """The chunks that a selector touches along one axis: columns of equal length."""

    chunks: list[int]
    inner: list[Selector]
    outer: list[Selector]
    whole: list[bool]


class Plan(NamedTuple):
    """A region cut along the chunks of a grid."""

    axes: tuple[AxisPlan, ...]
    joint: Sequence[Part] | None = None

    def __len__(self) -> int:
        total = 1 if self.joint is None else len(self.joint)
        for axis in self.axes:
            total *= len(axis.chunks)
        return total

    @property
    def has_whole(self) -> bool:
        """Whether some chunk is taken whole."""
        return self.joint is None and all(True in axis.whole for axis in self.axes)

    def parts(self) -> Iterator[Part]:
        """Yield the chunks, in C order where there are no points."""
        if self.joint is not None:
            yield from self._joint_parts()
            return
        # Four products of plain columns: 0.5 µs a chunk, against 2.5 µs for a product of records.
        columns = zip(
            product(*(axis.chunks for axis in self.axes)),
            product(*(axis.inner for axis in self.axes)),
            product(*(axis.outer for axis in self.axes)),
            product(*(axis.whole for axis in self.axes)),
            strict=True,
        )
        for coords, inner, outer, whole in columns:
            yield Part(coords, Region(inner), outer, False not in whole)

    def _joint_parts(self) -> Iterator[Part]:
        assert self.joint is not None
        for points in self.joint:
            joint = points.region.joint
            assert joint is not None
            for coords, inner, outer, _ in Plan(self.axes).parts():
                yield Part(
                    _merge(points.coords, joint.axes, coords),
                    Region(_merge((None,) * len(joint.axes), joint.axes, inner.axes), joint),
                    points.place + outer,
                    False,
                )


def plan(region: Region, axes: Sequence[Axis]) -> Plan:
    """Cut a region along the chunks of a grid."""
    planned = tuple(
        _plan_axis(selector, axis)
        for selector, axis in zip(region.axes, axes, strict=True)
        if selector is not None
    )
    if region.joint is None:
        return Plan(planned)
    return Plan(planned, _plan_joint(region.joint, [axes[i] for i in region.joint.axes]))


def _plan_axis(selector: Selector, axis: Axis) -> AxisPlan:
    if isinstance(selector, slice):
        return _plan_slice(selector, axis)
    return _plan_indices(selector, axis)


def _plan_slice(selector: slice, axis: Axis) -> AxisPlan:
    chunks: list[int] = []
    inner: list[Selector] = []
    outer: list[Selector] = []
    whole: list[bool] = []
    at, stop, step = selector.start, selector.stop, selector.step
    done = 0
    while at < stop:
        chunk, inside, extent = axis.locate(at)
        end = min(inside + stop - at, extent)
        taken = (end - inside + step - 1) // step
        chunks.append(chunk)
        inner.append(slice(inside, inside + (taken - 1) * step + 1, step))
        outer.append(slice(done, done + taken, 1))
        whole.append(taken == extent)
        done += taken
        at += taken * step
    return AxisPlan(chunks, inner, outer, whole)


def _plan_indices(indices: Indices, axis: Axis) -> AxisPlan:
    numbers = _chunks_of(indices, axis)
    order = None if (np.diff(numbers) >= 0).all() else np.argsort(numbers, kind="stable")
    if order is not None:
        indices, numbers = indices[order], numbers[order]
    chunks: list[int] = []
    inner: list[Selector] = []
    outer: list[Selector] = []
    for first, last in _runs(numbers):
        chunk = int(numbers[first])
        chunks.append(chunk)
        inner.append(indices[first:last] - axis.start(chunk))
        outer.append(slice(first, last, 1) if order is None else order[first:last])
    return AxisPlan(chunks, inner, outer, [False] * len(chunks))


def _plan_joint(joint: Joint, axes: Sequence[Axis]) -> list[Part]:
    if not joint.indices[0].size:
        return []
    columns = [_chunks_of(indices, axis) for indices, axis in zip(joint.indices, axes, strict=True)]
    counts = tuple(max(axis.count, 1) for axis in axes)
    numbers = np.ravel_multi_index(columns, counts)
    order = np.argsort(numbers, kind="stable")
    sorted_numbers = numbers[order]
    parts = []
    for first, last in _runs(sorted_numbers):
        chosen = order[first:last]
        coords = tuple(int(column[chosen[0]]) for column in columns)
        starts = [axis.start(chunk) for axis, chunk in zip(axes, coords, strict=True)]
        inner = tuple(indices[chosen] - start for indices, start in zip(joint.indices, starts, strict=True))
        parts.append(Part(coords, Region((), Joint(joint.axes, inner)), (chosen,), False))
    return parts


def _chunks_of(indices: Indices, axis: Axis) -> Indices:
    if isinstance(axis, RegularAxis):
        return indices // axis.size
    return np.searchsorted(np.asarray(axis.starts), indices, side="right") - 1


def _runs(numbers: Indices) -> list[tuple[int, int]]:
    """Return where runs of equal numbers begin and end."""
    if not numbers.size:
        return []
    cuts = (np.flatnonzero(np.diff(numbers)) + 1).tolist()
    return list(zip([0, *cuts], [*cuts, len(numbers)], strict=True))


def _merge(special: tuple[Any, ...], axes: tuple[int, ...], others: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a tuple with `special` at `axes` and `others` at the axes between."""
    rest = iter(others)
    at = dict(zip(axes, special, strict=True))
    return tuple(at[i] if i in at else next(rest) for i in range(len(axes) + len(others)))
