"""Stores around stores."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnizarr.errors import ReadOnlyError, StoreError
from omnizarr.store import CountingStore, DirectoryStore, FaultStore, MemoryStore, ReadOnlyStore, Span, Store
from omnizarr.store.layers.wrap import WrappedStore
from omnizarr.testing.store import StoreContract


class TestWrappedStore(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return WrappedStore(MemoryStore())


class TestCountingStore(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return CountingStore(DirectoryStore(tmp_path / "d"))


class TestFaultStore(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return FaultStore(MemoryStore(), ())


def run_everything(store: Store) -> None:
    store.set("a", b"12345")
    store.set_if_absent("a", b"lost")
    store.set_if_absent("b", b"12")
    store.update("a", lambda old: old + b"678")
    store.get("a")
    store.get("missing")
    store.get_into("a", memoryview(bytearray(3)))
    store.get_ranges("a", [(0, 2), (1, 2)])
    with store.reading("a") as reader:
        reader.get()
        reader.get_into(memoryview(bytearray(3)))
        reader.get_ranges([(0, 1)])
    store.size("a")
    store.exists("a")
    store.facts("a")
    list(store.list_prefix())
    store.list_dir()
    store.delete("a")
    store.delete_prefix("")


def test_operations_and_bytes_are_counted() -> None:
    store = CountingStore(MemoryStore())
    run_everything(store)
    once = {
        "set": 1, "update": 1, "get_into": 2, "get_ranges": 2, "reading": 1,
        "size": 1, "exists": 1, "facts": 1, "list_prefix": 1,
        "list_dir": 1, "delete": 1, "delete_prefix": 1,
    }  # fmt: skip
    assert store.counts == {**once, "set_if_absent": 2, "get": 3}
    assert store.bytes_written == 5 + 2 + 8
    assert store.bytes_read == 5 + 8 + 3 + 4 + 8 + 3 + 1
    store.reset()
    assert (store.counts, store.bytes_read, store.bytes_written) == ({}, 0, 0)


def test_a_listing_counts_when_it_is_asked_for() -> None:
    store = CountingStore(MemoryStore())
    store.list_prefix()
    assert store.counts["list_prefix"] == 1


def test_faults_come_where_the_callable_says() -> None:
    seen = []

    def fault(operation: str, key: str) -> Exception | None:
        seen.append(operation)
        return StoreError("the network is down", key=key) if (operation, key) == ("get", "b") else None

    store = FaultStore(MemoryStore(), fault)
    store.set("a", b"1")
    assert store.get("a") == b"1"
    with pytest.raises(StoreError, match=r"network is down.*'b'"):
        store.get("b", Span(0, 1))
    assert seen == ["set", "get", "get"]


def test_every_operation_can_fail() -> None:
    operations: list[str] = []
    inner = MemoryStore()
    run_everything(FaultStore(inner, lambda operation, key: operations.append(operation)))
    public = {name for name in vars(Store) if not name.startswith("_")}
    assert set(operations) == public - {
        "name", "requests", "lists_cheaply", "read_only", "mapping", "require_writable", "close", "identity",
        "get_buffer", "list_sizes", "delete_many", "deletes_at_once", "listed_at_once",  # made of others
    }  # fmt: skip


def test_faults_come_in_turn() -> None:
    store = FaultStore(MemoryStore(), [None, TimeoutError("slow"), None])
    store.set("a", b"1")
    with pytest.raises(TimeoutError):
        store.set("a", b"2")
    store.set("a", b"3")
    store.set("a", b"4")
    assert store.inner.get("a") == b"4"


def test_wrappers_have_the_attributes_of_what_they_wrap() -> None:
    inner = MemoryStore(name="memory://me")
    inner.requests = 7
    for wrapped in (WrappedStore(inner), CountingStore(inner), FaultStore(inner, ()), ReadOnlyStore(inner)):
        assert (wrapped.name, wrapped.requests, wrapped.lists_cheaply) == ("memory://me", 7, True)
    assert CountingStore(ReadOnlyStore(inner)).read_only
    with pytest.raises(ReadOnlyError, match=r"memory://me.*'k'"):
        CountingStore(ReadOnlyStore(inner)).set("k", b"")


def test_closing_closes_what_is_wrapped() -> None:
    closed = []

    class Closing(MemoryStore):
        def close(self) -> None:
            closed.append(True)

    with CountingStore(ReadOnlyStore(Closing())):
        pass
    assert closed == [True]
