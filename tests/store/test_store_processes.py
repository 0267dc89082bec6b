"""Several processes on one store, and processes that die."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from omnizarr.errors import StoreError
from omnizarr.store import DirectoryStore, Store, ZipStore
from omnizarr.store.directories import draft as draft_module
from omnizarr.testing.store import StoreContract

VALUES = [bytes([n]) * (50_000 + 40_000 * n) for n in range(5)]


@contextmanager
def process(script: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """Run a Python script; it is killed at the end unless it has ended."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with running:
        try:
            yield running
        finally:
            running.kill()


def wait_for_line(running: subprocess.Popen[str]) -> str:
    assert running.stdout is not None
    return running.stdout.readline().strip()


def all_files(path: Path) -> list[str]:
    return sorted(found.relative_to(path).as_posix() for found in path.rglob("*") if found.is_file())


# A writer that is killed

WRITE_FOREVER = """
import sys
from itertools import cycle
from omnizarr.store import DirectoryStore
store = DirectoryStore(sys.argv[1])
values = [bytes([n]) * (50_000 + 40_000 * n) for n in range(5)]
store.set("a/k", values[0])
print("writing", flush=True)
for n, value in enumerate(cycle(values)):
    store.set("a/k", value)
    store.update("a/u", lambda old: value)
    store.set_if_absent(f"a/n", value)
    store.delete("a/n")
"""


def test_no_part_of_a_value_outlives_a_killed_writer(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path)
    chance = random.Random(5)
    allowed = [None, *VALUES]
    for _ in range(6):
        with process(WRITE_FOREVER, tmp_path) as writer:
            assert wait_for_line(writer) == "writing"
            until = time.monotonic() + chance.uniform(0.001, 0.04)
            while time.monotonic() < until:
                assert store.get("a/k") in VALUES
                assert store.get("a/u") in allowed
            writer.send_signal(signal.SIGKILL)
            assert writer.wait(10) == -signal.SIGKILL
        assert store.get("a/k") in VALUES
        assert store.get("a/u") in allowed
        assert store.get("a/n") in allowed
        assert set(store.list_prefix()) <= {"a/k", "a/u", "a/n"}
        left = set(all_files(tmp_path)) - {"a/k", "a/u", "a/n"}
        assert left <= {"a/.k.partial", "a/.u.partial", "a/.n.partial"}
        assert len(left) <= 1
    for key in ("a/k", "a/u", "a/n"):
        store.set(key, b"after")
        assert store.get(key) == b"after"
    assert all_files(tmp_path) == ["a/k", "a/n", "a/u"]


def test_a_process_killed_in_an_update_holds_up_nobody(tmp_path: Path) -> None:
    script = """
import sys, time
from omnizarr.store import DirectoryStore
def change(old):
    print("inside", flush=True)
    time.sleep(60)
DirectoryStore(sys.argv[1]).update("a/k", change)
"""
    store = DirectoryStore(tmp_path)
    store.set("a/k", b"old")
    with process(script, tmp_path) as writer:
        assert wait_for_line(writer) == "inside"
        assert all_files(tmp_path) == ["a/.k.partial", "a/k"]
        store.delete_prefix("b/")
        writer.kill()
        writer.wait(10)
    store.update("a/k", lambda old: (old or b"") + b" new")
    assert store.get("a/k") == b"old new"
    assert all_files(tmp_path) == ["a/k"]


# Several writers

COUNT = """
import sys
from omnizarr.store import DirectoryStore
root, times = sys.argv[1], int(sys.argv[2])
store = DirectoryStore(root)
print("ready", flush=True)
sys.stdin.readline()
won = 0
for n in range(times):
    store.update("a/n", lambda old: b"%d" % (int(old or b"0") + 1))
    won += store.set_if_absent(f"once/{n}/k", b"")
    store.set(f"b/c/{n % 3}", b"")
    store.delete(f"b/c/{n % 3}")
print(won, flush=True)
"""


def test_two_processes_lose_no_update_and_one_of_them_sets(tmp_path: Path) -> None:
    times = 300
    with process(COUNT, tmp_path, times) as one, process(COUNT, tmp_path, times) as two:
        for each in (one, two):
            assert wait_for_line(each) == "ready"
        for each in (one, two):
            assert each.stdin is not None
            each.stdin.write("\n")
            each.stdin.flush()
        won = [int(wait_for_line(each)) for each in (one, two)]
    store = DirectoryStore(tmp_path)
    assert store.get("a/n") == b"%d" % (2 * times)
    assert sum(won) == times
    assert not [name for name in all_files(tmp_path) if name.endswith(".partial")]
    assert sorted(store.list_dir().prefixes) == ["a/", "once/"]


