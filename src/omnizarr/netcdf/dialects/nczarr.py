"""NCZarr, as netCDF-C 4.9.3 and later keep it on Zarr v2: everything in the attributes.

What older generations wrote inside `.zgroup` and `.zarray`, in capitals too, is read as well.

https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

from omnizarr.errors import OmniZarrError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json, JsonObject
from omnizarr.metadata.group import NodeMetadata
from omnizarr.netcdf.dialects.arrays import array_type, describe_array, with_fill, with_string_shuffle
from omnizarr.netcdf.dialects.attributes import decode_attributes, encode_attributes
from omnizarr.netcdf.dialects.base import Found, Growth
from omnizarr.netcdf.dialects.reconcile import reconcile
from omnizarr.netcdf.model import (
    DatasetModel,
    DimensionModel,
    GroupModel,
    Unmapped,
    VariableModel,
    join,
)

SUPERBLOCK = "_nczarr_superblock"
GROUP = "_nczarr_group"
ARRAY = "_nczarr_array"
ATTRIBUTES = "_nczarr_attr"
_SCALAR_DIMENSION = "_scalar_"
# Beside the names that netCDF-C knows in `_nczarr_group`, which ignores it: see `group_attributes`.
_GROWING = "growing"


def annotation(metadata: NodeMetadata, name: str) -> JsonObject | None:
    """Return what NCZarr says about a node under a name, wherever a generation keeps it."""
    for place in (metadata.attributes, metadata.extra):
        for spelled in (name, name.upper()):
            found = place.get(spelled)
            if isinstance(found, dict):
                return found
    return None


@dataclass(frozen=True, slots=True)
class NCZarr:
    """NCZarr on Zarr v2."""

    name: str = "nczarr"

    def read(self, root: Group) -> Found:
        """Return the dataset below a group; an array that cannot be shown warns and stays out."""
        return _Reader(root).run()

    def group_attributes(
        self, group: GroupModel, properties: str | None, growth: Growth | None = None
    ) -> JsonObject:
        """Return all attributes of a group's node.

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
        return encode_attributes(group.attributes, internal, plain)

    def variable_attributes(self, variable: VariableModel) -> JsonObject:
        """Return all attributes of a variable's node."""
        names: list[Json] = [path.rpartition("/")[2] for path in variable.dimensions]
        content: JsonObject = {"dimension_references": list(variable.dimensions)}
        if not variable.dimensions:
            content["scalar"] = 1
        content["storage"] = "chunked"
        plain: JsonObject = {"_ARRAY_DIMENSIONS": names or [_SCALAR_DIMENSION]}
        return encode_attributes(variable.attributes, {ARRAY: content}, plain)


class _Reader:
    """One reading of a dataset."""

    def __init__(self, root: Group) -> None:
        self.root = root
        self.unmapped: list[Unmapped] = []
        self.noted: dict[str, int] = {}
        self.found = Found(DatasetModel(root=GroupModel(name="/")))

    def run(self) -> Found:
        properties = self.root.metadata.attributes.get("_NCProperties")
        self.found.model = DatasetModel(
            root=self.group(self.root, "/", "/"),
            properties=properties if isinstance(properties, str) else None,
            unmapped=tuple(self.unmapped),
        )
        reconcile(self.found, self.noted)
        return self.found

    def group(self, node: Group, path: str, name: str) -> GroupModel:
        self.found.groups[path] = node
        content = annotation(node.metadata, GROUP) or {}
        dimensions = _read_dimensions(_of(content, "dimensions", "dims"))
        arrays = self.growing(content) or _names(_of(content, "arrays", "vars"))
        children = ((inner, self.child(node, path, inner, Group)) for inner in _names(content.get("groups")))
        return GroupModel(
            name=name,
            dimensions=dimensions,
            attributes=decode_attributes(node.metadata.attributes, _types(node.metadata)),
            variables=tuple(v for inner in arrays if (v := self.variable(node, path, inner)) is not None),
            groups=tuple(
                self.group(child, join(path, inner), inner)
                for inner, child in children
                if isinstance(child, Group)
            ),
        )

    def growing(self, content: JsonObject) -> list[str]:
        """Return all variables where growth was interrupted, and note the sizes it was to reach."""
        note = content.get(_GROWING)
        if not isinstance(note, dict):
            return []
        sizes = note.get("sizes")
        for path, size in sizes.items() if isinstance(sizes, dict) else ():
            if isinstance(size, int):
                self.noted[path] = size
        return _names(note.get("arrays"))

    def child(
        self, node: Group, path: str, name: str, kind: type[Group] | type[Array]
    ) -> Group | Array | None:
        """Return a node that a list names; one that is not there, or cannot be read, warns."""
        try:
            child = node[name]
        except OmniZarrError as error:
            self.skip(join(path, name), str(error))
            return None
        if isinstance(child, kind):
            return child
        expected, other = kind.__name__.lower(), type(child).__name__.lower()
        self.skip(join(path, name), f"expected {expected}, found {other}")
        return None

    def skip(self, path: str, reason: str) -> None:
        self.unmapped.append(Unmapped(path, reason))
        warnings.warn(f"{path} is left out: {reason}", stacklevel=2)

    def variable(self, node: Group, path: str, name: str) -> VariableModel | None:
        array = self.child(node, path, name, Array)
        if not isinstance(array, Array):
            return None
        where = join(path, name)
        metadata = array.metadata
        kind = array_type(metadata, has_char=True)
        if kind is None:
            self.skip(where, f"netCDF has no type for {metadata.data_type.name}")
            return None
        references = _references(metadata)
        if len(references) != len(metadata.shape) and not _is_scalar(metadata):
            self.skip(where, f"{len(references)} dimension references for {len(metadata.shape)} axes")
            return None
        attributes = decode_attributes(metadata.attributes, _types(metadata))
        variable = describe_array(name, metadata, kind, references, attributes)
        array.metadata = with_fill(with_string_shuffle(metadata, kind), variable)
        self.found.arrays[where] = array
        return variable


def _dimension_to_json(dimension: DimensionModel) -> Json:
    return {"size": dimension.size, "unlimited": 1} if dimension.unlimited else dimension.size


def _read_dimensions(content: Json) -> tuple[DimensionModel, ...]:
    if not isinstance(content, dict):
        return ()
    return tuple(_read_dimension(name, value) for name, value in content.items())


def _read_dimension(name: str, value: Json) -> DimensionModel:
    if isinstance(value, dict):
        size = value.get("size")
        return DimensionModel(name, size if isinstance(size, int) else 0, bool(value.get("unlimited")))
    return DimensionModel(name, value if isinstance(value, int) else 0)


def _references(metadata: NodeMetadata) -> tuple[str, ...]:
    content = annotation(metadata, ARRAY) or {}
    if _is_scalar(metadata):
        return ()
    return tuple(_names(_of(content, "dimension_references", "dimrefs")))


def _is_scalar(metadata: NodeMetadata) -> bool:
    content = annotation(metadata, ARRAY) or {}
    return bool(content.get("scalar")) or content.get("storage") == "scalar"


def _types(metadata: NodeMetadata) -> Mapping[str, Json]:
    types = (annotation(metadata, ATTRIBUTES) or {}).get("types")
    return types if isinstance(types, dict) else {}


def _of(content: JsonObject, *names: str) -> Json:
    return next((content[name] for name in names if name in content), None)


def _names(content: Json) -> list[str]:
    return [name for name in content if isinstance(name, str)] if isinstance(content, list) else []
