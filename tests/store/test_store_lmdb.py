"""The LMDB store beyond the contract: its environment, how it grows, and what may go wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import lmdb
import pytest

from omnizarr.errors import KeyNameError, ReadOnlyError, StoreError, StoreNotFoundError
from omnizarr.store import Listing, LMDBStore, Store
from omnizarr.store.databases.lmdb_sharing import _environments
from omnizarr.testing.store import StoreContract

LARGE = bytes(range(256)) * 1000
SMALL_MAP = 64 * 1024


class TestLMDBStore(StoreContract):
    """In an environment that grows all the time."""

    def make_store(self, tmp_path: Path) -> Store:
        return LMDBStore(tmp_path / "new" / "a.mdb", map_size=SMALL_MAP)


class TestLMDBStoreInAFile(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return LMDBStore(tmp_path / "a.mdb", subdir=False)


def run(script: str, *arguments: object) -> str:
    """Run a Python script to its end, and return what it prints."""
    command = [sys.executable, "-W", "error", "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


# The environment


def test_keys_and_values_lie_as_zarr_python_puts_them(tmp_path: Path) -> None:
    with (
        lmdb.open(str(tmp_path / "a"), map_size=2**40, writemap=True, sync=False) as environment,
        environment.begin(write=True) as transaction,
    ):
        for key, value in ((b".zgroup", b"{}"), (b"a/.zarray", b"{}"), (b"a/0.0", LARGE)):
            transaction.put(key, value)
    with LMDBStore(tmp_path / "a", create=False) as store:
        assert store.list_dir() == Listing([".zgroup"], ["a/"])
        assert store.get("a/0.0") == LARGE
        store.set("a/é", b"1")
    assert sorted(found.name for found in (tmp_path / "a").iterdir()) == ["data.mdb", "lock.mdb"]
    with lmdb.open(str(tmp_path / "a"), readonly=True) as environment, environment.begin() as transaction:
        keys = [key.decode() for key in transaction.cursor().iternext(keys=True, values=False)]
        assert keys == [".zgroup", "a/.zarray", "a/0.0", "a/é"]
        assert transaction.get("a/é".encode()) == b"1"


def test_a_file_is_an_environment_as_well(tmp_path: Path) -> None:
    with LMDBStore(tmp_path / "a.mdb", subdir=False) as store:
        store.set("k", b"1")
    assert sorted(found.name for found in tmp_path.iterdir()) == ["a.mdb", "a.mdb-lock"]
    with LMDBStore(tmp_path / "a.mdb", read_only=True) as store:
        assert store.get("k") == b"1"


def test_names_that_are_no_keys_are_passed_over(tmp_path: Path) -> None:
    with lmdb.open(str(tmp_path / "a")) as environment, environment.begin(write=True) as transaction:
        for key in (
            b"a",
            b"b//c",
            b"/d",
            b"e/",
            b"f/g",
            b"\xff/a",
            b"\xff",
            *(b"x//%d" % n for n in range(1500)),
        ):
            transaction.put(key, b"1")
    with LMDBStore(tmp_path / "a") as store:
        assert sorted(store.list_prefix()) == ["a", "f/g"]
        assert store.list_dir().keys == ["a"]
        assert "f/" in store.list_dir().prefixes


@pytest.mark.parametrize("key", ["x" * 512, "é" * 256, "d" * 300 + "/" + "x" * 300])
def test_keys_that_are_too_long_are_refused_before_anything_is_written(tmp_path: Path, key: str) -> None:
    with LMDBStore(tmp_path / "a") as store:
        operations = (
            lambda: store.set(key, b""),
            lambda: store.get(key),
            lambda: store.set_if_absent(key, b""),
            lambda: store.update(key, lambda old: b""),
            lambda: store.delete(key),
            lambda: store.delete_many(["k", key]),
            lambda: store.reading(key).__enter__(),
        )
        for operation in operations:
            with pytest.raises(KeyNameError, match=r"at most 511 bytes for one, found (512|601)"):
                operation()
        assert store.list_dir() == Listing([], [])
        assert store.list_dir(f"{key}/") == Listing([], [])
        assert list(store.list_prefix(f"{key}/")) == []
        store.delete_prefix(f"{key}/")
        store.set(key[:255], b"1")
        assert store.get(key[:255]) == b"1"


# Growing


def test_an_environment_grows_under_readers_of_this_process(tmp_path: Path) -> None:
    with LMDBStore(tmp_path / "a", map_size=SMALL_MAP) as store, ExitStack() as stack:
        store.set("k", LARGE[:20_000])
        readers = [stack.enter_context(store.reading("k")) for _ in range(3)]
        before = store._shared.map_size
        for n in range(20):
            store.set(f"a/{n}", LARGE)
        store.delete("k")
        assert store._shared.map_size > 20 * len(LARGE) > before
        for reader in readers:
            assert reader is not None
            assert reader.get() == LARGE[:20_000]
            assert reader.get_ranges([(19_999, 5)]) == [LARGE[19_999:20_000]]
        assert {store.get(f"a/{n}") for n in range(20)} == {LARGE}


def test_an_environment_grows_under_threads(tmp_path: Path) -> None:
    with LMDBStore(tmp_path / "a", map_size=SMALL_MAP) as store:
        store.set("k", LARGE)
        done = threading.Event()

        def read() -> None:
            out = memoryview(bytearray(len(LARGE)))
            while not done.is_set():
                assert store.get_into("k", out) == len(LARGE)
                assert out == LARGE
                with store.reading("k") as reader:
                    assert reader is not None
                    assert reader.get_ranges([(0, 3), (300, 3)]) == [LARGE[:3], LARGE[300:303]]
                assert "k" in store.list_dir().keys
                time.sleep(0.001)  # or the writers hardly ever get the interpreter

        def write(name: int) -> None:
            for n in range(15):
                store.set(f"{name}/{n}", bytes([name]) * 50_000 * n)

        with ThreadPoolExecutor(5) as pool:
            readers = [pool.submit(read) for _ in range(2)]
            try:
                list(pool.map(write, range(3)))
            finally:
                done.set()
            for reader in readers:
                reader.result(30)
        for name in range(3):
            assert [store.size(f"{name}/{n}") for n in range(15)] == [50_000 * n for n in range(15)]


GROW = """
import sys
from omnizarr.store import LMDBStore
with LMDBStore(sys.argv[1], map_size=2**16) as store:
    for n in range(20):
        store.set(f"b/{n}", bytes(300_000))
