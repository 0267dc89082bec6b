"""Consolidated metadata: written, used without asking the store, forgotten on a change."""

import json

import numpy as np
import pytest
import zarr

import omnizarr
from omnizarr.errors import MetadataError, NodeNotFoundError, NodeTypeError
from omnizarr.hierarchy.consolidate import consolidate_nodes
from omnizarr.hierarchy.validate import validate
from omnizarr.metadata.consolidated import stale
from omnizarr.store import CountingStore, DirectoryStore, MemoryStore


@pytest.fixture(params=[2, 3])
def zarr_format(request):
    return request.param


@pytest.fixture
def place(tmp_path, zarr_format):
    group = omnizarr.create_group(tmp_path, zarr_format=zarr_format, attributes={"n": 1})
    group.create_array("a/x", data=np.arange(4.0), attributes={"units": "m"}, fill_value=np.nan)
    group.create_array("y", data=np.array(["s"], dtype=object))
    group.create_group("a/empty")
    return tmp_path


def test_nodes_come_without_operations(place, zarr_format):
    omnizarr.consolidate_metadata(place)
    store = CountingStore(DirectoryStore(place))
    group = omnizarr.open_group(store)
    assert store.counts == {"get": 1 if zarr_format == 3 else 5}
    store.reset()
    assert [path for path, _ in group.members(None)] == ["a", "a/empty", "a/x", "y"]
    assert list(group.keys()) == ["a", "y"] and len(group) == 2 and len(group["a"]) == 2
    assert "a/x" in group and "a/nope" not in group and group["a"]["x"].attrs["units"] == "m"
    assert list(group["a/empty"].keys()) == [] and str(group.tree()).count("\n") == 4
    assert group.get("nope") is None and not store.counts
    assert group["a/x"].shape == (4,) and group["a"]["x"].shape == (4,) and not store.counts
    assert group["a/x"][2] == 2 and group["y"][0] == "s"


def test_it_may_be_required_or_refused(place, zarr_format):
    with pytest.raises(MetadataError, match="no consolidated metadata"):
        omnizarr.open_consolidated(place)
    with pytest.raises(ValueError):
        omnizarr.open_group(place, use_consolidated=True)
    returned = omnizarr.consolidate_metadata(place)
    assert "Consolidated : yes" in repr(returned.info)
    assert "Consolidated : yes" in repr(omnizarr.open_consolidated(place).info)
    plain = omnizarr.open_group(place, use_consolidated=False)
    assert "Consolidated : no" in repr(plain.info)
    (place / "a" / "x" / (".zarray" if zarr_format == 2 else "zarr.json")).unlink()
    assert "a/x" not in plain and "a/x" in omnizarr.open_group(place)


@pytest.mark.parametrize(
    "change",
    [
        lambda group: group.create_group("new"),
        lambda group: group["a"].create_array("new", shape=1),
        lambda group: group.attrs.update(x=1),
        lambda group: group["a/x"].attrs.update(x=1),
        lambda group: group["a/x"].resize((9,)),
        lambda group: group["a"].__delitem__("x"),
        lambda group: group.move("a/x", "b"),
        lambda group: group["a"].__setitem__("x", [1]),
        lambda group: dict(group.create_hierarchy({"q/r": group["a/x"].metadata})),
    ],
)
def test_a_change_through_any_handle_is_seen_by_all(place, change):
    omnizarr.consolidate_metadata(place)
    group = omnizarr.open_group(place)
    beside = group["a"]
    change(group)
    fresh = omnizarr.open_group(place, use_consolidated=False)
    for handle, truth in ((group, fresh), (beside, fresh["a"])):
        found, expected = dict(handle.walk()), dict(truth.walk())
        assert found.keys() == expected.keys()
        assert all(found[path].attributes == expected[path].attributes for path in expected)
        assert all(getattr(found[p], "shape", 0) == getattr(expected[p], "shape", 0) for p in expected)


