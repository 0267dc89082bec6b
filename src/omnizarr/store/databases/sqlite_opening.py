"""How an SQLite file is made, opened and checked."""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from omnizarr.errors import ReadOnlyError, StoreError, StoreNotFoundError
from omnizarr.store.databases import sqlite_table as table
from omnizarr.store.directories.failure import failure

_WAL_PATIENCE = 5.0
_SETTINGS = (
    "PRAGMA trusted_schema = OFF",  # of a schema that somebody else wrote nothing is run
    "PRAGMA cell_size_check = ON",
    "PRAGMA journal_size_limit = 67108864",
)


@dataclass(frozen=True, slots=True)
class Terms:
    """How a file is opened."""

    read_only: bool
    create: bool
    timeout: float
    fsync: bool
    wal: bool


class Connection(sqlite3.Connection):
    """A connection that knows which log it writes to, once there is one."""

    log: tuple[int, ...] | None = None


def connect(path: str, mode: str, terms: Terms) -> Connection:
    """Return a new connection, which gives texts as bytes and begins no transactions by itself."""
    connection: Connection = sqlite3.connect(
        f"{Path(path).as_uri()}?mode={mode}",
        uri=True,
        timeout=terms.timeout,
        isolation_level=None,
        check_same_thread=False,  # one at a time has it
        factory=Connection,
    )
    connection.text_factory = bytes
    return connection


def settle(connection: Connection, terms: Terms) -> bool:
    """Make the settings of a connection, which is the first that reads the file; say whether it has a WAL."""
    for setting in _SETTINGS:
        connection.execute(setting)
    if terms.read_only:
        connection.execute("PRAGMA query_only = ON")
    wal = bool(connection.execute("PRAGMA journal_mode").fetchone()[0] == b"wal")
    # With a write-ahead log NORMAL keeps the file whole after a loss of power, without one it may not.
    connection.execute(f"PRAGMA synchronous = {'FULL' if terms.fsync or not wal else 'NORMAL'}")
    return wal


def may_write(path: str) -> bool:
    """Say whether SQLite may; also where it only reads: it then leaves no log behind."""
    return all(os.access(place, os.W_OK) for place in (path, os.path.dirname(path)))


def may_be_immutable(path: str, terms: Terms, error: sqlite3.OperationalError) -> bool:
    """Say whether a file cannot be read only because no log can be made beside it, and needs none."""
    code = error.sqlite_errorcode & 0xFF
    logs = (f"{path}-wal", f"{path}-journal")
    return (
        terms.read_only
        and code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        and not any(os.path.exists(log) and os.path.getsize(log) for log in logs)
    )


def make_file(path: str, name: str, terms: Terms) -> None:
    """Make an empty file, which is an empty database, where it may be made."""
    if terms.read_only or not terms.create:
        raise StoreNotFoundError("there is no such file", store=name)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with suppress(FileExistsError):  # another process made it just now
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
    except OSError as error:
        raise failure("write", error, store=name, key=None) from error


def check_access(path: str, name: str, terms: Terms) -> None:
    """See that there is a file that may be used as the terms say."""
    if os.path.isdir(path):
        raise StoreError("expected a file, found a directory", store=name, errno=errno.EISDIR)
    if not os.access(path, os.R_OK):
        raise StoreError("cannot read the file: permission denied", store=name, errno=errno.EACCES)
    if not terms.read_only and not os.access(path, os.W_OK):
        raise ReadOnlyError("cannot write: permission denied", store=name, errno=errno.EACCES)


def prepare(connection: Connection, name: str, terms: Terms) -> None:
    """Turn a file to a write-ahead log, and make its table or check it."""
    there = table.is_there(connection)
    if not there and (terms.read_only or not terms.create):
        raise StoreNotFoundError("the database has no table zarr", store=name)
    if not there:
        connection.execute(table.PAGE)
    if terms.wal and not terms.read_only:
        _use_wal(connection, terms)
    if not there:
        connection.execute(table.CREATE)
    if (fault := table.fault(connection)) is not None:
        raise StoreError(f"cannot open: {fault}", store=name)


def _use_wal(connection: Connection, terms: Terms) -> None:
    """Have readers and a writer at the same time; not where others keep the file in its old mode."""
    until = time.monotonic() + min(_WAL_PATIENCE, terms.timeout)
    while not settle(connection, terms):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            if time.monotonic() > until:
                return
            time.sleep(0.01)
