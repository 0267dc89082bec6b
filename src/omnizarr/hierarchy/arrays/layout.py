"""From metadata to what the engine needs."""

from __future__ import annotations

from math import prod
from typing import Any

from omnizarr.codecs.base import ChunkSpec
from omnizarr.codecs.chain import Chain, build_chain
from omnizarr.config import config
from omnizarr.engine.layout import Layout
from omnizarr.geometry.grid import RegularGrid
from omnizarr.jsontypes import Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chunk_keys_draft import DraftChunkKeys
from omnizarr.metadata.fill import default_fill
from omnizarr.metadata.formats.base import Format
from omnizarr.store.base import Store

# What takes records as they come, as lists in JSON; pickles are refused when they are read.
_OF_RECORDS = ("json2", "msgpack2", "pickle")


def chain_of(store: Store, format: Format, path: str, metadata: ArrayMetadata) -> Chain:
    """Return the chain of an array's codecs.

    Raises
    ------
    MetadataError
        The codecs cannot be used on this array; every fault is listed with its location.
    """
    problems = Problems()
    chain = checked_chain(format, metadata, problems)
    problems.check(store=store.name, path=path)
    assert chain is not None
    return chain


def layout_of(store: Store, format: Format, path: str, metadata: ArrayMetadata, chain: Chain) -> Layout:
    """Return where the chunks of an array lie, which `chain` encodes."""
    prefix = format.data_prefix(path, metadata)
    axes = metadata.grid.axes(metadata.shape)
    keys = metadata.chunk_keys
    if isinstance(keys, DraftChunkKeys) and not metadata.shape:
        keys = keys.as_found(lambda key: store.exists(prefix + key))
    return Layout(store, path, prefix, keys, metadata.grid, axes, chain)


def checked_chain(format: Format, metadata: ArrayMetadata, problems: Problems) -> Chain | None:
    """Return the chain of an array's codecs, or None where there are faults, which go to `problems`."""
    grid = metadata.grid
    extent = grid.chunk_shape if isinstance(grid, RegularGrid) else grid.extent((0,) * metadata.ndim)
    spec = ChunkSpec(extent, metadata.data_type.dtype, metadata.fill_value, _undefined(metadata))
    limit = config.settings.max_chunk_bytes
    found = Problems()
    if spec.nbytes > limit:
        found.add(
            "chunk_grid", f"a chunk of {prod(extent)} elements takes {spec.nbytes} bytes, {limit} at most"
        )
    own_order = format.zarr_format == 2
    chain = build_chain(metadata.codecs, spec, "codecs", found, bytes_as_in_dtype=own_order)
    if chain is not None and _has_records(metadata) and chain.serializer.name not in _OF_RECORDS:
        message = f"records with objects in them cannot be read or written by {chain.serializer.name}"
        found.add("dtype", message, unsupported=True)
    for problem in found.found:
        at = format.document_place(metadata, problem.at)
        problems.add(at, problem.message, unsupported=problem.unsupported)
    return chain


def _has_records(metadata: ArrayMetadata) -> bool:
    """Say whether elements are records with objects in them, as hdmf-zarr writes them in Zarr v2."""
    return metadata.data_type.name == "object" and bool(metadata.data_type.configuration)


def _undefined(metadata: ArrayMetadata) -> Any:
    """Return what elements hold where the fill value is undefined: text is empty, times are none."""
    if metadata.fill_value is not None or metadata.data_type.name == "object":
        return None
    return default_fill(metadata.data_type)
