"""xarray's own coders, as writing uses them; they have no types, and get them here."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from xarray import conventions
from xarray.backends import common, zarr
from xarray.coding import strings

_common: Any = common
_strings: Any = strings
_zarr: Any = zarr

Writer: Any = common.ArrayWriter


def vlen_dtype(kind: type) -> np.dtype[Any]:
    """Return the dtype of objects that says that they are all of a kind."""
    return _strings.create_vlen_dtype(kind)  # type: ignore[no-any-return]


def vlen_kind(dtype: np.dtype[Any]) -> type | None:
    """Return what objects of a dtype are, where it says so."""
    return _strings.check_vlen_dtype(dtype)  # type: ignore[no-any-return]


def as_json(value: Any) -> Any:
    """Return the value of an attribute with lists and numbers in place of numpy's."""
    return _zarr.encode_zarr_attr_value(value)


def for_zarr(variable: xr.Variable, name: str) -> xr.Variable:
    """Return a variable as arrays in xarray's convention hold it."""
    found: xr.Variable = _zarr.encode_zarr_variable(_without_string_dtype(variable), name=name)
    return found


def for_netcdf(variable: xr.Variable, name: str) -> xr.Variable:
    """Return a variable as netCDF holds it: bytes are arrays of characters, booleans are numbers."""
    found: xr.Variable = conventions.encode_cf_variable(_without_string_dtype(variable), name=name)
    found = _common.ensure_dtype_not_object(found, name=name)
    found = _strings.EncodedStringCoder(allows_unicode=True).encode(found, name=name)
    if vlen_kind(found.dtype) is bytes or found.dtype.kind == "S":
        found = _strings.CharacterArrayCoder().encode(found, name=name)
    return found


def _without_string_dtype(variable: xr.Variable) -> xr.Variable:
    """Return texts of numpy's StringDType as objects, which both formats and all readers know."""
    if variable.dtype.kind != "T":
        return variable
    nullable = hasattr(variable.dtype, "na_object")
    found = variable.astype(object if nullable else vlen_dtype(str))
    found.encoding = {key: value for key, value in variable.encoding.items() if key != "dtype"}
    return found
