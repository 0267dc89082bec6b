"""The memory store over mappings of other people."""

from __future__ import annotations

import array
import collections
import dbm.dumb
import pickle
import shelve
import threading
import time
from collections import UserDict
from collections.abc import Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import StoreError
from omnizarr.store import Listing, MemoryStore, Span, Store
from omnizarr.testing.store import StoreContract


class TestMemoryStoreOverAnotherMapping(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return MemoryStore(UserDict())


class TestMemoryStoreOverADatabase(StoreContract):
    """Which gives its keys as bytes, and is not safe to use from several threads."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        with closing(dbm.dumb.open(str(tmp_path / "db"), "n")) as database:
            yield MemoryStore(database)

    def make_store(self, tmp_path: Path) -> Store:
        raise AssertionError


class NestedDirectory(MutableMapping[str, Any]):
    """As zarr-python 2's NestedDirectoryStore: `0.1` is the file `0/1`, and any buffer is a value."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def _path(self, key: str) -> Path:
        *above, last = key.split("/")
        nested = last.replace(".", "/") if last[0].isdigit() else last
        return self.root.joinpath(*above, nested)

    def __getitem__(self, key: str) -> bytes:
        path = self._path(key)
        if not path.is_file():
            raise KeyError(key)
        return path.read_bytes()

    def __setitem__(self, key: str, value: Any) -> None:
        self._path(key).parent.mkdir(parents=True, exist_ok=True)
        self._path(key).write_bytes(value)

    def __delitem__(self, key: str) -> None:
        if not self._path(key).is_file():
            raise KeyError(key)
        self._path(key).unlink()

    def __iter__(self) -> Iterator[str]:
        for path in self.root.rglob("*"):
            if path.is_file():
                parts = path.relative_to(self.root).parts
                names = [part for part in parts if not part.isdigit()]
                digits = [part for part in parts if part.isdigit()]
                yield "/".join([*names, ".".join(digits)] if digits else names)

    def __len__(self) -> int:
        raise AssertionError("nobody needs to know")


class Failing(UserDict[str, bytes]):
    """Which raises what it is told to."""

    fault: Exception | None = None

    def _fail(self) -> None:
        if self.fault is not None:
            raise self.fault

    def __getitem__(self, key: str) -> bytes:
        self._fail()
        return super().__getitem__(key)

    def __setitem__(self, key: str, value: bytes) -> None:
        self._fail()
        super().__setitem__(key, value)

    def __delitem__(self, key: str) -> None:
        self._fail()
        super().__delitem__(key)

    def __iter__(self) -> Iterator[str]:
        self._fail()
        return super().__iter__()


class BytesOnly(MutableMapping[bytes, bytes]):
    """As wrappers of LevelDB: names are bytes, and text is none."""

    def __init__(self) -> None:
        self.held: dict[bytes, bytes] = {}

    def __getitem__(self, name: bytes) -> bytes:
        if not isinstance(name, bytes):
            raise KeyError(name)
        return self.held[name]

    def __setitem__(self, name: bytes, value: bytes) -> None:
        if not isinstance(name, bytes):
            raise TypeError("names are bytes")
        self.held[name] = value

    def __delitem__(self, name: bytes) -> None:
        del self.held[name]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)


# Values


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (bytearray(b"123"), b"123"),
        (memoryview(b"123"), b"123"),
        (array.array("B", b"123"), b"123"),
        (np.frombuffer(b"123", "u1"), b"123"),
        (np.array([[1, 2], [3, 4]], "<i2", order="F"), b"\1\0\3\0\2\0\4\0"),
        (np.arange(6, dtype="<i2")[::2], b"\0\0\2\0\4\0"),
        (np.array(["1970-01-02"], "<M8[D]"), b"\1\0\0\0\0\0\0\0"),
        (np.bytes_(b"123"), b"123"),
        (np.array([], "f4"), b""),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("kind", [dict, UserDict])
def test_values_are_anything_that_has_bytes(kind: type, value: Any, expected: bytes) -> None:
    store = MemoryStore(kind({"k": value}))
    assert (store.get("k"), store.size("k"), store.get("k", Span(0, 2))) == (
        expected,
        len(expected),
        expected[:2],
    )
    assert type(store.get("k")) is bytes


