"""The metadata of a new array, from what a user says about it; nothing is stored here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from operator import index
from typing import Any, Literal, TypedDict

import numpy as np

from omnizarr.errors import MetadataError, Problem
from omnizarr.geometry.grid import RegularGrid
from omnizarr.hierarchy.attributes import checked_attributes
from omnizarr.hierarchy.creating.chunking import Chunks, Shards, chosen_grid, chosen_shards, good_chunks
from omnizarr.hierarchy.creating.codec_arguments import (
    BIG,
    GZIP,
    CodecArguments,
    Codecs,
    codecs_of_v2,
    codecs_of_v3,
    object_type,
    sharded,
)
from omnizarr.jsontypes import Json, Problems, as_json
from omnizarr.metadata import chunk_keys
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chunk_keys import ChunkKeyEncoding, read_chunk_keys
from omnizarr.metadata.dtype import OBJECT, PLAIN, DataType
from omnizarr.metadata.dtype_numpy import from_numpy
from omnizarr.metadata.fill import as_fill, default_fill


class FillChoice(Enum):
    """A fill value that depends on the data type: the one it has of itself, or numpy's zero."""

    DEFAULT = "default"
    ZERO = "zero"


DEFAULT_FILL = FillChoice.DEFAULT


class ArrayArguments(TypedDict, total=False):
    """What a user may say about a new array; all that is not said is chosen.

    Attributes
    ----------
    shape
        The length of each axis; taken from `data` where it is given.
    dtype
        What `np.dtype` takes, or the name or object of a Zarr v3 data type.
    chunks
        `"auto"` (True, None), one chunk (False), a length for every axis, a length for each axis (-1 for
        the whole of it), or for an axis the length of each chunk (Zarr v3: a rectilinear grid).
    shards
        The shape of a shard, a multiple of the chunk shape; `"auto"`; None for no shards (Zarr v3).
    filters, compressors, serializer
        Codecs as Zarr v3 JSON, as numcodecs' objects or configurations, or as omnizarr's; one or several;
        `"auto"`, or None for none. In Zarr v2 an object codec is one of the filters.
    fill_value
        What elements hold that were never written; None is Zarr v2's undefined one.
    order
        `"F"` stores each chunk in Fortran order; Zarr v3 says so by the codec `transpose`.
    attributes
        The user's attributes.
    chunk_key_encoding
        A `ChunkKeyEncoding`, a name, or an object with a name and a configuration, or a name and a
        separator; for Zarr v2 also the separator.
    dimension_names
        A name or None for each axis (Zarr v3).
    """

    shape: int | Sequence[int]
    dtype: Any
    chunks: Chunks
    shards: Shards
    filters: Codecs
    compressors: Codecs
    serializer: Any
    fill_value: Any
    order: Literal["C", "F"] | None
    attributes: Mapping[str, Any] | None
    chunk_key_encoding: Any
    dimension_names: Iterable[str | None] | None


def plan_array(
    zarr_format: int | str,
    *,
    shape: int | Sequence[int],
    dtype: Any = None,
    chunks: Chunks = "auto",
    shards: Shards = None,
    filters: Codecs = "auto",
    compressors: Codecs = "auto",
    serializer: Any = "auto",
    fill_value: Any = DEFAULT_FILL,
    order: Literal["C", "F"] | None = None,
    attributes: Mapping[str, Any] | None = None,
    chunk_key_encoding: Any = None,
    dimension_names: Iterable[str | None] | None = None,
) -> ArrayMetadata:
    """Return the metadata of a new array; see `ArrayArguments`.

    Raises
    ------
    MetadataError, ValueError, TypeError
        What is asked for does not fit together, or cannot be said in this format.
    """
    if order not in ("C", "F", None):
        raise ValueError(f"order: expected 'C' or 'F', found {order!r}")
    is_v2, is_v3 = zarr_format == 2, zarr_format == 3
    if not (is_v2 or is_v3):  # a draft, whose types have a byte order, and which names gzip itself
        compressors = GZIP if _is_auto(compressors) else compressors
        serializer = BIG if _is_auto(serializer) and _is_big(dtype) else serializer
    lengths = shape_of(shape)
    data_type = _data_type(dtype, filters, is_v2)
    arguments = CodecArguments(filters, serializer, compressors, order == "F")
    codecs = (codecs_of_v2 if is_v2 else codecs_of_v3)(arguments, data_type, len(lengths))
    itemsize = data_type.dtype.itemsize
    if shards is None:
        grid = chosen_grid(chunks, lengths, itemsize)
    elif is_v2:
        raise MetadataError([Problem("shards", "Zarr v2 has no shards")])
    else:
        inner = _inner_chunks(chunks, lengths, itemsize)
        outer, location = _shards(shards)
        grid = RegularGrid(chosen_shards(outer, inner, lengths, itemsize))
        codecs = (sharded(codecs, inner, location),)
    if is_v2 and not isinstance(grid, RegularGrid):
        raise MetadataError([Problem("chunks", "Zarr v2 has chunks of one shape, found several lengths")])
    return ArrayMetadata(
        shape=lengths,
        data_type=data_type,
        grid=grid,
        chunk_keys=_chunk_keys(chunk_key_encoding, zarr_format, len(lengths)),
        codecs=codecs,
        fill_value=_fill(fill_value, data_type, is_v2),
        dimension_names=_dimension_names(dimension_names, len(lengths), is_v2),
        attributes=checked_attributes(attributes or {}),
    )


