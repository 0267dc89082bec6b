"""Chunk sizes where the user gives none: the choice that netCDF-C makes.

https://docs.unidata.ucar.edu/nug/current/netcdf_perf_chunking.html
"""

from __future__ import annotations

from collections.abc import Sequence

from omnizarr.netcdf.model.nodes import DimensionModel

_TARGET_BYTES = 16 * 2**20
# One record dimension alone would make chunks that are mostly empty.
_TARGET_BYTES_OF_RECORDS = 4096


def default_chunks(dimensions: Sequence[DimensionModel], itemsize: int) -> tuple[int, ...]:
    """Return the shape of a chunk for a variable.

    Records are cut one by one, other axes so that a chunk is near 16 MiB; then chunks are made a little
    smaller where the last one would reach far past the end.
    """
    chunks = _near_target(dimensions, itemsize)
    return tuple(_without_overhang(chunk, d.size) for chunk, d in zip(chunks, dimensions, strict=True))


def _near_target(dimensions: Sequence[DimensionModel], itemsize: int) -> list[int]:
    ndim = len(dimensions)
    fixed = [d.size for d in dimensions if not d.unlimited]
    if not fixed:
        if ndim == 1:
            return [max(1, _TARGET_BYTES_OF_RECORDS // itemsize)]
        return [max(1, int((_TARGET_BYTES / itemsize) ** (1 / ndim)))] * ndim
    values = 1.0
    for size in fixed:
        values *= size
    share = (_TARGET_BYTES / (values * itemsize)) ** (1 / len(fixed)) if values else 1.0
    return [1 if d.unlimited else max(1, min(int(share * d.size - 0.5), d.size)) for d in dimensions]


def _without_overhang(chunk: int, size: int) -> int:
    count = -(-size // chunk)
    return chunk - (count * chunk - size) // count if count else chunk
