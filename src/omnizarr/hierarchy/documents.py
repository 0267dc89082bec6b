"""The documents of one node: fetched, read, and changed in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from omnizarr.errors import MetadataError, NodeNotFoundError
from omnizarr.hierarchy.arrays.layout import checked_chain
from omnizarr.jsontypes import Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Store


def fetch_documents(store: Store, format: Format, path: str, absent: str = "") -> dict[str, bytes]:
    """Return the documents of the node at `path` by key; none where there is no node.

    One deciding document is enough, and the others are asked for only where there is one: a v3 node costs
    one `get`, a v2 array two, a v2 group three. A key known to be `absent` is not asked for.
    """
    found: dict[str, bytes] = {}
    for key in format.document_keys(path):
        wanted = (format.node_path(key) is None) == bool(found) and key != absent
        if wanted and (value := store.get(key)) is not None:
            found[key] = value
    return found


def read_documents(
    store: Store, format: Format, path: str, documents: Mapping[str, bytes], *, consolidated: bool = True
) -> NodeMetadata | None:
    """Return the node that documents make, or None; `MetadataError` with every fault, the codecs' too.

    Without `consolidated`, faults of a group's consolidated metadata are none.
    """
    problems = Problems()
    metadata = format.read(path, documents, problems, consolidated=consolidated)
    if problems:
        if isinstance(metadata, ArrayMetadata):
            checked_chain(format, metadata, problems)
        problems.check(store=store.name, path=path)
    return metadata


def fetch_metadata(store: Store, format: Format, path: str) -> NodeMetadata | None:
    """Return the metadata of the node at `path` as stored now, or None where there is no node."""
    documents = fetch_documents(store, format, path)
    if not documents:
        return GroupMetadata() if is_implied(store, format, path) else None
    return read_documents(store, format, path, documents)


def is_implied(store: Store, format: Format, path: str) -> bool:
    """Say whether a path without a document is a group all the same; asked of the store where that may be.

    The root is one wherever there is a hierarchy, others are where nodes lie below.
    """
    if not format.implicit_groups:
        return False
    if not path:
        return any(store.exists(key) for key in format.root_documents())
    return any(store.list_dir(format.nodes_below(path)))


def _read_to_change(
    store: Store, format: Format, path: str, documents: Mapping[str, bytes]
) -> NodeMetadata | None:
    """Return the node that documents make; consolidated metadata that are broken stay as they are."""
    try:
        return read_documents(store, format, path, documents)
    except MetadataError:
        return read_documents(store, format, path, documents, consolidated=False)


def change_document(
    store: Store,
    format: Format,
    path: str,
    known: NodeMetadata,
    change: Callable[[Any], NodeMetadata],
    key: str | None = None,
) -> NodeMetadata:
    """Change one document of a node while no other writer of it can come in between.

    Parameters
    ----------
    known
        The node as it was last seen; documents other than `key` are taken from it.
    change
        Receives the node with the document as it is stored now.
    key
        The document to change: the deciding one unless given. Others are not written.

    Raises
    ------
    NodeNotFoundError
        The deciding document is gone, and the format's groups need one.
    """
    implied = format.implicit_groups and isinstance(known, GroupMetadata)
    if isinstance(known, GroupMetadata) and format.consolidated_key(path) is not None:
        known = known.with_consolidated(None)  # a document of its own, which stays as it is
    others = format.write(path, known)
    deciding = next(reversed(others))
    concerned = deciding if key is None else key
    result = known

    def edit(value: bytes | None) -> bytes | None:
        nonlocal result
        if value is None and concerned == deciding and implied:
            result = change(GroupMetadata())
            return format.write(path, result)[concerned]
        if value is None and concerned == deciding:
            raise NodeNotFoundError("the node was deleted meanwhile", store=store.name, path=path)
        documents = {name: data for name, data in others.items() if name != concerned}
        if value is not None:
            documents[concerned] = value
        current = _read_to_change(store, format, path, documents)
        result = change(known if current is None else current)
        return format.write(path, result).get(concerned)

    store.update(concerned, edit)
    return result
