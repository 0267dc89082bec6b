"""What a new array takes over from another one."""

from __future__ import annotations

from typing import Any

import numpy as np

from omnizarr.codecs.base import Codec
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.making import MakeArguments, type_of
from omnizarr.metadata.extension import Extension


def likeness(data: Any) -> MakeArguments:
    """Return arguments for an array of the same shape, type and chunks as an array-like.

    From an array of omnizarr codecs, fill value and names of the dimensions are taken too; codecs only
    where they can be said in the other's terms (`codecs_of`).
    """
    values: Any = data if hasattr(data, "shape") and hasattr(data, "dtype") else np.asarray(data)
    arguments = MakeArguments(shape=tuple(values.shape), dtype=type_of(values))
    if isinstance(values, Array):
        arguments["fill_value"] = values.fill_value
        arguments["chunks"] = values.chunks
        if values.shards is not None:
            arguments["shards"] = values.shards
        if values.dimension_names is not None:
            arguments["dimension_names"] = values.dimension_names
        return arguments
    if isinstance(getattr(values, "chunks", None), tuple):
        arguments["chunks"] = values.chunks
    if isinstance(getattr(values, "shards", None), tuple):
        arguments["shards"] = values.shards
    return arguments


def codecs_of(array: Array) -> MakeArguments:
    """Return the arguments that ask for an array's own codecs."""
    return MakeArguments(
        filters=[_extension(codec) for codec in array.filters],
        serializer=_extension(array.serializer),
        compressors=[_extension(codec) for codec in array.compressors],
    )


def _extension(codec: Codec) -> Extension:
    return Extension(codec.name, codec.to_json())
