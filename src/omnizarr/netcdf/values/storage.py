"""Values as netCDF shows them, and as the array below stores them.

Most are the same. Strings are Python objects above and fixed bytes below (NCZarr), or Zarr's own text;
booleans, dates and small floats are shown as the nearest type that netCDF has.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import ConversionError
from omnizarr.metadata.dtype import DataType
from omnizarr.netcdf.model.types import CHAR, STRING, Compound, NcType, Opaque, Vlen
from omnizarr.netcdf.values.layouts import shown_as
from omnizarr.netcdf.values.records import recast, shown_objects, stored_objects

AnyArray: TypeAlias = NDArray[Any]


def shown_dtype(kind: NcType, stored: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype in which values are shown; numbers keep the byte order in which they are stored."""
    if kind.is_numeric and stored.kind in "iuf" and stored.itemsize == kind.size:
        return stored
    return kind.base.dtype if isinstance(kind, Vlen) else shown_as(kind)


def from_storage(kind: NcType, stored: AnyArray) -> AnyArray:
    """Return stored values as netCDF shows them; it may be a view."""
    if kind is STRING:
        return _texts(stored)
    if isinstance(kind, Vlen | Compound) and stored.dtype.kind in "OT":
        return shown_objects(kind, stored)
    if isinstance(kind, Vlen | Compound | Opaque):
        return recast(kind, stored, shown_as(kind))
    if kind is CHAR:
        return stored if stored.dtype == "S1" else np.char.encode(stored, "latin-1").astype("S1")
    if stored.dtype.kind in "bmM":
        return stored.view(kind.dtype.newbyteorder(stored.dtype.byteorder))
    # Small integers, as int4 is, have a byte in memory and are of numpy's kind V.
    is_shown = stored.dtype.itemsize == kind.size and stored.dtype.kind != "V"
    return stored if is_shown else stored.astype(kind.dtype)


def to_storage(kind: NcType, values: AnyArray, data_type: DataType) -> AnyArray:
    """Return values as an array of a Zarr data type stores them.

    Raises
    ------
    ConversionError
        A string is longer than what an element can hold; nothing is ever cut.
    """
    stored = data_type.dtype
    if kind is STRING:
        return _stored_texts(values, stored)
    if isinstance(kind, Vlen | Compound) and stored.kind in "OT":
        return stored_objects(kind, values, as_bytes=data_type.name != "object")
    if isinstance(kind, Vlen | Compound | Opaque):
        return recast(kind, values, stored)
    if stored.kind in "mM":
        return values.astype("i8").view(stored.newbyteorder("="))
    if stored.kind == "b":
        return values.astype(bool)
    if kind is CHAR:
        return as_chars(values).astype(stored)
    return values.astype(stored, copy=False)


def as_chars(values: AnyArray) -> AnyArray:
    """Return one-character values as bytes.

    Raises
    ------
    ConversionError
        An element is longer than one byte.
    """
    if values.dtype.kind in "iu" and values.dtype.itemsize == 1:
        return values.view("S1")
    data = values.astype("S") if values.dtype.kind in "SU" and _is_ascii(values) else _encoded(values)
    if data.dtype.itemsize > 1:
        longest = max(map(len, data.ravel().tolist()))
        raise ConversionError(f"expected single characters, found a text of {longest} bytes")
    return data.astype("S1", copy=False)


def checked_texts(value: Any) -> AnyArray:
    """Return strings as an array.

    Raises
    ------
    TypeError
        An element is neither a string nor bytes.
    """
    values = value if isinstance(value, np.ndarray) else np.asarray(value, object)
    values = values.astype(object) if values.dtype.kind not in "SUO" else values
    for item in values.ravel().tolist() if values.dtype.kind == "O" else ():
        if not isinstance(item, str | bytes):
            raise TypeError(f"expected strings, found {type(item).__name__} {item!r}")
    return values


def longest_text(values: AnyArray) -> int:
    """Return the bytes of the longest string."""
    return max((len(_bytes(value)) for value in values.ravel().tolist()), default=0)


def _texts(stored: AnyArray) -> AnyArray:
    shown = np.empty(stored.shape, object)
    if stored.dtype.kind in "SO":
        shown.ravel()[:] = [_text(value) for value in stored.ravel().tolist()]
    else:
        shown[...] = stored.astype(object)
    return shown


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return value if isinstance(value, str) else str(value)


def _stored_texts(values: AnyArray, stored: np.dtype[Any]) -> AnyArray:
    if stored.kind != "S":
        texts = from_storage(STRING, values)
        return texts if stored.kind == "O" else texts.astype(stored)
    data = _encoded(values)
    if data.dtype.itemsize > stored.itemsize:
        found, room = data.dtype.itemsize, stored.itemsize
        raise ConversionError(f"a string of {found} bytes does not fit into the {room} bytes that are stored")
    return data.astype(stored, copy=False)


def _encoded(values: AnyArray) -> AnyArray:
    texts = [_bytes(value) for value in values.ravel().tolist()]
    return np.array(texts, f"S{max([1, *map(len, texts)])}").reshape(values.shape)


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")


def _is_ascii(values: AnyArray) -> bool:
    return values.dtype.kind == "S" or all(value.isascii() for value in values.ravel().tolist())
