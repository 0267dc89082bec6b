"""Fill values as Zarr v2 documents write them.

https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#fill-value-encoding
"""

from __future__ import annotations

from typing import Any

import numpy as np

from omnizarr.jsontypes import Json, Problems
from omnizarr.metadata.dtype import DataType
from omnizarr.metadata.fill import default_fill, read_fill, struct_of_bytes, write_fill
from omnizarr.metadata.scalars import write_bytes

_TEXT_KINDS = "SUV"


def read_fill_v2(value: Json, data_type: DataType, at: str, problems: Problems) -> Any:
    """Read a fill value; null is None.

    Tolerated, because writers do so: 0 or "" for the empty value of text, bytes and structures;
    0 and 1 for booleans; a list of one value; the plain text of a fixed-length byte string.
    """
    if value is None:
        return None
    kind = data_type.dtype.kind
    if isinstance(value, list) and len(value) == 1 and data_type.name != "object":
        value = value[0]
    if (kind in _TEXT_KINDS or data_type.name in ("string", "bytes")) and _is_empty(value):
        return default_fill(data_type)
    if kind == "b" and type(value) is int and value in (0, 1):
        return np.bool_(value)
    if data_type.dtype.names is not None and isinstance(value, str):
        return struct_of_bytes(value, data_type.dtype, at, problems)[()]
    if kind == "S" and isinstance(value, str):
        return _read_fixed_bytes(value, data_type, at, problems)
    return read_fill(value, data_type, at, problems)


def write_fill_v2(value: Any, data_type: DataType) -> Json:
    """Return the JSON of a fill value."""
    if value is None:
        return None
    if data_type.dtype.kind == "V":
        return write_bytes(np.array(value, data_type.dtype).tobytes())
    return write_fill(value, data_type)


def _is_empty(value: Json) -> bool:
    return value == "" or (type(value) in (int, float) and value == 0)


def _read_fixed_bytes(value: str, data_type: DataType, at: str, problems: Problems) -> Any:
    tried = Problems()
    result = read_fill(value, data_type, at, tried)
    if not tried:
        return result
    # netCDF-C writes the text itself.
    plain = value.encode()
    if len(plain) <= data_type.dtype.itemsize:
        return np.bytes_(plain.rstrip(b"\0"))
    problems.include("", tried)
    return result
