"""Attributes in place of those that a node has, where other libraries wrote these."""

from __future__ import annotations

from collections.abc import Mapping

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json, JsonObject
from omnizarr.netcdf.dialects.arrays import time_attributes
from omnizarr.netcdf.dialects.attributes import decode_attribute, is_hidden


def kept_attributes(node: Group | Array, attributes: Mapping[str, Json]) -> JsonObject:
    """Return attributes as they are to be stored: nothing is changed that users did not change.

    What they do not see stays. A value that means what is stored keeps its spelling: `[5]` and `true` are 5
    and 1 to netCDF, and not to others. What only says what the array's data type says, is not stored.
    """
    stored = node.metadata.attributes
    implied = _implied(node)
    found = {name: value for name, value in stored.items() if is_hidden(name) and name not in attributes}
    for name, value in attributes.items():
        if name in stored:
            same = not is_hidden(name) and _meaning(name, stored[name]) == _meaning(name, value)
            found[name] = stored[name] if same else value
        elif implied.get(name) != _meaning(name, value):
            found[name] = value
    return found


def _implied(node: Group | Array) -> dict[str, str]:
    if isinstance(node, Group):
        return {}
    return {a.name: repr(a) for a in time_attributes(node.metadata.data_type.dtype)}


def _meaning(name: str, value: Json) -> str:
    # As text, since NaN is not equal to itself.
    return repr(decode_attribute(name, _numbered(value)))


def _numbered(value: Json) -> Json:
    """Return booleans as the numbers that are stored for them."""
    if isinstance(value, list):
        return [_numbered(item) for item in value]
    return int(value) if isinstance(value, bool) else value
