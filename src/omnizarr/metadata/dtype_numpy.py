"""Numpy dtypes to data types.

https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html
https://github.com/zarr-developers/zarr-extensions/tree/main/data-types
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from omnizarr.errors import MetadataError, Problem, UnsupportedError
from omnizarr.jsontypes import Json, JsonObject, Problems, as_json, shown
from omnizarr.metadata.dtype import PLAIN, DataType
from omnizarr.metadata.dtype_bits import has_custom, is_custom
from omnizarr.metadata.dtype_v3 import read_data_type, write_data_type
from omnizarr.plugins import loaded


def from_numpy(dtype: Any) -> DataType:
    """Return the data type for anything that `np.dtype` takes, or a Zarr v3 name or object.

    `str` and `np.dtypes.StringDType()` are `string`, `bytes` is `bytes`. Structured dtypes are packed.

    Raises
    ------
    MetadataError
        There is no such type, or it is `object`, which does not say what the objects are.
    """
    if isinstance(dtype, DataType):
        return dtype
    if isinstance(dtype, dict) and isinstance(dtype.get("name"), str):
        return _from_json(dtype)
    if isinstance(dtype, str) and dtype in PLAIN:
        return PLAIN[dtype]
    try:
        return data_type_of(np.dtype(dtype))
    except TypeError:
        if isinstance(dtype, str):
            return _from_json(dtype)
        raise MetadataError([Problem("dtype", f"expected a data type, found {shown(dtype)}")]) from None


def _from_json(value: Json) -> DataType:
    problems = Problems()
    found = read_data_type(value, "dtype", problems)
    problems.check()
    return found


@lru_cache(1024)
def data_type_of(dtype: np.dtype[Any]) -> DataType:
    """Return the data type of a numpy dtype, in its byte order.

    Raises
    ------
    UnsupportedError
        Zarr has no such type.
    """
    if is_custom(dtype) or (dtype.names == ("real", "imag") and has_custom(dtype)):
        small: DataType | None = loaded(_SMALL)(dtype)
        if small is not None:
            return small
    if dtype.names is not None:
        return _struct(dtype)
    plain = PLAIN.get(dtype.name)
    if plain is not None and plain.dtype.kind == dtype.kind:
        return plain if plain.dtype == dtype else DataType(plain.name, dtype)
    maker = None if is_custom(dtype) else _MAKERS.get(dtype.kind)
    if maker is None:
        raise UnsupportedError([Problem("dtype", f"there is no Zarr data type for numpy's {dtype}", True)])
    return maker(dtype)


def _text(dtype: np.dtype[Any]) -> DataType:
    if dtype.itemsize == 0:
        return PLAIN["string"]
    return DataType("fixed_length_utf32", dtype, {"length_bytes": dtype.itemsize})


def _bytes(dtype: np.dtype[Any]) -> DataType:
    if dtype.itemsize == 0:
        return PLAIN["bytes"]
    return DataType("null_terminated_bytes", dtype, {"length_bytes": dtype.itemsize})


def _raw(dtype: np.dtype[Any]) -> DataType:
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        message = f"expected a type of single elements, found arrays of {base} and shape {shape}"
        raise MetadataError([Problem("dtype", message)])
    if dtype.itemsize == 0:
        raise MetadataError([Problem("dtype", "expected raw bytes of a length, found V0")])
    return DataType(f"r{8 * dtype.itemsize}", np.dtype((np.void, dtype.itemsize)))


def _time(dtype: np.dtype[Any]) -> DataType:
    unit, factor = np.datetime_data(dtype)
    name = "numpy.datetime64" if dtype.kind == "M" else "numpy.timedelta64"
    return DataType(name, dtype, {"unit": unit, "scale_factor": factor})


def _object(dtype: np.dtype[Any]) -> DataType:
    expected = "expected 'string' or 'bytes', or for Zarr v2 an object codec"
    raise MetadataError([Problem("dtype", f"object does not say what the objects are: {expected}")])


_SMALL = "omnizarr.metadata.dtype_small:of_numpy"  # imports ml_dtypes
_MAKERS: dict[str, Callable[[np.dtype[Any]], DataType]] = {
    "U": _text,
    "S": _bytes,
    "V": _raw,
    "M": _time,
    "m": _time,
    "O": _object,
    "T": lambda dtype: PLAIN["string"],
}


def _struct(dtype: np.dtype[Any]) -> DataType:
    packed = _packed(dtype)
    return DataType("struct", packed, {"fields": [_field(name, packed[name]) for name in packed.names or ()]})


def _field(name: str, dtype: np.dtype[Any]) -> Json:
    base, shape = dtype.subdtype or (dtype, ())
    document: JsonObject = {"name": name, "data_type": write_data_type(data_type_of(base))}
    if shape:
        document["shape"] = as_json(shape)
    return document


def _packed(dtype: np.dtype[Any]) -> np.dtype[Any]:
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((_packed(base), shape))
    if dtype.fields is None:
        return dtype
    return np.dtype([(name, _packed(dtype[name])) for name in dtype.names or ()])
