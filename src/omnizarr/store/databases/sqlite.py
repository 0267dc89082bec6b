"""A store that keeps its values in one SQLite file.

What each operation does in the database, and what it promises: docs/storage/sqlite.md.
"""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from omnizarr.store.base import Buffer, ByteRange, Change, Listing, Reader, Store
from omnizarr.store.databases import sqlite_table as table
from omnizarr.store.databases.gate import alone
from omnizarr.store.databases.held import HeldReader
from omnizarr.store.databases.places import path_of, take_options
from omnizarr.store.databases.seeking import end_of, legal, list_by_seeking
from omnizarr.store.databases.sqlite_file import SQLiteFile, require_blob
from omnizarr.store.databases.sqlite_opening import Terms
from omnizarr.store.directories.files import flat
from omnizarr.store.keys import check_key, check_prefix
from omnizarr.store.ranges import check_part, check_spans
from omnizarr.store.readers import BytesReader
from omnizarr.store.urls.modes import MUST_EXIST, Mode, Options

# Between two looks at the database another process may write a key; after so many the change is made
# while the database is locked.
_TRIES = 5
_PAGE = 1000
_OPTIONS: dict[str, type] = {"timeout": float, "fsync": bool, "wal": bool}


class SQLiteStore(Store):
    """Values in the table `zarr` of an SQLite file, the one that zarr-python 2 has.

    Each write is a transaction; many may read meanwhile, in other processes too. `update` and
    `set_if_absent` are atomic between threads and processes.

    Parameters
    ----------
    path
        The file; made with its table unless it exists.
    timeout
        How many seconds to wait for the writers of other processes.
    fsync
        Have each value outlive a loss of power before its write returns. Without, a loss of power
        takes the last writes away, and leaves the file whole.
    wal
        Turn a file that is opened for writing to a write-ahead log. Without, its journal mode stays.
    read_only
        Refuse every write.
    create
        Whether file and table may be absent.

    Raises
    ------
    StoreNotFoundError
        There is no file or it has no table `zarr`, and `read_only` is set or `create` is not.
    ReadOnlyError
        The file may not be written to, and `read_only` is not set.
    StoreError
        The file is no SQLite database, is damaged or locked, or its table is another one.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        timeout: float = 60.0,
        fsync: bool = False,
        wal: bool = True,
        read_only: bool = False,
        create: bool = True,
    ) -> None:
        self.path = os.path.realpath(os.fspath(path))
        self.name = "sqlite" + Path(self.path).as_uri().removeprefix("file")
        self.read_only = read_only
        self._terms = Terms(read_only, create, timeout, fsync, wal)
        self._file = SQLiteFile(self.path, self.name, self._terms)
        self._end = weakref.finalize(self, self._file.close)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.path, self._terms)

    def close(self) -> None:
        self._end()

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        check_key(key)
        if part is None:
            with self._file.connection("read", key) as connection:
                return self._value(connection, key)
        check_part(part)
        with self._reading(key, hold=True) as reader:
            return None if reader is None else reader.get(part)

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        check_spans(spans)
        with self._reading(key, hold=True) as reader:
            return None if reader is None else reader.get_ranges(spans)

    @contextmanager
    def reading(self, key: str) -> Iterator[Reader | None]:
        # Without a write-ahead log a transaction that reads keeps all writers out.
        with self._reading(key, hold=self._file.wal) as reader:
            yield reader

    @contextmanager
    def _reading(self, key: str, *, hold: bool) -> Iterator[Reader | None]:
        check_key(key)
        reader = self._reader(key, hold=hold)
        try:
            yield reader
        finally:
            if isinstance(reader, HeldReader):
                self._file.let_go(reader)

    def _reader(self, key: str, *, hold: bool) -> Reader | None:
        """Return a small value, or a way to the parts of a large one."""
        with self._file.connection("read", key) as connection:
            found = connection.execute(table.PEEK, (key,)).fetchone()
            if found is None:
                return None
            require_blob(found[0], self.name, key)
            if found[2] is not None:
                return BytesReader(found[2])
            if not hold:
                value = self._value(connection, key)
                return None if value is None else BytesReader(value)
        return self._file.hold(key)

    def _value(self, connection: sqlite3.Connection, key: str) -> bytes | None:
        found = connection.execute(table.GET, (key,)).fetchone()
        if found is None:
            return None
        require_blob(found[0], self.name, key)
        return bytes(found[1])

    def size(self, key: str) -> int | None:
        check_key(key)
        with self._file.connection("read", key) as connection:
            found = connection.execute(table.SIZE, (key,)).fetchone()
        if found is None:
            return None
        require_blob(found[0], self.name, key)
        return int(found[1])

    # Writing

    def set(self, key: str, value: Buffer) -> None:
        self._check(key)
        with alone(self.name, key):
            self._run("write", key, table.SET, _bound(value))

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        self._check(key)
        with alone(self.name, key):
            return not self._lies_there(key) and self._run("write", key, table.SET_NEW, _bound(value))

    def update(self, key: str, change: Change) -> None:
        self._check(key)
        with alone(self.name, key):
            for _ in range(_TRIES):
                old = self.get(key)
                value = change(old)
                if self._replace(key, old, value):
                    return
            self._update_locked(key, change)

    def _replace(self, key: str, old: bytes | None, value: Buffer | None) -> bool:
        """Replace one value by another; say whether it was still there."""
        if value is None:
            return old is None or self._run("write", key, table.DELETE_SAME, old)
        if old is None:
            return self._run("write", key, table.SET_NEW, _bound(value))
        return self._run("write", key, table.SET_SAME, _bound(value), old)

    def _update_locked(self, key: str, change: Change) -> None:
        with self._file.writing("write", key) as connection:
            connection.execute("BEGIN IMMEDIATE")
            value = change(self._value(connection, key))
            if value is None:
                connection.execute(table.DELETE, (key,))
            else:
                connection.execute(table.SET, (key, _bound(value)))
            connection.execute("COMMIT")

    def delete(self, key: str) -> None:
        self._check(key)
        with alone(self.name, key):
            if self._lies_there(key):
                self._run("delete", key, table.DELETE)

    def delete_many(self, keys: Sequence[str]) -> None:
        for key in keys:
            self._check(key)
        if keys:
            with self._file.writing("delete", keys[0]) as connection:
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(table.DELETE, [(key,) for key in keys])
                connection.execute("COMMIT")

    def delete_prefix(self, prefix: str) -> None:
        check_prefix(prefix)
        self.require_writable(prefix)
        with self._file.writing("delete", prefix) as connection:
            connection.execute(table.DELETE_RANGE, (prefix, _end(prefix)))

    def _run(self, action: str, key: str, statement: str, *values: bytes | memoryview) -> bool:
        """Run a statement as a transaction of its own; say whether it changed anything."""
        with self._file.writing(action, key) as connection:
            return connection.execute(statement, (key, *values)).rowcount > 0

    def _lies_there(self, key: str) -> bool:
        with self._file.connection("read", key) as connection:
            return connection.execute(table.EXISTS, (key,)).fetchone() is not None

    def _check(self, key: str) -> None:
        check_key(key)
        self.require_writable(key)

    # Listing

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        check_prefix(prefix)
        return (key for page in self._pages(table.KEYS, prefix) for key in legal([row[0] for row in page]))

    def list_sizes(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        check_prefix(prefix)
        for page in self._pages(table.SIZES, prefix):
            for raw, size in page:
                for key in legal([raw]):
                    yield key, size

    def list_dir(self, prefix: str = "") -> Listing:
        check_prefix(prefix)
        end = _end(prefix)
        with self._file.connection("list", prefix) as connection:
            connection.execute("BEGIN")  # one state of the table, however many looks it takes

            def scan(start: bytes) -> Iterator[bytes]:
                return (row[0] for row in connection.execute(table.SCAN, (start, end)))

            return list_by_seeking(scan, prefix)

    def _pages(self, statement: str, prefix: str) -> Iterator[list[Any]]:
        """Yield rows of a range of keys; between pages nothing is held, so a listing may take its time."""
        last, end = prefix.encode(), _end(prefix)
        while True:
            with self._file.connection("list", prefix) as connection:
                page = connection.execute(statement, (last, end, _PAGE)).fetchall()
            if not page:
                return
            yield page
            last = page[-1][0]


def open_sqlite(url: str, mode: Mode, options: Options) -> SQLiteStore:
    """Open `sqlite:///absolute/path` or `sqlite://relative/path`.

    Raises
    ------
    StoreError
        As `SQLiteStore` does, and where an option is not `timeout`, `fsync` or `wal`.
    """
    given = take_options(url, options, _OPTIONS)
    return SQLiteStore(path_of(url), read_only=mode == "r", create=mode not in MUST_EXIST, **given)


def _end(prefix: str) -> str | bytes:
    """Return what all keys below a prefix lie before: a text, or a blob, which all texts lie before."""
    return end_of(prefix).decode() if prefix else b""


def _bound(value: Buffer) -> bytes | memoryview:
    """Return a value as SQLite takes it, to which an empty view is NULL."""
    if type(value) is bytes:
        return value
    return flat(value) or b""


def _made(path: str, terms: Terms) -> SQLiteStore:
    return SQLiteStore(
        path,
        timeout=terms.timeout,
        fsync=terms.fsync,
        wal=terms.wal,
        read_only=terms.read_only,
        create=terms.create,
    )
