"""Deleting nodes and whole hierarchies.

First a key is stored that says so, then the documents go that make the place a node, then all else; the mark
goes last. So a deletion that was interrupted does not open as a dataset, says why, and can be run again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias
from zipfile import BadZipFile, ZipFile

from omnizarr.hierarchy.copying.journal import DELETION, JOURNAL
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.opening.diagnose import absent
from omnizarr.hierarchy.opening.locate import locate, was_opened_for
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.hierarchy.requests import delete_keys
from omnizarr.jsontypes import dump_json
from omnizarr.metadata.formats import FORMATS
from omnizarr.store.base import Store
from omnizarr.store.directories.directory import DirectoryStore
from omnizarr.store.zips.zip import ZipStore

Progress: TypeAlias = Callable[[int, int], None]


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
    try:
        count = remove(store, place, progress)
        if isinstance(target, Node):
            target._forget_snapshot()
    finally:
        if was_opened_for(target):
            store.close()
    if was_opened_for(target) and not place:
        remove_empty(store)
    return count


def remove(store: Store, path: str, progress: Progress | None = None) -> int:
    """Delete the node at a path, with all keys below; parameters and errors as those of `delete`."""
    prefix = prefix_of(path)
    store.require_writable(prefix)
    keys = list(store.list_prefix(prefix))
    if not is_removable(keys, path):
        raise absent(store, None, path)
    mark = prefix + DELETION
    store.set(mark, dump_json({"omnizarr_delete": 1}))
    last = {mark, prefix + JOURNAL}
    first = documents_at(path) & set(keys)
    for key in first:
        store.delete(key)
    rest = [key for key in keys if key not in first and key not in last]
    before = len(keys) - len(rest)
    delete_keys(store, rest, None if progress is None else lambda done: progress(before + done, len(keys)))
    store.delete_prefix(prefix)  # the mark, and what others wrote meanwhile
    if progress is not None:
        progress(len(keys), len(keys))
    return len(keys)


def is_removable(keys: Collection[str], path: str) -> bool:
    """Say whether there is a node among all keys below a path, or what an interruption left of one."""
    prefix = prefix_of(path)
    return any(key in keys for key in (*_deciding(path), prefix + JOURNAL, prefix + DELETION))


def documents_at(path: str) -> set[str]:
    """Return the keys, of any format, by which there is a node at a path."""
    gathered = {format.consolidated_key(path) for format in FORMATS.values()}
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
