"""NCZarr, as netCDF-C 4.9.3 and later keep it on Zarr v2: everything in the attributes.

https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json, JsonObject
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import GroupMetadata
from omnizarr.netcdf.dialects.attributes import encode_attributes
from omnizarr.netcdf.dialects.base import Found, Growth
from omnizarr.netcdf.dialects.notes import (
    ArrayNotes,
    GroupNotes,
    Notes,
    dimensions_in,
    first_of,
    names_in,
    sizes_in,
)
from omnizarr.netcdf.dialects.reading import read_annotated
from omnizarr.netcdf.dialects.stored import is_stored_specially
from omnizarr.netcdf.dialects.typedefs import types_to_json
from omnizarr.netcdf.dialects.writing import new_array
from omnizarr.netcdf.model.nodes import DimensionModel, GroupModel, VariableModel
from omnizarr.netcdf.model.types import AtomicType

SUPERBLOCK = "_nczarr_superblock"
GROUP = "_nczarr_group"
ARRAY = "_nczarr_array"
ATTRIBUTES = "_nczarr_attr"
_SCALAR_DIMENSION = "_scalar_"
# Beside what netCDF-C knows, and it ignores: `types` and `growing` (see `group_metadata`) in `_nczarr_group`,
# `type` in `_nczarr_array`.
_GROWING = "growing"
_TYPED = "typed_arrays"


@dataclass(frozen=True, slots=True)
class NCZarr:
    """NCZarr on Zarr v2."""

    name: str = "nczarr"
    zarr_format: int = 2

    def recognizes(self, root: Group) -> bool:
        """Say whether there is a superblock among the root's attributes."""
        return root.zarr_format == 2 and SUPERBLOCK in root.metadata.attributes

    def read(self, root: Group) -> Found:
        """Return the dataset below a group; what cannot be shown warns, and stays out."""
        node, notes = self.noted(root)
        return read_annotated(node, self.name, notes)

    def noted(self, root: Group) -> tuple[Group, Notes]:
        """Return the group to read, and its notes."""
        return root, AttributeNotes()

    def group_metadata(
        self, group: GroupModel, properties: str | None, growth: Growth | None = None
    ) -> GroupMetadata:
        """Return a group's node.

        netCDF-C opens no dataset where a dimension's size and a variable's shape differ, and no store
        writes both at once. So the variables that grow leave the list, with a note for ourselves, and
        come back when all shapes are written: at every moment what is listed fits.
        """
        dimensions = growth.dimensions if growth else group.dimensions
        content: JsonObject = {
            "dimensions": {d.name: _dimension_to_json(d) for d in dimensions},
            **members("groups", group, growth),
        }
        content |= _hidden_from_netcdf_c(group, growth)
        internal: JsonObject = {GROUP: content}
        plain: JsonObject = {}
        if group.name == "/":
            internal[SUPERBLOCK] = {"version": "2.0.0"}
            plain = {"_NCProperties": properties} if properties else {}
        return GroupMetadata(attributes=encode_attributes(group.attributes, internal, plain))

    def array_metadata(self, variable: VariableModel, shape: tuple[int, ...]) -> ArrayMetadata:
        """Return a variable's node as it is stored."""
        names: list[Json] = [path.rpartition("/")[2] for path in variable.dimensions]
        content: JsonObject = {"dimension_references": list(variable.dimensions), **user_type(variable)}
        if not variable.dimensions:
            content["scalar"] = 1
        content["storage"] = "chunked"
        plain: JsonObject = {"_ARRAY_DIMENSIONS": names or [_SCALAR_DIMENSION]}
        attributes = encode_attributes(variable.attributes, {ARRAY: content}, plain)
        return new_array(variable, shape, attributes)

    def sidecars(self, model: GroupModel | VariableModel, properties: str | None) -> Mapping[str, Json]:
        """Return nothing: all is in the attributes."""
        return {}


