"""Putting new groups and arrays into the store of an open dataset."""

from __future__ import annotations

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.creating.place import place
from omnizarr.hierarchy.group import Group as Node
from omnizarr.hierarchy.paths import joined
from omnizarr.netcdf.dialects.arrays import with_fill
from omnizarr.netcdf.dialects.retyping import is_filled_swapped
from omnizarr.netcdf.dialects.sidecars import store_sidecars
from omnizarr.netcdf.model.nodes import GroupModel, VariableModel
from omnizarr.netcdf.opened.session import Session


def place_array(session: Session, node: Node, variable: VariableModel, shape: tuple[int, ...]) -> Array:
    """Store the array of a variable in a group, in place of what an interrupted writer may have left."""
    path, dialect = joined(node.path, variable.name), session.writer()
    metadata = dialect.array_metadata(variable, shape)
    place(node.store, node.format, path, metadata, overwrite=True, parent=node.path)
    store_sidecars(node, path, dialect.sidecars(variable, None))
    array = Array(node.store, node.format, path, with_fill(metadata, variable))
    # A chunk of fill values is as good absent, where netCDF-C reads it so, and what is absent costs nothing.
    array.write_empty_chunks = is_filled_swapped(variable)
    return array


def place_group(session: Session, node: Node, group: GroupModel) -> Node:
    """Store an empty group in a group, in place of what an interrupted writer may have left."""
    path, dialect = joined(node.path, group.name), session.writer()
    metadata = dialect.group_metadata(group, None)
    place(node.store, node.format, path, metadata, overwrite=True, parent=node.path)
    store_sidecars(node, path, dialect.sidecars(group, None))
    return Node(node.store, node.format, path, metadata)
