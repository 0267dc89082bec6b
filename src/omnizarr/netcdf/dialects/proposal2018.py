"""NCZarr as it was proposed in 2018, on Zarr v2: what netCDF adds lies under keys of its own.

Beside a group's documents are `.zdims`, `.ztypedefs` and `.zattr_type`, and the root's `.zdataset`; an
array's `.zarray` has `dimensions` and `typedef` too, and `.zattr_type` beside it.

https://www.unidata.ucar.edu/blogs/developer/en/entry/netcdf-zarr-data-model-specification
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.discover import walk
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json, JsonObject
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import GroupMetadata
from omnizarr.netcdf.dialects.attributes import encode_attribute
from omnizarr.netcdf.dialects.base import Found, Growth
from omnizarr.netcdf.dialects.bits import in_bytes
from omnizarr.netcdf.dialects.notes import ArrayNotes, GroupNotes, Notes, dimensions_in, names_in
from omnizarr.netcdf.dialects.pure_writing import text_changes
from omnizarr.netcdf.dialects.reading import read_annotated
from omnizarr.netcdf.dialects.sidecars import read_sidecar
from omnizarr.netcdf.dialects.stored import DEFAULT_STRING_LENGTH
from omnizarr.netcdf.dialects.typedefs import reference, types_to_json
from omnizarr.netcdf.dialects.writing import new_array
from omnizarr.netcdf.model.nodes import AttributeModel, DimensionModel, GroupModel, VariableModel
from omnizarr.netcdf.model.types import CHAR, INT, STRING, AtomicType, Compound
from omnizarr.netcdf.values.layouts import form_of

VERSION = "0.1.0"
DATASET = ".zdataset"
DIMENSIONS = ".zdims"
TYPES = ".ztypedefs"
ATTRIBUTE_TYPES = ".zattr_type"

_ANONYMOUS = re.compile(r"/?_?[aA]nonymous([0-9]+)")


@dataclass(frozen=True, slots=True)
class Proposal2018:
    """The proposal of 2018."""

    name: str = "proposal2018"
    zarr_format: int = 2

    def recognizes(self, root: Group) -> bool:
        """Say whether there is `.zdataset`, and netCDF wrote what is there."""
        written = "_NCProperties" in root.metadata.attributes
        return written and root.zarr_format == 2 and read_sidecar(root, DATASET) is not None

    def read(self, root: Group) -> Found:
        """Return the dataset below a group, also where netCDF did not write it; what is odd warns."""
        node, notes = self.noted(root)
        found = read_annotated(node, self.name, notes)
        found.set_root(_without_lengths(found.model.root))
        return found

    def noted(self, root: Group) -> tuple[Group, Notes]:
        """Return the group to read, and its notes."""
        root = in_bytes(root)
        return root, SidecarNotes(root)

    def group_metadata(
        self, group: GroupModel, properties: str | None, growth: Growth | None = None
    ) -> GroupMetadata:
        """Return a group's node; `_NCProperties` says that netCDF wrote the dataset."""
        attributes = {a.name: encode_attribute(a)[0] for a in _with_lengths(group)}
        if group.name == "/":
            attributes["_NCProperties"] = properties or f"version=2,nczarr={VERSION}"
        return GroupMetadata(attributes=attributes)

    def array_metadata(self, variable: VariableModel, shape: tuple[int, ...]) -> ArrayMetadata:
        """Return a variable's node as it is stored; characters are unsigned bytes."""
        attributes = {a.name: encode_attribute(a)[0] for a in variable.attributes}
        changes: JsonObject = {**text_changes(variable, "fixed"), "dimensions": list(variable.dimensions)}
        if variable.type is CHAR:
            fill = variable.fill_value
            changes |= {"dtype": "|u1", "fill_value": fill[0] if isinstance(fill, bytes) else None}
        if variable.type is CHAR or not isinstance(variable.type, AtomicType):
            changes["typedef"] = reference(variable.type)
        return new_array(variable, shape, attributes, changes)

    def sidecars(self, model: GroupModel | VariableModel, properties: str | None) -> Mapping[str, Json]:
        """Return a group's dimensions and types, and the types of attributes."""
        if isinstance(model, VariableModel):
            return {ATTRIBUTE_TYPES: _attribute_types(model.attributes)}
        attribute_types = _attribute_types(_with_lengths(model))
        found: JsonObject = {
            DIMENSIONS: {d.name: _dimension_to_json(d) for d in model.dimensions},
            ATTRIBUTE_TYPES: attribute_types,
        }
        if model.types:
            found[TYPES] = types_to_json(model.types)
        if model.name == "/":
            found[DATASET] = {"nczarr_version": VERSION}
            attribute_types["_NCProperties"] = CHAR.name
        return found


