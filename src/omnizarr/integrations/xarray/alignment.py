"""The blocks of a chunked variable (dask's) against the chunks or shards in which they are stored.

Two blocks that share a stored chunk are written by two tasks, each of which reads it and writes it back: slow
everywhere, and wrong in stores that cannot change a value atomically.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TypeAlias

import xarray as xr

from omnizarr.geometry.grid import Axis

Blocks: TypeAlias = tuple[tuple[int, ...], ...]


def check_alignment(
    name: object,
    blocks: Blocks,
    axes: Sequence[Axis],
    region: Sequence[slice],
    *,
    whole: bool,
) -> None:
    """Check that no stored chunk is written by two blocks.

    Parameters
    ----------
    axes
        The stored grid.
    region
        Where the blocks go, by axis.
    whole
        Whether the chunks at the edges of the region have to be written whole too, as others may write
        what lies beyond at the same time.

    Raises
    ------
    ValueError
        Some chunk is.
    """
    for number, (sizes, axis, part) in enumerate(zip(blocks, axes, region, strict=True)):
        first = part.start or 0
        ends = [first + end for end in accumulate(sizes)]
        edges = [*ends[:-1], *([first, ends[-1]] if whole else [])]
        for place in edges:
            if not _is_edge(place, axis):
                _refuse(name, number, place, axis, sizes)


def _is_edge(place: int, axis: Axis) -> bool:
    """Say whether a chunk begins at a place, or the array ends."""
    if place == 0 or place >= axis.length:
        return True
    return axis.start(axis.chunk_of(place)) == place


def _refuse(name: object, number: int, place: int, axis: Axis, sizes: Sequence[int]) -> None:
    span = axis.span(axis.chunk_of(place))
    raise ValueError(
        f"variable {name!r}: the edge of a dask chunk at {place} of axis {number} lies within the chunk "
        f"from {span.start} to {span.stop}, written by two tasks; the dask chunks are {tuple(sizes)}. "
        "Rechunk with chunk(), change or delete encoding['chunks'] (or 'shards'), or give align_chunks=True, "
        "or safe_chunks=False"
    )


def aligned(variable: xr.Variable, axes: Sequence[Axis], region: Sequence[slice]) -> xr.Variable:
    """Return a variable in blocks whose edges are those of stored chunks; edges move down to the nearest."""
    blocks = variable.chunks
    if blocks is None:
        return variable
    wanted = {
        dim: _moved(sizes, axis, part.start or 0)
        for dim, sizes, axis, part in zip(variable.dims, blocks, axes, region, strict=True)
    }
    return variable.chunk(wanted)


def _moved(sizes: Sequence[int], axis: Axis, first: int) -> tuple[int, ...]:
    ends = [first + end for end in accumulate(sizes)]
    inner = {axis.start(axis.chunk_of(end)) for end in ends[:-1] if end < axis.length}
    edges = [first, *sorted(edge for edge in inner if first < edge < ends[-1]), ends[-1]] if ends else []
    return tuple(after - before for before, after in pairwise(edges))
