"""The formats by the number or name that users give, and finding out which one a node is in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from omnizarr.config import config
from omnizarr.hierarchy.discover import is_node
from omnizarr.hierarchy.documents import fetch_documents
from omnizarr.hierarchy.opening.within import Within, declared_within, draft_for_new
from omnizarr.hierarchy.paths import ancestors_of, prefix_of
from omnizarr.metadata import formats
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.convert import as_v2, as_v3
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.formats.drafts.bootstrap import KEY, bootstrap_document
from omnizarr.metadata.formats.drafts.convert import as_draft
from omnizarr.metadata.group import NodeMetadata
from omnizarr.store.base import Store

Fetch: TypeAlias = Callable[[Store, Format, str], dict[str, bytes]]


def format_of(zarr_format: int | str | None) -> Format:
    """Return the format that a user names; None is the one of the settings.

    Raises
    ------
    ConversionError
        There is no such format.
    """
    number = config.settings.zarr_format if zarr_format is None else zarr_format
    return formats.format_of(number)


def in_format(format: Format, metadata: NodeMetadata) -> NodeMetadata:
    """Return a node in the idiom of a format.

    Raises
    ------
    ConversionError
        The format cannot hold it.
    """
    if not isinstance(metadata, ArrayMetadata):
        return metadata
    if format.zarr_format == 2:
        return as_v2(metadata)
    return as_v3(metadata) if format.zarr_format in FORMATS else as_draft(metadata)


def place_for_new(
    store: Store, path: str, zarr_format: int | str | None, *, overwrite: bool = False
) -> Within:
    """Return where a node is to be made: in the format named, else that of the nearest group above.

    Where there is none above, it is that of the settings. A hierarchy of a draft may begin below the
    store's root.

    Parameters
    ----------
    overwrite
        Whether what is at the path is to be replaced: at the root, a whole hierarchy of whatever format.

    Raises
    ------
    NodeExistsError
        A draft is named, and there is a hierarchy of another format.
    """
    usual = format_of(zarr_format)
    if zarr_format is not None:
        if usual.implicit_groups:
            return draft_for_new(store, path, usual, overwrite)
        return Within(store, usual, path)
    for ancestor in ancestors_of(path):
        for format in (usual, *(other for other in FORMATS.values() if other != usual)):
            if format.zarr_format == 3:
                value = store.get(prefix_of(ancestor) + KEY)
                if value is not None and bootstrap_document(value) is not None:
                    place = declared_within(store, ancestor, value)
                    return place._replace(path=path[len(prefix_of(ancestor)) :])
                found = value is not None
            else:
                found = is_node(store, format, ancestor)
            if found:
                return Within(store, format, path)
    return Within(store, usual, path)


def find_documents(
    store: Store, path: str, zarr_format: int | str | None, fetch: Fetch | None = None
) -> tuple[Format, dict[str, bytes]] | None:
    """Return the format and the documents of the node at `path`, or None where there is none.

    Formats are asked for one after another, Zarr v3 first, unless one is named; those of whole hierarchies,
    which their root declares, are not among them. `fetch` is another way
    to get the documents of one than `fetch_documents`.
    """
    formats = tuple(FORMATS.values()) if zarr_format is None else (format_of(zarr_format),)
    for format in formats if zarr_format is None or zarr_format in FORMATS else ():
        if documents := (fetch or fetch_documents)(store, format, path):
            return format, documents
    return None