class SidecarNotes:
    """Notes under keys of their own, and inside `.zarray`."""

    def __init__(self, root: Group) -> None:
        self.root = root.path

    def of_group(self, node: Group) -> GroupNotes:
        """Return what is noted about a group; the root has the dimensions that nothing names, too."""
        dimensions, problems = dimensions_in(read_sidecar(node, DIMENSIONS))
        if node.path == self.root:
            dimensions = (*dimensions, *_unnamed(node, {d.name for d in dimensions}))
        return GroupNotes(dimensions=dimensions, types=read_sidecar(node, TYPES) or {}, problems=problems)

    def of_array(self, node: Array) -> ArrayNotes:
        """Return what is noted about an array."""
        named = node.metadata.extra.get("typedef")
        return ArrayNotes(
            references=_references(node.metadata), type=named if isinstance(named, str) else None
        )

    def attribute_types(self, node: Group | Array) -> Mapping[str, Json]:
        """Return the names of the types of a node's attributes by name."""
        return read_sidecar(node, ATTRIBUTE_TYPES) or {}

    def stored(self, array: Array) -> ArrayMetadata:
        """Return the array: its document is true."""
        return array.metadata


def _references(metadata: ArrayMetadata) -> tuple[str, ...]:
    listed = names_in(metadata.extra.get("dimensions"))
    return tuple(f"/_anonymous{size}" for size in metadata.shape) if listed is None else listed


def _unnamed(root: Group, named: set[str]) -> list[DimensionModel]:
    """Return the dimensions that are known by their size alone, in either spelling of the proposal."""
    found: dict[str, int] = {}
    nodes = walk(root.store, root.format, root.path, on_error=lambda path, error: None)
    for _, metadata in nodes:
        for path in _references(metadata) if isinstance(metadata, ArrayMetadata) else ():
            size = _ANONYMOUS.fullmatch(path)
            if size is not None and path.strip("/") not in named:
                found[path.strip("/")] = int(size[1])
    return [DimensionModel(name, size) for name, size in found.items()]


def _dimension_to_json(dimension: DimensionModel) -> Json:
    return {"size": dimension.size, "unlimited": 1} if dimension.unlimited else dimension.size


def _attribute_types(attributes: tuple[AttributeModel, ...]) -> JsonObject:
    return {attribute.name: reference(attribute.type) for attribute in attributes}


def _with_lengths(group: GroupModel) -> tuple[AttributeModel, ...]:
    """Return a group's attributes, and how long the strings are that lie in records of its types."""
    lengths = [
        AttributeModel(f"{kind.name}.{field.name}", INT, (_length(group, kind),))
        for kind in group.types
        if isinstance(kind, Compound) and form_of(kind) == "fixed"
        for field in kind.fields
        if field.type is STRING
    ]
    return (*group.attributes, *lengths)


def _length(group: GroupModel, kind: Compound) -> int:
    variables = (v for _, inner in group.walk() for v in inner.variables if v.type == kind)
    return max(
        (v.max_string_length or DEFAULT_STRING_LENGTH for v in variables), default=DEFAULT_STRING_LENGTH
    )


def _without_lengths(group: GroupModel) -> GroupModel:
    """Return a group without the attributes that only say how long strings in records are."""
    noted = {attribute.name for attribute in _with_lengths(replace(group, attributes=()))}
    return replace(
        group,
        attributes=tuple(attribute for attribute in group.attributes if attribute.name not in noted),
        groups=tuple(map(_without_lengths, group.groups)),
    )
