"""Saying why a path of the file system is no store; asked only after a failure."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from omnizarr.errors import StoreError, StoreNotFoundError
from omnizarr.hierarchy.creating.place import kind_at
from omnizarr.hierarchy.discover import is_node
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats import FORMATS
from omnizarr.store.directories.directory import DirectoryStore
from omnizarr.store.urls.grammar import parse_url
from omnizarr.store.urls.local import head_of, path_of_url, what_starts

_TRIED = "zip, SQLite, LMDB, HDF5, netCDF"
_NO_ARCHIVE = "no zip archive"


def explained(error: StoreError, target: Any) -> StoreError:
    """Return an error that says more about what is at a path, or the same one."""
    path = _path_of(target)
    if path is None:
        return error
    try:
        file = next((place for place in (path, *path.parents) if place.is_file()), None)
        if file is not None:
            return _about_file(file, error)
        if isinstance(error, StoreNotFoundError) and (found := _above(path)):
            return StoreNotFoundError(f"there is no such directory, but {found}", store=error.store)
    except OSError:
        pass
    return error


def _path_of(target: Any) -> Path | None:
    if isinstance(target, os.PathLike):
        return Path(target)
    if not isinstance(target, str):
        return None
    try:
        url = parse_url(target)
        place = path_of_url(url.place, url.shown) if url.scheme == "file" else url.place
    except ValueError:
        return None
    return Path(place) if url.scheme in ("", "file") else None


def _about_file(path: Path, error: StoreError) -> StoreError:
    """Return an error for a file that is none of what was tried; what went wrong else is told as it is."""
    head = head_of(os.fspath(path))
    what = what_starts(head)
    if not what and (head.startswith(b"PK") or _NO_ARCHIVE not in str(error)):
        return error
    what = what or "a file that is no zip archive and no database"
    message = f"expected a directory, a zip archive, or a database of SQLite or LMDB, found {what}"
    return StoreError(f"{message} (tried: {_TRIED})", store=str(path))


def _above(path: Path) -> str:
    """Return the nearest node above a path that does not exist, if there is one."""
    for parent in path.absolute().parents:
        if parent.is_dir():
            store = DirectoryStore(parent, read_only=True)
            for format in FORMATS.values():
                if is_node(store, format, ""):
                    kind = "an array" if kind_at(store, format, "") is ArrayMetadata else "a group"
                    return f"there is {kind} of Zarr {format.zarr_format} at {parent}"
    return ""
