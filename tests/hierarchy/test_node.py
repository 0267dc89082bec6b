"""Handles: names, equality, pickles, refresh."""

import pickle

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import NodeNotFoundError
from omnizarr.store import DirectoryStore, MemoryStore


@pytest.fixture(params=[2, 3])
def group(request, tmp_path):
    group = omnizarr.create_group(tmp_path / "x", zarr_format=request.param)
    group.create_array("a/b", data=np.arange(4))
    return group


def test_names(group):
    array = group["a/b"]
    assert (group.name, group.basename, group.path) == ("/", "", "")
    assert (array.name, array.basename, array.path) == ("/a/b", "b", "a/b")
    assert str(array) == array.store_path == f"{group.store.name}/a/b"
    assert str(group) == group.store.name and group.store.name.startswith("file://")
    assert repr(group["a"]) == f"<Group {group.store.name}/a>"
    assert not group.read_only and omnizarr.open(group.store, mode="r").read_only


def test_equality_is_by_place(group):
    assert group["a"] == group["a"] and hash(group["a"]) == hash(group["a"])
    assert group["a"] != group["a/b"] and group != "a"
    assert group["a"] == omnizarr.open_group(group.store.root, path="a")
    assert omnizarr.create_group(MemoryStore()) != omnizarr.create_group(MemoryStore())


def test_pickles(group):
    group["a/b"].attrs["x"] = 1
    for node in (group, group["a/b"]):
        again = pickle.loads(pickle.dumps(node))
        assert again == node and type(again) is type(node) and again.attrs == node.attrs
    assert pickle.loads(pickle.dumps(group))["a/b"][2] == 2


def test_pickled_consolidated_groups_stay_consolidated(group):
    consolidated = omnizarr.consolidate_metadata(group.store)
    again = pickle.loads(pickle.dumps(consolidated["a"]))
    DirectoryStore(group.store.root).delete_prefix("a/b/")
    assert list(again) == ["b"]


def test_refresh(group):
    array, other = group["a/b"], group["a/b"]
    other.resize((8,))
    other.attrs["x"] = 1
    assert array.shape == (4,)
    array.refresh()
    assert array.shape == (8,) and array.attrs["x"] == 1


def test_refresh_of_what_is_gone(group):
    array = group["a/b"]
    group.create_group("a/b", overwrite=True)
    with pytest.raises(NodeNotFoundError, match="another kind"):
        array.refresh()
    del group["a/b"]
    with pytest.raises(NodeNotFoundError, match="deleted"):
        array.refresh()