"""


def test_what_other_processes_let_grow_is_read_and_written(tmp_path: Path) -> None:
    with LMDBStore(tmp_path / "a", map_size=SMALL_MAP) as store:
        store.set("k", b"1")
        with store.reading("k") as reader:
            assert run(GROW, tmp_path / "a") == ""
            assert [store.size(f"b/{n}") for n in range(20)] == [300_000] * 20
            store.set("k", b"2")
            assert reader is not None
            assert reader.get() == b"1"
        assert store.get("k") == b"2"
        assert len(store.list_dir("b/").keys) == 20


NO_ROOM = """
import resource, sys
from omnizarr.errors import StoreError
from omnizarr.store import LMDBStore
store = LMDBStore(sys.argv[1], map_size=2**16)
store.set("k", b"1")
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**26, used + 2**26))
try:
    value = bytes(2**25)
    store.set("n", value)
except StoreError as error:
    print(error)
del value
assert store.get("k") == b"1" and store.get("n") is None
store.set("k", b"2")
assert store.get("k") == b"2"
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the limit needs /proc")  # noqa: PTH110
def test_no_memory_to_grow_in(tmp_path: Path) -> None:
    assert run(NO_ROOM, tmp_path / "a").startswith(
        "cannot write: mdb_env_set_mapsize: Cannot allocate memory"
    )


def test_an_environment_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("omnizarr.store.databases.lmdb_file._LARGEST_MAP", 2**20)
    with LMDBStore(tmp_path / "a", map_size=SMALL_MAP) as store:
        store.set("k", b"1")
        with pytest.raises(StoreError, match="expected at most 1048576 bytes in an environment") as caught:
            store.set("k", bytes(2**20))
        assert caught.value.errno == 28
        assert store.get("k") == b"1"


# One environment in a process


def test_stores_of_a_place_share_an_environment(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "a")
    one = LMDBStore(tmp_path / "a")
    two = LMDBStore(tmp_path / "link", read_only=True)
    assert one._shared is two._shared
    one.set("k", b"1")
    assert two.get("k") == b"1"
    one.close()
    assert two.get("k") == b"1"
    with pytest.raises(ReadOnlyError):
        two.set("k", b"2")
    two.close()
    assert str(tmp_path / "a") not in _environments


