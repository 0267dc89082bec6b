"""A store over another one."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import omnizarr
from omnizarr.errors import KeyNameError, ReadOnlyError
from omnizarr.store import (
    CountingStore,
    DirectoryStore,
    Listing,
    MemoryStore,
    OverlayStore,
    ReadOnlyStore,
    Span,
    Store,
    ZipStore,
)
from omnizarr.store.listing import listing_of
from omnizarr.testing.store import StoreContract

FILLED = ("k", "a/k", "a/b", "a/c/d", "a/never", "b/a/x", "zarr.json", "c", "a/d", "n", "d1/kept1", "empty")


def filled() -> MemoryStore:
    return MemoryStore(dict.fromkeys(FILLED, b"of the lower store"))


class TestOverNothing(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return OverlayStore(DirectoryStore(tmp_path / "upper"), MemoryStore())


class TestOverWhatWasDeletedAtOnce(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        store = OverlayStore(MemoryStore(), ReadOnlyStore(filled()))
        store.delete_prefix("")
        return store


class TestOverWhatWasDeletedByKey(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        store = OverlayStore(DirectoryStore(tmp_path / "upper"), ReadOnlyStore(filled()))
        store.delete_many(FILLED)
        return store


class TestOverAnotherOverlay(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        below = OverlayStore(MemoryStore(), filled())
        below.delete_many(FILLED[::2])
        store = OverlayStore(OverlayStore(MemoryStore(), MemoryStore({"up": b"1"})), below)
        store.delete_prefix("")
        return store


def test_what_is_written_lies_above_and_below_nothing_changes() -> None:
    upper, lower = MemoryStore(), ReadOnlyStore(filled())
    store = OverlayStore(upper, lower)
    store.set("k", b"new")
    store.update("a/b", lambda old: (old or b"") + b"!")
    assert store.set_if_absent("x/y", b"1")
    assert not store.set_if_absent("c", b"1")
    store.delete("a/k")
    store.delete("never/there")
    store.delete_prefix("b/")
    store.delete_prefix("never/")
    assert dict(upper.mapping()) == {
        "k": b"new", "a/b": b"of the lower store!", "x/y": b"1", ".overlay/d.a/k.k": b"", ".overlay/p.b": b"",
    }  # fmt: skip
    below = dict.fromkeys(set(FILLED) - {"a/k", "b/a/x"}, b"of the lower store")
    assert dict(store.mapping()) == {**below, "k": b"new", "a/b": b"of the lower store!", "x/y": b"1"}
    assert store.get("a/k") is None
    assert store.get("b/a/x") is None
    assert store.get("a/c/d", Span(3, 3)) == b"the"
    assert store.list_dir() == Listing(["c", "empty", "k", "n", "zarr.json"], ["a/", "d1/", "x/"])
    assert store.list_dir("b/") == Listing([], [])
    again = OverlayStore(upper, lower)
    assert dict(again.mapping()) == dict(store.mapping())


def test_what_was_deleted_can_be_set_and_deleted_again() -> None:
    store = OverlayStore(MemoryStore(), filled())
    for _ in range(2):
        store.delete("a/k")
        assert store.get("a/k") is None
        assert store.set_if_absent("a/k", b"again")
        assert store.get("a/k") == b"again"
    store.delete_prefix("a/")
    assert store.list_dir("a/") == Listing([], [])
    store.update("a/k", lambda old: b"%r" % old)
    assert store.get("a/k") == b"None"
    store.update("a/k", lambda old: None)
    assert not store.exists("a/k")
    assert sorted(store.list_prefix("a/")) == []


def test_names_of_marks_are_no_keys() -> None:
    store = OverlayStore(MemoryStore(), MemoryStore({".overlay/x/k.b": b"", ".overlay": b"", "k": b""}))
    assert list(store.list_prefix()) == ["k"]
    assert store.list_dir() == Listing(["k"], [])
    for key in (".overlay", ".overlay/all", ".overlay/d.a/k.b"):
        with pytest.raises(KeyNameError, match="an overlay stores what it hides"):
            store.get(key)
        with pytest.raises(KeyNameError, match="an overlay stores what it hides"):
            store.set(key, b"")
        with pytest.raises(KeyNameError, match="an overlay stores what it hides"):
            store.list_dir(f"{key}/")
    for key in (".overlays/b", "a/.overlay/b", "k.a/b", "d.a", "p.a"):
        store.set(key, b"1")
        store.delete(key)
        store.set(key, b"2")
        assert store.get(key) == b"2"


def test_what_is_deleted_leaves_room_for_any_value(tmp_path: Path) -> None:
    """Also in a file system, where a value and what lies below its name exclude one another."""
    keys = ("a", "a/b", "a/b/c", "k.a/b", "d.a/b", "p.a/b")
    store = OverlayStore(DirectoryStore(tmp_path), MemoryStore(dict.fromkeys(keys, b"1")))
    store.delete_many(keys)
    store.delete_prefix("a/b/")
    assert list(store.list_prefix()) == []
    for key in keys:
        store.set(key, b"2")
        assert list(store.list_prefix()) == [key]
        store.delete(key)


def test_a_value_that_is_above_costs_nothing_below() -> None:
    upper, lower = CountingStore(MemoryStore()), CountingStore(filled())
    store = OverlayStore(upper, lower)
    store.set("k", b"1")
    upper.reset()
    assert store.get("k") == b"1"
    assert (upper.counts, lower.counts) == ({"get": 1}, {})
    upper.reset()
    assert store.get("a/c/d") is not None
    assert (upper.counts, lower.counts) == ({"get": 1, "exists": 4}, {"get": 1})


def test_an_overlay_of_what_is_read_only_is_read_only() -> None:
    store = OverlayStore(ReadOnlyStore(MemoryStore()), filled())
    assert store.read_only
    for write in (
        lambda: store.set("k", b""),
        lambda: store.set_if_absent("new", b""),
        lambda: store.set_if_absent("k", b""),
        lambda: store.update("k", lambda old: b""),
        lambda: store.delete("k"),
        lambda: store.delete("new"),
        lambda: store.delete_prefix("a/"),
    ):
        with pytest.raises(ReadOnlyError):
            write()


def test_it_pickles(tmp_path: Path) -> None:
    lower = DirectoryStore(tmp_path / "lower")
    lower.set("a", b"1")
    store = OverlayStore(DirectoryStore(tmp_path / "upper"), lower)
    store.set("b", b"2")
    again = pickle.loads(pickle.dumps(store))
    assert dict(again.mapping()) == {"a": b"1", "b": b"2"}
    assert again.name == store.name


def test_what_was_done_can_be_done_to_the_lower_store_or_another() -> None:
    lower, other = filled(), filled()
    store = OverlayStore(MemoryStore(), lower)
    store.delete_prefix("a/")
    store.set("a/new", b"1")
    store.delete("k")
    store.delete("c")
    store.set("c", b"2")
    expected = dict(store.mapping())
    with pytest.raises(ReadOnlyError):
        store.commit(ReadOnlyStore(lower))
    for target in (other, None):
        store.commit(target)
        store.commit(target)
    assert dict(lower.mapping()) == dict(other.mapping()) == expected == dict(store.mapping())


# Several at once


def test_an_update_that_deletes_shows_nobody_the_lower_value() -> None:
    store = OverlayStore(MemoryStore(), filled())
    store.set("k", b"upper")
    seen: set[bytes | None] = set()
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            seen.add(store.get("k"))

    with ThreadPoolExecutor(2) as pool:
        looking = [pool.submit(look) for _ in range(2)]
        time.sleep(0.01)
        store.update("k", lambda old: None)
        time.sleep(0.01)
        done.set()
        for task in looking:
            task.result(10)
    assert seen == {b"upper", None}


def test_no_update_of_a_lower_value_is_lost() -> None:
    lower = MemoryStore({f"n{n}": b"100" for n in range(20)})
    store = OverlayStore(MemoryStore(), lower)

    def count(name: int) -> None:
        for n in range(20):
            store.update(f"n{n}", lambda old: b"%d" % (int(old or b"0") + 1))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(count, range(8)))
    assert {store.get(f"n{n}") for n in range(20)} == {b"108"}
    assert {lower.get(f"n{n}") for n in range(20)} == {b"100"}


def test_values_are_there_while_others_below_the_prefix_are_deleted() -> None:
    """Marks of keys give way to that of a prefix, and nothing that was deleted comes back meanwhile."""
    lower = MemoryStore({f"a/{n}": b"lower" for n in range(10)} | {"a/b/x": b"lower"})
    for _ in range(20):
        store = OverlayStore(MemoryStore(), lower)
        store.delete_many([f"a/{n}" for n in range(10)])
        store.delete_prefix("a/b/")
        done = threading.Event()

        def look(store: Store = store, done: threading.Event = done) -> None:
            while not done.is_set():
                assert store.get("a/3") is None
                assert store.get("a/b/x") is None

        with ThreadPoolExecutor(1) as pool:
            looking = pool.submit(look)
            store.delete_prefix("a/")
            done.set()
            looking.result(10)
        assert list(store.list_prefix()) == []


# Against a model

_keys = st.sampled_from(["a", "b", "a/b", "a/c", "a/b/c", "b/c", "b/c/d"])
_prefixes = st.sampled_from(["", "a/", "a/b/", "b/", "b/c/"])
_values = st.binary(max_size=3)


class Overlays(RuleBasedStateMachine):
    """An overlay of three stores does what a dict does."""

    def __init__(self) -> None:
        super().__init__()
        self.lower = {key: key.encode() for key in ("a/b", "a/c", "b", "b/c/d")}
        middle = OverlayStore(MemoryStore(), MemoryStore(dict(self.lower)))
        middle.delete("a/c")
        middle.set("a", b"middle")
        self.upper = MemoryStore()
        self.store = OverlayStore(self.upper, middle)
        self.middle = middle
        self.below = dict(middle.mapping())
        self.model = dict(self.below)

    @rule(key=_keys, value=_values)
    def set(self, key: str, value: bytes) -> None:
        self.store.set(key, value)
        self.model[key] = value

    @rule(key=_keys, value=_values)
    def set_if_absent(self, key: str, value: bytes) -> None:
        assert self.store.set_if_absent(key, value) == (key not in self.model)
        self.model.setdefault(key, value)

    @rule(key=_keys, new=st.one_of(st.none(), _values))
    def update(self, key: str, new: bytes | None) -> None:
        seen: list[bytes | None] = []
        self.store.update(key, lambda old: (seen.append(old), new)[1])
        assert set(seen) == {self.model.get(key)}
        self.model.pop(key, None)
        if new is not None:
            self.model[key] = new

    @rule(key=_keys)
    def delete(self, key: str) -> None:
        self.store.delete(key)
        self.model.pop(key, None)

    @rule(prefix=_prefixes)
    def delete_prefix(self, prefix: str) -> None:
        self.store.delete_prefix(prefix)
        self.model = {key: value for key, value in self.model.items() if not key.startswith(prefix)}

    @rule()
    def open_again(self) -> None:
        self.store = OverlayStore(self.upper, self.middle)

    @rule()
    def commit(self) -> None:
        target = MemoryStore(dict(self.below))
        self.store.commit(target)
        assert dict(target.mapping()) == self.model

    @invariant()
    def it_is_as_the_model(self) -> None:
        assert dict(self.store.mapping()) == self.model
        for prefix in ("", "a/", "a/b/", "b/", "b/c/"):
            listed = list(self.store.list_prefix(prefix))
            assert sorted(listed) == sorted(key for key in self.model if key.startswith(prefix))
            sizes = {key: len(value) for key, value in self.model.items() if key.startswith(prefix)}
            assert dict(self.store.list_sizes(prefix)) == sizes
            assert self.store.list_dir(prefix) == listing_of(self.model, prefix)
        assert dict(self.middle.mapping()) == self.below


TestOverlays = Overlays.TestCase
TestOverlays.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)


# Arrays


@pytest.fixture(params=[2, 3])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "lower.zip"
    with ZipStore(path, mode="w") as store:
        group = omnizarr.create_group(store, zarr_format=request.param)
        group.create_array("x", shape=(100,), chunks=(10,), dtype="i4")[:] = np.arange(100)
        group.create_array("g/y", shape=(4,), dtype="i4")[:] = 7
        omnizarr.consolidate_metadata(store)
    before = path.read_bytes()
    yield path
    assert path.read_bytes() == before


def test_an_array_is_edited_chunk_by_chunk_over_an_archive(archive: Path) -> None:
    upper = MemoryStore()
    store = OverlayStore(upper, ZipStore(archive))
    array = omnizarr.open_group(store, mode="r+")["x"]
    array[15:25] = -1
    expected = np.arange(100)
    expected[15:25] = -1
    np.testing.assert_array_equal(array[:], expected)
    chunks = [key for key in upper.list_prefix() if not key.endswith((".json", ".zarray", ".zmetadata"))]
    assert len(chunks) == 2
    array[20:30] = 0  # all fill value: the chunk is removed, and the lower one stays hidden
    expected[20:30] = 0
    with OverlayStore(upper, ZipStore(archive)) as again:
        np.testing.assert_array_equal(omnizarr.open_group(again, mode="r")["x"][:], expected)


def test_no_reader_sees_marks() -> None:
    zarr = pytest.importorskip("zarr", reason="zarr-python is an independent reader")
    lower = MemoryStore()
    below = omnizarr.create_group(lower)
    for name in ("a", "b"):
        below.create_array(name, shape=(4,), chunks=(1,), dtype="i4")[:] = 1
    values: dict[str, bytes] = {}
    group = omnizarr.open_group(OverlayStore(MemoryStore(values), lower), mode="r+")
    group.attrs["title"] = "edited"
    group.create_array("c", shape=(2,), dtype="i4")[:] = 2
    group["b"][:2] = 0
    del group["a"]
    assert {key for key in values if key.startswith(".overlay/")} == {
        ".overlay/p.a", ".overlay/d.b/d.c/k.0", ".overlay/d.b/d.c/k.1",
    }  # fmt: skip
    assert list(omnizarr.open_group(MemoryStore(values), mode="r").keys()) == ["c"]
    buffers = {key: zarr.core.buffer.cpu.Buffer.from_bytes(value) for key, value in values.items()}
    seen = zarr.open_group(zarr.storage.MemoryStore(buffers), mode="r")
    with pytest.warns(zarr.errors.ZarrUserWarning, match="not recognized"):
        assert sorted(seen.array_keys()) == ["c"]
    assert seen["c"][:].tolist() == [2, 2]


def test_members_come_and_go_over_a_consolidated_archive(archive: Path) -> None:
    upper = MemoryStore()
    store = OverlayStore(upper, ZipStore(archive))
    group = omnizarr.open_group(store, mode="r+")
    group.create_array("new", shape=(3,), dtype="i4")[:] = 5
    group["x"].resize((50,))
    group["x"].attrs["units"] = "m"
    del group["g"]
    with OverlayStore(upper, ZipStore(archive)) as again:
        seen = omnizarr.open_group(again, mode="r")
        assert seen["x"].shape == (100,)  # as in any store: what was consolidated stands until it is anew
    omnizarr.consolidate_metadata(store)
    with OverlayStore(upper, ZipStore(archive)) as again:
        seen = omnizarr.open_group(again, mode="r")
        assert sorted(seen.array_keys()) == ["new", "x"]
        assert list(seen.group_keys()) == []
        assert seen["x"].shape == (50,)
        assert seen["x"].attrs["units"] == "m"
        np.testing.assert_array_equal(seen["new"][:], 5)
        np.testing.assert_array_equal(seen["x"][:], np.arange(50))
        assert "g" not in seen
