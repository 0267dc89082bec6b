"""Making arrays and groups in a store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.creating.chunking import Chunks, Shards
from omnizarr.hierarchy.creating.codec_arguments import Codecs
from omnizarr.hierarchy.creating.like import codecs_of, likeness
from omnizarr.hierarchy.creating.make import MakeArguments, by_present_names, make_array
from omnizarr.hierarchy.creating.many import nodes_below, place_all, with_groups_between
from omnizarr.hierarchy.creating.plan_array import DEFAULT_FILL
from omnizarr.hierarchy.group import AnyNode, Group, node_of
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.open import make_group, open_group
from omnizarr.hierarchy.opening.formats import place_for_new
from omnizarr.hierarchy.opening.locate import Place, locate, wishes_of
from omnizarr.hierarchy.opening.within import with_encoding
from omnizarr.hierarchy.paths import joined, normal_path, prefix_of
from omnizarr.metadata.group import NodeMetadata


def create_array(
    store: Any = None,
    *,
    name: str | None = None,
    shape: int | Sequence[int] | None = None,
    dtype: Any = None,
    data: Any = None,
    chunks: Chunks = "auto",
    shards: Shards = None,
    filters: Codecs = "auto",
    compressors: Codecs = "auto",
    serializer: Any = "auto",
    fill_value: Any = DEFAULT_FILL,
    order: Literal["C", "F"] | None = None,
    zarr_format: int | str | None = None,
    attributes: Mapping[str, Any] | None = None,
    chunk_key_encoding: Any = None,
    dimension_names: Iterable[str | None] | None = None,
    storage_options: Mapping[str, Any] | None = None,
    overwrite: bool = False,
    write_empty_chunks: bool | None = None,
    config: Any = None,
    write_data: bool = True,
    path: str | None = None,
) -> Array:
    """Make an array, and the groups above it that are missing.

    Parameters
    ----------
    store
        A path, a URL, a store, a dictionary, a group, or None for memory.
    name, path
        The array's path within the store.
    shape, dtype
        Taken from `data` where it is given; float64 unless told otherwise.
    data
        An array-like to be written.
    chunks
        `"auto"`: the whole array where it is small, else chunks of 1 to 16 MiB. False: one chunk. A number:
        the length along every axis. A sequence: the length along each axis, -1 for all of it; for an axis
        also the length of each chunk (Zarr v3: a rectilinear grid).
    shards
        The shape of a shard, a multiple of the chunk shape; `"auto"`; None: no shards (Zarr v3).
    filters, serializer, compressors
        Codecs as Zarr v3 JSON, as numcodecs' objects or configurations, or as omnizarr's; None for none.
        `"auto"` is zstd, and what the data type needs to become bytes.
    fill_value
        What elements hold that were never written; zero or empty unless told otherwise. None is Zarr v2's
        undefined one.
    order
        `"F"` stores each chunk in Fortran order (Zarr v3: the codec `transpose`).
    zarr_format
        2, 3 or "3-2019", the draft of June 2019; by default that of the group in which the node is made,
        else what `omnizarr.config` says.
    attributes
        The user's attributes.
    chunk_key_encoding
        `{"name": "v2", "separator": "."}` and the like; for Zarr v2 `"/"` or `"."` will do.
    dimension_names
        A name or None for each axis (Zarr v3).
    storage_options
        Options of the store, for URLs.
    overwrite
        Delete what is there first.
    write_empty_chunks
        Whether chunks that hold only the fill value are stored, by this handle.
    config
        A mapping with `write_empty_chunks` and `order`, as zarr-python takes it.
    write_data
        Whether `data` is written, or gives the shape and the data type alone.

    Raises
    ------
    NodeExistsError
        There is a node already, and not `overwrite`.
    NodeTypeError
        A node above is an array.
    MetadataError, ValueError, TypeError
        The arguments do not fit together, or cannot be said in this format.
    """
    given = MakeArguments(
        dtype=dtype,
        data=data,
        chunks=chunks,
        shards=shards,
        filters=filters,
        compressors=compressors,
        serializer=serializer,
        fill_value=fill_value,
        order=order,
        attributes=attributes,
        chunk_key_encoding=chunk_key_encoding,
        dimension_names=dimension_names,
        overwrite=overwrite,
        write_empty_chunks=write_empty_chunks,
        config=config,
        write_data=write_data,
    )
    if shape is not None:
        given["shape"] = shape
    where = _place(store, name, path, storage_options)
    return make_array(*place_for_new(*where, asked_format(store, zarr_format), overwrite=overwrite), **given)


def create_group(
    store: Any = None,
    *,
    path: str | None = None,
    zarr_format: int | str | None = None,
    overwrite: bool = False,
    attributes: Mapping[str, Any] | None = None,
    storage_options: Mapping[str, Any] | None = None,
    metadata_encoding: str | None = None,
) -> Group:
    """Make a group, and the groups above it that are missing; parameters and errors as in `create_array`.

    Parameters
    ----------
    metadata_encoding
        How a new hierarchy of the draft of 2019 encodes its documents: `"application/json"` unless given,
        `"application/msgpack"`, or what `omnizarr.drafts.register_encoding` has made known.
    """
    where = _place(store, None, path, storage_options)
    place = place_for_new(*where, asked_format(store, zarr_format), overwrite=overwrite)
    if metadata_encoding is not None:
        place = with_encoding(place, metadata_encoding)
    return make_group(place, attributes, overwrite)


def group(store: Any = None, *, overwrite: bool = False, **arguments: Any) -> Group:
    """Return the group at a place; made if it is missing. Parameters as in `open_group`.

    Raises
    ------
    NodeTypeError
        There is an array, and not `overwrite`.
    """
    return open_group(store, mode="w" if overwrite else "a", **arguments)


def create_hierarchy(
    *,
    store: Any,
    nodes: Mapping[str, NodeMetadata],
    zarr_format: int | str | None = None,
    overwrite: bool = False,
) -> Iterator[tuple[str, AnyNode]]:
    """Make many nodes, given their metadata by path; the root is `""`. Yield each.

    All is checked first, when the first one is asked for; after a failure none of the nodes is there.

    Raises
    ------
    NodeExistsError
        There is something already, and not `overwrite`.
    NodeTypeError
        A node above another one is an array.
    """
    at = _place(store, None, None, None)
    where = place_for_new(*at, asked_format(store, zarr_format), overwrite=overwrite and "" in nodes)
    format = where.format
    found = nodes_below(format, where.path, nodes)
    if where.path not in found:
        top = group(where.store, path=where.path, zarr_format=format.zarr_format)
        yield from top.create_hierarchy(nodes, overwrite=overwrite)
        return
    handles = {path: node_of(where.store, format, path, metadata) for path, metadata in found.items()}
    place_all(where.store, format, with_groups_between(found), overwrite=overwrite)
    for path, handle in handles.items():
        yield path[len(prefix_of(where.path)) :], handle


def create(shape: int | Sequence[int], *, store: Any = None, **arguments: Any) -> Array:
    """Make an array; as `create_array`, with the shape first and zarr-python's older names.

    `compressor` is `compressors`, `chunk_shape` is `chunks`, `dimension_separator` the separator of
    `chunk_key_encoding`.
    """
    places = ("name", "path", "storage_options", "zarr_format")
    where = {name: arguments.pop(name) for name in places if name in arguments}
    return create_array(store, shape=shape, **where, **by_present_names(arguments))


def array(data: Any, *, store: Any = None, **arguments: Any) -> Array:
    """Make an array that holds `data`; other parameters as in `create_array`."""
    if not hasattr(data, "shape"):
        data = np.asarray(data)
    return from_array(store, data=data, **arguments)


def from_array(
    store: Any = None,
    *,
    data: Any,
    name: str | None = None,
    chunks: Chunks | Literal["keep"] = "keep",
    shards: Shards | Literal["keep"] = "keep",
    filters: Codecs | Literal["keep"] = "keep",
    compressors: Codecs | Literal["keep"] = "keep",
    serializer: Any = "keep",
    zarr_format: int | str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    path: str | None = None,
    **arguments: Any,
) -> Array:
    """Make an array from another one: of numpy, of omnizarr or zarr-python, of h5py or dask.

    Values are copied block by block, so that memory stays bounded. `"keep"` takes chunks, shards and
    codecs over from `data` where it has them in this format; other parameters as in `create_array`.
    """
    values = data if hasattr(data, "shape") and hasattr(data, "dtype") else np.asarray(data)
    if zarr_format is None and isinstance(values, Array):
        zarr_format = asked_format(store, values.zarr_format)
    where = _place(store, name, path, storage_options)
    format = place_for_new(*where, asked_format(store, zarr_format), overwrite=True).format
    given: dict[str, Any] = dict(likeness(values, format.zarr_format))
    if isinstance(values, Array) and values.zarr_format == format.zarr_format:
        given |= codecs_of(values)
    asked = [
        ("chunks", chunks),
        ("shards", shards),
        ("filters", filters),
        ("compressors", compressors),
        ("serializer", serializer),
    ]
    given |= {name: value for name, value in asked if not _keeps(value)}
    given |= arguments
    return create_array(where.store, path=where.path, data=values, zarr_format=format.zarr_format, **given)


def _keeps(value: Any) -> bool:
    return isinstance(value, str) and value == "keep"


def _place(
    store: Any, name: str | None, path: str | None, storage_options: Mapping[str, Any] | None
) -> Place:
    relative = joined(normal_path(path), normal_path(name))
    return locate(store, relative, "a", storage_options)


def asked_format(store: Any, zarr_format: int | str | None) -> int | str | None:
    """The format that was asked for, also by a URL, or that of the group in which to make a node."""
    if isinstance(store, Node):
        return store.zarr_format if zarr_format is None else zarr_format
    return wishes_of(store, zarr_format).zarr_format
