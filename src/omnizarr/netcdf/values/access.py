"""Selections of the array below a variable, read and written; scalars may have an axis there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.hierarchy.array import Array
from omnizarr.netcdf.values.selection import Index, is_orthogonal

AnyArray: TypeAlias = NDArray[Any]


def read(array: Array, indices: Sequence[Index]) -> AnyArray:
    """Return a selection as it is stored."""
    if not indices:
        return np.asarray(array[...]).reshape(())
    if is_orthogonal(indices):
        return np.asarray(array.oindex[tuple(indices)])
    return np.asarray(array[(*indices, ...)])


def write(array: Array, indices: Sequence[Index], stored: AnyArray) -> None:
    """Store data that have the shape of a selection."""
    if not indices:
        array[...] = stored.reshape(array.shape)
    elif is_orthogonal(indices):
        array.oindex[tuple(indices)] = stored
    else:
        array[(*indices, ...)] = stored


def as_result(values: Any, *, as_array: bool) -> Any:
    """Return an array, or the one value; a masked one is `np.ma.masked`."""
    if not isinstance(values, np.ndarray) or values.ndim:
        return values
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.masked if np.ma.getmaskarray(values).all() else values
    # Characters that became a string are an array in netCDF4-python.
    as_array = as_array and values.dtype.kind in "iufcSV"
    return values if as_array or _is_text(values.dtype) else values[()]


def _is_text(dtype: np.dtype[Any]) -> bool:
    return dtype.kind == "U" or (dtype.kind == "S" and dtype.itemsize > 1)
