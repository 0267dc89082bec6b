"""A store shown from a prefix on."""

from __future__ import annotations

from pathlib import Path

from omnizarr.store import DirectoryStore, MemoryStore, Store
from omnizarr.store.layers.below import BelowStore, unwrapped
from omnizarr.store.layers.wrap import CountingStore, ReadOnlyStore
from omnizarr.testing.store import StoreContract


class TestBelowStore(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        inner = MemoryStore()
        inner.set("beside", b"x")
        inner.set("a/bc/beside", b"y")
        return BelowStore(inner, "a/b")


class TestBelowADirectory(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return BelowStore(DirectoryStore(tmp_path / "store"), "deep/er")


def test_what_is_beside_the_prefix_is_not_shown_and_stays() -> None:
    inner = MemoryStore({"a/1": b"1", "ab/2": b"2", "3": b"3"})
    store = BelowStore(inner, "a")
    assert list(store.list_prefix()) == ["1"]
    assert store.list_dir("").keys == ["1"]
    store.delete_prefix("")
    assert sorted(inner.list_prefix()) == ["3", "ab/2"]


def test_requests_go_on_as_they_come() -> None:
    inner = CountingStore(MemoryStore({"a/b/c": b"1"}))
    store = BelowStore(inner, "a")
    assert store.list_dir("") == ([], ["b/"])
    assert dict(store.list_sizes("b/")) == {"b/c": 1}
    assert store.get("b/c") == b"1"
    assert inner.counts == {"list_dir": 1, "list_sizes": 1, "get": 1}


def test_names_and_prefixes_of_stores_in_stores() -> None:
    inner = MemoryStore()
    store = ReadOnlyStore(BelowStore(BelowStore(inner, "a"), "b/c"))
    assert unwrapped(store) == (inner, "a/b/c/")
    assert store.name == f"{inner.name}/a/b/c"
