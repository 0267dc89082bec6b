"""Elements of fewer bits than their bytes have, and types that numpy itself does not know.

https://github.com/zarr-developers/zarr-extensions/tree/main/data-types
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Types of ml_dtypes by name, since they are asked for where ml_dtypes need not be imported.
_INTEGER_BITS = {"int1": 1, "uint1": 1, "int2": 2, "uint2": 2, "int4": 4, "uint4": 4}
_BITS = _INTEGER_BITS | {"float4_e2m1fn": 4, "float6_e2m3fn": 6, "float6_e3m2fn": 6}


def is_custom(dtype: np.dtype[Any]) -> bool:
    """Say whether a type is another package's, as those of ml_dtypes are: they know no byte order."""
    return dtype.isbuiltin == 2


def has_custom(dtype: np.dtype[Any]) -> bool:
    """Say whether a type, or one of its fields, is another package's."""
    if dtype.subdtype is not None:
        return has_custom(dtype.subdtype[0])
    if dtype.fields is not None:
        return any(has_custom(field[0]) for field in dtype.fields.values())
    return is_custom(dtype)


def is_pair(dtype: np.dtype[Any]) -> bool:
    """Say whether a structure is a complex number of parts of which numpy has no complex numbers."""
    return dtype.names == ("real", "imag") and has_custom(dtype)


def pairs_of(value: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return complex or real numbers as an array of pairs; pairs, also as tuples, stay what they are."""
    first = value
    while isinstance(first, list) and first:
        first = first[0]
    if isinstance(first, tuple):  # an element of a structure, as numpy has it
        return np.asarray(value, dtype)
    values = np.asarray(value)
    if values.dtype.names is not None or values.dtype.kind == "O":
        return values.astype(dtype)
    result = np.zeros(values.shape, dtype)
    result["real"] = values.real
    result["imag"] = values.imag
    return result


def complex_of(pairs: NDArray[Any]) -> NDArray[Any]:
    """Return pairs as complex numbers that numpy can calculate with."""
    found = np.empty(pairs.shape, np.complex64)
    found.real = pairs["real"]
    found.imag = pairs["imag"]
    return found


def in_order(dtype: np.dtype[Any], code: str) -> np.dtype[Any]:
    """Return a type in a byte order (`<`, `>`, `=`); another package's types have the machine's always."""
    if dtype.isbuiltin == 1 or not has_custom(dtype):
        return dtype.newbyteorder(code)  # type: ignore[arg-type]
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((in_order(base, code), shape))
    if dtype.fields is None:
        return dtype
    names = list(dtype.names or ())
    fields = [dtype.fields[name] for name in names]
    formats = [in_order(field[0], code) for field in fields]
    offsets = [field[1] for field in fields]
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": dtype.itemsize})


def bits_of(dtype: np.dtype[Any]) -> int:
    """Return the number of bits that count in an element that is no structure."""
    return _BITS.get(dtype.name, 8 * dtype.itemsize) if is_custom(dtype) else 8 * dtype.itemsize


@lru_cache(256)
def has_spare_bits(dtype: np.dtype[Any]) -> bool:
    """Say whether some bytes are another way to store an element: booleans, and less than 8 bits."""
    if dtype.subdtype is not None:
        return has_spare_bits(dtype.subdtype[0])
    if dtype.fields is not None:
        return any(has_spare_bits(field[0]) for field in dtype.fields.values())
    return dtype.kind == "b" or bits_of(dtype) < 8 * dtype.itemsize


def settle(array: NDArray[Any]) -> NDArray[Any]:
    """Make each element that could be stored in several ways what numpy expects, in place; return `array`.

    True is 1, and bits that do not count are 0.
    """
    dtype = array.dtype
    if dtype.fields is not None:
        for name, field in dtype.fields.items():
            if has_spare_bits(field[0]):
                settle(array[name])
    elif dtype.kind == "b":
        np.not_equal(array.view(np.uint8), 0, out=array)
    elif has_spare_bits(dtype):
        stored = array.view(np.uint8)
        stored &= np.uint8((1 << bits_of(dtype)) - 1)
    return array


def is_settled(array: NDArray[Any]) -> bool:
    """Say whether `settle` would leave an array as it is; of booleans numpy makes sure itself."""
    dtype = array.dtype
    if dtype.fields is not None:
        spare = [name for name, field in dtype.fields.items() if has_spare_bits(field[0])]
        return all(is_settled(array[name]) for name in spare)
    if dtype.kind == "b" or not has_spare_bits(dtype):
        return True
    return not array.size or int(array.view(np.uint8).max()) < 1 << bits_of(dtype)
