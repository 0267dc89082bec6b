"""From what a user gives, a path, a URL, a mapping or a store, to a store."""

from __future__ import annotations

import os
import re
import stat
import threading
from collections.abc import MutableMapping
from urllib.parse import unquote, urlsplit

from omnizarr.errors import ReadOnlyError, StoreError, StoreNotFoundError
from omnizarr.store.base import Store
from omnizarr.store.databases.lmdb import open_lmdb
from omnizarr.store.databases.redis import open_redis
from omnizarr.store.databases.redis_place import SCHEMES as REDIS_SCHEMES
from omnizarr.store.databases.sqlite import open_sqlite
from omnizarr.store.directories.directory import DirectoryStore
from omnizarr.store.layers.wrap import ReadOnlyStore
from omnizarr.store.mapping import StoreMapping
from omnizarr.store.memory import MemoryStore
from omnizarr.store.objects.objects import ObjectStore
from omnizarr.store.objects.places import SCHEMES, shown_url
from omnizarr.store.urls.modes import MODES, MUST_EXIST, Mode, Opener, Options, StoreLike
from omnizarr.store.zips.zip import ZipStore

__all__ = [
    "NETWORK",
    "OPENERS",
    "Mode",
    "Opener",
    "Options",
    "StoreLike",
    "open_store",
    "scheme_of",
    "split_fragment",
]

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://|(file):", re.IGNORECASE)
NETWORK = SCHEMES
_named: dict[str, MemoryStore] = {}
_naming = threading.Lock()


def open_store(target: StoreLike, *, mode: Mode, storage_options: Options | None = None) -> Store:
    """Return the store that a path, a URL, a mapping or a store stands for.

    A path that ends in `.zip`, or that leads to a file, is a zip archive; any other is a directory.
    The schemes of URLs are `file`, `memory`, and of object stores `s3`, `gs`, `az`, `http` and `https`,
    which nothing is asked of until a value is.

    Nothing that is stored is changed here, whatever the mode: `"w"` and `"w-"` are about the node that
    is made next, and whoever makes it clears its place or finds it taken.

    Parameters
    ----------
    target
        A URL may have a fragment, see `split_fragment`; `mode=zip` in it says that it is an archive.
    mode
        `"r"`: for reading; `"r+"`: for reading and writing what exists; `"a"`, `"w"`, `"w-"`: made if absent.
    storage_options
        For stores on a network; none for the others.

    Raises
    ------
    StoreNotFoundError
        There is nothing there, and `mode` is `"r"` or `"r+"`.
    ReadOnlyError
        A store that can only be read, and another mode than `"r"`.
    StoreError
        It cannot be opened, or its scheme is unknown.
    """
    if mode not in MODES:
        raise ValueError(f"mode: expected one of {', '.join(MODES)}, found {mode!r}")
    if isinstance(target, StoreMapping) and isinstance(target.store, Store):
        target = target.store
    if isinstance(target, Store):
        return _in_mode(target, mode)
    if isinstance(target, MutableMapping):
        return _in_mode(MemoryStore(target), mode)
    if not isinstance(target, (str, os.PathLike)):
        raise TypeError(f"expected a path, URL, mapping or store, found {type(target).__name__}")
    place = os.fspath(target)
    scheme = _SCHEME.match(place) if isinstance(target, str) else None
    opener = _open_path if scheme is None else _opener(scheme[1] or scheme[2], place)
    return opener(place, mode, storage_options or {})


def scheme_of(place: str) -> str | None:
    """Return the scheme of a URL in lower case; None for a path of the file system."""
    found = _SCHEME.match(place)
    return None if found is None else (found[1] or found[2]).lower()


def split_fragment(url: str) -> tuple[str, dict[str, list[str]]]:
    """Return a URL without its fragment, and what the fragment says.

    Values are separated by commas, and given more than once they add up. A bare word says just itself.

    >>> split_fragment("file:///data#mode=nczarr,file&mode=zip&noxarray")
    ('file:///data', {'mode': ['nczarr', 'file', 'zip'], 'noxarray': []})
    """
    place, _, fragment = url.partition("#")
    said: dict[str, list[str]] = {}
    for item in filter(None, fragment.split("&")):
        name, _, values = item.partition("=")
        said.setdefault(unquote(name), []).extend(unquote(value) for value in values.split(",") if value)
    return place, said


def _open_path(path: str, mode: Mode, options: Options, *, is_zip: bool = False) -> Store:
    _refuse_options(path, options)
    if is_zip or _is_archive(path):
        return ZipStore(path, mode=mode if mode in ("r", "r+") else "a")
    return DirectoryStore(path, read_only=mode == "r", create=mode not in MUST_EXIST)


def _open_file_url(url: str, mode: Mode, options: Options) -> Store:
    place, said = split_fragment(url)
    parts = urlsplit(place)
    if parts.netloc not in ("", "localhost"):
        raise StoreError(f"expected a file of this machine, found the host {parts.netloc!r}", store=url)
    path = unquote(parts.path)
    if os.name == "nt":
        path = re.sub(r"^/([A-Za-z]:)", r"\1", path)
    return _open_path(path, mode, options, is_zip="zip" in said.get("mode", ()))


def _open_memory(url: str, mode: Mode, options: Options) -> Store:
    place, _ = split_fragment(url)
    _refuse_options(url, options)
    name = place.partition("://")[2].strip("/")
    with _naming:
        if mode in MUST_EXIST and name not in _named:
            raise StoreNotFoundError("there is no memory store of this name", store=place)
        store = _named.setdefault(name, MemoryStore(name=f"memory://{name}"))
    return _in_mode(store, mode)


def _open_objects(url: str, mode: Mode, options: Options) -> Store:
    place, said = split_fragment(url)
    if "zip" in said.get("mode", ()):
        raise StoreError("a zip archive is read from a file, not over a network", store=shown_url(url))
    store = ObjectStore(place, read_only=mode == "r", storage_options=options)
    return _in_mode(store, mode)


OPENERS: dict[str, Opener] = {
    "file": _open_file_url,
    "memory": _open_memory,
    **dict.fromkeys(SCHEMES, _open_objects),
    **dict.fromkeys(REDIS_SCHEMES, open_redis),
    "sqlite": open_sqlite,
    "lmdb": open_lmdb,
}


def _opener(scheme: str, url: str) -> Opener:
    found = OPENERS.get(scheme.lower())
    if found is not None:
        return found
    known = ", ".join(sorted(OPENERS))
    raise StoreError(f"unknown scheme {scheme}://; expected {known}", store=shown_url(url))


def _in_mode(store: Store, mode: Mode) -> Store:
    if mode == "r":
        return store if store.read_only else ReadOnlyStore(store)
    if store.read_only:
        raise ReadOnlyError(f"opened for reading, so not in mode {mode!r}", store=store.name)
    return store


def _is_archive(path: str) -> bool:
    try:
        found = os.stat(path).st_mode
    except OSError:
        return path.lower().endswith(".zip")
    return stat.S_ISREG(found)


def _refuse_options(place: str, options: Options) -> None:
    if options:
        names = ", ".join(sorted(options))
        raise StoreError(f"storage_options: expected none for a local store, found {names}", store=place)
