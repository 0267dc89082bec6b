"""A store that keeps its values in an LMDB environment.

What each operation does in the environment, and what it promises: docs/storage/lmdb.md.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from omnizarr.errors import StoreError
from omnizarr.store.base import Buffer, ByteRange, Change, Listing, Reader, Store
from omnizarr.store.databases.gate import alone
from omnizarr.store.databases.lmdb_file import LMDBEnvironment, Terms
from omnizarr.store.databases.lmdb_sharing import leave, share
from omnizarr.store.databases.lmdb_steps import (
    MAX_KEY,
    Transaction,
    bound,
    change_value,
    delete_page,
    page_of,
    put_or_delete,
    raw_key,
    value_of,
)
from omnizarr.store.databases.places import path_of, take_options
from omnizarr.store.databases.seeking import legal, list_by_seeking
from omnizarr.store.keys import check_prefix
from omnizarr.store.ranges import bounds, check_part, check_spans, check_start
from omnizarr.store.urls.modes import MUST_EXIST, Mode, Options

T = TypeVar("T")
# Between two looks at the environment another process may write a key; after so many the change is
# made while no other process may write.
_TRIES = 5
_OPTIONS: dict[str, type] = {"fsync": bool, "subdir": bool, "map_size": int, "max_readers": int}


class LMDBStore(Store):
    """Values in an LMDB environment, laid out as by zarr-python 2: the key as UTF-8, and its value.

    Each write is a transaction; many may read meanwhile, in other processes too, and read straight from
    the memory that LMDB maps. `update` and `set_if_absent` are atomic between threads and processes.

    Parameters
    ----------
    path
        A directory with `data.mdb` and `lock.mdb`, or a file; made unless it exists.
    fsync
        Have each value outlive a loss of power before its write returns. Without, a loss of power may
        damage the whole environment while a store has it open for writing.
    subdir
        Whether a directory is made, or a file, where there is nothing.
    map_size
        How many bytes the environment has room for at first; it grows.
    max_readers
        How many transactions may read at the same time, in all processes together; the first process
        decides.
    read_only
        Refuse every write.
    create
        Whether the environment may be absent.

    Raises
    ------
    StoreNotFoundError
        There is no environment, and `read_only` is set or `create` is not.
    ReadOnlyError
        It may not be written to, and `read_only` is not set.
    StoreError
        It is no environment or is damaged, or the extra `kv` is not installed.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        fsync: bool = False,
        subdir: bool = True,
        map_size: int = 2**30,
        max_readers: int = 1024,
        read_only: bool = False,
        create: bool = True,
    ) -> None:
        self.path = os.path.realpath(os.fspath(path))
        self.name = "lmdb" + Path(self.path).as_uri().removeprefix("file")
        self.read_only = read_only
        _require_lmdb(self.name)
        if os.path.exists(self.path):
            subdir = os.path.isdir(self.path)
        self._terms = Terms(read_only, create, fsync, subdir, map_size, max_readers)
        self._shared = share(self.path, self.name, self._terms)
        self._end = weakref.finalize(self, leave, self._shared)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.path, self._terms)

    def close(self) -> None:
        self._end()

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        if part is not None:
            check_part(part)

        def cut(value: memoryview) -> bytes:
            start, stop = bounds(part, len(value))
            return bytes(value[start:stop])

        return self._read(key, cut)

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        check_start(start)

        def copy(value: memoryview) -> int:
            part = value[start : start + len(out)]
            out[: len(part)] = part
            return max(len(value) - start, 0)

        return self._read(key, copy)

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        check_spans(spans)
        return self._read(key, lambda value: [bytes(value[start : start + n]) for start, n in spans])

    def size(self, key: str) -> int | None:
        return self._read(key, len)

    @contextmanager
    def reading(self, key: str) -> Iterator[Reader | None]:
        reader = self._environment.hold(key, raw_key(key))
        try:
            yield reader
        finally:
            if reader is not None:
                self._shared.let_go(reader)

    def _read(self, key: str, read: Callable[[memoryview], T]) -> T | None:
        """Return what `read` makes of the value where it lies, or None where there is no such key."""
        raw = raw_key(key)
        with self._environment.reading("read", key) as transaction:
            value = transaction.get(raw)
            return None if value is None else read(value)

    # Writing

    def set(self, key: str, value: Buffer) -> None:
        self._put(key, value, overwrite=True)

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        return self._put(key, value, overwrite=False)

    def _put(self, key: str, value: Buffer, *, overwrite: bool) -> bool:
        raw, new = self._writable(key), bound(value)
        with alone(self.name, key):
            return self._write("write", key, len(new), lambda t: t.put(raw, new, overwrite=overwrite))

    def update(self, key: str, change: Change) -> None:
        raw = self._writable(key)
        with alone(self.name, key):
            for _ in range(_TRIES):
                old = self.get(key)
                value = change(old)
                new = None if value is None else bound(value)
                if self._replace(key, raw, old, new):
                    return
            self._write("write", key, self.size(key) or 0, lambda t: change_value(t, raw, change))

    def _replace(self, key: str, raw: bytes, old: bytes | None, value: bytes | memoryview | None) -> bool:
        """Replace one value by another; say whether it was still there."""

        def replace(transaction: Transaction) -> bool:
            if value_of(transaction, raw) != old:
                return False
            put_or_delete(transaction, raw, value)
            return True

        return self._write("write", key, len(value or b""), replace)

    def delete(self, key: str) -> None:
        raw = self._writable(key)
        with alone(self.name, key):
            if self.size(key) is not None:
                self._write("delete", key, 0, lambda transaction: transaction.delete(raw))

    def delete_many(self, keys: Sequence[str]) -> None:
        raws = [self._writable(key) for key in keys]
        if raws:
            self._write("delete", keys[0], 0, lambda transaction: [transaction.delete(raw) for raw in raws])

    def delete_prefix(self, prefix: str) -> None:
        check_prefix(prefix)
        self.require_writable(prefix)
        raw = prefix.encode()
        while len(raw) <= MAX_KEY and self._write("delete", prefix, 0, lambda t: delete_page(t, raw)):
            pass

    def _write(self, action: str, key: str, room: int, work: Callable[[Transaction], T]) -> T:
        return self._environment.write(action, key, room, work)

    def _writable(self, key: str) -> bytes:
        raw = raw_key(key)
        self.require_writable(key)
        return raw

    # Listing

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        return (key for key, _ in self.list_sizes(prefix))

    def list_sizes(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        check_prefix(prefix)
        return self._listed(prefix)

    def _listed(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Yield keys and sizes; between two pages nothing is held, so a listing may take its time."""
        last: bytes | None = prefix.encode()
        while last is not None:
            with self._environment.reading("list", prefix) as transaction:
                page, last = page_of(transaction, prefix.encode(), last)
            for raw, size in page:
                for key in legal([raw]):
                    yield key, size

    def list_dir(self, prefix: str = "") -> Listing:
        check_prefix(prefix)
        raw = prefix.encode()
        if len(raw) > MAX_KEY:
            return Listing([], [])
        with self._environment.reading("list", prefix) as transaction, transaction.cursor() as cursor:

            def scan(start: bytes) -> Iterator[bytes]:
                if cursor.set_range(start):
                    for view in cursor.iternext(keys=True, values=False):
                        key = bytes(view)
                        if not key.startswith(raw):
                            return
                        yield key

            return list_by_seeking(scan, prefix)

    @property
    def _environment(self) -> LMDBEnvironment:
        if not self._end.alive:
            raise StoreError("cannot be used: it was closed", store=self.name)
        return self._shared


def open_lmdb(url: str, mode: Mode, options: Options) -> LMDBStore:
    """Open `lmdb:///absolute/path` or `lmdb://relative/path`.

    Raises
    ------
    StoreError
        As `LMDBStore` does, and where an option is not `fsync`, `subdir`, `map_size` or `max_readers`.
    """
    given = take_options(url, options, _OPTIONS)
    return LMDBStore(path_of(url), read_only=mode == "r", create=mode not in MUST_EXIST, **given)


def _require_lmdb(name: str) -> None:
    try:
        import lmdb  # noqa: F401
    except ImportError as error:
        message = "an LMDB environment needs the extra 'kv' (pip install 'omnizarr[kv]')"
        raise StoreError(message, store=name) from error


def _made(path: str, terms: Terms) -> LMDBStore:
    return LMDBStore(
        path,
        fsync=terms.fsync,
        subdir=terms.subdir,
        map_size=terms.map_size,
        max_readers=terms.max_readers,
        read_only=terms.read_only,
        create=terms.create,
    )
