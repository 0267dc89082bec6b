"""Hierarchies are created from models completely or not at all, with as few writes as nodes."""

import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import zarr

import omnizarr
from omnizarr import zom
from omnizarr.errors import (
    MetadataError,
    NodeExistsError,
    NodeNotFoundError,
    NodeTypeError,
    ReadOnlyError,
    StoreError,
)
from omnizarr.jsontypes import dump_json
from omnizarr.metadata.group import GroupMetadata
from omnizarr.store import DirectoryStore, MemoryStore, ZipStore
from omnizarr.store.layers.wrap import CountingStore, FaultStore, ReadOnlyStore

WRITES = ("set", "set_if_absent", "update", "delete", "delete_prefix")
VERSIONS = {2: zom.v2, 3: zom.v3}


@pytest.fixture(params=[2, 3])
def version(request):
    return VERSIONS[request.param]


def model(version, **more):
    """Three groups and three arrays; in Zarr v2 eight documents."""
    plain = version.ArraySpec.from_array(np.zeros((4, 6), "i4"), chunks=(2, 3))
    noted = version.ArraySpec.from_array(np.zeros(5), attributes={"units": "m"})
    inner = version.GroupSpec(members={"x": plain, "deep": version.GroupSpec(members={"y": noted})})
    return version.GroupSpec(attributes={"title": "é"}, members={"a": plain, "g": inner, **more})


NODES, NOTED = 6, 2


def content(store):
    return {key: store.get(key) for key in store.list_prefix()}


def opens(store, path=""):
    try:
        omnizarr.open(store, path=path, mode="r")
    except NodeNotFoundError:
        return False
    return True


def number(version):
    return 2 if version is zom.v2 else 3


def writes(store):
    return {name: store.counts[name] for name in WRITES if store.counts[name]}


# --- what is written


def test_one_write_a_node_and_one_for_its_attributes_in_v2(version):
    store = CountingStore(MemoryStore())
    made = model(version).to_store(store)
    assert writes(store) == {"set_if_absent": NODES + (NOTED if version is zom.v2 else 0)}
    assert not store.counts["get"] and not store.counts["exists"] and store.counts["list_prefix"] == 1
    assert isinstance(made, omnizarr.Group) and version.GroupSpec.from_node(made) == model(version)


def test_consolidated_metadata_are_in_the_same_write_in_v3_and_one_more_in_v2(version):
    store = CountingStore(MemoryStore())
    made = model(version).to_store(store, consolidated=True)
    assert writes(store) == {"set_if_absent": NODES + (NOTED + 1 if version is zom.v2 else 0)}
    store.reset()
    assert [path for path, _ in made.members(None)] == ["a", "g", "g/deep", "g/deep/y", "g/x"]
    assert not store.counts, "the handle knows the nodes"
    before = content(store)
    omnizarr.consolidate_metadata(store)
    assert omnizarr.open_consolidated(store).metadata == made.metadata and content(store) == before


def test_missing_groups_above_are_one_write_each(version):
    store = CountingStore(MemoryStore())
    made = model(version).to_store(store, "p/q/r")
    documents = NODES + (NOTED if version is zom.v2 else 0)
    assert writes(store) == {"set_if_absent": documents + 3}
    assert made.path == "p/q/r" and "q/r/g/x" in omnizarr.open_group(store)["p"]
    store.reset()
    model(version).to_store(store, "p/q/s")
    assert writes(store) == {"set_if_absent": documents}


def test_the_roots_document_comes_last(version):
    store = MemoryStore()
    seen = []
    model(version).to_store(FaultStore(store, lambda operation, key: seen.append((operation, key))), "p/r")
    keys = [key for operation, key in seen if operation == "set_if_absent"]
    deciding = "zarr.json" if version is zom.v3 else ".zgroup"
    assert keys[-1] == f"p/r/{deciding}" and f"p/{deciding}" in keys[-4:]


def test_an_array_alone_and_a_group_of_unread_members(version):
    array = version.ArraySpec.from_array(np.arange(3.0))
    made = array.to_store()
    assert isinstance(made, omnizarr.Array) and made[:].tolist() == [0, 0, 0]
    store = CountingStore(MemoryStore())
    group = version.GroupSpec(members=None).to_store(store)
    assert list(group) == [] and writes(store) == {"set_if_absent": 1}


