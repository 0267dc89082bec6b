"""Consolidated metadata are a model, flattened, at the root; and back."""

import json

import numpy as np
import pytest
import zarr

import omnizarr
from omnizarr import zom
from omnizarr.errors import ConversionError, MetadataError
from omnizarr.jsontypes import parse_json
from omnizarr.store import MemoryStore
from omnizarr.zom.version import DEEPEST

VERSIONS = {2: zom.v2, 3: zom.v3}


@pytest.fixture(params=[2, 3])
def version(request):
    return VERSIONS[request.param]


def model(version):
    plain = version.ArraySpec.from_array(np.zeros((4, 6), "i4"), chunks=(2, 3), fill_value=3)
    noted = version.ArraySpec.from_array(np.zeros(5), attributes={"units": "m"}, fill_value=np.nan)
    deep = version.GroupSpec(attributes={"n": 1}, members={"y": noted})
    return version.GroupSpec(
        attributes={"title": "é"},
        members={"b": plain, "a": version.GroupSpec(members={"x": plain, "deep": deep})},
    )


def stored(version, store):
    return parse_json(store.get(".zmetadata" if version is zom.v2 else "zarr.json"))


def test_there_and_back(version):
    spec = model(version)
    document = spec.to_consolidated()
    assert version.GroupSpec.from_consolidated(document) == spec
    assert version.GroupSpec.from_consolidated(json.dumps(document)) == spec
    empty = version.GroupSpec()
    assert version.GroupSpec.from_consolidated(empty.to_consolidated()) == empty


def test_it_is_what_consolidating_the_hierarchy_writes(version):
    spec, store = model(version), MemoryStore()
    spec.to_store(store)
    omnizarr.consolidate_metadata(store)
    assert stored(version, store) == parse_json(json.dumps(spec.to_consolidated()).encode())
    other = MemoryStore()
    spec.to_store(other, consolidated=True)
    assert dict(store.mapping()) == dict(other.mapping())
    assert version.GroupSpec.from_consolidated(stored(version, store)) == spec


@pytest.mark.filterwarnings("ignore::zarr.errors.ZarrUserWarning")
def test_zarr_python_writes_it_and_reads_it(version, tmp_path):
    spec = model(version)
    spec.to_store(tmp_path / "a.zarr")
    zarr.consolidate_metadata(tmp_path / "a.zarr", zarr_format=spec.zarr_format)
    name = ".zmetadata" if version is zom.v2 else "zarr.json"
    assert version.GroupSpec.from_consolidated((tmp_path / "a.zarr" / name).read_bytes()) == spec
    spec.to_store(tmp_path / "b.zarr", consolidated=True)
    root = zarr.open_group(tmp_path / "b.zarr", mode="r", use_consolidated=True)
    nodes = dict(root.members(max_depth=None))
    assert nodes.keys() == dict(spec.walk()).keys() and nodes["a/deep"].attrs["n"] == 1
    assert nodes["a/x"].fill_value == 3 and nodes["a/x"].chunks == (2, 3)
    assert len(dict(root["a"].members(max_depth=None))) == 3


def test_a_convention_checks_it():
    class Titled(zom.v3.GroupSpec):
        def check(self):
            if "title" not in self.attributes:
                yield zom.Violation("attributes", "expected a title")

    assert isinstance(Titled.from_consolidated(model(zom.v3).to_consolidated()), Titled)
    with pytest.raises(MetadataError, match="/: attributes: expected a title"):
        Titled.from_consolidated(zom.v3.GroupSpec().to_consolidated())


def test_what_a_v3_root_has_beside_is_kept():
    extra = {"x-extra": {"must_understand": False, "n": 1}, "_members": {"must_understand": False}}
    spec = zom.v3.GroupSpec.from_json({**model(zom.v3).to_json(), **extra})
    document = spec.to_consolidated()
    assert document["x-extra"] == extra["x-extra"] and document["attributes"] == {"title": "é"}
    assert "members" in document and "_members" not in document
    assert zom.v3.GroupSpec.from_consolidated(document) == spec


def test_groups_that_were_not_read_cannot_be_told(version):
    spec = version.GroupSpec(members={"g": version.GroupSpec(members=None)})
    with pytest.raises(ConversionError, match="the members of /g were not read"):
        spec.to_consolidated()


def problems_of(version, document):
    with pytest.raises(MetadataError) as caught:
        version.GroupSpec.from_consolidated(document)
    return [str(problem) for problem in caught.value.problems]


def test_every_fault_of_nodes_has_its_path(version):
    document = model(version).to_consolidated()
    if version is zom.v3:
        nodes = document["consolidated_metadata"]["metadata"]
        nodes["a/x"]["shape"] = [-1, 6]
        nodes["a/deep/y"]["attributes"] = 5
    else:
        nodes = document["metadata"]
        nodes["a/x/.zarray"]["shape"] = [-1, 6]
        nodes["a/deep/y/.zattrs"] = 5
    told = problems_of(version, document)
    assert any(one.startswith("/a/x: shape[0]: expected") for one in told)
    assert any(one.startswith("/a/deep/y: attributes: expected") for one in told) and len(told) == 2


