"""Attributes of builders ↔ JSON.

JSON has no widths: the types of numbers that are not numpy's `int64` or `float64` stand in one more
attribute, `_ATTRIBUTE_DTYPES`, a mapping from names of attributes to types. Others see plain numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date, datetime
from typing import Any

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.hdmf.backend.pointing import points
from omnizarr.hierarchy.linking.reference import Reference, attribute_json
from omnizarr.jsontypes import Json, JsonObject, as_json, shown

DTYPES = "_ATTRIBUTE_DTYPES"
_PLAIN = ("int64", "float64", "bool")
_NUMBERS = frozenset(np.dtype(code).name for code in "bhilBHILefd")


def attributes_json(
    attributes: Mapping[str, Any], reference: Callable[[Any], Reference], zarr_format: int | str
) -> JsonObject:
    """Return the attributes of a builder as they are stored; those that are None are left out.

    Parameters
    ----------
    reference
        Returns the reference to what a value points at.

    Raises
    ------
    ConversionError
        A value has no form in JSON; the attribute is named.
    """
    found: JsonObject = {}
    dtypes: JsonObject = {}
    for name, value in attributes.items():
        if value is None:
            continue
        try:
            found[name] = _stored(value, lambda target: attribute_json(reference(target), zarr_format))
        except (TypeError, ValueError) as error:
            raise ConversionError(f"attribute {name!r} with {shown(value)}: {error}") from error
        if (dtype := _dtype_to_state(value)) is not None:
            dtypes[name] = dtype
    return {**found, DTYPES: dtypes} if dtypes else found


def typed_attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes that were read, those whose types are stated as numpy has them."""
    stated = attributes.get(DTYPES)
    found = {name: value for name, value in attributes.items() if name != DTYPES}
    for name, dtype in stated.items() if isinstance(stated, Mapping) else ():
        if name in found and isinstance(dtype, str) and dtype in _NUMBERS:
            with suppress(TypeError, ValueError, OverflowError):  # changed since by others
                values = np.array(found[name], dtype)
                found[name] = values if values.ndim else values[()]
    return found


def _stored(value: Any, pointer: Callable[[Any], Json]) -> Json:
    if points(value):
        return pointer(value)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, np.ndarray | np.generic):
        return _stored(value.tolist(), pointer)
    if isinstance(value, list | tuple):
        return [_stored(item, pointer) for item in value]
    if isinstance(value, set | frozenset):
        return [_stored(item, pointer) for item in sorted(value)]
    if isinstance(value, Mapping):
        return {str(name): _stored(item, pointer) for name, item in value.items()}
    return as_json(value)


def _dtype_to_state(value: Any) -> str | None:
    if isinstance(value, list | tuple) and value and all(isinstance(item, np.generic) for item in value):
        value = np.asarray(value)
    if not isinstance(value, np.ndarray | np.generic) or value.dtype.kind not in "biuf":
        return None
    return None if value.dtype.name in _PLAIN else value.dtype.name
