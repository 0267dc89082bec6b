"""What users assign to variables of user-defined types, as arrays of what such variables show."""

from __future__ import annotations

from numbers import Number
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import ConversionError
from omnizarr.netcdf.model.items import to_numpy
from omnizarr.netcdf.model.types import Compound, Enum, NcType, Opaque, Vlen
from omnizarr.netcdf.values.given import item_of, nested
from omnizarr.netcdf.values.layouts import complex_like, fits, form_of, shown_as
from omnizarr.netcdf.values.packing import Packing
from omnizarr.netcdf.values.records import recast

AnyArray: TypeAlias = NDArray[Any]


def prepared(kind: Compound | Opaque | Vlen, value: Any, ndim: int, packing: Packing) -> AnyArray:
    """Return values as they are shown; sequences as objects.

    Parameters
    ----------
    ndim
        The number of axes of the selection that is assigned to.
    packing
        How numbers in sequences are packed.

    Raises
    ------
    ConversionError
        The type cannot hold a value.
    IndexError
        Numbers are assigned to several sequences.
    """
    if isinstance(kind, Vlen):
        return _sequences(kind, value, ndim, packing)
    given = np.asarray(value) if isinstance(value, np.ndarray | np.generic) else nested(value)
    if given.dtype.kind != "O" and fits(kind, given.dtype):
        return recast(kind, given, shown_as(kind))
    numbers = complex_like(kind)
    if numbers is not None and _are_numbers(given):
        return recast(kind, given.astype(numbers), shown_as(kind))
    if isinstance(kind, Opaque) and given.dtype == f"S{kind.length}":
        return np.ascontiguousarray(given).view(kind.dtype).reshape(given.shape)
    if given.dtype.kind not in "OV":
        raise ConversionError(f"expected values of type {kind}, found {given.dtype}")
    return _objects(kind, given)


def _are_numbers(values: AnyArray) -> bool:
    if values.dtype.kind != "O":
        return values.dtype.kind in "iufc"
    return all(isinstance(element, Number) for element in values.reshape(-1).tolist())


def _objects(kind: NcType, values: AnyArray) -> AnyArray:
    items = [item_of(kind, element) for element in values.reshape(-1)]
    return recast(kind, to_numpy(kind, items), shown_as(kind)).reshape(values.shape)


def _sequences(kind: Vlen, value: Any, ndim: int, packing: Packing) -> AnyArray:
    if ndim and isinstance(value, np.ndarray) and value.dtype.kind != "O":
        message = f"expected an array of objects, one for each sequence, found {value.dtype}"
        raise IndexError(f"{message}: an array of numbers is assigned to one element, by integers")
    if isinstance(value, np.ndarray) and value.dtype.kind == "O" and (ndim or not value.ndim):
        values = value
    else:
        values = nested(value, ndim)
    if form_of(kind) != "sequence":
        return values
    found = np.empty(values.size, object)
    for at, element in enumerate(values.reshape(-1).tolist()):
        found[at] = _sequence(
            kind, packing.packed(np.asarray(element), kind.base.dtype) if packing else element
        )
    return found.reshape(values.shape)


def _sequence(kind: Vlen, value: Any) -> AnyArray:
    dtype = kind.base.dtype
    if isinstance(value, np.ndarray) and value.ndim == 1 and np.can_cast(value.dtype, dtype, "safe"):
        return value.astype(dtype, copy=False)
    return to_numpy(kind.base, item_of(kind, value))  # type: ignore[arg-type]


def prepared_members(kind: Enum, value: Any) -> AnyArray:
    """Return values of an enum as integers, masked as they were.

    Raises
    ------
    ValueError
        A value is no member; what is masked may be anything.
    """
    values = np.ma.asanyarray(value)
    members = {number for _, number in kind.members}
    present = values.compressed() if isinstance(values, np.ma.MaskedArray) else values
    for number in np.unique(present).tolist():
        if number not in members:
            known = ", ".join(f"{name} = {value}" for name, value in kind.members)
            raise ValueError(f"trying to assign illegal value {number!r} to Enum variable: it has {known}")
    filler = kind.members[0][1]
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        data = np.where(np.ma.getmaskarray(values), filler, values.data).astype(kind.dtype)
        return np.ma.masked_array(data, np.ma.getmaskarray(values))
    return np.asarray(values).astype(kind.dtype)