def shape_of(shape: int | Sequence[int]) -> tuple[int, ...]:
    """Return a shape as whole numbers of at least 0."""
    given = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    try:
        lengths = tuple(map(index, given))
    except TypeError:
        raise TypeError(f"shape: expected whole numbers, found {shape!r}") from None
    if any(length < 0 for length in lengths):
        raise ValueError(f"shape: expected lengths of at least 0, found {shape!r}")
    return lengths


def _data_type(dtype: Any, filters: Codecs, is_v2: bool) -> DataType:
    if dtype is None:
        return PLAIN["float64"]
    if dtype is object or (isinstance(dtype, np.dtype) and dtype.kind == "O"):
        name = object_type(filters)
        if name is not None and (is_v2 or name != "object"):
            return OBJECT if name == "object" else PLAIN[name]
    data_type = from_numpy(dtype)
    return data_type if is_v2 else data_type.with_byte_order("native")


def _is_auto(given: Any) -> bool:
    return isinstance(given, str) and given == "auto"


def _is_big(dtype: Any) -> bool:
    """Say whether what `np.dtype` takes asks for big-endian elements."""
    try:
        return bool(np.dtype(dtype).byteorder == ">")
    except TypeError:
        return False


def _inner_chunks(chunks: Chunks, shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    if chunks is None or chunks is True or chunks == "auto":
        return good_chunks(shape, itemsize, limit=2**20)
    grid = chosen_grid(chunks, shape, itemsize)
    if not isinstance(grid, RegularGrid):
        raise MetadataError([Problem("chunks", "chunks inside shards have one shape, found several lengths")])
    return grid.chunk_shape


def _shards(shards: Any) -> tuple[Shards, str]:
    """Zarr-python's long form says by `index_location` where in a shard its index stands."""
    if not isinstance(shards, Mapping):
        return shards, "end"
    return shards["shape"], shards.get("index_location", "end")


def _fill(value: Any, data_type: DataType, is_v2: bool) -> Any:
    if value is FillChoice.ZERO and not data_type.is_variable:
        return np.zeros((), data_type.dtype)[()]
    if isinstance(value, FillChoice) or (value is None and not is_v2):
        return default_fill(data_type)
    if value is None:
        return None
    try:
        return as_fill(value, data_type)
    except (ValueError, TypeError, OverflowError) as error:
        message = f"{value!r} does not fit the data type {data_type.name}: {error}"
        raise MetadataError([Problem("fill_value", message)]) from None


def _chunk_keys(given: Any, zarr_format: int | str, ndim: int) -> ChunkKeyEncoding:
    is_v3 = zarr_format == 3
    if given is None:
        return chunk_keys.DEFAULT if is_v3 else chunk_keys.V2
    if hasattr(given, "to_json"):  # one of ours
        given = given.to_json()
    if hasattr(given, "to_dict"):  # zarr-python's
        given = given.to_dict()
    if given in ("/", "."):
        given = {"name": "default" if is_v3 else "v2", "separator": given}
    if isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 2:
        given = {"name": given[0], "separator": given[1]}
    problems = Problems()
    keys = read_chunk_keys(_in_full(given), "chunk_key_encoding", problems, ndim)
    if not is_v3 and keys.name != "v2":
        message = f"Zarr {'v2' if zarr_format == 2 else zarr_format} has the encoding 'v2' alone"
        problems.add("chunk_key_encoding", f"{message}, found {keys.name!r}")
    problems.check()
    return keys


def _in_full(given: Any) -> Json:
    """Zarr-python's short form has the separator beside the name."""
    if isinstance(given, Mapping) and "separator" in given:
        rest = {name: value for name, value in given.items() if name != "separator"}
        return as_json({**rest, "configuration": {"separator": given["separator"]}})
    return as_json(dict(given) if isinstance(given, Mapping) else given)


def _dimension_names(
    names: Iterable[str | None] | None, ndim: int, is_v2: bool
) -> tuple[str | None, ...] | None:
    if names is None:
        return None
    found = (names,) if isinstance(names, str) else tuple(names)
    problems = Problems()
    if is_v2:
        problems.add("dimension_names", "Zarr v2 has no names for dimensions; conventions use attributes")
    if len(found) != ndim:
        problems.add("dimension_names", f"expected {ndim}, one for each axis, found {len(found)}")
    for i, name in enumerate(found):
        if name is not None and not isinstance(name, str):
            problems.add(f"dimension_names[{i}]", f"expected a string or None, found {name!r}")
    problems.check()
    return found
