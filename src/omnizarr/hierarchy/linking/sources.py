"""Where the other file of a link is: its `source`, seen from the root of the file that points.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html#links
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from omnizarr.errors import StoreError
from omnizarr.hierarchy.paths import joined
from omnizarr.store.base import Store
from omnizarr.store.urls.grammar import shown_place
from omnizarr.store.urls.open import NETWORK, scheme_of
from omnizarr.store.urls.services import names_endpoint

_LOCAL = ("file", "memory")
_ON_THIS_MACHINE = (None, *_LOCAL, "zip", "sqlite", "lmdb", "unix")
_WEB = ("http", "https")
_FOR_ANY_HOST = ("allow_http", "connect_timeout", "read_timeout", "retry_config", "timeout")


def inner_place(root: str, source: str) -> str | None:
    """Return the path that a source means within the store that holds the file at `root`, or None."""
    if scheme_of(source) is not None or source.startswith("/"):
        return None
    place = posixpath.normpath(posixpath.join(root, _slashed(source)))
    return None if place == ".." or place.startswith("../") else place.removeprefix(".")


def outer_places(store: Store, root: str, source: str) -> list[str]:
    """Return the paths or URLs that a source may mean, the likeliest first.

    Raises
    ------
    StoreError
        The store has no place that a path could be relative to; or it is on a network, and what it points
        at is of this machine.
    """
    ours, theirs = scheme_of(store.name), scheme_of(source)
    if ours not in _ON_THIS_MACHINE and theirs not in (None, ours, *NETWORK):
        # fsspec too knows schemes of this machine, and new ones with each release
        what = "neither on the web nor of its kind"
        if theirs in _ON_THIS_MACHINE:
            what = "of this machine, at which a file on a network may not point"
        raise StoreError(f"{shown_place(source)!r} is {what}", store=store.name)
    if theirs is not None:
        return [source]
    if ours == "file":
        return _of_file_system(joined_folder(store, root), source)
    if ours is None:
        raise StoreError(f"the store has no place that {source!r} could be relative to", store=store.name)
    return [_of_url(store, root, source)]


def absolute_source(store: Store, root: str, source: str) -> str:
    """Return a source as it is seen from anywhere: a path or a URL; as it is where there is no such.

    Parameters
    ----------
    store, root
        The file that points.
    """
    if source == ".":
        return joined(store.name.rstrip("/"), root)
    try:
        places = outer_places(store, root, source)
    except StoreError:
        return source
    return next((place for place in places if Path(place).exists()), places[0])


def options_for(target: str, store: Store, options: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return the options for a file that one in `store` points at, of those that were given for that one.

    Credentials and headers stay with the kind of service, and on the web with the host, that they are for.
    A server that speaks the protocol of S3, and that just the link names, gets no signature at all.
    """
    ours, theirs = urlsplit(store.name), urlsplit(target)
    if (ours.scheme, ours.netloc) != (theirs.scheme, theirs.netloc) and names_endpoint(target, options or {}):
        known = {name: value for name, value in (options or {}).items() if name in _FOR_ANY_HOST}
        return {**known, "skip_signature": True}
    if options is None or theirs.scheme.lower() not in NETWORK:
        return None
    same_host = theirs.scheme not in _WEB or ours.netloc == theirs.netloc
    if ours.scheme not in NETWORK or (ours.scheme == theirs.scheme and same_host):
        return options
    return {name: value for name, value in options.items() if name in _FOR_ANY_HOST}


def joined_folder(store: Store, root: str) -> str:
    """Return the path of the file at `root` of a store on the file system."""
    path = unquote(urlsplit(store.name).path)
    if os.name == "nt":
        path = path.lstrip("/")
    return str(Path(path) / root) if root else path


def relative_source(store: Store, root: str, other: Store, other_root: str) -> str:
    """Return the source by which the file at `root` of a store points at another file.

    It is a path where both are on one file system or one host, and a URL elsewhere.

    Raises
    ------
    StoreError
        The other store has neither path nor URL, or is of this machine while the one that points is not.
    """
    if store.name == other.name:
        return "." if root == other_root else _relative(f"/{other_root}", f"/{root}")
    ours, theirs = urlsplit(store.name), urlsplit(other.name)
    if not theirs.scheme or (theirs.scheme in _LOCAL and ours.scheme in NETWORK):
        raise StoreError(f"nothing outside this machine can point at {other.name}", store=store.name)
    if theirs.scheme == "file" == ours.scheme:
        return _relative_path(joined_folder(other, other_root), joined_folder(store, root))
    if (theirs.scheme, theirs.netloc) == (ours.scheme, ours.netloc) and theirs.scheme != "memory":
        return _relative(joined(theirs.path, other_root), joined(ours.path, root))
    return joined(other.name.rstrip("/"), other_root)


def _relative_path(path: str, start: str) -> str:
    try:
        return os.path.relpath(path, start).replace(os.sep, "/")
    except ValueError:  # another drive of Windows
        return Path(path).as_uri()


def _relative(path: str, start: str) -> str:
    return posixpath.relpath(path or "/", start or "/")


def _of_file_system(folder: str, source: str) -> list[str]:
    # By name first, as HDMF has it, then as the operating system has it: they differ where the folder is a
    # symbolic link. A file that was written on Windows has `\`.
    ways = (Path(folder) / source, Path(os.path.realpath(folder)) / source, Path(folder) / _slashed(source))
    return list(dict.fromkeys(map(os.path.normpath, ways)))


def _of_url(store: Store, root: str, source: str) -> str:
    parts = urlsplit(store.name)
    if parts.scheme == "memory":  # its whole name is a path
        parts = parts._replace(netloc="", path=store.name.partition("://")[2])
    folder = joined(parts.path.strip("/"), root)
    path = posixpath.normpath(posixpath.join("/" + folder, _slashed(source)))
    climbs = posixpath.normpath(posixpath.join(folder, _slashed(source)))
    if climbs == ".." or climbs.startswith("../"):
        raise StoreError(f"{source!r} leads above the top of its host", store=store.name)
    host = f"{parts.scheme}://{parts.netloc}"
    query = f"?{parts.query}" if parts.query else ""
    return (host + path if parts.netloc else host + path.lstrip("/")) + query


def _slashed(source: str) -> str:
    return source.replace("\\", "/")
