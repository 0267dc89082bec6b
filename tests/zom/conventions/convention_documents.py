"""Hierarchies as documents, and the keys that hold them: also such as no writer would write."""

from __future__ import annotations

import json
from typing import Any


def keys_of(document: Any, path: str = "") -> dict[str, bytes]:
    """Return the keys of the documents of a model in JSON, just as it says."""
    prefix = f"{path}/" if path else ""
    own = {name: value for name, value in document.items() if name != "members"}
    if own["zarr_format"] == 3:
        found = {f"{prefix}zarr.json": own}
    else:
        attributes = own.pop("attributes")
        found = {f"{prefix}{'.zarray' if 'shape' in own else '.zgroup'}": own, f"{prefix}.zattrs": attributes}
    keys = {key: json.dumps(value).encode() for key, value in found.items()}
    for name, inner in document.get("members", {}).items():
        keys |= keys_of(inner, f"{prefix}{name}")
    return keys
