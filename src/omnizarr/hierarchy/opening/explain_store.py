"""Saying why a path of the file system is no store; asked only after a failure."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from omnizarr.errors import StoreError, StoreNotFoundError
from omnizarr.hierarchy.creating.place import kind_at
from omnizarr.hierarchy.discover import is_node
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats import FORMATS
from omnizarr.store.directories.directory import DirectoryStore

_HDF5 = b"\x89HDF\r\n\x1a\n"
_ZIP = b"PK"
_CLASSIC = b"CDF"


def explained(error: StoreError, target: Any) -> StoreError:
    """Return an error that says more about what is at a path, or the same one."""
    path = _path_of(target)
    if path is None:
        return error
    try:
        if path.is_file():
            what = _kind_of_file(path)
            return (
                StoreError(f"expected a directory or a zip archive, found {what}", store=str(path))
                if what
                else error
            )
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
    if target.startswith("file:"):
        return Path(unquote(urlsplit(target).path))
    return None if "://" in target else Path(target)


def _kind_of_file(path: Path) -> str:
    """Return what a file is that is no archive, from its first bytes."""
    with path.open("rb") as file:
        head = file.read(8)
    if head == _HDF5:
        return "an HDF5 file, perhaps of netCDF-4"
    if head.startswith(_CLASSIC):
        return "a classic netCDF file"
    return "" if head.startswith(_ZIP) else "a file that is no zip archive"


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