def test_every_kind_of_place(version, tmp_path):
    spec = model(version)
    for place in (tmp_path / "a", str(tmp_path / "b"), {}, DirectoryStore(tmp_path / "c")):
        made = spec.to_store(place)
        assert version.GroupSpec.from_node(made) == spec
    with ZipStore(tmp_path / "a.zip", mode="a") as store:
        spec.to_store(store, "inner")
    with ZipStore(tmp_path / "a.zip") as store:
        assert version.GroupSpec.from_node(omnizarr.open_group(store, path="inner")) == spec
    spec.to_store(tmp_path / "b.zip").store.close()
    with omnizarr.open_group(tmp_path / "b.zip", mode="r").store as store:
        assert version.GroupSpec.from_node(omnizarr.open(store, mode="r")) == spec


def test_into_an_open_group_whose_snapshot_is_forgotten(version):
    store = CountingStore(MemoryStore())
    group = model(version).to_store(store, consolidated=True)
    store.reset()
    made = model(version).to_store(group, "g/new")
    assert made.path == "g/new" and "new" in group["g"] and "g/new/g/x" in group
    documents = NODES + (NOTED if version is zom.v2 else 0)
    assert writes(store) == {"set_if_absent": documents}


def test_zarr_python_reads_it(version, tmp_path):
    spec = model(version)
    spec.to_store(tmp_path / "a.zarr", consolidated=True)
    for consolidated in (True, False):
        root = zarr.open_group(tmp_path / "a.zarr", mode="r", use_consolidated=consolidated)
        nodes = dict(root.members(max_depth=None))
        assert nodes.keys() == dict(spec.walk()).keys() and dict(root.attrs) == {"title": "é"}
        assert dict(nodes["g/deep/y"].attrs) == {"units": "m"}
        assert nodes["a"].shape == (4, 6) and nodes["a"].chunks == (2, 3) and nodes["a"].dtype == "i4"
    root = zarr.open_group(tmp_path / "a.zarr", mode="r+")
    root["g/deep/y"][:] = np.arange(5)
    assert omnizarr.open_array(tmp_path / "a.zarr/g/deep/y")[:].tolist() == [0, 1, 2, 3, 4]


# --- what refuses


def test_faults_are_told_before_anything_is_written(version):
    store = CountingStore(MemoryStore())
    with pytest.raises(ValueError, match="expected overwrite or exist_ok, found both"):
        model(version).to_store(store, overwrite=True, exist_ok=True)
    with pytest.raises(NodeTypeError, match="expected the model of a group, found that of an array"):
        model(version).members["a"].to_store(store, consolidated=True)
    with pytest.raises(ReadOnlyError):
        model(version).to_store(ReadOnlyStore(store))
    assert not store.counts
    model(version).to_store(store)
    before = content(store)
    store.reset()
    with pytest.raises(NodeTypeError, match="an array can hold no other nodes"):
        model(version).to_store(store, "g/x/below", overwrite=True)
    other = VERSIONS[5 - number(version)]
    with pytest.raises(NodeExistsError, match="zarr_format"):
        model(other).to_store(store, "g/new", overwrite=True)
    assert not writes(store) and content(store) == before


def test_names_of_models_that_were_not_checked_are_checked_before_what_is_there_is_deleted(version):
    store = MemoryStore()
    model(version).to_store(store)
    before = content(store)
    reserved = "zarr.json" if version is zom.v3 else ".zarray"
    bad = version.GroupSpec.model_construct(
        attributes={}, members={reserved: model(version).members["a"]}, zarr_format=number(version)
    )
    with pytest.raises(ValueError, match="is the name of a document"):
        bad.to_store(store, overwrite=True)
    assert content(store) == before


def test_something_is_there_already(version):
    store = MemoryStore()
    model(version).to_store(store)
    before = content(store)
    with pytest.raises(NodeExistsError, match="overwrite=True replaces it, exist_ok=True leaves"):
        model(version).to_store(store)
    with pytest.raises(NodeExistsError, match=f"a node of Zarr {number(version)}"):
        model(VERSIONS[5 - number(version)]).to_store(store)
    assert content(store) == before
    with pytest.raises(NodeExistsError, match="the key 'old/c/0', but no array or group"):
        model(version).to_store({"old/c/0": b""})


# --- overwriting


