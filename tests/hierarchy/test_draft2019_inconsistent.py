"""Hierarchies of the draft of 2019 that contradict themselves: read as said, and told of by `validate`."""

from __future__ import annotations

import numpy as np

import omnizarr
from omnizarr import Array
from omnizarr.store import MemoryStore

NAME = "3-2019"


def example() -> MemoryStore:
    store = MemoryStore()
    root = omnizarr.create_group(store, zarr_format=NAME)
    root.create_array("foo/bar", data=np.arange(4), chunks=(2,))
    assert omnizarr.validate(store, level="data").findings == ()
    return store


def told(store: MemoryStore) -> list[tuple[str, str]]:
    return [(finding.path, finding.at) for finding in omnizarr.validate(store).findings]


def messages(store: MemoryStore) -> str:
    return "\n".join(str(finding) for finding in omnizarr.validate(store).findings)


def test_an_array_and_a_group_at_one_place() -> None:
    store = example()
    omnizarr.create_group(store, path="foo/bar", attributes={"a": 1})
    assert {"meta/root/foo/bar.array", "meta/root/foo/bar.group"} <= set(store.list_prefix())
    root = omnizarr.open_group(store, mode="r")
    assert isinstance(root["foo/bar"], Array)
    assert isinstance(dict(root.members(max_depth=None))["foo/bar"], Array)
    assert ("foo/bar", "meta/root/foo/bar.group") in told(store)
    assert "both an array and a group" in messages(store)


def test_an_array_with_nodes_below_it() -> None:
    store = example()
    omnizarr.create_array(store, path="foo/bar/in/it", shape=1)
    root = omnizarr.open_group(store, mode="r")
    assert [path for path, _ in root.members(max_depth=None)] == ["foo", "foo/bar"]
    assert isinstance(root["foo/bar"], Array)
    assert [path for path, _ in told(store)] == ["foo/bar/in/it"]
    assert "below an array" in messages(store)
    assert isinstance(root["foo/bar/in/it"], Array)  # by its path


def test_the_whole_tree_without_cheap_listings_is_the_same() -> None:
    store = example()
    omnizarr.create_array(store, path="foo/bar/in/it", shape=1)
    omnizarr.create_group(store, path="foo/bar")
    store.lists_cheaply = False  # type: ignore[misc]
    root = omnizarr.open_group(store, mode="r")
    assert [path for path, _ in root.members(max_depth=None)] == ["foo", "foo/bar"]
    assert isinstance(root["foo/bar"], Array)


def test_chunks_without_a_document() -> None:
    store = example()
    store.set("data/gone/0.0", b"x")
    assert told(store) == [("", "data/gone/0.0")]


def test_chunks_outside_their_array() -> None:
    store = example()
    store.set("data/foo/bar/7", b"x")
    assert told(store) == [("foo/bar", "data/foo/bar/7")]


def test_documents_elsewhere() -> None:
    store = example()
    store.set("meta/foo.array", store.get("meta/root/foo/bar.array") or b"")
    store.set("meta/root/note.txt", b"x")
    assert sorted(at for _, at in told(store)) == ["meta/foo.array", "meta/root/note.txt"]


def test_siblings_that_differ_in_case_alone() -> None:
    store = example()
    omnizarr.create_array(store, path="foo/BAR", shape=1)
    omnizarr.create_array(store, path="Foo/x", shape=1)
    found = omnizarr.validate(store).findings
    assert sorted((finding.kind, finding.path) for finding in found) == [("name", "foo"), ("name", "foo/bar")]
    assert len(dict(omnizarr.open_group(store, mode="r").members(max_depth=None))) == 5


def test_names_that_nodes_may_not_have() -> None:
    store = example()
    store.set("meta/root/a b.group", b'{"extensions": [], "attributes": {}}')
    assert told(store) == [("a b", "")]
    assert "letters, digits" in messages(store)


def test_broken_documents() -> None:
    store = example()
    store.set("meta/root/foo/bar.array", b"{")
    store.set("meta/root/x.array", b'{"shape": [1]}')
    paths = {path for path, _ in told(store)}
    assert paths == {"foo/bar", "x"}


def test_hierarchies_below_a_path_are_checked_as_they_are() -> None:
    store = MemoryStore()
    for key, value in example().mapping().items():
        store.set(f"in/here/{key}", value)
    store.set("in/here/data/gone/0", b"x")
    for zarr_format in (None, NAME):
        report = omnizarr.validate(store, path="in/here", level="data", zarr_format=zarr_format)
        assert [finding.at for finding in report.findings] == ["data/gone/0"]
        assert report.chunks == 2
    assert omnizarr.validate(store, path="in/here/foo").findings == ()
    assert omnizarr.repair(store, path="in/here").removed == 1
    assert omnizarr.validate(store, path="in/here").findings == ()


def test_the_format_that_is_asked_for_is_that_of_the_hierarchy() -> None:
    store = MemoryStore()
    root = omnizarr.create_group(store, zarr_format=NAME, metadata_encoding="application/msgpack")
    root.create_array("x", shape=2)
    assert omnizarr.validate(store, zarr_format=NAME).findings == ()
