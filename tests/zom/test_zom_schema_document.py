"""The two JSON Schemas of ZEP 6 and its two examples: their faults, and the schemas that have none."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from omnizarr import zom
from omnizarr.zom.schema.check import check_by_schema

EXAMPLES = Path(__file__).parent / "examples"


def example(name: str) -> Any:
    return json.loads((EXAMPLES / name).read_text())


SCHEMA_2, SCHEMA_3 = example("zep6-schema-v2.json"), example("zep6-schema-v3.json")
MODEL_2, MODEL_3 = example("zep6_v2.json"), example("zep6_v3.json")


def faults(document: Any, schema: Any) -> set[str]:
    return {str(finding) for finding in check_by_schema(document, schema)}


def corrected_2() -> Any:
    model = deepcopy(MODEL_2)
    model["members"]["foo"]["filters"] = None
    return model


def corrected_3() -> Any:
    model = deepcopy(MODEL_3)
    array = model["members"]["array"]
    array["data_type"] = "uint8"
    array["codecs"] = [{"name": "bytes"}, {"name": "gzip", "configuration": {"level": 1}}]
    return model


# --- the document as it is


@pytest.mark.parametrize("schema", [SCHEMA_2, SCHEMA_3])
def test_the_documents_schemas_are_schemas(schema: Any) -> None:
    Draft202012Validator.check_schema(schema)


def test_its_v3_example_is_valid_by_its_v3_schema() -> None:
    assert faults(MODEL_3, SCHEMA_3) == set()


def test_its_v2_example_is_not_valid_by_its_v2_schema() -> None:
    assert faults(MODEL_2, SCHEMA_2) == {
        "/: zarr_format: unknown name",
        "/foo: zarr_format: unknown name",
        "/foo: attributess: required, but missing",
        "/foo: compressor: expected an object, found null",
        "/foo: filters: expected a list, found {}",
    }


def test_no_array_can_be_valid_by_its_v2_schema() -> None:
    array = deepcopy(MODEL_2["members"]["foo"])
    del array["zarr_format"]
    array.update(compressor={"id": "zlib"}, filters=[], zarr_version=2)
    of_arrays = {"$ref": "#/definitions/Array", "definitions": SCHEMA_2["definitions"]}
    assert faults(array, of_arrays) == {"/: attributess: required, but missing"}
    assert faults({**array, "attributess": {}}, of_arrays) == {"/: attributess: unknown name"}


def test_groups_without_arrays_are_valid_by_its_v2_schema() -> None:
    assert faults({"attributes": {}, "members": {}, "zarr_version": 2}, SCHEMA_2) == set()
    assert faults({"attributes": {}, "members": {}}, SCHEMA_2) == set()
    assert faults({"attributes": {}, "members": {}, "zarr_version": 7}, SCHEMA_2) == set()


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("shape", [-1, 1000], "shape[0]: expected 0 at least, found -1"),
        ("codecs", [], "codecs: expected a list of 1 at least, found []"),
        ("fill_value", 300, "fill_value: expected 255 at most, found 300"),
        ("chunk_grid", {"name": "regular", "configuration": None}, "chunk_grid.configuration"),
        ("storage_transformers", [{"name": "aa", "configuration": {}}], "storage_transformers"),
    ],
)
def test_its_v3_schema_lets_through_what_the_corrected_one_refuses(field: str, value: Any, told: str) -> None:
    model = corrected_3()
    for codec in model["members"]["array"]["codecs"]:
        codec.setdefault("configuration", {})
    model["members"]["array"][field] = value
    assert faults(model, SCHEMA_3) == set()
    found = faults(model, zom.json_schema(3))
    assert found and all(one.startswith(f"/array: {told}") for one in found)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("chunk_key_encoding", "default"),
        ("chunk_key_encoding", {"name": "default"}),
        ("codecs", ["bytes"]),
        ("codecs", [{"name": "bytes", "must_understand": True}]),
        ("dimension_names", ["rows", None]),
        ("data_type", {"name": "uint8"}),
        ("extra", {"must_understand": False}),
    ],
)
def test_its_v3_schema_refuses_what_is_right(field: str, value: Any) -> None:
    model = corrected_3()
    for codec in model["members"]["array"]["codecs"]:
        codec.setdefault("configuration", {})
    model["members"]["array"][field] = value
    assert faults(model, SCHEMA_3)
    assert faults(model, zom.json_schema(3)) == set()
    zom.from_json(model)


# --- what is corrected


@pytest.mark.parametrize(("number", "model"), [(2, corrected_2()), (3, corrected_3())])
def test_corrected_examples_are_valid_by_corrected_schemas(number: int, model: Any) -> None:
    assert faults(model, zom.json_schema(number)) == set()
    assert zom.from_json(model).to_json().keys() == model.keys()


def test_the_corrected_schemas_refuse_what_is_wrong_in_the_examples() -> None:
    name = "expected text that matches ^(?:[a-z][a-z0-9_.-]+|[A-Za-z][A-Za-z0-9+.-]*:[^ ]+)$"
    assert faults(MODEL_2, zom.json_schema(2)) == {"/foo: filters: expected a list or null, found {}"}
    assert faults(MODEL_3, zom.json_schema(3)) == {
        f'/array: data_type: {name} or an object, found "|u1"',
        f'/array: codecs[0].name: {name}, found "GZip"',
    }


def test_the_corrected_schema_takes_the_name_that_the_v2_schema_has_for_the_version() -> None:
    def renamed(node: Any) -> Any:
        inner = {name: renamed(one) for name, one in node.get("members", {}).items()}
        made = {"zarr_version" if name == "zarr_format" else name: value for name, value in node.items()}
        return {**made, "members": inner} if "members" in node else made

    model = renamed(corrected_2())
    assert faults(model, zom.json_schema(2)) == set()
    assert zom.from_json(model) == zom.from_json(corrected_2())


@pytest.mark.parametrize(
    ("field", "value"), [("attributess", {}), ("filters", {}), ("compressor", {}), ("zarr_version", 3)]
)
def test_the_corrected_v2_schema_refuses_each_fault(field: str, value: Any) -> None:
    model = corrected_2()
    model["members"]["foo"][field] = value
    found = faults(model, zom.json_schema(2))
    assert found and all(one.startswith(f"/foo: {field}") for one in found)
