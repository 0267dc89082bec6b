"""Paths of the file system that lead into a hierarchy of a draft, whose nodes have no directories there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from omnizarr.metadata.formats.drafts.bootstrap import KEY, bootstrap_document
from omnizarr.store.urls.grammar import is_plain


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
    if os.path.lexists(given):  # asked of every place that is opened, so before there is a `Path`: 9 µs
        return None
    path = Path(given)
    try:
        directory = next((above for above in path.absolute().parents if above.exists()), None)
        value = None if directory is None else (directory / KEY).read_bytes()
    except OSError:
        return None
    if directory is None or value is None or bootstrap_document(value) is None:
        return None
    return Above(str(directory), path.absolute().relative_to(directory).as_posix())
