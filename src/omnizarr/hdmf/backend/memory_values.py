"""Values in memory, whatever they are given as: arrays of numbers, text, references, records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import ConversionError
from omnizarr.hdmf.dtypes import ElementType, Numbers, Records, References, Text, numpy_dtype
from omnizarr.hierarchy.linking.reference import Reference

Pointer: TypeAlias = "Callable[[Any], Reference]"
"""Returns the reference to a builder or container."""


def in_memory(data: Any, element: ElementType, pointer: Pointer) -> NDArray[Any]:
    """Return data as an array of what a dataset holds: numbers, text, `Reference`s, records of such.

    Raises
    ------
    ConversionError
        Something is not of the type.
    """
    match element:
        case Numbers(dtype):
            return np.asarray(data, dtype)
        case Records():
            return _records(data, element, pointer)
        case References():
            return _objects(data, lambda value: None if value is None else pointer(value))
        case Text() if element.is_bytes:
            return _objects(data, _ascii)
    return _objects(data, _text)


def _records(data: Any, element: Records, pointer: Pointer) -> NDArray[Any]:
    """Return records as numpy has them; text and references in them are objects."""
    if isinstance(data, np.ndarray) and data.dtype.names is not None and element.is_plain:
        return data.astype(numpy_dtype(element), copy=False)
    rows = [data] if np.ndim(data) == 0 or isinstance(data, np.void) else list(data)
    found = [tuple(_field(item, kind, pointer) for item, (_, kind) in _fields(row, element)) for row in rows]
    values = np.array(found, numpy_dtype(element))
    return values.reshape(()) if rows and rows[0] is data else values


def _fields(row: Any, element: Records) -> Iterator[tuple[Any, tuple[str, ElementType]]]:
    items = row.item() if isinstance(row, np.ndarray | np.void) else row
    return zip(items, element.fields, strict=True)


def _field(value: Any, kind: ElementType, pointer: Pointer) -> Any:
    match kind:
        case References():
            return None if value is None else pointer(value)
        case Text():
            return _ascii(value) if kind.is_bytes else _text(value)
        case Records() if not isinstance(value, tuple):
            return tuple(value)
    return value


def _objects(data: Any, convert: Callable[[Any], Any]) -> NDArray[Any]:
    """Return converted elements in an array of objects, without taking those that are mappings apart."""
    if isinstance(data, np.ndarray):
        values = np.empty(data.shape, object)
        for i, item in enumerate(data.flat):
            values.flat[i] = convert(item)
        return values
    if not isinstance(data, list | tuple):
        values = np.empty((), object)
        values[()] = convert(data)
        return values
    shape = _shape(data)
    values = np.empty(shape, object)
    for i, item in enumerate(_leaves(data, len(shape))):
        values.flat[i] = convert(item)
    return values


def _shape(data: Any) -> tuple[int, ...]:
    lengths = []
    while isinstance(data, list | tuple | np.ndarray):
        lengths.append(len(data))
        if not len(data):
            break
        data = data[0]
    return tuple(lengths)


def _leaves(data: Any, depth: int) -> Iterator[Any]:
    if depth == 0:
        yield data
        return
    for item in data:
        yield from _leaves(item, depth - 1)


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, str):
        return str(value)
    raise ConversionError(f"expected text, found {type(value).__name__} {value!r}")


def _ascii(value: Any) -> bytes:
    return bytes(value) if isinstance(value, bytes) else _text(value).encode()
