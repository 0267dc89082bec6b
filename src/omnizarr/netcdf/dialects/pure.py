"""Zarr without netCDF's annotations, read as netCDF: what `plain` and `xarray` share.

Dimensions are made where arrays name them: one of the same name and size, in the array's own group or one
above, is shared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from omnizarr.errors import MetadataError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import NodeMetadata
from omnizarr.netcdf.dialects.arrays import describe_array, time_attributes, with_fill, with_szip_scanline
from omnizarr.netcdf.dialects.attributes import decode_attribute, is_hidden
from omnizarr.netcdf.dialects.base import Found
from omnizarr.netcdf.dialects.zarrtypes import declared
from omnizarr.netcdf.model.names import check_depth
from omnizarr.netcdf.model.nodes import (
    AttributeModel,
    DatasetModel,
    DimensionModel,
    GroupModel,
    VariableModel,
    join,
    parent_of,
)
from omnizarr.netcdf.model.types import NcType

# What stands before the length of a dimension that has no other name, as in netCDF-C.
ANONYMOUS = "_Anonymous_Dim_"


class Convention(Protocol):
    """What a pure dialect takes from an array's documents."""

    @property
    def name(self) -> str:
        """The dialect."""

    def axis_names(self, metadata: ArrayMetadata) -> tuple[str | None, ...] | None:
        """Return the names of an array's axes; None where there are none."""

    def type_of(self, metadata: ArrayMetadata) -> NcType | None:
        """Return the type that shows an array's values; None where netCDF has none."""

    def fill_attribute(self, metadata: ArrayMetadata, kind: NcType) -> AttributeModel | None:
        """Return the `_FillValue` of a variable; None where there is none."""


def read_pure(root: Group, conventions: tuple[Convention, ...]) -> Found:
    """Return the dataset below a group; an array that cannot be shown warns and stays out.

    Parameters
    ----------
    conventions
        The first that finds names for the axes of some array is followed, or where there are no arrays; else
        the last.
    """
    broken: list[tuple[str, MetadataError]] = []
    nodes = list(root.walk(on_error=lambda *fault: broken.append(fault)))
    arrays = [metadata for _, metadata in nodes if isinstance(metadata, ArrayMetadata)]
    fitting = (c for c in conventions if not arrays or any(map(partial(_is_named, c), arrays)))
    followed = next(fitting, conventions[-1])
    reader = _Reader(root, followed)
    for relative, error in broken:
        reader.found.leave_out("unreadable", f"/{relative}", str(error))
    return reader.run(nodes)


def _is_named(convention: Convention, metadata: ArrayMetadata) -> bool:
    """Say whether an array has a name for any of its axes, or says that there are none to name."""
    names = convention.axis_names(metadata)
    return names == () or any(names or ())


def shown_attributes(values: Iterable[tuple[str, Json]]) -> tuple[AttributeModel, ...]:
    """Return the attributes that users see: all that netCDF does not keep for itself."""
    return tuple(decode_attribute(name, value) for name, value in values if not _is_kept(name))


def _is_kept(name: str) -> bool:
    return is_hidden(name) and name.lower().startswith(("_nc", "_array_dimensions"))


@dataclass(slots=True)
class _Content:
    """A group while it is read."""

    attributes: tuple[AttributeModel, ...] = ()
    dimensions: dict[str, int] = field(default_factory=dict)
    variables: list[VariableModel] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)


class _Reader:
    """One reading of a dataset. Groups come before what they hold, so that parents' dimensions are known."""

    def __init__(self, root: Group, convention: Convention) -> None:
        self.root = root
        self.convention = convention
        self.contents = {"/": _Content(shown_attributes(root.metadata.attributes.items()))}
        properties = root.metadata.attributes.get("_NCProperties")
        model = DatasetModel(
            root=GroupModel(name="/"),
            dialect=convention.name,
            properties=properties if isinstance(properties, str) else None,
        )
        self.found = Found(model, groups={"/": root})

    def run(self, nodes: Iterable[tuple[str, NodeMetadata]]) -> Found:
        store, form, top = self.root.store, self.root.format, self.root.path
        for relative, metadata in nodes:
            path, where = f"/{relative}", f"{top}/{relative}".strip("/")
            if isinstance(metadata, ArrayMetadata):
                try:
                    array = Array(store, form, where, metadata)
                except MetadataError as error:  # of what its codecs, types and limits say to one another
                    self.found.leave_out("unreadable", path, str(error))
                else:
                    self.array(path, array)
                continue
            check_depth(path)
            self.contents[path] = _Content(shown_attributes(metadata.attributes.items()))
            self.contents[parent_of(path)].groups.append(path)
            self.found.groups[path] = Group(store, form, where, metadata)
        self.found.set_root(declared(self.group("/")))
        return self.found

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
        kind = self.convention.type_of(metadata)
        if kind is None:
            self.found.leave_out("unmapped", path, f"netCDF has no type for {metadata.data_type.name}")
            return
        dimensions = self.dimensions(path, metadata)
        attributes = self.attributes(metadata, kind)
        variable = describe_array(path.rpartition("/")[2], metadata, kind, dimensions, attributes)
        self.contents[parent_of(path)].variables.append(variable)
        array.metadata = with_fill(with_szip_scanline(metadata), variable)
        self.found.arrays[path] = array

    def attributes(self, metadata: ArrayMetadata, kind: NcType) -> tuple[AttributeModel, ...]:
        """Return what an array says, and what its type and its fill value say, under each name once."""
        shown = {a.name: a for a in time_attributes(metadata.data_type.dtype)}
        shown |= {a.name: a for a in shown_attributes(metadata.attributes.items())}
        fill = self.convention.fill_attribute(metadata, kind)
        if fill is not None:
            shown[fill.name] = fill
        return tuple(shown.values())

    def dimensions(self, path: str, metadata: ArrayMetadata) -> tuple[str, ...]:
        """Return the absolute paths of an array's dimensions, which are made where they are missing."""
        names = self.convention.axis_names(metadata)
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
        return self.named("/", f"{ANONYMOUS}{size}", size)

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
