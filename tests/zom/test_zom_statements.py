"""What ZEP 6 says a Zarr Object Model is: one test for each of its statements, for both versions of Zarr.

The JSON that the document shows is here too, with its faults mended (docs/zom.md lists them).
"""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import numpy as np
import pytest
from pydantic import ValidationError
from typing_extensions import TypedDict

import omnizarr
from omnizarr import zom
from omnizarr.errors import MetadataError, NodeExistsError
from omnizarr.store import MemoryStore
from omnizarr.store.layers.wrap import CountingStore
from omnizarr.zom import v2, v3

EXAMPLE_V3: dict[str, Any] = {
    "zarr_format": 3,
    "node_type": "group",
    "attributes": {"foo": 42, "bar": False},
    "members": {
        "array": {
            "zarr_format": 3,
            "node_type": "array",
            "attributes": {"baz": [1, 2, 3]},
            "shape": [1000, 1000],
            "data_type": "uint8",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1000, 100]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": 0,
            "codecs": [{"name": "bytes"}, {"name": "gzip", "configuration": {"level": 1}}],
            "dimension_names": ["rows", "columns"],
        }
    },
}
EXAMPLE_V2: dict[str, Any] = {
    "zarr_format": 2,
    "attributes": {"foo": 42, "bar": False},
    "members": {
        "foo": {
            "zarr_format": 2,
            "attributes": {"baz": True},
            "shape": [1000, 1000],
            "chunks": [100, 100],
            "dtype": "|u1",
            "compressor": None,
            "fill_value": 0,
            "order": "C",
            "filters": None,
            "dimension_separator": "/",
        }
    },
}
EXAMPLES = {2: EXAMPLE_V2, 3: EXAMPLE_V3}
VERSIONS: dict[int, ModuleType] = {2: v2, 3: v3}
V2_ARRAY = EXAMPLE_V2["members"]["foo"]
V3_ARRAY = EXAMPLE_V3["members"]["array"]
ARRAYS: dict[int, dict[str, Any]] = {2: V2_ARRAY, 3: V3_ARRAY}
FIELDS = {
    2: {"shape", "chunks", "dtype", "compressor", "fill_value", "order", "filters", "dimension_separator"},
    3: {"shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs", "dimension_names"},
}
HEADS: dict[int, dict[str, Any]] = {2: {"zarr_format": 2}, 3: {"zarr_format": 3, "node_type": "group"}}

TSC = Path(sys.prefix) / "node" / "node_modules" / "typescript" / "bin" / "tsc"
PYTHON = {"valid": '{"_ARRAY_DIMENSIONS": ["a", "b"]}', "invalid": '{"foo": 10}'}
Once = Callable[[str, Callable[[Path], Any]], Any]

both = pytest.mark.parametrize("number", [2, 3])


def array(number: int, **arguments: Any) -> Any:
    """Return a small array of a version."""
    given = {"shape": (4, 6), "chunks": (2, 3), "dtype": "int16", **arguments}
    return VERSIONS[number].ArraySpec.from_array(omnizarr.create_array(None, zarr_format=number, **given))


def group(number: int, **fields: Any) -> Any:
    return VERSIONS[number].GroupSpec(**fields)


def hierarchy(number: int, **attributes: Any) -> Any:
    """Return a group with an array, a group in it with another, and an empty group."""
    inner = group(number, members={"b": array(number, attributes={"units": "m"}), "empty": group(number)})
    return group(number, attributes=attributes, members={"a": array(number, fill_value=7), "inner": inner})


def refused(number: int, document: Any) -> str:
    """Return what is said of a document that no model of a group is of."""
    with pytest.raises(MetadataError) as caught:
        VERSIONS[number].GroupSpec.from_json(document)
    return str(caught.value)


def with_array(number: int, **changes: Any) -> dict[str, Any]:
    return {**HEADS[number], "attributes": {}, "members": {"a": {**ARRAYS[number], **changes}}}


@both
def test_01_attributes_are_a_json_object_with_string_keys(number: int) -> None:
    deep = {"a": [1, {"b": None}], "": "empty name", "é": 1.5, "x": float("inf"), "numpy": np.float64(2)}
    for node in (group(number, attributes=deep), array(number, attributes=deep)):
        assert node.attributes_as_json() == {**deep, "numpy": 2.0}
        assert node.to_json()["attributes"] == node.attributes_as_json()
    assert group(number).attributes == {}
    for wrong in (None, [1], "text", 5):
        assert "attributes: expected an object" in refused(number, {**HEADS[number], "attributes": wrong})
    for keys in ({1: "x"}, {"a": {1: "x"}}, {None: 1}, {("a", "b"): 1}):
        with pytest.raises(ValidationError, match="expected strings for keys"):
            group(number, attributes=keys)
    for value in (object(), {"deep": [object()]}, array, type):
        with pytest.raises(ValidationError, match="expected a JSON value"):
            group(number, attributes={"x": value})


