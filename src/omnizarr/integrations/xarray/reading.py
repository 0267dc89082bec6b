"""Groups of variables as xarray sees them, whatever the dialect.

NCZarr is read by its notes: dimensions of groups above, types, typed attributes. All else is read as by
xarray's own zarr backend, attributes as they are, and arrays that name no dimensions get the netCDF view's
names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from omnizarr.errors import MetadataError, NodeNotFoundError, NodeTypeError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.open import open_group
from omnizarr.hierarchy.paths import joined, normal_path
from omnizarr.integrations.xarray.encoding import encoding_of, with_fill_read
from omnizarr.jsontypes import Json
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.convert import DIMENSIONS
from omnizarr.metadata.group import GroupMetadata
from omnizarr.netcdf.attributes import to_python
from omnizarr.netcdf.dialects.base import Found
from omnizarr.netcdf.dialects.detect import Pure, detect, read_dataset
from omnizarr.netcdf.dialects.modes import Asked, asked_of
from omnizarr.netcdf.dialects.plain import Plain
from omnizarr.netcdf.dialects.pure import ANONYMOUS
from omnizarr.netcdf.dialects.xarray import Xarray
from omnizarr.netcdf.model.nodes import GroupModel, VariableModel, join, parent_of
from omnizarr.netcdf.model.types import Enum, NcType

_NAMES = Xarray()


@dataclass(frozen=True, slots=True)
class StoredVariable:
    """A variable as it is stored.

    Attributes
    ----------
    kind
        netCDF's type, where values are shown as that.
    """

    array: Array
    dims: tuple[str, ...]
    attributes: dict[str, Any]
    encoding: dict[str, Any]
    kind: NcType | None = None


@dataclass(slots=True)
class StoredGroup:
    """A group as it is stored; `unlimited` are those of its dimensions that may grow."""

    attributes: dict[str, Any]
    variables: dict[str, StoredVariable] = field(default_factory=dict)
    unlimited: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is asked for on opening.

    Attributes
    ----------
    target
        A path, a URL, a store, a mapping or a group.
    path
        The group within the target; `""` is its root.
    is_deep
        Whether groups below are read too.
    masks
        Whether an array's fill value is `_FillValue`; None: in xarray's convention on Zarr v2.
    dropped
        Names of variables that are not read.
    dialect
        The dialect to read as; None for the one that is found.
    """

    target: Any = field(repr=False)
    path: str = ""
    mode: Any = "r"
    zarr_format: int | str | None = None
    consolidated: bool | str | None = None
    storage_options: Mapping[str, Any] | None = field(default=None, repr=False)
    is_deep: bool = False
    masks: bool | None = None
    dropped: Collection[str] = ()
    dialect: str | None = None


def read_groups(reading: Reading) -> tuple[Group, dict[str, StoredGroup]]:
    """Return the root that was opened, and the groups from the asked one on, by absolute path.

    Raises
    ------
    NodeNotFoundError, StoreNotFoundError
        There is no such group; also FileNotFoundError.
    NodeTypeError
        There is an array.
    MetadataError
        Documents of a node are broken.
    """
    asked = asked_of(reading.target)
    root, relative = _root(reading, asked)
    name = reading.dialect or asked.opened_as()
    own = detect(root)
    is_pure = isinstance(own, Pure) if name is None else name in ("zarr", "xarray", "plain")
    if not is_pure:
        found = read_dataset(root, name).found
        return root, dict(_of_model(found, f"/{relative}", reading))
    return root, _of_pure(_group_at(root, relative), reading, is_plain=name == "plain")


def _root(reading: Reading, asked: Asked) -> tuple[Group, str]:
    """Open the root of the target, where notes lie, or else the group; and the path that is left to go."""
    path = normal_path(reading.path)
    for above, below in (("", path), (path, "")):
        try:
            root = open_group(
                asked.place,
                mode=reading.mode,
                path=above,
                zarr_format=reading.zarr_format,
                storage_options=reading.storage_options,
                use_consolidated=True if asked.consolidated else reading.consolidated,
            )
        except (NodeNotFoundError, NodeTypeError):
            if above == path:
                raise
        else:
            return root, below
    raise AssertionError("the second place is the path itself")


def _group_at(root: Group, relative: str) -> Group:
    node = root[relative] if relative else root
    if not isinstance(node, Group):
        message = f"expected a group, found an array; its group is /{joined(root.path, parent_of(relative))}"
        raise NodeTypeError(message, store=root.store.name, path=node.path)
    return node


# --- without notes


