"""From a place in a store to the metadata of the node there, whatever its format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from omnizarr.errors import MetadataError, Problem, UnsupportedError
from omnizarr.hierarchy.documents import read_documents
from omnizarr.hierarchy.opening.formats import find_documents
from omnizarr.hierarchy.opening.gathered import documents_gathered
from omnizarr.hierarchy.opening.within import declared_within, hierarchies_above, read_within
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Store


class Found(NamedTuple):
    """A node that was found: its place in the hierarchy it is of, and what its documents say."""

    store: Store
    format: Format
    path: str
    metadata: NodeMetadata


def find_metadata(
    store: Store,
    path: str,
    zarr_format: int | str | None = None,
    use_consolidated: bool | str | None = None,
) -> Found | None:
    """Return the node at a place with its metadata, or None; costs and errors are those of `find_node`."""
    gathers = store.requests > 1 and use_consolidated is not False
    gather = documents_gathered(use_consolidated) if gathers else None
    found = find_documents(store, path, zarr_format, gather)
    if found is None:
        return _in_draft(store, path, zarr_format, use_consolidated)
    format, documents = found
    metadata = read_documents(store, format, path, documents, consolidated=use_consolidated is not False)
    if metadata is None:
        return _draft_instead(store, path, zarr_format, documents, use_consolidated)
    if isinstance(metadata, GroupMetadata) and not gathers:
        metadata = _with_consolidated(store, format, path, metadata, documents, use_consolidated)
    return _checked(Found(store, format, path, metadata), use_consolidated)


def _in_draft(
    store: Store, path: str, zarr_format: int | str | None, use_consolidated: bool | str | None
) -> Found | None:
    """Return a node of the hierarchy of a draft that a path lies in, or None."""
    if zarr_format in FORMATS:
        return None
    # Without a format the path itself was asked already, as for Zarr v3.
    for place in hierarchies_above(store, path, at_path=zarr_format is not None):
        if zarr_format in (None, place.format.zarr_format):
            metadata = read_within(place, use_consolidated)
            if metadata is not None:
                return _checked(Found(*place, metadata), use_consolidated)
    return None


def _draft_instead(
    store: Store,
    path: str,
    zarr_format: int | str | None,
    documents: Mapping[str, bytes],
    use_consolidated: bool | str | None,
) -> Found:
    """Return the root of the hierarchy of a draft that documents declare, where those of Zarr v3 would be.

    Raises
    ------
    UnsupportedError
        Zarr v3.1 was asked for.
    """
    place = declared_within(store, path, next(iter(documents.values())))
    if zarr_format is not None:
        named = repr(place.format.zarr_format)
        message = f"expected 3, found a draft of Zarr v3, which zarr_format={named} opens"
        raise UnsupportedError([Problem("zarr_format", message, True)], store=store.name, path=path)
    metadata = read_within(place, use_consolidated)
    assert metadata is not None  # a root is a group where it has no document
    return _checked(Found(*place, metadata), use_consolidated)


def _checked(found: Found, use_consolidated: bool | str | None) -> Found:
    metadata = found.metadata
    if isinstance(metadata, GroupMetadata) and use_consolidated and metadata.consolidated is None:
        message = "no consolidated metadata, which consolidate_metadata writes"
        raise MetadataError([Problem("", message)], store=found.store.name, path=found.path)
    return found


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
