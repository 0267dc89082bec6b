"""Consolidated metadata: one document that repeats those of every node below a group.

https://zarr.readthedocs.io/en/stable/user-guide/consolidated_metadata/
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from omnizarr.errors import ConversionError, MetadataError, NodeTypeError
from omnizarr.hierarchy.discover import walk
from omnizarr.hierarchy.documents import change_document, fetch_documents, is_implied, read_documents
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.opening.diagnose import absent
from omnizarr.hierarchy.opening.find import find_metadata
from omnizarr.hierarchy.opening.formats import format_of
from omnizarr.hierarchy.opening.locate import locate, wishes_of
from omnizarr.jsontypes import Problems
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.formats.drafts.detect import KEY, draft_at
from omnizarr.metadata.formats.v3 import CONSOLIDATED as FIELD
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Store

_log = logging.getLogger(__name__)


def consolidate_metadata(
    store: Any, path: str | None = None, zarr_format: int | str | None = None, storage_options: Any = None
) -> Group:
    """Write the metadata of every node below a group into one document, and return the group.

    Zarr v2 keeps it in `.zmetadata`, Zarr v3 in the group's own `zarr.json`; the draft of 2019 at a key that
    the hierarchy's `zarr.json` declares, as an extension. It is not kept up to date:
    what is changed later makes it stale, until it is written again.

    Raises
    ------
    NodeNotFoundError, NodeTypeError
        There is nothing, or an array.
    ConversionError
        The format has consolidated metadata at the root alone, and the group is another.
    MetadataError
        Documents of a node are broken.
    """
    where = locate(store, path, "r+", storage_options)
    zarr_format = wishes_of(store, zarr_format).zarr_format
    found = find_metadata(*where, zarr_format, use_consolidated=False)
    if found is None:
        asked = None if zarr_format is None else format_of(zarr_format)
        raise absent(where.store, asked, where.path, "group")
    held, format, place, metadata = found
    if not isinstance(metadata, GroupMetadata):
        message = "expected a group to consolidate, found an array"
        raise NodeTypeError(message, store=held.name, path=place)
    held.require_writable()
    format = _consolidating(format, place)
    nodes = in_block(dict(walk(held, format, place)), format)
    return Group(held, format, place, _store(held, place, format, metadata, nodes))


def consolidate_nodes(group: Group, nodes: Mapping[str, NodeMetadata]) -> Group:
    """Write consolidated metadata as `consolidate_metadata` does, of nodes that need not be read for it.

    Parameters
    ----------
    nodes
        All nodes below the group by their paths relative to it, as the caller has just stored them.

    Raises
    ------
    NodeNotFoundError
        The group is gone.
    MetadataError
        Its documents are broken.
    """
    format = _consolidating(group.format, group.path)
    where = group.store, group.path, format
    documents = fetch_documents(group.store, group.format, group.path)
    metadata: NodeMetadata | None = GroupMetadata()
    if documents or not is_implied(group.store, group.format, group.path):
        metadata = read_documents(group.store, group.format, group.path, documents, consolidated=False)
    if not isinstance(metadata, GroupMetadata):
        raise absent(group.store, group.format, group.path, "group")
    in_order = {path: nodes[path] for path in sorted(nodes, key=lambda path: path.split("/"))}
    stored = _store(*where, metadata, in_block(in_order, format))
    return Group(group.store, format, group.path, stored)


def is_consolidated(group: Group) -> bool:
    """Say whether there are consolidated metadata of a group, whether or not it was opened with them."""
    key = group.format.consolidated_key(group.path)
    if group.metadata.consolidated is not None or key is None:
        return group.metadata.consolidated is not None or FIELD in group.metadata.extra
    return group.store.exists(key)


def in_block(nodes: Mapping[str, NodeMetadata], format: Format) -> dict[str, NodeMetadata]:
    """Return the nodes below a group as its consolidated metadata have them.

    Zarr-python looks for the nodes below an inner v3 group in the store, unless that has a block too.
    """
    empty: Mapping[str, NodeMetadata] | None = {} if format.consolidated_key("") is None else None
    return {
        path: node.with_consolidated(empty) if isinstance(node, GroupMetadata) else node
        for path, node in nodes.items()
    }


def _consolidating(format: Format, path: str) -> Format:
    found = format.consolidating(path)
    if found is None:
        number = format.zarr_format
        message = f"Zarr {number} has consolidated metadata of whole hierarchies, at their root alone"
        raise ConversionError(f"{message}: /{path} is another group")
    return found


def _store(
    store: Store, path: str, format: Format, metadata: GroupMetadata, nodes: dict[str, NodeMetadata]
) -> GroupMetadata:
    key = format.consolidated_key(path)
    _log.info("%s: metadata of %d nodes below /%s are consolidated", store.name, len(nodes), path)
    if key is None:
        changed = change_document(store, format, path, metadata, lambda found: found.with_consolidated(nodes))
        assert isinstance(changed, GroupMetadata)
        return changed
    documents = format.write(path, metadata)
    if (old := store.get(key)) is not None:
        # What it holds beside nodes, such as netCDF-C's documents, stays; where it is broken, nothing does.
        with suppress(MetadataError):
            both = read_documents(store, format, path, {**documents, key: old})
            metadata = both if isinstance(both, GroupMetadata) else metadata
    consolidated = replace(metadata, consolidated=nodes)
    store.set(key, format.write(path, consolidated)[key])
    for name, document in format.root_documents().items():  # of a draft, which says where they are
        if store.get(name) != document:
            store.update(name, lambda found, otherwise=document: _declaring(found) or otherwise)  # type: ignore[misc]
    return consolidated


def _declaring(bootstrap: bytes | None) -> bytes | None:
    """Return the document that declares a hierarchy with consolidated metadata declared, as it is by now."""
    format = draft_at(bootstrap, Problems())
    declaring = None if format is None else format.consolidating("")
    return None if declaring is None else declaring.root_documents()[KEY]
