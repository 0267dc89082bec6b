"""Places inside zip files: `weather.zip/surface` is the node `surface` of `weather.zip`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit


class Split(NamedTuple):
    """What a place means: the store, and the path in it that the place itself names."""

    target: Any
    path: str = ""


def split_archive(target: Any) -> Split:
    """Return a path or URL that leads through a file as that file and the path behind it.

    Anything else, what exists under the whole name included, is returned as it is.
    """
    if not isinstance(target, str | os.PathLike):
        return Split(target)
    place = os.fspath(target)
    is_url = isinstance(target, str) and place.lower().startswith("file:")
    if not isinstance(place, str) or ("://" in place and not is_url):
        return Split(target)
    head, mark, fragment = place.partition("#") if is_url else (place, "", "")
    if os.path.lexists(_local(head, is_url)):
        return Split(target)
    names: list[str] = []
    while (parent := head.rstrip("/").rpartition("/")[0]) not in ("", "file:", "file:/"):
        names.insert(0, head.rstrip("/")[len(parent) + 1 :])
        head = parent
        above = Path(_local(head, is_url))
        if above.is_dir():
            break  # a place in a directory, which is not there yet
        if above.is_file():
            inner = "/".join(map(unquote, names)) if is_url else "/".join(names)
            return Split(head + mark + fragment, inner)
    return Split(target)


def _local(place: str, is_url: bool) -> str:
    return unquote(urlsplit(place).path) if is_url else place
