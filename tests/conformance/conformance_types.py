"""Data types of Zarr v3: how documents name them, some of their values, and fill values."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

FILLS = ("zero", "other", "odd")


@dataclass(frozen=True, slots=True)
class Kind:
    """A data type.

    Attributes
    ----------
    document
        What a v3 document says.
    dtype
        What holds the values in memory.
    fills
        A fill value of each of `FILLS`: as JSON, and as a value.
    values
        Some values, those that fill an array in turn.
    """

    document: Any
    dtype: np.dtype[Any]
    fills: tuple[tuple[Any, Any], ...]
    values: tuple[Any, ...]

    @property
    def is_variable(self) -> bool:
        """Whether elements are Python objects of any length."""
        return self.dtype.kind == "O"

    def fill(self, which: str) -> tuple[Any, Any]:
        """Return a fill value as JSON, and as a value."""
        return self.fills[FILLS.index(which)]

    def data(self, shape: Sequence[int], *, finite: bool = False) -> np.ndarray[Any, Any]:
        """Return values, other ones in every place that is near; `finite`: neither NaN nor infinite."""
        values = [value for value in self.values if not finite or np.isfinite(value)]
        size = int(np.prod(shape))
        flat = np.empty(size, self.dtype)
        for i in range(size):
            flat[i] = values[(i + i // 7) % len(values)]
        return flat.reshape(shape)

    def full(self, shape: Sequence[int], which: str) -> np.ndarray[Any, Any]:
        """Return an array of nothing but a fill value."""
        array = np.empty(shape, self.dtype)
        array[...] = self.fill(which)[1]
        return array


def _kind(document: Any, dtype: Any, fills: Sequence[Any], values: Sequence[Any]) -> Kind:
    """Fill values are given as one thing where JSON and the value are the same."""
    both = tuple(fill if isinstance(fill, tuple) else (fill, fill) for fill in fills)
    return Kind(document, np.dtype(dtype), both, tuple(values))


def _integer(name: str) -> Kind:
    info = np.iinfo(name)
    low, high = int(info.min), int(info.max)
    odd = low if low else high
    return _kind(name, name, [0, 7, odd], [*range(1, 40), low, high, high // 3])


def _float(name: str, odd: tuple[Any, Any]) -> Kind:
    special = [np.nan, np.inf, -np.inf, -0.0, 0.1]
    return _kind(name, name, [0.0, -1.5, odd], [*np.linspace(-50, 70, 31).tolist(), *special])


def _complex(name: str) -> Kind:
    fills = [([0.0, 0.0], 0j), ([1.5, -2.0], 1.5 - 2j), (["NaN", "-Infinity"], complex("nan-infj"))]
    return _kind(name, name, fills, [complex(i, -i / 2) for i in range(23)] + [complex("nan+infj")])


def _small(name: str, *, odd: tuple[Any, Any] | None = None) -> Kind:
    dtype = np.dtype(getattr(ml_dtypes, name))
    one = (1.0, dtype.type(1))
    values = [dtype.type(x) for x in (0.5, 1, 1.5, 2, 3, 4, 0.25)]
    first = (0.0, dtype.type(0)) if name != "float8_e8m0fnu" else one
    return _kind(name, dtype, [first, one, odd or (2.0, dtype.type(2))], values)


def _small_integer(name: str) -> Kind:
    dtype = np.dtype(getattr(ml_dtypes, name))
    low, high = int(ml_dtypes.iinfo(dtype).min), int(ml_dtypes.iinfo(dtype).max)
    fills = [(i, dtype.type(i)) for i in (0, 1, low or high)]
    return _kind(name, dtype, fills, [dtype.type(i) for i in range(low, high + 1)])


def _pair(part: str, dtype: Any) -> Kind:
    """Complex numbers of small floats: a structure, or a type of ml_dtypes where it has one."""
    pairs = [(0.0, 0.0), (1.0, -1.0), (2.0, 0.5)]
    made = [_as_pair(pair, dtype) for pair in pairs]
    return _kind(f"complex_{part}", dtype, [(list(p), v) for p, v in zip(pairs, made, strict=True)], made)


def _as_pair(pair: tuple[float, float], dtype: Any) -> Any:
    dtype = np.dtype(dtype)
    if dtype.names is None:
        return np.array(complex(*pair)).astype(dtype)[()]
    return np.array(pair, dtype)[()]


def _named(name: str, **configuration: Any) -> Any:
    return {"name": name, "configuration": configuration}


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _time(code: str, unit: str, factor: int) -> Kind:
    dtype = np.dtype(f"{code}[{factor}{unit}]")
    name = "numpy.datetime64" if code == "M8" else "numpy.timedelta64"
    fills = [(i, np.array(i, "i8").view(dtype)[()]) for i in (0, 1000)]
    nat = ("NaT", np.array("NaT", dtype)[()])
    values = [np.array(i, "i8").view(dtype)[()] for i in range(-20, 20)]
    return _kind(_named(name, unit=unit, scale_factor=factor), dtype, [*fills, nat], [*values, nat[1]])


_STRUCT = np.dtype([("a", "<i4"), ("b", "<f8")])
_STRUCT_VALUES = [np.array((i, i / 4), _STRUCT)[()] for i in range(-5, 6)]
_STRUCT_FIELDS = [{"name": "a", "data_type": "int32"}, {"name": "b", "data_type": "float64"}]


def _struct(document: Any, fills: Sequence[Any]) -> Kind:
    values = [np.array(value, _STRUCT)[()] for value in ((0, 0.0), (3, -1.5), (-1, 9.0))]
    both = [
        (json(value) if callable(json) else json, value) for json, value in zip(fills, values, strict=True)
    ]
    return _kind(document, _STRUCT, both, _STRUCT_VALUES)


_TEXTS = ("", "a", "héllo", "日本語", "x" * 40, "ends with NUL\0", "\U0001f600")
_BLOBS = (b"", b"a", b"\0\0", b"\xff\xfe", b"x" * 40, b"ends with NUL\0")
_VOIDS = [np.void(bytes([i, 255 - i])) for i in range(11)]

# A NaN that is not the usual one.
_BITS = ("0x7fc00001", np.array(0x7FC00001, "u4").view("f4")[()])

KINDS: dict[str, Kind] = {
    "bool": _kind("bool", "?", [False, True, True], [True, False, False, True, True]),
    **{name: _integer(name) for name in ("int8", "int16", "int32", "int64")},
    **{name: _integer(name) for name in ("uint8", "uint16", "uint32", "uint64")},
    "float16": _float("float16", ("Infinity", np.inf)),
    "float32": _float("float32", ("NaN", np.nan)),
    "float64": _float("float64", ("-Infinity", -np.inf)),
    "float32 by its bits": _float("float32", _BITS),
    "complex64": _complex("complex64"),
    "complex128": _complex("complex128"),
    "r16": _kind(
        "r16", "V2", [([i, j], np.void(bytes([i, j]))) for i, j in ((0, 0), (1, 2), (0, 255))], _VOIDS
    ),
    "bfloat16": _small("bfloat16", odd=("NaN", ml_dtypes.bfloat16(np.nan))),
    **{
        name: _small(name)
        for name in (
            *("float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn", "float8_e3m4", "float8_e4m3"),
            *("float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"),
            "float8_e8m0fnu",
        )
    },
    **{name: _small_integer(name) for name in ("int2", "int4", "uint2", "uint4")},
    "complex_float16": _pair("float16", ml_dtypes.complex32),
    "complex_bfloat16": _pair("bfloat16", ml_dtypes.bcomplex32),
    "complex_float8_e4m3": _pair(
        "float8_e4m3", [("real", ml_dtypes.float8_e4m3), ("imag", ml_dtypes.float8_e4m3)]
    ),
    "string": _kind("string", object, ["", "fill", "日\0本"], _TEXTS),
    "bytes": _kind("bytes", object, [(_base64(b), b) for b in (b"", b"fill", b"\0\xff")], _BLOBS),
    "variable_length_bytes": _kind(
        "variable_length_bytes", object, [(_base64(b), b) for b in (b"", b"fill", b"\0\xff")], _BLOBS
    ),
    "fixed_length_utf32": _kind(
        _named("fixed_length_utf32", length_bytes=12),
        "U3",
        ["", "fil", "日本"],
        ["", "a", "é", "日本語", "abc"],
    ),
    "null_terminated_bytes": _kind(
        _named("null_terminated_bytes", length_bytes=3),
        "S3",
        [(_base64(b), b) for b in (b"", b"abc", b"\0z")],
        [b"", b"a", b"\0b", b"xyz"],
    ),
    "raw_bytes": _kind(
        _named("raw_bytes", length_bytes=2),
        "V2",
        [(_base64(b), np.void(b)) for b in (b"\0\0", b"ab", b"\0\xff")],
        _VOIDS,
    ),
    "numpy.datetime64 ns": _time("M8", "ns", 1),
    "numpy.datetime64 10s": _time("M8", "s", 10),
    "numpy.timedelta64": _time("m8", "D", 1),
    "struct": _struct(
        _named("struct", fields=_STRUCT_FIELDS),
        [{"a": 0, "b": 0.0}, {"a": 3, "b": -1.5}, {"a": -1, "b": 9.0}],
    ),
    "structured": _struct(
        _named("structured", fields=[["a", "int32"], ["b", "float64"]]),
        [lambda value: _base64(value.tobytes())] * 3,
    ),
}
