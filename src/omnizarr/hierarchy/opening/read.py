"""From a place in a store to the handle on the node there."""

from __future__ import annotations

from omnizarr.errors import MetadataError, Problem, UnsupportedError
from omnizarr.hierarchy.documents import read_documents
from omnizarr.hierarchy.group import AnyNode, Group, node_of
from omnizarr.hierarchy.opening.formats import find_documents
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata
from omnizarr.store.base import Store


def find_node(
    store: Store,
    path: str,
    zarr_format: int | str | None = None,
    use_consolidated: bool | str | None = None,
) -> AnyNode | None:
    """Return the node at a path, or None where there is none.

    A v3 node costs one `get`. Without a `zarr_format`, v2 costs one more for the v3 document that is not
    there; a v2 array costs two, a v2 group three, and one for its consolidated metadata.

    Raises
    ------
    MetadataError
        The documents break their specification, or there are no consolidated metadata though they are
        asked for.
    """
    found = find_documents(store, path, zarr_format)
    if found is None:
        return None
    format, documents = found
    metadata = read_documents(store, format, path, documents, consolidated=use_consolidated is not False)
    if metadata is None:
        message = f"a draft of Zarr v3, which is not one of the formats {', '.join(map(repr, FORMATS))}"
        raise UnsupportedError([Problem("zarr_format", message, True)], store=store.name, path=path)
    if not isinstance(metadata, GroupMetadata):
        return node_of(store, format, path, metadata)
    return _group(store, format, path, metadata, documents, use_consolidated)


def _group(
    store: Store,
    format: Format,
    path: str,
    metadata: GroupMetadata,
    documents: dict[str, bytes],
    use_consolidated: bool | str | None,
) -> Group:
    key = format.consolidated_key(path)
    if key is not None and use_consolidated is not False:
        stored = prefix_of(path) + use_consolidated if isinstance(use_consolidated, str) else key
        if (value := store.get(stored)) is not None:
            both = read_documents(store, format, path, {**documents, key: value})
            metadata = both if isinstance(both, GroupMetadata) else metadata
    if use_consolidated and metadata.consolidated is None:
        message = "no consolidated metadata, which consolidate_metadata writes"
        raise MetadataError([Problem("", message)], store=store.name, path=path)
    group = Group(store, format, path, metadata)
    if use_consolidated is False:
        group._snapshot = None
    return group
