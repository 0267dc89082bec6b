"""What is wrong with a store itself, where it can tell cheaply."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from omnizarr.hierarchy.validating.findings import Findings
from omnizarr.store.base import Store
from omnizarr.store.databases.sqlite import SQLiteStore
from omnizarr.store.directories.directory import DirectoryStore
from omnizarr.store.directories.draft import is_draft, is_held
from omnizarr.store.layers.wrap import WrappedStore
from omnizarr.store.zips.zip import ZipStore

# SQLite tells so many faults, and then stops.
_MOST = 100


def check_store(store: Store, *, data: bool, findings: Findings) -> None:
    """Tell of entries that an archive has twice, and, with `data`, of damage to a database."""
    inner = innermost(store)
    if isinstance(inner, ZipStore):
        for name, count in _entries_twice(inner.path):
            findings.add("store", "", name, f"is in the archive {count} times, of which the last one counts")
    elif data and isinstance(inner, SQLiteStore):
        for message in _faults_of_database(inner.path):
            findings.add("store", "", "", f"SQLite: {message}")


def drafts_below(store: Store, prefix: str) -> Iterator[str]:
    """Yield, relative to a directory store's root, the files that writers who were killed left behind.

    Those that a writer holds are none of them; nor has any other store such files.
    """
    inner = innermost(store)
    if not isinstance(inner, DirectoryStore):
        return
    root = Path(inner.root)
    for directory, _, names in os.walk(root / prefix):
        for name in filter(is_draft, names):
            path = Path(directory) / name
            if not is_held(str(path)):
                yield path.relative_to(root).as_posix()


def draft_path(store: Store, key: str) -> str | None:
    """Return the file that `drafts_below` yielded, or None where the store has no files."""
    inner = innermost(store)
    return str(Path(inner.root) / key) if isinstance(inner, DirectoryStore) else None


def innermost(store: Store) -> Store:
    """Return the store that a wrapper passes operations on to."""
    while isinstance(store, WrappedStore):
        store = store.inner
    return store


def _entries_twice(path: str) -> Iterator[tuple[str, int]]:
    with suppress(OSError, BadZipFile), ZipFile(path) as archive:
        counts = Counter(info.filename for info in archive.infolist() if not info.is_dir())
        yield from ((name, count) for name, count in counts.items() if count > 1)


def _faults_of_database(path: str) -> Iterator[str]:
    uri = Path(path).as_uri() + "?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            told = [row[0] for row in connection.execute(f"PRAGMA integrity_check({_MOST})")]
    except sqlite3.Error as error:
        told = [str(error)]
    yield from (message for message in told if message != "ok")
