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
from omnizarr.netcdf.dialects.notes import ArrayNotes, GroupNotes, dimensions_in, first_of, names_in, sizes_in
from omnizarr.netcdf.dialects.reading import read_annotated
from omnizarr.netcdf.dialects.writing import new_array
from omnizarr.netcdf.model import DimensionModel, GroupModel, VariableModel

SUPERBLOCK = "_nczarr_superblock"
GROUP = "_nczarr_group"
ARRAY = "_nczarr_array"
ATTRIBUTES = "_nczarr_attr"
_SCALAR_DIMENSION = "_scalar_"
# Beside the names that netCDF-C knows in `_nczarr_group`, which ignores it: see `group_metadata`.
_GROWING = "growing"


@dataclass(frozen=True, slots=True)
class NCZarr:
    """NCZarr on Zarr v2."""

    name: str = "nczarr"
    zarr_format: int = 2

    def recognizes(self, root: Group) -> bool:
        """Say whether there is a superblock among the root's attributes."""
        return SUPERBLOCK in root.metadata.attributes

    def read(self, root: Group) -> Found:
        """Return the dataset below a group; what cannot be shown warns, and stays out."""
        return read_annotated(root, self.name, AttributeNotes())

    def group_metadata(
        self, group: GroupModel, properties: str | None, growth: Growth | None = None
    ) -> GroupMetadata:
        """Return a group's node.

        netCDF-C opens no dataset where a dimension's size and a variable's shape differ, and no store
        writes both at once. So the variables that grow leave the list, with a note for ourselves, and
        come back when all shapes are written: at every moment what is listed fits.
        """
        waiting = growth.variables if growth else ()
        dimensions = growth.dimensions if growth else group.dimensions
        content: JsonObject = {
            "dimensions": {d.name: _dimension_to_json(d) for d in dimensions},
            "arrays": [v.name for v in group.variables if v.name not in waiting],
            "groups": [inner.name for inner in group.groups],
        }
        if growth:
            every: list[Json] = [v.name for v in group.variables]
            content[_GROWING] = {"arrays": every, "sizes": dict(growth.sizes)}
        internal: JsonObject = {GROUP: content}
        plain: JsonObject = {}
        if group.name == "/":
            internal[SUPERBLOCK] = {"version": "2.0.0"}
            plain = {"_NCProperties": properties} if properties else {}
        return GroupMetadata(attributes=encode_attributes(group.attributes, internal, plain))

    def array_metadata(self, variable: VariableModel, shape: tuple[int, ...]) -> ArrayMetadata:
        """Return a variable's node as it is stored."""
        names: list[Json] = [path.rpartition("/")[2] for path in variable.dimensions]
        content: JsonObject = {"dimension_references": list(variable.dimensions)}
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
        content = _content(node, GROUP)
        arrays = names_in(first_of(content, "arrays", "vars"))
        growing: Mapping[str, int] = {}
        if isinstance(note := content.get(_GROWING), dict):
            arrays = names_in(note.get("arrays"))
            growing = sizes_in(note.get("sizes"))
        return GroupNotes(
            dimensions=dimensions_in(first_of(content, "dimensions", "dims")),
            arrays=arrays,
            groups=names_in(content.get("groups")),
            growing=growing,
        )

    def of_array(self, node: Array) -> ArrayNotes:
        """Return what is noted about an array."""
        content = _content(node, ARRAY)
        return ArrayNotes(
            references=names_in(first_of(content, "dimension_references", "dimrefs")),
            is_scalar=bool(content.get("scalar")) or content.get("storage") == "scalar",
        )

    def attribute_types(self, node: Group | Array) -> Mapping[str, Json]:
        """Return the codes of the types of a node's attributes by name."""
        types = _content(node, ATTRIBUTES).get("types")
        return types if isinstance(types, dict) else {}


def _content(node: Group | Array, name: str) -> JsonObject:
    found = node.metadata.attributes.get(name)
    return found if isinstance(found, dict) else {}


def _dimension_to_json(dimension: DimensionModel) -> Json:
    return {"size": dimension.size, "unlimited": 1} if dimension.unlimited else dimension.size
