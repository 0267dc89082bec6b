"""Whether each kind of store that can be had on this machine keeps values, and lets go of them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from omnizarr.cli.diagnosis.findings import Finding, one_line, tried
from omnizarr.store.base import Span, Store
from omnizarr.store.memory import MemoryStore
from omnizarr.store.urls.open import open_store

ABOUT = "stores"
_VALUE = bytes(range(256)) * 40


def stores() -> Iterator[Finding]:
    """Yield whether each kind works, in a temporary folder; a client of object stores on one as well."""
    with tempfile.TemporaryDirectory(prefix="omnizarr-doctor-") as folder:
        for name, make in _kinds(Path(folder)).items():
            yield _tried(name, make)


def _kinds(folder: Path) -> dict[str, Callable[[], Store]]:
    places = {
        "directory": f"{folder}/directory",
        "zip": f"{folder}/archive.zip",
        "sqlite": f"sqlite://{folder}/values.sqlite",
        "lmdb": f"lmdb://{folder}/values.lmdb",
        "fsspec": f"dir::file://{folder}",
    }
    found: dict[str, Callable[[], Store]] = {"memory": MemoryStore}
    for name, place in places.items():
        found[name] = lambda place=place: open_store(place, mode="a")  # type: ignore[misc]
    return {**found, "object store clients": _client}


def _client() -> Store:
    """Make a client of S3 that asks nobody."""
    options = {"skip_signature": True, "region": "us-east-1", "endpoint": "http://127.0.0.1:9"}
    return open_store("s3://bucket/path", mode="r", storage_options={**options, "allow_http": True})


def _tried(name: str, make: Callable[[], Store]) -> Finding:
    def work() -> str:
        with make() as store:
            if store.read_only:
                return "obstore can be used; doctor URL tries a store"
            exercise(store, "omnizarr-doctor/a")
        return "reads, writes, lists and locks"

    found = tried(ABOUT, name, work)
    if found.level == "broken" and "pip install" in found.text:
        return Finding(ABOUT, name, "note", one_line(Exception(found.text)))
    return found


def exercise(store: Store, key: str) -> None:
    """Write, read, change, list and delete a key.

    Raises
    ------
    AssertionError
        The store returned something else than what was written.
    """
    other = f"{key}2"
    _expect(store.set_if_absent(key, b"first"), True, "a new key is set")
    _expect(store.set_if_absent(key, b"second"), False, "a key that is there is not set again")
    _expect(store.get(key), b"first", "what was written is read")
    store.set(key, _VALUE)
    _expect(store.get(key, Span(100, 300)), _VALUE[100:400], "a part of what was written is read")
    store.update(key, lambda old: (old or b"")[:10])
    _expect(store.get(key), _VALUE[:10], "a change of a value is seen")
    store.set(other, b"")
    above = key.rpartition("/")[0] + "/"
    _expect(sorted(store.list_prefix(above)), [key, other], "keys are listed")
    store.delete(key)
    store.delete(other)
    _expect(store.get(key), None, "a key that was deleted is gone")


def _expect(found: object, expected: object, what: str) -> None:
    if found != expected:
        raise AssertionError(f"expected that {what}, found another result")