@both
def test_02_there_are_exactly_two_types_of_node(number: int) -> None:
    kinds = {VERSIONS[number].ArraySpec.kind, VERSIONS[number].GroupSpec.kind}
    assert kinds == {"array", "group"}
    model = hierarchy(number)
    assert {type(node) for _, node in model.walk()} == {
        VERSIONS[number].ArraySpec,
        VERSIONS[number].GroupSpec,
    }
    for wrong in (5, "a", None, [1], True):
        assert "/a" in refused(number, {**HEADS[number], "members": {"a": wrong}})
    if number == 3:
        assert "node_type" in refused(3, {"zarr_format": 3, "node_type": "link", "attributes": {}})
    with pytest.raises(MetadataError, match="expected an array, found a group"):
        VERSIONS[number].ArraySpec.from_json({**HEADS[number], "attributes": {}})
    with pytest.raises(MetadataError, match="expected a group, found an array"):
        VERSIONS[number].GroupSpec.from_json(ARRAYS[number])


@both
def test_03_an_array_has_the_properties_of_its_metadata_and_no_other(number: int) -> None:
    head = {"zarr_format", "attributes"} | ({"node_type"} if number == 3 else set())
    model = zom.from_json(ARRAYS[number])
    assert model.to_json().keys() == head | FIELDS[number]
    assert model.metadata.attributes == ARRAYS[number]["attributes"]
    assert "unknown name" in refused(number, with_array(number, units="m"))
    assert "unknown name" in refused(number, with_array(number, members={}))
    for name in FIELDS[number] - {"dimension_names", "compressor", "filters", "order", "dimension_separator"}:
        document = with_array(number)
        del document["members"]["a"][name]
        if name != "fill_value" or number == 3:
            assert f"/a: {name}: required, but missing" in refused(number, document)
    for name, wrong in (("fill_value", "hello"), ("shape", [-1, 1000]), ("shape", [1.5, 2]), ("shape", "x")):
        assert f"/a: {name}" in refused(number, with_array(number, **{name: wrong}))
    assert "expected 1 lengths, one for each dimension, found 2" in refused(
        number, with_array(number, shape=[1000])
    )


@both
def test_04_a_group_has_the_properties_of_its_metadata_and_members(number: int) -> None:
    assert group(number).to_json().keys() == {*HEADS[number], "attributes", "members"}
    assert "foo: unknown name" in refused(number, {**HEADS[number], "attributes": {}, "foo": 1})
    assert "shape" in refused(number, {**HEADS[number], "shape": [1]}) or number == 2
    kept = {"_of_a_convention": {"must_understand": False, "a": 1}}
    assert zom.from_json({**HEADS[number], **kept}).to_json().keys() > kept.keys()
    assert group(number, members=None).to_json()["members"] is None
    assert group(number, members={}).to_json()["members"] == {}
    assert group(number, members=None) != group(number, members={})
    assert group(number).members == {}


@both
def test_05_members_have_names_that_the_version_permits(number: int) -> None:
    own = {2: [".zarray", ".zgroup", ".zattrs", ".zmetadata"], 3: ["zarr.json", "__reserved", "__"]}
    for name in ("", ".", "..", "...", "a/b", "/", "a\0b", *own[number]):
        with pytest.raises(ValidationError, match="a node's name"):
            group(number, members={name: group(number)})
    permitted = {2: ["zarr.json", "__x"], 3: [".zarray", "_x"]}
    for name in ("a", "a.b", ".a", "é", "a b", "members", "attributes", "0", "c", *permitted[number]):
        assert list(group(number, members={name: group(number)}).nodes) == [name]
    assert "a node's name" in refused(number, {**HEADS[number], "members": {"a/b": ARRAYS[number]}})
    with pytest.raises(ValidationError, match="expected a string"):
        group(number, members={1: group(number)})


