"""Paths of nodes: how they are spelled, and the names a new node may have.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#node-names
https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#logical-storage-paths
"""

from __future__ import annotations

from omnizarr.errors import NodeNameError

_RESERVED = {
    2: frozenset({".zarray", ".zgroup", ".zattrs", ".zmetadata"}),
    3: frozenset({"zarr.json"}),
}


def normal_path(path: str | None) -> str:
    """Return a path without a `/` at either end or twice in a row; None is the root.

    Raises
    ------
    NodeNameError
        A part is `.` or `..`, or has a NUL.
    """
    if not path:
        return ""
    if not isinstance(path, str):
        raise NodeNameError(f"expected a path as a string, found {type(path).__name__} {path!r}")
    parts = [part for part in path.replace("\\", "/").split("/") if part]
    for part in parts:
        if part in (".", "..") or "\0" in part:
            raise NodeNameError(f"no node may be called {part!r}", path=path)
    return "/".join(parts)


def joined(parent: str, path: str) -> str:
    """Return the path of what lies at `path` below `parent`."""
    return f"{parent}/{path}" if parent and path else parent or path


def parent_of(path: str) -> str:
    """Return the path of the group that holds a node; the root's is the root."""
    return path.rpartition("/")[0]


def ancestors_of(path: str) -> list[str]:
    """Return the paths of the groups that hold a node, nearest first; none for the root."""
    found = []
    while path:
        path = parent_of(path)
        found.append(path)
    return found


def prefix_of(path: str) -> str:
    """Return the prefix of the keys at and below a node."""
    return f"{path}/" if path else ""


def check_new_path(path: str, zarr_format: int | str) -> None:
    """Refuse names that a format reserves, before a node is created.

    Raises
    ------
    NodeNameError
        A part of the path is a document's name, only dots, or (v3) starts with `__`.
    """
    reserved = _RESERVED.get(zarr_format, frozenset()) if isinstance(zarr_format, int) else frozenset()
    for part in path.split("/") if path else ():
        if part in reserved or not part.strip(".") or (zarr_format == 3 and part.startswith("__")):
            raise NodeNameError(f"Zarr {zarr_format} reserves the name {part!r}", path=path)