def test_groups_that_are_missing_are_named_with_all_other_faults():
    document = model(zom.v3).to_consolidated()
    nodes = document["consolidated_metadata"]["metadata"]
    del nodes["a"]
    del nodes["a/deep"]
    nodes["b/in/it"] = zom.v3.GroupSpec().to_json()
    nodes["../up"] = nodes["a/x"]
    nodes["n"] = 5
    nodes["a/x"]["fill_value"] = "five"
    told = problems_of(zom.v3, document)
    assert "/a: there is no such group, though /a/deep/y lies in it" in told
    assert "/a/deep: there is no such group, though /a/deep/y lies in it" in told
    assert "/b/in/it: lies in /b, which is an array" in told
    assert "/../up: expected a path below this group" in told and "/n: expected an object, found 5" in told
    assert any(one.startswith("/a/x: fill_value: ") for one in told)


def test_documents_that_are_none():
    alone = {"zarr_format": 3, "node_type": "group"}
    assert problems_of(zom.v3, alone) == ["consolidated_metadata: required, but missing"]
    for text in ("[]", "5"):
        assert "expected an object, found " + text in problems_of(zom.v3, text)[0]
        assert "expected an object, found " + text in problems_of(zom.v2, text)[0]
    with pytest.raises(MetadataError, match="expected JSON"):
        zom.v3.GroupSpec.from_consolidated("{")
    assert any("metadata: required" in one for one in problems_of(zom.v2, {}))
    bad = {"zarr_consolidated_format": 2, "metadata": {}}
    assert problems_of(zom.v2, bad)[:2] == [
        "zarr_consolidated_format: expected 1, found 2",
        'metadata[".zgroup"]: required, but missing',
    ]
    document = zom.v3.GroupSpec().to_consolidated()
    for block, at in ((None, ""), (5, ""), ({"kind": "other", "metadata": {}}, ".kind"), ({}, ".kind")):
        told = problems_of(zom.v3, {**document, "consolidated_metadata": block})
        assert told[0].startswith(f"consolidated_metadata{at}: ")


def test_arrays_at_the_root_are_refused(version):
    array = model(version).members["b"].to_json()
    block = {"kind": "inline", "must_understand": False, "metadata": {}}
    if version is zom.v3:
        document = {**array, "consolidated_metadata": block}
    else:
        del array["attributes"]
        document = {"zarr_consolidated_format": 1, "metadata": {".zarray": array}}
    assert "expected a group, found an array" in problems_of(version, document)[0]


def test_nodes_of_another_version_are_refused():
    document = zom.v3.GroupSpec().to_consolidated()
    document["consolidated_metadata"]["metadata"]["a"] = zom.v2.GroupSpec().to_json()
    assert problems_of(zom.v3, document) == [
        "/a: expected Zarr 3, found Zarr 2; convert maps one to the other"
    ]


def test_what_lies_too_deep_is_refused_and_breaks_nothing():
    document = zom.v2.GroupSpec().to_consolidated()
    path = "/".join(["g"] * (DEEPEST + 1))
    document["metadata"][f"{path}/.zgroup"] = {"zarr_format": 2}
    assert any(f"lies in more than {DEEPEST} groups" in one for one in problems_of(zom.v2, document))


def test_a_group_that_was_created_consolidated_is_read_from_what_it_knows(version):
    array = version.ArraySpec.from_array([1, 2, 3], attributes={"units": "K"})
    bare = version.ArraySpec.from_array([1.5])
    model = version.GroupSpec(members={"a": array, "g": version.GroupSpec(members={"b": bare})})
    root = model.to_store(consolidated=True)
    assert zom.from_node(root) == model
    assert zom.diff(model, root) == []
    assert zom.validate(root, version.GroupSpec) == []


@pytest.mark.parametrize("document", [None, [], 1])
def test_what_is_no_object_is_told_once(version, document):
    with pytest.raises(MetadataError) as error:
        version.GroupSpec.from_consolidated(document)
    assert len(error.value.problems) == 1


def test_consolidated_metadata_do_not_replace_the_root():
    document = zom.v3.GroupSpec(attributes={"title": "true"}).to_consolidated()
    root = {"zarr_format": 3, "node_type": "group", "attributes": {"title": "false"}}
    document["consolidated_metadata"]["metadata"][""] = root
    with pytest.raises(MetadataError, match=r"metadata\[\"\"\]: expected a path below this group"):
        zom.v3.GroupSpec.from_consolidated(document)


def test_the_version_of_zmetadata_is_one():
    document = {**zom.v2.GroupSpec().to_consolidated(), "zarr_consolidated_format": 2}
    with pytest.raises(MetadataError, match="zarr_consolidated_format: expected 1, found 2"):
        zom.v2.GroupSpec.from_consolidated(document)
