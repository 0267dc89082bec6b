"""Groups: a mapping by path, members, moving and deleting."""

import numpy as np
import pytest

import omnizarr
from omnizarr import Array, Group
from omnizarr.errors import (
    MetadataError,
    NodeExistsError,
    NodeNameError,
    NodeNotFoundError,
    NodeTypeError,
)
from omnizarr.metadata.group import GroupMetadata
from omnizarr.store import CountingStore, DirectoryStore, MemoryStore, ZipStore

STORES = {
    "memory": lambda path: MemoryStore(),
    "directory": lambda path: DirectoryStore(path / "x"),
    "zip": lambda path: ZipStore(path / "x.zip", mode="a"),
}


@pytest.fixture(params=[2, 3])
def zarr_format(request):
    return request.param


@pytest.fixture(params=sorted(STORES))
def group(request, tmp_path, zarr_format):
    with STORES[request.param](tmp_path) as store:
        yield omnizarr.create_group(store, zarr_format=zarr_format)


@pytest.fixture
def filled(group):
    group.create_array("a/b/c", data=np.arange(6).reshape(2, 3))
    group.create_array("a/x", shape=(), dtype="f4")
    group.create_group("z")
    return group


def test_mapping_by_path(filled):
    assert isinstance(filled["a"], Group) and isinstance(filled["a/b/c"], Array)
    assert filled["/a/b/"].path == "a/b" and filled["a"]["b"]["c"] == filled["a/b/c"]
    assert "a" in filled and "a/b/c" in filled and "a/c" not in filled and 3 not in filled
    assert len(filled) == 2 and list(filled) == ["a", "z"] == list(filled.keys())
    assert dict(filled.items()) == {"a": filled["a"], "z": filled["z"]}
    assert list(filled.values()) == [filled["a"], filled["z"]]
    assert filled[""] == filled and bool(filled["z"]) and len(filled["z"]) == 0
    assert filled.get("nope") is None and filled.get("nope", filled) is filled
    assert filled.get("z") == filled["z"]


def test_what_is_not_there(filled):
    with pytest.raises(KeyError, match="the group / holds 'a', 'z'"):
        filled["q"]
    with pytest.raises(NodeNotFoundError, match="the group /a/b holds 'c'"):
        filled["a/b/q/r"]
    with pytest.raises(NodeNotFoundError, match="the path lies inside the array /a/x"):
        filled["a/x/0"]
    with pytest.raises(NodeNotFoundError, match="the group /z holds nothing"):
        filled["z/q"]
    with pytest.raises(NodeNameError):
        filled["a/../z"]


def test_members(filled):
    assert [path for path, _ in filled.members()] == ["a", "z"]
    assert {path for path, _ in filled.members(max_depth=1)} == {"a", "z", "a/b", "a/x"}
    everything = filled.members(max_depth=None)
    assert isinstance(everything, tuple)
    assert {path: type(node) for path, node in everything} == {
        "a": Group,
        "a/b": Group,
        "a/b/c": Array,
        "a/x": Array,
        "z": Group,
    }
    assert all(filled[path] == node for path, node in everything)
    assert filled.nmembers() == 2 and filled.nmembers(None) == 5 and filled.nmembers(max_depth=1) == 4
    assert {path for path, _ in filled["a"].members(None)} == {"b", "b/c", "x"}
    with pytest.raises(ValueError, match="max_depth: expected at least 0 or None, found -1"):
        filled.members(max_depth=-1)


def test_groups_and_arrays(filled):
    inner = filled["a"]
    assert list(inner.group_keys()) == ["b"] and list(inner.array_keys()) == ["x"]
    assert list(inner.groups()) == [("b", inner["b"])] and list(inner.arrays()) == [("x", inner["x"])]
    assert list(inner.group_values()) == [inner["b"]] and list(inner.array_values()) == [inner["x"]]