def test_an_environment_is_opened_again_for_more(tmp_path: Path) -> None:
    LMDBStore(tmp_path / "a").close()
    reader = LMDBStore(tmp_path / "a", read_only=True)
    assert reader._shared._environment().flags()["readonly"]
    writer = LMDBStore(tmp_path / "a")
    writer.set("k", LARGE)
    with reader.reading("k") as held:
        safe = LMDBStore(tmp_path / "a", fsync=True)
        assert safe._shared._environment().flags()["sync"]
        safe.set("k", b"2")
        assert held is not None
        assert held.get() == LARGE
    assert reader.get("k") == writer.get("k") == b"2"
    for store in (reader, writer, safe):
        store.close()


def test_others_in_the_process_cannot_open_it_as_well(tmp_path: Path) -> None:
    with LMDBStore(tmp_path / "a") as store:
        store.set("k", b"1")
        with pytest.raises(lmdb.Error, match="already open in this process"):
            lmdb.open(str(tmp_path / "a"))
        assert store.get("k") == b"1"


def test_what_a_write_waits_for(tmp_path: Path) -> None:
    with LMDBStore(tmp_path / "a") as store:
        assert not store._shared._environment().flags()["sync"]
    with LMDBStore(tmp_path / "a", fsync=True) as store:
        flags = store._shared._environment().flags()
        assert flags["sync"]
        assert flags["metasync"]


def test_a_store_that_is_forgotten_leaves(tmp_path: Path) -> None:
    store = LMDBStore(tmp_path / "a")
    store.set("k", b"1")
    del store
    with lmdb.open(str(tmp_path / "a")) as environment, environment.begin() as transaction:
        assert transaction.get(b"k") == b"1"


# Readers


def test_more_readers_than_there_are_places(tmp_path: Path) -> None:
    with LMDBStore(tmp_path / "a", max_readers=4) as store, ExitStack() as stack:
        store.set("k", LARGE)
        held = [stack.enter_context(store.reading("k")) for _ in range(4)]
        for read in (lambda: store.get("k"), lambda: store.get("none"), lambda: store.list_dir()):
            with pytest.raises(StoreError, match=r"cannot (read|list): .*MDB_READERS_FULL"):
                read()
        stack.close()
        assert held
        assert store.get("k") == LARGE
        assert store.get("none") is None


HOLD = """
import sys, time
from contextlib import ExitStack
from omnizarr.store import LMDBStore
store = LMDBStore(sys.argv[1])
with ExitStack() as stack:
    for n in range(4):
        stack.enter_context(store.reading("k"))
    print("held", flush=True)
    time.sleep(60)
"""