def test_overwriting_deletes_all_that_was_there(version):
    store = MemoryStore()
    old = model(VERSIONS[5 - number(version)]).to_store(store)
    old["a"][:] = 7
    made = model(version).to_store(store, overwrite=True)
    assert int(made["a"][:].sum()) == 0 and content(store) == content(model(version).to_store().store)


def test_only_what_is_at_the_place_is_overwritten(version):
    root = model(version, b=version.GroupSpec(members={"x": model(version).members["a"]})).to_store()
    root["a"][:] = 7
    root["g/x"][:] = 8
    model(version).to_store(root, "g", overwrite=True)
    assert int(root["a"][0, 0]) == 7 and "g/x" not in root and "g/g/x" in root and "b/x" in root


# --- where nodes are there


def test_equal_nodes_stay_with_their_data_and_missing_ones_are_created(version):
    store = CountingStore(MemoryStore())
    root = model(version).to_store(store)
    root["a"][:] = 7
    root.create_array("stranger", shape=1)
    del root["g/deep"]
    store.reset()
    again = model(version).to_store(store, exist_ok=True)
    assert writes(store) == {"set_if_absent": 3 if version is zom.v2 else 2}
    assert int(again["a"][0, 0]) == 7 and again["g/deep/y"].attrs["units"] == "m" and "stranger" in again
    store.reset()
    model(version).to_store(store, exist_ok=True)
    assert not writes(store)


def test_consolidated_metadata_tell_of_nodes_that_the_model_does_not_name(version):
    store = MemoryStore()
    root = model(version).to_store(store)
    root.create_array("stranger", shape=1)
    made = model(version).to_store(store, exist_ok=True, consolidated=True)
    assert {"stranger", "g/x"} <= made.metadata.consolidated.keys()
    assert "stranger" in omnizarr.open_consolidated(store)


def test_spelling_makes_no_difference():
    store = MemoryStore()
    array = zom.v3.ArraySpec.from_array([1, 2])
    array.to_store(store)
    named = {**array.to_json(), "chunk_key_encoding": "default"}
    assert named != array.to_json()
    zom.from_json(named).to_store(store, exist_ok=True)


def test_every_difference_is_listed_with_its_path(version):
    store = MemoryStore()
    model(version).to_store(store)
    before = content(store)
    other = version.GroupSpec(
        attributes={"title": "e"},
        members={
            "a": version.ArraySpec.from_array(np.zeros((4, 7), "i4"), chunks=(2, 3)),
            "g": version.GroupSpec(members={"x": version.GroupSpec(), "deep": model(version).members["a"]}),
        },
    )
    with pytest.raises(NodeExistsError) as caught:
        other.to_store(store, exist_ok=True)
    told = str(caught.value)
    assert '/: attributes.title: expected "e", found "é"' in told
    assert "/a: shape[1]: expected 7, found 6" in told
    assert "/g/x: expected a group, found an array" in told
    assert "/g/deep: expected an array, found a group" in told
    assert content(store) == before


def test_what_is_in_the_way_of_missing_nodes_is_listed(version):
    other = VERSIONS[5 - number(version)]
    store = MemoryStore()
    root = model(version).to_store(store)
    del root["a"]
    del root["g/deep"]
    store.set("a/c/0/0", b"old")
    deciding = ".zgroup" if other is zom.v2 else "zarr.json"
    store.set(f"g/deep/{deciding}", b'{"zarr_format": 2}')
    store.set("g/x/" + (".zarray" if version is zom.v2 else "zarr.json"), b"{")
    before = content(store)
    with pytest.raises(NodeExistsError) as caught:
        model(version).to_store(store, exist_ok=True)
    told = str(caught.value)
    assert f"/a: expected a node of Zarr {number(version)} or nothing, found the key 'a/c/" in told
    assert f"found the key 'g/deep/{deciding}'" in told and "/g/x: " in told and "expected JSON" in told
    assert content(store) == before


# --- failures


def failing_at(store, position):
    """Return a store whose write at a position fails, once."""
    count = iter(range(10_000))

    def fault(operation, key):
        if operation in WRITES and next(count) == position:
            return StoreError("the disk is full", store=store.name, key=key)
        return None

    return FaultStore(store, fault)


DOCUMENTS = NODES + NOTED + 1 + 2  # of Zarr v2, consolidated, with two groups above