def test_a_full_disk(tmp_path: Path) -> None:
    """The limit on the size of files of a process stands in for the end of a disk."""
    script = """
import resource, signal, sys
from omnizarr.errors import StoreError
from omnizarr.store import DirectoryStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
store = DirectoryStore(sys.argv[1])
try:
    store.set("a/k", bytes(200_000))
except StoreError as error:
    print(error.errno, error, flush=True)
"""
    store = DirectoryStore(tmp_path)
    store.set("a/k", b"old")
    with process(script, tmp_path) as writer:
        said = wait_for_line(writer)
    assert said.startswith("27 cannot write: File too large")
    assert "'a/k'" in said
    assert store.get("a/k") == b"old"
    assert all_files(tmp_path) == ["a/k"]


# Without file locks


class TestDirectoryStoreWithoutFileLocks(StoreContract):
    """As on Windows: threads are kept apart all the same."""

    @pytest.fixture(autouse=True)
    def no_locks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(draft_module, "HAS_LOCKS", False)

    def make_store(self, tmp_path: Path) -> Store:
        return DirectoryStore(tmp_path)

    def test_drafts_leave_nothing(self, store: DirectoryStore, tmp_path: Path) -> None:
        store.set("a", b"1")
        store.update("a", lambda old: None)
        store.set_if_absent("n" * 255, b"1")
        assert all_files(tmp_path) == ["n" * 255]


def test_a_file_system_without_locks_is_used_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(fd: int, operation: int) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(draft_module.fcntl, "flock", no_locks)
    store = DirectoryStore(tmp_path)
    with pytest.warns(RuntimeWarning, match="no file locks where"):
        store.set("a", b"1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        store.set("b/c", b"2")
        store.delete_prefix("b/")
    assert all_files(tmp_path) == ["a"]


def test_links_may_be_missing_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(source: str, target: str) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", no_links)
    store = DirectoryStore(tmp_path)
    assert store.set_if_absent("a", b"1")
    assert not store.set_if_absent("a", b"2")
    assert store.get("a") == b"1"
    assert all_files(tmp_path) == ["a"]


# Archives

FILL = """
import sys
from omnizarr.store import ZipStore
store = ZipStore(sys.argv[1], mode=sys.argv[2])
store.set("zarr.json", b"new")
print("writing", flush=True)
n = 0
while True:
    store.set(f"c/{n}", bytes(10_000))
    store.delete("c/0")
    n += 1
    if n % 50 == 0:
        store.flush()
        print("flushed", flush=True)
"""


@pytest.mark.parametrize("mode", ["a", "w"])
def test_a_killed_writer_leaves_the_last_closed_archive(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "a.zip"
    with ZipStore(path, mode="w") as store:
        store.set("zarr.json", b"old")
    before = path.read_bytes()
    with process(FILL.replace("store.flush()", "pass"), path, mode) as writer:
        assert wait_for_line(writer) == "writing"
        time.sleep(0.01)
        writer.kill()
        writer.wait(10)
    assert path.read_bytes() == before
    with ZipStore(path, mode="a") as store:
        assert store.get("zarr.json") == b"old"
        store.set("b", b"1")
    with ZipStore(path) as store:
        assert sorted(store.list_prefix()) == ["b", "zarr.json"]
    assert all_files(tmp_path) == ["a.zip"]


def test_an_archive_is_whole_whenever_its_writer_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    chance = random.Random(7)
    for _ in range(3):
        with process(FILL, path, "a") as writer:
            assert wait_for_line(writer) == "writing"
            assert wait_for_line(writer) == "flushed"
            time.sleep(chance.uniform(0.0, 0.02))
            writer.kill()
            writer.wait(10)
        with ZipStore(path) as store:
            keys = list(store.list_prefix())
            assert "zarr.json" in keys
            assert "c/0" not in keys
            assert {store.get(key) for key in keys} == {b"new", bytes(10_000)}


def test_a_second_process_may_read_but_not_write(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with ZipStore(path, mode="w") as store:
        store.set("zarr.json", b"old")
    with process(FILL.replace("store.flush()", "pass"), path, "a") as writer:
        assert wait_for_line(writer) == "writing"
        with pytest.raises(StoreError, match="another writer has it open"):
            ZipStore(path, mode="a")
        with ZipStore(path) as reader:
            assert reader.get("zarr.json") == b"old"
