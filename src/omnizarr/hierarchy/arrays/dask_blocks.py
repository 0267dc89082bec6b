"""The blocks of an array as a dask array: those that are asked for, along the chunks that are stored.

https://docs.dask.org/en/stable/array-chunks.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from omnizarr.geometry.blocks import Blocks, chunk_sizes, edges_of, sizes_between
from omnizarr.geometry.grid import Axis

if TYPE_CHECKING:
    from omnizarr.hierarchy.array import Array


def dask_array() -> ModuleType:
    """Return the module `dask.array`.

    Raises
    ------
    ImportError
        It is not installed; the message names the extra.
    """
    try:
        import dask.array
    except ImportError as error:
        raise ImportError('dask arrays need dask: pip install "omnizarr[dask]"', name="dask") from error
    return dask.array


def blocks_of(array: Array, chunks: Any = None) -> Blocks:
    """Return the sizes of the blocks along each axis; for `chunks` see `Array.to_dask`.

    Raises
    ------
    ValueError
        They do not fit the array.
    """
    axes = array.layout.axes
    stored = tuple(map(chunk_sizes, axes))
    if chunks is None or not axes:
        return stored
    asked = _by_axis(chunks, array, stored)
    free = [number for number, size in enumerate(asked) if isinstance(size, str)]
    whole = [-1 if number in free or size is None else size for number, size in enumerate(asked)]
    found: list[tuple[int, ...]] = list(_normalized(whole, array.shape))
    if free and array.size:
        limit = _limit([asked[number] for number in free]) // max(1, array.itemsize)
        limit //= prod(max(sizes) for number, sizes in enumerate(found) if number not in free)
        # How long objects are nobody knows: their blocks are the stored chunks.
        inner = array.chunks if array.shards else None
        chosen = _chosen([axes[n] for n in free], inner and [inner[n] for n in free], limit)
        for number, sizes in zip(free, chosen, strict=True):
            found[number] = stored[number] if array.dtype.hasobject else sizes
    return tuple(found)


def _by_axis(chunks: Any, array: Array, stored: Blocks) -> list[Any]:
    """Return what is asked for along each axis; axes that a mapping leaves out have the stored chunks."""
    if isinstance(chunks, Mapping):
        places = {_axis_of(axis, array): size for axis, size in chunks.items()}
        return [places.get(number, sizes) for number, sizes in enumerate(stored)]
    if isinstance(chunks, str) or not isinstance(chunks, Sequence):
        return [chunks] * array.ndim
    if array.ndim == 1 and len(chunks) > 1:
        return [tuple(chunks)]  # as dask takes it
    if len(chunks) != array.ndim:
        message = f"chunks: expected {array.ndim} of them, one for each axis, found {len(chunks)}"
        raise ValueError(f"{message}: {chunks!r}")
    return list(chunks)


def _axis_of(axis: Any, array: Array) -> int:
    names = array.dimension_names or ()
    if isinstance(axis, str) and axis in names:
        return names.index(axis)
    if isinstance(axis, int) and -array.ndim <= axis < array.ndim:
        return axis % array.ndim
    known = f", or of the names {', '.join(map(repr, filter(None, names)))}" if any(names) else ""
    raise ValueError(f"chunks: expected numbers of axes below {array.ndim}{known}, found {axis!r}")


def _normalized(chunks: Sequence[Any], shape: tuple[int, ...], **given: Any) -> Blocks:
    found: Blocks = dask_array().core.normalize_chunks(tuple(chunks), shape=shape, dtype=np.uint8, **given)
    return found


def _limit(asked: Sequence[str]) -> int:
    """Return how many bytes a block may take, by dask's settings unless it is asked for."""
    from dask import config
    from dask.utils import parse_bytes

    sizes = {size for size in asked if size != "auto"} or {config.get("array.chunk-size")}
    if len(sizes) > 1:
        raise ValueError(f"chunks: expected one size of a block, found {', '.join(sorted(sizes))}")
    return int(parse_bytes(sizes.pop()))


def _chosen(axes: Sequence[Axis], inner: Sequence[int] | None, limit: int) -> Blocks:
    """Return blocks of at most `limit` elements: of whole stored chunks, or of even parts of a shard."""
    units = [max(chunk_sizes(axis)) for axis in axes]
    if prod(units) <= limit or inner is None:
        counts = [axis.count for axis in axes]
        grouped = _normalized(["auto"] * len(axes), tuple(counts), limit=limit // prod(units))
        return tuple(map(_gathered, axes, grouped))
    sizes = _parts_of_shard([axis.extent(0) for axis in axes], inner, limit)
    return tuple(
        sizes_between([*range(0, axis.length, size), axis.length])
        for axis, size in zip(axes, sizes, strict=True)
    )


def _gathered(axis: Axis, groups: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes of blocks that gather so many stored chunks each."""
    return sizes_between([min(axis.start(chunk), axis.length) for chunk in edges_of(groups)])


def _parts_of_shard(shard: Sequence[int], inner: Sequence[int], limit: int) -> list[int]:
    """Return a block that a shard is an even multiple of, and that is one of the chunks inside."""
    counts = [long // short for long, short in zip(shard, inner, strict=True)]
    while max(counts) > 1 and prod(counts) * prod(inner) > limit:
        most = counts.index(max(counts))
        smallest = next(n for n in range(2, counts[most] + 1) if counts[most] % n == 0)
        counts[most] //= smallest
    return [count * short for count, short in zip(counts, inner, strict=True)]
