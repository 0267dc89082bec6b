"""From what a user gives, a path, a URL, a mapping or a store, to a store and a path in it."""

from __future__ import annotations

import os
import threading
from collections.abc import MutableMapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import unquote

from omnizarr.errors import ReadOnlyError, StoreError, StoreNotFoundError, UrlError
from omnizarr.plugins import Registry
from omnizarr.store.base import Span, Store
from omnizarr.store.databases.lmdb import open_lmdb
from omnizarr.store.databases.places import path_of
from omnizarr.store.databases.redis import open_redis
from omnizarr.store.databases.redis_place import SCHEMES as REDIS_SCHEMES
from omnizarr.store.databases.sqlite import open_sqlite
from omnizarr.store.directories.directory import DirectoryStore
from omnizarr.store.filesystems.fsspec import FsspecStore, is_chain, is_known, is_mapper, open_fsspec
from omnizarr.store.layers.logged import logged
from omnizarr.store.layers.wrap import ReadOnlyStore
from omnizarr.store.mapping import StoreMapping
from omnizarr.store.memory import MemoryStore
from omnizarr.store.objects.objects import ObjectStore
from omnizarr.store.objects.places import SCHEMES
from omnizarr.store.urls.caching import split_cache, split_fragment_cache, with_cache
from omnizarr.store.urls.fragments import split_fragment
from omnizarr.store.urls.grammar import Step, Url, is_plain, parse_url, scheme_of
from omnizarr.store.urls.local import local_place, path_of_url
from omnizarr.store.urls.modes import MODES, MUST_EXIST, Mode, Opener, Options, StoreLike
from omnizarr.store.urls.services import addressed, name_of
from omnizarr.store.zips.inside import InnerZipStore
from omnizarr.store.zips.zip import ZipStore

__all__ = [
    "NETWORK",
    "OPENERS",
    "Mode",
    "Opened",
    "Opener",
    "Options",
    "StoreLike",
    "archive_at",
    "open_place",
    "open_store",
    "register_store",
    "scheme_of",
    "split_fragment",
]

NETWORK = (*SCHEMES, "gs3", "s3+http", "s3+https")
_LOCAL = ("", "file", "zip")
_HERE = (*_LOCAL, "memory", "sqlite", "lmdb")
# The last is what is left of a first value that was replaced.
_ZIP = (b"PK\3\4", b"PK\5\6", bytes(4))
_named: dict[str, MemoryStore] = {}
_naming = threading.Lock()


class Opened(NamedTuple):
    """A store, and the path in it that a place leads to."""

    store: Store
    path: str = ""


def open_place(target: StoreLike, *, mode: Mode, storage_options: Options | None = None) -> Opened:
    """Return the store that a path, a URL, a mapping or a store stands for, and the path in it.

    A path is a directory, a zip archive, or a database of SQLite or LMDB: what there is tells, else the
    name. It may lead through an archive. What URLs there are: docs/urls.md. Stores on a network are
    asked of nothing until a value is, unless the URL means an archive there.

    Nothing that is stored is changed here, whatever the mode: `"w"` and `"w-"` are about the node that
    is made next, and whoever makes it clears its place or finds it taken.

    Parameters
    ----------
    mode
        `"r"`: for reading; `"r+"`: for reading and writing what exists; `"a"`, `"w"`, `"w-"`: made if absent.
    storage_options
        For stores on a network, and for databases; none for the others. Those on a network take `cache`:
        docs/storage/cache.md.

    Raises
    ------
    StoreNotFoundError
        There is nothing there, and `mode` is `"r"` or `"r+"`.
    ReadOnlyError
        A store that can only be read, and another mode than `"r"`.
    UrlError
        A part of the URL is not what it should be.
    StoreError
        It cannot be opened, or its scheme is unknown.
    """
    if mode not in MODES:
        raise ValueError(f"mode: expected one of {', '.join(MODES)}, found {mode!r}")
    if isinstance(target, StoreMapping) and isinstance(target.store, Store):
        target = target.store
    if isinstance(target, Store):
        return Opened(_in_mode(target, mode))
    if isinstance(target, MutableMapping):
        store = FsspecStore.from_mapper(target) if is_mapper(target) else MemoryStore(target)
        return Opened(_in_mode(store, mode))
    if not isinstance(target, (str, os.PathLike)):
        raise TypeError(f"expected a path, URL, mapping or store, found {type(target).__name__}")
    options = storage_options or {}
    if isinstance(target, str) and is_chain(target):
        options, cache = split_cache(options, target.partition("://")[0])
        chained = logged(_in_mode(open_fsspec(target, mode, options), mode))
        return Opened(with_cache(chained, mode, cache))
    if not isinstance(target, str) or is_plain(target):
        return _logged_here(_open_path(os.fspath(target), mode, options), mode)
    url = parse_url(target)
    opened = _open_url(url, mode, options)
    return _logged_here(opened, mode) if url.scheme in _HERE else opened


