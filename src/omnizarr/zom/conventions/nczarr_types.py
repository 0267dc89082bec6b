"""The codes of types that NCZarr notes for attributes, and which values are of them.

A code is numpy's (`<i4`), Zarr v3's (`int32`) or netCDF's name of a type (`int`); `>S1` and `<U1` are char,
other text is string, and `|J0` and `json` stand for any JSON.
"""

from __future__ import annotations

import re
import struct
from base64 import b64decode
from binascii import Error
from math import isfinite
from types import MappingProxyType

import numpy as np

from omnizarr.jsontypes import Json, shown

_CODES = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")
_IN_NETCDF = ("byte", "ubyte", "short", "ushort", "int", "uint", "int64", "uint64", "float", "double")
_NAMES = MappingProxyType(
    dict(zip(_IN_NETCDF, _CODES, strict=True)) | {np.dtype(code).name: code for code in _CODES}
)
_TEXTS = ("char", "string", "json", "|J0")
_RAW = re.compile(r"r[0-9]+|[<>|=][SU][0-9]+")


def is_user_type(code: str) -> bool:
    """Say whether a code is the absolute path of a type of the user."""
    return code.startswith("/")


def number_type(code: str) -> str | None:
    """Return numpy's kind and size of the numbers that a code stands for; None where it is none."""
    known = _NAMES.get(code, code[1:] if code[:1] in ("<", ">", "|", "=") else "")
    return known if known in _CODES else None


def is_atomic(code: str) -> bool:
    """Say whether a code stands for one of netCDF's own types."""
    return code in _TEXTS or _RAW.fullmatch(code) is not None or number_type(code) is not None


def value_fault(value: Json, code: str) -> str | None:
    """Return why a value is not of an atomic type; None where it is, or the type is one of the user's."""
    kind = number_type(code)
    if kind is None:
        known = is_user_type(code) or is_atomic(code)
        return None if known else f"{shown(code)} is no type of netCDF"
    items = value if isinstance(value, list) else [value]
    wrong = next((item for item in items if not _is_of(kind, item)), items)
    return None if wrong is items else f"expected values of type {shown(code)}, found {shown(wrong)}"


def _is_of(kind: str, value: Json) -> bool:
    try:
        number = _number(value, is_float=kind[0] == "f")
    except (TypeError, ValueError):
        return False
    if kind[0] == "f":
        return True
    limits = np.iinfo(kind)
    return isfinite(number) and number == int(number) and int(limits.min) <= number <= int(limits.max)


def _number(value: Json, *, is_float: bool) -> int | float:
    """Return a number, which other writers have as text, and xarray in base64 on Zarr v3."""
    if isinstance(value, str):
        return _from_text(value) if is_float else int(value)
    if isinstance(value, int | float):
        return value
    raise TypeError("not a number")


def _from_text(text: str) -> float:
    try:
        data = b64decode(text, validate=True)
    except Error:
        data = b""
    return float(struct.unpack("<d", data)[0]) if len(data) == 8 else float(text)
