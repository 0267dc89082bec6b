"""What every store must do; a store's tests derive from `StoreContract`.

>>> class TestMyStore(StoreContract):  # doctest: +SKIP
...     def make_store(self, tmp_path):
...         return MyStore(tmp_path)
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from omnizarr.errors import KeyNameError, OmniZarrError, ReadOnlyError
from omnizarr.store.base import ByteRange, From, Last, Listing, Span, Store
from omnizarr.store.wrap import ReadOnlyStore

BAD_KEYS = (
    "",
    "/",
    "/a",
    "a/",
    "a//b",
    ".",
    "..",
    "../a",
    "a/../b",
    "a/./b",
    "a/..",
    "a\0b",
    "a\nb",
    "a\x7f",
    "a\n",
    "\ud800",
    ".a.partial",
    "a/.b.partial",
    ".a.partial/b",
    "x" * 16384,
    None,
    5,
    b"a",
)
BAD_PREFIXES = ("a", "/", "a//", "../", "./", "a/b", "\0/", None)
UNICODE_KEYS = ("é", "温度/c/0", "a b/ü", "😀/zarr.json", "-_~!$&'()+,;=@[]{}^`%20#", "..a", "...", "a.")
VALUE = bytes(range(100))
RANGES: tuple[tuple[ByteRange, bytes], ...] = (
    (Span(0, 100), VALUE),
    (Span(10, 5), VALUE[10:15]),
    (Span(10, 0), b""),
    (Span(95, 50), VALUE[95:]),
    (Span(100, 5), b""),
    (Span(1000, 5), b""),
    (Span(2**63, 2**63), b""),
    (Span(3, 2**62), VALUE[3:]),
    (From(0), VALUE),
    (From(97), VALUE[97:]),
    (From(100), b""),
    (From(2**64), b""),
    (Last(0), b""),
    (Last(7), VALUE[-7:]),
    (Last(100), VALUE),
    (Last(2**64), VALUE),
)
NEGATIVE_RANGES = (Span(-1, 5), Span(5, -1), From(-1), Last(-1))
WRITERS = 8

T = TypeVar("T")


class StoreContract(ABC):
    """Tests that every store passes; `make_store` returns an empty one that may be written to."""

    @abstractmethod
    def make_store(self, tmp_path: Path) -> Store:
        """Return a new, empty, writable store."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        with self.make_store(tmp_path) as store:
            yield store

    # Values

    def test_a_value_comes_back(self, store: Store) -> None:
        store.set("a/b", VALUE)
        assert store.get("a/b") == VALUE
        assert type(store.get("a/b")) is bytes
        assert store.size("a/b") == 100
        assert store.exists("a/b")

    def test_a_missing_key_is_none(self, store: Store) -> None:
        store.set("a/b", VALUE)
        out = memoryview(bytearray(4))
        for key in ("a", "b", "a/c", "a/b/c", "ab"):
            assert store.get(key) is None
            assert store.get(key, Last(3)) is None
            assert store.get_into(key, out) is None
            assert store.get_ranges(key, [(0, 1)]) is None
            assert store.size(key) is None
            assert not store.exists(key)

    def test_a_value_is_replaced(self, store: Store) -> None:
        for value in (VALUE, b"short", b"", VALUE * 2):
            store.set("k", value)
            assert store.get("k") == value

    def test_an_empty_value_is_a_value(self, store: Store) -> None:
        store.set("empty", b"")
        assert store.get("empty") == b""
        assert store.size("empty") == 0
        assert store.exists("empty")
        assert store.get("empty", Last(3)) == b""
        assert store.get_into("empty", memoryview(bytearray(3))) == 0
        assert list(store.list_prefix()) == ["empty"]

    def test_what_was_set_is_a_copy(self, store: Store) -> None:
        value = bytearray(VALUE)
        store.set("k", value)
        value[:] = bytes(100)
        assert store.get("k") == VALUE

    def test_buffers_of_other_items_are_bytes(self, store: Store) -> None:
        store.set("k", memoryview(VALUE).cast("i"))
        assert store.get("k") == VALUE

    def test_a_large_value(self, store: Store) -> None:
        size = 100 * 2**20
        value = VALUE * (size // len(VALUE)) + b"end"
        store.set("large", value)
        assert store.size("large") == len(value)
        assert store.get("large") == value
        assert store.get("large", Last(3)) == b"end"
        assert store.get("large", Span(len(VALUE) * 10**6 + 5, 3)) == VALUE[5:8]

    @pytest.mark.parametrize("size", [2**16 - 1, 2**16, 2**16 + 1, 2**16 + 2, 2**20, 2**20 + 1])
    def test_values_about_the_sizes_of_buffers(self, store: Store, size: int) -> None:
        value = bytes(size - 1) + b"!"
        store.set("k", value)
        assert store.get("k") == value
        assert store.get("k", Span(0, size)) == value
        assert store.get("k", From(1)) == value[1:]

    def test_unicode_keys(self, store: Store) -> None:
        for key in UNICODE_KEYS:
            store.set(key, key.encode())
        assert sorted(store.list_prefix()) == sorted(UNICODE_KEYS)
        assert [store.get(key) for key in UNICODE_KEYS] == [key.encode() for key in UNICODE_KEYS]

    def test_names_of_255_bytes(self, store: Store) -> None:
        keys = ["x" * 255, "é" * 127, "d" * 255 + "/" + "y" * 255]
        for key in keys:
            store.set(key, b"1")
            store.update(key, lambda old: (old or b"") + b"2")
        assert sorted(store.list_prefix()) == sorted(keys)
        assert {store.get(key) for key in keys} == {b"12"}

    # Parts of values

    @pytest.mark.parametrize(("part", "expected"), RANGES)
    def test_ranges(self, store: Store, part: ByteRange, expected: bytes) -> None:
        store.set("k", VALUE)
        assert store.get("k", part) == expected

    @pytest.mark.parametrize("part", NEGATIVE_RANGES)
    def test_negative_ranges_are_refused(self, store: Store, part: ByteRange) -> None:
        store.set("k", VALUE)
        for key in ("k", "missing"):
            with pytest.raises(ValueError, match="-1"):
                store.get(key, part)

    @pytest.mark.parametrize("start", [0, 40, 99, 100, 1000, 2**64])
    @pytest.mark.parametrize("length", [0, 1, 59, 60, 61, 99, 100, 101, 300])
    def test_get_into(self, store: Store, start: int, length: int) -> None:
        store.set("k", VALUE)
        held = bytearray(b"\xff" * (length + 2))
        found = store.get_into("k", memoryview(held)[1:-1], start)
        there = VALUE[start : start + length]
        assert found is not None
        if len(VALUE) - start > length:
            assert found > length
        else:
            assert found == max(len(VALUE) - start, 0)
        assert bytes(held) == b"\xff" + there + b"\xff" * (length - len(there) + 1)

    def test_get_into_refuses_a_negative_start(self, store: Store) -> None:
        store.set("k", VALUE)
        with pytest.raises(ValueError, match="-1"):
            store.get_into("k", memoryview(bytearray(3)), -1)

    def test_get_ranges(self, store: Store) -> None:
        store.set("k", VALUE)
        spans = [(5, 3), (0, 100), (98, 10), (200, 1), (7, 0), (5, 3), (3, 2**62), (2**64, 9)]
        parts = [VALUE[start : start + length] for start, length in spans]
        assert store.get_ranges("k", spans) == parts
        assert store.get_ranges("k", []) == []

    @pytest.mark.parametrize("span", [(-1, 3), (3, -1)])
    def test_get_ranges_refuses_negative_numbers(self, store: Store, span: tuple[int, int]) -> None:
        store.set("k", VALUE)
        with pytest.raises(ValueError, match="-1"):
            store.get_ranges("k", [(0, 1), span])

    # Keys

    @pytest.mark.parametrize("key", BAD_KEYS, ids=lambda key: repr(key)[:20])
    def test_bad_keys_are_refused(self, store: Store, key: str) -> None:
        operations: tuple[Callable[[], object], ...] = (
            lambda: store.get(key),
            lambda: store.get_into(key, memoryview(bytearray(1))),
            lambda: store.get_ranges(key, [(0, 1)]),
            lambda: store.size(key),
            lambda: store.exists(key),
            lambda: store.set(key, b""),
            lambda: store.set_if_absent(key, b""),
            lambda: store.update(key, lambda old: b""),
            lambda: store.delete(key),
        )
        for operation in operations:
            with pytest.raises(KeyNameError):
                operation()
        assert list(store.list_prefix()) == []

    @pytest.mark.parametrize("prefix", BAD_PREFIXES)
    def test_bad_prefixes_are_refused(self, store: Store, prefix: str) -> None:
        for operation in (store.list_prefix, store.list_dir, store.delete_prefix):
            with pytest.raises(KeyNameError):
                operation(prefix)

    # Changes

    def test_set_if_absent(self, store: Store) -> None:
        assert store.set_if_absent("a/k", b"first")
        assert not store.set_if_absent("a/k", b"second")
        assert store.get("a/k") == b"first"
        store.delete("a/k")
        assert store.set_if_absent("a/k", b"")
        assert not store.set_if_absent("a/k", b"third")
        assert store.get("a/k") == b""

    def test_of_several_one_sets(self, store: Store) -> None:
        for turn in range(10):
            key = f"t{turn}/k"
            won = at_once(partial(lambda key, name: store.set_if_absent(key, b"%d" % name), key))
            assert won.count(True) == 1
            assert store.get(key) == b"%d" % won.index(True)

    def test_update(self, store: Store) -> None:
        seen: list[bytes | None] = []

        def longer(old: bytes | None) -> bytes:
            seen.append(old)
            return (old or b"") + b"x"

        store.update("a/k", longer)
        store.update("a/k", longer)
        assert seen == [None, b"x"]
        assert store.get("a/k") == b"xx"

    def test_update_to_none_deletes(self, store: Store) -> None:
        store.set("a/k", VALUE)
        store.update("a/k", lambda old: None)
        store.update("a/never", lambda old: None)
        assert store.get("a/k") is None
        assert list(store.list_prefix()) == []

    def test_an_update_that_fails_leaves_the_value(self, store: Store) -> None:
        def fail(old: bytes | None) -> bytes:
            raise ZeroDivisionError("on purpose")

        store.set("a/k", VALUE)
        for key in ("a/k", "a/missing"):
            with pytest.raises(ZeroDivisionError, match="on purpose"):
                store.update(key, fail)
        assert store.get("a/k") == VALUE
        assert list(store.list_prefix()) == ["a/k"]
        store.set("a/k", b"can be written again")
        assert store.get("a/k") == b"can be written again"

    def test_an_update_may_read(self, store: Store) -> None:
        store.set("a", b"1")
        store.set("b", b"2")
        store.update("a", lambda old: (old or b"") + (store.get("b") or b"") + (store.get("a") or b""))
        assert store.get("a") == b"121"

    def test_no_update_is_lost(self, store: Store) -> None:
        def count(name: int) -> None:
            for _ in range(25):
                store.update("n", lambda old: b"%d" % (int(old or b"0") + 1))

        at_once(count)
        assert store.get("n") == b"%d" % (25 * WRITERS)

    def test_set_and_delete_wait_for_an_update(self, store: Store) -> None:
        inside = threading.Event()

        def slow(old: bytes | None) -> bytes:
            inside.set()
            time.sleep(0.03)
            return (old or b"") + b"+"

        changes: tuple[Callable[[], None], ...] = (lambda: store.set("k", b"set"), lambda: store.delete("k"))
        for change in changes:
            store.set("k", b"old")
            inside.clear()
            with ThreadPoolExecutor(1) as pool:
                update = pool.submit(store.update, "k", slow)
                assert inside.wait(10)
                change()
                update.result(10)
            assert store.get("k") in (b"set", None)

    # Deleting

    def test_delete(self, store: Store) -> None:
        store.set("a/b/c", VALUE)
        store.set("a/d", VALUE)
        store.delete("a/b/c")
        store.delete("a/b/c")
        store.delete("never/there")
        store.delete("a")
        assert store.get("a/b/c") is None
        assert list(store.list_prefix()) == ["a/d"]
        assert store.list_dir("a/") == Listing(["a/d"], [])

    def test_delete_prefix(self, store: Store) -> None:
        for key in ("a/b", "a/c/d", "ab", "b/a/x"):
            store.set(key, VALUE)
        store.delete_prefix("a/")
        store.delete_prefix("never/")
        assert sorted(store.list_prefix()) == ["ab", "b/a/x"]
        assert store.list_dir() == Listing(["ab"], ["b/"])
        store.delete_prefix("")
        assert list(store.list_prefix()) == []
        assert store.list_dir() == Listing([], [])
        store.set("a/b", b"again")
        assert store.get("a/b") == b"again"

    # Listing

    def test_listings(self, store: Store) -> None:
        keys = ["zarr.json", "a/zarr.json", "a/c/0/0", "a/c/0/1", "a/c/1/0", "ab/x", "a.b", "b/.zarray"]
        for key in keys:
            store.set(key, b"")
        assert sorted(store.list_prefix()) == sorted(keys)
        assert sorted(store.list_prefix("a/")) == ["a/c/0/0", "a/c/0/1", "a/c/1/0", "a/zarr.json"]
        assert list(store.list_prefix("a/zarr.json/")) == []
        assert store.list_dir() == Listing(["a.b", "zarr.json"], ["a/", "ab/", "b/"])
        assert store.list_dir("a/") == Listing(["a/zarr.json"], ["a/c/"])
        assert store.list_dir("a/c/") == Listing([], ["a/c/0/", "a/c/1/"])
        assert store.list_dir("b/") == Listing(["b/.zarray"], [])
        assert store.list_dir("never/") == Listing([], [])

    def test_an_empty_store_lists_nothing(self, store: Store) -> None:
        assert list(store.list_prefix()) == []
        assert store.list_dir() == Listing([], [])
        store.delete_prefix("")

    def test_listing_under_change(self, store: Store) -> None:
        """Keys that stay are listed, whatever comes and goes beside them."""
        kept = {f"d{n % 3}/kept{n}" for n in range(30)}
        for key in kept:
            store.set(key, b"")
        done = threading.Event()

        def change(name: int) -> None:
            while not done.is_set():
                for n in range(20):
                    store.set(f"d{n % 5}/w{name}/{n}", b"x")
                store.delete_prefix(f"d0/w{name}/")
                for n in range(20):
                    store.delete(f"d{n % 5}/w{name}/{n}")

        with ThreadPoolExecutor(2) as pool:
            changing = [pool.submit(change, name) for name in range(2)]
            try:
                for _ in range(15):
                    assert kept <= set(store.list_prefix())
                    assert {key for key in kept if key.startswith("d1/")} <= set(store.list_dir("d1/").keys)
            finally:
                done.set()
            for task in changing:
                task.result(30)
        assert set(store.list_prefix()) == kept

    def test_a_listing_may_be_deleted_while_it_runs(self, store: Store) -> None:
        for n in range(20):
            store.set(f"a/{n % 4}/{n}", b"")
        for key in store.list_prefix("a/"):
            store.delete(key)
        assert store.list_dir() == Listing([], [])

    # Threads

    def test_a_reader_never_sees_a_part(self, store: Store) -> None:
        values = [bytes([n]) * (1000 + 3000 * n) for n in range(4)]
        store.set("k", values[0])
        done = threading.Event()

        def write(name: int) -> None:
            while not done.is_set():
                store.set("k", values[name])

        with ThreadPoolExecutor(2) as pool:
            writing = [pool.submit(write, name) for name in (1, 2)]
            try:
                for _ in range(300):
                    assert store.get("k") in values
                    out = memoryview(bytearray(len(values[-1])))
                    count = store.get_into("k", out) or 0
                    assert bytes(out[:count]) in values
            finally:
                done.set()
            for task in writing:
                task.result(30)

    def test_many_writers_of_many_keys(self, store: Store) -> None:
        def write(name: int) -> None:
            for n in range(40):
                store.set(f"a/{n % 7}/{name}/{n}", b"%d %d" % (name, n))

        at_once(write)
        keys = list(store.list_prefix("a/"))
        assert len(keys) == len(set(keys)) == 40 * WRITERS
        for key in keys:
            *_, name, n = key.split("/")
            assert store.get(key) == f"{name} {n}".encode()

    # What else a store is

    def test_it_names_itself(self, store: Store) -> None:
        assert store.name
        assert store.name in repr(store)
        assert str(store) == store.name
        assert store.requests >= 1

    def test_reading_only(self, store: Store) -> None:
        store.set("k", VALUE)
        reader = ReadOnlyStore(store)
        assert not store.read_only
        assert reader.read_only
        assert reader.get("k") == VALUE
        writes: tuple[Callable[[], object], ...] = (
            lambda: reader.set("k", b""),
            lambda: reader.set_if_absent("n", b""),
            lambda: reader.update("k", lambda old: b""),
            lambda: reader.delete("k"),
            lambda: reader.delete_prefix(""),
        )
        for write in writes:
            with pytest.raises(ReadOnlyError):
                write()
        assert store.get("k") == VALUE

    def test_the_mapping_view(self, store: Store) -> None:
        mapping = store.mapping()
        mapping["a/b"] = VALUE
        mapping.update({"c": b"1", "d": b""})
        assert store.get("a/b") == VALUE
        assert dict(mapping) == {"a/b": VALUE, "c": b"1", "d": b""}
        assert len(mapping) == 3
        assert "c" in mapping
        assert "a" not in mapping
        assert "../c" not in mapping
        assert mapping.get("x", b"default") == b"default"
        assert mapping.pop("c") == b"1"
        with pytest.raises(KeyError):
            mapping["c"]
        with pytest.raises(KeyError):
            del mapping["c"]
        with pytest.raises(OmniZarrError):
            mapping["../c"] = b""
        mapping.clear()
        assert list(mapping) == []


def at_once(task: Callable[[int], T]) -> list[T]:
    """Run a task in several threads that start together; return what each gave."""
    gate = threading.Barrier(WRITERS)

    def run(name: int) -> T:
        gate.wait(30)
        return task(name)

    with ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(run, range(WRITERS)))
