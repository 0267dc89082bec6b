"""What a group can make below itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self, Unpack

import numpy as np

from omnizarr.errors import MetadataError, NodeTypeError, Problem
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.attributes import checked_attributes
from omnizarr.hierarchy.creating.like import likeness
from omnizarr.hierarchy.creating.make import MakeArguments, by_present_names, make_array
from omnizarr.hierarchy.creating.many import nodes_below, place_all, with_groups_between
from omnizarr.hierarchy.creating.place import place
from omnizarr.hierarchy.creating.plan_array import FillChoice, shape_of
from omnizarr.hierarchy.documents import fetch_metadata
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.paths import joined, normal_path, prefix_of
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import GroupMetadata, NodeMetadata


class GroupCreation(Node):
    """The part of a group that makes nodes; groups that are missing on the way are made too.

    Other processes may make nodes below the same group at the same time: groups that both need are
    made once, and of two that make the same node one is told that it exists.
    """

    __slots__ = ()

    def create_group(
        self, name: str, *, overwrite: bool = False, attributes: Mapping[str, Any] | None = None
    ) -> Self:
        """Make a group below this one.

        Raises
        ------
        NodeExistsError
            There is something already, and not `overwrite`.
        NodeTypeError
            A node above it is an array.
        """
        metadata = GroupMetadata(attributes=checked_attributes(attributes or {}))
        return self._make_group(self._below(name), metadata, overwrite)

    def require_group(self, name: str, *, overwrite: bool = False) -> Self:
        """Return the group at a path below this one; made if it is missing.

        Raises
        ------
        NodeTypeError
            There is an array.
        """
        path = self._below(name)
        if not overwrite:
            found = fetch_metadata(self.store, self.format, path)
            if found is None:
                try:
                    return self._make_group(path, GroupMetadata(), overwrite=False)
                except FileExistsError:  # made by another writer since
                    found = fetch_metadata(self.store, self.format, path)
            if isinstance(found, GroupMetadata):
                return type(self)(self.store, self.format, path, found)
            if found is not None:
                raise NodeTypeError("expected a group, found an array", store=self.store.name, path=path)
        return self._make_group(path, GroupMetadata(), overwrite)

    def require_groups(self, *names: str) -> tuple[Self, ...]:
        """Return several groups below this one; made where they are missing."""
        return tuple(self.require_group(name) for name in names)

    def create_array(self, name: str, **arguments: Unpack[MakeArguments]) -> Array:
        """Make an array below this group.

        Parameters
        ----------
        name
            Its path below this group.
        **arguments
            `shape` and `dtype`, or `data`; and what else `MakeArguments` lists.

        Raises
        ------
        NodeExistsError
            There is something already, and not `overwrite`.
        MetadataError, ValueError, TypeError
            The arguments do not fit together, or cannot be said in the group's format.
        """
        path = self._below(name)
        array = make_array(self.store, self.format, path, parent=self.path, **by_present_names(arguments))
        self._forget_snapshot()
        return array

    def require_array(
        self, name: str, *, shape: Any, dtype: Any = None, exact: bool = False, **arguments: Any
    ) -> Array:
        """Return the array at a path below this group; made if it is missing.

        Parameters
        ----------
        exact
            Whether the data type must be `dtype`; otherwise it must be one that fits into it.
        **arguments
            For a new one, as in `create_array`.

        Raises
        ------
        NodeTypeError
            There is a group, or an array of another shape or data type.
        """
        path = self._below(name)
        found = fetch_metadata(self.store, self.format, path)
        if found is None:
            try:
                return self.create_array(name, shape=shape, dtype=dtype, **arguments)
            except FileExistsError:  # made by another writer since
                found = fetch_metadata(self.store, self.format, path)
        fault = _misfit(found, shape_of(shape), dtype, exact)
        if fault or not isinstance(found, ArrayMetadata):
            raise NodeTypeError(fault, store=self.store.name, path=path)
        return Array(self.store, self.format, path, found)

    def create_hierarchy(
        self, nodes: Mapping[str, NodeMetadata], *, overwrite: bool = False
    ) -> Iterator[tuple[str, Array | Self]]:
        """Make many nodes, given their metadata by paths below this group, and yield each.

        Groups that the paths need and `nodes` does not have are made without attributes. All is checked
        first, when the first one is asked for; after a failure none of the nodes is there.

        Raises
        ------
        NodeExistsError
            There is something already, and not `overwrite`.
        NodeTypeError
            A node above another one is an array.
        """
        below = nodes_below(self.format, self.path, nodes)
        if self.path in below:
            self._below("")
        handles = {path: self._handle(path, metadata) for path, metadata in below.items()}
        try:
            needed = with_groups_between(below)
            place_all(self.store, self.format, needed, overwrite=overwrite, parent=self.path)
        finally:
            self._forget_snapshot()
        for path, handle in handles.items():
            yield path[len(prefix_of(self.path)) :], handle

    # --- arrays of one value, with numpy's names

    def empty(self, name: str, shape: Any, **arguments: Any) -> Array:
        """Make an array that holds its default fill value."""
        return self.create_array(name, shape=shape, **arguments)

    def zeros(self, name: str, shape: Any, **arguments: Any) -> Array:
        """Make an array that holds zeros."""
        return self.full(name, shape, FillChoice.ZERO, **arguments)

    def ones(self, name: str, shape: Any, **arguments: Any) -> Array:
        """Make an array that holds ones."""
        return self.full(name, shape, 1, **arguments)

    def full(self, name: str, shape: Any, fill_value: Any, **arguments: Any) -> Array:
        """Make an array that holds one value."""
        return self.create_array(name, shape=shape, fill_value=fill_value, **arguments)

    def empty_like(self, name: str, data: Any, **arguments: Any) -> Array:
        """Make an array of another one's shape, type and chunks, and fill value where it has one."""
        return self.create_array(name, **{**likeness(data, self.zarr_format), **arguments})

    def zeros_like(self, name: str, data: Any, **arguments: Any) -> Array:
        """Make an array of another one's shape, type and chunks that holds zeros."""
        return self.full_like(name, data, FillChoice.ZERO, **arguments)

    def ones_like(self, name: str, data: Any, **arguments: Any) -> Array:
        """Make an array of another one's shape, type and chunks that holds ones."""
        return self.full_like(name, data, 1, **arguments)

    def full_like(self, name: str, data: Any, fill_value: Any, **arguments: Any) -> Array:
        """Make an array of another one's shape, type and chunks that holds one value."""
        return self.empty_like(name, data, fill_value=fill_value, **arguments)

    # --- inside

    def _below(self, name: str) -> str:
        relative = normal_path(name)
        if not relative:
            raise MetadataError([Problem("name", f"expected a path below the group, found {name!r}")])
        return joined(self.path, relative)

    def _handle(self, path: str, metadata: NodeMetadata) -> Array | Self:
        if isinstance(metadata, ArrayMetadata):
            return Array(self.store, self.format, path, metadata)
        return type(self)(self.store, self.format, path, metadata)

    def _make_group(self, path: str, metadata: GroupMetadata, overwrite: bool) -> Self:
        place(self.store, self.format, path, metadata, overwrite=overwrite, parent=self.path)
        self._forget_snapshot()
        return type(self)(self.store, self.format, path, metadata)


def _misfit(found: NodeMetadata | None, shape: tuple[int, ...], dtype: Any, exact: bool) -> str:
    if not isinstance(found, ArrayMetadata):
        return "expected an array, found a group"
    if found.shape != shape:
        return f"expected an array of shape {shape}, found {found.shape}"
    if dtype is None or found.data_type.is_variable:
        return ""
    wanted = np.dtype(dtype)
    fits = found.data_type.dtype == wanted if exact else np.can_cast(found.data_type.dtype, wanted)
    return "" if fits else f"expected the data type {wanted}, found {found.data_type.dtype}"
