"""The attributes of stored nodes as builders hold them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from omnizarr.hdmf.backend.attribute_values import typed_attributes
from omnizarr.hdmf.layout import RESERVED
from omnizarr.hierarchy.linking.reference import (
    Reference,
    is_reference,
    read_attribute,
)
from omnizarr.jsontypes import Json, Problems

Resolve = Callable[[Reference], Any]


def plain_attributes(attributes: Mapping[str, Json]) -> dict[str, Any]:
    """Return the user's attributes that are no references, with the types that are stated for them."""
    ours = {name: value for name, value in attributes.items() if name not in RESERVED}
    typed = typed_attributes({name: value for name, value in ours.items() if not has_references(value)})
    return {name: plain_value(value) for name, value in typed.items()}


def referring_attributes(attributes: Mapping[str, Json]) -> dict[str, Json]:
    """Return the user's attributes that are references or lists of them, as they are stored."""
    return {
        name: value
        for name, value in attributes.items()
        if name not in RESERVED and isinstance(value, dict | list) and has_references(value)
    }


def has_references(value: Json) -> bool:
    """Say whether a value is a reference, or a list with one."""
    return is_reference(value) or (isinstance(value, list) and any(map(has_references, value)))


def plain_value(value: Any) -> Any:
    """Return a value without references: lists are arrays, as they are in HDF5 files."""
    if not isinstance(value, list) or not value:
        return value
    if all(isinstance(item, str) for item in value):
        return np.array(value, dtype=object)
    try:
        found = np.array(value)
    except (ValueError, OverflowError):  # lists of different lengths, numbers of any size
        return value
    return found if found.dtype.kind in "biuf" else value


def referring_value(value: Json, at: str, resolve: Resolve) -> Any:
    """Return a value with its references resolved.

    Raises
    ------
    MetadataError
        A reference is broken.
    """
    if isinstance(value, list):
        return [referring_value(item, f"{at}[{place}]", resolve) for place, item in enumerate(value)]
    problems = Problems()
    reference = read_attribute(value, at, problems)
    problems.check()
    if reference is None:
        return value
    return resolve(reference)
