"""What is missing in values, and how packed numbers are unpacked: netCDF's attribute conventions.

https://docs.unidata.ucar.edu/nug/current/attribute_conventions.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.netcdf.types import NcType

AnyArray: TypeAlias = NDArray[Any]
Attributes: TypeAlias = Mapping[str, Any]


def masked(values: AnyArray, kind: NcType, attributes: Attributes, *, no_fill: bool) -> AnyArray:
    """Return values, as a masked array where some are missing by `missing_value`, `_FillValue` or range.

    Parameters
    ----------
    attributes
        The variable's attributes as numpy has them, by name.
    no_fill
        Whether there is no filling. It only keeps bytes from being masked: netCDF4-python takes the default
        fill value of all other types for missing even so.
    """
    mask = np.zeros(values.shape, bool)
    replacement: Any = None
    for name in ("missing_value", "_FillValue"):
        for missing in _as_values(attributes.get(name), values.dtype):
            mask |= _equal(values, missing)
            replacement = missing if replacement is None or name == "_FillValue" else replacement
    default = values.dtype.type(kind.dtype.type(kind.default_fill))
    if "_FillValue" not in attributes and not (no_fill and kind.size == 1 and kind.is_numeric):
        mask |= values == default
        replacement = default if replacement is None else replacement
    mask |= _out_of_range(values, kind, attributes)
    if not mask.any():
        return values
    return np.ma.masked_array(values, mask, fill_value=default if replacement is None else replacement)


def unpacked(values: AnyArray, attributes: Attributes) -> AnyArray:
    """Return `values * scale_factor + add_offset`; the values themselves where there is neither."""
    scale, offset = _number(attributes, "scale_factor"), _number(attributes, "add_offset")
    if scale is not None and (scale != 1.0 or offset is None):
        values = values * scale
    if offset is not None and (offset != 0.0 or scale is None):
        values = values + offset
    return values


def packed(values: AnyArray, dtype: np.dtype[Any], attributes: Attributes) -> AnyArray:
    """Return the numbers that `unpacked` turns into these values, rounded where they are integers."""
    scale, offset = _number(attributes, "scale_factor"), _number(attributes, "add_offset")
    if offset is not None:
        values = values - offset
    if scale is not None:
        values = values / scale
    if (scale is not None or offset is not None) and dtype.kind in "iu":
        values = np.ma.around(values) if isinstance(values, np.ma.MaskedArray) else np.around(values)
    return values


def filled(values: AnyArray, kind: NcType, attributes: Attributes) -> AnyArray:
    """Return values without a mask: what is masked becomes `missing_value`, `_FillValue` or the default."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    missing: Any = kind.default_fill
    for name in ("_FillValue", "missing_value"):
        missing = next(iter(_as_values(attributes.get(name), kind.dtype)), missing)
    if not kind.is_numeric:
        return np.asarray(values.filled(_like_text(missing, values.dtype)))
    # The variable's type holds what stands for missing; that of the values may not.
    with np.errstate(invalid="ignore"):
        result = np.array(values.data, kind.dtype)
    result[np.ma.getmaskarray(values)] = missing
    return result


def is_unsigned(kind: NcType, attributes: Attributes) -> bool:
    """Say whether `_Unsigned` makes a signed integer stand for an unsigned one."""
    return kind.dtype.kind == "i" and str(attributes.get("_Unsigned", "")).lower() == "true"


def is_packed(attributes: Attributes) -> bool:
    """Say whether there is a number to scale by or to add."""
    return any(_number(attributes, name) is not None for name in ("scale_factor", "add_offset"))


def _as_values(value: Any, dtype: np.dtype[Any]) -> list[Any]:
    """Return attribute values as the variable's type; those that it cannot hold mean nothing."""
    if value is None:
        return []
    if dtype.kind in "SO":
        return [_like_text(item, dtype) for item in np.atleast_1d(np.asarray(value, object)).tolist()]
    try:
        items = np.atleast_1d(np.asarray(value))
        with np.errstate(all="ignore"):
            cast = items.astype(dtype)
    except (TypeError, ValueError):
        return []
    same = (
        (cast == items) | ((cast != cast) & (items != items))
        if dtype.kind != "f"
        else np.ones(len(items), bool)
    )
    return [
        item for item, fits in zip(cast, same, strict=True) if fits or items.dtype.itemsize == dtype.itemsize
    ]


def _like_text(value: Any, dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "S":
        return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def _equal(values: AnyArray, missing: Any) -> NDArray[np.bool_]:
    if isinstance(missing, np.floating) and np.isnan(missing):
        return np.isnan(values)
    return np.asarray(values == missing, bool)


def _out_of_range(values: AnyArray, kind: NcType, attributes: Attributes) -> NDArray[np.bool_] | bool:
    if not kind.is_numeric:
        return False
    low, high = _limits(values.dtype, attributes)
    outside: NDArray[np.bool_] | bool = False
    with np.errstate(invalid="ignore"):
        if low is not None:
            outside = outside | (values < low)
        if high is not None:
            outside = outside | (values > high)
    return outside


def _limits(dtype: np.dtype[Any], attributes: Attributes) -> tuple[Any, Any]:
    both = _as_values(attributes.get("valid_range"), dtype)
    if len(both) == 2:
        return both[0], both[1]
    low = _as_values(attributes.get("valid_min"), dtype)
    high = _as_values(attributes.get("valid_max"), dtype)
    return (low[0] if len(low) == 1 else None), (high[0] if len(high) == 1 else None)


def _number(attributes: Attributes, name: str) -> Any:
    value = attributes.get(name)
    if value is None:
        return None
    try:
        number = np.asarray(value).astype(float) if isinstance(value, str) else np.asarray(value)
    except ValueError:
        return None
    return number.ravel()[0] if number.size == 1 and number.dtype.kind in "iuf" else None
