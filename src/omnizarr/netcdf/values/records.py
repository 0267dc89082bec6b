"""Values of user-defined types from one layout to another: stored, shown, given.

https://docs.unidata.ucar.edu/netcdf-c/current/user_defined_types.html
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import ConversionError
from omnizarr.netcdf.model.items import Item, from_json, to_json, to_numpy
from omnizarr.netcdf.model.types import STRING, Compound, NcType, Vlen
from omnizarr.netcdf.values.given import item_of
from omnizarr.netcdf.values.layouts import base_of_field, form_of, shown_as, with_texts

AnyArray: TypeAlias = NDArray[Any]


def recast(kind: NcType, values: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    """Return values of a type in another dtype that fits it; it may be the same array.

    Raises
    ------
    ConversionError
        A string is longer than what there is room for; nothing is ever cut.
    """
    if values.dtype == dtype:
        return values
    return _recast(kind, values.reshape(-1), dtype).reshape(values.shape)


def _recast(kind: NcType, values: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    if values.dtype == dtype:
        return values
    if kind is STRING:
        return _texts(values) if dtype.kind == "O" else _fixed_texts(values, dtype)
    if isinstance(kind, Compound):
        as_complex = "c" in (dtype.kind, values.dtype.kind)
        return _complex(kind, values, dtype) if as_complex else _records(kind, values, dtype)
    return values.view("i8").astype(dtype) if values.dtype.kind in "mM" else values.astype(dtype)


def _complex(kind: Compound, values: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    """Return complex numbers as records of two parts, or the other way."""
    if values.dtype.kind != "c":
        native = np.dtype("c8" if kind.size == 8 else "c16")
        return _records(kind, values, kind.dtype).view(native).astype(dtype)
    found = np.ascontiguousarray(values, values.dtype.newbyteorder("="))
    return found.astype(dtype) if dtype.kind == "c" else _records(kind, found.view(kind.dtype), dtype)


def _records(kind: Compound, values: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    found = np.zeros(len(values), dtype)
    for field in kind.fields:
        source, target = values.dtype[field.name], dtype[field.name]
        column = np.ascontiguousarray(values[field.name])
        parts = column.view(base_of_field(source, field)) if field.shape else column
        made = _recast(field.type, parts.reshape(-1), base_of_field(target, field))
        place = found[field.name]
        place[...] = np.ascontiguousarray(made).view(target.base).reshape(place.shape)
    return found


def _texts(values: AnyArray) -> AnyArray:
    found = np.empty(len(values), object)
    found[:] = [_text(value) for value in values.tolist()]
    return found


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    # What numpy makes of a string that was never set.
    return value if isinstance(value, str) else ""


def _fixed_texts(values: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    data = [_text(value).encode("utf-8", "surrogateescape") for value in values.tolist()]
    longest = max(map(len, data), default=0)
    if longest > dtype.itemsize:
        raise ConversionError(
            f"a string of {longest} bytes does not fit into the {dtype.itemsize} bytes that are stored"
        )
    return np.array(data, dtype)


def longest_string(kind: NcType, values: AnyArray) -> int:
    """Return the bytes of the longest string in shown values of one size."""
    if kind is STRING:
        texts = map(_text, values.reshape(-1).tolist())
        return max((len(text.encode("utf-8", "surrogateescape")) for text in texts), default=0)
    if not isinstance(kind, Compound) or values.dtype.names is None:
        return 0
    return max(longest_string(field.type, values[field.name]) for field in kind.fields)


def shown_items(kind: NcType, items: Sequence[Item]) -> AnyArray:
    """Return items as an array of one axis as netCDF4-python shows them, with strings for characters."""
    dtype = shown_as(kind)
    found = recast(kind, to_numpy(kind, items), dtype)
    return recast(kind, found, with_texts(dtype))


# --- elements that are objects


def shown_objects(kind: NcType, stored: AnyArray) -> AnyArray:
    """Return elements that hold sequences as netCDF4-python shows them; what is absent is empty.

    Raises
    ------
    ConversionError
        A text holds no value of the type.
    """
    flat = stored.reshape(-1).tolist()
    if form_of(kind) == "sequence" and isinstance(kind, Vlen):
        found = np.empty(len(flat), object)
        for at, element in enumerate(flat):
            found[at] = _sequence(kind.base, element)
    else:
        items = [_item_of_text(kind, element) for element in flat]
        found = recast(kind, to_numpy(kind, items), shown_as(kind))
    return found.reshape(stored.shape)


def _sequence(base: NcType, element: Any) -> AnyArray:
    if isinstance(element, bytes):
        size = base.dtype.itemsize
        if len(element) % size:
            raise ConversionError(f"expected values of {size} bytes each, found {len(element)} bytes")
        return np.frombuffer(element, base.dtype.newbyteorder("<")).astype(base.dtype)
    return np.asarray([] if element is None else element, base.dtype)


def _item_of_text(kind: NcType, element: Any) -> Any:
    if not element:
        return kind.default_fill
    try:
        return from_json(kind, json.loads(element))
    except (ValueError, RecursionError) as error:
        raise ConversionError(f"expected a value of type {kind} as JSON, found {element!r}") from error


def stored_objects(kind: NcType, values: AnyArray, *, as_bytes: bool) -> AnyArray:
    """Return elements that hold sequences as they are stored.

    Parameters
    ----------
    as_bytes
        Whether plain sequences are stored as bytes, the least significant first, and not as arrays.
    """
    flat = values.reshape(-1)
    found = np.empty(len(flat), object)
    if form_of(kind) == "sequence" and isinstance(kind, Vlen):
        for at, element in enumerate(flat.tolist()):
            sequence = np.asarray(element, kind.base.dtype)
            found[at] = sequence_bytes(kind.base, sequence) if as_bytes else sequence
    else:
        items = (item_of(kind, element) for element in flat.tolist())
        found[:] = [text_of_item(kind, item) for item in items]
    return found.reshape(values.shape)


def sequence_bytes(base: NcType, values: AnyArray) -> bytes:
    """Return the bytes of a sequence, the least significant of each value first."""
    return values.astype(base.dtype.newbyteorder("<")).tobytes()


def text_of_item(kind: NcType, item: Item) -> str:
    """Return the text of an element that is stored as JSON."""
    return json.dumps(to_json(kind, item), separators=(",", ":"))
