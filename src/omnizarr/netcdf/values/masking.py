"""What stands for missing values, as netCDF's attribute conventions and netCDF4-python have it.

https://docs.unidata.ucar.edu/nug/current/attribute_conventions.html
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.netcdf.model.names import DefinitionError
from omnizarr.netcdf.model.types import NcType

AnyArray: TypeAlias = NDArray[Any]
Attributes: TypeAlias = Mapping[str, Any]

_NOTHING: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Missing:
    """Values of a variable that are not there.

    Attributes
    ----------
    values
        Those of `missing_value`.
    fill
        That of `_FillValue`, or else the default of the type; none where elements are not filled.
    replacement
        What masked arrays are to be filled with where none of `values` is found.
    low, high
        The limits of what is valid.
    """

    values: tuple[Any, ...] = ()
    fill: Any = None
    replacement: Any = None
    low: Any = None
    high: Any = None

    def masked(self, values: AnyArray) -> AnyArray:
        """Return values, as a masked array where some are missing."""
        found = [missing for missing in self.values if _equal(values, missing).any()]
        mask = np.zeros(values.shape, bool)
        for missing in found:
            mask |= _equal(values, missing)
        if self.fill is not None:
            mask |= _equal(values, self.fill)
        with np.errstate(invalid="ignore"):
            mask |= False if self.low is None else values < self.low
            mask |= False if self.high is None else values > self.high
        if not mask.any():
            return values
        return np.ma.masked_array(values, mask, fill_value=self.values[0] if found else self.replacement)


def missing_of(kind: NcType, attributes: Attributes, *, no_fill: bool, unsigned: bool) -> Missing:
    """Return what is missing by a variable's attributes; those that its type cannot hold warn.

    Parameters
    ----------
    attributes
        As numpy has them, by name.
    no_fill
        Whether there is no filling. It only keeps bytes from being masked: netCDF4-python takes the default
        fill value of all other types for missing even so.
    unsigned
        Whether integers with a sign are shown without.
    """
    found = {
        name: _usable(name, attributes[name], kind, unsigned)
        for name in ("missing_value", "_FillValue", "valid_range", "valid_min", "valid_max")
        if name in attributes
    }
    default = kind.dtype.type(kind.default_fill)
    fill = replacement = next(iter(found.get("_FillValue", _NOTHING)), default)
    if unsigned and not found.get("_FillValue"):
        # netCDF4-python compares the default with its sign to values without, of which none is equal to it.
        fill, replacement = kind.default_fill, default.view(unsigned_of(kind.dtype))
    is_filled = bool(found.get("_FillValue")) or not (no_fill and kind.is_numeric and kind.size == 1)
    low = high = None
    if kind.is_numeric:
        both = found.get("valid_range", _NOTHING)
        low, high = both if len(both) == 2 else (_single(found.get(n)) for n in ("valid_min", "valid_max"))
    values = found.get("missing_value", _NOTHING)
    return Missing(values, fill if is_filled else None, replacement, low, high)


def _single(values: tuple[Any, ...] | None) -> Any:
    return values[0] if values is not None and len(values) == 1 else None


def _usable(name: str, value: Any, kind: NcType, unsigned: bool) -> tuple[Any, ...]:
    """Return the values of an attribute in the type of a variable; none where that cannot hold them."""
    cast = _cast(value, kind)
    if cast is None:
        message = f"{name} = {value!r} is not used: a variable of type {kind} cannot hold it"
        warnings.warn(message, stacklevel=6)
        return ()
    return tuple(cast.view(unsigned_of(cast.dtype)) if unsigned else cast)


def _cast(value: Any, kind: NcType) -> AnyArray | None:
    """Return values in a type; None where one is not exactly the same there."""
    given = np.atleast_1d(np.asarray(value))
    try:
        with np.errstate(all="ignore"):
            cast = given.astype(kind.dtype)
            # Both are NaN where neither is equal to itself; numbers and texts do not compare.
            fits = np.all((cast == given) | ((cast != cast) & (given != given)))
    except (TypeError, ValueError, OverflowError):
        return None
    return cast if fits else None


def unsigned_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of integers without a sign that have the size and byte order of others."""
    return np.dtype(dtype.str.replace("i", "u"))


def is_unsigned(kind: NcType, attributes: Attributes) -> bool:
    """Say whether `_Unsigned` makes a signed integer stand for an unsigned one."""
    return kind.dtype.kind == "i" and attributes.get("_Unsigned") in ("true", "True")


def filled(values: AnyArray, kind: NcType, attributes: Attributes) -> AnyArray:
    """Return values without a mask: what is masked becomes `missing_value`, `_FillValue` or the default.

    Raises
    ------
    DefinitionError
        There are several missing values; also a RuntimeError.
    """
    if not isinstance(values, np.ma.MaskedArray):
        return values
    mask, data = np.ma.getmaskarray(values), np.asarray(values.data)
    stands = _cast(attributes.get("missing_value", []), kind)
    if stands is None:
        stands = np.empty(0, kind.dtype)
    if stands.size and np.isin(data[mask], stands).all():
        return data
    if stands.size > 1:
        message = f"missing_value has {stands.size} values, so none of them stands for what is masked"
        raise DefinitionError(f"{message}; fill the array first")
    missing = stands[0] if stands.size else attributes.get("_FillValue", kind.default_fill)
    if not kind.is_numeric:
        # What is masked may be of any type: `np.ma.masked` is a number.
        text = data if data.dtype.kind in "SU" else np.zeros(data.shape, "S1")
        return np.where(mask, np.array(missing, "S").astype(text.dtype), text)
    # The variable's type holds what stands for missing; that of the values may not.
    with np.errstate(invalid="ignore"):
        result = data.astype(kind.dtype)
    result[mask] = missing
    return result


def _equal(values: AnyArray, missing: Any) -> NDArray[np.bool_]:
    if isinstance(missing, np.floating) and np.isnan(missing):
        return np.isnan(values)
    return np.asarray(values == missing, bool)