def open_store(target: StoreLike, *, mode: Mode, storage_options: Options | None = None) -> Store:
    """Return the store that a place stands for; parameters and errors as in `open_place`.

    Raises
    ------
    UrlError
        The place leads to a path within the store.
    """
    store, path = open_place(target, mode=mode, storage_options=storage_options)
    if path:
        store.close()
        raise UrlError(f"expected a store, found the path {path!r} within it", store=store.name)
    return store


def archive_at(target: object, storage_options: Options | None = None) -> Opened | None:
    """Return the zip archive that a URL of a network means without saying so, or None.

    It costs one request, for the first bytes of the object of this name. To be asked only where no node
    was found.
    """
    if not isinstance(target, str) or scheme_of(target) not in NETWORK:
        return None
    url, options = parse_url(target), storage_options or {}
    if url.steps or "zip" in url.fragment.modes or not _name_in(url):
        return None
    try:
        above, key = _above(url)
        with _opened(above, "r", options) as store:
            found = store.get(key, Span(0, 4)) in _ZIP
        return _open_url(replace(url, steps=(Step("zip"),)), "r", options) if found else None
    except StoreError:
        return None


# URLs, and archives within what they name


def _open_url(url: Url, mode: Mode, options: Options) -> Opened:
    archives = [step.path for step in url.steps if step.name == "zip"]
    if not archives and _means_archive(url):
        archives = [""]
    if url.query and url.scheme in (*_LOCAL, "memory"):
        raise UrlError("the query: expected none; a ? in a path is written %3F", store=url.shown)
    if mode != "r" and len(archives) > (url.scheme in _LOCAL):
        message = f"an archive within a store is for reading, so not for mode {mode!r}"
        raise ReadOnlyError(message, store=url.shown)
    if url.scheme in _LOCAL:
        opened = _open_local(url, mode, options, archives)
    elif archives:
        above, key = _above(url)
        opened = _within(Opened(_opened(above, "r", options), key), archives)
    else:
        opened = Opened(_opened(url, mode, options))
    return opened if not url.path else _below(opened, url.path)


def _means_archive(url: Url) -> bool:
    if url.scheme == "zip" or "zip" in url.fragment.modes:
        return True
    return url.scheme in NETWORK and _name_in(url).lower().endswith(".zip")


def _open_local(url: Url, mode: Mode, options: Options, archives: list[str]) -> Opened:
    if url.scheme == "file":
        path = path_of_url(url.place, url.shown)
    else:
        path = path_of(url.place) if url.scheme else url.place
    if not archives:
        return _open_path(path, mode, options)
    if local_place(path).inside:
        return _within(_open_path(path, "r", options), archives)
    store = _open_zip(path, mode, options)
    return _within(_below(Opened(store), archives[0]), archives[1:])


def _within(opened: Opened, archives: list[str]) -> Opened:
    """Return the last of archives that are one in another, and the path in it."""
    for path in archives:
        store, key = opened
        try:
            inner = InnerZipStore(store, key)
        except BaseException:
            store.close()
            raise
        opened = _below(Opened(inner), path)
    return opened


def _below(opened: Opened, path: str) -> Opened:
    """Return a path below another one; the folder that an archive is all in may be a part of it or not."""
    store, above = opened
    folder = store.folder if isinstance(store, (ZipStore, InnerZipStore)) and not above else ""
    if folder and f"{path}/".startswith(folder):
        path = path[len(folder) :]
    return Opened(store, "/".join(filter(None, (above, path))))