@pytest.mark.parametrize("position", range(DOCUMENTS))
def test_a_failure_leaves_nothing_behind(version, position):
    store = MemoryStore()
    omnizarr.create_group(store, zarr_format=number(version), attributes={"n": 1})
    before = content(store)
    failing = failing_at(store, position)
    if version is zom.v3 and position >= NODES + 2:
        model(version).to_store(failing, "p/q/r", consolidated=True)
        return
    with pytest.raises(StoreError, match="the disk is full"):
        model(version).to_store(failing, "p/q/r", consolidated=True)
    assert content(store) == before


@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.parametrize("position", range(3))
def test_a_failure_leaves_what_was_there(version, position, consolidated):
    store = MemoryStore()
    root = model(version).to_store(store)
    root["a"][:] = 7
    del root["g/deep"]
    before = content(store)
    expected = {zom.v2: 3, zom.v3: 2}[version] + consolidated
    failing = failing_at(store, position)
    if position >= expected:
        model(version).to_store(failing, exist_ok=True, consolidated=consolidated)
        return
    with pytest.raises(StoreError, match="the disk is full"):
        model(version).to_store(failing, exist_ok=True, consolidated=consolidated)
    assert content(store) == before


@pytest.mark.parametrize("position", range(4 + NODES + NOTED))
def test_a_failure_of_overwriting_leaves_the_old_or_nothing_that_opens(version, position):
    store = MemoryStore()
    old = model(version).to_store(store)
    old["a"][:] = 7
    before = content(store)
    if version is zom.v3 and position >= 4 + NODES:
        return
    with pytest.raises(StoreError, match="the disk is full"):
        model(version).to_store(failing_at(store, position), overwrite=True)
    assert content(store) == before or not opens(store)
    made = model(version).to_store(store, overwrite=True)
    assert content(store) == content(model(version).to_store().store) and int(made["a"][:].sum()) == 0


def test_what_cannot_be_deleted_again_is_named(version):
    store = MemoryStore()

    def fault(operation, key):
        is_last = key in ("zarr.json", ".zgroup")
        if operation == "delete" or (operation == "set_if_absent" and is_last):
            return StoreError("gone", store="x", key=key)
        return None

    with pytest.raises(StoreError, match="gone") as caught:
        model(version).to_store(FaultStore(store, fault))
    [note] = caught.value.__notes__
    assert all(repr(key) in note for key in content(store)) and not opens(store)


class _Lost(FaultStore):
    """A store that fails after it has stored one value."""

    def __init__(self, inner, lost):
        super().__init__(inner, ())
        self.lost = lost

    def set_if_absent(self, key, value):
        was_set = super().set_if_absent(key, value)
        if key.endswith(self.lost):
            raise StoreError("no answer", store=self.name, key=key)
        return was_set


def test_what_was_stored_without_an_answer_is_deleted_too(version):
    store = MemoryStore()
    lost = "g/x/zarr.json" if version is zom.v3 else "g/x/.zarray"
    with pytest.raises(StoreError, match="no answer"):
        model(version).to_store(_Lost(store, lost))
    assert content(store) == {}


def test_interrupts_undo_too(version):
    store = MemoryStore()
    fault = iter([None] * 4 + [KeyboardInterrupt()])
    with pytest.raises(KeyboardInterrupt):
        model(version).to_store(FaultStore(store, list(fault)))
    assert content(store) == {}


# --- many at once


class _Remote(MemoryStore):
    """A store that answers after a while, and likes to be asked much at once."""

    requests = 8

    def set_if_absent(self, key, value):
        time.sleep(0.0005)
        return super().set_if_absent(key, value)


@pytest.mark.parametrize("kind", [MemoryStore, _Remote])
def test_of_two_writers_one_wins_and_is_complete(version, kind):
    for _ in range(15):
        store, barrier, results = kind(), threading.Barrier(3), []

        def work(store=store, barrier=barrier, results=results):
            barrier.wait()
            try:
                model(version).to_store(store, "p/q")
                results.append("won")
            except NodeExistsError:
                results.append("lost")

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(results) == ["lost", "lost", "won"]
        assert version.GroupSpec.from_node(omnizarr.open_group(store, path="p/q")) == model(version)
        assert "q/g/x" in omnizarr.open_group(store)["p"]


