"""Comparing consolidated metadata with the documents that they were made from.

https://zarr.readthedocs.io/en/stable/user-guide/consolidated_metadata/
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from omnizarr.errors import MetadataError, StoreError
from omnizarr.hierarchy.documents import read_documents
from omnizarr.hierarchy.paths import joined
from omnizarr.hierarchy.validating.nodes import Nodes
from omnizarr.metadata.consolidated import stale
from omnizarr.metadata.group import GroupMetadata, NodeMetadata


def compare_consolidated(nodes: Nodes, listed: Collection[str] | None) -> dict[str, set[str]]:
    """Compare those of every group; return, by group, the nodes that they have and that are not there.

    Parameters
    ----------
    listed
        The keys of all documents, where they were listed.
    """
    ghosts: dict[str, set[str]] = {}
    for group, metadata in nodes.metadata.items():
        if isinstance(metadata, GroupMetadata) and (found := _consolidated(nodes, group, metadata, listed)):
            actual = nodes.below(group)
            for name, message in stale(found, actual):
                if (place := joined(group, name)) not in nodes.broken:
                    nodes.findings.add("consolidated", group, name, message)
                    nodes.stale.add(group)
                    if name not in actual:
                        ghosts.setdefault(group, set()).add(place)
    return ghosts


def _consolidated(
    nodes: Nodes, group: str, metadata: GroupMetadata, listed: Collection[str] | None
) -> Mapping[str, NodeMetadata] | None:
    """Return a group's consolidated metadata, which v2 has in a document of their own."""
    key = nodes.format.consolidated_key(group)
    if key is None or (listed is not None and key not in listed):
        return metadata.consolidated
    try:
        value = nodes.store.get(key)
    except StoreError as error:
        nodes.findings.add("store", group, key, str(error))
        return None
    if value is None:
        return metadata.consolidated
    return _read(nodes, group, metadata, key, value)


def _read(
    nodes: Nodes, group: str, metadata: GroupMetadata, key: str, value: bytes
) -> Mapping[str, NodeMetadata] | None:
    # Of drafts the consolidated document is enough; of v2 it goes with the group's own.
    alone = nodes.format.implicit_groups
    documents = {} if alone else nodes.format.write(group, metadata.with_consolidated(None))
    try:
        found = read_documents(nodes.store, nodes.format, group, {**documents, key: value})
    except MetadataError as error:
        nodes.findings.refuse(group, error, "consolidated")
        nodes.stale.add(group)
        return None
    return found.consolidated if isinstance(found, GroupMetadata) else None
