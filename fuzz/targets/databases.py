"""Files that should be SQLite databases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from fuzz.files import file_of
from omnizarr.errors import OmniZarrError
from omnizarr.store import SQLiteStore


def seeds() -> Iterator[bytes]:
    """Yield a database with two values."""
    with file_of(b"", ".db") as path:
        path.unlink()
        store = SQLiteStore(path, wal=False)
        store.set("zarr.json", b"{}")
        store.set("c/0", bytes(10))
        store.close()
        yield path.read_bytes()


def run(data: bytes) -> None:
    """Open a file, and read what is in it."""
    with file_of(data, ".db") as path, suppress(OmniZarrError):
        store = SQLiteStore(path, read_only=True, timeout=0.1)
        try:
            for key in list(store.list_prefix("")):
                store.get(key)
        finally:
            store.close()
