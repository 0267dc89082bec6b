"""The memory store."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from omnizarr.store import MemoryStore, Store
from omnizarr.testing.store import StoreContract


class TestMemoryStore(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return MemoryStore()


def test_a_dict_is_used_as_it_is() -> None:
    values = {"a": b"1", "../b": b"2", "c": bytearray(b"3")}
    store = MemoryStore(values)
    store.set("d", b"4")
    assert values["d"] == b"4"
    assert sorted(store.list_prefix()) == ["a", "c", "d"]
    assert store.get("c") == b"3"
    assert type(store.get("c")) is bytes


@pytest.mark.parametrize("make_copy", [copy.copy, copy.deepcopy])
def test_a_copy_stands_alone(make_copy) -> None:
    store = MemoryStore()
    store.set("a", b"1")
    other = make_copy(store)
    other.set("a", b"2")
    store.set("b", b"3")
    assert (store.get("a"), other.get("a"), other.get("b")) == (b"1", b"2", None)


@pytest.mark.parametrize("value", [5, "text", None])
def test_only_buffers_are_values(value) -> None:
    store = MemoryStore()
    with pytest.raises(TypeError):
        store.set("a", value)
    assert store.get("a") is None


def test_it_lists_cheaply() -> None:
    assert MemoryStore.lists_cheaply
