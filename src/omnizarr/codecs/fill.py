"""Chunks that hold nothing but the fill value."""

from __future__ import annotations

from typing import Any

import numpy as np

from omnizarr.codecs.base import AnyArray

# Elements looked at before all are: most chunks with data show it here.
_FIRST = 64


def is_fill(array: AnyArray, fill_value: Any) -> bool:
    """Say whether every element is the fill value, bit for bit: NaN is NaN, and -0.0 is not 0.0.

    Variable-length elements are compared by `==` and type; with no fill value (None) nothing is equal.
    """
    if fill_value is None:
        return False
    if array.dtype.hasobject:
        kind = type(fill_value)
        return all(type(item) is kind and _equal(item, fill_value) for item in array.flat)
    if not array.size:
        return True
    # Most chunks with data show it in their first element: 0.4 µs, against 4 for the look at the bits.
    if array.dtype.kind in "iuf" and array.item(0) != fill_value == fill_value:
        return False
    if not array.flags.c_contiguous and not array.flags.f_contiguous:
        return _is_fill_strided(array, fill_value)
    flat = _words(array.reshape(-1, order="A"))
    pattern = _words(_element(fill_value, array.dtype))
    width = len(pattern)
    if width == 1:
        return bool((flat[:_FIRST] == pattern).all()) and bool((flat == pattern[0]).all())
    rows = flat.reshape(-1, width)
    return bool((rows[:_FIRST] == pattern).all()) and bool((rows == pattern).all())


def _is_fill_strided(array: AnyArray, fill_value: Any) -> bool:
    """Compare row by row, so that no copy of the whole is made."""
    if array.ndim == 1:
        return is_fill(np.ascontiguousarray(array), fill_value)
    return all(is_fill(part, fill_value) for part in array)


def _element(fill_value: Any, dtype: np.dtype[Any]) -> AnyArray:
    element = np.empty(1, dtype)
    element[0] = fill_value
    return element


def _words(flat: AnyArray) -> AnyArray:
    """Return the bits of elements as the widest integers that fit, one or more for each element."""
    size = flat.dtype.itemsize
    word = next(width for width in (8, 4, 2, 1) if size % width == 0)
    return flat.view(f"u{word}")


def _equal(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other)) if isinstance(other, np.ndarray) else bool(one == other)
