"""Moving hierarchies between stores: nothing is deleted before the copy is complete and compared."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import NodeExistsError, NodeNotFoundError, ReadOnlyError, StoreError
from omnizarr.hierarchy.removal import DELETION
from omnizarr.store import DirectoryStore, FaultStore, MemoryStore, Store, WrappedStore, ZipStore


def new_store(kind: str, path: Path) -> Store:
    if kind == "memory":
        return MemoryStore()
    return DirectoryStore(path) if kind == "directory" else ZipStore(path.with_suffix(".zip"), mode="w")


def filled(store, zarr_format: int = 3):
    root = omnizarr.create_group(store, zarr_format=zarr_format, attributes={"title": "t"})
    root.create_array("a/x", data=np.arange(40).reshape(4, 10), chunks=(2, 3), attributes={"n": 1})
    root.create_array("a/scalar", data=np.float32(2.5))
    root.create_array("a/empty", shape=(0, 3), dtype="i2")
    root.create_array("b/text", data=np.array(["ä", "b"]))
    if zarr_format == 3:
        root.create_array("b/shards", data=np.arange(64), chunks=4, shards=16)
    return omnizarr.consolidate_metadata(store)


def values_of(store: Store) -> dict[str, object]:
    """Return all values, documents as what they say: nodes are consolidated in any order."""
    values = {key: store.get(key) or b"" for key in store.list_prefix()}
    return {
        key: json.loads(value) if key.rpartition("/")[2] in ("zarr.json", ".zmetadata") else value
        for key, value in values.items()
    }


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("theirs", ["memory", "directory", "zip"])
@pytest.mark.parametrize("ours", ["memory", "directory", "zip"])
def test_every_value_arrives_and_nothing_stays(
    tmp_path: Path, ours: str, theirs: str, zarr_format: int
) -> None:
    source, target = new_store(ours, tmp_path / "s"), new_store(theirs, tmp_path / "t")
    filled(source, zarr_format)
    source.set("beside.txt", b"of no node")
    before = values_of(source)
    told: list[tuple[int, int]] = []
    report = omnizarr.move(source, target, progress=lambda *each: told.append(each))
    assert values_of(target) == before
    assert list(source.list_prefix()) == []
    assert report.moved.recoded_bytes == 0
    assert told[-1][0] == told[-1][1]
    source.close()
    target.close()


def test_paths_and_archives_by_name(tmp_path: Path) -> None:
    filled(tmp_path / "a.zarr")
    omnizarr.move(tmp_path / "a.zarr", tmp_path / "b.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["b.zip"]
    omnizarr.move(tmp_path / "b.zip", tmp_path / "c.zarr", path="inner")
    assert [path.name for path in tmp_path.iterdir()] == ["c.zarr"]
    assert omnizarr.open(tmp_path / "c.zarr", mode="r")["inner/a/x"][3, 9] == 39


def test_within_a_store() -> None:
    store = MemoryStore()
    root = filled(store)
    omnizarr.move(root["a"], root, path="c/d")
    assert sorted(path for path, _ in root.members(None)) == [
        *("b", "b/shards", "b/text", "c", "c/d", "c/d/empty", "c/d/scalar", "c/d/x"),
    ]
    with pytest.raises(NodeExistsError, match="holds, or lies inside"):
        omnizarr.move(root["c"], root, path="c/d/e")


def test_a_place_that_is_taken() -> None:
    source, target = MemoryStore(), MemoryStore()
    filled(source)
    omnizarr.create_array(target, data=[1, 2])
    before = values_of(source), values_of(target)
    with pytest.raises(NodeExistsError):
        omnizarr.move(source, target)
    assert (values_of(source), values_of(target)) == before
    omnizarr.move(source, target, overwrite=True)
    assert values_of(target) == before[0]


def test_a_source_that_cannot_be_deleted_is_not_copied(tmp_path: Path) -> None:
    filled(tmp_path / "a")
    target = MemoryStore()
    with pytest.raises(ReadOnlyError):
        omnizarr.move(DirectoryStore(tmp_path / "a", read_only=True), target)
    assert list(target.list_prefix()) == []


class Changing(WrappedStore):
    """A store of which a value is replaced, by another writer, when others are read."""

    def get(self, key, part=None):
        value = super().get(key, part)
        if key == "b/text/c/0":
            self.inner.set("a/x/c/0/0", b"new, and longer than it was before" * 9)
        return value


class Losing(WrappedStore):
    """A store that says it has stored what it has not."""

    def set(self, key, value):
        if key != "a/x/c/1/0":
            super().set(key, value)


def test_a_source_that_changes_meanwhile_stays() -> None:
    inner = MemoryStore()
    filled(inner)
    with pytest.raises(StoreError, match="stays as it is: 'a/x/c/0/0' are not the same"):
        omnizarr.move(Changing(inner), MemoryStore())
    assert (inner.get("a/x/c/0/0") or b"").startswith(b"new")
    assert omnizarr.open(inner, mode="r")["b/text"][:].tolist() == ["ä", "b"]


def test_a_copy_that_is_not_complete_keeps_the_source() -> None:
    source = MemoryStore()
    filled(source)
    before = values_of(source)
    with pytest.raises(StoreError, match=r"not what was to be moved, which stays as it is: 'a/x/c/1/0'"):
        omnizarr.move(source, Losing(MemoryStore()))
    assert values_of(source) == before


@pytest.mark.parametrize("after", range(0, 60, 7))
def test_one_that_was_interrupted_loses_nothing(after: int) -> None:
    inner, target = MemoryStore(), MemoryStore()
    filled(inner)
    before = values_of(inner)
    done = 0

    def fault(operation: str, key: str) -> Exception | None:
        nonlocal done
        done += 1
        return StoreError("the network is down") if done > after else None

    with pytest.raises(StoreError, match="network is down"):
        omnizarr.move(inner, FaultStore(target, fault))
    assert values_of(inner) == before
    omnizarr.move(inner, target, overwrite=True)
    assert values_of(target) == before
    assert list(inner.list_prefix()) == []


def test_one_that_was_interrupted_while_it_deleted() -> None:
    inner, target = MemoryStore(), MemoryStore()
    filled(inner)
    before = values_of(inner)
    deleted = 0

    def fault(operation: str, key: str) -> Exception | None:
        nonlocal deleted
        deleted += operation == "delete"
        return StoreError("the network is down") if deleted > 3 else None

    with pytest.raises(StoreError, match="network is down"):
        omnizarr.move(FaultStore(inner, fault), target)
    assert values_of(target) == before
    assert inner.get(DELETION) is not None
    with pytest.raises(NodeNotFoundError, match="same deletion run again"):
        omnizarr.move(inner, target, overwrite=True)
    assert values_of(target) == before
    omnizarr.delete(inner)
    assert list(inner.list_prefix()) == []


class Distant(WrappedStore):
    """A store on which requests wait for one another: until three are under way, or none comes any more."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self.requests = 8
        self.most = self._now = 0
        self._lock = threading.Lock()
        self._enough = threading.Event()

    def set(self, key, value):
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
            if self._now >= 3:
                self._enough.set()
        self._enough.wait(5)
        super().set(key, value)
        with self._lock:
            self._now -= 1


def test_chunks_of_many_small_arrays_are_under_way_at_once() -> None:
    source = MemoryStore()
    root = omnizarr.create_group(source)
    for number in range(12):
        root.create_array(f"g{number % 3}/a{number}", data=np.arange(number + 1) + 1)
    root.create_array("scalar", data=7)
    before = values_of(source)
    target = Distant(MemoryStore())
    target._enough.set()
    copied = omnizarr.copy(source, target)
    assert copied.moved.chunks == 13
    assert values_of(target.inner) == before
    other = Distant(MemoryStore())
    omnizarr.copy(root["g0"], other, path="x")
    assert other.most >= 3
    assert omnizarr.open(other.inner)["x/a3"][:].tolist() == [1, 2, 3, 4]