def test_delete(filled):
    del filled["a/b"]
    assert "a/b" not in filled and "a/b/c" not in filled and "a/x" in filled
    with pytest.raises(KeyError):
        del filled["a/b"]
    with pytest.raises(KeyError):
        del filled[""]
    del filled["a"]
    assert list(filled) == ["z"]
    assert not [key for key in filled.store.list_prefix() if key.startswith("a")]


def test_set(group):
    group["x"] = np.arange(3)
    group["x"] = [1.5, 2.5]
    assert group["x"].dtype == "f8" and group["x"][:].tolist() == [1.5, 2.5]
    group["copy/of"] = group["x"]
    assert group["copy/of"][:].tolist() == [1.5, 2.5]
    sharded = omnizarr.create_array(data=np.arange(8), chunks=2, shards=4)
    group["sharded"] = sharded
    assert group["sharded"].chunks == (2,) and group["sharded"][:].tolist() == list(range(8))
    assert group["sharded"].shards == ((4,) if group.zarr_format == 3 else None)
    group["s"] = ["a", "bc"]
    group["o"] = np.array(["ä", ""], dtype=object)
    assert group["s"][1] == "bc" and group["o"][:].tolist() == ["ä", ""]


def test_create_group(group):
    made = group.create_group("p/q", attributes={"x": np.int8(1)})
    assert made.path == "p/q" and group["p/q"].attrs["x"] == 1 and dict(group["p"].attrs) == {}
    with pytest.raises(NodeExistsError, match="a group is there already"):
        group.create_group("p")
    group.create_group("p", overwrite=True)
    assert "p" in group and "p/q" not in group


def test_nothing_is_made_below_an_array(group):
    group.create_array("x", shape=(2,))
    for make in (group.create_group, group.require_group, lambda name: group.create_array(name, shape=1)):
        with pytest.raises(NodeTypeError, match=r"an array can hold no other nodes.*'/x'"):
            make("x/y")
        with pytest.raises(NodeTypeError, match=r"an array can hold no other nodes.*'/x'"):
            make("x/y/z")
    with pytest.raises(NodeExistsError, match="an array is there already"):
        group.create_group("x")
    assert list(group) == ["x"]


def test_names_that_no_node_may_have(group):
    for name in ("", "/", ".", "..", "a/../b", "a/...", "nul\0"):
        with pytest.raises((NodeNameError, MetadataError)):
            group.create_group(name)
    reserved = (
        ("zarr.json", "__x", "a/__y") if group.zarr_format == 3 else (".zarray", ".zgroup", "a/.zattrs")
    )
    for name in reserved:
        with pytest.raises(NodeNameError):
            group.create_array(name, shape=1)
    assert list(group) == []


def test_require_group(group):
    made = group.require_group("a/b")
    made.attrs["x"] = 1
    assert group.require_group("a/b").attrs["x"] == 1
    assert [found.path for found in group.require_groups("a", "c")] == ["a", "c"]
    assert dict(group.require_group("a/b", overwrite=True).attrs) == {}
    group.create_array("y", shape=1)
    with pytest.raises(NodeTypeError, match="expected a group, found an array"):
        group.require_group("y")


def test_require_array(group):
    made = group.require_array("x", shape=(3,), dtype="i4")
    made[:] = 7
    assert group.require_array("x", shape=3, dtype="i4")[1] == 7
    assert group.require_array("x", shape=(3,), dtype="f8")[1] == 7
    for faulty in ({"shape": (4,)}, {"shape": 3, "dtype": "i2"}, {"shape": 3, "dtype": "i8", "exact": True}):
        with pytest.raises(NodeTypeError, match="expected"):
            group.require_array("x", **faulty)
    group.create_group("g")
    with pytest.raises(NodeTypeError, match="expected an array, found a group"):
        group.require_array("g", shape=3)


