"""How values of user-defined types lie in Zarr arrays.

An enum is its integers, an opaque raw bytes, a compound a packed record, in which text has a fixed length.
A vlen of numbers or characters is a vlen-array on v2, and on v3 bytes, the least significant first. Values
that nest sequences deeper are texts that hold JSON, as `items.to_json` has it.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.jsontypes import Json, JsonObject
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chains import numcodecs_id
from omnizarr.metadata.convert import as_v3
from omnizarr.metadata.dtype import PLAIN
from omnizarr.metadata.dtype_numpy import data_type_of
from omnizarr.metadata.dtype_v2 import write_dtype
from omnizarr.metadata.extension import Extension
from omnizarr.netcdf.model.items import Item, to_json, to_numpy
from omnizarr.netcdf.model.nodes import VariableModel
from omnizarr.netcdf.model.types import CHAR, STRING, AtomicType, Compound, Enum, NcType, Opaque, Vlen
from omnizarr.netcdf.values.layouts import complex_dtype, fits, form_of, stored_as
from omnizarr.netcdf.values.records import recast, sequence_bytes, text_of_item

DEFAULT_STRING_LENGTH = 128

_ARRAYS = "vlen-array"


@dataclass(frozen=True, slots=True)
class StoredType:
    """What `.zarray` says of a type; `codec` is the first of the filters, where elements are objects."""

    dtype: Json
    fill_value: Json
    codec: JsonObject | None = None


def v2_type(variable: VariableModel) -> StoredType:
    """Return how the values of a variable of a user's type lie in a Zarr v2 array.

    Raises
    ------
    ConversionError
        Zarr cannot hold the type: an opaque without bytes, say.
    """
    kind = variable.type
    fill = variable.fill_value
    match form_of(kind):
        case "sequence" if isinstance(kind, Vlen):
            code = kind.base.dtype.str if kind.base is CHAR else kind.base.dtype.newbyteorder("<").str
            # Zarr v2 has no fill values for arrays: `with_fill` gives the handle one.
            return StoredType("|O", None, {"id": _ARRAYS, "dtype": code})
        case "text":
            text = None if fill is None else text_of_item(kind, fill)
            return StoredType("|O", text, {"id": "vlen-utf8"})
        case _:
            dtype = stored_dtype(variable)
            if not dtype.itemsize:
                raise ConversionError(f"variable {variable.name!r}: values of type {kind} have no bytes")
            return StoredType(write_dtype(data_type_of(dtype)), _fill(kind, fill, dtype))


def v3_array(variable: VariableModel, array: ArrayMetadata) -> ArrayMetadata:
    """Return the Zarr v3 array of a variable from its v2 array: types, codecs and fill value.

    Raises
    ------
    ConversionError
        Zarr v3 cannot hold the array; every reason is named.
    """
    kind, fill = variable.type, variable.fill_value
    if isinstance(kind, Compound) and form_of(kind) == "fixed":
        dtype = stored_dtype(variable, numbered=True)
        exact = None if fill is None else _element(kind, fill, dtype)
        array = replace(array, data_type=data_type_of(dtype), fill_value=exact)
    elif isinstance(kind, Vlen) and form_of(kind) == "sequence":
        codecs = tuple(_as_bytes(codec) for codec in array.codecs)
        exact = None if fill is None else sequence_bytes(kind.base, to_numpy(kind, [fill])[0])
        array = replace(array, data_type=PLAIN["bytes"], codecs=codecs, fill_value=exact)
    return as_v3(array)


def _as_bytes(codec: Extension) -> Extension:
    return Extension("vlen-bytes") if numcodecs_id(codec) == _ARRAYS else codec


def stored_dtype(variable: VariableModel, *, numbered: bool = False) -> np.dtype[Any]:
    """Return the dtype of a variable's elements in its array; objects where they are not of one size."""
    if form_of(variable.type) != "fixed":
        return np.dtype(object)
    length = variable.max_string_length or DEFAULT_STRING_LENGTH
    fill = variable.fill_value
    if variable.type is STRING and isinstance(fill, str):
        length = max(length, len(fill.encode("utf-8", "surrogateescape")))
    return stored_as(variable.type, variable.endian, length, numbered=numbered)


def with_sequence_fill(variable: VariableModel, array: ArrayMetadata) -> ArrayMetadata:
    """Return a v2 array of sequences with its fill value, which its document cannot say."""
    kind, fill = variable.type, variable.fill_value
    if fill is None or array.data_type.name != "object" or form_of(kind) != "sequence":
        return array
    return replace(array, fill_value=to_numpy(kind, [fill])[0])


def without_sequence_fill(array: ArrayMetadata) -> ArrayMetadata:
    """Return what the document of a v2 array of sequences can say: no fill value."""
    return replace(array, fill_value=None) if isinstance(array.fill_value, np.ndarray) else array


def holds(array: ArrayMetadata, kind: NcType) -> bool:
    """Say whether an array's elements can be values of a type."""
    dtype, name = array.data_type.dtype, array.data_type.name
    match form_of(kind):
        case "sequence":
            return dtype.kind == "O" and name != "string"
        case "text":
            return name == "string"
        case _:
            return fits(kind, dtype)


def is_stored_specially(kind: NcType) -> bool:
    """Say whether netCDF-C cannot open an array of the type: it is a user's, and not of integers."""
    return not isinstance(kind, AtomicType | Enum)


def _element(kind: NcType, item: Item, dtype: np.dtype[Any]) -> Any:
    return recast(kind, to_numpy(kind, [item]), dtype)[0]


def _fill(kind: NcType, fill: Item | None, dtype: np.dtype[Any]) -> Json:
    if fill is None:
        return None
    if isinstance(kind, Opaque | Compound) and complex_dtype(kind) is None:
        return b64encode(np.array([_element(kind, fill, dtype)], dtype).tobytes()).decode()
    return to_json(kind, fill)
