"""An SQLite file and the connections of this process to it."""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from omnizarr.errors import ReadOnlyError, StoreError
from omnizarr.store.databases import sqlite_table as table
from omnizarr.store.databases.gate import Database, databases
from omnizarr.store.databases.held import HeldReader
from omnizarr.store.databases.sqlite_opening import (
    Connection,
    Terms,
    check_access,
    connect,
    make_file,
    may_be_immutable,
    may_write,
    prepare,
    settle,
)
from omnizarr.store.directories.failure import failure

_MEANINGS = {
    sqlite3.SQLITE_BUSY: ("another process keeps the database locked", errno.EBUSY),
    sqlite3.SQLITE_LOCKED: ("another connection keeps the table locked", errno.EBUSY),
    sqlite3.SQLITE_NOTADB: ("this is no SQLite database", None),
    sqlite3.SQLITE_CORRUPT: ("the database is damaged", None),
    sqlite3.SQLITE_FULL: ("the disk or the database is full", errno.ENOSPC),
    sqlite3.SQLITE_READONLY: ("the file or its directory is for reading only", errno.EACCES),
    sqlite3.SQLITE_CANTOPEN: ("the file cannot be opened", None),
    sqlite3.SQLITE_IOERR: ("the file system failed", errno.EIO),
}