def test_what_others_change_makes_it_stale_until_it_is_written_again(place):
    omnizarr.consolidate_metadata(place)
    omnizarr.open_group(place, use_consolidated=False).create_array("late", shape=1)
    assert "late" not in omnizarr.open_group(place)
    assert "late" in omnizarr.consolidate_metadata(place)
    assert "late" in omnizarr.open_group(place)


def test_changing_attributes_keeps_the_document(place, zarr_format):
    omnizarr.consolidate_metadata(place)
    omnizarr.open_group(place).attrs["n"] = 2
    again = omnizarr.open_consolidated(place)
    assert again.attrs["n"] == 2 and [path for path, _ in again.members(None)] == ["a", "a/empty", "a/x", "y"]
    assert (place / ".zmetadata").exists() is (zarr_format == 2)


def test_an_inner_group(place):
    omnizarr.consolidate_metadata(place, path="a")
    inner = omnizarr.open_consolidated(place, path="a")
    assert sorted(inner.keys()) == ["empty", "x"] and inner["x"].path == "a/x"
    assert "Consolidated : yes" not in repr(omnizarr.open_group(place).info)


def test_what_cannot_be_consolidated(place, tmp_path):
    with pytest.raises(NodeTypeError, match="expected a group to consolidate, found an array"):
        omnizarr.consolidate_metadata(place, path="y")
    with pytest.raises(NodeNotFoundError, match="no group"):
        omnizarr.consolidate_metadata(place, path="nope")
    with pytest.raises(FileNotFoundError):
        omnizarr.consolidate_metadata(tmp_path / "missing")
    with pytest.raises(NodeNotFoundError):
        omnizarr.consolidate_metadata(MemoryStore())


def test_documents_of_others_in_zmetadata_stay(tmp_path):
    omnizarr.create_group(tmp_path, zarr_format=2).create_array("x", shape=1)
    omnizarr.consolidate_metadata(tmp_path)
    document = json.loads((tmp_path / ".zmetadata").read_text())
    document["metadata"][".nczgroup"] = {"dims": {}}
    (tmp_path / ".zmetadata").write_text(json.dumps(document))
    omnizarr.open_group(tmp_path, use_consolidated=False).create_group("g")
    omnizarr.consolidate_metadata(tmp_path)
    found = json.loads((tmp_path / ".zmetadata").read_text())["metadata"]
    assert found[".nczgroup"] == {"dims": {}} and "g/.zgroup" in found and "x/.zarray" in found
    (tmp_path / ".zmetadata").write_text("{broken")
    omnizarr.consolidate_metadata(tmp_path)
    assert "x" in omnizarr.open_consolidated(tmp_path)


def test_zarr_python_reads_ours(place, zarr_format):
    omnizarr.consolidate_metadata(place)
    group = zarr.open_consolidated(str(place), zarr_format=zarr_format)
    assert group.metadata.consolidated_metadata is not None
    assert {path for path, _ in group.members(max_depth=None)} == {"a", "a/empty", "a/x", "y"}
    assert group["a/x"][:].tolist() == [0, 1, 2, 3] and group["a/x"].attrs["units"] == "m"


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_we_read_zarr_pythons(place, zarr_format):
    zarr.consolidate_metadata(str(place), zarr_format=zarr_format)
    group = omnizarr.open_consolidated(place)
    plain = omnizarr.open_group(place, use_consolidated=False)
    found, expected = dict(group.walk()), dict(plain.walk())
    assert found.keys() == expected.keys() == {"a", "a/empty", "a/x", "y"}
    assert all(found[path].attributes == expected[path].attributes for path in found)
    assert found["a/x"].codecs == expected["a/x"].codecs and group["a/x"][3] == 3


def test_a_v2_document_by_another_name(tmp_path):
    omnizarr.create_group(tmp_path, zarr_format=2).create_array("x", shape=1)
    omnizarr.consolidate_metadata(tmp_path)
    (tmp_path / ".zmetadata").rename(tmp_path / "other")
    assert "x" in omnizarr.open_group(tmp_path, use_consolidated="other")
    with pytest.raises(MetadataError):
        omnizarr.open_group(tmp_path, use_consolidated="missing")