@both
def test_06_members_are_arrays_or_groups_all_the_way_down(number: int) -> None:
    model = hierarchy(number)
    assert [path for path, _ in model.walk()] == ["a", "inner", "inner/b", "inner/empty"]
    assert [node.kind for _, node in model.walk()] == ["array", "group", "array", "group"]
    deep = group(number)
    for _ in range(50):
        deep = group(number, members={"g": deep})
    assert len(list(deep.walk())) == 50
    assert zom.from_json(json.dumps(deep.to_json())) == deep
    wrong = {**HEADS[number], "members": {"g": {**HEADS[number], "members": {"a": {"shape": 1}}}}}
    assert "/g/a" in refused(number, wrong)
    document: dict[str, Any] = dict(HEADS[number])
    for _ in range(10_000):
        document = {**HEADS[number], "members": {"g": document}}
    assert "groups within one another" in refused(number, document)


@both
@pytest.mark.parametrize(
    ("names", "in_model"),
    [
        (["members"], ["_members"]),
        (["members", "_members"], ["__members", "_members"]),
        (["_members"], ["__members"]),
        ([], []),
    ],
)
def test_07_a_property_called_members_is_renamed_and_gets_its_name_back(
    number: int, names: list[str], in_model: list[str]
) -> None:
    values = {name: {"must_understand": False, "was": name} for name in names}
    key = {2: ".zgroup", 3: "zarr.json"}[number]
    document = {**HEADS[number], **({"attributes": {}} if number == 3 else {}), **values}
    store = MemoryStore()
    store.set(key, json.dumps(document).encode())
    model = zom.from_node(omnizarr.open_group(store, mode="r"))
    found = model.to_json()
    assert {name: found[name] for name in in_model} == dict(zip(in_model, values.values(), strict=True))
    assert found["members"] == {}
    target = MemoryStore()
    zom.from_json(json.dumps(found)).to_store(target)
    written = target.get(key)
    assert written is not None
    assert json.loads(written) == document


@both
def test_08_models_are_equal_exactly_where_structures_are(number: int, tmp_path: Path) -> None:
    model = hierarchy(number, title="x")
    places: list[Any] = [MemoryStore(), tmp_path / "a", tmp_path / "b.zip"]
    roots = [model.to_store(place) for place in places[:2]]
    roots[0]["a"][:] = 3  # data are no part of it
    for root in roots:
        assert zom.from_node(root) == model
    swapped = group(number, attributes={"title": "x"}, members=dict(reversed(model.members.items())))
    assert swapped == model
    assert hash(swapped) == hash(model)
    others = [
        hierarchy(number, title="y"),
        hierarchy(number),
        group(number, attributes={"title": "x"}, members={**model.members, "more": group(number)}),
        group(number, attributes={"title": "x"}, members={"b": model.members["a"], **model.members}),
        model.model_copy(update={"members": None}),
        model.members["a"],
    ]
    assert [other for other in others if other == model] == []
    assert array(number, fill_value=0) != array(number, fill_value=1)
    assert array(number, dtype="float32", fill_value=0.0) != array(number, dtype="float32", fill_value=-0.0)
    assert array(number, dtype="float32", fill_value="NaN") == array(number, dtype="f4", fill_value=np.nan)
    assert array(number) != "array"


def test_08_one_structure_in_other_words_is_equal() -> None:
    short = {**V3_ARRAY, "codecs": ["bytes", {"name": "gzip", "configuration": {"level": 1}}]}
    assert zom.from_json(short) == zom.from_json(V3_ARRAY)
    assert zom.from_json({**V3_ARRAY, "chunk_key_encoding": "default"}) == zom.from_json(V3_ARRAY)
    without = {name: value for name, value in V2_ARRAY.items() if name != "dimension_separator"}
    assert zom.from_json(without) == zom.from_json({**V2_ARRAY, "dimension_separator": "."})
    assert zom.from_json(without) != zom.from_json(V2_ARRAY)


def test_09_the_model_is_parametric_over_versions() -> None:
    assert issubclass(v2.GroupSpec, zom.NodeSpec)
    assert issubclass(v3.GroupSpec, zom.NodeSpec)
    assert v2.GroupSpec.version.number == 2
    assert v3.ArraySpec.version.number == 3
    assert v2.GroupSpec() != v3.GroupSpec()
    for number, module in VERSIONS.items():
        other = VERSIONS[5 - number]
        found = zom.from_json(EXAMPLES[number])
        assert isinstance(found, module.GroupSpec)
        with pytest.raises(MetadataError, match=f"expected Zarr {5 - number}, found Zarr {number}"):
            other.GroupSpec.from_json(EXAMPLES[number])
        with pytest.raises(ValidationError, match="expected Zarr"):
            other.GroupSpec(members={"a": module.ArraySpec.from_json(ARRAYS[number])})
    for wrong in ({}, {"zarr_format": 4}, {"zarr_format": "3"}, {"zarr_format": None}, [], 5):
        with pytest.raises(MetadataError, match=r"expected 2 or 3|expected an object"):
            zom.from_json(wrong)  # type: ignore[arg-type]


