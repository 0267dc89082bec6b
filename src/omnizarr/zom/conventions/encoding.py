"""How xarray writes `_FillValue` among the attributes of Zarr v3, where fill values mask nothing.

https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html
"""

from __future__ import annotations

import binascii
from base64 import standard_b64decode

from omnizarr.jsontypes import Json, shown
from omnizarr.metadata.dtype import DataType

_DOUBLE = "the eight bytes of a double in base64"


def fill_fault(kind: DataType, value: Json) -> str | None:
    """Return what is wrong with the `_FillValue` of an array of a type; None where nothing is."""
    expected = _expected(kind, value)
    return None if expected is None else f"expected {expected}, found {shown(value)}"


def _expected(kind: DataType, value: Json) -> str | None:
    """Return what was expected in place of a value."""
    match kind.dtype.kind:
        case "b":
            return None
        case "i" | "u":
            return None if isinstance(value, int | float) else "a number"
        case "f":
            return None if _is_double(value) else _DOUBLE
        case "c":
            is_pair = isinstance(value, list) and len(value) == 2 and all(map(_is_double, value))
            return None if is_pair else f"a list of two: {_DOUBLE}"
        case "S" | "U" | "O" | "T":
            return None if isinstance(value, str) else "a string"
    return f"none: xarray has no fill value for {kind.name}"


def _is_double(value: Json) -> bool:
    try:
        return isinstance(value, str) and len(standard_b64decode(value)) == 8
    except (binascii.Error, ValueError):
        return False
