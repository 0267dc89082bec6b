"""Chunk grids as documents write them.

https://zarr-specs.readthedocs.io/en/latest/v3/chunk-grids/regular-grid/index.html
https://github.com/zarr-developers/zarr-extensions/tree/main/chunk-grids/rectilinear
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import TypeAlias

import numpy as np

from omnizarr.geometry.grid import Grid, RectilinearGrid, RegularGrid
from omnizarr.jsontypes import (
    Json,
    JsonObject,
    Problems,
    inside,
    read_int,
    read_list,
    read_object,
    read_string,
    shown,
)
from omnizarr.metadata.extension import UNREADABLE, read_extension
from omnizarr.plugins import Registry

_MAX_LENGTH = 2**63 - 1
_MAX_DIMENSIONS = 64 if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else 32
# Chunks of one axis that a document may list: a run length is short, and its memory is not (15 MB for these).
_MAX_EDGES = 2**20


def read_shape(value: Json, at: str, problems: Problems) -> tuple[int, ...]:
    """Read the shape of an array."""
    shape = read_lengths(value, at, problems, 0)
    if len(shape) > _MAX_DIMENSIONS:
        problems.add(
            at, f"{len(shape)} dimensions, and numpy has {_MAX_DIMENSIONS} at most", unsupported=True
        )
    return shape


def read_lengths(value: Json, at: str, problems: Problems, low: int) -> tuple[int, ...]:
    """Read a list of lengths, each of `low` at least and such that it fits 64 bits."""
    if isinstance(value, list):
        # The usual case in 0.4 µs; the list below names each fault.
        for item in value:
            if type(item) is not int or not low <= item <= _MAX_LENGTH:
                break
        else:
            return tuple(value)  # type: ignore[arg-type]
    items = read_list(value, at, problems)
    return tuple([_read_length(item, f"{at}[{i}]", problems, low) for i, item in enumerate(items)])


def _read_length(value: Json, at: str, problems: Problems, low: int) -> int:
    if type(value) is int and value > _MAX_LENGTH:
        problems.add(at, f"expected an integer of 63 bits, found {value}")
        return low
    return read_int(value, at, problems, low)


def read_grid(value: Json, shape: tuple[int, ...], at: str, problems: Problems, ndim: int | None) -> Grid:
    """Read the chunk grid of a v3 document; `ndim` is None where the shape could not be read."""
    chunks = _usual_chunks(value)
    if chunks is not None and len(chunks) == ndim and min(chunks, default=1) > 0:
        return RegularGrid(chunks)
    extension = read_extension(value, at, problems)
    if extension is UNREADABLE:
        return _one_chunk(shape)
    reader = CHUNK_GRIDS.find(extension.name)
    if reader is None:
        problems.add(at, f"the chunk grid {shown(extension.name)} is not known here", unsupported=True)
        return _one_chunk(shape)
    return reader(extension.configuration, shape, inside(at, "configuration"), problems, ndim)


def _one_chunk(shape: tuple[int, ...]) -> RegularGrid:
    return RegularGrid(tuple(max(1, length) for length in shape))


def _read_regular(
    configuration: JsonObject, shape: tuple[int, ...], at: str, problems: Problems, ndim: int | None
) -> RegularGrid:
    fields = read_object(configuration, at, problems, required=("chunk_shape",))
    if "chunk_shape" not in fields:
        return _one_chunk(shape)
    place = f"{at}.chunk_shape"
    check_rank(fields["chunk_shape"], ndim, place, problems)
    return RegularGrid(read_lengths(fields["chunk_shape"], place, problems, 1))


def _usual_chunks(value: Json) -> tuple[int, ...] | None:
    """Return the chunk shape of a grid that is written as most are: 1 µs against 3 µs for the whole check."""
    if type(value) is dict and len(value) == 2 and value.get("name") == "regular":
        fields = value.get("configuration")
        if type(fields) is dict and len(fields) == 1 and type(chunks := fields.get("chunk_shape")) is list:
            for chunk in chunks:
                if type(chunk) is not int or chunk > _MAX_LENGTH:
                    return None
            return tuple(chunks)  # type: ignore[arg-type]
    return None


def check_rank(chunks: Json, ndim: int | None, at: str, problems: Problems) -> None:
    """Check that a chunk has as many dimensions as its array, where both can be read."""
    if ndim is not None and isinstance(chunks, list) and len(chunks) != ndim:
        problems.add(at, f"expected {ndim} lengths, one for each dimension, found {len(chunks)}")


def write_grid(grid: Grid) -> Json:
    """Return the object of a v3 document."""
    if isinstance(grid, RegularGrid):
        return {"name": "regular", "configuration": {"chunk_shape": list(grid.chunk_shape)}}
    shapes: list[Json] = [s if isinstance(s, int) else _runs(s) for s in grid.chunk_shapes]
    return {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": shapes}}


def _runs(edges: tuple[int, ...]) -> Json:
    runs = [(edge, len(list(same))) for edge, same in groupby(edges)]
    return [edge if count == 1 else [edge, count] for edge, count in runs]


def _read_rectilinear(
    configuration: JsonObject, shape: tuple[int, ...], at: str, problems: Problems, ndim: int | None
) -> Grid:
    fields = read_object(configuration, at, problems, required=("kind", "chunk_shapes"))
    read_string(fields.get("kind", "inline"), f"{at}.kind", problems, ("inline",))
    if "chunk_shapes" not in fields:
        return _one_chunk(shape)
    place = f"{at}.chunk_shapes"
    before = len(problems.found)
    items = read_list(fields["chunk_shapes"], place, problems, ndim)
    sizes = [
        _read_axis(item, length, f"{place}[{i}]", problems)
        for i, (item, length) in enumerate(zip(items, shape, strict=False))
    ]
    return RectilinearGrid(tuple(sizes)) if len(problems.found) == before else _one_chunk(shape)


def _read_axis(value: Json, length: int, at: str, problems: Problems) -> int | tuple[int, ...]:
    if isinstance(value, int):
        return read_int(value, at, problems, 1, _MAX_LENGTH) or 1
    if not isinstance(value, list):
        problems.add(at, f"expected a length or a list of lengths, found {shown(value)}")
        return 1
    before = len(problems.found)
    edges: list[int] = []
    for i, item in enumerate(value):
        edges += _read_edges(item, f"{at}[{i}]", problems, _MAX_EDGES - len(edges))
    if len(problems.found) == before and sum(edges) < length:
        problems.add(at, f"expected lengths of {length} in sum, the length of the axis, found {sum(edges)}")
    return tuple(edges)


def _read_edges(value: Json, at: str, problems: Problems, room: int) -> list[int]:
    if not isinstance(value, list):
        edge, count = read_int(value, at, problems, 1, _MAX_LENGTH), 1
    elif len(value) != 2:
        problems.add(at, f"expected a length, or a length and a count, found {shown(value)}")
        return []
    else:
        edge = read_int(value[0], f"{at}[0]", problems, 1, _MAX_LENGTH)
        count = read_int(value[1], f"{at}[1]", problems, 1)
    if count > room:
        problems.add(at, f"more than {_MAX_EDGES} chunks along one axis", unsupported=True)
        return []
    return [edge] * count


Reader: TypeAlias = Callable[[JsonObject, tuple[int, ...], str, Problems, int | None], Grid]

_READERS: dict[str, str | Reader] = {"regular": _read_regular, "rectilinear": _read_rectilinear}

CHUNK_GRIDS: Registry[Reader] = Registry("omnizarr.chunk_grids", _READERS)


def register_chunk_grid(name: str, reader: Reader) -> None:
    """Make a chunk grid known: `reader(configuration, shape, at, problems, ndim)` returns it.

    What it returns is regular or rectilinear, which every grid of boxes is. A document keeps its words as
    long as they mean the same. Faults of the configuration go to `problems`, with locations that start
    with `at`; `ndim` is None where the shape could not be read. Entry points of the group
    `omnizarr.chunk_grids` do the same.
    """
    CHUNK_GRIDS.register(name, reader)