def test_arrays_of_one_value(group):
    for name, value in (("zeros", 0), ("ones", 1)):
        made = getattr(group, name)(name, shape=(2, 3), dtype="i2")
        assert made.dtype == "i2" and made[:].tolist() == [[value] * 3] * 2
        like = getattr(group, f"{name}_like")(f"{name}_like", data=made, dtype="f4")
        assert like.shape == (2, 3) and like.dtype == "f4" and like[:].tolist() == [[value] * 3] * 2
    assert group.full(name="f", shape=2, fill_value=7)[:].tolist() == [7.0, 7.0]
    assert group.full_like("fl", np.zeros(2, "u1"), 9)[:].tolist() == [9, 9]
    assert group.empty(name="e", shape=2).shape == (2,)
    assert group.empty_like("el", group["f"]).fill_value == 7
    assert group.zeros("s", 2, dtype=str)[:].tolist() == ["", ""]
    assert group.zeros("t", 1, dtype="M8[s]")[0] == np.datetime64(0, "s")


def test_create_hierarchy(group):
    other = omnizarr.create_array(shape=(2,), dtype="i4", zarr_format=group.zarr_format)
    nodes = {"a/x": other.metadata, "a": GroupMetadata(attributes={"n": 1}), "b/c/d": GroupMetadata()}
    made = dict(group.create_hierarchy(nodes))
    assert set(made) == set(nodes) and made["a/x"] == group["a/x"] and group["a"].attrs["n"] == 1
    assert isinstance(group["b/c/d"], Group) and isinstance(group["b/c"], Group)
    with pytest.raises(NodeExistsError):
        dict(group.create_hierarchy(nodes))
    dict(group.create_hierarchy({"a": GroupMetadata()}, overwrite=True))
    assert "a/x" not in group


def test_move(filled):
    filled.move("a/b", "new/place")
    assert filled["new/place/c"][1].tolist() == [3, 4, 5]
    assert "a/b" not in filled and "a/x" in filled and isinstance(filled["new"], Group)
    filled.move("a/x", "z/x")
    filled.move("z", "a/z")
    assert {path for path, _ in filled.members(None)} == {
        "a",
        "a/z",
        "a/z/x",
        "new",
        "new/place",
        "new/place/c",
    }
    filled.move("a", "a")
    assert "a/z" in filled


def test_moves_that_cannot_be(filled):
    before = {key: filled.store.get(key) for key in filled.store.list_prefix()}
    for source, dest, error in (
        ("q", "r", NodeNotFoundError),
        ("a", "z", NodeExistsError),
        ("a", "a/b/new", NodeExistsError),
        ("", "w", NodeNotFoundError),
        ("z", "a/x/z", NodeTypeError),
    ):
        with pytest.raises(error):
            filled.move(source, dest)
    assert {key: filled.store.get(key) for key in filled.store.list_prefix()} == before


def test_info(filled):
    text = repr(filled["a"].info)
    assert "Name" in text and "/a" in text and f"Zarr format  : {filled.zarr_format}" in text
    assert "<table>" in filled.info._repr_html_()


def test_a_node_of_another_format_is_named(group):
    other = 5 - group.zarr_format
    inner = omnizarr.create_group(MemoryStore(), zarr_format=other)
    for key in inner.store.list_prefix():
        group.store.set(f"strange/{key}", inner.store.get(key))
    assert "strange" not in group
    with pytest.raises(KeyError, match=f"there is a group of Zarr {other}; open it with zarr_format={other}"):
        group["strange"]


def test_creating_an_array_is_one_write(zarr_format):
    store = CountingStore(MemoryStore())
    group = omnizarr.create_group(store, zarr_format=zarr_format)
    store.reset()
    group.create_array("x", shape=(10,), dtype="f4")
    # In v2 the document of a group has another name, so it is looked for too.
    assert store.counts == ({"set_if_absent": 1} if zarr_format == 3 else {"set_if_absent": 1, "exists": 1})
    store.reset()
    group["x"]
    assert store.counts == ({"get": 1} if zarr_format == 3 else {"get": 2})
