"""Values of any type as plain Python values: to numpy and back, to JSON and back.

A number is an int or a float, and so is a member of an enum; a char is one byte; a string is a str; an
opaque is its bytes; a sequence (vlen) is a tuple of its elements; a record (compound) is a tuple of its
fields, where a field that is an array is a tuple of its elements in C order.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan, prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import ConversionError
from omnizarr.jsontypes import Json
from omnizarr.netcdf.model.types import (
    CHAR,
    FLOAT,
    STRING,
    AtomicType,
    Compound,
    Enum,
    Field,
    NcType,
    Opaque,
    Vlen,
)

Item: TypeAlias = "int | float | str | bytes | tuple[Item, ...]"
AnyArray: TypeAlias = NDArray[Any]

_UNBOUNDED = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def to_numpy(kind: NcType, items: Sequence[Item]) -> AnyArray:
    """Return items of a type as an array of one dimension, in native byte order.

    Raises
    ------
    ConversionError
        An item is none of this type.
    """
    try:
        return _to_numpy(kind, items)
    except (TypeError, ValueError, OverflowError, IndexError) as error:
        raise ConversionError(f"expected values of type {kind}, found {items!r}: {error}") from error


def _to_numpy(kind: NcType, items: Sequence[Item]) -> AnyArray:
    match kind:
        case Opaque(length=length):
            if any(not isinstance(item, bytes) or len(item) != length for item in items):
                raise ValueError(f"expected {length} bytes each")
            return np.array(items, kind.dtype)
        case Vlen(base=base):
            found = np.empty(len(items), object)
            for at, item in enumerate(items):
                found[at] = _to_numpy(base, _listed(item))
            return found
        case Compound(fields=fields):
            return _records(kind, fields, [_listed(item) for item in items])
        case _ if kind is STRING:
            texts = np.empty(len(items), object)
            texts[:] = [str(item) for item in items]
            return texts
        case _:
            return np.array(items, kind.dtype)


def _records(kind: Compound, fields: tuple[Field, ...], items: list[tuple[Item, ...]]) -> AnyArray:
    if any(len(item) != len(fields) for item in items):
        raise ValueError(f"expected {len(fields)} fields")
    found = np.zeros(len(items), kind.dtype)
    for at, field in enumerate(fields):
        column = [item[at] for item in items]
        flat = [part for item in column for part in _listed(item)] if field.shape else column
        found[field.name] = _to_numpy(field.type, flat).reshape((len(items), *field.shape))
    return found


def from_numpy(kind: NcType, values: AnyArray) -> tuple[Item, ...]:
    """Return the values of an array as items, in C order."""
    flat = values.ravel()
    match kind:
        case Opaque():
            return tuple(bytes(value) for value in flat)
        case Vlen(base=base):
            return tuple(from_numpy(base, np.asarray(value, base.dtype)) for value in flat)
        case Compound(fields=fields):
            return tuple(zip(*(_column(field, flat[field.name]) for field in fields), strict=True))
        case _ if kind is CHAR:
            return tuple(bytes(value) or b"\x00" for value in flat)
        case _ if kind is STRING:
            return tuple(map(_text, flat.tolist()))
        case _:
            return tuple(flat.tolist())


def _column(field: Field, values: AnyArray) -> list[Item]:
    if not field.shape:
        return list(from_numpy(field.type, values))
    count = prod(field.shape)
    flat = from_numpy(field.type, values)
    return [flat[at * count : (at + 1) * count] for at in range(len(values))]


def to_json(kind: NcType, item: Item) -> Json:
    """Return an item as JSON: opaque bytes in hex, characters as Latin-1, sequences and records as lists."""
    match kind:
        case Opaque():
            return item.hex() if isinstance(item, bytes) else str(item)
        case Vlen(base=base):
            return [to_json(base, part) for part in _listed(item)]
        case Compound(fields=fields):
            return [_field_to_json(field, part) for field, part in zip(fields, _listed(item), strict=True)]
        case _ if isinstance(item, bytes):
            return item.decode("latin-1")
        case _ if isinstance(item, float) and not isfinite(item):
            return "NaN" if isnan(item) else "Infinity" if item > 0 else "-Infinity"
        case _ if kind is FLOAT and isinstance(item, float):
            return float(str(np.float32(item)))
        case _:
            return item  # type: ignore[return-value]


def _field_to_json(field: Field, item: Item) -> Json:
    return [to_json(field.type, part) for part in _listed(item)] if field.shape else to_json(field.type, item)


def from_json(kind: NcType, value: Json) -> Item:
    """Return the item that JSON stands for.

    Raises
    ------
    ConversionError
        It is none of this type.
    """
    match kind:
        case Opaque(length=length) if isinstance(value, str):
            return _opaque(value, length)
        case Vlen(base=base) if isinstance(value, list):
            return tuple(from_json(base, part) for part in value)
        case Compound(fields=fields) if isinstance(value, list) and len(value) == len(fields):
            return tuple(_field_from_json(field, part) for field, part in zip(fields, value, strict=True))
        case Enum(base=base):
            return from_json(base, value)
        case AtomicType() if kind is STRING and isinstance(value, str):
            return value
        case AtomicType() if kind is CHAR and isinstance(value, str) and len(value) == 1:
            return value.encode("latin-1", "replace")
        case AtomicType() if kind.is_numeric:
            return _number(kind, value)
        case _:
            raise ConversionError(f"expected a value of type {kind}, found {value!r}")


def _field_from_json(field: Field, value: Json) -> Item:
    if not field.shape:
        return from_json(field.type, value)
    if not isinstance(value, list) or len(value) != prod(field.shape):
        raise ConversionError(f"field {field.name!r}: expected {prod(field.shape)} values, found {value!r}")
    return tuple(from_json(field.type, part) for part in value)


def _number(kind: AtomicType, value: Json) -> int | float:
    if kind.dtype.kind == "f":
        number = _UNBOUNDED.get(value) if isinstance(value, str) else value
        if isinstance(number, int | float):
            return float(kind.dtype.type(number))
    elif isinstance(value, int):
        limits = np.iinfo(kind.dtype)
        if limits.min <= value <= limits.max:
            return int(value)
    raise ConversionError(f"expected a value of type {kind}, found {value!r}")


def _opaque(value: str, length: int) -> bytes:
    try:
        data = bytes.fromhex(value)
    except ValueError as error:
        raise ConversionError(f"expected bytes in hex, found {value!r}") from error
    if len(data) != length:
        raise ConversionError(f"expected {length} bytes, found {len(data)}")
    return data


def _listed(item: Item) -> tuple[Item, ...]:
    if not isinstance(item, tuple | list):
        raise ConversionError(f"expected a sequence, found {item!r}")
    return tuple(item)


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return value if isinstance(value, str) else "" if value is None or value == 0 else str(value)


def bytes_of_text(text: str) -> bytes:
    """Return the bytes of a text: those that were none are what they were; of half a letter its own three."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # which only an escape of JSON can spell
        return text.encode("utf-8", "surrogatepass")