@pytest.mark.parametrize(
    "value",
    [5, 3.5, "text", ["l"], {}, np.array([object()]), np.array(["a"])[0]],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("kind", [dict, UserDict])
def test_what_has_no_bytes_is_an_error_and_not_zeros(kind: type, value: Any) -> None:
    store = MemoryStore(kind({"k": value}))
    for read in (lambda: store.get("k"), lambda: store.size("k"), lambda: store.get("k", Span(0, 1))):
        with pytest.raises(StoreError, match=r"expected bytes, found \w+.*'k'"):
            read()


# Names


def test_names_that_are_no_keys_are_passed_over() -> None:
    store = MemoryStore(UserDict({"a": b"1", "../b": b"2", 5: b"3", b"\xff": b"4", None: b"5", b"c": b"6"}))
    assert sorted(store.list_prefix()) == ["a", "c"]
    assert sorted(MemoryStore({"a": b"", 5: b"", b"c": b""}).list_prefix()) == ["a"]


def test_names_that_are_bytes_alone() -> None:
    held = BytesOnly()
    store = MemoryStore(held)
    with pytest.raises(StoreError, match="names are bytes"):
        store.set("k", b"1")
    held[b"a/k"] = b"1"
    assert (store.get("a/k"), store.get("none"), store.list_dir()) == (b"1", None, Listing([], ["a/"]))
    store.set("b", b"2")
    store.delete("a/k")
    assert held.held == {b"b": b"2"}
    assert MemoryStore(held).get("b") == b"2"


def test_a_dictionary_that_makes_values_is_not_made_to(tmp_path: Path) -> None:
    held: dict[str, bytes] = collections.defaultdict(bytes)
    store = MemoryStore(held)
    assert store.get("k") is None
    assert store.set_if_absent("k", b"1")
    assert (store.get("k"), list(held)) == (b"1", ["k"])


# Failures


FAULTS = [OSError(5, "Input/output error"), RuntimeError("closed"), TypeError("no"), TimeoutError("late")]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_whatever_goes_wrong_raises_and_never_fills(fault: Exception) -> None:
    held = Failing()
    array = omnizarr.create_array(held, shape=(8,), chunks=(8,), dtype="i4", fill_value=-1)
    array[:] = 7
    held.fault = fault
    with pytest.raises(StoreError, match="c/0"):
        array[:]
    store = MemoryStore(held)
    operations = (
        lambda: store.get("k"),
        lambda: store.get_into("k", memoryview(bytearray(4))),
        lambda: store.get_ranges("k", [(0, 1)]),
        lambda: store.reading("k"),
        lambda: store.size("k"),
        lambda: store.exists("k"),
        lambda: store.set("k", b""),
        lambda: store.set_if_absent("k", b""),
        lambda: store.update("k", lambda old: b""),
        lambda: store.delete("k"),
        lambda: list(store.list_prefix()),
        lambda: store.list_dir(),
        lambda: store.delete_prefix(""),
    )
    for operation in operations:
        with pytest.raises(StoreError) as caught:
            operation()
        assert caught.value.__cause__ is fault
    held.fault = None
    assert array[:].tolist() == [7] * 8


def test_a_mapping_that_cannot_list_is_read_all_the_same() -> None:
    class Unlisted(UserDict[str, bytes]):
        def __iter__(self) -> Iterator[str]:
            raise NotImplementedError("no listing")

    store = MemoryStore(Unlisted())
    store.set("k", b"1")
    assert (store.get("k"), store.get("none"), store.set_if_absent("k", b"2")) == (b"1", None, False)
    with pytest.raises(StoreError, match="cannot list: NotImplementedError: no listing"):
        store.list_dir()


def test_a_deletion_that_is_told_as_absence_is_found_out() -> None:
    """As by mappers of fsspec, which say KeyError for whatever happens then."""

    class Sticky(UserDict[str, bytes]):
        def __delitem__(self, key: str) -> None:
            raise KeyError(key)

    store = MemoryStore(Sticky({"k": b"1"}))
    store.delete("none")
    with pytest.raises(StoreError, match=r"cannot delete.*'k'"):
        store.delete("k")


def test_a_listing_that_is_changed_meanwhile_is_made_again() -> None:
    class Changing(UserDict[str, bytes]):
        turns = 3

        def __iter__(self) -> Iterator[str]:
            for key in self.data:
                if self.turns:
                    self.turns -= 1
                    self.data[f"new{self.turns}"] = b""
                yield key

    store = MemoryStore(Changing({"k": b""}))
    assert sorted(store.list_prefix()) == ["k", "new0", "new1", "new2"]
    held = Changing({"k": b""})
    held.turns = 1000
    with pytest.raises(StoreError, match="during iteration"):
        MemoryStore(held).list_dir()


# Mappings there are


def test_a_shelf(tmp_path: Path) -> None:
    with shelve.open(str(tmp_path / "shelf")) as shelf:
        root = omnizarr.open_group(shelf, mode="w")
        root.create_array("x", shape=(4,), chunks=(2,), dtype="i4")[:] = 7
    with shelve.open(str(tmp_path / "shelf"), "r") as shelf:
        again = omnizarr.open_group(shelf, mode="r")
        assert again["x"][:].tolist() == [7] * 4
        with pytest.raises(StoreError):
            MemoryStore(shelf).set("k", b"1")


def test_a_nested_directory(tmp_path: Path) -> None:
    held = NestedDirectory(tmp_path)
    array = omnizarr.create_array(held, shape=(4, 4), chunks=(2, 2), dtype="i4", zarr_format=2)
    array[:] = np.arange(16).reshape(4, 4)
    assert (tmp_path / "1" / "0").is_file()
    assert sorted(array.store.list_prefix()) == [".zarray", "0.0", "0.1", "1.0", "1.1"]
    assert omnizarr.open(held, mode="r")[3].tolist() == [12, 13, 14, 15]


def test_a_mapping_is_asked_one_thing_at_a_time() -> None:
    class Slow(UserDict[str, bytes]):
        inside = 0
        most = 0

        def __getitem__(self, key: str) -> bytes:
            self.inside += 1
            self.most = max(self.most, self.inside)
            time.sleep(0.001)
            self.inside -= 1
            return super().__getitem__(key)

    held = Slow({f"k{n}": bytes([n]) for n in range(8)})
    gate = threading.Barrier(8)

    def read(n: int) -> bytes | None:
        gate.wait(10)
        return MemoryStore(held).get(f"k{n}")

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(read, range(8))) == [bytes([n]) for n in range(8)]
    assert held.most == 1


def test_names_and_pickles(tmp_path: Path) -> None:
    held = NestedDirectory(tmp_path)
    store = MemoryStore(held)
    store.set("k", b"1")
    assert store.name.startswith("mapping://NestedDirectory/")
    again = pickle.loads(pickle.dumps(store))
    assert (again.get("k"), again.name) == (b"1", store.name)
    with pytest.raises(TypeError, match="values in memory are of one process"):
        pickle.dumps(MemoryStore())