def test_places_of_readers_that_died_are_free(tmp_path: Path) -> None:
    with LMDBStore(tmp_path / "a", max_readers=4) as store:
        store.set("k", b"1")
        command = [sys.executable, "-c", HOLD, str(tmp_path / "a")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == "held\n"
            with pytest.raises(StoreError, match="READERS_FULL"):
                store.get("k")
            other.kill()
            other.wait(10)
        assert store.get("k") == b"1"


# What goes wrong


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("subdir", [False, True])
def test_what_is_no_environment(tmp_path: Path, read_only: bool, subdir: bool) -> None:
    file = tmp_path / "a" / "data.mdb"
    file.parent.mkdir()
    file.write_bytes(b"something else entirely" * 1000)
    with pytest.raises(StoreError, match="this is no LMDB environment"):
        LMDBStore(file.parent if subdir else file, read_only=read_only)
    assert file.read_bytes() == b"something else entirely" * 1000
    assert list(file.parent.iterdir()) == [file]
    with pytest.raises(StoreError, match=r"Not a directory|File exists"):
        LMDBStore(file / "b", read_only=read_only)


def test_nothing_there(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for place in (tmp_path, tmp_path / "empty", tmp_path / "none"):
        for terms in ({"read_only": True}, {"create": False}):
            with pytest.raises(StoreNotFoundError, match="there is no LMDB environment"):
                LMDBStore(place, **terms)
    assert [found.name for found in tmp_path.iterdir()] == ["empty"]


def test_a_file_that_was_cut_off(tmp_path: Path) -> None:
    with LMDBStore(tmp_path / "a") as store:
        for n in range(20):
            store.set(f"a/{n}", LARGE)
    file = tmp_path / "a" / "data.mdb"
    size = file.stat().st_size
    os.truncate(file, size // 2)
    for read_only in (True, False):
        with pytest.raises(StoreError, match=rf"expected a file of \d+ bytes, found {size // 2}"):
            LMDBStore(tmp_path / "a", read_only=read_only)


FULL_DISK = """
import resource, signal, sys
from omnizarr.errors import StoreError
from omnizarr.store import LMDBStore
store = LMDBStore(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    store.set("k", bytes(200_000))
except StoreError as error:
    print(error, store.get("k"))
"""


def test_a_full_disk(tmp_path: Path) -> None:
    """The limit on the size of files of a process stands in for the end of a disk."""
    with LMDBStore(tmp_path / "a") as store:
        store.set("k", b"old")
    said = run(FULL_DISK, tmp_path / "a")
    assert said.startswith("cannot write: mdb_txn_commit: ")
    assert said.endswith("b'old'\n")
    with LMDBStore(tmp_path / "a") as store:
        assert store.get("k") == b"old"
        store.set("k", LARGE)
        assert store.get("k") == LARGE


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lmdb", None)
    with pytest.raises(StoreError, match=r"needs the extra 'kv' \(pip install 'omnizarr\[kv\]'\)"):
        LMDBStore(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


# Where nothing may be written

NOBODY = """
import os, sys
from omnizarr.errors import StoreError
from omnizarr.store import LMDBStore
path = sys.argv[1]
warm = LMDBStore(sys.argv[2]); warm.set("k", b"1"); warm.get("k"); list(warm.list_prefix()); warm.close()
if os.getuid() == 0:
    os.setuid(65534)
with LMDBStore(path, read_only=True) as store:
    print(store.get("k"), list(store.list_prefix()), store.list_dir("a/").keys)
    try:
        LMDBStore(path)
    except StoreError as error:
        print(type(error).__name__, error)
    print(store.get("k"))
"""


@pytest.fixture
def public() -> Iterator[Path]:
    """A directory that every user may enter."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)
        for found in Path(made).iterdir():
            found.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="permissions are those of POSIX")
@pytest.mark.parametrize("lock", [False, True])
def test_a_directory_that_cannot_be_written_to(public: Path, lock: bool) -> None:
    place = public / "a"
    with LMDBStore(place) as store:
        store.set("k", b"1")
        store.set("a/k", b"")
    if not lock:
        (place / "lock.mdb").unlink()
    for found in place.iterdir():
        found.chmod(0o444)
    place.chmod(0o555)
    first, refused, again = run(NOBODY, place, public / "warm").splitlines()
    assert first == "b'1' ['a/k', 'k'] ['a/k']"
    assert refused.startswith("ReadOnlyError cannot open: ")
    assert "Permission denied" in refused
    assert again == "b'1'"


# zarr-python 2

PEER = """
import sys, warnings
warnings.simplefilter("ignore")
sys.path.append(sys.argv[3])
import numpy, zarr
with zarr.LMDBStore(sys.argv[1]) as store:
    if sys.argv[2] == "write":
        group = zarr.group(store, overwrite=True)
        array = group.create_dataset("a", shape=(50, 50), chunks=(20, 20), dtype="f4")
        array[:] = numpy.arange(2500).reshape(50, 50)
    print(int(zarr.open_group(store, mode="r")["a"][:].sum()))
"""


@pytest.mark.slow
def test_zarr_python_2_reads_what_is_written_here_and_is_read(tmp_path: Path) -> None:
    import omnizarr

    python = Path(__file__).parents[2] / ".venv" / "hdmf-zarr" / "bin" / "python"
    if not python.exists():
        pytest.skip("no Python with zarr-python 2 in .venv/hdmf-zarr")
    packages = str(Path(lmdb.__file__).parents[1])  # that Python may have none of its own
    found = subprocess.run([str(python), "-c", f"import sys; sys.path.append({packages!r}); import lmdb"])
    if found.returncode:
        pytest.skip("the package lmdb is for another Python than that in .venv/hdmf-zarr")

    def peer(path: Path, action: str) -> int:
        command = [str(python), "-c", PEER, str(path), action, packages]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    total = 2500 * 2499 // 2
    assert peer(tmp_path / "theirs", "write") == total
    with LMDBStore(tmp_path / "theirs") as store:
        theirs = omnizarr.open_group(store, mode="r+")
        assert theirs["a"][:].sum() == total
        theirs["a"][3, 3] = 0
    assert peer(tmp_path / "theirs", "read") == total - 153
    with LMDBStore(tmp_path / "ours") as store:
        ours = omnizarr.open_group(store, mode="w", zarr_format=2)
        ours.create_array("a", shape=(50, 50), chunks=(20, 20), dtype="f4")[:] = 2
    assert peer(tmp_path / "ours", "read") == 5000
