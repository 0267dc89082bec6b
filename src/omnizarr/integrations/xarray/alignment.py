"""The blocks of a chunked variable (dask's) against the chunks or shards in which they are stored."""

from __future__ import annotations

from collections.abc import Sequence

import xarray as xr

from omnizarr.geometry.blocks import Blocks, aligned_sizes, edges_of, is_edge
from omnizarr.geometry.grid import Axis


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
        edges = [(part.start or 0) + edge for edge in edges_of(sizes)]
        for place in edges if whole else edges[1:-1]:
            if not is_edge(place, axis):
                _refuse(name, number, place, axis, sizes)


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
    wanted = {}
    for dim, sizes, axis, part in zip(variable.dims, blocks, axes, region, strict=True):
        first = part.start or 0
        wanted[dim] = aligned_sizes(sizes, axis, range(first, first + sum(sizes)))
    return variable.chunk(wanted)
