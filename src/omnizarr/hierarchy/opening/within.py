"""Which hierarchy a place is in, where a document at its root says so, as drafts of Zarr v3 have it.

The root is the store's, or lies below a path of it: then the hierarchy is in the store as shown from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from omnizarr.errors import ConversionError, NodeExistsError
from omnizarr.hierarchy.creating.place import refuse_other_formats
from omnizarr.hierarchy.discover import is_node
from omnizarr.hierarchy.documents import fetch_documents, fetch_metadata, read_documents
from omnizarr.hierarchy.opening.locate import Place
from omnizarr.hierarchy.opening.unwritable import guarded
from omnizarr.hierarchy.paths import ancestors_of, prefix_of
from omnizarr.jsontypes import Problems
from omnizarr.metadata.formats import DRAFTS, FORMATS
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.formats.drafts.bootstrap import bootstrap_document
from omnizarr.metadata.formats.drafts.detect import KEY, draft_at
from omnizarr.metadata.formats.drafts.draft2019 import Draft2019
from omnizarr.metadata.formats.drafts.encodings import encoding_named
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Store
from omnizarr.store.layers.below import BelowStore


class Within(NamedTuple):
    """A place: the store from the root of the hierarchy on, its format, and the path there."""

    store: Store
    format: Format
    path: str


def hierarchies_above(store: Store, path: str, *, at_path: bool = True) -> Iterator[Within]:
    """Yield the hierarchies of drafts that a path may lie in, the outermost first; one `get` for each place.

    Parameters
    ----------
    at_path
        Whether one may begin at the path itself.

    Raises
    ------
    MetadataError
        The document that declares one is broken, or declares what has to be understood and is not.
    """
    for root in reversed([*([path] if at_path else []), *ancestors_of(path)]):
        value = store.get(prefix_of(root) + KEY)
        if value is not None and bootstrap_document(value) is not None:
            place = declared_within(store, root, value)
            yield place._replace(path=path[len(prefix_of(root)) :])


def in_hierarchy(store: Store, path: str) -> Place:
    """Return a place, from the root on of the hierarchy of a draft that it is in; else as it is."""
    found = next(hierarchies_above(store, path), None) if path else None
    return Place(store, path) if found is None else Place(found.store, found.path)


def declared_within(store: Store, root: str, value: bytes) -> Within:
    """Return the root of the hierarchy that a bootstrap document at a path of a store declares.

    Raises
    ------
    MetadataError
        The document is broken, or declares what has to be understood and is not.
    """
    problems = Problems()
    format = draft_at(value, problems)
    problems.check(store=store.name, path=root)
    assert format is not None
    return Within(guarded(BelowStore(store, root) if root else store, format), format, "")


def read_within(place: Within, use_consolidated: bool | str | None) -> NodeMetadata | None:
    """Return the node at a place, or None; of a root by its consolidated document, where one is declared."""
    store, format, path = place
    key = None if use_consolidated is False else format.consolidated_key(path)
    if key is not None and (value := store.get(key)) is not None:
        return read_documents(store, format, path, {key: value})
    if path:
        return fetch_metadata(store, format, path)
    documents = fetch_documents(store, format, path)
    return read_documents(store, format, path, documents) if documents else GroupMetadata()


def draft_for_new(store: Store, path: str, format: Format, overwrite: bool = False) -> Within:
    """Return where a new node of a draft is to be: in the hierarchy that is there, or a new one at the root.

    Raises
    ------
    NodeExistsError
        There is a hierarchy of another format.
    """
    if overwrite and not path:
        return Within(store, format, path)
    if (place := _in_same_draft(store, path, format)) is not None:
        return place
    try:
        refuse_other_formats(store, format, "")
    except NodeExistsError:
        # A draft's bootstrap has a key of v3: another writer may have stored it since we looked.
        if (place := _in_same_draft(store, path, format)) is None:
            raise
        return place
    return Within(store, format, path)


def _in_same_draft(store: Store, path: str, format: Format) -> Within | None:
    """Return a place in the outermost draft's hierarchy above it; another draft is an error."""
    place = next(hierarchies_above(store, path), None)
    if place is not None and place.format.zarr_format != format.zarr_format:
        found = place.format.zarr_format
        message = f"a hierarchy of Zarr {found} is there; zarr_format={found!r} makes nodes in it"
        raise NodeExistsError(message, store=place.store.name, path=place.path)
    return place


def with_encoding(place: Within, name: str) -> Within:
    """Return the place of a new node in a hierarchy whose documents are in an encoding.

    Raises
    ------
    ConversionError
        The format is not the draft of 2019, or the hierarchy is there already, in another encoding.
    UnsupportedError
        There is no such encoding.
    """
    format = place.format
    if not isinstance(format, Draft2019):
        raise ConversionError("metadata_encoding: expected zarr_format='3-2019', which alone has others")
    encoding_named(name)
    if format is DRAFTS[format.zarr_format]:
        return place._replace(format=Draft2019(replace(format.bootstrap, metadata_encoding=name)))
    if format.bootstrap.metadata_encoding != name:
        found = format.bootstrap.metadata_encoding
        raise ConversionError(f"metadata_encoding: expected {name!r}, found {found!r} at {place.store.name}")
    return place


def places_at(store: Store, path: str) -> list[Within]:
    """Return the formats that a node is in: usually one, two where both have a document there."""
    found = []
    for format in FORMATS.values():
        [first, *_] = format.document_keys(path)
        value = store.get(first) if first == prefix_of(path) + KEY else None
        is_draft = value is not None and bootstrap_document(value) is not None
        if not is_draft and (value is not None or is_node(store, format, path)):
            found.append(Within(store, format, path))
    drafts = hierarchies_above(store, path) if not found else iter(())
    found += [place for place in drafts if is_node(*place)]
    return found
