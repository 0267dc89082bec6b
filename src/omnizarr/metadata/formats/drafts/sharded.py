"""Sharding as the drafts after 2019 have it, a storage transformer, as v3's codec `sharding_indexed`.

A shard is the chunks one after the other, in any order, and an index at its end: for each chunk, in C order,
where it begins and how long it is, as two little-endian integers of 64 bits without a checksum.

https://purl.org/zarr/spec/storage_transformers/sharding/1.0
"""

from __future__ import annotations

import re
from dataclasses import replace

from omnizarr.geometry.grid import RegularGrid
from omnizarr.jsontypes import Json, JsonObject, Problems, inside, read_list, read_object, read_string, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.extension import Extension
from omnizarr.metadata.grids import read_lengths

_URI = re.compile(r"https?://purl\.org/zarr/spec/storage_transformers/sharding/1\.[0-9]+/?")
_INDEX = Extension("bytes", {"endian": "little"})


def with_transformers(array: ArrayMetadata, transformers: Json, problems: Problems) -> ArrayMetadata:
    """Return an array with its storage transformers for codecs; sharding is the one that there was."""
    for i, item in enumerate(read_list(transformers, "storage_transformers", problems)):
        at = f"storage_transformers[{i}]"
        if i:
            problems.add(at, "more than one storage transformer is not known here", unsupported=True)
            return array
        array = _sharded(array, _read_counts(item, at, problems), at, problems)
    return array


def _read_counts(value: Json, at: str, problems: Problems) -> tuple[int, ...]:
    """Return how many chunks a shard has along each axis; none where it cannot be read."""
    required, optional = ("extension", "type"), ("configuration",)
    fields = read_object(value, at, problems, required=required, optional=optional)
    uri = read_string(fields.get("extension", ""), inside(at, "extension"), problems)
    kind = fields.get("type")
    if not _URI.fullmatch(uri) or kind != "indexed":
        message = f"the storage transformer {shown(kind)} of {shown(uri)} is not known here"
        problems.add(at, message, unsupported=True)
        return ()
    place = inside(at, "configuration")
    options = read_object(fields.get("configuration", {}), place, problems, required=("chunks_per_shard",))
    counts = options.get("chunks_per_shard", [])
    if type(counts) is int:
        counts = [counts]
    return read_lengths(counts, inside(place, "chunks_per_shard"), problems, 1)


def _sharded(array: ArrayMetadata, counts: tuple[int, ...], at: str, problems: Problems) -> ArrayMetadata:
    if problems or not isinstance(array.grid, RegularGrid):
        return array
    chunk = array.grid.chunk_shape
    # zarr-python writes [1] for an array without axes, and leaves out those that a data type of arrays adds.
    if len(counts) > array.ndim and (array.ndim or counts != (1,)):
        expected = f"expected {array.ndim} counts, one for each dimension, found {len(counts)}"
        problems.add(f"{at}.configuration.chunks_per_shard", expected)
        return array
    counts = (*counts, *(1 for _ in chunk))[: array.ndim]
    options: JsonObject = {
        "chunk_shape": list(chunk),
        "codecs": [codec.to_json() for codec in array.codecs],
        "index_codecs": [_INDEX.to_json()],
        "index_location": "end",
    }
    shard = RegularGrid(tuple(length * count for length, count in zip(chunk, counts, strict=True)))
    return replace(array, grid=shard, codecs=(Extension("sharding_indexed", options),))
