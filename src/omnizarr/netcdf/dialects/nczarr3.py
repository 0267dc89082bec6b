"""NCZarr on Zarr v3: appendix E of "The NetCDF NCZarr Implementation", which no release of netCDF-C has.

Beside what the appendix defines, we write `types` and `growing` in `_nczarr_group`, and `type` and
`no_fill` in `_nczarr_array`, as in NCZarr on Zarr v2. What the appendix spells in several ways is read in
each of them, and as netCDF-C's development versions have it. A `_FillValue` of floating numbers is in base64,
which xarray insists on.

https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from omnizarr.geometry.grid import RegularGrid
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json, JsonObject
from omnizarr.metadata import chunk_keys
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.dtype_numpy import data_type_of
from omnizarr.metadata.group import GroupMetadata
from omnizarr.netcdf.dialects.attributes import encode_attribute
from omnizarr.netcdf.dialects.base import Found, Growth
from omnizarr.netcdf.dialects.fills import encoded_fill
from omnizarr.netcdf.dialects.nczarr import (
    ARRAY,
    ATTRIBUTES,
    GROUP,
    SUPERBLOCK,
    array_notes,
    content_of,
    group_notes,
    members,
    types_in,
    user_type,
)
from omnizarr.netcdf.dialects.notes import ArrayNotes, GroupNotes, Notes
from omnizarr.netcdf.dialects.reading import read_annotated
from omnizarr.netcdf.dialects.stored import v3_array
from omnizarr.netcdf.dialects.writing import new_array
from omnizarr.netcdf.model.nodes import FILL_VALUE, AttributeModel, DimensionModel, GroupModel, VariableModel
from omnizarr.netcdf.model.types import CHAR, DOUBLE, FLOAT, STRING, AtomicType, NcType

_ATTRIBUTES = "_nczarr_attrs"
# In the order in which they are looked for.
_SPELLED = (_ATTRIBUTES, "_nczarr_attrs_", ATTRIBUTES)
_TYPES = "attribute_types"
_JSON = "json"


@dataclass(frozen=True, slots=True)
class NCZarr3:
    """NCZarr on Zarr v3."""

    name: str = "nczarr"
    zarr_format: int = 3

    def recognizes(self, root: Group) -> bool:
        """Say whether there is a superblock among the root's attributes."""
        return root.zarr_format == 3 and SUPERBLOCK in root.metadata.attributes

    def read(self, root: Group) -> Found:
        """Return the dataset below a group; what cannot be shown warns, and stays out."""
        node, notes = self.noted(root)
        return read_annotated(node, self.name, notes)

    def noted(self, root: Group) -> tuple[Group, Notes]:
        """Return the group to read, and its notes."""
        return root, V3Notes()

    def group_metadata(
        self, group: GroupModel, properties: str | None, growth: Growth | None = None
    ) -> GroupMetadata:
        """Return a group's node; while dimensions grow, the variables that wait are not listed."""
        dimensions = growth.dimensions if growth else group.dimensions
        content: JsonObject = {
            "dimensions": [_dimension_to_json(dimension) for dimension in dimensions],
            **members("subgroups", group, growth),
        }
        internal: JsonObject = {GROUP: content}
        if group.name == "/":
            internal[SUPERBLOCK] = {"version": "3.0.0", "format": 3}
            internal |= {"_NCProperties": properties} if properties else {}
        return GroupMetadata(attributes=_encoded(group.attributes, internal))

    def array_metadata(self, variable: VariableModel, shape: tuple[int, ...]) -> ArrayMetadata:
        """Return a variable's node as it is stored."""
        content: JsonObject = {"dimension_references": list(variable.dimensions), **user_type(variable)}
        if variable.type in (CHAR, STRING):
            content["type_alias"] = variable.type.name
        if variable.no_fill:
            content["no_fill"] = 1
        attributes = _encoded(variable.attributes, {ARRAY: content})
        for attribute in variable.attributes:
            if attribute.name == FILL_VALUE and attribute.type in (FLOAT, DOUBLE):
                attributes[FILL_VALUE] = encoded_fill(attribute)
        array = v3_array(variable, _as_v3_text(variable.type, new_array(variable, shape, attributes)))
        names = tuple(path.rpartition("/")[2] for path in variable.dimensions)
        if not names:
            array = replace(array, shape=(), grid=RegularGrid(()))
        return replace(array, chunk_keys=chunk_keys.DEFAULT, dimension_names=names)

    def sidecars(self, model: GroupModel | VariableModel, properties: str | None) -> Mapping[str, Json]:
        """Return nothing: all is in the attributes."""
        return {}


class V3Notes:
    """Notes among the attributes in `zarr.json`."""

    def of_group(self, node: Group) -> GroupNotes:
        """Return what is noted about a group."""
        return group_notes(content_of(node, GROUP))

    def of_array(self, node: Array) -> ArrayNotes:
        """Return what is noted about an array."""
        return array_notes(content_of(node, ARRAY))

    def attribute_types(self, node: Group | Array) -> Mapping[str, Json]:
        """Return the codes of the types of a node's attributes by name."""
        content = content_of(node, *_SPELLED)
        listed = content.get(_TYPES)
        if isinstance(listed, list):
            return dict(pair for entry in listed if (pair := _type_in(entry)) is not None)
        return types_in({"types": listed} if isinstance(listed, dict) else content)

    def stored(self, array: Array) -> ArrayMetadata:
        """Return the array as its document says it."""
        return array.metadata


def _dimension_to_json(dimension: DimensionModel) -> Json:
    return {"name": dimension.name, "size": dimension.size, "unlimited": int(dimension.unlimited)}


def _as_v3_text(kind: NcType, array: ArrayMetadata) -> ArrayMetadata:
    """Return an array with `uint8` for characters, and raw bytes for strings."""
    if kind not in (CHAR, STRING):
        return array
    dtype: np.dtype[Any] = np.dtype("u1" if kind is CHAR else f"V{array.data_type.dtype.itemsize}")
    fill = array.fill_value
    if fill is not None:
        fill = np.frombuffer(bytes(fill).ljust(dtype.itemsize, b"\0"), dtype)[0]
    return replace(array, data_type=data_type_of(dtype), fill_value=fill)


def _encoded(attributes: tuple[AttributeModel, ...], internal: JsonObject) -> JsonObject:
    """Return a node's attributes, and an entry for the type of each of them."""
    values: JsonObject = {}
    types: dict[str, str] = {}
    for attribute in attributes:
        value, _ = encode_attribute(attribute)
        values[attribute.name], types[attribute.name] = value, _code_of(attribute.type, value)
    types |= {name: _code_of(CHAR, value) for name, value in internal.items()}
    types[_ATTRIBUTES] = _JSON
    entries: list[Json] = [{"name": name, "configuration": {"type": code}} for name, code in types.items()]
    return {**values, **internal, _ATTRIBUTES: {_TYPES: entries}}


def _code_of(kind: NcType, value: Json) -> str:
    if not isinstance(kind, AtomicType):
        return kind.path
    if kind is CHAR:
        return kind.name if isinstance(value, str) else _JSON
    return kind.name if kind is STRING else kind.dtype.name


def _type_in(entry: Json) -> tuple[str, Json] | None:
    """Return the name and the type of `{"name": "a", "configuration": {"type": "int32"}}`, else None."""
    if not isinstance(entry, dict) or not isinstance(name := entry.get("name"), str):
        return None
    configuration = entry.get("configuration")
    return name, (configuration if isinstance(configuration, dict) else entry).get("type")
