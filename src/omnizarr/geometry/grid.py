"""Chunk grids: how the axes of an array are cut.

https://zarr-specs.readthedocs.io/en/latest/v3/chunk-grids/regular-grid/index.html
https://github.com/zarr-developers/zarr-extensions/tree/main/chunk-grids/rectilinear
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class RegularAxis:
    """An axis cut into chunks of one size; the last one may reach past the end."""

    length: int
    size: int

    @property
    def count(self) -> int:
        """The number of chunks."""
        return -(-self.length // self.size)

    def chunk_of(self, index: int) -> int:
        """Return the number of the chunk that holds an index."""
        return index // self.size

    def locate(self, index: int) -> tuple[int, int, int]:
        """Return the chunk that holds an index, the place in it, and how long it is stored."""
        chunk, inside = divmod(index, self.size)
        return chunk, inside, self.size

    def start(self, chunk: int) -> int:
        """Return the first index of a chunk."""
        return chunk * self.size

    def extent(self, chunk: int) -> int:
        """Return the length of a chunk as it is stored, which may reach past the end of the axis."""
        return self.size

    def span(self, chunk: int) -> slice:
        """Return the part of the axis that a chunk holds, without what reaches past the end."""
        return slice(chunk * self.size, min((chunk + 1) * self.size, self.length), 1)


@dataclass(frozen=True, slots=True)
class IrregularAxis:
    """An axis cut at given places; `starts` has one more item than there are chunks."""

    length: int
    starts: tuple[int, ...]

    @property
    def count(self) -> int:
        """The number of chunks that hold a part of the axis."""
        return bisect_right(self.starts, self.length - 1) if self.length else 0

    def chunk_of(self, index: int) -> int:
        """Return the number of the chunk that holds an index."""
        return bisect_right(self.starts, index) - 1

    def locate(self, index: int) -> tuple[int, int, int]:
        """Return the chunk that holds an index, the place in it, and how long it is stored."""
        chunk = self.chunk_of(index)
        return chunk, index - self.starts[chunk], self.extent(chunk)

    def start(self, chunk: int) -> int:
        """Return the first index of a chunk."""
        return self.starts[chunk]

    def extent(self, chunk: int) -> int:
        """Return the length of a chunk as it is stored, which may reach past the end of the axis."""
        return self.starts[chunk + 1] - self.starts[chunk]

    def span(self, chunk: int) -> slice:
        """Return the part of the axis that a chunk holds, without what reaches past the end."""
        return slice(self.starts[chunk], min(self.starts[chunk + 1], self.length), 1)


Axis: TypeAlias = RegularAxis | IrregularAxis


@dataclass(frozen=True, slots=True)
class RegularGrid:
    """Chunks of one shape; those at the edges are stored whole."""

    chunk_shape: tuple[int, ...]

    def axes(self, shape: tuple[int, ...]) -> tuple[RegularAxis, ...]:
        """Return how each axis of an array of this shape is cut."""
        return tuple(map(RegularAxis, shape, self.chunk_shape))

    def extent(self, coords: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of a chunk as it is stored."""
        return self.chunk_shape


@dataclass(frozen=True, slots=True)
class RectilinearGrid:
    """Chunks whose sizes are given axis by axis: one size for all, or the size of each."""

    chunk_shapes: tuple[int | tuple[int, ...], ...]

    def axes(self, shape: tuple[int, ...]) -> tuple[Axis, ...]:
        """Return how each axis of an array of this shape is cut."""
        return tuple(
            RegularAxis(length, sizes)
            if isinstance(sizes, int)
            else IrregularAxis(length, (0, *accumulate(sizes)))
            for length, sizes in zip(shape, self.chunk_shapes, strict=True)
        )

    def extent(self, coords: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of a chunk as it is stored."""
        return tuple(
            sizes if isinstance(sizes, int) else sizes[i]
            for sizes, i in zip(self.chunk_shapes, coords, strict=True)
        )


Grid: TypeAlias = RegularGrid | RectilinearGrid
