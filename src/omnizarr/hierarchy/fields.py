"""Field names in a selection of a structured array."""

from __future__ import annotations

from typing import Any


def split_fields(selection: Any, fields: Any = None) -> tuple[Any, Any]:
    """Return a selection without the field names in it, and those names (str, list of str, or None)."""
    items = selection if isinstance(selection, tuple) else (selection,)
    if not any(_names(item) for item in items):
        return selection, fields
    names = [item for item in items if _names(item)]
    rest = tuple(item for item in items if not _names(item))
    flat = [name for item in names for name in ([item] if isinstance(item, str) else item)]
    return rest or ..., flat[0] if len(names) == 1 and isinstance(names[0], str) else flat


def _names(item: Any) -> bool:
    return isinstance(item, str) or (
        isinstance(item, list) and bool(item) and all(isinstance(name, str) for name in item)
    )
