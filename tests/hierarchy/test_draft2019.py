"""Hierarchies of the draft of June 2019: opened, made, listed, changed and deleted by the ordinary API."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr import Array, Group
from omnizarr.errors import (
    ConversionError,
    MetadataError,
    NodeExistsError,
    NodeNameError,
    NodeNotFoundError,
    StoreError,
    UnsupportedError,
)
from omnizarr.store import DirectoryStore, MemoryStore, Store, ZipStore
from omnizarr.store.layers.below import BelowStore
from omnizarr.store.layers.wrap import CountingStore

NAME = "3-2019"
CORE = "http://purl.org/zarr/spec/protocol/core/3.0"
BOOTSTRAP = {"zarr_format": CORE, "metadata_encoding": "application/json", "extensions": []}
WRITES = {"set", "set_if_absent", "update", "delete", "delete_prefix"}


def hand_written() -> MemoryStore:
    """Return what the design document shows: `foo` is implied, `foo/baz` has a document."""
    array = {
        "shape": [3, 2],
        "data_type": "<i2",
        "chunk_grid": {"type": "regular", "chunk_shape": [2, 2]},
        "chunk_memory_layout": "C",
        "compressor": None,
        "fill_value": 7,
        "extensions": [],
        "attributes": {"units": "m"},
    }
    group = {"extensions": [], "attributes": {"spam": "ham", "eggs": 42}}
    return MemoryStore(
        {
            "zarr.json": json.dumps(BOOTSTRAP).encode(),
            "meta/root/foo/bar.array": json.dumps(array).encode(),
            "meta/root/foo/baz.group": json.dumps(group).encode(),
            "data/foo/bar/0.0": np.arange(4, dtype="<i2").tobytes(),
        }
    )


def counted(store: Store) -> CountingStore:
    return CountingStore(store)


def writes(store: CountingStore) -> dict[str, int]:
    return {name: count for name, count in store.counts.items() if name in WRITES and count}


# --- opening


@pytest.mark.parametrize("zarr_format", [None, NAME])
def test_a_hierarchy_is_opened_whether_its_format_is_given_or_not(zarr_format: str | None) -> None:
    root = omnizarr.open(hand_written(), mode="r", zarr_format=zarr_format)
    assert isinstance(root, Group)
    assert root.zarr_format == NAME
    assert dict(root.attrs) == {}
    array = omnizarr.open(hand_written(), mode="r", path="foo/bar", zarr_format=zarr_format)
    assert isinstance(array, Array)
    assert array[:].tolist() == [[0, 1], [2, 3], [7, 7]]
    assert dict(array.attrs) == {"units": "m"}
    group = omnizarr.open_group(hand_written(), mode="r", path="foo/baz", zarr_format=zarr_format)
    assert dict(group.attrs) == {"spam": "ham", "eggs": 42}
    implied = omnizarr.open_group(hand_written(), mode="r", path="foo", zarr_format=zarr_format)
    assert dict(implied.attrs) == {}


def test_what_opening_asks_of_a_store() -> None:
    store = counted(hand_written())
    omnizarr.open(store, mode="r", path="foo/bar", zarr_format=NAME)
    assert store.counts == {"get": 2}  # the bootstrap document, and the array's
    store.reset()
    omnizarr.open(store, mode="r", path="foo/baz", zarr_format=NAME)
    assert store.counts == {"get": 3}
    store.reset()
    omnizarr.open(store, mode="r")
    assert store.counts == {"get": 3}
    store.reset()
    omnizarr.open(store, mode="r", path="foo", zarr_format=NAME)
    assert store.counts == {"get": 3, "list_dir": 1}  # no document: whether something lies below


def test_a_root_array() -> None:
    store = MemoryStore()
    array = omnizarr.create_array(store, data=np.arange(6).reshape(2, 3), chunks=(1, 3), zarr_format=NAME)
    assert set(store.list_prefix()) == {"zarr.json", "meta/root.array", "data/0.0", "data/1.0"}
    assert omnizarr.open_array(store, mode="r")[:].tolist() == array[:].tolist()


def test_nothing_is_opened_where_nothing_is() -> None:
    root = omnizarr.open_group(hand_written(), mode="r")
    with pytest.raises(NodeNotFoundError, match="the group /foo holds 'bar', 'baz'"):
        root["foo/nothing"]
    assert "foo/nothing" not in root
    with pytest.raises(NodeNotFoundError, match=r"no .*array or group"):
        omnizarr.open(hand_written(), mode="r", path="nothing")
    with pytest.raises(NodeNotFoundError, match="no Zarr 3-2019 group"):
        omnizarr.open_group(MemoryStore(), mode="r", zarr_format=NAME)


def test_an_unknown_extension_is_named_or_ignored_and_kept() -> None:
    extension: dict[str, Any] = {
        "extension": "http://example.org/zarr/extension/foo",
        "must_understand": True,
        "configuration": {"foo": "bar"},
    }
    store = hand_written()
    store.set("zarr.json", json.dumps({**BOOTSTRAP, "extensions": [extension]}).encode())
    for path in (None, "foo/bar"):
        with pytest.raises(UnsupportedError, match=r"http://example\.org/zarr/extension/foo must be und"):
            omnizarr.open(store, mode="r", path=path)
    extension["must_understand"] = False
    document = json.dumps({**BOOTSTRAP, "extensions": [extension]}).encode()
    store.set("zarr.json", document)
    root = omnizarr.open_group(store, mode="r+")
    root.create_array("foo/new", shape=1)
    root.attrs["a"] = 1
    assert store.get("zarr.json") == document
    omnizarr.consolidate_metadata(store)
    assert extension in json.loads(store.get("zarr.json") or b"")["extensions"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"zarr_format": "http://purl.org/zarr/spec/protocol/core/4.0"}, "version 4"),
        ({"zarr_format": "http://example.org/other"}, "expected the URI of a core protocol"),
        ({"metadata_encoding": "application/unknown"}, "application/unknown"),
        ({"extensions": {}}, "extensions"),
        ({"extensions": [{"extension": "urn:x"}]}, "must_understand"),
    ],
)
def test_a_broken_bootstrap_document_is_told_of(change: dict[str, Any], told: str) -> None:
    store = hand_written()
    store.set("zarr.json", json.dumps({**BOOTSTRAP, **change}).encode())
    with pytest.raises(MetadataError, match=told):
        omnizarr.open(store, mode="r")


def test_a_minor_version_that_is_newer_is_read() -> None:
    store = hand_written()
    document = {**BOOTSTRAP, "zarr_format": "https://purl.org/zarr/spec/protocol/core/3.7"}
    store.set("zarr.json", json.dumps(document).encode())
    assert omnizarr.open_array(store, mode="r", path="foo/bar").shape == (3, 2)


# --- hierarchies below a path of the store


def test_a_hierarchy_below_a_path_of_the_store() -> None:
    store = MemoryStore()
    for key, value in hand_written().mapping().items():
        store.set(f"in/here/{key}", value)
    assert omnizarr.open(store, mode="r", path="in/here")["foo/bar"].shape == (3, 2)
    array = omnizarr.open_array(store, mode="r+", path="in/here/foo/bar")
    assert (array.path, array.store.name) == ("foo/bar", f"{store.name}/in/here")
    array[0, 0] = 5
    new = omnizarr.create_array(store, path="in/here/foo/new", shape=2)
    assert new.zarr_format == NAME
    assert store.get("in/here/meta/root/foo/new.array") is not None
    assert omnizarr.open_array(store, mode="r", path="in/here/foo/bar", zarr_format=NAME)[0, 0] == 5
    assert omnizarr.delete(store, path="in/here/foo") == 4
    assert sorted(store.list_prefix()) == ["in/here/zarr.json"]


def test_several_hierarchies_in_one_zip_file(tmp_path: Path) -> None:
    with ZipStore(tmp_path / "several.zip", mode="w") as archive:
        for name in ("one", "two"):
            root = omnizarr.create_group(BelowStore(archive, name), zarr_format=NAME)
            root.create_array("a/b", data=np.full(3, len(name)))
    with omnizarr.open_group(tmp_path / "several.zip" / "two", mode="r").store:
        pass
    array = omnizarr.open_array(f"{tmp_path}/several.zip/two/a/b", mode="r")
    assert array[:].tolist() == [3, 3, 3]
    array.store.close()


# --- creating


def test_creating_an_array_is_one_write_and_nothing_else() -> None:
    store = counted(MemoryStore())
    root = omnizarr.create_group(store, zarr_format=NAME)
    store.reset()
    root.create_array("foo/bar", shape=(10,), chunks=(5,))
    assert store.counts == {"set_if_absent": 1}
    store.reset()
    root.create_group("a/b/c", attributes={"x": 1})
    assert store.counts == {"set_if_absent": 1}
    assert set(store.list_prefix()) == {
        *("zarr.json", "meta/root.group", "meta/root/foo/bar.array", "meta/root/a/b/c.group")
    }


def test_creating_an_array_by_the_place_of_a_hierarchy_is_one_write() -> None:
    store = counted(hand_written())
    omnizarr.create_array(store, path="foo/new", shape=1)
    assert writes(store) == {"set_if_absent": 1}
    store.reset()
    omnizarr.create_array(store, path="x/y/z", shape=1, zarr_format=NAME)
    assert writes(store) == {"set_if_absent": 1}


def test_a_new_hierarchy_has_its_bootstrap_document_first() -> None:
    store = counted(MemoryStore())
    omnizarr.create_array(store, path="foo/bar", shape=1, zarr_format=NAME)
    assert writes(store) == {"set_if_absent": 2}
    assert json.loads(store.get("zarr.json") or b"") == BOOTSTRAP
    assert set(store.list_prefix()) == {"zarr.json", "meta/root/foo/bar.array"}


def test_ancestors_are_implied_and_open_as_groups() -> None:
    store = MemoryStore()
    omnizarr.create_array(store, path="a/b/c", shape=1, zarr_format=NAME)
    root = omnizarr.open_group(store, mode="r")
    assert [path for path, _ in root.members(max_depth=None)] == ["a", "a/b", "a/b/c"]
    assert isinstance(root["a"], Group)
    assert "a/b" in root
    assert root["a/b"].attrs.asdict() == {}


def test_attributes_of_an_implied_group_write_its_document() -> None:
    store = counted(MemoryStore())
    omnizarr.create_array(store, path="a/b", shape=1, zarr_format=NAME)
    group = omnizarr.open_group(store, mode="r+", path="a")
    store.reset()
    group.attrs["title"] = "now explicit"
    assert writes(store) == {"update": 1}
    assert json.loads(store.get("meta/root/a.group") or b"") == {
        "extensions": [],
        "attributes": {"title": "now explicit"},
    }
    assert omnizarr.open_group(store, mode="r", path="a").attrs["title"] == "now explicit"


def test_attributes_of_an_array_are_in_its_own_document() -> None:
    store = hand_written()
    array = omnizarr.open_array(store, mode="r+", path="foo/bar")
    array.attrs["more"] = [1, {"deep": None}]
    found = json.loads(store.get("meta/root/foo/bar.array") or b"")
    assert found["attributes"] == {"units": "m", "more": [1, {"deep": None}]}
    assert store.get("meta/root/foo/bar.group") is None


def test_what_is_there_is_not_made_again() -> None:
    root = omnizarr.open_group(hand_written(), mode="r+")
    with pytest.raises(NodeExistsError, match="an array is there already"):
        root.create_array("foo/bar", shape=1)
    with pytest.raises(NodeExistsError, match="a group is there already"):
        root.create_group("foo/baz")
    assert root.require_group("foo").path == "foo"
    replaced = root.create_array("foo/bar", shape=1, overwrite=True)
    assert (replaced.shape, replaced.nchunks_initialized) == ((1,), 0)


def test_hierarchies_of_other_formats_are_kept_apart() -> None:
    with pytest.raises(NodeExistsError, match="a hierarchy of a draft of Zarr v3"):
        omnizarr.create_group(hand_written(), zarr_format=3)
    with pytest.raises(NodeExistsError, match="a hierarchy of a draft of Zarr v3"):
        omnizarr.create_array(hand_written(), path="foo/x", shape=1, zarr_format=3)
    for zarr_format in (2, 3):
        store = MemoryStore()
        omnizarr.create_group(store, zarr_format=zarr_format)
        with pytest.raises(NodeExistsError, match=f"a node of Zarr {zarr_format} is there"):
            omnizarr.create_array(store, path="x", shape=1, zarr_format=NAME)
    omnizarr.create_group(store, zarr_format=NAME, overwrite=True)
    assert set(store.list_prefix()) == {"zarr.json", "meta/root.group"}
    omnizarr.create_group(store, zarr_format=2, overwrite=True)
    assert omnizarr.open_group(store, mode="r").zarr_format == 2


def test_many_nodes_are_made_by_one_write_each() -> None:
    source = omnizarr.open_group(hand_written(), mode="r")
    store = counted(MemoryStore())
    root = omnizarr.create_group(store, zarr_format=NAME)
    store.reset()
    nodes = {path: node.metadata for path, node in source.members(max_depth=None)}
    assert len(list(root.create_hierarchy(nodes))) == 3
    assert store.counts == {"set_if_absent": 3}


def test_the_ordinary_ways_to_make_arrays() -> None:
    root = omnizarr.create_group(zarr_format=NAME)
    root["set"] = np.arange(4.0)
    assert root["set"][:].tolist() == [0, 1, 2, 3]
    assert root.full("full", 3, 9)[:].tolist() == [9, 9, 9]
    v3 = omnizarr.create_array(shape=(4, 4), chunks=(2, 2), fill_value=3, zarr_format=3)
    taken = omnizarr.from_array(root, name="taken", data=v3, zarr_format=NAME)
    assert (taken.zarr_format, taken.chunks, taken.fill_value) == (NAME, (2, 2), 3)
    saved = MemoryStore()
    omnizarr.save_array(saved, np.arange(3), zarr_format=NAME)
    assert omnizarr.load(saved).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"shape": (4,), "chunks": (2,), "shards": (4,)}, "sharding_indexed"),
        ({"shape": (4,), "chunks": ((1, 3),)}, "chunks of one shape"),
        ({"shape": (4,), "dimension_names": ["x"]}, "dimension names"),
        ({"shape": (4,), "dtype": "c8"}, "complex64"),
        ({"shape": (4,), "dtype": str}, "vlen-utf8"),
        ({"shape": (4,), "compressors": [{"name": "gzip"}, {"name": "zstd"}]}, "one compressor"),
        ({"shape": (4,), "chunk_key_encoding": {"name": "default"}}, "the encoding 'v2' alone"),
    ],
)
def test_what_the_draft_cannot_hold_is_refused_before_anything_is_stored(
    arguments: dict[str, Any], told: str
) -> None:
    store = MemoryStore()
    with pytest.raises((ConversionError, MetadataError), match=told):
        omnizarr.create_array(store, path="a/b", zarr_format=NAME, **arguments)
    assert list(store.list_prefix()) == []


# --- names


@pytest.mark.parametrize("name", ["a", "A.b_c-9", ".hidden", "x" * 255, "zarr.json", "__x", "a.array"])
def test_names_that_nodes_may_have(name: str) -> None:
    root = omnizarr.create_group(zarr_format=NAME)
    root.create_array(name, shape=1)
    assert list(root.keys()) == [name]
    assert isinstance(root[name], Array)


@pytest.mark.parametrize("name", ["...", "a b", "ä", "x" * 256, "a:b", "foo/b+c", "a\n"])
def test_names_that_they_may_not_have(name: str) -> None:
    root = omnizarr.create_group(zarr_format=NAME)
    for make in (lambda: root.create_array(name, shape=1), lambda: root.create_group(name)):
        with pytest.raises(NodeNameError):
            make()


# --- listing


def test_children_by_one_listing() -> None:
    store = counted(hand_written())
    root = omnizarr.open_group(store, mode="r")
    store.reset()
    assert list(root.keys()) == ["foo"]
    assert store.counts == {"list_dir": 1}
    foo = root["foo"]
    assert isinstance(foo, Group)
    store.reset()
    assert list(foo.keys()) == ["bar", "baz"]
    assert store.counts == {"list_dir": 1}
    store.reset()
    assert [name for name, _ in foo.members()] == ["bar", "baz"]
    assert store.counts == {"list_dir": 1, "get": 2}


def test_the_whole_tree_by_one_listing_and_a_get_for_each_document() -> None:
    store = counted(hand_written())
    root = omnizarr.open_group(store, mode="r")
    store.reset()
    assert str(root.tree()).splitlines() == ["/", "└── foo", "    ├── bar (3, 2) int16", "    └── baz"]
    assert store.counts == {"list_prefix": 1, "get": 2}


def test_a_store_that_lists_dearly_is_asked_for_directories(tmp_path: Path) -> None:
    for key, value in hand_written().mapping().items():
        DirectoryStore(tmp_path).set(key, value)
    store = counted(DirectoryStore(tmp_path))
    root = omnizarr.open_group(store, mode="r")
    store.reset()
    assert [path for path, _ in root.members(max_depth=None)] == ["foo", "foo/bar", "foo/baz"]
    assert store.counts == {"list_dir": 3, "get": 2}


def test_depths_and_kinds() -> None:
    root = omnizarr.open_group(hand_written(), mode="r")
    assert [path for path, _ in root.members(max_depth=0)] == ["foo"]
    assert [path for path, _ in root.members(max_depth=1)] == ["foo", "foo/bar", "foo/baz"]
    foo = root["foo"]
    assert isinstance(foo, Group)
    assert (list(foo.array_keys()), list(foo.group_keys()), len(foo)) == (["bar"], ["baz"], 2)


# --- changes


@pytest.mark.parametrize("separator", [".", "/"])
def test_resizing(separator: Any) -> None:
    store = MemoryStore()
    array = omnizarr.create_array(
        store,
        path="a",
        data=np.arange(24).reshape(4, 6),
        chunks=(2, 3),
        zarr_format=NAME,
        chunk_key_encoding=separator,
    )
    array.resize((2, 7))
    assert sorted(store.list_prefix("data/")) == [f"data/a/0{separator}0", f"data/a/0{separator}1"]
    assert array[:, -2:].tolist() == [[5, 0], [11, 0]]
    array.append(np.full((3, 7), 4))
    found = omnizarr.open_array(store, mode="r", path="a")
    assert found.shape == (5, 7)
    assert found[2:].tolist() == [[4] * 7] * 3


def test_deleting_what_is_in_a_group() -> None:
    store = hand_written()
    root = omnizarr.open_group(store, mode="r+")
    del root["foo/bar"]
    assert sorted(store.list_prefix()) == ["meta/root/foo/baz.group", "zarr.json"]
    with pytest.raises(NodeNotFoundError):
        del root["foo/bar"]
    del root["foo"]  # which has no document
    assert sorted(store.list_prefix()) == ["zarr.json"]
    assert list(omnizarr.open_group(store, mode="r")) == []


def test_a_group_is_gone_with_the_last_node_that_implies_it() -> None:
    store = hand_written()
    root = omnizarr.open_group(store, mode="r+")
    del root["foo/bar"], root["foo/baz"]
    assert "foo" not in root


def test_moving_within_a_hierarchy() -> None:
    store = hand_written()
    root = omnizarr.open_group(store, mode="r+")
    root.move("foo", "new/place")
    assert sorted(store.list_prefix()) == [
        "data/new/place/bar/0.0",
        "meta/root/new/place/bar.array",
        "meta/root/new/place/baz.group",
        "zarr.json",
    ]
    moved = root["new/place/bar"]
    assert isinstance(moved, Array)
    assert moved[0].tolist() == [0, 1]
    root.move("new/place/bar", "bar")
    assert sorted(store.list_prefix("data/")) == ["data/bar/0.0"]
    for old, new in (("nothing", "x"), ("bar", "bar/in"), ("bar", "new")):
        with pytest.raises((NodeNotFoundError, NodeExistsError)):
            root.move(old, new)


def test_handles_go_to_other_processes(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path)
    for key, value in hand_written().mapping().items():
        store.set(key, value)
    array = pickle.loads(pickle.dumps(omnizarr.open_array(store, mode="r", path="foo/bar")))
    assert array[0].tolist() == [0, 1]


def test_refresh_and_a_node_that_was_deleted() -> None:
    store = hand_written()
    group = omnizarr.open_group(store, mode="r+", path="foo")
    group.refresh()
    array = omnizarr.open_array(store, mode="r+", path="foo/bar")
    del omnizarr.open_group(store, mode="r+")["foo"]
    for node in (group, array):
        with pytest.raises(NodeNotFoundError):
            node.refresh()
    with pytest.raises(NodeNotFoundError, match="deleted meanwhile"):
        array.attrs["x"] = 1


# --- modes, and stores that list nothing


def test_modes() -> None:
    store = MemoryStore()
    root = omnizarr.open_group(store, mode="w-", zarr_format=NAME, attributes={"x": 1})
    assert set(store.list_prefix()) == {"zarr.json", "meta/root.group"}
    with pytest.raises(NodeExistsError):
        omnizarr.open_group(store, mode="w-", zarr_format=NAME)
    assert omnizarr.open_group(store, mode="a", path="g").zarr_format == NAME
    assert omnizarr.open_array(store, mode="a", path="g/a", shape=2).zarr_format == NAME
    assert isinstance(omnizarr.open(store, mode="a", path="g/a"), Array)
    assert omnizarr.open_group(store, mode="w", path="g", zarr_format=NAME).nmembers() == 0
    assert dict(root.attrs) == {"x": 1}
    omnizarr.open_group(store, mode="w", zarr_format=NAME)
    assert set(store.list_prefix()) == {"zarr.json", "meta/root.group"}
    assert dict(omnizarr.open_group(store, mode="r").attrs) == {}


class Silent(CountingStore):
    """A store that lists nothing."""

    def list_prefix(self, prefix: str = "") -> Any:
        raise StoreError("it lists nothing", store=self.name)

    def list_dir(self, prefix: str = "") -> Any:
        raise StoreError("it lists nothing", store=self.name)


def test_a_store_that_lists_nothing() -> None:
    store = Silent(hand_written())
    root = omnizarr.open_group(store, mode="r+")
    assert isinstance(root["foo/bar"], Array)
    assert isinstance(root["foo/baz"], Group)
    assert "foo/bar" in root
    root.create_array("foo/new", shape=1)
    with pytest.raises(StoreError, match="it lists nothing"):
        root["foo"]  # nobody can say whether something lies below
