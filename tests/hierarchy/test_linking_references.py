"""References: the forms in which they are stored, and what is wrong with those that are none."""

from __future__ import annotations

from typing import Any

import pytest

import omnizarr
from omnizarr.errors import MetadataError, NodeNameError
from omnizarr.hierarchy.linking.attributes import add_reference, references
from omnizarr.hierarchy.linking.making import reference_to, region_reference_to
from omnizarr.hierarchy.linking.reference import (
    Reference,
    RegionReference,
    element_text,
    read_attribute,
    read_element,
    read_reference,
)
from omnizarr.hierarchy.linking.region import Points, Slices
from omnizarr.jsontypes import Problems
from omnizarr.store import MemoryStore

PLAIN = Reference("/a/b", ".", "id", "root")
OUTSIDE = Reference("/a", "../b.zarr")
REGION = RegionReference("/a/b", region=Slices(((0, 3, 1),)))


@pytest.mark.parametrize("reference", [PLAIN, OUTSIDE, REGION], ids=["plain", "outside", "region"])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_reference_is_read_as_it_was_written(reference: Reference, zarr_format: int) -> None:
    problems = Problems()
    assert read_reference(reference.to_json(zarr_format), "", problems) == reference
    assert not problems


def test_the_forms_of_attributes() -> None:
    group = omnizarr.open_group(MemoryStore(), mode="w", zarr_format=2)
    add_reference(group, "table", PLAIN)
    add_reference(group, "rows", REGION)
    assert group.attrs.asdict() == {
        "table": {
            "zarr_dtype": "object",
            "value": {"source": ".", "path": "/a/b", "object_id": "id", "source_object_id": "root"},
        },
        "rows": {
            "zarr_dtype": "region",
            "value": {
                "source": ".",
                "path": "/a/b",
                "object_id": None,
                "source_object_id": None,
                "region": {"slices": [[0, 3, 1]]},
            },
        },
    }
    assert references(group) == {"table": PLAIN, "rows": REGION}


def test_the_forms_of_attributes_on_v3() -> None:
    group = omnizarr.open_group(MemoryStore(), mode="w", zarr_format=3)
    add_reference(group, "table", OUTSIDE)
    add_reference(group, "rows", REGION)
    assert group.attrs.asdict() == {
        "table": {"_REFERENCE": {"source": "../b.zarr", "path": "/a"}},
        "rows": {"_REFERENCE": {"source": ".", "path": "/a/b", "region": {"slices": [[0, 3, 1]]}}},
    }
    assert references(group) == {"table": OUTSIDE, "rows": REGION}


def test_elements_of_datasets_are_paths_where_a_path_says_all() -> None:
    assert element_text(Reference("/a/b")) == "/a/b"
    for reference in (Reference("/a/b"), OUTSIDE, REGION):
        problems = Problems()
        assert read_element(element_text(reference), "", problems) == reference
        assert read_element(reference.to_json(), "", problems) == reference
        assert not problems
    assert read_element("", "", Problems()) is read_element(None, "", Problems()) is None


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (7, ["x: expected an object, found 7"]),
        ({}, ["x.path: required, but missing"]),
        (
            {"path": 1, "source": None},
            ["x.path: expected a string, found 1", "x.source: expected '.', a path or a URL, found null"],
        ),
        ({"path": "/a/../b"}, ['x.path: expected a path of names, found "/a/../b"']),
        ({"path": "/a/\x01"}, ['x.path: expected a path of names, found "/a/\\u0001"']),
        ({"path": "/a\0"}, ['x.path: expected a path of names, found "/a\\u0000"']),
        ({"path": "/", "source": ""}, ["x.source: expected '.', a path or a URL, found \"\""]),
        ({"path": "/", "object_id": 1}, ["x.object_id: expected a string, found 1"]),
        ({"path": "/", "region": []}, ["x.region: expected an object, found []"]),
    ],
)
def test_what_is_no_reference_is_told_with_its_place(value: Any, said: list[str]) -> None:
    problems = Problems()
    assert read_reference(value, "x", problems) is None
    assert [str(problem) for problem in problems.found] == said


def test_elements_that_are_none() -> None:
    problems = Problems()
    assert read_element('{"path"', "[3]", problems) is None
    assert read_element("/a/../..", "[4]", problems) is None
    assert [problem.at for problem in problems.found] == ["[3]", "[4].path"]


def test_a_region_that_is_promised_must_be_there() -> None:
    problems = Problems()
    assert read_attribute({"zarr_dtype": "region", "value": {"path": "/a"}}, "attributes.x", problems) is None
    assert [problem.at for problem in problems.found] == ["attributes.x.value.region"]


@pytest.mark.parametrize("value", [1, "a", None, {}, {"value": 1}, {"zarr_dtype": "object"}, ["_REFERENCE"]])
def test_other_attributes_are_no_references(value: Any) -> None:
    problems = Problems()
    assert read_attribute(value, "", problems) is None
    assert not problems


def test_every_broken_reference_of_a_node_is_told() -> None:
    attributes = {"a": {"_REFERENCE": 1}, "b": {"zarr_dtype": "object", "value": {}}, "c": 1}
    group = omnizarr.open_group(MemoryStore(), mode="w", attributes=attributes)
    with pytest.raises(
        MetadataError, match=r"attributes\.a\._REFERENCE: expected(?s:.*)attributes\.b\.value\.path"
    ):
        references(group)


def test_hostile_paths_are_not_written() -> None:
    group = omnizarr.open_group(MemoryStore(), mode="w")
    with pytest.raises(NodeNameError, match=r"all dots"):
        add_reference(group, "x", Reference("/a/../../b"))
    assert group.attrs.asdict() == {}


def test_references_to_nodes_know_their_identities() -> None:
    root = omnizarr.open_group(MemoryStore(), mode="w", attributes={"object_id": "root"})
    array = root.create_array("a/b", shape=(10,), dtype="i4", attributes={"object_id": "id"})
    assert reference_to(array, root) == PLAIN
    assert reference_to(root, array) == Reference("/", ".", "root", "root")
    found = region_reference_to(array, [3, 1], root)
    assert found == RegionReference("/a/b", ".", "id", "root", region=Points(((3,), (1,))))
