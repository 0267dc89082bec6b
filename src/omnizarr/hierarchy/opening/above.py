"""Paths of the file system that lead into a hierarchy of a draft, whose nodes have no directories there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from omnizarr.metadata.formats.drafts.bootstrap import KEY, bootstrap_document
from omnizarr.store.urls.grammar import is_plain
from omnizarr.store.urls.local import directory_above


class Above(NamedTuple):
    """The directory of a hierarchy, and a path within it."""

    directory: str
    path: str


def draft_above(target: Any) -> Above | None:
    """Return the directory of a draft's hierarchy that a path leads into where nothing is at the path itself.

    `/data/a/group` is the group of `/data/a`, as with Zarr v2 and v3.1, which keep nodes in directories.
    """
    if not isinstance(target, str | os.PathLike) or (isinstance(target, str) and not is_plain(target)):
        return None
    given = os.fspath(target)
    if not given or os.path.lexists(given):
        return None
    document = f"{directory_above(given)}/{KEY}"
    if not os.access(document, os.F_OK):  # says no without an exception
        return None
    path = Path(document).absolute()
    try:
        if bootstrap_document(path.read_bytes()) is None:
            return None
    except OSError:
        return None
    return Above(str(path.parent), Path(given).absolute().relative_to(path.parent).as_posix())