def _name_in(url: Url) -> str:
    """Return the last part of the path of a URL, as it is written; nothing where it ends in `/`."""
    return url.place.partition("://")[2].partition("/")[2].rpartition("/")[2]


def _above(url: Url) -> tuple[Url, str]:
    """Return the URL of what holds the object that a URL names, and its key there."""
    name = _name_in(url)
    if not name:
        raise UrlError("expected the path of an archive, found none", store=url.shown)
    place = url.place[: -len(name)].rstrip("/")
    above = replace(url, place=place, steps=()).with_modes(url.fragment.modes - {"zip"})
    return above, unquote(name)


def _opened(url: Url, mode: Mode, options: Options) -> Store:
    opener = _opener(url.scheme, url.shown)
    if url.scheme in _HERE:
        return opener(url.first, mode, options)
    options, wanted = split_cache(options, url.shown)
    url, said = split_fragment_cache(url)
    return with_cache(logged(opener(url.first, mode, options)), mode, wanted, said)


def _logged_here(opened: Opened, mode: Mode) -> Opened:
    """Return a place on this machine, logged where it is read; who writes there looks at what kind it is."""
    return opened._replace(store=logged(opened.store)) if mode == "r" else opened


# Openers of paths and single URLs


def _open_path(path: str, mode: Mode, options: Options) -> Opened:
    place, kind, inside = local_place(path)
    if kind == "zip":
        return Opened(_open_zip(place, mode, options), inside)
    if kind != "directory":
        address = f"{kind}{Path(place).absolute().as_uri().removeprefix('file')}"
        return Opened(_opener(kind, path)(address, mode, options), inside)
    _refuse_options(path, options)
    return Opened(DirectoryStore(path, read_only=mode == "r", create=mode not in MUST_EXIST))


def _open_zip(path: str, mode: Mode, options: Options) -> ZipStore:
    _refuse_options(path, options)
    return ZipStore(path, mode=mode if mode in MUST_EXIST else "a")


def _open_memory(url: str, mode: Mode, options: Options) -> Store:
    _refuse_options(url, options)
    name = split_fragment(url)[0].partition(":")[2].strip("/")
    with _naming:
        if mode in MUST_EXIST and name not in _named:
            raise StoreNotFoundError("there is no memory store of this name", store=f"memory://{name}")
        store = _named.setdefault(name, MemoryStore(name=f"memory://{name}"))
    return _in_mode(store, mode)


def _open_objects(url: str, mode: Mode, options: Options) -> Store:
    parsed = parse_url(url)
    place, known = addressed(parsed, options)
    name = name_of(parsed)
    return _in_mode(ObjectStore(place, read_only=mode == "r", storage_options=known, name=name), mode)


OPENERS: dict[str, Opener] = {
    "memory": _open_memory,
    **dict.fromkeys(NETWORK, _open_objects),
    **dict.fromkeys(REDIS_SCHEMES, open_redis),
    "sqlite": open_sqlite,
    "lmdb": open_lmdb,
}
STORES: Registry[Opener] = Registry("omnizarr.stores", cast("dict[str, str | Opener]", OPENERS))


def register_store(scheme: str, opener: Opener) -> None:
    """Make a kind of store known: `opener` is called with each URL of the scheme.

    Entry points of the group `omnizarr.stores` (name = scheme, value = `module:opener`) do the same.
    """
    STORES.register(scheme, opener)


def _opener(scheme: str, shown: str) -> Opener:
    found = STORES.find(scheme)
    if found is not None:
        return found
    if is_known(scheme):
        return open_fsspec
    known = ", ".join(sorted((*OPENERS, "file", "zip")))
    more = "" if find_spec("fsspec") else ", or those of fsspec (pip install 'omnizarr[fsspec]')"
    raise UrlError(f"unknown scheme {scheme}://; expected {known}{more}", store=shown)


def _in_mode(store: Store, mode: Mode) -> Store:
    if mode == "r":
        return store if store.read_only else ReadOnlyStore(store)
    if store.read_only:
        raise ReadOnlyError(f"opened for reading, so not in mode {mode!r}", store=store.name)
    return store


def _refuse_options(place: str, options: Options) -> None:
    if options:
        names = ", ".join(sorted(options))
        raise StoreError(f"storage_options: expected none for a local store, found {names}", store=place)
