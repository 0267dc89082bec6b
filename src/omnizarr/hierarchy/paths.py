"""Paths of nodes in a store: the groups above, the keys below, the names of new nodes."""

from __future__ import annotations

from omnizarr.errors import NodeNameError
from omnizarr.metadata.names import check_name, normalize_path


def normal_path(path: object) -> str:
    """Return a path without a `/` at either end or twice in a row; None is the root.

    Raises
    ------
    NodeNameError
        It is no string, or a part may not stand in a path.
    """
    if path is None:
        return ""
    if not isinstance(path, str):
        raise NodeNameError(f"expected a path as a string, found {type(path).__name__} {path!r}")
    return normalize_path(path)


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
        A part of the path may be no new node's name.
    """
    for part in path.split("/") if path else ():
        check_name(part, zarr_format)
