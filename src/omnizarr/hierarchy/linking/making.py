"""Making references to nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from omnizarr.hierarchy.linking.files import Files
from omnizarr.hierarchy.linking.reference import HERE, Reference, RegionReference
from omnizarr.hierarchy.linking.region import region_of
from omnizarr.hierarchy.linking.sources import relative_source
from omnizarr.hierarchy.node import Node
from omnizarr.jsontypes import Json
from omnizarr.metadata.group import NodeMetadata

if TYPE_CHECKING:
    from omnizarr.hierarchy.array import Array


def reference_to(target: Node, at: Node) -> Reference:
    """Return the reference by which a node points at another, of its own file or a different one.

    Raises
    ------
    StoreError
        The target's store has neither path nor URL.
    """
    files = Files()
    ours, theirs = files.of(at), files.of(target)
    path = theirs.relative(target.path)
    return Reference(
        f"/{path}",
        HERE
        if ours.name == theirs.name
        else relative_source(ours.store, ours.root, theirs.store, theirs.root),
        _object_id(target.metadata),
        _object_id(target.metadata if not path else theirs.find("")),
    )


def region_reference_to(target: Array, selection: Any, at: Node) -> RegionReference:
    """Return the reference by which a node points at a part of an array.

    Parameters
    ----------
    selection
        As numpy has it, or a region.

    Raises
    ------
    SelectionError
        The selection does not fit the array.
    """
    whole = reference_to(target, at)
    region = region_of(selection, target.shape)
    return RegionReference(whole.path, whole.source, whole.object_id, whole.source_object_id, region=region)


def _object_id(metadata: NodeMetadata | None) -> str | None:
    found: Json = None if metadata is None else metadata.attributes.get("object_id")
    return found if isinstance(found, str) else None
