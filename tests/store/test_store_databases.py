"""What SQLite and LMDB stores share: processes, forks, writers that die, listings by seeking."""

from __future__ import annotations

import os
import pickle
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from omnizarr.errors import KeyNameError, ReadOnlyError, StoreError, StoreNotFoundError
from omnizarr.store import Listing, LMDBStore, SQLiteStore, Store, open_store
from omnizarr.store.databases.seeking import list_by_seeking

BOTH = pytest.mark.parametrize("kind", [SQLiteStore, LMDBStore])
Kind = Callable[..., SQLiteStore] | Callable[..., LMDBStore]
VALUES = [bytes([n]) * (50_000 + 40_000 * n) for n in range(5)]
PROCESSES = 8


@contextmanager
def process(script: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """Run a Python script; it is killed at the end unless it has ended."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        try:
            yield running
        finally:
            running.kill()


def line_of(running: subprocess.Popen[str]) -> str:
    assert running.stdout is not None
    return running.stdout.readline().strip()


def say(running: subprocess.Popen[str]) -> None:
    assert running.stdin is not None
    running.stdin.write("\n")
    running.stdin.flush()


def run(script: str, *arguments: object) -> str:
    """Run a Python script to its end, and return what it prints."""
    command = [sys.executable, "-W", "error", "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


# Many processes

WORK = """
import sys
from omnizarr.store import open_store
url, name = sys.argv[1], int(sys.argv[2])
store = open_store(url, mode="a")
print("ready", flush=True)
sys.stdin.readline()
won = 0
for n in range(40):
    store.set(f"own/{n % 5}/{name}.{n}", bytes([name]) * (2000 * n))
    store.set(f"common/{n % 3}", bytes([name]) * (9000 * name + 1))
    store.update("n", lambda old: b"%d" % (int(old or b"0") + 1))
    won += store.set_if_absent(f"once/{n}", b"%d" % name)
    store.set(f"gone/{name}", b"")
    store.delete(f"gone/{name}")
store.close()
print(won, flush=True)
"""


@BOTH
def test_eight_processes_lose_nothing(kind: Kind, tmp_path: Path) -> None:
    path = tmp_path / "made" / "by all"
    with ExitStack() as stack:
        url = kind(path, create=True).name  # unmade again by the next line, so that all make it
        for found in sorted(path.parent.rglob("*"), reverse=True):
            found.unlink() if found.is_file() else found.rmdir()
        writers = [stack.enter_context(process(WORK, url, name)) for name in range(PROCESSES)]
        assert [line_of(each) for each in writers] == ["ready"] * PROCESSES
        for each in writers:
            say(each)
        won = [int(line_of(each)) for each in writers]
    with kind(path, create=False) as store:
        assert store.get("n") == b"%d" % (40 * PROCESSES)
        assert sum(won) == 40
        owners = [store.get(f"once/{n}") for n in range(40)]
        assert [owners.count(b"%d" % name) for name in range(PROCESSES)] == won
        for name in range(PROCESSES):
            for n in range(40):
                assert store.get(f"own/{n % 5}/{name}.{n}") == bytes([name]) * (2000 * n)
        whole = {bytes([name]) * (9000 * name + 1) for name in range(PROCESSES)}
        assert {store.get(f"common/{n}") for n in range(3)} <= whole
        assert len(list(store.list_prefix())) == 40 * PROCESSES + 40 + 3 + 1


WRITE_FOREVER = """
import sys
from itertools import cycle
from omnizarr.store import open_store
store = open_store(sys.argv[1], mode="a")
values = [bytes([n]) * (50_000 + 40_000 * n) for n in range(5)]
store.set("a/k", values[0])
print("writing", flush=True)
for value in cycle(values):
    store.set("a/k", value)
    store.update("a/u", lambda old: value)
    store.set_if_absent("a/n", value)
    store.delete("a/n")
"""


@BOTH
def test_a_killed_writer_leaves_whole_values(kind: Kind, tmp_path: Path) -> None:
    chance = random.Random(5)
    with kind(tmp_path / "a") as store:
        for _ in range(4):
            with process(WRITE_FOREVER, store.name) as writer:
                assert line_of(writer) == "writing"
                until = time.monotonic() + chance.uniform(0.001, 0.04)
                while time.monotonic() < until:
                    assert store.get("a/k") in VALUES
                    assert store.get("a/u") in [None, *VALUES]
                writer.send_signal(signal.SIGKILL)
                assert writer.wait(10) == -signal.SIGKILL
            assert store.get("a/k") in VALUES
            assert store.get("a/u") in [None, *VALUES]
            assert store.get("a/n") in [None, *VALUES]
            store.update("n", lambda old: (old or b"") + b"+")
        assert store.get("n") == b"++++"
    with kind(tmp_path / "a", read_only=True) as store:
        assert store.get("a/k") in VALUES
        assert store.get("n") == b"++++"


IN_AN_UPDATE = """
import sys, time
from omnizarr.store import open_store
def change(old):
    print("inside", flush=True)
    time.sleep(60)
open_store(sys.argv[1], mode="a").update("k", change)
"""


@BOTH
def test_a_long_update_keeps_no_other_process_out(kind: Kind, tmp_path: Path) -> None:
    with kind(tmp_path / "a") as store:
        store.set("k", b"old")
        with process(IN_AN_UPDATE, store.name) as writer:
            assert line_of(writer) == "inside"
            store.update("k", lambda old: (old or b"") + b" new")
            store.set("other", b"1")
        assert store.get("k") == b"old new"


# Writes between the looks of an update


def elsewhere(store: Store, key: str, value: bytes) -> None:
    """Set a value from another process, so to say: past the locks of this one."""
    if isinstance(store, SQLiteStore):
        store._run("write", key, "UPDATE zarr SET v = ?2 WHERE k = ?1", value)
    else:
        assert isinstance(store, LMDBStore)
        store._write("write", key, 0, lambda transaction: transaction.put(key.encode(), value))


@BOTH
@pytest.mark.parametrize("times", [1, 4, 5])
def test_an_update_is_repeated_where_others_write(kind: Kind, tmp_path: Path, times: int) -> None:
    with kind(tmp_path / "a") as store:
        store.set("k", b"0")
        seen: list[bytes | None] = []

        def change(old: bytes | None) -> bytes:
            seen.append(old)
            if len(seen) <= times:
                elsewhere(store, "k", b"%d" % len(seen))
            return (old or b"") + b"!"

        store.update("k", change)
        assert seen == [b"%d" % n for n in range(times + 1)]
        assert store.get("k") == b"%d!" % times


@BOTH
def test_an_update_that_fails_while_all_others_wait_leaves_the_value(kind: Kind, tmp_path: Path) -> None:
    with kind(tmp_path / "a") as store:
        store.set("k", b"0")
        seen: list[bytes | None] = []

        def change(old: bytes | None) -> bytes:
            seen.append(old)
            if len(seen) > 5:
                raise ZeroDivisionError("on purpose")
            elsewhere(store, "k", b"%d" % len(seen))
            return b"lost"

        with pytest.raises(ZeroDivisionError, match="on purpose"):
            store.update("k", change)
        assert store.get("k") == b"5"
        store.update("k", lambda old: None)
        assert store.get("k") is None


# Forks

FORK = """
import os, sys, threading
from omnizarr.store import open_store
store = open_store(sys.argv[1], mode="a")
large = bytes(range(256)) * 1000
store.set("large", large)
store.set("n", b"0")
add = lambda old: b"%d" % (int(old) + 1)
done = threading.Event()
count = 0
def work():
    global count
    while not done.is_set():
        store.update("n", add)
        assert store.get("large") == large
        count += 1
threads = [threading.Thread(target=work) for _ in range(2)]
if sys.version_info < (3, 12):  # later ones warn of forks beside threads
    for thread in threads:
        thread.start()
children = []
with store.reading("large") as reader:
    for number in range(6):
        assert reader.get_ranges([(256, 3)]) == [b"\\0\\1\\2"]
        child = os.fork()
        if not child:
            try:
                assert reader.get() == large
                for _ in range(5):
                    store.update("n", add)
                store.set(f"child/{number}", b"")
                with store.reading("large") as own:
                    assert own.get() == large
                store.close()
            except BaseException as error:
                print(repr(error), flush=True)
                os._exit(1)
            os._exit(0)
        children.append(child)
    assert reader.get() == large
done.set()
for thread in threads:
    if thread.ident:
        thread.join()
assert [os.waitpid(child, 0)[1] for child in children] == [0] * 6
assert store.get("n") == b"%d" % (count + 30), (store.get("n"), count)
assert len(store.list_dir("child/").keys) == 6
print("well")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@BOTH
def test_forks_beside_threads_and_readers(kind: Kind, tmp_path: Path) -> None:
    assert run(FORK, kind(tmp_path / "a").name) == "well\n"


TANGLED = """
import os, sys, threading
from omnizarr.errors import StoreError
from omnizarr.store import open_store
from omnizarr.store.databases import gate
gate.PATIENCE = 0.05
store = open_store(sys.argv[1], mode="a")
store.set("k", b"1")
database = getattr(store, "_file", None) or store._shared
inside, go_on = threading.Event(), threading.Event()
def work():
    with database.gate:
        inside.set()
        go_on.wait(20)
thread = threading.Thread(target=work)
thread.start()
inside.wait(20)
child = os.fork()
if not child:
    try:
        store.get("k")
    except StoreError as error:
        print(error, flush=True)
    store.close()
    os._exit(0)
os.waitpid(child, 0)
go_on.set()
thread.join()
assert store.get("k") == b"1"
child = os.fork()
if not child:
    os._exit(store.get("k") != b"1")
assert os.waitpid(child, 0)[1] == 0
print("well")
"""


@pytest.mark.skipif(
    not hasattr(os, "fork") or sys.version_info >= (3, 12), reason="forks beside threads warn"
)
@BOTH
def test_a_fork_in_the_middle_of_an_operation_is_told(kind: Kind, tmp_path: Path) -> None:
    said, well = run(TANGLED, kind(tmp_path / "a").name).splitlines()
    assert said.startswith("cannot be used in this process: it was forked while another thread used")
    assert well == "well"


FORGOTTEN = """
import gc, os, sys
from omnizarr.store import open_store
from omnizarr.store.databases.gate import Database
release = Database.release_readers
def collecting(self):
    gc.collect()
    release(self)
Database.release_readers = collecting
store = open_store(sys.argv[1], mode="a")
store.set("k", b"1")
cycle = [store]
cycle.append(cycle)
del store, cycle
child = os.fork()
if not child:
    os._exit(open_store(sys.argv[1], mode="r").get("k") != b"1")
assert os.waitpid(child, 0)[1] == 0
assert open_store(sys.argv[1], mode="a").get("k") == b"1"
print("well")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@BOTH
def test_a_store_that_is_collected_while_its_process_forks(kind: Kind, tmp_path: Path) -> None:
    assert run(FORGOTTEN, kind(tmp_path / "a").name) == "well\n"


# Handles


@BOTH
def test_pickles_are_handles(kind: Kind, tmp_path: Path) -> None:
    with kind(tmp_path / "a") as store:
        store.set("k", b"1")
        data = pickle.dumps(store)
        assert len(data) < 400
        with pickle.loads(data) as other:
            assert type(other) is kind
            assert other.get("k") == b"1"
            other.set("k", b"2")
        assert store.get("k") == b"2"
    with kind(tmp_path / "a", read_only=True) as store:
        assert pickle.loads(pickle.dumps(store)).read_only


@BOTH
def test_a_closed_store_is_of_no_use(kind: Kind, tmp_path: Path) -> None:
    store = kind(tmp_path / "a")
    store.close()
    store.close()
    for operation in (lambda: store.get("k"), lambda: store.set("k", b""), lambda: store.list_dir()):
        with pytest.raises(StoreError, match=r"it was closed .*store (sqlite|lmdb):///"):
            operation()


@BOTH
def test_absent(kind: Kind, tmp_path: Path) -> None:
    for terms in ({"read_only": True}, {"create": False}):
        with pytest.raises(StoreNotFoundError, match="there is no"):
            kind(tmp_path / "a" / "b", **terms)
    assert list(tmp_path.iterdir()) == []


@BOTH
def test_reading_only(kind: Kind, tmp_path: Path) -> None:
    with kind(tmp_path / "a") as store:
        store.set("k", b"1")
    before = sorted((found.name, found.stat().st_mtime_ns) for found in tmp_path.iterdir())
    with kind(tmp_path / "a", read_only=True) as store:
        assert store.get("k") == b"1"
        assert store.list_dir() == Listing(["k"], [])
        changes: tuple[Callable[[], object], ...] = (
            lambda: store.set("k", b""),
            lambda: store.set_if_absent("n", b""),
            lambda: store.update("k", lambda old: b""),
            lambda: store.delete("k"),
            lambda: store.delete_many(["k"]),
            lambda: store.delete_prefix(""),
        )
        for change in changes:
            with pytest.raises(ReadOnlyError):
                change()
        assert store.get("k") == b"1"
    assert sorted((found.name, found.stat().st_mtime_ns) for found in tmp_path.iterdir()) == before


@BOTH
def test_urls(kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scheme = "sqlite" if kind is SQLiteStore else "lmdb"
    monkeypatch.chdir(tmp_path)
    with open_store(f"{scheme}://data/a%20b%23", mode="w", storage_options={"fsync": True}) as store:
        store.set("k", b"1")
        assert type(store) is kind
    assert (tmp_path / "data" / "a b#").exists()
    with open_store(f"{scheme}://{tmp_path}/data/a%20b%23#zarr", mode="r") as store:
        assert store.read_only
        assert store.name == f"{scheme}://{tmp_path}/data/a%20b%23"
        assert store.get("k") == b"1"
    for mode in ("r", "r+"):
        with pytest.raises(StoreNotFoundError):
            open_store(f"{scheme}://{tmp_path}/none", mode=mode)
    assert not (tmp_path / "none").exists()


@BOTH
@pytest.mark.parametrize(
    ("rest", "options", "message"),
    [
        ("/a?x=secret", {}, "expected no query"),
        ("", {}, "expected a path"),
        ("/a", {"speed": 1}, "storage_options: expected .*fsync.*, found speed"),
        ("/a", {"fsync": 1}, "storage_options: fsync: expected bool, found 1"),
    ],
)
def test_urls_that_say_no_place(kind: Kind, rest: str, options: dict[str, object], message: str) -> None:
    scheme = "sqlite" if kind is SQLiteStore else "lmdb"
    with pytest.raises(StoreError, match=message) as caught:
        open_store(f"{scheme}://{rest}", mode="a", storage_options=options)
    assert "secret" not in str(caught.value)


# Listings


def scanner(keys: list[str], asked: list[bytes]) -> Callable[[bytes], Iterator[bytes]]:
    def scan(start: bytes) -> Iterator[bytes]:
        asked.append(start)
        for key in sorted(key.encode() for key in keys):
            if start <= key:
                asked.append(b"one")
                yield key

    return scan


def test_a_listing_reads_one_key_of_each_prefix() -> None:
    keys = [f"a{n}/c/{m}" for n in range(3) for m in range(1000)] + ["a1.x", "a1", "z", "zz", "é/1", "é2"]
    asked: list[bytes] = []
    assert list_by_seeking(scanner(keys, asked), "") == Listing(
        ["a1", "a1.x", "z", "zz", "é2"], ["a0/", "a1/", "a2/", "é/"]
    )
    assert asked.count(b"one") == 9
    assert len(asked) - 9 == 5


@BOTH
def test_listings_of_many_keys(kind: Kind, tmp_path: Path) -> None:
    names = {f"a/{n % 7}/{n}" for n in range(2500)} | {"a/x", "a0", "a", "ab/1"}
    with kind(tmp_path / "a") as store:
        for name in names:
            store.set(name, b"1")
        assert sorted(store.list_prefix()) == sorted(names)
        assert dict(store.list_sizes("a/")) == {name: 1 for name in names if name.startswith("a/")}
        assert store.list_dir() == Listing(["a", "a0"], ["a/", "ab/"])
        assert store.list_dir("a/") == Listing(["a/x"], [f"a/{n}/" for n in range(7)])
        assert store.list_dir("a/3/").keys == sorted(name for name in names if name.startswith("a/3/"))
        store.delete_prefix("a/")
        assert sorted(store.list_prefix()) == ["a", "a0", "ab/1"]


@BOTH
def test_keys_that_are_deleted_at_once_are_checked_first(kind: Kind, tmp_path: Path) -> None:
    with kind(tmp_path / "a") as store:
        store.set("k", b"1")
        with pytest.raises(KeyNameError):
            store.delete_many(["k", "../k"])
        assert store.get("k") == b"1"
