"""Deleting nodes and whole hierarchies.

First a key is stored that says so, then the documents go that make the place a node, then all else; the mark
goes last. So a deletion that was interrupted does not open as a dataset, says why, and can be run again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias
from zipfile import BadZipFile, ZipFile

from omnizarr.hierarchy.belongings import delete_at, keys_at, mark_place
from omnizarr.hierarchy.copying.journal import DELETION, JOURNAL
from omnizarr.hierarchy.discover import is_node
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.opening.diagnose import absent
from omnizarr.hierarchy.opening.locate import locate, was_opened_for
from omnizarr.hierarchy.opening.within import Within, hierarchies_above
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.hierarchy.requests import delete_keys
from omnizarr.jsontypes import dump_json
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format
from omnizarr.store.base import Store
from omnizarr.store.directories.directory import DirectoryStore
from omnizarr.store.zips.zip import ZipStore

Progress: TypeAlias = Callable[[int, int], None]
_log = logging.getLogger(__name__)


def delete(
    target: Any,
    *,
    path: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> int:
    """Delete an array, or a group with everything below it; return how many keys that were.

    A copy to this place that was never completed is deleted too, and a deletion that was interrupted is
    completed. A directory or archive that was named by its path goes with what it held.

    Parameters
    ----------
    target
        A path, a URL, a store, an array or a group.
    path
        The node's path within the target.
    storage_options
        Options of the store, for URLs.
    progress
        Called with (keys deleted, keys in all).

    Raises
    ------
    NodeNotFoundError
        There is no node.
    StoreError
        The store failed; what is left is no node, and the same call completes the deletion.
    """
    store, place = locate(target, path, "r+", storage_options)
    drafted = isinstance(target, Node) and target.format.implicit_groups
    try:
        count = remove(store, place, progress, format=target.format if drafted else None)
        if isinstance(target, Node):
            target._forget_snapshot()
    finally:
        if was_opened_for(target):
            store.close()
    if was_opened_for(target) and not place:
        remove_empty(store)
    return count


def remove(store: Store, path: str, progress: Progress | None = None, *, format: Format | None = None) -> int:
    """Delete the node at a path, with all keys below; parameters and errors as those of `delete`.

    Parameters
    ----------
    format
        The node's, where that is known; else what is there is found out.
    """
    store.require_writable(prefix_of(path))
    where = Within(store, format or FORMATS[3], path)
    keys = list(keys_at(*where))
    if format is None:
        where = place_of_removal(store, path, keys)
        where.store.require_writable()
        keys = keys if where.path == path and not where.format.implicit_groups else list(keys_at(*where))
    store, format, path = where
    if not is_removable(keys, path, format):
        raise absent(store, format, path)
    place = mark_place(format, path)
    mark = place + DELETION
    store.set(mark, dump_json({"omnizarr_delete": 1}))
    last = {mark, place + JOURNAL}
    first = documents_at(path, format, keys) & set(keys)
    for key in first:
        store.delete(key)
    rest = [key for key in keys if key not in first and key not in last]
    before = len(keys) - len(rest)
    delete_keys(store, rest, None if progress is None else lambda done: progress(before + done, len(keys)))
    delete_at(store, format, path)  # the mark, and what others wrote meanwhile
    _log.info("%s: /%s is deleted, %d keys", store.name, path, len(keys))
    if progress is not None:
        progress(len(keys), len(keys))
    return len(keys)


def place_of_removal(store: Store, path: str, keys: Collection[str]) -> Within:
    """Return where what is to be deleted is, and its format; `keys` are all those below the path.

    Raises
    ------
    NodeNotFoundError
        There is nothing to delete.
    """
    if is_removable(keys, path, FORMATS[3]):
        return Within(store, FORMATS[3], path)
    for place in hierarchies_above(store, path):
        mark = mark_place(place.format, place.path)
        if is_node(*place) or any(place.store.exists(mark + name) for name in (JOURNAL, DELETION)):
            return place
    raise absent(store, None, path)


def is_removable(keys: Collection[str], path: str, format: Format) -> bool:
    """Say whether there is a node among all keys of a place, or what an interruption left of one."""
    place = mark_place(format, path)
    marks = (place + JOURNAL, place + DELETION)
    return not documents_at(path, format, keys).isdisjoint(keys) or any(key in keys for key in marks)


def documents_at(path: str, format: Format, keys: Collection[str]) -> set[str]:
    """Return the keys by which there is a node at a path, of any format that has its documents there.

    Where groups are implicit, all below make one.
    """
    if path and format.implicit_groups:
        return {key for key in keys if format.node_path(key) is not None}
    gathered = {other.consolidated_key(path) for other in FORMATS.values()}
    return {*_deciding(path), *(key for key in gathered if key is not None)}


def _deciding(path: str) -> list[str]:
    return [
        key
        for format in FORMATS.values()
        for key in format.document_keys(path)
        if format.node_path(key) is not None
    ]


def remove_empty(store: Store) -> None:
    """Remove the directory or archive that a store was, now closed, where nothing is in it."""
    with suppress(OSError, BadZipFile):
        if isinstance(store, DirectoryStore):
            Path(store.root).rmdir()
        elif isinstance(store, ZipStore):
            with ZipFile(store.path) as archive:
                names = archive.namelist()
            if all(name.endswith("/") for name in names):
                Path(store.path).unlink()
