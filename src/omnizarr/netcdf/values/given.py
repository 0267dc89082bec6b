"""What users give for values of user-defined types: Python's own values, or numpy's.

Refused is what the type cannot hold; nothing is cut, wrapped around or rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import ConversionError
from omnizarr.netcdf.model.items import Item
from omnizarr.netcdf.model.types import (
    CHAR,
    STRING,
    UBYTE,
    AtomicType,
    Compound,
    Enum,
    Field,
    NcType,
    Opaque,
    Vlen,
)

AnyArray: TypeAlias = NDArray[Any]


def item_of(kind: NcType, value: Any) -> Item:
    """Return the item (`items.Item`) that a value stands for.

    Raises
    ------
    ConversionError
        The type cannot hold it.
    """
    match kind:
        case Vlen(base=base):
            return tuple(item_of(base, part) for part in _parts(kind, value))
        case Compound():
            return _record(kind, value)
        case Opaque(length=length):
            return _opaque(kind, value, length)
        case Enum(base=base):
            return item_of(base, value)
        case AtomicType() if kind is STRING:
            if isinstance(value, bytes):
                return value.decode("utf-8", "surrogateescape")
            if isinstance(value, str):
                return str(value)
        case AtomicType() if kind is CHAR:
            data = value.encode() if isinstance(value, str) else value
            if isinstance(data, bytes) and len(data) <= 1:
                return bytes(data) or b"\x00"
        case _:
            return _number(kind, value)
    raise _misfit(kind, value)


def _misfit(kind: NcType, value: Any) -> ConversionError:
    return ConversionError(f"expected a value of type {kind}, found {value!r}")


def _number(kind: AtomicType, value: Any) -> int | float:
    given = value.item() if isinstance(value, np.ndarray | np.generic) and value.ndim == 0 else value
    if isinstance(given, int | float):
        if kind.dtype.kind == "f":
            with np.errstate(over="ignore"):
                return float(kind.dtype.type(given))
        limits = np.iinfo(kind.dtype)
        if given == given and limits.min <= given <= limits.max and int(given) == given:
            return int(given)
    raise _misfit(kind, value)


def _parts(kind: Vlen, value: Any) -> Sequence[Any]:
    """Return the elements of a sequence; a text is one of characters, and bytes are one of numbers too."""
    if value is None:
        return ()
    if kind.base is UBYTE and isinstance(value, bytes):
        return value
    if kind.base is CHAR and isinstance(value, str | bytes):
        data = value.encode() if isinstance(value, str) else value
        return [data[at : at + 1] for at in range(len(data))]
    if isinstance(value, np.ndarray) and value.ndim == 1:
        # The records of an array keep the names of their fields.
        return list(value) if value.dtype.names else value.tolist()
    if isinstance(value, list | tuple):
        return value
    raise _misfit(kind, value)


def _opaque(kind: NcType, value: Any, length: int) -> bytes:
    data = value.tobytes() if isinstance(value, np.void) else value
    if not isinstance(data, bytes) or len(data) != length:
        raise _misfit(kind, value)
    return bytes(data)


def _record(kind: Compound, value: Any) -> Item:
    given = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if isinstance(given, complex) and len(kind.fields) == 2:
        given = given.real, given.imag
    if isinstance(given, np.void) and given.dtype.names is not None:
        names = tuple(field.name for field in kind.fields)
        if given.dtype.names != names:
            raise _misfit(kind, value)
        given = tuple(given[name] for name in names)
    if not isinstance(given, tuple | list) or len(given) != len(kind.fields):
        raise _misfit(kind, value)
    return tuple(_field(field, part) for field, part in zip(kind.fields, given, strict=True))


def _field(field: Field, value: Any) -> Item:
    if not field.shape:
        return item_of(field.type, value)
    flat = list(_flattened(field, value, field.shape))
    if len(flat) != prod(field.shape):
        raise ConversionError(f"field {field.name!r}: expected shape {field.shape}, found {value!r}")
    return tuple(item_of(field.type, part) for part in flat)


def _flattened(field: Field, value: Any, shape: tuple[int, ...]) -> list[Any]:
    """Return the elements of a nested list or an array in C order; a text fills the last axis."""
    if not shape:
        return [value]
    if len(shape) == 1 and field.type is CHAR and isinstance(value, str | bytes):
        data = value.encode() if isinstance(value, str) else value
        padded = data.ljust(shape[0], b"\x00")
        return [padded[at : at + 1] for at in range(len(padded))]
    if not isinstance(value, list | tuple | np.ndarray) or len(value) != shape[0]:
        raise ConversionError(f"field {field.name!r}: expected {shape[0]} values, found {value!r}")
    return [leaf for part in value for leaf in _flattened(field, part, shape[1:])]


def nested(value: Any, ndim: int | None = None) -> AnyArray:
    """Return nested lists as an array of objects.

    Parameters
    ----------
    ndim
        The number of axes; None where lists are axes, and anything else an element.

    Raises
    ------
    ValueError
        The lists of an axis differ in length.
    """
    shape: list[int] = []
    level = [value]
    while (len(shape) < ndim) if ndim is not None else all(isinstance(part, list) for part in level):
        lengths = {len(part) if isinstance(part, list | tuple | np.ndarray) else None for part in level}
        if len(lengths) != 1 or None in lengths:
            raise ValueError(f"expected {ndim} axes of lists, found {value!r}")
        shape.append(len(level[0]))
        level = [inner for part in level for inner in part]
        if not level:
            break
    found = np.empty(len(level), object)
    for at, element in enumerate(level):
        found[at] = element
    return found.reshape(shape)