@both
def test_10_the_json_form_loses_nothing(number: int) -> None:
    model = VERSIONS[number].GroupSpec.from_json(EXAMPLES[number])
    assert model.to_json() == EXAMPLES[number]
    assert zom.from_json(json.dumps(EXAMPLES[number])) == model
    assert zom.from_json(json.dumps(EXAMPLES[number]).encode()) == model
    for made in (
        hierarchy(number, a=[1, {"b": None}]),
        group(number, members=None),
        VERSIONS[number].ArraySpec.from_array(5),
    ):
        text = json.dumps(made.to_json(), allow_nan=False)
        again = zom.from_json(text)
        assert again == made
        assert again.to_json() == json.loads(text)
    special = array(number, dtype="complex64", fill_value=complex(np.nan, -np.inf))
    assert zom.from_json(json.dumps(special.to_json(), allow_nan=False)) == special
    older = {
        "zarr_version" if name == "zarr_format" else name: value for name, value in ARRAYS[number].items()
    }
    assert zom.from_json(older) == zom.from_json(ARRAYS[number])
    for wrong in ("", "{", "[1", b"\xff", "{'zarr_format': 3}", '{"zarr_format": 3, "zarr_format": 3}'):
        with pytest.raises(MetadataError):
            zom.from_json(wrong)


@both
def test_11_a_model_has_a_json_schema(number: int) -> None:
    schema = zom.json_schema(VERSIONS[number].GroupSpec)
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    for document in (EXAMPLES[number], hierarchy(number, x=1).to_json(), {**HEADS[number], "attributes": {}}):
        validator.validate(document)
    for wrong in (
        {**HEADS[number], "attributes": [1]},
        with_array(number, shape="x"),
        with_array(number, shape=[-1, 1]),
        with_array(number, zarr_format=5),
        EXAMPLES[5 - number],
        {**HEADS[number], "attributes": {}, "members": {"a": 5}},
        {**HEADS[number], "attributes": {}, "members": {"a/b": ARRAYS[number]}},
        {**HEADS[number], "attributes": {}, "members": [ARRAYS[number]]},
    ):
        assert not validator.is_valid(wrong), wrong
    own = zom.json_schema(VERSIONS[number].ArraySpec)
    assert jsonschema.Draft202012Validator(own).is_valid(ARRAYS[number])
    assert not jsonschema.Draft202012Validator(own).is_valid(EXAMPLES[number])


@both
def test_12_models_of_one_version_map_to_the_other(number: int) -> None:
    model = hierarchy(number, title="x")
    converted, losses = zom.convert(model, zarr_format=5 - number)
    assert isinstance(converted, VERSIONS[5 - number].GroupSpec)
    assert list(losses) == []
    back, losses = zom.convert(converted, zarr_format=number)
    assert (back, list(losses)) == (model, [])
    for path, node in model.walk():
        other = dict(converted.walk())[path]
        assert other.attributes == node.attributes
        if node.kind == "array":
            assert other.metadata.shape == node.metadata.shape
            assert other.metadata.data_type == node.metadata.data_type
            assert other.metadata.fill_value == node.metadata.fill_value
    same, losses = zom.convert(model, zarr_format=number)
    assert (same, list(losses)) == (model, [])
    alone, losses = zom.convert(array(number), zarr_format=5 - number)
    assert isinstance(alone, VERSIONS[5 - number].ArraySpec)


def test_12_what_the_other_version_cannot_say_is_listed() -> None:
    model = group(3, members={"a": array(3, dimension_names=("y", None))})
    converted, losses = zom.convert(model, zarr_format=2)
    assert isinstance(converted, v2.GroupSpec)
    assert "dimension" in str(list(losses))
    assert "a" in str(list(losses))


