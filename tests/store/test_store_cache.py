"""The store that keeps what it has read."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import omnizarr
from omnizarr.store import CachedStore, CountingStore, DirectoryStore, Last, MemoryStore, Span, Store
from omnizarr.testing.store import StoreContract


class TestCachedStore(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return CachedStore(DirectoryStore(tmp_path / "store"), 1000)


def cached(max_bytes: int = 100) -> tuple[CachedStore, CountingStore]:
    inner = CountingStore(MemoryStore())
    for key in "abc":
        inner.set(key, key.encode() * 40)
    inner.reset()
    return CachedStore(inner, max_bytes), inner


def test_a_value_is_asked_for_once() -> None:
    store, inner = cached()
    for _ in range(3):
        assert store.get("a") == b"a" * 40
        assert store.get("a", Span(38, 9)) == b"aa"
        assert store.get("a", Last(1)) == b"a"
        assert store.get_ranges("a", [(0, 2), (39, 2)]) == [b"aa", b"a"]
        assert store.get_into("a", memoryview(bytearray(50))) == 40
        assert (store.size("a"), store.exists("a")) == (40, True)
        with store.reading("a") as reader:
            assert reader is not None
            assert reader.get() == b"a" * 40
    assert inner.counts == {"get": 1}


def test_the_values_used_last_are_kept() -> None:
    store, inner = cached()
    for key in "abacab":
        store.get(key)
    assert inner.counts == {"get": 4}
    assert store.size_kept == 80
    big, inner = cached(10)
    big.get("a")
    assert big.size_kept == 0


def test_the_setting_says_how_much_is_kept() -> None:
    with omnizarr.config.using(cache_bytes=7):
        assert CachedStore(MemoryStore()).max_bytes == 7


def test_what_is_written_is_seen() -> None:
    store, _ = cached()
    store.get("a")
    store.set("a", b"1")
    assert store.get("a") == b"1"
    store.update("a", lambda old: (old or b"") + b"2")
    assert store.get("a") == b"12"
    store.delete("a")
    assert store.get("a") is None
    assert store.set_if_absent("a", b"3")
    assert store.get("a") == b"3"
    store.delete_prefix("")
    assert store.get("a") is None


def test_what_others_write_is_seen_after_forgetting() -> None:
    store, inner = cached()
    store.get("a")
    inner.set("a", b"new")
    assert store.get("a") == b"a" * 40
    store.forget("a")
    assert store.get("a") == b"new"


def test_no_old_value_comes_back_while_threads_write() -> None:
    store = CachedStore(MemoryStore(), 1000)
    store.set("k", b"0")

    def write(first: int) -> None:
        for i in range(first, 2000, 4):
            store.update("k", lambda old, i=i: b"%d" % max(int(old or b"0"), i))

    def read() -> None:
        last = 0
        for _ in range(2000):
            value = int(store.get("k") or b"0")
            assert value >= last
            last = value

    with ThreadPoolExecutor(6) as pool:
        for future in [*(pool.submit(write, i) for i in range(4)), pool.submit(read), pool.submit(read)]:
            future.result()
    assert store.get("k") == b"1999"


def test_an_array_in_a_cached_store(tmp_path: Path) -> None:
    inner = CountingStore(DirectoryStore(tmp_path / "a"))
    array = omnizarr.create_array(CachedStore(inner), shape=(100,), chunks=(10,), dtype="i4", shards=(50,))
    array[:] = np.arange(100)
    array[:]
    inner.reset()
    np.testing.assert_array_equal(array[:], np.arange(100))
    np.testing.assert_array_equal(array[3:95:7], np.arange(100)[3:95:7])
    assert sum(inner.counts.values()) == 0