class AttributeNotes:
    """Notes among the attributes, as netCDF-C 4.9.3 and later write them."""

    def of_group(self, node: Group) -> GroupNotes:
        """Return what is noted about a group."""
        return group_notes(content_of(node, GROUP))

    def of_array(self, node: Array) -> ArrayNotes:
        """Return what is noted about an array."""
        return array_notes(content_of(node, ARRAY))

    def attribute_types(self, node: Group | Array) -> Mapping[str, Json]:
        """Return the codes of the types of a node's attributes by name."""
        return types_in(content_of(node, ATTRIBUTES))

    def stored(self, array: Array) -> ArrayMetadata:
        """Return the array as its document says it."""
        return array.metadata


def members(groups: str, group: GroupModel, growth: Growth | None) -> JsonObject:
    """Return the lists of what a group holds, and its types; `groups` is what the groups' list is called."""
    waiting = growth.variables if growth else ()
    content: JsonObject = {
        "arrays": [v.name for v in group.variables if v.name not in waiting],
        groups: [inner.name for inner in group.groups],
    }
    if group.types:
        content["types"] = types_to_json(group.types)
    if growth:
        every: list[Json] = [v.name for v in group.variables]
        content[_GROWING] = {"arrays": every, "sizes": dict(growth.sizes)}
    return content


def _hidden_from_netcdf_c(group: GroupModel, growth: Growth | None) -> JsonObject:
    """Return the lists of arrays: netCDF-C opens no dataset that lists one of a type that it does not read.

    Those go under a key of our own, each with its place among all.
    """
    listed = [v for v in group.variables if growth is None or v.name not in growth.variables]
    hidden = {v.name: at for at, v in enumerate(listed) if is_stored_specially(v.type)}
    if not hidden:
        return {}
    return {"arrays": [v.name for v in listed if v.name not in hidden], _TYPED: dict(hidden)}


def _arrays(content: JsonObject) -> tuple[str, ...] | None:
    """Return the names of arrays in their order, those that netCDF-C is not told of among them."""
    names = names_in(first_of(content, "arrays", "vars", "variables"))
    places = sizes_in(content.get(_TYPED))
    if not places:
        return names
    found = list(names or ())
    for name in sorted(places, key=lambda name: places[name]):
        found.insert(places[name], name)
    return tuple(found)


def user_type(variable: VariableModel) -> JsonObject:
    """Return the note on the type of a variable, where that is one of the user's."""
    return {} if isinstance(variable.type, AtomicType) else {"type": variable.type.path}


def content_of(node: Group | Array, *names: str) -> JsonObject:
    """Return the object among a node's attributes that has the first of several names; empty without one."""
    found = (node.metadata.attributes.get(name) for name in names)
    return next((content for content in found if isinstance(content, dict)), {})


def group_notes(content: JsonObject) -> GroupNotes:
    """Return what the annotation of a group says, as any generation spells it."""
    dimensions, problems = dimensions_in(first_of(content, "dimensions", "dims"))
    arrays = _arrays(content)
    growing: Mapping[str, int] = {}
    if isinstance(note := content.get(_GROWING), dict):
        arrays = names_in(note.get("arrays"))
        growing = sizes_in(note.get("sizes"))
    types = content.get("types")
    return GroupNotes(
        dimensions=dimensions,
        arrays=arrays,
        groups=names_in(first_of(content, "groups", "subgroups")),
        types=types if isinstance(types, dict) else {},
        growing=growing,
        problems=problems,
    )


def array_notes(content: JsonObject) -> ArrayNotes:
    """Return what the annotation of an array says, as any generation spells it."""
    kind = first_of(content, "type", "type_alias", "nczarr_type")
    return ArrayNotes(
        references=names_in(first_of(content, "dimension_references", "dimrefs")),
        is_scalar=bool(content.get("scalar")) or content.get("storage") == "scalar",
        type=kind if isinstance(kind, str) else None,
        no_fill=bool(content.get("no_fill")),
    )


def types_in(content: JsonObject) -> Mapping[str, Json]:
    """Return the codes of types that the annotation of attributes says, by the attributes' names."""
    types, of_users = content.get("types"), content.get("user_types")
    return {**(types if isinstance(types, dict) else {}), **(of_users if isinstance(of_users, dict) else {})}


def _dimension_to_json(dimension: DimensionModel) -> Json:
    return {"size": dimension.size, "unlimited": 1} if dimension.unlimited else dimension.size
