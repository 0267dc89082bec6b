"""Checking hierarchies against models: every violation with its path, broken nodes among them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NotRequired

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

import omnizarr
from omnizarr import zom
from omnizarr.errors import MetadataError
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.validate import Finding
from omnizarr.store import MemoryStore
from omnizarr.store.layers.wrap import CountingStore
from omnizarr.zom import Violation


class Units(BaseModel):
    units: str


class Surface(TypedDict):
    t2m: zom.v3.ArraySpec[Units]
    mask: NotRequired[zom.v3.ArraySpec]


class SurfaceGroup(zom.v3.GroupSpec[dict[str, Any], Any]):
    members: Surface


class Weather(zom.v3.GroupSpec[dict[str, Any], SurfaceGroup]):
    """Groups of surfaces; arrays in them are two-dimensional."""

    def check(self) -> Iterator[Violation]:
        for path, node in self.walk():
            if node.kind == "array" and len(node.metadata.shape) != 2:  # type: ignore[union-attr]
                yield Violation("shape", "expected two axes", path)


class WeatherV2(zom.v2.GroupSpec):
    pass


def sample(store: Any, zarr_format: int = 3) -> Group:
    root = omnizarr.open_group(store, mode="w", zarr_format=zarr_format)
    for name in ("a", "b"):
        made = root.create_array(f"{name}/t2m", shape=(4, 2), chunks=(2, 2), dtype="f4")
        made.attrs["units"] = "K"
    return root


def lines(findings: list[Finding]) -> list[str]:
    return [f"{finding.kind}: {finding}" for finding in findings]


def spoil(store: MemoryStore, key: str, **fields: Any) -> None:
    document = json.loads(store.get(key) or b"")
    store.set(key, json.dumps({**document, **fields}).encode())


def test_what_is_of_a_model_has_no_findings() -> None:
    root = sample(MemoryStore())
    model = zom.from_node(root)
    targets = (root, root["a"], model, model.to_json(), json.dumps(model.to_json()))
    for target in targets:
        expected = SurfaceGroup if target is root["a"] or getattr(target, "path", "") else Weather
        assert zom.validate(target, expected) == []
    assert zom.validate(root["a/t2m"], zom.v3.ArraySpec[Units]) == []
    assert zom.validate(Weather.from_node(root), Weather) == []


def test_every_violation_has_its_path() -> None:
    root = sample(MemoryStore())
    root.create_array("b/mask", shape=(4,), dtype="i1")
    del root["a/t2m"].attrs["units"]
    root.create_group("c")
    expected = [
        "model: /b/mask: shape: expected two axes",
        "model: /a/t2m: attributes.units: required, but missing",
        "model: /c/t2m: required, but missing",
    ]
    assert sorted(lines(zom.validate(root, Weather))) == sorted(expected)
    assert sorted(lines(zom.validate(zom.from_node(root).to_json(), Weather))) == sorted(expected)


def test_paths_are_those_in_the_store() -> None:
    root = sample(MemoryStore())
    del root["a/t2m"].attrs["units"]
    (finding,) = zom.validate(root["a"], SurfaceGroup)
    assert finding == Finding("model", "a/t2m", "attributes.units", "required, but missing")
    assert isinstance(root["a/t2m"], omnizarr.Array)
    (finding,) = zom.validate(root["a/t2m"], zom.v3.ArraySpec[Units])
    assert finding.path == "a/t2m"


def test_another_kind_and_another_version_are_told() -> None:
    root = sample(MemoryStore())
    assert lines(zom.validate(root["a/t2m"], SurfaceGroup)) == [
        "model: /a/t2m: expected a group, found an array"
    ]
    store = CountingStore(MemoryStore())
    old = sample(store, 2)
    store.reset()
    (line,) = lines(zom.validate(old, Weather))
    assert line.startswith("model: /: expected Zarr 3, found Zarr 2")
    assert store.counts == {}


# --- broken nodes


def test_broken_nodes_are_told_of_and_the_others_checked() -> None:
    store = MemoryStore()
    root = sample(store)
    root.create_array("b/mask", shape=(4,), dtype="i1")
    spoil(store, "a/t2m/zarr.json", shape=[-1, 2], fill_value="cold")
    fill, shape, axes = sorted(lines(zom.validate(root, Weather)))
    assert fill.startswith("metadata: /a/t2m: fill_value: ") and fill.endswith('found "cold"')
    assert shape == "metadata: /a/t2m: shape[0]: expected an integer of at least 0, found -1"
    assert axes == "model: /b/mask: shape: expected two axes"


def test_codecs_at_fault_are_told_of() -> None:
    store = MemoryStore()
    root = sample(store)
    codecs = [{"name": "bytes", "configuration": {"endian": "little"}}]
    gzip = {"name": "gzip", "configuration": {"level": 99}}
    spoil(store, "a/t2m/zarr.json", codecs=[*codecs, gzip])
    expected = ["metadata: /a/t2m: codecs[1].configuration.level: expected 0 to 9, found 99"]
    assert lines(zom.validate(root, Weather)) == expected
    with pytest.raises(MetadataError, match=r"/a/t2m: codecs\[1\]"):
        zom.from_node(root)


@pytest.mark.parametrize("text", [b"{", b"[1]", b"\xff"])
def test_documents_that_are_none(text: bytes) -> None:
    store = MemoryStore()
    root = sample(store)
    store.set("a/zarr.json", text)
    (finding,) = zom.validate(root, Weather)
    assert (finding.kind, finding.path) == ("metadata", "a")


def test_nodes_that_consolidated_metadata_place_nowhere() -> None:
    group: dict[str, Any] = {"zarr_format": 3, "node_type": "group", "attributes": {}}
    inline = {"kind": "inline", "must_understand": False, "metadata": {"x/y": group}}
    store = MemoryStore({"zarr.json": json.dumps({**group, "consolidated_metadata": inline}).encode()})
    root = omnizarr.open_group(store, mode="r")
    expected = ["metadata: /x/y: lies in /x, where there is no group"]
    assert lines(zom.validate(root, zom.v3.GroupSpec)) == expected
    with pytest.raises(MetadataError, match="/x/y: lies in /x"):
        zom.from_node(root)


# --- what is JSON


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "expected JSON"),
        ("[1]", "expected an object, found [1]"),
        ("null", "expected an object, found null"),
        ('{"zarr_format": 3, "zarr_format": 3}', 'the name "zarr_format" is there more than once'),
        ("[" * 10_000, "nested too deeply"),
    ],
)
def test_what_is_no_model_at_all(text: str, expected: str) -> None:
    (finding,) = zom.validate(text, Weather)
    assert finding.kind == "model" and finding.path == "" and expected in finding.message
    (finding,) = zom.validate(text, "xarray")
    assert expected in finding.message
    (finding,) = zom.validate(text.encode(), Weather)
    assert expected in finding.message


def test_faults_of_json_and_of_the_convention_are_told_together() -> None:
    document = zom.from_node(sample(MemoryStore())).to_json()
    document["members"]["a"]["members"]["t2m"]["shape"] = [-1, 2]  # type: ignore[index,call-overload]
    document["members"]["b"]["members"] = {}  # type: ignore[index,call-overload]
    assert sorted(lines(zom.validate(document, Weather))) == [
        "model: /a/t2m: shape[0]: expected an integer of at least 0, found -1",
        "model: /b/t2m: required, but missing",
    ]


# --- conventions and schemas


def test_a_convention_by_its_name_for_either_version() -> None:
    for number in (2, 3):
        root = sample(MemoryStore(), number)
        findings = zom.validate(root, "xarray")
        assert {finding.path for finding in findings} == {"a/t2m", "b/t2m"}
        assert {finding.kind for finding in findings} == {"model"}
        assert zom.validate(zom.from_node(root), "xarray") == findings
        assert zom.validate(zom.from_node(root).to_json(), "xarray") == findings
    with pytest.raises(ValueError, match=r"convention: expected one of .*, found 'xray'"):
        zom.validate(root, "xray")
    (finding,) = zom.validate({"members": {}}, "xarray")
    assert str(finding) == "/: zarr_format: expected 2 or 3, found null"


SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "properties": {
        "members": {
            "required": ["a", "b"],
            "additionalProperties": {
                "properties": {"members": {"required": ["t2m"]}, "attributes": {"required": ["title"]}}
            },
        }
    },
}


def test_a_json_schema() -> None:
    store = MemoryStore()
    root = sample(store)
    expected = [
        "model: /a: attributes.title: required, but missing",
        "model: /b: attributes.title: required, but missing",
    ]
    model = zom.from_node(root)
    for target in (root, model, model.to_json(), json.dumps(model.to_json())):
        assert sorted(lines(zom.validate(target, SCHEMA))) == expected
    spoil(store, "a/t2m/zarr.json", shape=[-1, 2])
    assert sorted(lines(zom.validate(root, SCHEMA))) == [
        "metadata: /a/t2m: shape[0]: expected an integer of at least 0, found -1",
        *expected,
    ]
    (finding,) = zom.validate({"members": {1, 2}}, SCHEMA)
    assert "expected a JSON value, found set" in finding.message
    with pytest.raises(MetadataError, match="JSON Schema"):
        zom.validate(root, {"type": "nothing"})


@pytest.mark.parametrize("model", [None, 3, zom.NodeSpec, dict, zom.v3.ArraySpec.from_array([1])])
def test_what_is_no_model_to_check_by(model: Any) -> None:
    with pytest.raises(TypeError, match="model: expected an ArraySpec or GroupSpec class, the name of"):
        zom.validate("{}", model)


def test_what_cannot_be_checked() -> None:
    with pytest.raises(TypeError, match="expected an array, a group, a model or JSON, found int"):
        zom.validate(3, Weather)  # type: ignore[arg-type]


class _Tags(zom.Attributes):
    tags: tuple[str, ...] = ()
    pair: tuple[int, int] = (0, 0)
    three: list[int] = Field(default_factory=list, min_length=3)
    code: str = Field("A", pattern="^[A-Z]{1,2}$")


def test_what_types_expected_is_told_in_words_of_json() -> None:
    attributes = {"tags": "a", "pair": [1, 2, 3], "three": [1], "code": "abc"}
    wrong = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
    assert [str(finding) for finding in zom.validate(wrong, zom.v3.GroupSpec[_Tags])] == [
        '/: attributes.tags: expected a list, found "a"',
        "/: attributes.pair: expected 2 items at most, found [1, 2, 3]",
        "/: attributes.three: expected 3 items at least, found [1]",
        '/: attributes.code: expected text that matches ^[A-Z]{1,2}$, found "abc"',
    ]


# --- what it asks of the store


@pytest.mark.parametrize("number", [2, 3])
def test_it_costs_one_walk(number: int) -> None:
    store = CountingStore(MemoryStore())
    sample(store, number)
    root = omnizarr.open_group(store, mode="r")
    store.reset()
    list(root.walk())
    one_walk = dict(store.counts)
    store.reset()
    zom.validate(root, "xarray")
    assert store.counts == one_walk
    assert one_walk["list_prefix"] == 1 and set(one_walk) == {"list_prefix", "get"}


@pytest.mark.parametrize("number", [2, 3])
def test_consolidated_metadata_cost_nothing_more(number: int) -> None:
    store = CountingStore(MemoryStore())
    sample(store, number)
    omnizarr.consolidate_metadata(store)
    root = omnizarr.open_group(store, mode="r")
    store.reset()
    assert len(zom.validate(root, "xarray")) == 2
    assert store.counts == {}


def test_a_store_with_a_name_that_is_reserved_has_no_model_and_says_so():
    store = MemoryStore()
    group = omnizarr.create_group(store)
    group.create_array("plain", shape=3, dtype="u1")
    store.set("__reserved/zarr.json", store.get("plain/zarr.json") or b"")
    with pytest.raises(MetadataError, match="/__reserved: a node's name starts with __"):
        zom.from_node(group)
    assert [one.path for one in zom.validate(group, zom.v3.GroupSpec)] == ["__reserved"]
