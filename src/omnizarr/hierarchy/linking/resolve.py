"""From a link or a reference to what it points at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, overload

from omnizarr.errors import NodeTypeError, SelectionError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import AnyNode, node_at
from omnizarr.hierarchy.linking.files import Files
from omnizarr.hierarchy.linking.following import Spot, Way
from omnizarr.hierarchy.linking.reference import Link, Reference, RegionReference

Selected: TypeAlias = tuple[Array, tuple[Any, ...]]


class Resolver:
    """Resolves many links and references, opening each file once.

    Parameters
    ----------
    storage_options
        For files on a network.
    """

    def __init__(self, storage_options: Mapping[str, Any] | None = None) -> None:
        self._files = Files(storage_options)

    @overload
    def resolve(self, reference: RegionReference, at: AnyNode) -> Selected: ...
    @overload
    def resolve(self, reference: Link | Reference, at: AnyNode) -> AnyNode | Selected: ...
    def resolve(self, reference: Link | Reference, at: AnyNode) -> AnyNode | Selected:
        """Return what a reference points at; parameters and errors as those of the function `resolve`."""
        file = self._files.of(at)
        if isinstance(reference, Link):
            group = Spot(file, file.relative(at.path), at.metadata)
            return self._result(reference.reference, Way(self._files).follow(reference, group), at)
        return self._result(reference, Way(self._files).target(reference, file, at.path, "a reference"), at)

    def _result(self, reference: Reference, spot: Spot, at: AnyNode) -> AnyNode | Selected:
        node = node_at(spot)
        return _selected(reference, node, at) if isinstance(reference, RegionReference) else node


@overload
def resolve(
    reference: RegionReference, at: AnyNode, *, storage_options: Mapping[str, Any] | None = None
) -> Selected: ...
@overload
def resolve(
    reference: Link | Reference, at: AnyNode, *, storage_options: Mapping[str, Any] | None = None
) -> AnyNode | Selected: ...
def resolve(
    reference: Link | Reference, at: AnyNode, *, storage_options: Mapping[str, Any] | None = None
) -> AnyNode | Selected:
    """Return the array or group that a link or a reference points at; other files are opened for reading.

    For a reference to a region it is the array and the selection: `array[selection]` is the region.

    Parameters
    ----------
    reference
        Its path may lead through links.
    at
        The node that has the link, or in whose attributes or values the reference stands.
    storage_options
        For files on a network.

    Raises
    ------
    NodeNotFoundError
        There is nothing where it points; the message says what points where, and what there is instead.
    MetadataError
        Links lead round in a circle, or are broken.
    NodeTypeError
        A group, where a region needs an array.
    SelectionError
        The region does not fit the array.
    StoreError
        The other file cannot be opened.
    """
    return Resolver(storage_options).resolve(reference, at)


def _selected(reference: RegionReference, node: AnyNode, at: AnyNode) -> Selected:
    what = f"a reference points at a region of {reference}"
    if not isinstance(node, Array):
        raise NodeTypeError(f"{what}: expected an array, found a group", store=at.store.name, path=at.path)
    try:
        return node, reference.region.selection(node.shape)
    except SelectionError as error:
        raise SelectionError(f"{what}: {error} (at {at})") from error
