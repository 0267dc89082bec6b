"""From what a user names as the place of a node to a store and a path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from omnizarr.errors import StoreError
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.opening.archives import split_archive
from omnizarr.hierarchy.opening.explain_store import explained
from omnizarr.hierarchy.paths import joined, normal_path
from omnizarr.store.base import Store
from omnizarr.store.memory import MemoryStore
from omnizarr.store.urls.open import Mode, open_store


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
        A path of the file system, a URL, a store, a dictionary of bytes, an array or group (for what lies
        at or below it), or None for a new store in memory. A path may lead into a zip file.
    mode
        With `"r"` the store refuses writes; with `"r"` and `"r+"` it has to exist.

    Raises
    ------
    StoreNotFoundError, StoreError
        There is no store, or it cannot be opened.
    """
    relative = normal_path(path)
    if isinstance(target, Node):
        return Place(open_store(target.store, mode=mode), joined(target.path, relative))
    store, inside = split_archive(MemoryStore() if target is None else target)
    place = joined(normal_path(inside), relative)
    try:
        return Place(open_store(store, mode=mode, storage_options=storage_options), place)
    except StoreError as error:
        raise explained(error, target) from error


def was_opened_for(target: Any) -> bool:
    """Say whether `locate` opens a store for a target, so that it may be closed, or uses the caller's."""
    return target is not None and not isinstance(target, Node | Store)