@both
def test_13_consolidated_metadata_are_a_flat_model_at_the_root(number: int) -> None:
    model = hierarchy(number, title="x")
    document = model.to_consolidated()
    assert VERSIONS[number].GroupSpec.from_consolidated(json.dumps(document)) == model
    flat = model.to_flat()
    assert list(flat) == ["", "/a", "/inner", "/inner/b", "/inner/empty"]
    assert VERSIONS[number].GroupSpec.from_flat(flat) == model
    if number == 2:
        inside = document["metadata"]
        assert {".zgroup", ".zattrs", "a/.zarray", "inner/.zgroup", "inner/b/.zattrs"} <= inside.keys()
    else:
        inside = document["consolidated_metadata"]["metadata"]
        assert inside.keys() == {path[1:] for path in flat if path}
    store = CountingStore(MemoryStore())
    model.to_store(store, consolidated=True)
    root = omnizarr.open_group(store, mode="r")
    store.reset()
    assert zom.from_node(root) == model
    assert sum(store.counts.values()) == 0
    with pytest.raises(MetadataError):
        VERSIONS[number].GroupSpec.from_consolidated(HEADS[number])


@both
def test_14_hierarchies_are_created_and_read_by_declaring_them(number: int, tmp_path: Path) -> None:
    model = hierarchy(number, title="x")
    created = model.to_store(tmp_path / "store")
    assert zom.from_node(created) == model
    assert zom.from_node(omnizarr.open(tmp_path / "store", mode="r")) == model
    assert created["inner/b"].shape == (4, 6)
    assert (created["a"][:] == 7).all()
    with pytest.raises(NodeExistsError):
        hierarchy(number).to_store(tmp_path / "store")
    assert zom.from_node(model.to_store(tmp_path / "store", exist_ok=True)) == model
    other = group(number, members={"only": array(number)})
    assert zom.from_node(other.to_store(tmp_path / "store", overwrite=True)) == other
    shallow = zom.from_node(model.to_store(MemoryStore()), depth=1)
    assert shallow.nodes["inner"].members is None  # type: ignore[attr-defined]
    assert zom.from_node(model.to_store(MemoryStore())["a"]) == model.members["a"]


MYPY_EXAMPLE = """
from typing import Any
from omnizarr.zom import v{number}
from typing_extensions import TypedDict

class XAttrs(TypedDict):
    _ARRAY_DIMENSIONS: list[str]

XArraySpec = v{number}.ArraySpec[XAttrs]
XGroupSpec = v{number}.GroupSpec[Any, XArraySpec]

group = XGroupSpec(attributes={{}}, members={{"array_0": XArraySpec({fields}, attributes={attributes})}})
"""
MYPY_FIELDS = {
    2: 'shape=[10, 10], chunks=[10, 10], dtype="|u1", compressor=None, dimension_separator="."',
    3: 'shape=[10, 10], data_type="uint8", chunk_grid={"name": "regular", "configuration": '
    '{"chunk_shape": [10, 10]}}, chunk_key_encoding="default", fill_value=0, codecs=["bytes"]',
}


def run_mypy(folder: Path) -> list[str]:
    """Return the errors that mypy finds in the example, valid and not, for both versions."""
    for number in (2, 3):
        for name, attributes in PYTHON.items():
            text = MYPY_EXAMPLE.format(number=number, fields=MYPY_FIELDS[number], attributes=attributes)
            (folder / f"{name}{number}.py").write_text(text)
    cache = Path(__file__).parent.parent.parent / ".mypy_cache"
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), "."]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=folder)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if ": error:" in line]


@both
def test_15_wrong_attributes_are_found_by_mypy(number: int, once: Once) -> None:
    lines = [line for line in once("statements-mypy", run_mypy) if f"{number}.py" in line]
    assert lines
    assert all(line.startswith(f"invalid{number}.py") for line in lines)
    assert any("XAttrs" in line for line in lines)
    texts = {
        name: MYPY_EXAMPLE.format(number=number, fields=MYPY_FIELDS[number], attributes=attributes)
        for name, attributes in PYTHON.items()
    }
    names: dict[str, Any] = {}
    exec(texts["valid"], names)
    assert names["group"].members["array_0"].attributes == {"_ARRAY_DIMENSIONS": ["a", "b"]}
    with pytest.raises(ValidationError, match="_ARRAY_DIMENSIONS"):
        exec(texts["invalid"], names)


class XAttrs(TypedDict):
    _ARRAY_DIMENSIONS: list[str]


TYPESCRIPT_EXAMPLE = """
import type {{ XGroupSpec }} from "./model{number}";
const group: XGroupSpec = {document};
"""


