"""An SQLite file and the connections of this process to it."""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from omnizarr.errors import ReadOnlyError, StoreError, StoreNotFoundError
from omnizarr.store.databases import sqlite_table as table
from omnizarr.store.databases.gate import Database
from omnizarr.store.databases.held import HeldReader
from omnizarr.store.directories.failure import failure

_WAL_PATIENCE = 5.0
_SETTINGS = (
    "PRAGMA trusted_schema = OFF",  # of a schema that somebody else wrote nothing is run
    "PRAGMA cell_size_check = ON",
    "PRAGMA journal_size_limit = 67108864",
)
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


@dataclass(frozen=True, slots=True)
class Terms:
    """How a file is opened."""

    read_only: bool
    create: bool
    timeout: float
    fsync: bool
    wal: bool


class SQLiteFile(Database):
    """One file, and connections that operations take and give back; each serves one thread at a time."""

    def __init__(self, path: str, name: str, terms: Terms) -> None:
        super().__init__(name)
        self.path = path
        self.wal = False
        self.closed = False
        self._terms = terms
        self._idle: list[sqlite3.Connection] = []
        self._writer = threading.Lock()
        self._unchanging: tuple[int, ...] | None = None
        self._place: tuple[int, int] | None = None
        self._prepare()

    @contextmanager
    def connection(self, action: str, key: str | None = None) -> Iterator[sqlite3.Connection]:
        """Lend a connection; what fails becomes a `StoreError`, and what it left undone is undone."""
        with self.gate, self.failing(action, key):
            connection = self._take()
            try:
                yield connection
            finally:
                self._give(connection)

    @contextmanager
    def writing(self, action: str, key: str | None = None) -> Iterator[sqlite3.Connection]:
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
        except (sqlite3.Error, OverflowError) as error:
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

    def _take(self) -> sqlite3.Connection:
        self.require_untangled()
        if self.closed:
            raise StoreError("cannot be used: it was closed", store=self.name)
        if self._unchanging is not None and self._unchanging != self._look():
            self.close_files()
        try:
            return self._idle.pop()
        except IndexError:
            return self._connect()

    def _give(self, connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            connection.rollback()
        changed = self._unchanging is not None and self._unchanging != self._look()
        if self.closed or changed:
            connection.close()
        else:
            self._idle.append(connection)
        if changed:
            raise StoreError("cannot read: another process changed the file meanwhile", store=self.name)

    def _connect(self) -> sqlite3.Connection:
        """Open the file that the store was made for."""
        found = self._look()
        if found is None or (self._place is not None and found[:2] != self._place):
            what = "it was removed" if found is None else "another file took its place"
            raise StoreError(f"cannot open: {what} since the store was made", store=self.name)
        self._unchanging = None
        connection = self._open("rw" if self._may_write() else "ro")
        try:
            self._agree(connection)
        except sqlite3.OperationalError as error:
            connection.close()
            if not self._may_be_immutable(error):
                raise
            self._unchanging = found
            connection = self._open("ro&immutable=1")
            self._agree(connection)
        return connection

    def _may_write(self) -> bool:
        """Say whether SQLite may; also where it only reads: it then leaves no log behind."""
        return all(os.access(place, os.W_OK) for place in (self.path, os.path.dirname(self.path)))

    def _open(self, mode: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{Path(self.path).as_uri()}?mode={mode}",
            uri=True,
            timeout=self._terms.timeout,
            isolation_level=None,
            check_same_thread=False,  # one at a time has it
        )
        connection.text_factory = bytes
        return connection

    def _agree(self, connection: sqlite3.Connection) -> None:
        """Make the settings of a connection; the first that reads the file."""
        for setting in _SETTINGS:
            connection.execute(setting)
        if self._terms.read_only:
            connection.execute("PRAGMA query_only = ON")
        mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        self.wal = mode == b"wal"
        # With a write-ahead log NORMAL keeps the file whole after a loss of power, without one it may not.
        full = self._terms.fsync or not self.wal
        connection.execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")

    def _may_be_immutable(self, error: sqlite3.OperationalError) -> bool:
        """Say whether a file cannot be read only because no log can be made beside it, and needs none."""
        code = error.sqlite_errorcode & 0xFF
        logs = (f"{self.path}-wal", f"{self.path}-journal")
        return (
            self._terms.read_only
            and code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
            and not any(os.path.exists(log) and os.path.getsize(log) for log in logs)
        )

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

    def _snapshot(self, connection: sqlite3.Connection, key: str) -> BlobSnapshot | None:
        connection.execute("BEGIN")
        found = connection.execute(table.PLACE, (key,)).fetchone()
        if found is None:
            return None
        require_blob(found[0], self.name, key)
        blob = connection.blobopen("zarr", "v", found[2], readonly=True)
        return BlobSnapshot(self, connection, blob, found[1])

    # The file

    def _prepare(self) -> None:
        """Make the file and its table where they may be made, and check them."""
        terms = self._terms
        with self.failing("open", None):
            if self._look() is None:
                self._make()
            self._check_access()
            found = self._look()
            self._place = None if found is None else (found[0], found[1])
            connection = self._connect()
            try:
                if not terms.read_only and not table.is_there(connection):
                    connection.execute(table.PAGE)
                if terms.wal and not terms.read_only:
                    self._use_wal(connection)
                self._check_table(connection)
            except BaseException:
                connection.close()
                raise
            self._give(connection)

    def _make(self) -> None:
        if self._terms.read_only or not self._terms.create:
            raise StoreNotFoundError("there is no such file", store=self.name)
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            with suppress(FileExistsError):  # another process made it just now
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
        except OSError as error:
            raise failure("write", error, store=self.name, key=None) from error

    def _check_access(self) -> None:
        if os.path.isdir(self.path):
            raise StoreError("expected a file, found a directory", store=self.name, errno=errno.EISDIR)
        if not os.access(self.path, os.R_OK):
            raise StoreError("cannot read the file: permission denied", store=self.name, errno=errno.EACCES)
        if not self._terms.read_only and not os.access(self.path, os.W_OK):
            raise ReadOnlyError("cannot write: permission denied", store=self.name, errno=errno.EACCES)

    def _use_wal(self, connection: sqlite3.Connection) -> None:
        """Have readers and a writer at the same time; not where others keep the file in its old mode."""
        until = time.monotonic() + min(_WAL_PATIENCE, self._terms.timeout)
        while not self.wal:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.01)
            self._agree(connection)

    def _check_table(self, connection: sqlite3.Connection) -> None:
        if not table.is_there(connection):
            if self._terms.read_only or not self._terms.create:
                raise StoreNotFoundError("the database has no table zarr", store=self.name)
            connection.execute(table.CREATE)
        if (fault := table.fault(connection)) is not None:
            raise StoreError(f"cannot open: {fault}", store=self.name)


class BlobSnapshot:
    """A value in a transaction that has a connection of its own."""

    def __init__(
        self, file: SQLiteFile, connection: sqlite3.Connection, blob: sqlite3.Blob, size: int
    ) -> None:
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


def require_blob(kind: bytes, name: str, key: str) -> None:
    """Refuse a value that is not bytes."""
    if kind != b"blob":
        message = f"cannot read: expected a value of type blob, found {kind.decode()}"
        raise StoreError(message, store=name, key=key)
