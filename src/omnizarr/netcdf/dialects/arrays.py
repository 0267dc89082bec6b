"""Arrays as variables: types, filters, chunks and byte order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from omnizarr.geometry.grid import RegularGrid
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.netcdf.dialects.retyping import as_text
from omnizarr.netcdf.dialects.stored import with_sequence_fill
from omnizarr.netcdf.dialects.zarrtypes import derived_type
from omnizarr.netcdf.filters.forms import from_codec, to_codec
from omnizarr.netcdf.filters.known import with_scanline
from omnizarr.netcdf.model.nodes import FILL_VALUE, AttributeModel, VariableModel
from omnizarr.netcdf.model.types import CHAR, INT64, STRING, AtomicType, Endian, NcType
from omnizarr.netcdf.values.layouts import string_room

_UNITS = {
    "Y": "years",
    "M": "months",
    "W": "weeks",
    "D": "days",
    "h": "hours",
    "m": "minutes",
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
}
_SHUFFLE = "numcodecs.shuffle"
_SZIP = "numcodecs.szip"
_POINTER_BYTES = 8
_NOT_A_TIME = np.iinfo("i8").min


def array_type(metadata: ArrayMetadata, *, has_char: bool) -> NcType | None:
    """Return the type that shows an array's values, or None where netCDF has none.

    Types of the user that are made for the array have no absolute path until `zarrtypes.declared` is asked.

    Parameters
    ----------
    has_char
        Whether the dialect tells char (`>S1`, `<U1`) from string; elsewhere both are strings.
    """
    dtype = metadata.data_type.dtype
    match dtype.kind:
        case "m" | "M":
            return INT64
        case "S" | "U":
            return CHAR if has_char and _is_char(metadata) else STRING
        case "O" | "T" if metadata.data_type.name in ("string", "variable_length_utf8"):
            return STRING
        case _:
            return derived_type(metadata)


def _is_char(metadata: ArrayMetadata) -> bool:
    # numpy has one name for both; only the document says which was meant.
    return metadata.spelling.get("dtype", "|S1") in (">S1", "<U1", ">U1")


def time_attributes(dtype: np.dtype[Any]) -> tuple[AttributeModel, ...]:
    """Return the CF attributes that say what the integers of a datetime64 or timedelta64 array mean."""
    if dtype.kind not in "mM":
        return ()
    unit, count = np.datetime_data(dtype)
    if count != 1 or unit not in _UNITS:
        return (AttributeModel("dtype", CHAR, dtype.name),)
    fill = AttributeModel(FILL_VALUE, INT64, (_NOT_A_TIME,))
    if dtype.kind == "m":
        return AttributeModel("units", CHAR, _UNITS[unit]), fill
    since = f"{_UNITS[unit]} since 1970-01-01"
    calendar = AttributeModel("calendar", CHAR, "proleptic_gregorian")
    return AttributeModel("units", CHAR, since), calendar, fill


def describe_array(
    name: str,
    metadata: ArrayMetadata,
    kind: NcType,
    dimensions: tuple[str, ...],
    attributes: tuple[AttributeModel, ...],
) -> VariableModel:
    """Return an array as a variable."""
    return VariableModel(
        name=name,
        type=kind,
        dimensions=dimensions,
        attributes=attributes,
        # Zarr v2 has no fill value for arrays of any length.
        no_fill=metadata.fill_value is None and metadata.data_type.name != "object",
        chunks=_chunks(metadata) if dimensions else None,
        filters=tuple(from_codec(codec) for codec in metadata.codecs if codec.name not in _LAYOUT),
        endian=_endian(metadata),
        max_string_length=string_room(kind, metadata.data_type.dtype),
    )


def with_fill(metadata: ArrayMetadata, variable: VariableModel) -> ArrayMetadata:
    """Return an array whose absent chunks hold just what the variable says.

    netCDF-C writes floating fill values with six digits, and those of text as they are where Zarr v2
    has base64: the `_FillValue` attribute, and the type's own default, are exact. Text has bytes for its
    elements, whatever it is stored as.
    """
    metadata = as_text(metadata, variable.type)
    if not isinstance(variable.type, AtomicType):
        return with_sequence_fill(variable, metadata)
    fill = variable.fill_value
    if fill is None or metadata.fill_value is None or not _stands_for(metadata, variable, fill):
        return metadata
    if variable.type is STRING:
        fill = str(fill).encode("utf-8", "surrogateescape")
    exact = np.array(fill, metadata.data_type.dtype.newbyteorder("="))[()]
    return replace(metadata, fill_value=exact)


def with_string_shuffle(metadata: ArrayMetadata, kind: NcType) -> ArrayMetadata:
    """Return an array of strings whose shuffle is netCDF-C's: it takes each string for a pointer."""
    if kind is not STRING or not any(codec.name == _SHUFFLE for codec in metadata.codecs):
        return metadata
    codecs = tuple(
        replace(codec, configuration={"elementsize": _POINTER_BYTES})
        if codec.name == _SHUFFLE and not codec.configuration.get("elementsize")
        else codec
        for codec in metadata.codecs
    )
    return replace(metadata, codecs=codecs)


def with_szip_scanline(metadata: ArrayMetadata) -> ArrayMetadata:
    """Return an array whose szip knows the pixels of a scanline, which netCDF-C takes from its dimension."""
    if not any(codec.name == _SZIP for codec in metadata.codecs) or not metadata.shape:
        return metadata
    chunks = _chunks(metadata)
    codecs = tuple(
        to_codec(with_scanline(from_codec(codec), metadata.shape[-1], chunks), 1)
        if codec.name == _SZIP and not codec.configuration.get("pixels-per-scanline")
        else codec
        for codec in metadata.codecs
    )
    return replace(metadata, codecs=codecs)


def is_default_fill(kind: NcType, fill: Any) -> bool:
    """Say whether an array's fill value is a type's default, written with few digits perhaps."""
    return bool(fill == kind.dtype.type(kind.default_fill)) or _is_rounded(fill, kind.default_fill)


def _stands_for(metadata: ArrayMetadata, variable: VariableModel, fill: Any) -> bool:
    """Say whether an array's own fill value stands for this one."""
    if metadata.data_type.dtype.kind == "S":
        return any(a.name == FILL_VALUE for a in variable.attributes)
    return metadata.data_type.dtype.kind == "f" and _is_rounded(metadata.fill_value, fill)


def _is_rounded(found: Any, exact: Any) -> bool:
    if not isinstance(exact, float) or found.dtype.itemsize < 4:
        return False
    with np.errstate(over="ignore"):
        return float(found) == float(found.dtype.type(f"{exact:g}"))


_LAYOUT = (
    *("transpose", "bytes", "vlen-utf8", "vlen-bytes"),
    *("numcodecs.vlen-utf8", "numcodecs.vlen-bytes", "numcodecs.vlen-array"),
)


def _chunks(metadata: ArrayMetadata) -> tuple[int, ...]:
    if isinstance(metadata.grid, RegularGrid):
        return metadata.grid.chunk_shape
    sizes = metadata.grid.chunk_shapes
    return tuple(size if isinstance(size, int) else max(size, default=1) for size in sizes)


def _endian(metadata: ArrayMetadata) -> Endian:
    for codec in metadata.codecs:
        if codec.name == "bytes" and codec.configuration.get("endian") == "big":
            return "big"
    # v3's arrays are native in memory.
    return "big" if metadata.data_type.byte_order == "big" else "little"
