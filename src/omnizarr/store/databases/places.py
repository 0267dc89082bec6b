"""Where a database on this machine lies, and the options it is opened with."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from omnizarr.errors import StoreError, UrlError


def path_of(url: str) -> str:
    """Return the path of `scheme:///absolute/path` or `scheme://relative/path`; it is percent-decoded.

    Raises
    ------
    StoreError
        The URL has a query, or no path.
    UrlError
        No file can have this name.
    """
    place = url.partition("#")[0].partition("://")[2]
    if "?" in place:
        raise StoreError("expected no query; options go into storage_options", store=url.partition("?")[0])
    path = unquote(place)
    if not path.strip("/"):
        raise StoreError("expected a path", store=url)
    check_path(path)
    return re.sub(r"^/([A-Za-z]:)", r"\1", path) if os.name == "nt" else path


def check_path(path: str) -> None:
    """Refuse a path that no file can have, before the system's calls do so each in its own way.

    Raises
    ------
    UrlError
        It has a NUL in it, or what cannot be encoded.
    """
    try:
        encoded = os.fsencode(path)
    except UnicodeEncodeError as error:
        found = ascii(path[error.start : error.end])
        raise UrlError(f"expected a path, found {found} in it", store=ascii(path)) from None
    if b"\0" in encoded:
        raise UrlError("expected a path, found a NUL in it", store=ascii(path))


def take_options(url: str, options: Mapping[str, object], known: Mapping[str, type]) -> dict[str, Any]:
    """Return options whose names and types are known.

    Raises
    ------
    StoreError
        One is not.
    """
    for name, value in options.items():
        if name not in known:
            expected = ", ".join(known)
            raise StoreError(f"storage_options: expected {expected}, found {name}", store=url)
        if not _fits(value, known[name]):
            raise StoreError(
                f"storage_options: {name}: expected {known[name].__name__}, found {value!r}", store=url
            )
    return dict(options)


def _fits(value: object, kind: type) -> bool:
    if isinstance(value, bool) or kind is bool:
        return kind is bool and isinstance(value, bool)
    return isinstance(value, (int, float) if kind is float else kind)
