"""Values to be written: as arrays, converted before anything is stored where the conversion may fail."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from omnizarr.codecs.base import ArrayToBytes
from omnizarr.codecs.vlen import VlenBytes, VlenUtf8
from omnizarr.errors import SelectionError
from omnizarr.metadata.dtype_bits import is_pair, pairs_of

# Numpy converts any of these to any other, so that it may be done later, chunk by chunk.
_NUMBERS = "biufc"


def as_values(value: Any, dtype: np.dtype[Any], serializer: ArrayToBytes) -> NDArray[Any]:
    """Return a value as an array.

    Numbers may be of another type than `dtype`; everything else is converted here, so that a value which
    cannot be stored is refused before a part of it is.

    Raises
    ------
    ValueError, TypeError, OverflowError
        Numpy cannot convert the value.
    CodecError
        An element is no string, or no bytes.
    """
    if is_pair(dtype):
        return pairs_of(value, dtype)
    if dtype.kind == "O":
        values = np.asarray(value, object)
        return serializer.plain(values) if isinstance(serializer, VlenUtf8 | VlenBytes) else values
    if not isinstance(value, np.ndarray):
        if not (hasattr(value, "dtype") and hasattr(value, "__array__")):
            return np.asarray(value, dtype)
        value = np.asarray(value)
    found: NDArray[Any] = value
    if found.dtype == dtype or (found.dtype.kind in _NUMBERS and dtype.kind in _NUMBERS):
        return found
    return found.astype(dtype)


def as_array(values: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return what indexing gave, as an array; one object stays one, even where it is a sequence."""
    if isinstance(values, np.ndarray):
        return values
    found = np.empty((), dtype)
    found[()] = values
    return found


def broadcast(values: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return values as numpy broadcasts them in an assignment: first axes of length 1 may be too many.

    Raises
    ------
    SelectionError
        They do not fit.
    """
    while values.ndim > len(shape) and values.shape[0] == 1:
        values = values[0, ...]
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        message = f"could not broadcast a value of shape {values.shape} into a selection of shape {shape}"
        raise SelectionError(message) from None