def test_writers_that_let_each_other_be_all_succeed(version):
    for _ in range(10):
        store, barrier, failures = _Remote(), threading.Barrier(3), []

        def work(store=store, barrier=barrier, failures=failures):
            barrier.wait()
            try:
                model(version).to_store(store, exist_ok=True)
            except NodeExistsError as error:
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        assert version.GroupSpec.from_node(omnizarr.open_group(store)) == model(version)


def test_parallel_writes_fail_together(version):
    for position in (1, 3, 5):
        store = _Remote()
        failing = failing_at(store, position)
        assert failing.requests == 8
        with pytest.raises(StoreError, match="the disk is full"):
            model(version).to_store(failing)
        assert content(store) == {}


KILLED = """
import os, sys
from omnizarr import zom
from omnizarr.store import DirectoryStore

class Store(DirectoryStore):
    left = int(sys.argv[3])

    def set_if_absent(self, key, value):
        Store.left -= 1
        if Store.left < 0:
            os._exit(9)
        return super().set_if_absent(key, value)

zom.from_json(open(sys.argv[1], "rb").read()).to_store(Store(sys.argv[2]), "p")
"""


def test_a_killed_process_leaves_nothing_that_opens(version, tmp_path):
    spec = model(version)
    (tmp_path / "model.json").write_bytes(dump_json(spec.to_json()))
    place = tmp_path / "a.zarr"
    last = NODES + (NOTED if version is zom.v2 else 0)
    arguments = [str(tmp_path / "model.json"), str(place), str(last)]
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(KILLED), *arguments], check=False)
    assert done.returncode == 9 and any(place.rglob("*.json" if version is zom.v3 else ".z*"))
    store = DirectoryStore(place)
    assert not opens(store, "p")
    with pytest.raises(NodeExistsError, match=r"the key 'p/.*', but no array or group"):
        spec.to_store(store, "p")
    # What is there is as it was to be, and not in the way of the rest.
    assert version.GroupSpec.from_node(spec.to_store(store, "p", exist_ok=True)) == spec
    store.delete("p/zarr.json" if version is zom.v3 else "p/.zgroup")
    assert version.GroupSpec.from_node(spec.to_store(store, "p", overwrite=True)) == spec


# --- nodes by path, which are stored in the same way


def test_create_hierarchy_makes_all_or_nothing(version):
    store = MemoryStore()
    group = omnizarr.create_group(store, zarr_format=number(version))
    array = model(version).members["a"].metadata
    nodes = {"a": GroupMetadata(), "a/b/x": array, "z": array}
    for position in range(4):
        before = content(store)
        with pytest.raises(StoreError, match="the disk is full"):
            failing = omnizarr.open_group(failing_at(store, position), mode="r+")
            dict(failing.create_hierarchy(nodes))
        assert content(store) == before
    assert list(dict(group.create_hierarchy(nodes))) == ["a", "a/b/x", "z"] and "a/b" in group
    before = content(store)
    with pytest.raises(NodeExistsError):
        dict(group.create_hierarchy({"new": array, "z": array}))
    with pytest.raises(NodeTypeError, match="an array can hold no other nodes, found 'in/it' in it"):
        dict(group.create_hierarchy({"q": array, "q/in/it": array}, overwrite=True))
    with pytest.raises(ValueError, match="two names of the same node"):
        dict(group.create_hierarchy({"q": array, "/q": array}))
    with pytest.raises(MetadataError, match="expected a path below the group"):
        dict(group.create_hierarchy({"": array}))
    assert content(store) == before


def test_create_hierarchy_is_one_write_a_node(version):
    store = CountingStore(MemoryStore())
    array = omnizarr.create_array(shape=3, zarr_format=number(version)).metadata
    nodes = {"": GroupMetadata(attributes={"n": 1}), "b/c": array, "b/d": array}
    made = dict(omnizarr.create_hierarchy(store=store, nodes=nodes, zarr_format=number(version)))
    assert list(made) == ["", "b/c", "b/d"] and isinstance(made[""]["b"], omnizarr.Group)
    assert writes(store) == {"set_if_absent": 5 if version is zom.v2 else 4}


def test_an_open_group_of_another_version_holds_no_nodes_of_this_one(version):
    other = zom.v3 if version is zom.v2 else zom.v2
    store = MemoryStore()
    group = other.GroupSpec().to_store(store)
    before = content(store)
    with pytest.raises(NodeExistsError, match=f"a node of Zarr {number(other)} is there"):
        model(version).to_store(group, "below")
    assert content(store) == before
