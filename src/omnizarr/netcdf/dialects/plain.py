"""Zarr without netCDF's annotations, and xarray's convention for the names of dimensions.

https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from omnizarr.errors import MetadataError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.discover import walk
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import GroupMetadata
from omnizarr.netcdf.dialects.arrays import (
    array_type,
    describe_array,
    is_default_fill,
    time_attributes,
    with_fill,
)
from omnizarr.netcdf.dialects.attributes import decode_attributes, encode_attribute
from omnizarr.netcdf.dialects.base import Found, Growth
from omnizarr.netcdf.dialects.writing import new_array
from omnizarr.netcdf.model import (
    FILL_VALUE,
    AttributeModel,
    DatasetModel,
    DimensionModel,
    GroupModel,
    VariableModel,
    join,
    parent_of,
)
from omnizarr.netcdf.types import NcType

_XARRAY = "_ARRAY_DIMENSIONS"


@dataclass(frozen=True, slots=True)
class Plain:
    """Zarr v2 or v3 as it comes; dimensions by name where they have names, else by length."""

    name: str = "plain"
    zarr_format: int = 2

    def recognizes(self, root: Group) -> bool:
        """Say yes: any hierarchy can be read like this."""
        return True

    def read(self, root: Group) -> Found:
        """Return the dataset below a group; an array that cannot be shown warns and stays out."""
        return _Reader(root).run()

    def group_metadata(
        self, group: GroupModel, properties: str | None, growth: Growth | None = None
    ) -> GroupMetadata:
        """Return a group's node."""
        return GroupMetadata(attributes={a.name: encode_attribute(a)[0] for a in group.attributes})

    def array_metadata(self, variable: VariableModel, shape: tuple[int, ...]) -> ArrayMetadata:
        """Return a variable's node as it is stored, with the names of its dimensions."""
        names: list[Json] = [path.rpartition("/")[2] for path in variable.dimensions]
        attributes = {**{a.name: encode_attribute(a)[0] for a in variable.attributes}, _XARRAY: names}
        return new_array(variable, shape, attributes, plain=True)

    def sidecars(self, model: GroupModel | VariableModel, properties: str | None) -> Mapping[str, Json]:
        """Return nothing."""
        return {}


@dataclass(slots=True)
class _Content:
    """A group while it is read."""

    attributes: tuple[AttributeModel, ...] = ()
    dimensions: dict[str, int] = field(default_factory=dict)
    variables: list[VariableModel] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)


class _Reader:
    """One reading of a dataset. Groups come before what they hold, so that parents' dimensions are known."""

    def __init__(self, root: Group) -> None:
        self.root = root
        self.contents = {"/": _Content(decode_attributes(root.metadata.attributes))}
        self.found = Found(DatasetModel(root=GroupModel(name="/"), dialect="plain"), groups={"/": root})

    def run(self) -> Found:
        store, form, top = self.root.store, self.root.format, self.root.path
        for relative, metadata in walk(store, form, top, on_error=self.broken):
            path, where = f"/{relative}", f"{top}/{relative}".strip("/")
            if isinstance(metadata, ArrayMetadata):
                self.array(path, Array(store, form, where, metadata))
                continue
            self.contents[path] = _Content(decode_attributes(metadata.attributes))
            self.contents[parent_of(path)].groups.append(path)
            self.found.groups[path] = Group(store, form, where, metadata)
        self.found.set_root(self.group("/"))
        return self.found

    def broken(self, relative: str, error: MetadataError) -> None:
        self.found.leave_out("unreadable", f"/{relative}", str(error))

    def group(self, path: str) -> GroupModel:
        content = self.contents[path]
        return GroupModel(
            name=path.rpartition("/")[2] or "/",
            dimensions=tuple(DimensionModel(name, size) for name, size in content.dimensions.items()),
            attributes=content.attributes,
            variables=tuple(content.variables),
            groups=tuple(map(self.group, content.groups)),
        )

    def array(self, path: str, array: Array) -> None:
        metadata = array.metadata
        kind = array_type(metadata, has_char=False)
        if kind is None:
            self.found.leave_out("unmapped", path, f"netCDF has no type for {metadata.data_type.name}")
            return
        dimensions = self.dimensions(path, metadata)
        attributes = (*decode_attributes(metadata.attributes), *time_attributes(metadata.data_type.dtype))
        attributes += _xarray_fill(metadata, kind, attributes)
        variable = describe_array(path.rpartition("/")[2], metadata, kind, dimensions, attributes)
        self.contents[parent_of(path)].variables.append(variable)
        array.metadata = with_fill(metadata, variable)
        self.found.arrays[path] = array

    def dimensions(self, path: str, metadata: ArrayMetadata) -> tuple[str, ...]:
        """Return the absolute paths of an array's dimensions, which are made where they are missing."""
        names = _names(metadata)
        if names == ("_scalar_",) and metadata.shape == (1,):
            return ()
        if names is None or len(names) != len(metadata.shape):
            if names is not None:
                message = f"{len(names)} names for {len(metadata.shape)} axes"
                self.found.fault("dimension-conflict", path, message)
            names = (None,) * len(metadata.shape)
        return tuple(
            self.anonymous(size) if not name or "/" in name else self.named(path, name, size)
            for name, size in zip(names, metadata.shape, strict=True)
        )

    def anonymous(self, size: int) -> str:
        name = f"_Anonymous_Dim_{size}"
        self.contents["/"].dimensions.setdefault(name, size)
        return f"/{name}"

    def named(self, path: str, name: str, size: int) -> str:
        """Return the nearest dimension of this name and size, made in the array's own group if need be."""
        group = own = parent_of(path)
        while self.contents[group].dimensions.get(name) != size and group != "/":
            group = parent_of(group)
        if self.contents[group].dimensions.get(name) == size:
            return join(group, name)
        taken = self.contents[own].dimensions
        if name in taken:
            apart = f"{name}_{size}"
            other = taken[name]
            message = f"dimension {name} is {other} long elsewhere; here {apart}"
            self.found.fault("dimension-conflict", path, message)
            return self.named(path, apart, size)
        taken[name] = size
        return join(own, name)


def _names(metadata: ArrayMetadata) -> tuple[str | None, ...] | None:
    """Return the names of the axes, or None where there are none."""
    if metadata.dimension_names is not None:
        return metadata.dimension_names
    names = metadata.attributes.get(_XARRAY)
    if not isinstance(names, list):
        return None
    return tuple(name if isinstance(name, str) else None for name in names)


def _xarray_fill(
    metadata: ArrayMetadata, kind: NcType, attributes: tuple[AttributeModel, ...]
) -> tuple[AttributeModel, ...]:
    """Return the `_FillValue` that xarray keeps as the fill value of a v2 array instead."""
    fill = metadata.fill_value
    if _XARRAY not in metadata.attributes or metadata.dimension_names is not None or fill is None:
        return ()
    if not kind.is_numeric or metadata.data_type.dtype.kind in "bmM":
        return ()
    if any(a.name == FILL_VALUE for a in attributes) or is_default_fill(kind, fill):
        return ()
    return (AttributeModel(FILL_VALUE, kind, (fill.item(),)),)
