"""How a new array is cut into chunks, and chunks are gathered into shards.

https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/index.html
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from math import log2, prod
from operator import index
from typing import Any, TypeAlias

from omnizarr.geometry.grid import Grid, RectilinearGrid, RegularGrid

Chunks: TypeAlias = "int | bool | str | Sequence[int | Sequence[int] | None] | None"
Shards: TypeAlias = "int | str | Sequence[int] | None"

_SMALL = 2**20
_LARGE = 16 * 2**20
_SHARD = 64 * 2**20


def good_chunks(shape: tuple[int, ...], itemsize: int, limit: int | None = None) -> tuple[int, ...]:
    """Return a chunk shape for an array: the whole of a small one, else cubes of 1 to 16 MiB.

    The size grows with the array, doubling each time that the array is 16 times as large, so that the
    number of chunks stays within what a listing can bear. The longest axes are cut first, each into parts
    that differ by less than the number of parts.

    Parameters
    ----------
    limit
        Bytes that a chunk may have at most, before compression.
    """
    nbytes = prod(shape) * max(itemsize, 1)
    target = limit or _target(nbytes)
    parts = [1] * len(shape)
    while (size := _sizes(shape, parts)) and prod(size) * itemsize > target and max(size) > 1:
        parts[size.index(max(size))] *= 2
    return _sizes(shape, parts)


def _target(nbytes: int) -> int:
    if nbytes <= _SMALL:
        return _SMALL
    return min(_LARGE, int(_SMALL * 2 ** (log2(nbytes / _SMALL) / 4)))


def _sizes(shape: tuple[int, ...], parts: list[int]) -> tuple[int, ...]:
    return tuple(max(1, -(-length // n)) for length, n in zip(shape, parts, strict=True))


def chosen_grid(chunks: Chunks, shape: tuple[int, ...], itemsize: int) -> Grid:
    """Return the grid that an argument `chunks` asks for.

    `"auto"`, True and None choose; False is one chunk; a number serves every axis; None and -1 in a
    sequence mean the whole axis, and axes beyond a shorter sequence are whole. Sequences inside give each
    chunk's length: even ones (dask's) become a regular grid, others a rectilinear one.

    Raises
    ------
    ValueError, TypeError
        The chunks do not fit the shape.
    """
    if isinstance(chunks, str) and chunks != "auto":
        raise ValueError(f"chunks: expected 'auto' or lengths, found {chunks!r}")
    if chunks is None or chunks is True or isinstance(chunks, str):
        return RegularGrid(good_chunks(shape, itemsize))
    if chunks is False:
        return RegularGrid(_sizes(shape, [1] * len(shape)))
    sizes: list[Any] = list(chunks) if isinstance(chunks, Iterable) else [chunks] * len(shape)
    if len(sizes) > len(shape):
        raise ValueError(f"chunks: expected at most {len(shape)} lengths, found {len(sizes)}: {chunks}")
    sizes += [None] * (len(shape) - len(sizes))
    axes = [_axis(size, length, i) for i, (size, length) in enumerate(zip(sizes, shape, strict=True))]
    if all(isinstance(axis, int) for axis in axes):
        return RegularGrid(tuple(axes))  # type: ignore[arg-type]
    return RectilinearGrid(tuple(axes))


def _axis(size: Any, length: int, axis: int) -> int | tuple[int, ...]:
    if size is None:
        return max(length, 1)
    if isinstance(size, Sequence) and not isinstance(size, str):
        return _even(_lengths(size, length, axis))
    if (number := _integer(size, axis)) == -1:
        return max(length, 1)
    if number < 1:
        raise ValueError(f"chunks[{axis}]: expected at least 1, found {number}")
    return number


def _lengths(sizes: Sequence[Any], length: int, axis: int) -> tuple[int, ...]:
    found: list[int] = []
    for item in sizes:
        pair = isinstance(item, Sequence) and len(item) == 2
        found += [_integer(item[0], axis)] * _integer(item[1], axis) if pair else [_integer(item, axis)]
    if not length and not any(found):  # dask's chunks of an empty axis
        return (1,)
    if not found or min(found) < 1:
        raise ValueError(f"chunks[{axis}]: expected lengths of at least 1, found {list(sizes)}")
    if sum(found) < length:
        raise ValueError(f"chunks[{axis}]: the chunks cover {sum(found)} of {length}")
    return tuple(found)


def _even(lengths: tuple[int, ...]) -> int | tuple[int, ...]:
    """One number where all chunks but a shorter last one are as long as the first."""
    runs = [length for length, _ in groupby(lengths)]
    even = len(runs) == 1 or (len(runs) == 2 and lengths[-2:] == (runs[0], runs[1]) and runs[1] < runs[0])
    return runs[0] if even else lengths


def _integer(value: Any, axis: int) -> int:
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"chunks[{axis}]: expected a whole number, found {value!r}") from None


def chosen_shards(
    shards: Shards, chunks: tuple[int, ...], shape: tuple[int, ...], itemsize: int
) -> tuple[int, ...]:
    """Return the shard shape that an argument `shards` asks for, a multiple of the chunk shape.

    `"auto"` gathers chunks along every axis in step, up to 64 MiB or the whole array.

    Raises
    ------
    ValueError, TypeError
        The shards do not fit the chunks.
    """
    if isinstance(shards, str):
        if shards != "auto":
            raise ValueError(f"shards: expected 'auto' or lengths, found {shards!r}")
        return _good_shards(chunks, shape, itemsize)
    sizes: list[Any] = list(shards) if isinstance(shards, Iterable) else [shards] * len(chunks)
    if len(sizes) != len(chunks):
        raise ValueError(f"shards: expected {len(chunks)} lengths, found {len(sizes)}: {shards}")
    found = tuple(_integer(size, axis) for axis, size in enumerate(sizes))
    for axis, (shard, chunk) in enumerate(zip(found, chunks, strict=True)):
        if shard < 1 or shard % chunk:
            raise ValueError(f"shards[{axis}]: expected a multiple of the chunk's {chunk}, found {shard}")
    return found


def _good_shards(chunks: tuple[int, ...], shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    most = [max(1, -(-length // chunk)) for length, chunk in zip(shape, chunks, strict=True)]
    counts = [1] * len(chunks)
    while any(count < limit for count, limit in zip(counts, most, strict=True)):
        larger = [min(2 * count, limit) for count, limit in zip(counts, most, strict=True)]
        if prod(larger) * prod(chunks) * itemsize > _SHARD:
            break
        counts = larger
    return tuple(count * chunk for count, chunk in zip(counts, chunks, strict=True))