def broken(place, zarr_format):
    """Break consolidated metadata, and return the document they are in."""
    omnizarr.consolidate_metadata(place)
    path = place / (".zmetadata" if zarr_format == 2 else "zarr.json")
    document = json.loads(path.read_text())
    block = document if zarr_format == 2 else document["consolidated_metadata"]
    block["metadata"]["y/.zarray" if zarr_format == 2 else "y"]["shape"] = "long"
    path.write_text(json.dumps(document))
    return path


def test_broken_ones_keep_nothing_else_from_working(place, zarr_format):
    path = broken(place, zarr_format)
    with pytest.raises(MetadataError, match=r"expected a list, found .long"):
        omnizarr.open_group(place)
    before = json.loads(path.read_text())
    group = omnizarr.open_group(place, use_consolidated=False)
    assert sorted(group.keys()) == ["a", "y"] and group["a/x"][2] == 2 and group["y"][0] == "s"
    group.attrs["n"] = 2
    group.create_group("new")
    omnizarr.create_array(place, path="b/z", shape=(2,), dtype="i1", zarr_format=zarr_format)
    after = json.loads(path.read_text())
    assert group.attrs["n"] == 2 and {**after, "attributes": 0} == {**before, "attributes": 0}
    assert "y" in omnizarr.consolidate_metadata(place) and "b/z" in omnizarr.open_consolidated(place)


def test_broken_ones_are_found(place, zarr_format):
    broken(place, zarr_format)
    group = omnizarr.open_group(place, use_consolidated=False)
    found = validate(group).findings
    assert [finding.path for finding in found] == [""] and "shape" in found[0].at
    if zarr_format == 3:  # the same for a group within
        outer = omnizarr.create_group(place.parent / "outer")
        place.rename(place.parent / "outer" / "inner")
        paths = {finding.path for finding in validate(outer).findings}
        assert paths == {"inner"}


def test_what_is_stale_is_named(place, zarr_format):
    omnizarr.consolidate_metadata(place)
    group = omnizarr.open_group(place, use_consolidated=False)
    group["a/x"].attrs["units"] = "km"
    group["y"].resize((3,))
    del group["a/empty"]
    messages = {finding.at: finding.message for finding in validate(group).findings}
    assert messages == {
        "a/x": "the consolidated metadata differ from the node's own: attributes",
        "y": "the consolidated metadata differ from the node's own: shape",
        "a/empty": "in the consolidated metadata, but there is no such node",
    }


def test_nodes_that_are_known_need_not_be_read(place, zarr_format):
    group = omnizarr.open_group(place, mode="r+")
    nodes = {path: node.metadata for path, node in group.members(None)}
    key = {2: ".zmetadata", 3: "zarr.json"}[zarr_format]
    omnizarr.consolidate_metadata(place)
    wanted = (place / key).read_bytes()
    counted = CountingStore(DirectoryStore(place))
    group = omnizarr.open_group(counted, mode="r+", use_consolidated=False, zarr_format=zarr_format)
    group.update_attributes({"n": 2})
    group.update_attributes({"n": 1})
    counted.reset()
    found = consolidate_nodes(group, dict(reversed(nodes.items())))
    # The group's documents, and what there is beside them; on Zarr v3 the document is changed in place.
    assert counted.counts == {2: {"get": 4, "set": 1}, 3: {"get": 1, "update": 1}}[zarr_format]
    assert json.loads((place / key).read_bytes()) == json.loads(wanted)
    assert list(found.metadata.consolidated) == sorted(nodes) and found.attrs["n"] == 1
    assert stale(omnizarr.open_group(place).metadata.consolidated, nodes) == []


def test_nodes_are_known_of_no_group_that_is_gone(place, zarr_format):
    group = omnizarr.open_group(place, mode="r+")
    for key in group.format.document_keys(""):
        group.store.delete(key)
    with pytest.raises(NodeNotFoundError):
        consolidate_nodes(group, {})
