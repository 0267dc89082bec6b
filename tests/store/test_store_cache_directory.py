"""The cache in a directory: bounded, verified, shared by threads and processes, outliving them."""

from __future__ import annotations

import fcntl
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import omnizarr
from omnizarr.errors import StoreError
from omnizarr.store import (
    CachedStore,
    CountingStore,
    DirectoryStore,
    FaultStore,
    Last,
    MemoryStore,
    Span,
    Store,
)
from omnizarr.store.layers import kept_files, parts
from omnizarr.store.layers.keepers import Entry
from omnizarr.store.layers.kept_files import DirectoryKeeper
from omnizarr.store.layers.parts import BLOCK
from omnizarr.testing.store import StoreContract


class TestCachedStoreInADirectory(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return CachedStore(DirectoryStore(tmp_path / "store"), 100_000, directory=tmp_path / "cache")


class TestCachedStoreThatChecks(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        inner = DirectoryStore(tmp_path / "store")
        return CachedStore(inner, 100_000, directory=tmp_path / "cache", check=True)


VALUE = random.Random(1).randbytes(3 * BLOCK + 100)


def counted(values: dict[str, bytes] | None = None) -> CountingStore:
    return CountingStore(MemoryStore({"a": VALUE, "b": b"b" * 1000} if values is None else values))


def kept_bytes(directory: Path) -> int:
    """Return the bytes of all files but the ledger, while nobody changes them."""
    with (directory / "ledger").open("rb") as ledger:
        fcntl.flock(ledger, fcntl.LOCK_EX)
        return sum(path.stat().st_size for path in directory.iterdir() if path.name != "ledger")


def kept_in(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.kept"))


# What is asked for


def test_a_value_is_asked_for_once_in_all_stores_on_a_directory(tmp_path: Path) -> None:
    inner = counted()
    for _ in range(3):
        store = CachedStore(inner, directory=tmp_path)
        assert store.get("a") == VALUE
        assert store.get("a", Span(BLOCK - 5, 10)) == VALUE[BLOCK - 5 : BLOCK + 5]
        assert store.get_ranges("a", [(0, 3), (len(VALUE) - 2, 9)]) == [VALUE[:3], VALUE[-2:]]
        assert (store.size("a"), store.exists("a")) == (len(VALUE), True)
    assert inner.counts == {"get": 1}


@pytest.mark.parametrize("directory", [True, False])
def test_parts_are_asked_for_once_as_blocks(tmp_path: Path, directory: bool) -> None:
    inner = counted()
    store = CachedStore(inner, directory=tmp_path if directory else None)
    with store.reading("a") as reader:
        assert reader is not None
        assert reader.get(Last(10)) == VALUE[-10:]
        assert reader.get_ranges([(5, 3), (BLOCK + 5, 3)]) == [VALUE[5:8], VALUE[BLOCK + 5 : BLOCK + 8]]
    assert inner.counts == {"reading": 1, "get_ranges": 2}
    assert inner.bytes_read == 100 + 2 * BLOCK
    inner.reset()
    again = CachedStore(inner, directory=tmp_path) if directory else store
    with again.reading("a") as reader:
        assert reader is not None
        assert reader.get(Last(50)) == VALUE[-50:]
        assert reader.get(Span(9, BLOCK)) == VALUE[9 : BLOCK + 9]
        assert reader.get_ranges([(0, 2 * BLOCK), (7, 0)]) == [VALUE[: 2 * BLOCK], b""]
    out = bytearray(100)
    assert again.get_into("a", memoryview(out), 100) == len(VALUE) - 100
    assert out == VALUE[100:200]
    assert again.size("a") == len(VALUE)
    assert inner.counts == {}
    assert again.get("a", Span(2 * BLOCK, 1)) == VALUE[2 * BLOCK : 2 * BLOCK + 1]
    assert inner.counts == {"reading": 1, "get_ranges": 1}


def test_a_shard_is_read_again_without_a_request(tmp_path: Path) -> None:
    inner = CountingStore(DirectoryStore(tmp_path / "a"))
    data = np.random.default_rng(1).integers(0, 2**31, (400, 400))
    omnizarr.create_array(inner, shape=data.shape, chunks=(20, 20), shards=(400, 400), dtype="i8")[:] = data
    array = omnizarr.open_array(CachedStore(inner, directory=tmp_path / "cache"), mode="r")
    first = array[30:50, 70:90]
    inner.reset()
    np.testing.assert_array_equal(array[30:50, 70:90], first)
    np.testing.assert_array_equal(first, data[30:50, 70:90])
    assert inner.counts == {}


def test_two_stores_share_a_directory_and_no_values(tmp_path: Path) -> None:
    one = CachedStore(MemoryStore({"k": b"1"}, name="memory://same"), directory=tmp_path)
    two = CachedStore(MemoryStore({"k": b"2"}, name="memory://same"), directory=tmp_path)
    for _ in range(2):
        assert (one.get("k"), two.get("k")) == (b"1", b"2")
    one.forget()
    assert len(kept_in(tmp_path)) == 1


def test_absent_keys_are_kept_where_asked(tmp_path: Path) -> None:
    inner = counted({})
    plain, keeping = CachedStore(inner), CachedStore(inner, keep_absent=True)
    for _ in range(3):
        assert plain.get("x") is None
    assert inner.counts["get"] == 3
    inner.reset()
    for _ in range(3):
        assert keeping.get("x") is None
        assert keeping.get("x", Span(0, 1)) is None
        assert keeping.get_ranges("x", [(0, 1)]) is None
    assert inner.counts == {"get": 1}
    assert keeping.set_if_absent("x", b"now")
    assert keeping.get("x") == b"now"
    keeping.delete_many(["x", "y"])
    assert keeping.get("x") is None


# Freshness


@pytest.mark.parametrize("directory", [True, False])
def test_with_check_a_value_that_others_change_is_seen(tmp_path: Path, directory: bool) -> None:
    inner = counted()
    store = CachedStore(inner, directory=tmp_path if directory else None, check=True)
    for part, expected in ((None, VALUE), (Span(3, 4), VALUE[3:7])):
        inner.set("a", VALUE)
        for _ in range(2):
            assert store.get("a", part) == expected
        inner.reset()
        assert store.get("a", part) == expected
        assert inner.counts == {"facts": 1}
        inner.set("a", VALUE[::-1])
        assert store.get("a", part) == (VALUE[::-1] if part is None else VALUE[::-1][3:7])
        inner.delete("a")
        assert store.get("a", part) is None


def test_a_value_that_changes_between_check_and_read_is_not_kept() -> None:
    inner = MemoryStore({"k": b"old"})

    def change(operation: str, key: str) -> None:
        if operation == "get":
            inner.set("k", b"new")

    store = CachedStore(FaultStore(inner, change), check=True)
    store.get("k")
    assert store.size_kept == 0


@pytest.mark.parametrize("known", [True, False])
def test_blocks_of_two_values_never_mix(known: bool) -> None:
    """Neither in one reading nor in two, also where others write and nothing is checked."""
    inner = MemoryStore({"a": VALUE})
    store = CachedStore(inner if known else Unknowing(inner))
    new = VALUE[::-1]
    store.get("a", Span(0, 10))
    with store.reading("a") as reader:
        assert reader is not None
        assert reader.get(Span(5, 5)) == VALUE[5:10]
        (inner if known else store).set("a", new)
        with pytest.raises(StoreError, match="replaced while"):
            reader.get(Span(BLOCK, 5))
    with store.reading("a") as reader:
        assert reader is not None
        assert reader.get(Span(BLOCK, 5)) == new[BLOCK : BLOCK + 5]
        assert reader.get(Span(5, 5)) == new[5:10]


def test_a_value_that_others_removed_is_absent_once_it_is_asked_for() -> None:
    inner = counted()
    store = CachedStore(inner)
    assert store.get("a", Span(0, 1)) == VALUE[:1]
    inner.delete("a")
    assert store.get("a", Span(0, 1)) == VALUE[:1]
    assert store.get("a", Span(BLOCK, 1)) is None
    assert store.get("a", Span(0, 1)) is None


class Unknowing(CountingStore):
    """A store whose readers tell no facts."""

    def wrapped(self, key: str, reader: object) -> object:
        return type(
            "Plain", (), {name: getattr(reader, name) for name in ("get", "get_into", "get_ranges")}
        )()


def test_a_write_reaches_the_cache_of_another_store_on_the_directory(tmp_path: Path) -> None:
    inner = counted()
    one, two = (CachedStore(inner, directory=tmp_path) for _ in range(2))
    for read in (lambda: one.get("b"), lambda: one.get("b", Span(0, 1000))):
        two.set("b", b"b" * 1000)
        assert read() == b"b" * 1000
        two.set("b", b"new")
        assert read() == b"new"


def test_what_was_read_before_a_write_of_another_store_is_not_kept(tmp_path: Path) -> None:
    inner = MemoryStore({"k": b"old"})
    two = CachedStore(inner, directory=tmp_path)

    class Slow(CountingStore):
        def get(self, key: str, part: object = None) -> bytes | None:
            value = inner.get(key)
            two.set("k", b"new")  # by another process, say, while the old value is under way
            return value

    assert CachedStore(Slow(inner), directory=tmp_path).get("k") == b"old"
    assert two.get("k") == b"new"


# The bound


def test_the_bound_holds_at_every_moment(tmp_path: Path) -> None:
    chance = random.Random(3)
    values = {f"k{n}": chance.randbytes(chance.randrange(2000)) for n in range(60)}
    store = CachedStore(counted(values), 10_000, directory=tmp_path)
    for _ in range(400):
        key = chance.choice(list(values))
        assert store.get(key) == values[key]
        assert kept_bytes(tmp_path) <= 10_000
        if chance.random() < 0.05:
            store.set(key, values[key])
    assert kept_bytes(tmp_path) == store.size_kept > 5_000


def test_the_values_used_last_are_kept(tmp_path: Path) -> None:
    inner = counted({key: bytes(1000) for key in "abcd"})
    store = CachedStore(inner, 3600, directory=tmp_path)
    for key in "abcad":
        store.get(key)
    inner.reset()
    assert store.get("a") is not None
    assert inner.counts == {}
    store.get("b")
    assert inner.counts == {"get": 1}


def test_a_value_larger_than_the_bound_is_read_and_not_kept(tmp_path: Path) -> None:
    store = CachedStore(counted(), 1000, directory=tmp_path)
    assert store.get("a") == VALUE
    assert store.get("a", Span(5, 2)) == VALUE[5:7]
    assert store.get("b") == b"b" * 1000
    assert store.size_kept < 1000


def test_a_ledger_that_is_lost_or_damaged_is_made_anew(tmp_path: Path) -> None:
    values = {f"k{n}": bytes(900) for n in range(20)}
    for ledger in (None, b"", b"short", b"\xff" * 28, b"\0" * 24 + b"????"):
        store = CachedStore(counted(values), 5000, directory=tmp_path)
        for key in values:
            store.get(key)
        if ledger is None:
            (tmp_path / "ledger").unlink()
        else:
            (tmp_path / "ledger").write_bytes(ledger)
        for key in values:
            assert store.get(key) == bytes(900)
        assert 0 < kept_bytes(tmp_path) <= 5000


# Verified


def damages(path: Path, other: Path) -> Iterator[None]:
    content = path.read_bytes()
    for at in (0, 18, 25, 40, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        yield
    for end in (0, 10, 30, len(content) - 1):
        path.write_bytes(content[:end])
        yield
    path.write_bytes(content + b"x")
    yield
    path.write_bytes(other.read_bytes())
    yield


def test_damaged_and_exchanged_files_are_thrown_away_and_read_anew(tmp_path: Path) -> None:
    inner = counted({"a": b"a" * 500, "b": b"b" * 500})
    store = CachedStore(inner, directory=tmp_path)
    store.get("a")
    (path,) = kept_in(tmp_path)
    store.get("b")
    (other,) = set(kept_in(tmp_path)) - {path}
    for _ in damages(path, other):
        inner.reset()
        assert store.get("a") == b"a" * 500
        assert inner.counts == {"get": 1}
        assert store.get("a") == b"a" * 500
        assert inner.counts == {"get": 1}


def test_damaged_blocks_are_read_anew(tmp_path: Path) -> None:
    store = CachedStore(counted(), directory=tmp_path)
    for _ in range(2):
        assert store.get("a", Span(BLOCK - 2, 4)) == VALUE[BLOCK - 2 : BLOCK + 2]
        for path in kept_in(tmp_path):
            path.write_bytes(path.read_bytes()[:-1] + b"!")
    assert store.get("a", Span(BLOCK - 2, 4)) == VALUE[BLOCK - 2 : BLOCK + 2]


def test_foreign_files_stay(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    store = CachedStore(counted(), 2000, directory=tmp_path)
    for _ in range(3):
        store.get("b")
        store.forget()
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_only_the_owner_may_look_into_the_directory(tmp_path: Path) -> None:
    CachedStore(counted(), directory=tmp_path / "new/cache").get("b")
    assert (tmp_path / "new/cache").stat().st_mode & 0o077 == 0


# Failures of the cache


def test_a_full_disk_breaks_no_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(fd: int, value: bytes) -> None:
        os.write(fd, value[:10])
        raise OSError(28, "No space left on device")

    inner = counted()
    store = CachedStore(inner, directory=tmp_path)
    monkeypatch.setattr(kept_files, "write_all", full)
    for _ in range(2):
        assert store.get("b") == b"b" * 1000
        assert store.get("a", Span(5, 2)) == VALUE[5:7]
    assert inner.counts["get"] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["ledger"]
    store.set("b", b"new")
    monkeypatch.undo()
    assert store.get("b") == b"new"
    assert len(kept_in(tmp_path)) == 1


def test_a_directory_that_is_lost_breaks_no_read(tmp_path: Path) -> None:
    directory = tmp_path / "cache"
    store = CachedStore(counted(), directory=directory)
    store.get("b")
    for path in directory.iterdir():
        path.unlink()
    directory.rmdir()
    assert store.get("b") == b"b" * 1000
    assert store.get("a", Span(0, 2)) == VALUE[:2]
    assert store.size_kept == 0


def test_a_write_is_refused_where_the_old_value_cannot_be_dropped(tmp_path: Path) -> None:
    directory = tmp_path / "cache"
    inner = counted()
    store = CachedStore(inner, directory=directory)
    store.get("b")
    (directory / "ledger").unlink()
    (directory / "ledger").mkdir()
    with pytest.raises(StoreError, match="cannot drop what a cache keeps"):
        store.set("b", b"new")
    assert inner.get("b") == b"b" * 1000
    assert store.get("b") == b"b" * 1000


def test_a_directory_that_cannot_be_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot keep a cache"):
        CachedStore(counted(), directory=tmp_path / "file")

    def no_locks(fd: int, operation: int) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(kept_files.fcntl, "flock", no_locks)
    with pytest.raises(StoreError, match="no locks"):
        CachedStore(counted(), directory=tmp_path / "cache")


def test_a_failed_read_is_not_kept(tmp_path: Path) -> None:
    inner = MemoryStore({"a": VALUE})
    faults = [StoreError("down"), None, StoreError("down")]
    store = CachedStore(FaultStore(inner, faults), directory=tmp_path)
    for _ in range(2):
        with pytest.raises(StoreError, match="down"):
            store.get("a", Span(0, 1))
    assert store.get("a", Span(0, 1)) == VALUE[:1]


# Against a model

_KEYS = st.sampled_from(["a", "b/c"])
_WRITES = st.tuples(st.just("set"), st.integers(0, 1), _KEYS, st.binary(max_size=13))
_DELETES = st.tuples(st.just("delete"), st.integers(0, 1), _KEYS)
_READS = st.tuples(st.just("get"), st.integers(0, 3), _KEYS)
_SPANS = st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15)), max_size=3)
_PARTS = st.tuples(st.just("get_ranges"), st.integers(0, 3), _KEYS, _SPANS)
_INTO = st.tuples(st.just("get_into"), st.integers(0, 3), _KEYS, st.integers(0, 15), st.integers(0, 15))


@settings(max_examples=60)
@given(
    st.lists(st.one_of(_WRITES, _DELETES, _READS, _PARTS, _INTO), max_size=30),
    st.sampled_from([60, 300, 10**6]),
)
def test_it_is_as_a_dictionary(steps: list[tuple[Any, ...]], bound: int) -> None:
    """Two stores on one directory write; these, one that checks, and one in memory that checks read."""
    with tempfile.TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "BLOCK", 4)
        inner, model = MemoryStore(), MemoryStore()
        stores = [
            CachedStore(inner, bound, directory=directory),
            CachedStore(inner, bound, directory=directory),
            CachedStore(inner, bound, directory=directory, check=True),
            CachedStore(inner, bound, check=True, keep_absent=True),
        ]
        for operation, number, key, *rest in steps:
            if operation == "get_into":
                length, start = rest
                given_to, expected = bytearray(length), bytearray(length)
                counts = [
                    store.get_into(key, memoryview(out), start)
                    for store, out in ((stores[number], given_to), (model, expected))
                ]
                assert counts[0] == counts[1]
                assert given_to == expected
            else:
                found, expected = (getattr(store, operation)(key, *rest) for store in (stores[number], model))
                assert found == expected
            assert kept_bytes(Path(directory)) <= bound


# Threads, processes, pickles


def test_it_pickles(tmp_path: Path) -> None:
    inner = DirectoryStore(tmp_path / "s")
    inner.set("k", b"1")
    for made in (CachedStore(inner, 500, directory=tmp_path / "c", check=True), CachedStore(inner, 500)):
        made.get("k")
        again = pickle.loads(pickle.dumps(made))
        assert again.get("k") == b"1"
        assert again.max_bytes == 500
        assert type(again.keeper) is type(made.keeper)


@contextmanager
def process(script: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """Run a Python script; it is killed at the end unless it has ended."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    with running:
        try:
            yield running
        finally:
            running.kill()


USE = """
import random, sys, os
from pathlib import Path
from omnizarr.store import CachedStore, DirectoryStore
root, seed, times = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
store = CachedStore(DirectoryStore(root / "store"), 60_000, directory=root / "cache")
chance = random.Random(seed)
print("ready", flush=True)
wrong = 0
for n in range(times):
    key = f"k{chance.randrange(30)}"
    if chance.random() < 0.1:
        store.update("n", lambda old: b"%d" % (int(old or b"0") + 1))
    value = store.get(key)
    number = int(key[1:])
    wrong += value != bytes([number]) * (number * 300)
    last = int(store.get("n") or b"0")
print(wrong, last, flush=True)
"""


def filled(tmp_path: Path) -> CachedStore:
    store = CachedStore(DirectoryStore(tmp_path / "store"), 60_000, directory=tmp_path / "cache")
    for n in range(30):
        store.set(f"k{n}", bytes([n]) * (n * 300))
    store.set("n", b"0")
    return store


def test_processes_share_a_directory(tmp_path: Path) -> None:
    store = filled(tmp_path)
    with process(USE, tmp_path, 1, 100) as one, process(USE, tmp_path, 2, 100) as two:
        last, until = 0, time.monotonic() + 60
        while None in (one.poll(), two.poll()) and time.monotonic() < until:
            assert kept_bytes(tmp_path / "cache") <= 60_000
            number = int(store.get("n") or b"0")
            assert number >= last
            last = number
            time.sleep(0.001)
        said = [each.stdout.read().split()[1:] for each in (one, two) if each.stdout is not None]
    assert [wrong for wrong, _ in said] == ["0", "0"]
    assert store.get("n") == store.inner.get("n")


def test_a_process_that_is_killed_leaves_a_cache_that_works(tmp_path: Path) -> None:
    store = filled(tmp_path)
    chance = random.Random(4)
    for turn in range(3):
        with process(USE, tmp_path, turn, 100_000) as user:
            assert user.stdout is not None
            assert user.stdout.readline() == "ready\n"
            time.sleep(chance.uniform(0.005, 0.05))
            user.send_signal(signal.SIGKILL)
            assert user.wait(10) == -signal.SIGKILL
        for n in range(30):
            assert store.get(f"k{n}") == bytes([n]) * (n * 300)
            assert kept_bytes(tmp_path / "cache") <= 60_000
        assert store.get("n") == store.inner.get("n")


def test_threads_share_a_directory(tmp_path: Path) -> None:
    inner = MemoryStore({"n": b"0", "a": VALUE})
    stores = [CachedStore(inner, 2**20, directory=tmp_path) for _ in range(2)]

    def write(name: int) -> None:
        for _ in range(50):
            stores[name % 2].update("n", lambda old: b"%d" % (int(old or b"0") + 1))

    def read(name: int) -> None:
        last, chance = 0, random.Random(name)
        for _ in range(100):
            number = int(stores[name % 2].get("n") or b"0")
            assert number >= last
            last = number
            start = chance.randrange(len(VALUE))
            assert stores[name % 2].get("a", Span(start, 1000)) == VALUE[start : start + 1000]

    with ThreadPoolExecutor(6) as pool:
        for task in [*map(pool.submit, [write] * 3, range(3)), *map(pool.submit, [read] * 3, range(3))]:
            task.result(60)
    assert [store.get("n") for store in stores] == [b"150", b"150"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_fork_while_threads_keep_holds_nobody_up(tmp_path: Path) -> None:
    keeper = DirectoryKeeper(tmp_path, 10_000)
    done = threading.Event()

    def keep() -> None:
        while not done.is_set():
            keeper.keep("x", Entry("", bytes(100)), keeper.moment())

    with ThreadPoolExecutor(1) as pool:
        task = pool.submit(keep)
        try:
            with process(FORKS, tmp_path) as forking:
                assert forking.stdout is not None
                assert forking.stdout.readline() == "0\n"
        finally:
            done.set()
        task.result(10)


FORKS = """
import os, sys, threading, warnings
from omnizarr.store.layers.keepers import Entry
from omnizarr.store.layers.kept_files import DirectoryKeeper
warnings.simplefilter("ignore")
keeper = DirectoryKeeper(sys.argv[1], 10_000)
done = threading.Event()
def keep():
    while not done.is_set():
        keeper.keep("y", Entry("", bytes(100)), keeper.moment())
thread = threading.Thread(target=keep)
thread.start()
status = 0
for n in range(5):
    child = os.fork()
    if child == 0:
        keeper.keep("z", Entry("", b"1"), keeper.moment())
        keeper.drop(["y"])
        os._exit(0)
    status |= os.waitpid(child, 0)[1]
done.set()
thread.join()
print(status, flush=True)
"""
