"""Fill values: JSON to numpy scalars and back, as Zarr v3 writes them.

https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html#permitted-fill-values
https://github.com/zarr-developers/zarr-extensions/tree/main/data-types
"""

from __future__ import annotations

import math
import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from omnizarr.jsontypes import Json, Problems, inside, shown
from omnizarr.metadata.dtype import DataType
from omnizarr.metadata.dtype_v3 import read_data_type

Dtype: TypeAlias = np.dtype[Any]

_NAMED = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_NAT = -(2**63)
_RANGES = {
    kind: (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
    for kind in np.sctypeDict.values()
    if issubclass(kind, np.integer) and not issubclass(kind, np.timedelta64)
}


class _MisfitError(Exception):
    """A JSON value that is no fill value; the text says what was expected."""


def read_fill(value: Json, data_type: DataType, at: str, problems: Problems) -> Any:
    """Read a fill value; one that does not fit is a problem, and the default is returned."""
    if data_type.dtype.names is not None:
        return read_struct(value, data_type, at, problems)
    try:
        return _reader(data_type)(value, data_type.dtype)
    except _MisfitError as error:
        problems.add(at, f"expected {error}, found {shown(value)}")
        return default_fill(data_type)


def write_fill(value: Any, data_type: DataType) -> Json:
    """Return the JSON of a fill value."""
    dtype = data_type.dtype
    if dtype.names is not None:
        return _write_struct(value, data_type)
    if dtype.kind == "V" and data_type.name != "raw_bytes":
        return list(bytes(value))
    return _WRITERS[dtype.kind](value)


def default_fill(data_type: DataType) -> Any:
    """Return the fill value of an array that was made without one: zero, empty, not-a-time."""
    dtype = data_type.dtype
    if dtype.kind in "mM":
        return np.int64(_NAT).view(dtype.newbyteorder("="))
    if dtype.kind == "O":
        return _EMPTY.get(data_type.name)
    return np.zeros((), dtype)[()]


_EMPTY: dict[str, Any] = {"string": "", "bytes": b"", "variable_length_bytes": b"", "object": 0}


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
    if dtype.kind == "O":
        expected = type(_EMPTY.get(data_type.name))
        if data_type.name != "object" and not isinstance(value, expected):
            raise TypeError(f"expected {expected.__name__}, found {type(value).__name__}")
        return value
    if isinstance(value, bytes) and dtype.kind == "V":
        return np.frombuffer(value.ljust(dtype.itemsize, b"\0"), dtype, 1)[0]
    result = np.array(value, dtype)
    if result.ndim:
        raise ValueError(f"expected one value, found an array of shape {result.shape}")
    return result[()]


# --- reading


def read_bool(value: Json, dtype: Dtype) -> Any:
    """Read true or false."""
    if isinstance(value, bool):
        return np.bool_(value)
    raise _MisfitError("true or false")


def read_integer(value: Json, dtype: Dtype) -> Any:
    """Read an integer in the type's range; a float that is whole counts."""
    kind = dtype.type
    low, high = _RANGES[kind]
    number = int(value) if type(value) is float and value.is_integer() else value
    if type(number) is int and low <= number <= high:
        return kind(number)
    raise _MisfitError(f"an integer, {low} to {high}")


def read_float(value: Json, dtype: Dtype) -> Any:
    """Read a number, a name such as NaN, or the bits in hexadecimal."""
    kind = dtype.type
    if type(value) is float or type(value) is int:
        return _finite(value, kind)
    if isinstance(value, str):
        if value in _NAMED:
            return kind(_NAMED[value])
        if _HEX.fullmatch(value) and int(value, 16) < 1 << 8 * dtype.itemsize:
            bits = int(value, 16).to_bytes(dtype.itemsize, "little")
            return np.frombuffer(bits, dtype.newbyteorder("<")).astype(dtype.newbyteorder("="))[0]
    raise _MisfitError(f'a {kind.__name__}: a number, "NaN", "Infinity", "-Infinity" or bits as "0x…"')


def _finite(value: float, kind: type) -> Any:
    try:
        with np.errstate(over="ignore"):
            number = kind(value)
    except OverflowError:
        number = kind(math.inf)
    if np.isinf(number) and not (isinstance(value, float) and math.isinf(value)):
        raise _MisfitError(f"a number that fits {kind.__name__}")
    return number


def read_complex(value: Json, dtype: Dtype) -> Any:
    """Read a pair of floats."""
    if not isinstance(value, list) or len(value) != 2:
        raise _MisfitError("a pair of numbers, real and imaginary")
    part = np.dtype(f"f{dtype.itemsize // 2}")
    return np.array([read_float(item, part) for item in value], part).view(dtype.newbyteorder("="))[0]


def read_time(value: Json, dtype: Dtype) -> Any:
    """Read a count of units, or NaT."""
    count = (
        _NAT if value == "NaT" else int(value) if isinstance(value, float) and value.is_integer() else value
    )
    if type(count) is int and -(2**63) <= count < 2**63:
        return np.int64(count).view(dtype.newbyteorder("="))
    raise _MisfitError('an integer of 64 bits or "NaT"')


def read_text(value: Json, dtype: Dtype) -> Any:
    """Read text of fixed length."""
    length = dtype.itemsize // 4
    if isinstance(value, str) and len(value) <= length:
        return np.str_(value.rstrip("\0"))
    raise _MisfitError(f"text of {length} characters at most")


def read_fixed_bytes(value: Json, dtype: Dtype) -> Any:
    """Read bytes of fixed length."""
    data = as_bytes(value)
    if len(data) <= dtype.itemsize:
        return np.bytes_(data.rstrip(b"\0"))
    raise _MisfitError(f"{dtype.itemsize} bytes at most in base64")


def read_void(value: Json, dtype: Dtype) -> Any:
    """Read raw bytes."""
    data = as_bytes(value)
    if len(data) == dtype.itemsize:
        return np.void(data)
    raise _MisfitError(f"{dtype.itemsize} bytes, as a list of integers or in base64")


def as_bytes(value: Json) -> bytes:
    """Read base64, or a list of integers."""
    if isinstance(value, str):
        try:
            return b64decode(value, validate=True)
        except (Base64Error, ValueError):
            raise _MisfitError("base64") from None
    if isinstance(value, list) and all(type(item) is int and 0 <= item < 256 for item in value):
        return bytes(value)  # type: ignore[arg-type]
    raise _MisfitError("base64, or a list of integers from 0 to 255")


def _read_string(value: Json, dtype: Dtype) -> Any:
    if isinstance(value, str):
        return value
    raise _MisfitError("text")


_Reader: TypeAlias = Callable[[Json, Dtype], Any]

_READERS: dict[str, _Reader] = {
    "b": read_bool,
    "i": read_integer,
    "u": read_integer,
    "f": read_float,
    "c": read_complex,
    "M": read_time,
    "m": read_time,
    "U": read_text,
    "S": read_fixed_bytes,
    "V": read_void,
}
_OBJECT_READERS: dict[str, _Reader] = {
    "string": _read_string,
    "bytes": lambda value, dtype: as_bytes(value),
    "variable_length_bytes": lambda value, dtype: as_bytes(value),
    "object": lambda value, dtype: value,
}


def _reader(data_type: DataType) -> _Reader:
    kind = data_type.dtype.kind
    return _OBJECT_READERS[data_type.name] if kind == "O" else _READERS[kind]


def read_struct(value: Json, data_type: DataType, at: str, problems: Problems) -> Any:
    """Read a fill value per field, or the bytes of one element in base64."""
    dtype = data_type.dtype
    if isinstance(value, str):
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
        data = as_bytes(value)
    except _MisfitError:
        data = b""
    if len(data) != dtype.itemsize:
        problems.add(at, f"expected {dtype.itemsize} bytes in base64, found {shown(value)}")
        return np.zeros((), dtype)
    return np.frombuffer(data, dtype).reshape(()).copy()


def _fields(data_type: DataType) -> list[tuple[str, DataType]]:
    document: Any = data_type.configuration["fields"]
    pairs = [(f["name"], f["data_type"]) if isinstance(f, dict) else (f[0], f[1]) for f in document]
    return [(name, read_data_type(kind, "", Problems())) for name, kind in pairs]


# --- writing


def write_float(value: Any) -> Json:
    """Return the shortest number that reads back the same, a name, or the bits of an unusual NaN."""
    number = float(value)
    if math.isfinite(number):
        short = float(str(value)) if isinstance(value, np.floating) else number
        return short if type(value)(short) == value else number
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    scalar = value if isinstance(value, np.floating) else np.float64(value)
    bits = int.from_bytes(scalar.astype(scalar.dtype.newbyteorder("<")).tobytes(), "little")
    plain = int.from_bytes(np.array(math.nan, scalar.dtype.newbyteorder("<")).tobytes(), "little")
    return "NaN" if bits == plain else f"0x{bits:0{2 * scalar.dtype.itemsize}x}"


def _write_complex(value: Any) -> Json:
    return [write_float(value.real), write_float(value.imag)]


def to_base64(data: bytes) -> str:
    """Return bytes in base64."""
    return b64encode(data).decode("ascii")


def _write_object(value: Any) -> Json:
    return to_base64(value) if isinstance(value, bytes) else value  # type: ignore[no-any-return]


_WRITERS: dict[str, Callable[[Any], Json]] = {
    "b": bool,
    "i": int,
    "u": int,
    "f": write_float,
    "c": _write_complex,
    "M": lambda value: int(value.view("i8")),
    "m": lambda value: int(value.view("i8")),
    "U": str,
    "S": lambda value: to_base64(bytes(value)),
    "V": lambda value: to_base64(value.tobytes()),
    "O": _write_object,
}


def _write_struct(value: Any, data_type: DataType) -> Json:
    if data_type.name == "structured":
        little = data_type.dtype.newbyteorder("<")
        return to_base64(np.array(value, data_type.dtype).astype(little).tobytes())
    return {name: write_fill(_item(value, name), kind) for name, kind in _fields(data_type)}


def _item(value: Any, name: str) -> Any:
    item = value[name]
    return np.void(item.tobytes()) if item.dtype.kind == "V" and item.dtype.names is None else item