def _of_pure(group: Group, reading: Reading, *, is_plain: bool) -> dict[str, StoredGroup]:
    found = {"/": StoredGroup(_shown(group.metadata.attributes))}
    for relative, metadata in _nodes(group, reading):
        path = f"/{relative}"
        if isinstance(metadata, GroupMetadata):
            if reading.is_deep:
                found[path] = StoredGroup(_shown(metadata.attributes))
            continue
        name = relative.rpartition("/")[2]
        if name not in reading.dropped:
            array = Array(group.store, group.format, joined(group.path, relative), metadata)
            variable = _pure_variable(array, reading.masks, is_plain=is_plain)
            found[parent_of(path)].variables[name] = variable
    return found


def _nodes(group: Group, reading: Reading) -> Iterator[tuple[str, ArrayMetadata | GroupMetadata]]:
    """Yield the nodes below a group; a broken one is an error unless it is to be left out."""

    def refuse(relative: str, error: MetadataError) -> None:
        if relative.rpartition("/")[2] not in reading.dropped:
            raise error

    return group.walk(None if reading.is_deep else 0, on_error=refuse)


def _pure_variable(array: Array, masks: bool | None, *, is_plain: bool) -> StoredVariable:
    metadata = array.metadata
    dims = dims_of(metadata, is_plain=is_plain)
    hides = metadata.dimension_names is None
    attributes = _shown(metadata.attributes) if hides else dict(metadata.attributes)
    encoding = encoding_of(array, dims)
    # Only of xarray's convention it is known that v2's fill value means missing.
    usual = array.zarr_format == 2 and DIMENSIONS in metadata.attributes
    with_fill_read(metadata, attributes, encoding, masks=usual if masks is None else masks)
    if array.zarr_format == 2:
        encoding.pop("fill_value", None)
    return StoredVariable(array, dims, attributes, encoding)


def dims_of(metadata: ArrayMetadata, *, is_plain: bool = False) -> tuple[str, ...]:
    """Return the names of an array's dimensions; those that have none are named by their length.

    Of two in one array that would be named alike, the second has a number too.
    """
    names = (Plain() if is_plain else _NAMES).axis_names(metadata)
    if names is None or len(names) != len(metadata.shape):
        names = (None,) * len(metadata.shape)
    found: list[str] = []
    for name, size in zip(names, metadata.shape, strict=True):
        found.append(name or _anonymous(size, found))
    return tuple(found)


def _anonymous(size: int, taken: Collection[str]) -> str:
    name = f"{ANONYMOUS}{size}"
    count = sum(other == name or other.startswith(f"{name}_") for other in taken)
    return f"{name}_{count + 1}" if count else name


def _shown(attributes: Mapping[str, Json]) -> dict[str, Any]:
    """Return attributes without those that say how netCDF's model is kept."""
    return {
        name: value
        for name, value in attributes.items()
        if not name.lower().startswith("_nc") and name != DIMENSIONS
    }


# --- by notes


def _of_model(found: Found, at: str, reading: Reading) -> Iterator[tuple[str, StoredGroup]]:
    root = found.model.root
    below = [(path, group) for path, group in root.walk() if path == at or _is_below(path, at)]
    if not below:
        raise NodeNotFoundError("there is no such group", store=found.groups["/"].store.name, path=at)
    for path, group in below if reading.is_deep else below[:1]:
        relative = "/" + path[len(at.rstrip("/")) :].strip("/")
        yield relative, _modelled_group(found, path, group, reading)


def _is_below(path: str, at: str) -> bool:
    return path.startswith(f"{at.rstrip('/')}/")


def _modelled_group(found: Found, path: str, group: GroupModel, reading: Reading) -> StoredGroup:
    variables = {
        variable.name: _modelled_variable(found.arrays[join(path, variable.name)], variable)
        for variable in group.variables
        if variable.name not in reading.dropped and join(path, variable.name) in found.arrays
    }
    used = {dimension for variable in group.variables for dimension in variable.dimensions}
    growing = {name for name in used if (known := found.model.root.dimension(name)) and known.unlimited}
    return StoredGroup(
        {attribute.name: to_python(attribute) for attribute in group.attributes},
        variables,
        tuple(sorted(name.rpartition("/")[2] for name in growing)),
    )


def _modelled_variable(array: Array, variable: VariableModel) -> StoredVariable:
    dims = tuple(path.rpartition("/")[2] for path in variable.dimensions)
    encoding = encoding_of(array, dims)
    if not dims:
        encoding |= {"chunks": (), "preferred_chunks": {}}
    if isinstance(variable.type, Enum):
        # xarray writes enumerations of a dtype that says so.
        members = {"enum": dict(variable.type.members), "enum_name": variable.type.name}
        encoding["dtype"] = np.dtype(variable.type.dtype, metadata=members)
    attributes = {attribute.name: to_python(attribute) for attribute in variable.attributes}
    return StoredVariable(array, dims, attributes, encoding, variable.type)