class SQLiteFile(Database):
    """One file, and connections that operations take and give back; each serves one thread at a time."""

    def __init__(self, path: str, name: str, terms: Terms) -> None:
        self.path = path
        self.wal = False
        self.closed = False
        self._place: tuple[int, int] | None = None
        self._terms = terms
        self._idle: list[Connection] = []
        self._writer = threading.Lock()
        self._unchanging: tuple[int, ...] | None = None
        super().__init__(name)  # from here on forks close it
        self._prepare()

    @contextmanager
    def connection(self, action: str, key: str | None = None) -> Iterator[Connection]:
        """Lend a connection; what fails becomes a `StoreError`, and what it left undone is undone."""
        with self.gate, self.failing(action, key):
            connection = self._take()
            try:
                yield connection
            finally:
                self._give(connection)

    @contextmanager
    def writing(self, action: str, key: str | None = None) -> Iterator[Connection]:
        """Lend a connection to one thread at a time: SQLite would have the others look again and again."""
        with self.gate:  # first, so that no fork finds the lock taken
            if not self._writer.acquire(timeout=self._terms.timeout):
                message = f"cannot {action}: another thread keeps the database locked"
                raise StoreError(f"{message} ({self._waited})", store=self.name, key=key, errno=errno.EBUSY)
            try:
                with self.connection(action, key) as connection:
                    yield connection
            finally:
                self._writer.release()

    def hold(self, key: str) -> HeldReader | None:
        """Return a reader of the value as it is now; it must be closed."""
        with self.gate, self.failing("read", key):
            connection = self._take()
            try:
                snapshot = self._snapshot(connection, key)
            except BaseException:
                self._give(connection)
                raise
            if snapshot is None:
                self._give(connection)
                return None
            reader = HeldReader(snapshot, lambda: self.failing("read", key))
            self.held.add(reader)
            return reader

    def let_go(self, reader: HeldReader) -> None:
        """Close what `hold` returned."""
        reader.close()
        self.held.discard(reader)

    def close(self) -> None:
        """Close all connections; those that are in use when they are given back."""
        self.closed = True
        if not self.tangled:
            self.release_readers()
            self.close_files()

    def close_files(self) -> None:
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def failing(self, action: str, key: str | None) -> Iterator[None]:
        """Turn what SQLite says into errors that name the store and the key."""
        try:
            yield
        except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
            # The last: what it quotes of a damaged file is no text.
            raise self._failure(action, error, key) from error

    def _failure(self, action: str, error: Exception, key: str | None) -> StoreError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        meaning, number = _MEANINGS.get(code, (None, None))
        if code == sqlite3.SQLITE_BUSY:
            meaning = f"{meaning} ({self._waited})"
        reason = f"{meaning}: {error}" if meaning else str(error)
        kind = ReadOnlyError if code == sqlite3.SQLITE_READONLY and action != "read" else StoreError
        return kind(f"cannot {action}: {reason}", store=self.name, key=key, errno=number)

    @property
    def _waited(self) -> str:
        return f"waited {self._terms.timeout:g} s"

    # Connections

    def _take(self) -> Connection:
        self.require_untangled()
        if self.closed:
            raise StoreError("cannot be used: it was closed", store=self.name)
        if self._unchanging is not None and self._unchanging != self._look():
            self.close_files()
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return self._connect()
            if connection.log in (None, self._look_at_log()):
                return connection
            connection.close()

    def _give(self, connection: Connection) -> None:
        if connection.in_transaction:
            connection.rollback()
        changed = self._unchanging is not None and self._unchanging != self._look()
        log = self._look_at_log()
        lost = connection.log not in (None, log)
        connection.log = log
        if self.closed or changed or lost:
            connection.close()
        else:
            self._idle.append(connection)
        if changed:
            raise StoreError("cannot read: another process changed the file meanwhile", store=self.name)
        if lost:
            message = "what was written may be lost: another process removed the log in use"
            hint = "this process opened and closed the file by other means than SQLite, which unlocks it"
            raise StoreError(f"{message}; {hint}", store=self.name)

    def _connect(self) -> Connection:
        """Open the file that the store was made for."""
        found = self._look()
        if found is None or (self._place is not None and found[:2] != self._place):
            what = "it was removed" if found is None else "another file took its place"
            raise StoreError(f"cannot open: {what} since the store was made", store=self.name)
        self._unchanging = None
        try:
            return self._settled("rw" if may_write(self.path) else "ro")
        except sqlite3.OperationalError as error:
            if not may_be_immutable(self.path, self._terms, error):
                raise
        self._unchanging = found
        return self._settled("ro&immutable=1")

    def _settled(self, mode: str) -> Connection:
        connection = connect(self.path, mode, self._terms)
        try:
            self.wal = settle(connection, self._terms)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self) -> None:
        """Make the file and its table where they may be made, and check them."""
        with self.failing("open", None):
            if self._look() is None:
                make_file(self.path, self.name, self._terms)
            check_access(self.path, self.name, self._terms)
            found = self._look()
            self._place = None if found is None else (found[0], found[1])
            connection = self._connect()
            try:
                prepare(connection, self.name, self._terms)
                self.wal = settle(connection, self._terms)
            except BaseException:
                connection.close()
                raise
            self._give(connection)

    def _look(self) -> tuple[int, ...] | None:
        """Return which file is there and what tells that it changed; the file itself must not be opened.

        Closing it would take away the locks that SQLite holds.
        """
        try:
            found = os.stat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise failure("open", error, store=self.name, key=None) from error
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def _look_at_log(self) -> tuple[int, ...] | None:
        try:
            found = os.stat(self.path + "-wal")
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def is_at(self, found: os.stat_result) -> bool:
        """Say whether a file is the one that is open."""
        return not self.closed and self._place == (found.st_dev, found.st_ino)

    def _snapshot(self, connection: Connection, key: str) -> BlobSnapshot | None:
        connection.execute("BEGIN")
        found = connection.execute(table.PLACE, (key,)).fetchone()
        if found is None:
            return None
        require_blob(found[0], self.name, key)
        blob = connection.blobopen("zarr", "v", found[2], readonly=True)
        return BlobSnapshot(self, connection, blob, found[1])


class BlobSnapshot:
    """A value in a transaction that has a connection of its own."""

    def __init__(self, file: SQLiteFile, connection: Connection, blob: sqlite3.Blob, size: int) -> None:
        self.size = size
        self._file = file
        self._connection = connection
        self._blob = blob

    def read(self, start: int, stop: int) -> bytes:
        """Return a part of the value."""
        return bytes(self._blob[start:stop]) if start < stop else b""

    def close(self) -> None:
        """End the transaction."""
        self._blob.close()
        self._file._give(self._connection)


def is_open(path: str) -> bool:
    """Say whether a store of this process has a file open.

    It must then not be opened by other means than SQLite, not for a look either: with it closes, by
    the rules of POSIX, every lock that SQLite has on it, and another process may remove the log.
    """
    try:
        found = os.stat(path)
    except OSError:
        return False
    return any(isinstance(file, SQLiteFile) and file.is_at(found) for file in databases())


def require_blob(kind: bytes, name: str, key: str) -> None:
    """Refuse a value that is not bytes."""
    if kind != b"blob":
        message = f"cannot read: expected a value of type blob, found {kind.decode()}"
        raise StoreError(message, store=name, key=key)
