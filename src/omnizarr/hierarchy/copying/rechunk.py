"""Which blocks to copy, one after another, from one chunk grid to another within bounded memory.

A block is made of whole chunks of the target, so that no chunk is written twice. Chunks of the source
that reach into several blocks are decoded once for each; blocks grow, as far as memory allows, in the
directions that save most of that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import lcm, prod

import numpy as np
from numpy.typing import NDArray

from omnizarr.geometry.grid import Axis, RegularAxis

# Blocks of this size hide what a block costs; larger ones only make progress coarser.
GOOD_BLOCK = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks that cover an array, each made of whole chunks of the target.

    Attributes
    ----------
    cuts
        For each axis, where blocks begin, and the axis's length.
    chunks
        For each axis, the number of the first target chunk of each block, and the number of chunks.
    decodes
        How often a chunk of the source is decoded, on average.
    """

    cuts: tuple[tuple[int, ...], ...]
    chunks: tuple[tuple[int, ...], ...]
    decodes: float

    def __len__(self) -> int:
        return prod(len(axis) - 1 for axis in self.cuts)

    def __iter__(self) -> Iterator[tuple[tuple[slice, ...], tuple[range, ...]]]:
        """Yield each block as slices of the array, and as ranges of target chunks."""
        for at in product(*(range(len(axis) - 1) for axis in self.cuts)):
            yield (
                tuple(slice(axis[i], axis[i + 1]) for axis, i in zip(self.cuts, at, strict=True)),
                tuple(range(axis[i], axis[i + 1]) for axis, i in zip(self.chunks, at, strict=True)),
            )

    def extents(self) -> tuple[int, ...]:
        """Return the largest length of a block along each axis."""
        return tuple(max(np.diff(axis).tolist(), default=0) for axis in self.cuts)

    def largest(self) -> int:
        """Return the number of elements of the largest block."""
        return prod(self.extents())


def plan_blocks(
    source: Sequence[Axis], target: Sequence[Axis], itemsize: int, limit: int, good: int = GOOD_BLOCK
) -> Blocks:
    """Return blocks of at most `limit` bytes, or of one target chunk where that is larger.

    Parameters
    ----------
    source, target
        How each axis of the one array is cut, on both sides.
    itemsize
        Bytes of an element in memory.
    good
        Bytes from which on blocks grow only where that saves decoding.
    """
    axes = [_AxisPlan(s, t) for s, t in zip(source, target, strict=True)]
    counts = [1] * len(axes)
    while (better := _grown(axes, counts, itemsize, limit)) is not None:
        counts = better
    counts = _filled(axes, counts, itemsize, limit)
    while (larger := _enlarged(axes, counts, itemsize, min(limit, good))) is not None:
        counts = larger
    return Blocks(
        tuple(axis.cuts(count) for axis, count in zip(axes, counts, strict=True)),
        tuple(axis.chunks(count) for axis, count in zip(axes, counts, strict=True)),
        prod(axis.decodes(count) for axis, count in zip(axes, counts, strict=True)),
    )


class _AxisPlan:
    """One axis: what blocks of so many target chunks would cost."""

    __slots__ = ("_count", "_source", "_starts", "_steps")

    def __init__(self, source: Axis, target: Axis) -> None:
        self._source = source
        self._count = target.count
        self._starts: NDArray[np.int64] = np.append(
            np.fromiter((target.start(i) for i in range(target.count)), np.int64, target.count),
            target.length,
        )
        self._steps = _steps(source, target)

    def cuts(self, count: int) -> tuple[int, ...]:
        return tuple(self._starts[list(self.chunks(count))].tolist())

    def chunks(self, count: int) -> tuple[int, ...]:
        return (*range(0, self._count, count), self._count) if self._count else (0,)

    def extent(self, count: int) -> int:
        """Return the length of the longest block."""
        if not self._count:
            return 0
        return int(np.diff(self._starts[list(self.chunks(count))]).max())

    def decodes(self, count: int) -> float:
        """Return how many blocks a source chunk reaches into, on average."""
        if not self._count:
            return 1.0
        cuts = self.cuts(count)
        touched = sum(
            self._source.chunk_of(stop - 1) - self._source.chunk_of(start) + 1
            for start, stop in pairwise(cuts)
        )
        return touched / max(1, self._source.count)

    def larger(self, count: int) -> list[int]:
        """Return the numbers of chunks to try next: twice as many, aligned with the source, all."""
        return sorted({step for step in (2 * count, *self._steps) if count < step <= self._count})


def _steps(source: Axis, target: Axis) -> tuple[int, ...]:
    if not target.count:
        return ()
    if isinstance(source, RegularAxis) and isinstance(target, RegularAxis):
        aligned = lcm(source.size, target.size) // target.size
        return (aligned, -(-source.size // target.size), target.count)
    return (target.count,)


def _grown(axes: Sequence[_AxisPlan], counts: list[int], itemsize: int, limit: int) -> list[int] | None:
    """Return the counts that save most decoding for their size, or None where nothing saves any."""
    size = _size(axes, counts, itemsize)
    best, gain = None, 0.0
    for i, axis in enumerate(axes):
        now = axis.decodes(counts[i])
        for count in axis.larger(counts[i]) if now > 1 else ():
            tried = [*counts[:i], count, *counts[i + 1 :]]
            growth = _size(axes, tried, itemsize) / max(1, size)
            saved = np.log(now / axis.decodes(count)) / np.log(max(growth, 1.001))
            if size * growth <= limit and saved > gain + 1e-9:
                best, gain = tried, float(saved)
    return best


def _filled(axes: Sequence[_AxisPlan], counts: list[int], itemsize: int, limit: int) -> list[int]:
    """Return the counts stretched as far as memory allows where that saves decoding."""
    for i, axis in enumerate(axes):
        rest = max(1, _size(axes, [*counts[:i], 1, *counts[i + 1 :]], itemsize))
        most = max(counts[i], min(limit // rest, axis.larger(counts[i])[-1] if axis.larger(counts[i]) else 0))
        tried = [*counts[:i], most, *counts[i + 1 :]]
        if _size(axes, tried, itemsize) <= limit and axis.decodes(most) < axis.decodes(counts[i]):
            counts = tried
    return counts


def _enlarged(axes: Sequence[_AxisPlan], counts: list[int], itemsize: int, limit: int) -> list[int] | None:
    """Return counts that fill a block better without more decoding, the last axis first."""
    for i in reversed(range(len(axes))):
        now = axes[i].decodes(counts[i])
        for count in reversed(axes[i].larger(counts[i])):
            tried = [*counts[:i], count, *counts[i + 1 :]]
            if _size(axes, tried, itemsize) <= limit and axes[i].decodes(count) <= now:
                return tried
    return None


def _size(axes: Sequence[_AxisPlan], counts: Sequence[int], itemsize: int) -> int:
    return itemsize * prod(axis.extent(count) for axis, count in zip(axes, counts, strict=True))
