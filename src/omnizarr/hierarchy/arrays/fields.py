"""Field names in a selection of a structured array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import SelectionError


def split_fields(selection: Any, fields: Any = None) -> tuple[Any, Any]:
    """Return a selection without the field names in it, and those names (str, list of str, or None)."""
    items = selection if isinstance(selection, tuple) else (selection,)
    if not any(_names(item) for item in items):
        return selection, fields
    names = [item for item in items if _names(item)]
    rest = tuple(item for item in items if not _names(item))
    flat = [name for item in names for name in ([item] if isinstance(item, str) else item)]
    return rest or ..., flat[0] if len(names) == 1 and isinstance(names[0], str) else flat


def check_fields(fields: str | list[str], dtype: np.dtype[Any]) -> None:
    """Raise SelectionError where a data type has no such field."""
    for name in [fields] if isinstance(fields, str) else fields:
        if name not in (dtype.names or ()):
            raise SelectionError(f"no field {name!r}; found {', '.join(dtype.names or ()) or 'no fields'}")


def field_values(value: Any, fields: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return what is to be assigned to fields, as a structured array of those fields.

    A value for one name is broadcast as numpy does it; for several names it has fields of these names.
    """
    names = [fields] if isinstance(fields, str) else list(fields)
    check_fields(names, dtype)
    values = np.empty(shape, [(name, dtype[name]) for name in names])
    source = value if isinstance(fields, str) else np.asarray(value)
    for name in names:
        values[name] = source if isinstance(fields, str) else source[name]
    return values


def _names(item: Any) -> bool:
    return isinstance(item, str) or (
        isinstance(item, list) and bool(item) and all(isinstance(name, str) for name in item)
    )
