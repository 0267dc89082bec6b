"""Links in a group: listed, added, removed."""

from __future__ import annotations

from typing import Any

import pytest

import omnizarr
from omnizarr import Group
from omnizarr.errors import MetadataError, NodeExistsError, NodeNameError, NodeNotFoundError, ReadOnlyError
from omnizarr.hierarchy.linking.links import add_link, links, remove_link
from omnizarr.hierarchy.linking.reference import Link, Reference
from omnizarr.store import MemoryStore
from omnizarr.store.layers.wrap import CountingStore

FORMATS = pytest.mark.parametrize("zarr_format", [2, 3])


def new(zarr_format: int = 2, **attributes: Any) -> Group:
    return omnizarr.open_group(MemoryStore(), mode="w", zarr_format=zarr_format, attributes=attributes)


@FORMATS
def test_links_come_and_go(zarr_format: int) -> None:
    group = new(zarr_format, other=1)
    array = group.create_array("a/b", shape=(2,), dtype="i4", attributes={"object_id": "id"})
    one = add_link(group, "one", array)
    two = add_link(group, "two", "/a", source="../x.zarr")
    assert one == Link("one", Reference("/a/b", ".", "id"))
    assert two == Link("two", Reference("/a", "../x.zarr"))
    assert links(group) == links(omnizarr.open_group(group.store, mode="r")) == {"one": one, "two": two}
    remove_link(group, "one")
    assert links(group) == {"two": two}
    remove_link(group, "two")
    assert group.attrs.asdict() == {"other": 1}


def test_the_stored_form_on_v2() -> None:
    group = new(2)
    add_link(group, "one", Reference("/a/b"))
    none = {"object_id": None, "source_object_id": None}
    assert group.attrs["zarr_link"] == [{"name": "one", "source": ".", "path": "/a/b", **none}]


def test_the_stored_form_on_v3() -> None:
    group = new(3)
    add_link(group, "one", Reference("/a/b"))
    assert group.attrs["_LINKS"] == [{"name": "one", "source": ".", "path": "/a/b"}]


def test_either_list_is_read_whatever_the_format_and_what_is_not_known_in_it_stays() -> None:
    old = {"name": "old", "path": "/a", "source": ".", "colour": "red"}
    group = new(3, zarr_link=[old], _LINKS=[{"name": "new", "path": "/b"}])
    assert list(links(group)) == ["old", "new"]
    add_link(group, "third", "/c")
    assert group.attrs["zarr_link"] == [old]
    remove_link(group, "old")
    assert list(links(group)) == ["new", "third"]
    assert "zarr_link" not in group.attrs


def test_links_are_listed_without_a_request_and_added_by_one_write() -> None:
    group = new(3)
    counted = CountingStore(group.store)
    opened = omnizarr.open_group(counted, mode="r+")
    counted.counts.clear()
    assert links(opened) == {}
    assert not counted.counts
    add_link(opened, "x", "/a")
    assert counted.counts["update"] == 1
    assert "set" not in counted.counts


def test_two_handles_lose_no_link() -> None:
    group = new()
    other = omnizarr.open_group(group.store, mode="r+")
    add_link(group, "one", "/a")
    add_link(other, "two", "/b")
    assert list(links(other)) == ["one", "two"]


def test_a_name_is_taken_once() -> None:
    group = new()
    group.create_group("member")
    add_link(group, "x", "/a")
    with pytest.raises(NodeExistsError, match=r"a member has the name 'member'"):
        add_link(group, "member", "/a", overwrite=True)
    with pytest.raises(NodeExistsError, match=r"a link has the name 'x'; overwrite=True"):
        add_link(group, "x", "/b")
    add_link(group, "x", "/b", overwrite=True)
    assert links(group)["x"].reference.path == "/b"


@pytest.mark.parametrize("name", ["", "..", "a/b", "a\0", ".zattrs"])
def test_names_that_no_node_may_have(name: str) -> None:
    with pytest.raises(NodeNameError):
        add_link(new(), name, "/a")


def test_nothing_is_written_where_the_path_is_none() -> None:
    group = new()
    with pytest.raises(NodeNameError, match=r"all dots"):
        add_link(group, "x", "/a/../../b")
    assert group.attrs.asdict() == {}


def test_a_link_that_is_not_there_is_not_removed() -> None:
    group = new()
    add_link(group, "x", "/a")
    with pytest.raises(NodeNotFoundError, match=r"no link 'y': the links here are 'x'"):
        remove_link(group, "y")


def test_nothing_is_added_through_a_handle_for_reading() -> None:
    group = omnizarr.open_group(new().store, mode="r")
    with pytest.raises(ReadOnlyError):
        add_link(group, "x", "/a")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({}, r"attributes\.zarr_link: expected a list, found \{\}"),
        ([1], r"attributes\.zarr_link\[0\]: expected an object, found 1"),
        ([{"path": "/a"}], r"attributes\.zarr_link\[0\]\.name: required, but missing"),
        ([{"name": "x"}], r"attributes\.zarr_link\[0\]\.path: required, but missing"),
        ([{"name": "a/b", "path": "/a"}], r"zarr_link\[0\]\.name: expected a name, found \"a/b\""),
        ([{"name": "..", "path": "/a"}], r"zarr_link\[0\]\.name: expected a name"),
        ([{"name": "x", "path": "/../a"}], r"zarr_link\[0\]\.path: expected a path of names"),
        ([{"name": "x", "path": "/a"}] * 2, r"zarr_link\[1\]\.name: \"x\" is the name of two links"),
        ([1, {"name": 3, "path": 4}], r"(?s)3 problems.*\[0\]: expected.*\[1\]\.name.*\[1\]\.path"),
    ],
)
def test_what_is_wrong_with_links_is_told_with_its_place(value: Any, said: str) -> None:
    group = new(zarr_link=value)
    with pytest.raises(MetadataError, match=said):
        links(group)
    with pytest.raises(MetadataError, match=said):
        add_link(group, "new", "/a")
    assert group.attrs["zarr_link"] == value
