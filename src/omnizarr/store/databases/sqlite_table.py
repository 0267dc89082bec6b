"""The table of an SQLite database that holds the values: the one that zarr-python 2 made.

https://zarr.readthedocs.io/en/v2.18.4/api/storage.html#zarr.storage.SQLiteStore
"""

from __future__ import annotations

import sqlite3

CREATE = "CREATE TABLE IF NOT EXISTS zarr(k TEXT PRIMARY KEY, v BLOB)"
# 64 values of 1 MiB are read in 40 ms, with pages of 4 KiB in 150, of 64 KiB in 100.
PAGE = "PRAGMA page_size = 16384"

GET = "SELECT typeof(v), v FROM zarr WHERE k = ?"
EXISTS = "SELECT 1 FROM zarr WHERE k = ?"
SIZE = "SELECT typeof(v), length(v) FROM zarr WHERE k = ?"
PLACE = "SELECT typeof(v), length(v), rowid FROM zarr WHERE k = ?"
PEEK = "SELECT typeof(v), length(v), CASE WHEN length(v) <= 65536 THEN v END FROM zarr WHERE k = ?"

SET = "INSERT INTO zarr (k, v) VALUES (?1, ?2) ON CONFLICT (k) DO UPDATE SET v = excluded.v"
SET_NEW = "INSERT INTO zarr (k, v) VALUES (?1, ?2) ON CONFLICT (k) DO NOTHING"
SET_SAME = "UPDATE zarr SET v = ?2 WHERE k = ?1 AND v = ?3"
DELETE = "DELETE FROM zarr WHERE k = ?"
DELETE_SAME = "DELETE FROM zarr WHERE k = ? AND v = ?"
DELETE_RANGE = "DELETE FROM zarr WHERE k > ? AND k < ?"

# Keys are bound as bytes, so that those which are no UTF-8 can be passed over.
SCAN = "SELECT k FROM zarr WHERE k >= CAST(? AS TEXT) AND k < ? ORDER BY k"
KEYS = "SELECT k FROM zarr WHERE k > CAST(? AS TEXT) AND k < ? ORDER BY k LIMIT ?"
SIZES = "SELECT k, length(v) FROM zarr WHERE k > CAST(? AS TEXT) AND k < ? ORDER BY k LIMIT ?"


def is_there(connection: sqlite3.Connection) -> bool:
    """Say whether there is anything of the table's name."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'zarr' COLLATE NOCASE LIMIT 1")
    return found.fetchone() is not None


def fault(connection: sqlite3.Connection) -> str | None:
    """Say what is wrong with the table, or return None; the connection gives texts as bytes."""
    kind, sql = _one(connection, "SELECT type, sql FROM sqlite_master WHERE name = 'zarr' COLLATE NOCASE")
    if kind != "table":
        return f"expected a table zarr, found a {kind}"
    columns = [
        (column[1].decode(), column[2].decode().upper(), bool(column[5]))
        for column in connection.execute("PRAGMA table_info(zarr)")
    ]
    if columns != [("k", "TEXT", True), ("v", "BLOB", False)] or _without_rowid(connection):
        return f"expected the table zarr(k TEXT PRIMARY KEY, v BLOB), found {sql}"
    (order,) = _one(connection, "SELECT coll FROM pragma_index_xinfo('sqlite_autoindex_zarr_1') WHERE key")
    if order != "BINARY":
        return f"expected keys in the order BINARY, found {order}"
    trigger = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' LIMIT 1").fetchone()
    if trigger is not None:
        return f"expected no trigger, found {trigger[0].decode()}"
    (encoding,) = _one(connection, "PRAGMA encoding")
    return None if encoding == "UTF-8" else f"expected the encoding UTF-8, found {encoding}"


def _one(connection: sqlite3.Connection, statement: str) -> list[str]:
    return [value.decode() for value in connection.execute(statement).fetchone()]


def _without_rowid(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("SELECT rowid FROM zarr LIMIT 0")
    except sqlite3.OperationalError:
        return True
    return False
