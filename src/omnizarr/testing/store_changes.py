"""What every store must do when it is changed, listed, and used by many threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import pytest

from omnizarr.store.base import Listing, Store
from omnizarr.testing.store_values import VALUE

T = TypeVar("T")
WRITERS = 8


class ChangeContract:
    """The part of `StoreContract` about changes, listings and threads."""

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

    def test_delete_many(self, store: Store) -> None:
        for key in ("a/x", "a/y", "a/y.z", "b"):
            store.set(key, VALUE)
        store.delete_many(["a/x", "none", "a/y"])
        store.delete_many([])
        assert sorted(store.list_prefix()) == ["a/y.z", "b"]

    def test_sizes_in_listings(self, store: Store) -> None:
        for number, key in enumerate(("a/x", "a/y/z", "b")):
            store.set(key, bytes(number))
        assert sorted(store.list_sizes()) == [("a/x", 0), ("a/y/z", 1), ("b", 2)]
        assert sorted(store.list_sizes("a/")) == [("a/x", 0), ("a/y/z", 1)]
        assert list(store.list_sizes("c/")) == []

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


def at_once(task: Callable[[int], T]) -> list[T]:
    """Run a task in several threads that start together; return what each gave."""
    gate = threading.Barrier(WRITERS)

    def run(name: int) -> T:
        gate.wait(30)
        return task(name)

    with ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(run, range(WRITERS)))