def run_tsc(folder: Path) -> list[str]:
    """Return the errors that `tsc` finds in the example, valid and not, for both versions."""
    for number, module in VERSIONS.items():
        spec = module.GroupSpec[Any, module.ArraySpec[XAttrs]]
        (folder / f"model{number}.ts").write_text(zom.typescript(spec, name="XGroupSpec"))
        for name, attributes in PYTHON.items():
            document = {**HEADS[number], "attributes": {}, "members": {"a": dict(ARRAYS[number])}}
            document["members"]["a"]["attributes"] = ast.literal_eval(attributes)
            text = TYPESCRIPT_EXAMPLE.format(number=number, document=json.dumps(document))
            (folder / f"{name}{number}.ts").write_text(text)
    options = [
        "--strict",
        "--noEmit",
        "--pretty",
        "false",
        "--target",
        "es2022",
        "--moduleDetection",
        "force",
    ]
    command = ["node", str(TSC), *options, *(path.name for path in sorted(folder.glob("*.ts")))]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    lines = [line for line in done.stdout.splitlines() if ": error " in line]
    assert lines or done.returncode == 0, done.stdout + done.stderr
    return lines


@both
def test_16_wrong_attributes_are_found_by_typescript(number: int, once: Once) -> None:
    text = zom.typescript(VERSIONS[number].GroupSpec[Any, VERSIONS[number].ArraySpec[XAttrs]])
    assert f"zarr_format: {number};" in text
    assert "_ARRAY_DIMENSIONS: string[];" in text
    assert all(name in text for name in FIELDS[number])
    if not TSC.exists() or shutil.which("node") is None:
        pytest.skip("TypeScript's compiler is not there; test_zom_typescript.py fetches it where it can")
    lines = [line for line in once("statements-tsc", run_tsc) if f"{number}.ts" in line]
    assert lines
    assert all(line.startswith(f"invalid{number}.ts") for line in lines)
    assert any("'XAttrs'" in line for line in lines)


@both
def test_17_what_depends_on_values_is_checked_as_well(number: int) -> None:
    class Named(VERSIONS[number].ArraySpec):  # type: ignore[misc, name-defined]
        def check(self) -> Any:
            names = self.metadata.attributes.get("_ARRAY_DIMENSIONS", [])
            if len(names) != len(self.metadata.shape):
                yield zom.Violation(
                    "attributes._ARRAY_DIMENSIONS",
                    f"expected {len(self.metadata.shape)} names, found {len(names)}",
                )

    root = VERSIONS[number].GroupSpec[dict[str, Any], Named]
    good = {**ARRAYS[number], "attributes": {"_ARRAY_DIMENSIONS": ["y", "x"]}}
    bad = {**ARRAYS[number], "attributes": {"_ARRAY_DIMENSIONS": ["y"]}}
    assert isinstance(root.from_json({**HEADS[number], "members": {"a": good}}).members["a"], Named)
    with pytest.raises(MetadataError, match=r"/b: attributes\._ARRAY_DIMENSIONS: expected 2 names, found 1"):
        root.from_json({**HEADS[number], "members": {"a": good, "b": bad}})
    store = MemoryStore()
    zom.from_json({**HEADS[number], "members": {"a": bad}}).to_store(store)
    with pytest.raises(MetadataError, match="/a: attributes"):
        root.from_node(omnizarr.open_group(store, mode="r"))
    assert [finding.path for finding in zom.validate(omnizarr.open_group(store, mode="r"), root)] == ["a"]
    xarray = zom.conventions.convention("xarray", number)
    wrong = {"_ARRAY_DIMENSIONS": ["y"]}
    document = {**ARRAYS[number], **({"dimension_names": None} if number == 3 else {}), "attributes": wrong}
    with pytest.raises(MetadataError, match="/a"):
        xarray.from_json({**HEADS[number], "members": {"a": document}})


@both
def test_18_whether_a_group_fits_is_a_cheap_question(number: int) -> None:
    model = hierarchy(number, title="x")
    store = CountingStore(MemoryStore())
    root = model.to_store(store, consolidated=True)
    root = omnizarr.open_group(store, mode="r")
    store.reset()
    assert model.like(root)
    assert sum(store.counts.values()) == 0  # all that is asked for was read when it was opened
    other = hierarchy(number, title="y")
    assert not model.like(other)
    assert model.like(other, exclude={"attributes"})
    assert model.like(other, include={"shape"})
    bigger = group(number, members={"a": array(number)})
    assert not model.like(bigger)
    assert len(list(zom.diff(model, other))) == 1
    assert list(zom.diff(model, root)) == []
    assert not model.like(group(5 - number))
