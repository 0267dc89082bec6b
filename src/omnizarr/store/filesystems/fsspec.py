"""A store whose values are files of any fsspec file system.

What each operation asks, and what each file system promises: docs/storage/fsspec.md.
https://filesystem-spec.readthedocs.io/en/latest/api.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, Self, TypeVar
from urllib.parse import quote

from omnizarr.errors import OmniZarrError, StoreError, StoreNotFoundError
from omnizarr.store.base import Buffer, ByteRange, Change, Facts, KeyLocks, Listing, Reader, Store
from omnizarr.store.filesystems.files import Files
from omnizarr.store.filesystems.kinds import failure, is_absent, secrets_of, shown, shown_chain
from omnizarr.store.filesystems.reads import REPLACED, HeldFile, StateReader, facts_of_info
from omnizarr.store.keys import check_key, check_prefix, is_legal
from omnizarr.store.ranges import check_part, check_spans, check_start
from omnizarr.store.readers import BytesReader
from omnizarr.store.urls.modes import MUST_EXIST, Mode, Options

T = TypeVar("T")

_CHAIN = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*::)+[A-Za-z][A-Za-z0-9+.-]*://")
# Smaller values are held whole while parts of them are read.
_HELD = 256 * 1024

# Of all stores of this process, since two may be of one place.
_locks = KeyLocks(4096)


class FsspecStore(Store):
    """Values as files of an fsspec file system, each under a path and its key.

    Parameters
    ----------
    fs
        An `fsspec.AbstractFileSystem`; one whose methods are for `async` code is made anew without that.
    path
        The directory, or path of a bucket, that the keys are below.
    read_only
        Archives, web servers and caches are for reading in any case.
    create
        Where False, a directory has to be there, unless the file system has none.

    Raises
    ------
    StoreNotFoundError
        There is no such directory.
    StoreError
        The file system cannot be asked.
    """

    def __init__(
        self,
        fs: Any,
        path: str = "",
        *,
        read_only: bool = False,
        create: bool = True,
        name: str | None = None,
    ) -> None:
        self._files = Files(fs)
        self.path: str = fs._strip_protocol(str(path)).rstrip("/")
        self.name = shown(fs.unstrip_protocol(self.path)).rstrip("/") if name is None else name
        self.read_only = read_only or self._files.kind.read_only
        self.requests = 32 if self._files.kind.waits else 1
        self._secrets = secrets_of(getattr(fs, "storage_options", None) or {})
        if not create and not self._files.kind.flat:
            self._require_directory()

    @classmethod
    def from_url(
        cls,
        url: str,
        *,
        storage_options: Mapping[str, object] | None = None,
        read_only: bool = False,
        create: bool = True,
    ) -> Self:
        """Return the store of a URL of fsspec, such as `sftp://host/path` or `simplecache::s3://bucket/path`.

        `storage_options` are those of the file system; of chained ones, by protocol.
        """
        name = shown_chain(url)
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            message = "no store for this URL here: it belongs to the extra 'fsspec'"
            raise StoreError(f"{message} (pip install 'omnizarr[fsspec]')", store=name) from error
        options = dict(storage_options or {})
        try:
            fs, path = url_to_fs(url, **options)
        except Exception as error:
            raise failure("open", error, store=name, key=None, secrets=secrets_of(options)) from None
        return cls(fs, path, read_only=read_only, create=create, name=name)

    @classmethod
    def from_mapper(cls, mapper: Any, *, read_only: bool = False) -> Self:
        """Return the store of an `fsspec.FSMap`: what `fs.get_mapper(path)` gives."""
        return cls(mapper.fs, mapper.root, read_only=read_only)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), self.fs, self.path, self.read_only, self.name)

    @property
    def fs(self) -> Any:
        """The file system."""
        return self._files.fs

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        path = self._path(key)
        if part is not None:
            check_part(part)
        return self._asked("read", key, lambda: self._files.read(path, part))

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        check_start(start)
        return super().get_into(key, out, start)

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        check_key(key)
        check_spans(spans)
        with self.reading(key) as reader:
            return None if reader is None else reader.get_ranges(spans)

    def reading(self, key: str) -> AbstractContextManager[Reader | None]:
        path = self._path(key)
        return nullcontext(self._asked("read", key, lambda: self._reader(key, path)))

    def _reader(self, key: str, path: str) -> Reader:
        info = self._files.info(path)
        if info["size"] is None or info["size"] <= _HELD:
            return HeldFile(BytesReader(self._files.whole(path)))
        return StateReader(self._files, path, info, partial(self._of_reader, key))

    def _of_reader(self, key: str, read: Callable[[], T]) -> T:
        found = self._asked("read", key, read)
        if found is None:
            raise StoreError(REPLACED, store=self.name, key=key)
        return found

    def size(self, key: str) -> int | None:
        path = self._path(key)
        return self._asked("read", key, lambda: self._size(path))

    def _size(self, path: str) -> int:
        size = self._files.info(path)["size"]
        return len(self._files.whole(path)) if size is None else int(size)

    def facts(self, key: str) -> Facts | None:
        path = self._path(key)
        info = self._asked("read", key, lambda: self._files.info(path))
        known = None if info is None else facts_of_info(info)
        return super().facts(key) if known is None else known

    @property
    def identity(self) -> str:
        return f"{self.name} {self._files.identity()}"

    # Writing

    def set(self, key: str, value: Buffer) -> None:
        path = self._path(key, writing=True)
        data = memoryview(value).tobytes()
        with self._alone(key):
            self._done("write", key, lambda: self._files.replace(path, data))

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        path = self._path(key, writing=True)
        data = memoryview(value).tobytes()
        with self._alone(key):
            if self._files.can_create():
                return self._done("write", key, lambda: self._files.create(path, data))
            if self.exists(key):
                return False
            self._done("write", key, lambda: self._files.replace(path, data))
            return True

    def update(self, key: str, change: Change) -> None:
        path = self._path(key, writing=True)
        with self._alone(key):
            old = self.get(key)
            new = change(old)
            if new is not None:
                data = memoryview(new).tobytes()
                self._done("write", key, lambda: self._files.replace(path, data))
            elif old is not None:
                self.delete(key)

    def delete(self, key: str) -> None:
        path = self._path(key, writing=True)
        with self._alone(key):
            self._asked("delete", key, lambda: self._files.remove(path, self.path))

    def delete_many(self, keys: Sequence[str]) -> None:
        self.require_writable()
        if self.requests == 1:
            super().delete_many(keys)
            return
        with ThreadPoolExecutor(self.requests) as pool:
            for _ in pool.map(self.delete, keys):
                pass  # but what was raised

    def delete_prefix(self, prefix: str) -> None:
        check_prefix(prefix)
        self.require_writable()
        self.delete_many(list(self.list_prefix(prefix)))

    # Listing

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        return (key for key, _ in self._all(prefix))

    def list_sizes(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        for key, size in self._all(prefix):
            found = self.size(key) if size is None else size
            if found is not None:
                yield key, found

    def _all(self, prefix: str) -> Iterator[tuple[str, int | None]]:
        """Return the keys below a prefix, and their sizes where a listing tells them."""
        check_prefix(prefix)
        return self._found(prefix) if self._files.kind.finds else self._walked(prefix)

    def _walked(self, prefix: str) -> Iterator[tuple[str, int | None]]:
        waiting = [prefix]
        while waiting:
            for key, entry in self._entries(waiting.pop()):
                if entry["type"] == "directory":
                    waiting.append(f"{key}/")
                elif entry["type"] == "file":
                    yield key, entry["size"]

    def _found(self, prefix: str) -> Iterator[tuple[str, int | None]]:
        start = self._below(prefix)
        found = self._asked("list", None, lambda: self._files.find(start.rstrip("/"))) or {}
        for name, entry in found.items():
            key = prefix + name[len(start) :]
            if name.startswith(start) and is_legal(key):
                yield key, entry["size"]

    def list_dir(self, prefix: str = "") -> Listing:
        check_prefix(prefix)
        keys, below = set(), set()
        for key, entry in self._entries(prefix):
            if entry["type"] == "directory":
                below.add(f"{key}/")
            elif entry["type"] == "file":
                keys.add(key)
        return Listing(sorted(keys), sorted(below))

    def _entries(self, prefix: str) -> Iterator[tuple[str, dict[str, Any]]]:
        if self._files.kind.web:
            reason = "this server tells no names (consolidated metadata make that unnecessary)"
            raise StoreError(f"cannot list: {reason}", store=self.name)
        path = self._below(prefix).rstrip("/")
        for entry in self._asked("list", None, lambda: self._files.entries(path)) or ():
            name = entry["name"].rstrip("/")
            key = prefix + name.rpartition("/")[2]
            if name.lstrip("/") != path.lstrip("/") and is_legal(key):
                yield key, entry

    def _below(self, prefix: str) -> str:
        return f"{self.path}/{prefix}" if self.path else prefix

    # Keys and errors

    def _path(self, key: str, *, writing: bool = False) -> str:
        check_key(key)
        if writing:
            self.require_writable(key)
        return self._below(quote(key) if self._files.kind.web else key)

    def _alone(self, key: str) -> AbstractContextManager[object]:
        """Return the lock of a key: within a process, writes wait for one another."""
        return _locks.of(f"{self.name}/{key}")

    def _asked(self, action: str, key: str | None, do: Callable[[], T]) -> T | None:
        """Return what the file system gives, or None where it says that there is nothing of this name."""
        try:
            return do()
        except OmniZarrError:
            raise
        except Exception as error:
            if is_absent(error, self.name):
                return None
            raise self._failure(action, key, error) from None

    def _done(self, action: str, key: str, do: Callable[[], T]) -> T:
        try:
            return do()
        except Exception as error:
            raise self._failure(action, key, error) from None

    def _failure(self, action: str, key: str | None, error: Exception) -> StoreError:
        return failure(action, error, store=self.name, key=key, secrets=self._secrets)

    def _require_directory(self) -> None:
        info = self._asked("open", None, lambda: self.fs.info(self.path or self.fs.root_marker))
        if info is None:
            raise StoreNotFoundError("there is no such directory", store=self.name)
        if info["type"] != "directory":
            raise StoreError(f"expected a directory, found a {info['type']}", store=self.name)


def open_fsspec(url: str, mode: Mode, options: Options) -> Store:
    """Return the store of a URL that fsspec knows."""
    return FsspecStore.from_url(
        url, storage_options=options, read_only=mode == "r", create=mode not in MUST_EXIST
    )


def is_mapper(mapping: MutableMapping[str, bytes]) -> bool:
    """Say whether a mapping is one of fsspec, which `FsspecStore.from_mapper` reads by parts."""
    return type(mapping).__module__ == "fsspec.mapping"


def is_chain(place: str) -> bool:
    """Say whether a text is a chained URL, such as `simplecache::s3://bucket/path`."""
    return _CHAIN.match(place) is not None


def is_known(scheme: str) -> bool:
    """Say whether fsspec, where it is installed, has a file system for a scheme."""
    try:
        from fsspec.registry import known_implementations, registry
    except ImportError:
        return False
    return scheme in registry or scheme in known_implementations


def _made(kind: type[FsspecStore], fs: Any, path: str, read_only: bool, name: str) -> FsspecStore:
    return kind(fs, path, read_only=read_only, name=name)
