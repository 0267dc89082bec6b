"""From a place in a store to the metadata of the node there, whatever its format."""

from __future__ import annotations

from omnizarr.errors import MetadataError, Problem, UnsupportedError
from omnizarr.hierarchy.documents import read_documents
from omnizarr.hierarchy.opening.formats import find_documents
from omnizarr.hierarchy.opening.gathered import documents_gathered
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Store


def find_metadata(
    store: Store,
    path: str,
    zarr_format: int | str | None = None,
    use_consolidated: bool | str | None = None,
) -> tuple[Format, NodeMetadata] | None:
    """Return the format and the metadata of a node, or None; costs and errors are those of `find_node`."""
    gathers = store.requests > 1 and use_consolidated is not False
    gather = documents_gathered(use_consolidated) if gathers else None
    found = find_documents(store, path, zarr_format, gather)
    if found is None:
        return None
    format, documents = found
    metadata = read_documents(store, format, path, documents, consolidated=use_consolidated is not False)
    if metadata is None:
        message = f"a draft of Zarr v3, which is not one of the formats {', '.join(map(repr, FORMATS))}"
        raise UnsupportedError([Problem("zarr_format", message, True)], store=store.name, path=path)
    if isinstance(metadata, GroupMetadata) and not gathers:
        metadata = _with_consolidated(store, format, path, metadata, documents, use_consolidated)
    if isinstance(metadata, GroupMetadata) and use_consolidated and metadata.consolidated is None:
        message = "no consolidated metadata, which consolidate_metadata writes"
        raise MetadataError([Problem("", message)], store=store.name, path=path)
    return format, metadata


def _with_consolidated(
    store: Store,
    format: Format,
    path: str,
    metadata: GroupMetadata,
    documents: dict[str, bytes],
    use_consolidated: bool | str | None,
) -> GroupMetadata:
    key = format.consolidated_key(path)
    if key is not None and use_consolidated is not False:
        stored = prefix_of(path) + use_consolidated if isinstance(use_consolidated, str) else key
        if (value := store.get(stored)) is not None:
            both = read_documents(store, format, path, {**documents, key: value})
            metadata = both if isinstance(both, GroupMetadata) else metadata
    return metadata
