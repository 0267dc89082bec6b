"""Names of nodes, and paths.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#node-names
https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#logical-storage-paths
"""

from __future__ import annotations

import re

from omnizarr.errors import NodeNameError

_OF_DRAFTS = re.compile(r"[A-Za-z0-9._-]{1,255}")
_V2_DOCUMENTS = (".zarray", ".zgroup", ".zattrs", ".zmetadata")


def check_name(name: str, zarr_format: int | str = 3) -> None:
    """Check that a new node may have a name.

    Raises
    ------
    NodeNameError
        The name is empty, holds `/` or NUL, is all dots, or is one that the format keeps for itself.
    """
    fault = _fault(name)
    if fault is None and zarr_format == 2 and name in _V2_DOCUMENTS:
        fault = "is the name of a document"
    if fault is None and zarr_format == 3 and name == "zarr.json":
        fault = "is the name of a document"
    if fault is None and zarr_format == 3 and name.startswith("__"):
        fault = "starts with __, which Zarr v3 reserves"
    if fault is None and isinstance(zarr_format, str) and not _OF_DRAFTS.fullmatch(name):
        fault = "is none of 1 to 255 letters, digits and .-_ of ASCII, which the drafts of Zarr v3 have"
    if fault is not None:
        raise NodeNameError(f"a node's name {fault}: {name!r}")


def normalize_path(path: str) -> str:
    """Return a path without slashes at its ends or twice in a row; `""` is the root.

    Raises
    ------
    NodeNameError
        A part of the path is `.` or `..`, or holds NUL.
    """
    parts = [part for part in path.split("/") if part]
    for part in parts:
        fault = _fault(part)
        if fault is not None:
            raise NodeNameError(f"a part of the path {fault}: {path!r}", path=path)
    return "/".join(parts)


def _fault(name: str) -> str | None:
    if not name:
        return "is empty"
    if "/" in name:
        return "holds a slash"
    if "\0" in name:
        return "holds a NUL character"
    if name.strip(".") == "":
        return "is all dots"
    return None


def is_path(text: str) -> bool:
    """Return whether a text is a path in its normal form, below the node that it is relative to."""
    return bool(text) and all(_fault(part) is None for part in text.split("/"))
