"""What a new array takes over from another one."""

from __future__ import annotations

from typing import Any

import numpy as np

from omnizarr.codecs.base import Codec
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.creating.make import MakeArguments, type_of
from omnizarr.metadata.extension import Extension
from omnizarr.metadata.formats import v2_node


def likeness(data: Any, zarr_format: int | str | None = None) -> MakeArguments:
    """Return arguments for an array of the same shape, type and chunks as an array-like.

    From an array of omnizarr fill value and names of the dimensions are taken too; its codecs are apart
    (`codecs_of`). What `zarr_format` cannot say is left out.
    """
    values: Any = data if hasattr(data, "shape") and hasattr(data, "dtype") else np.asarray(data)
    arguments = MakeArguments(shape=tuple(values.shape), dtype=type_of(values))
    is_v3 = zarr_format in (None, 3)
    chunks, shards = getattr(values, "chunks", None), getattr(values, "shards", None)
    if isinstance(chunks, tuple) and (is_v3 or not _is_uneven(chunks)):
        arguments["chunks"] = chunks
    if isinstance(shards, tuple) and is_v3:
        arguments["shards"] = shards
    if isinstance(values, Array):
        arguments["fill_value"] = values.fill_value
        if is_v3:
            arguments["dimension_names"] = values.dimension_names
    return arguments


def _is_uneven(chunks: tuple[Any, ...]) -> bool:
    """Say whether the lengths of chunks are listed and differ, but for a shorter last one."""
    listed = [axis for axis in chunks if isinstance(axis, tuple)]
    return any(len(set(axis[:-1])) > 1 or axis[-1] > axis[0] for axis in listed if axis)


def codecs_of(array: Array) -> MakeArguments:
    """Return the arguments that ask for an array's own codecs, in its own format."""
    if array.zarr_format == 2:
        document: Any = v2_node.write_node(array.metadata)[v2_node.ARRAY]
        return MakeArguments(
            filters=document["filters"], compressors=document["compressor"], order=document["order"]
        )
    return MakeArguments(
        filters=[_extension(codec) for codec in array.filters],
        serializer=_extension(array.serializer),
        compressors=[_extension(codec) for codec in array.compressors],
    )


def _extension(codec: Codec) -> Extension:
    return Extension(codec.name, codec.to_json())
