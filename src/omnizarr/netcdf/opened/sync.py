"""Storing what has changed in an open dataset, so that a reader finds it consistent at every moment.

Chunks are written at once, definitions of groups and arrays too; attributes, the lists of what a group
holds, and the sizes of unlimited dimensions when the dataset is synchronised. A writer that dies in
between leaves the dataset as it was when it was last synchronised.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from omnizarr.errors import MetadataError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.creating.place import kind_at
from omnizarr.hierarchy.discover import deciding_keys
from omnizarr.hierarchy.group import Group as Node
from omnizarr.hierarchy.paths import joined
from omnizarr.metadata.group import GroupMetadata
from omnizarr.netcdf.dialects.base import Growth
from omnizarr.netcdf.dialects.keeping import kept_attributes
from omnizarr.netcdf.dialects.sidecars import store_sidecars
from omnizarr.netcdf.dialects.stored import without_sequence_fill
from omnizarr.netcdf.model.nodes import GroupModel, VariableModel, parent_of
from omnizarr.netcdf.model.types import BYTE

if TYPE_CHECKING:
    from omnizarr.netcdf.group import Group
    from omnizarr.netcdf.variable import Variable


def synchronise(root: Group) -> bool:
    """Store what has changed; say whether anything had."""
    groups = list(root._walk())
    sizes = {d._path: d.size for group in groups for d in group.dimensions.values() if d.isunlimited()}
    for group in groups:
        waiting = tuple(variable.name for variable in _variables(group) if _waits(variable))
        if waiting:
            before = tuple(dimension._stored for dimension in group.dimensions.values())
            store_group(group, Growth(sizes, waiting, before))
            group._changed = True
    for group in groups:
        for variable in _variables(group):
            if _has_grown(variable):
                _store_shape(variable)
    changed = [variable for group in groups for variable in _variables(group) if variable._changed]
    for variable in changed:
        store_variable(variable)
        variable._changed = False
    # Parents come first: a dimension has its new size before the variables below are listed again.
    stale = [group for group in groups if group._changed]
    for group in stale:
        store_group(group)
        group._changed = False
        for dimension in group.dimensions.values():
            dimension._set_stored(dimension.size)
    return bool(changed or stale)


def _variables(group: Group) -> Iterable[Variable]:
    return group.variables.values()


def _has_grown(variable: Variable) -> bool:
    return bool(variable._dimensions) and variable._stored_shape != variable.shape


def _waits(variable: Variable) -> bool:
    """Say whether a variable, or a dimension of it, is stored with another size."""
    return _has_grown(variable) or any(d._stored.size != d.size for d in variable._dimensions)


def _store_shape(variable: Variable) -> None:
    """Store the current shape."""
    apart(variable).resize(variable.shape)
    variable._stored_shape = variable.shape


def store_group(group: Group, growth: Growth | None = None, model: GroupModel | None = None) -> None:
    """Store the document of a group: as it is, or as another model says."""
    session, node = group._session, group._node
    properties = session.properties if group.parent is None else None
    dialect, model = session.writer(), _with_unseen(group, model or group.as_model())
    node.attrs.put(kept_attributes(node, dialect.group_metadata(model, properties, growth).attributes))
    store_sidecars(node, node.path, dialect.sidecars(model, properties))


def _with_unseen(group: Group, model: GroupModel) -> GroupModel:
    """Return a group that also lists what lies in the store, and netCDF cannot show: it stays what it was."""
    node = group._node
    unseen = [path for path in group._session.unmapped if parent_of(path) == group.path]
    variables, groups = list(model.variables), list(model.groups)
    for name in (path.rpartition("/")[2] for path in unseen):
        place = joined(node.path, name)
        if any(node.store.exists(key) for key in deciding_keys(node.format, place)):
            if _is_group(node, place):
                groups.append(GroupModel(name=name))
            else:
                variables.append(VariableModel(name=name, type=BYTE))
    return replace(model, variables=tuple(variables), groups=tuple(groups))


def _is_group(node: Node, path: str) -> bool:
    try:
        return kind_at(node.store, node.format, path) is GroupMetadata
    except MetadataError:
        return False


def store_variable(variable: Variable, model: VariableModel | None = None, path: str | None = None) -> None:
    """Store all that is said about a variable: as it is, or as another model says, perhaps elsewhere."""
    dialect, model, array = variable._session.writer(), model or variable.as_model(), apart(variable, path)
    new = dialect.array_metadata(model, array.shape)
    attributes = kept_attributes(array, new.attributes)
    array.attrs.put(attributes)
    if (new.dimension_names, new.extra) != (array.metadata.dimension_names, array.metadata.extra):
        array._replace_metadata(
            lambda found: replace(
                found, dimension_names=new.dimension_names, extra={**found.extra, **new.extra}
            )
        )
    store_sidecars(array, array.path, dialect.sidecars(model, None))
    if path is None:
        variable._array.metadata = variable._array.metadata.with_attributes(attributes)


def apart(variable: Variable, path: str | None = None) -> Array:
    """Return a handle of its own for a variable's array, or that at another path of the store.

    Changing what is stored changes the metadata of a handle, and loses the exact fill value (see
    `with_fill`) of one that threads may be reading by.
    """
    array = variable._handle()
    metadata = without_sequence_fill(array.metadata)
    return Array(array.store, array.format, array.path if path is None else path, metadata)
