"""How an array is stored, as xarray keeps it: what `encoding` says, and writing understands.

Codecs are v3's JSON, and numcodecs' objects on v2: what zarr-python takes too, so that a dataset that was
opened here can be written by `to_zarr`. What an array would get unasked is left out, where
that may change with its type: its serializer, its chunk keys.

https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html
"""

from __future__ import annotations

from base64 import b64encode, standard_b64decode
from collections.abc import Hashable, Iterable, Mapping
from struct import pack
from typing import Any

import numcodecs
import numpy as np

from omnizarr.codecs.base import Codec
from omnizarr.errors import ConversionError
from omnizarr.geometry.blocks import chunk_sizes
from omnizarr.geometry.grid import RegularAxis
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.creating.codec_arguments import default_serializer
from omnizarr.hierarchy.creating.like import codecs_of
from omnizarr.metadata import chunk_keys
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.extension import Extension
from omnizarr.netcdf.dialects.fills import double_in
from omnizarr.netcdf.model.nodes import FILL_VALUE

# What `encoding` may say of an array; beside it stands what xarray's own coders know.
STORAGE = frozenset(
    {
        *("chunks", "shards", "filters", "compressors", "serializer", "order", "chunk_key_encoding"),
        *("write_empty_chunks", "fill_value"),
    }
)
# What netCDF's `encoding` says, and what comes of reading; of no use for an array.
_DROPPED = frozenset({"source", "original_shape", "preferred_chunks", "cache_metadata"})


def encoding_of(array: Array, dims: Iterable[Hashable]) -> dict[str, Any]:
    """Return how an array is stored, in chunks that are worth reading at once: shards where there are any."""
    stored = [axis.size if isinstance(axis, RegularAxis) else chunk_sizes(axis) for axis in array.layout.axes]
    found = {
        "chunks": array.chunks,
        "preferred_chunks": dict(zip(dims, stored, strict=False)),
        "shards": array.shards,
        **(_codecs_of_v2(array) if array.zarr_format == 2 else _codecs_of_v3(array)),
    }
    usual = chunk_keys.V2 if array.zarr_format == 2 else chunk_keys.DEFAULT
    if array.metadata.chunk_keys != usual and array.zarr_format in (2, 3):
        found["chunk_key_encoding"] = array.metadata.chunk_keys.to_json()
    return found


def _codecs_of_v2(array: Array) -> dict[str, Any]:
    found: Any = codecs_of(array)
    filters, compressor = found["filters"] or [], found["compressors"]
    encoding = {
        "filters": tuple(map(_numcodec, filters)),
        "compressors": () if compressor is None else (_numcodec(compressor),),
    }
    return encoding | ({"order": "F"} if found["order"] == "F" else {})


def _numcodec(configuration: Mapping[str, Any]) -> Any:
    """Return the object of numcodecs where it has such a codec, else what the document says."""
    try:
        return numcodecs.get_codec(dict(configuration))
    except (ValueError, TypeError, KeyError):
        return dict(configuration)


def _codecs_of_v3(array: Array) -> dict[str, Any]:
    encoding: dict[str, Any] = {
        "filters": tuple(map(_extension, array.filters)),
        "compressors": tuple(map(_extension, array.compressors)),
    }
    serializer = _extension(array.serializer)
    if serializer != default_serializer(array.metadata.data_type).to_json():
        encoding["serializer"] = serializer
    return encoding


def _extension(codec: Codec) -> Any:
    return Extension(codec.name, codec.to_json()).to_json()


def with_fill_read(
    metadata: ArrayMetadata, attributes: dict[str, Any], encoding: dict[str, Any], *, masks: bool
) -> None:
    """Bring an array's fill value to where xarray looks for it.

    With `masks` it is the attribute `_FillValue`, as on v2; else it is kept in `encoding`, and the attribute
    is decoded, as on v3.
    """
    if masks:
        if metadata.fill_value is not None:
            attributes[FILL_VALUE] = metadata.fill_value
        return
    encoding["fill_value"] = metadata.fill_value
    if FILL_VALUE in attributes:
        attributes[FILL_VALUE] = decoded_fill(attributes[FILL_VALUE], metadata)


def decoded_fill(value: Any, metadata: ArrayMetadata) -> Any:
    """Return the value that an attribute `_FillValue` on v3 means: as xarray writes it, or the bare number.

    Raises
    ------
    ConversionError
        It is none of the array's type.
    """
    dtype = metadata.data_type.dtype
    try:
        match dtype.kind:
            case "f":
                return float(double_in(value) if isinstance(value, str) else value)  # type: ignore[arg-type]
            case "c":
                parts = value if isinstance(value, list | tuple) else (value, 0.0)
                real, imaginary = (double_in(part) if isinstance(part, str) else part for part in parts)
                return complex(float(real), float(imaginary))  # type: ignore[arg-type]
            case "i" | "u":
                return int(value)
            case "b":
                return bool(value)
            case "S":
                return standard_b64decode(value)
            case "O" if metadata.data_type.name in ("bytes", "variable_length_bytes"):
                return standard_b64decode(value)
            case _:
                return value
    except (TypeError, ValueError) as error:
        message = f"attribute {FILL_VALUE!r}: expected one of {metadata.data_type.name}, found {value!r}"
        raise ConversionError(message) from error


def encoded_fill(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return the attribute `_FillValue` as xarray writes it on v3.

    Raises
    ------
    ConversionError
        There is no such form for this type, or the value is none of it.
    """
    try:
        match dtype.kind:
            case "f":
                return _in_base64(float(value))
            case "c":
                return [_in_base64(float(value.real)), _in_base64(float(value.imag))]
            case "i" | "u":
                return int(value)
            case "b":
                return bool(value)
            case "S":
                return b64encode(bytes(value)).decode()
            case "U" | "O" | "T" if isinstance(value, str):
                return str(value)
            case "O" if isinstance(value, bytes):
                return b64encode(value).decode()
    except (TypeError, ValueError, AttributeError):
        pass
    raise ConversionError(f"{FILL_VALUE}: expected a value of {dtype}, found {value!r}")


def _in_base64(number: float) -> str:
    return b64encode(pack("<d", number)).decode()


def storage_of(encoding: Mapping[str, Any], name: Hashable, *, strict: bool) -> dict[str, Any]:
    """Return what an encoding says of an array.

    Parameters
    ----------
    strict
        Whether a word that means nothing here is an error: where the caller has given this encoding.

    Raises
    ------
    ValueError
        There is such a word.
    """
    unknown = sorted(map(str, encoding.keys() - STORAGE - _DROPPED - _unset(encoding)))
    if strict and unknown:
        known = ", ".join(sorted(STORAGE))
        raise ValueError(f"encoding of {name!r}: expected some of {known}, found {', '.join(unknown)}")
    return {key: value for key, value in encoding.items() if key in STORAGE}


def _unset(encoding: Mapping[str, Any]) -> set[str]:
    """Return `_FillValue` where it is None, by which xarray's users ask for none."""
    return {FILL_VALUE} if encoding.get(FILL_VALUE) is None else set()
