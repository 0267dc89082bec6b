"""Small numbers by ml_dtypes: floats and integers of 16 bits and fewer, and complex numbers made of them.

Importing this module imports ml_dtypes, which takes 25 ms; so it is imported when such a type is met.

https://github.com/zarr-developers/zarr-extensions/tree/main/data-types
"""

from __future__ import annotations

from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from omnizarr.jsontypes import JsonObject, Problems, read_object
from omnizarr.metadata.dtype import DataType
from omnizarr.metadata.dtype_bits import bits_of
from omnizarr.metadata.scalars import read_float, write_float
from omnizarr.metadata.small_names import FLOATS, INTEGERS
from omnizarr.metadata.small_scalars import Pair, SmallFloat, SmallInteger

# Complex numbers of which ml_dtypes has a type; all others are a packed structure of two fields.
_COMPLEX = {"float16": ml_dtypes.complex32, "bfloat16": ml_dtypes.bcomplex32}
_FLOAT16 = np.dtype(np.float16)


def read_small(name: str, configuration: JsonObject, at: str, problems: Problems) -> DataType:
    """Return one of the types of this module, none of which has a configuration."""
    read_object(configuration, at, problems)
    return SMALL[name]


def of_numpy(dtype: np.dtype[Any]) -> DataType | None:
    """Return the data type of one of ml_dtypes' types, or of a pair of them; None for any other."""
    return _BY_DTYPE.get(dtype)


def _float(name: str) -> DataType:
    dtype = np.dtype(getattr(ml_dtypes, name))
    return DataType(name, dtype, scalars=SmallFloat(dtype, bits_of(dtype)))


def _integer(name: str) -> DataType:
    dtype = np.dtype(getattr(ml_dtypes, name))
    info = ml_dtypes.iinfo(dtype)  # type: ignore[no-untyped-call]
    return DataType(name, dtype, scalars=SmallInteger(dtype, int(info.min), int(info.max)))


def _complex(part: DataType) -> DataType:
    own = _COMPLEX.get(part.name)
    dtype = np.dtype([("real", part.dtype), ("imag", part.dtype)] if own is None else own)
    scalars = part.scalars
    if scalars is None:
        pair = Pair(dtype, part.dtype, partial(read_float, dtype=part.dtype), write_float)
    else:
        pair = Pair(dtype, part.dtype, scalars.read, scalars.write)
    return DataType(f"complex_{part.name}", dtype, scalars=pair)


_ALL = (
    *(_integer(name) for name in INTEGERS),
    *(found for name in FLOATS for part in [_float(name)] for found in (part, _complex(part))),
    _complex(DataType("float16", _FLOAT16)),
)

SMALL = {data_type.name: data_type for data_type in _ALL}
_BY_DTYPE = {data_type.dtype: data_type for data_type in _ALL}
