"""From what a user names as the place of a node to a store and a path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from omnizarr.errors import StoreError
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.opening.above import draft_above
from omnizarr.hierarchy.opening.explain_store import explained
from omnizarr.hierarchy.paths import joined, normal_path
from omnizarr.store.base import Store
from omnizarr.store.memory import MemoryStore
from omnizarr.store.urls.grammar import is_plain, parse_url
from omnizarr.store.urls.open import Mode, archive_at, open_place


class Place(NamedTuple):
    """Where a node is, or will be."""

    store: Store
    path: str


def locate(
    target: Any, path: str | None, mode: Mode, storage_options: Mapping[str, Any] | None = None
) -> Place:
    """Return the store and the path that a target stands for.

    Parameters
    ----------
    target
        A path of the file system, a URL (docs/urls.md), a store, a dictionary of bytes, an array or group
        (for what lies at or below it), or None for a new store in memory. A path may lead into a zip file,
        or into a hierarchy of a draft of Zarr v3.
    mode
        With `"r"` the store refuses writes; with `"r"` and `"r+"` it has to exist.

    Raises
    ------
    StoreNotFoundError, StoreError
        There is no store, or it cannot be opened.
    """
    relative = normal_path(path)
    if isinstance(target, Node):
        return Place(open_place(target.store, mode=mode).store, joined(target.path, relative))
    given = MemoryStore() if target is None else target
    if (above := draft_above(target)) is not None:
        given, relative = above.directory, joined(normal_path(above.path), relative)
    try:
        store, inside = open_place(given, mode=mode, storage_options=storage_options)
    except StoreError as error:
        better = explained(error, target)
        if better is error:
            raise
        raise better from error
    return Place(store, joined(normal_path(inside), relative) if inside else relative)


def archive_instead(target: Any, path: str | None, storage_options: Mapping[str, Any] | None) -> Place | None:
    """Return the place in the zip archive that a URL turns out to mean where no node was found, or None."""
    found = archive_at(target, storage_options)
    if found is None:
        return None
    return Place(found.store, joined(normal_path(found.path), normal_path(path)))


class Wishes(NamedTuple):
    """What a place asks for; None where it says nothing."""

    zarr_format: int | str | None = None
    use_consolidated: bool | str | None = None


def wishes_of(
    target: Any, zarr_format: int | str | None = None, use_consolidated: bool | str | None = None
) -> Wishes:
    """Return what arguments ask for, and where they say nothing, what a path or URL does.

    Raises
    ------
    UrlError
        A part of it is not what it should be.
    """
    if not isinstance(target, str) or is_plain(target):
        return Wishes(zarr_format, use_consolidated)
    url = parse_url(target)
    if zarr_format is None:
        zarr_format = url.zarr_format
    if use_consolidated is None and url.consolidated:
        use_consolidated = True
    return Wishes(zarr_format, use_consolidated)


def was_opened_for(target: Any) -> bool:
    """Say whether `locate` opens a store for a target, so that it may be closed, or uses the caller's."""
    return target is not None and not isinstance(target, Node | Store)
