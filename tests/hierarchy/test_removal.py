"""Deleting nodes and hierarchies: on every kind of store, with progress, and after an interruption."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import omnizarr
from omnizarr.errors import NodeNotFoundError, ReadOnlyError, StoreError
from omnizarr.hierarchy.validate import validate
from omnizarr.store import CountingStore, DirectoryStore, FaultStore, MemoryStore, Store, ZipStore


class InPages(MemoryStore):
    """A store that deletes five keys by one request."""

    requests = 4
    deletes_at_once = 5

    def __init__(self) -> None:
        super().__init__()
        self.pages: list[int] = []

    def delete_many(self, keys):
        self.pages.append(len(keys))
        super().delete_many(keys)


@pytest.fixture(params=["memory", "directory", "zip"])
def store(request, tmp_path: Path) -> Iterator[Store]:
    makes = {
        "memory": MemoryStore,
        "directory": lambda: DirectoryStore(tmp_path / "d"),
        "zip": lambda: ZipStore(tmp_path / "z.zip", mode="w"),
    }
    with makes[request.param]() as store:
        yield store


def filled(store, zarr_format: int = 3):
    root = omnizarr.create_group(store, zarr_format=zarr_format)
    for name in ("a/x", "a/y", "b/x"):
        root.create_array(name, shape=(4,), chunks=1, dtype="i1", attributes={"n": 1})[:] = 1
    return root


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_group_goes_with_all_below(store: Store, zarr_format: int) -> None:
    root = filled(store, zarr_format)
    told: list[tuple[int, int]] = []
    inside = sum(key.startswith("a/") for key in store.list_prefix())
    assert omnizarr.delete(root["a"], progress=lambda *each: told.append(each)) == inside
    assert told[-1] == (inside, inside)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert not [key for key in store.list_prefix() if key.startswith("a/")]
    assert [path for path, _ in root.members(None)] == ["b", "b/x"]
    assert root["b/x"][:].tolist() == [1] * 4


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_whole_hierarchy(store: Store, zarr_format: int) -> None:
    filled(store, zarr_format)
    omnizarr.consolidate_metadata(store)
    omnizarr.delete(store)
    assert list(store.list_prefix()) == []
    with pytest.raises(NodeNotFoundError):
        omnizarr.open(store, mode="r")


@pytest.mark.parametrize("name", ["d.zarr", "d.zip"])
def test_a_directory_or_archive_goes_too_where_it_was_named(tmp_path: Path, name: str) -> None:
    filled(tmp_path / name).store.close()
    omnizarr.delete(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_key_keeps_the_directory(tmp_path: Path) -> None:
    filled(tmp_path / "d.zarr")
    (tmp_path / "d.zarr" / ".x.partial").write_text("another's draft")
    omnizarr.delete(tmp_path / "d.zarr/a")
    assert {path.name for path in (tmp_path / "d.zarr").iterdir()} == {"b", "zarr.json", ".x.partial"}


def test_what_is_not_there(store: Store) -> None:
    root = filled(store)
    before = sorted(store.list_prefix())
    with pytest.raises(NodeNotFoundError, match="holds 'a', 'b'"):
        omnizarr.delete(root, path="c")
    with pytest.raises(NodeNotFoundError):
        omnizarr.delete(root, path="a/x/c")  # keys, and no node
    assert sorted(store.list_prefix()) == before


def test_a_store_that_is_read_only() -> None:
    store = MemoryStore()
    root = filled(store)
    before = sorted(store.list_prefix())
    with pytest.raises(ReadOnlyError):
        omnizarr.delete(omnizarr.open(root.store.mapping(), mode="r"))
    assert sorted(store.list_prefix()) == before


def test_keys_go_in_pages_where_the_store_has_them() -> None:
    store = InPages()
    filled(store)
    number = len(list(store.list_prefix()))
    assert omnizarr.delete(store) == number == 18
    assert sorted(store.pages) == [2, 5, 5, 5]  # all but the root's document, which goes first


def test_what_a_deletion_asks() -> None:
    store = CountingStore(MemoryStore())
    root = filled(store)
    store.reset()
    omnizarr.delete(root, path="a/x")
    assert store.counts == {"list_prefix": 1, "set": 1, "delete": 5, "delete_prefix": 1}


@pytest.mark.parametrize("after", range(2, 20, 3))
def test_one_that_was_interrupted_opens_nowhere_says_why_and_is_completed(after: int) -> None:
    inner = MemoryStore()
    filled(inner)
    omnizarr.consolidate_metadata(inner)
    done = 0

    def fault(operation: str, key: str) -> Exception | None:
        nonlocal done
        done += operation in ("set", "delete", "delete_prefix")
        return StoreError("the network is down") if done > after else None

    with pytest.raises(StoreError, match="network is down"):
        omnizarr.delete(FaultStore(inner, fault))
    with pytest.raises(NodeNotFoundError, match="deleted in part; the same deletion run again"):
        omnizarr.open(inner, mode="r")
    assert "a deletion of what is here was begun and never completed" in str(
        validate(inner, zarr_format=3).findings
    )
    omnizarr.delete(inner)
    assert list(inner.list_prefix()) == []


def test_a_copy_that_was_never_completed_is_deleted() -> None:
    source, target = MemoryStore(), MemoryStore()
    filled(source)
    with pytest.raises(StoreError, match="down"):
        omnizarr.copy(
            source,
            FaultStore(
                target, lambda name, key: StoreError("down") if key == "zarr.json" and name == "set" else None
            ),
        )
    assert list(target.list_prefix())
    omnizarr.delete(target)
    assert list(target.list_prefix()) == []
