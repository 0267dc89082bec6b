"""The formats by the number or name that users give, and finding out which one a node is in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from omnizarr.config import config
from omnizarr.hierarchy.discover import is_node
from omnizarr.hierarchy.documents import fetch_documents
from omnizarr.hierarchy.paths import ancestors_of
from omnizarr.metadata import formats
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.convert import as_v2, as_v3
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format
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
    return as_v2(metadata) if format.zarr_format == 2 else as_v3(metadata)


def format_for_new(store: Store, path: str, zarr_format: int | str | None) -> Format:
    """Return the format of a node to be made: the one named, else that of the nearest group above.

    Where there is none above, it is that of the settings.
    """
    usual = format_of(zarr_format)
    if zarr_format is not None:
        return usual
    for ancestor in ancestors_of(path):
        for format in (usual, *(other for other in FORMATS.values() if other != usual)):
            if is_node(store, format, ancestor):
                return format
    return usual


def find_documents(
    store: Store, path: str, zarr_format: int | str | None, fetch: Fetch | None = None
) -> tuple[Format, dict[str, bytes]] | None:
    """Return the format and the documents of the node at `path`, or None where there is none.

    Formats are asked for one after another, Zarr v3 first, unless one is named. `fetch` is another way
    to get the documents of one than `fetch_documents`.
    """
    formats = FORMATS.values() if zarr_format is None else (format_of(zarr_format),)
    for format in formats:
        if documents := (fetch or fetch_documents)(store, format, path):
            return format, documents
    return None
