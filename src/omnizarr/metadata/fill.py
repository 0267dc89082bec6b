"""Fill values: JSON to numpy scalars and back, as Zarr v3 writes them.

https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html#permitted-fill-values
https://github.com/zarr-developers/zarr-extensions/tree/main/data-types
"""

from __future__ import annotations

from typing import Any

import numpy as np

from omnizarr.jsontypes import Json, Problems, inside, shown
from omnizarr.metadata.dtype import DataType, Scalars
from omnizarr.metadata.dtype_v3 import read_data_type
from omnizarr.metadata.scalars import (
    NAT,
    OBJECT_READERS,
    READERS,
    WRITERS,
    Dtype,
    MisfitError,
    read_bytes,
    write_bytes,
)

_EMPTY: dict[str, Any] = {"string": "", "bytes": b"", "variable_length_bytes": b"", "object": 0}


def default_fill(data_type: DataType) -> Any:
    """Return the fill value of an array that was made without one: zero, empty, not-a-time."""
    dtype = data_type.dtype
    if dtype.kind in "mM":
        return np.int64(NAT).view(dtype.newbyteorder("="))
    if dtype.kind == "O":
        return _EMPTY[data_type.name]
    return np.zeros((), dtype)[()]


def same_fill(a: Any, b: Any) -> bool:
    """Return whether two fill values are the same to the bit: NaN is NaN, but -0.0 is not 0.0."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, np.generic) and not isinstance(a, np.str_ | np.bytes_):
        return bool(a.dtype == b.dtype and a.tobytes() == b.tobytes())
    return bool(a == b) or (isinstance(a, float) and a != a and b != b)


def as_fill(value: Any, data_type: DataType) -> Any:
    """Turn what a user gives for a fill value into one: a number, text, bytes, a tuple, a numpy scalar.

    Raises
    ------
    ValueError, TypeError, OverflowError
        The value does not fit the data type.
    """
    dtype = data_type.dtype
    if data_type.scalars is not None:
        return _as_scalar(value, data_type.scalars)
    if dtype.kind == "O":
        return _as_object(value, data_type)
    if dtype.names is not None:
        return np.array(value, dtype)[()]
    if dtype.kind in "SUV":
        return _as_fixed(value, data_type)
    given = np.asarray(value)
    if given.ndim:
        raise ValueError(f"expected one value, found an array of shape {given.shape}")
    return given.astype(dtype.newbyteorder("="))[()] if given.dtype.kind in "US" else _cast(value, data_type)


def _as_scalar(value: Any, scalars: Scalars) -> Any:
    try:
        return scalars.given(value)
    except MisfitError as error:
        raise ValueError(f"expected {error}") from None


def _cast(value: Any, data_type: DataType) -> Any:
    result = np.array(value, data_type.dtype.newbyteorder("="))[()]
    # numpy cuts 1.5 down to the integer 1 without a word.
    if data_type.dtype.kind in "biu" and result != value:
        raise ValueError(f"expected a value of {data_type.name}")
    return result


def _as_fixed(value: Any, data_type: DataType) -> Any:
    dtype = data_type.dtype
    if isinstance(value, int | float | np.number) and value == 0:  # what numpy.zeros gives
        return default_fill(data_type)
    if dtype.kind == "U" and isinstance(value, str) and len(value) <= dtype.itemsize // 4:
        return np.str_(value)
    data = (
        value.encode() if isinstance(value, str) else value.tobytes() if isinstance(value, np.void) else value
    )
    if dtype.kind == "U" or not isinstance(data, bytes) or len(data) > dtype.itemsize:
        raise ValueError(f"expected text or bytes that fit {dtype}")
    return np.bytes_(data) if dtype.kind == "S" else np.void(data.ljust(dtype.itemsize, b"\0"))


def _as_object(value: Any, data_type: DataType) -> Any:
    if data_type.name == "object":
        return value
    expected = type(_EMPTY[data_type.name])
    if isinstance(value, expected):
        return expected(value)  # numpy's text and bytes are subclasses of Python's
    if type(value) is int and value == 0:  # what zarr-python 2 wrote, and its users still give
        return _EMPTY[data_type.name]
    raise TypeError(f"expected {expected.__name__}, found {type(value).__name__}")


def read_fill(value: Json, data_type: DataType, at: str, problems: Problems) -> Any:
    """Read a fill value; one that does not fit is a problem, and the default is returned."""
    dtype = data_type.dtype
    try:
        if data_type.scalars is not None:
            return data_type.scalars.read(value)
        if dtype.names is not None:
            return _read_struct(value, data_type, at, problems)
        read = OBJECT_READERS[data_type.name] if dtype.kind == "O" else READERS[dtype.kind]
        return read(value, dtype)
    except MisfitError as error:
        problems.add(at, f"expected {error}, found {shown(value)}")
        return default_fill(data_type)


def write_fill(value: Any, data_type: DataType) -> Json:
    """Return the JSON of a fill value."""
    dtype = data_type.dtype
    if data_type.scalars is not None:
        return data_type.scalars.write(value)
    if dtype.names is not None:
        return _write_struct(value, data_type)
    if dtype.kind == "V" and data_type.name != "raw_bytes":
        return list(bytes(value))
    return WRITERS[dtype.kind](value)


# --- structures


def _read_struct(value: Json, data_type: DataType, at: str, problems: Problems) -> Any:
    dtype = data_type.dtype
    if isinstance(value, str):  # as zarr-python writes it for `structured`
        return struct_of_bytes(value, dtype.newbyteorder("<"), at, problems).astype(dtype)[()]
    result = np.zeros((), dtype)
    if not isinstance(value, dict):
        problems.add(at, f"expected an object with a value for each field, found {shown(value)}")
        return result[()]
    for name in value.keys() - set(dtype.names or ()):
        problems.add(inside(at, name), "there is no such field")
    for name, kind in _fields(data_type):
        if name in value:
            result[name] = read_fill(value[name], kind, inside(at, name), problems)
        else:
            problems.add(inside(at, name), "required, but missing")
    return result[()]


def struct_of_bytes(value: str, dtype: Dtype, at: str, problems: Problems) -> np.ndarray[Any, Any]:
    """Read the bytes of one element in base64 into an array without dimensions."""
    try:
        data = read_bytes(value, dtype)
    except MisfitError:
        data = b""
    if len(data) != dtype.itemsize:
        problems.add(at, f"expected {dtype.itemsize} bytes in base64, found {shown(value)}")
        return np.zeros((), dtype)
    return np.frombuffer(data, dtype).reshape(()).copy()


def _write_struct(value: Any, data_type: DataType) -> Json:
    if data_type.name == "structured":
        little = data_type.dtype.newbyteorder("<")
        return write_bytes(np.array(value, data_type.dtype).astype(little).tobytes())
    return {name: write_fill(_item(value, name), kind) for name, kind in _fields(data_type)}


def _item(value: Any, name: str) -> Any:
    """Return a field as the scalar that an array of its type would hold."""
    item = value[name]
    return np.void(item.tobytes()) if item.dtype.type is np.void and item.dtype.names is None else item


def _fields(data_type: DataType) -> list[tuple[str, DataType]]:
    document: Any = data_type.configuration["fields"]
    pairs = [(f["name"], f["data_type"]) if isinstance(f, dict) else (f[0], f[1]) for f in document]
    return [(name, read_data_type(kind, "", Problems())) for name, kind in pairs]
