"""Nodes between the idioms of Zarr v2 and v3.

https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#metadata
https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#metadata
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.geometry.grid import RegularGrid
from omnizarr.jsontypes import Problems
from omnizarr.metadata import chunk_keys
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chains import Chain, chain_to_v2, chain_to_v3, is_v2_chain
from omnizarr.metadata.chunk_keys_draft import DraftChunkKeys
from omnizarr.metadata.dtype import DataType
from omnizarr.metadata.dtype_v2 import write_dtype
from omnizarr.metadata.extension import read_extensions
from omnizarr.metadata.fill import default_fill
from omnizarr.metadata.grids import read_lengths
from omnizarr.metadata.group import GroupMetadata, NodeMetadata

DIMENSIONS = "_ARRAY_DIMENSIONS"  # the attribute by which xarray and netCDF name the dimensions of a v2 array


class Converted(NamedTuple):
    """A node in another format's idiom.

    Attributes
    ----------
    losses
        What the format cannot hold, in words; empty where nothing is lost.
    same_bytes
        Whether chunks hold the same bytes as before, so that they can be moved without decoding.
    """

    metadata: NodeMetadata
    losses: tuple[str, ...]
    same_bytes: bool


def to_v2(metadata: NodeMetadata) -> Converted:
    """Return a node as Zarr v2 would have it: chunk keys `1.23`, dimensions named by an attribute.

    Chunk keys that v2 has too, with slashes say, stay.
    """
    if isinstance(metadata, GroupMetadata):
        return _group(metadata, to_v2, _no_extra_losses)
    converted = _array_to_v2(metadata)
    array, losses = _dimensions_to_v2(converted.metadata)
    if array.chunk_keys.name != "v2":
        array = replace(array, chunk_keys=chunk_keys.V2)
    return Converted(array, (*converted.losses, *losses), converted.same_bytes)


def to_v3(metadata: NodeMetadata) -> Converted:
    """Return a node as Zarr v3 would have it: chunk keys `c/1/23`, dimensions named in their own field.

    The chunk keys of an array that was read from a v3 document stay.
    """
    if isinstance(metadata, GroupMetadata):
        return _group(metadata, to_v3, _extra_losses)
    converted = _array_to_v3(metadata)
    array = _dimensions_to_v3(converted.metadata)
    if not _is_from_v3(array):
        array = replace(array, chunk_keys=chunk_keys.DEFAULT)
    return Converted(array, converted.losses, converted.same_bytes)


def as_v2(metadata: ArrayMetadata) -> ArrayMetadata:
    """Return an array with a codec chain that Zarr v2 can hold; names, keys and attributes stay.

    Raises
    ------
    ConversionError
        Zarr v2 cannot hold the array; every reason is named.
    """
    if (
        is_v2_chain(metadata.codecs)
        and metadata.chunk_keys.name == "v2"
        and isinstance(metadata.grid, RegularGrid)
        and metadata.dimension_names is None
    ):
        return metadata
    array, losses, _ = _array_to_v2(metadata)
    if metadata.chunk_keys.name != "v2":
        losses = (*losses, f"chunk keys: Zarr v2 has no encoding {metadata.chunk_keys.name!r}")
    if metadata.dimension_names is not None:
        losses = (*losses, f"dimension names: Zarr v2 has the attribute {DIMENSIONS} alone")
    _refuse(losses, "Zarr v2")
    return array


def as_v3(metadata: ArrayMetadata) -> ArrayMetadata:
    """Return an array with a codec chain that Zarr v3 can hold; names, keys and attributes stay.

    Raises
    ------
    ConversionError
        Zarr v3 cannot hold the array; every reason is named.
    """
    if _is_from_v3(metadata) and metadata.fill_value is not None:
        return metadata
    array, losses, _ = _array_to_v3(metadata)
    _refuse(losses, "Zarr v3")
    return array


def check_extra(metadata: NodeMetadata) -> None:
    """Check that Zarr v3 may keep the fields that were not understood.

    Raises
    ------
    ConversionError
        It may not; each of them is named.
    """
    _refuse(_extra_losses(metadata), "Zarr v3")


def _refuse(losses: tuple[str, ...], name: str) -> None:
    if losses:
        raise ConversionError(f"{name} cannot hold this node: " + "; ".join(losses))


class _ConvertedArray(NamedTuple):
    metadata: ArrayMetadata
    losses: tuple[str, ...]
    same_bytes: bool


# --- to v3


def _array_to_v3(metadata: ArrayMetadata) -> _ConvertedArray:
    chain = chain_to_v3(metadata.codecs, metadata.data_type)
    keys = chunk_keys.DEFAULT if isinstance(metadata.chunk_keys, DraftChunkKeys) else metadata.chunk_keys
    return _ConvertedArray(
        replace(
            metadata,
            chunk_keys=keys,
            data_type=chain.data_type,
            codecs=chain.codecs,
            fill_value=_refilled(metadata.fill_value, chain.data_type, default_fill),
            spelling=metadata.spelling if _is_from_v3(metadata) else {},
        ),
        (*chain.losses, *_extra_losses(metadata)),
        chain.same_bytes,
    )


def _is_from_v3(metadata: ArrayMetadata) -> bool:
    return metadata.spelling.get("zarr_format") == 3


def _extra_losses(metadata: NodeMetadata) -> tuple[str, ...]:
    return tuple(
        f"{name}: Zarr v3 allows no other field than an object with must_understand: false"
        for name, value in metadata.extra.items()
        if not (isinstance(value, dict) and value.get("must_understand") is False)
    )


def _dimensions_to_v3(metadata: ArrayMetadata) -> ArrayMetadata:
    names = metadata.attributes.get(DIMENSIONS)
    if metadata.dimension_names is not None or not isinstance(names, list) or len(names) != metadata.ndim:
        return metadata
    if not all(isinstance(name, str) for name in names):
        return metadata
    attributes = {name: value for name, value in metadata.attributes.items() if name != DIMENSIONS}
    return replace(metadata, dimension_names=tuple(map(str, names)), attributes=attributes)


# --- to v2


def _array_to_v2(metadata: ArrayMetadata) -> _ConvertedArray:
    losses: list[str] = []
    metadata, sharded = without_shards(metadata, "Zarr v2")
    if not isinstance(metadata.grid, RegularGrid):
        losses.append("chunk grid: Zarr v2 has chunks of one shape alone")
    chain = chain_to_v2(metadata.codecs, metadata.data_type, metadata.ndim)
    losses += [*sharded, *chain.losses, *_type_losses(chain)]
    array = replace(
        metadata,
        data_type=chain.data_type,
        codecs=chain.codecs,
        fill_value=_refilled(metadata.fill_value, chain.data_type, lambda data_type: None),
        spelling=metadata.spelling if metadata.spelling.get("zarr_format") == 2 else {},
    )
    return _ConvertedArray(array, tuple(losses), chain.same_bytes and not sharded)


def _type_losses(chain: Chain) -> list[str]:
    try:
        write_dtype(chain.data_type)
    except ConversionError as error:
        return [f"data type: {error}"]
    return []


def without_shards(metadata: ArrayMetadata, name: str) -> tuple[ArrayMetadata, list[str]]:
    """Return the array with the innermost chunks of its shards for chunks, and what `name` so loses."""
    losses: list[str] = []
    while len(metadata.codecs) == 1 and metadata.codecs[0].name == "sharding_indexed":
        problems = Problems()
        options = metadata.codecs[0].configuration
        chunks = read_lengths(options.get("chunk_shape"), "", problems, 1)
        codecs = read_extensions(options.get("codecs"), "", problems)
        if problems or len(chunks) != metadata.ndim:
            break
        metadata = replace(metadata, grid=RegularGrid(chunks), codecs=codecs)
        losses.append(f"codec sharding_indexed: {name} has no shards, and each chunk gets a key of its own")
    return metadata, losses


def _dimensions_to_v2(metadata: ArrayMetadata) -> tuple[ArrayMetadata, tuple[str, ...]]:
    names = metadata.dimension_names
    if names is None:
        return metadata, ()
    plain = replace(metadata, dimension_names=None)
    if any(name is None for name in names):
        named = any(name is not None for name in names)
        return plain, ("dimension names: Zarr v2 names all dimensions or none",) if named else ()
    if metadata.attributes.get(DIMENSIONS, list(names)) != list(names):
        return plain, (f"dimension names: the attribute {DIMENSIONS} says otherwise",)
    return replace(plain, attributes={**metadata.attributes, DIMENSIONS: list(names)}), ()


# --- both


def _no_extra_losses(metadata: NodeMetadata) -> tuple[str, ...]:
    return ()


def _group(
    metadata: GroupMetadata,
    convert: Callable[[NodeMetadata], Converted],
    own_losses: Callable[[NodeMetadata], tuple[str, ...]],
) -> Converted:
    losses = list(own_losses(metadata))
    plain = replace(metadata, spelling={})
    if metadata.consolidated is None:
        return Converted(plain, tuple(losses), True)
    nodes: dict[str, NodeMetadata] = {}
    same_bytes = True
    for path, node in metadata.consolidated.items():
        converted = convert(node)
        nodes[path] = converted.metadata
        losses += [f"{path}: {loss}" for loss in converted.losses]
        same_bytes &= converted.same_bytes
    return Converted(replace(plain, consolidated=nodes), tuple(losses), same_bytes)


def _refilled(value: Any, data_type: DataType, default: Callable[[DataType], Any]) -> Any:
    if value is None:
        return default(data_type)
    if data_type.dtype.names is not None:  # a structure has a byte order, other scalars have none
        return np.array(value).astype(data_type.dtype)[()]
    return value
