"""JSON Schemas of models: what models accept is valid, what a schema can see as wrong is refused by both."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from typing import Any, Literal, NotRequired

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from typing_extensions import TypedDict

from omnizarr import zom
from omnizarr.errors import MetadataError
from omnizarr.zom import conventions, v2, v3

REGULAR = {"name": "regular", "configuration": {"chunk_shape": [2, 3]}}
ARRAYS: dict[int, dict[str, Any]] = {
    2: {
        "zarr_format": 2,
        "attributes": {"units": "K"},
        "shape": [4, 6],
        "chunks": [2, 3],
        "dtype": "<f4",
        "compressor": {"id": "zlib", "level": 1},
        "fill_value": 0,
        "order": "C",
        "filters": None,
        "dimension_separator": ".",
    },
    3: {
        "zarr_format": 3,
        "node_type": "array",
        "attributes": {"units": "K"},
        "shape": [4, 6],
        "data_type": "float32",
        "chunk_grid": REGULAR,
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    },
}
GROUPS: dict[int, dict[str, Any]] = {
    2: {"zarr_format": 2, "attributes": {}, "members": {}},
    3: {"zarr_format": 3, "node_type": "group", "attributes": {}, "members": {}},
}


class _Absent:
    def __repr__(self) -> str:
        return "absent"


ABSENT = _Absent()


@cache
def validator(model: Any) -> Draft202012Validator:
    schema = zom.json_schema(model)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(json.loads(json.dumps(schema)))


def valid(model: Any, document: Any) -> bool:
    return bool(validator(model).is_valid(document))


def accepted(number: int, document: Any) -> bool:
    try:
        zom.from_json(document)
    except MetadataError:
        return False
    return True


def changed(document: dict[str, Any], **fields: Any) -> dict[str, Any]:
    made = {**deepcopy(document), **fields}
    return {name: value for name, value in made.items() if value is not ABSENT}


# --- the corrected schemas of the document


@pytest.mark.parametrize("number", [2, 3])
def test_schemas_have_the_shape_of_the_documents(number: int) -> None:
    schema: Any = zom.json_schema(number)
    assert schema == zom.json_schema(f"v{number}")
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "$id" not in schema
    assert schema["title"] and schema["description"]
    assert {"ArraySpec", "GroupSpec"} <= schema["$defs"].keys()
    assert ("NamedConfig" in schema["$defs"]) == (number == 3)
    assert schema["anyOf"] == [{"$ref": "#/$defs/GroupSpec"}, {"$ref": "#/$defs/ArraySpec"}]
    for kind in ("ArraySpec", "GroupSpec"):
        assert schema["$defs"][kind]["title"] == kind
        assert "\n" not in schema["$defs"][kind]["description"]
        properties = schema["$defs"][kind]["properties"]
        assert all("title" in one for one in properties.values())


@pytest.mark.parametrize("number", [2, 3])
def test_pydantics_own_method_says_the_same(number: int) -> None:
    version: Any = (v2, v3)[number - 2]
    schema: Any = zom.json_schema(number)
    for model in (version.ArraySpec, version.GroupSpec):
        assert model.model_json_schema() == model.model_json_schema()
        own = model.model_json_schema()
        found = own["$defs"][model.__name__] if "$ref" in own else own
        assert found["properties"].keys() == schema["$defs"][model.__name__]["properties"].keys()
    group = version.GroupSpec.model_json_schema()
    assert group["$defs"] == schema["$defs"]
    nodes = TypeAdapter(version.Node).json_schema()
    assert nodes["$defs"] == schema["$defs"]


@pytest.mark.parametrize("bad", [1, 4, "v4", "", None, dict, zom.NodeSpec])
def test_what_has_no_schema_is_refused(bad: Any) -> None:
    with pytest.raises(TypeError, match="expected a model, 2 or 3, found"):
        zom.json_schema(bad)


def test_making_schemas_leaves_nothing_behind() -> None:
    before = json.dumps(zom.json_schema(2))
    zom.json_schema(2)["$defs"]["Fields"]["items"].clear()  # type: ignore[index,call-overload,union-attr]
    assert json.dumps(zom.json_schema(2)) == before


@pytest.mark.parametrize("number", [2, 3])
def test_groups_and_arrays_may_be_the_root(number: int) -> None:
    assert valid(number, GROUPS[number])
    assert valid(number, ARRAYS[number])
    assert valid(number, changed(GROUPS[number], members={"a": ARRAYS[number], "g": GROUPS[number]}))
    assert not valid(number, GROUPS[5 - number])
    assert not valid(number, ARRAYS[5 - number])
    assert not valid(number, 3)
    assert not valid(number, [])


# --- a table of changes, to an array or a group, and whether they are right

RIGHT: list[tuple[str, int, str, dict[str, Any]]] = [
    ("no zarr_format", 2, "array", {"zarr_format": ABSENT, "zarr_version": 2}),
    ("no zarr_format", 3, "array", {"zarr_format": ABSENT, "zarr_version": 3}),
    ("both names of the version", 2, "group", {"zarr_version": 2}),
    ("both names of the version", 3, "array", {"zarr_version": 3}),
    ("zarr_version of a group", 3, "group", {"zarr_format": ABSENT, "zarr_version": 3}),
    ("no axes", 2, "array", {"shape": [], "chunks": []}),
    ("no length", 2, "array", {"shape": [0, 4], "chunks": [0, 2]}),
    (
        "a list of fields",
        2,
        "array",
        {"dtype": [["a", "<i4"], ["b", [["c", "|S3", [2]]]]], "fill_value": None},
    ),
    ("a time", 2, "array", {"dtype": "<M8[25us]", "fill_value": "NaT"}),
    ("a void", 2, "array", {"dtype": "|V3", "fill_value": "AAAA"}),
    ("objects", 2, "array", {"dtype": "|O", "filters": [{"id": "vlen-utf8"}], "fill_value": ""}),
    ("NaN", 2, "array", {"fill_value": "NaN"}),
    ("no compressor", 2, "array", {"compressor": None, "filters": []}),
    ("Fortran", 2, "array", {"order": "F", "dimension_separator": "/"}),
    (
        "least",
        2,
        "array",
        dict.fromkeys(("compressor", "fill_value", "order", "filters", "attributes"), ABSENT),
    ),
    ("a convention's field", 2, "array", {"_x": 3}),
    ("a convention's field", 2, "group", {"_nczarr_group": {"a": 1}}),
    ("not read", 2, "group", {"members": None}),
    ("a name of v3's document", 2, "group", {"members": {"zarr.json": GROUPS[2], "__a": GROUPS[2]}}),
    ("no node_type", 3, "array", {"node_type": ABSENT}),
    (
        "names alone",
        3,
        "array",
        {"chunk_key_encoding": "v2", "codecs": ["bytes", "crc32c"], "data_type": "int8"},
    ),
    ("object of a known type", 3, "array", {"data_type": {"name": "uint8"}, "codecs": ["bytes"]}),
    (
        "a type with a configuration",
        3,
        "array",
        {
            "data_type": {"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}},
            "fill_value": "NaT",
        },
    ),
    ("raw bytes", 3, "array", {"data_type": "r16", "fill_value": [0, 255], "codecs": ["bytes"]}),
    ("bits of a float", 3, "array", {"fill_value": "0x7fc00001"}),
    ("complex", 3, "array", {"data_type": "complex64", "fill_value": ["NaN", 1.5]}),
    (
        "rectilinear",
        3,
        "array",
        {
            "chunk_grid": {
                "name": "rectilinear",
                "configuration": {"kind": "inline", "chunk_shapes": [2, [1, [2, 2], 1]]},
            }
        },
    ),
    (
        "must_understand",
        3,
        "array",
        {"codecs": [{"name": "bytes", "must_understand": True}], "data_type": "int8"},
    ),
    ("idle fields", 3, "array", {"storage_transformers": None, "dimension_names": None}),
    ("no transformers", 3, "array", {"storage_transformers": [], "dimension_names": ["x", None]}),
    ("a field to ignore", 3, "array", {"extra": {"must_understand": False, "a": 1}}),
    ("a field to ignore", 3, "group", {"extra": {"must_understand": False}}),
    ("not read", 3, "group", {"members": None}),
    ("nothing said", 3, "group", dict.fromkeys(("node_type", "attributes", "members"), ABSENT)),
    (
        "odd names",
        3,
        "group",
        {"members": dict.fromkeys(("é", "a b", "...a", ".zarray", "_a", "a\n"), GROUPS[3])},
    ),
]

WRONG: list[tuple[str, int, str, dict[str, Any]]] = [
    *(
        (f"{name} {value!r}", number, kind, {name: value})
        for number in (2, 3)
        for kind, name, values in (
            ("array", "zarr_format", ["2", None, 5 - number]),
            ("array", "zarr_version", [5 - number, None, str(number)]),
            ("group", "zarr_version", [5 - number]),
            ("array", "attributes", [None, [], "a"]),
            ("group", "attributes", [None, 3]),
            ("array", "shape", [ABSENT, None, 3, [-1, 6], ["4", 6], [4.5, 6], [True, 6], [2**63, 6]]),
            ("array", "stray", [1, {}, None]),
            ("group", "stray", [1, {}, None]),
            ("group", "members", [[], "a", {"a": None}, {"a": 3}, {"a": []}]),
            ("group", "consolidated_metadata", [None, {"kind": "inline", "must_understand": False}]),
        )
        for value in values
    ),
    *(
        (f"{name} {value!r}", 2, "array", {name: value})
        for name, values in {
            "chunks": [ABSENT, None, [0, 3], [2.5, 3], "2"],
            "dtype": [
                ABSENT,
                None,
                "f3",
                "<f3",
                "<i3",
                "|S0",
                "<M8[x]",
                [],
                ["a"],
                [["a"]],
                [["", "<i4"]],
            ],
            "compressor": [{}, {"id": ""}, {"id": 3}, "zlib", [], 3],
            "filters": [{}, [{}], ["delta"], "delta", [None]],
            "order": ["A", None, 3],
            "dimension_separator": ["-", 3],
            "fill_value": ["hello", "nan", [1, 2], {}, True],
        }.items()
        for value in values
    ),
    *(
        (f"{dtype} {fill!r}", 2, "array", {"dtype": dtype, "fill_value": fill})
        for dtype, fills in {
            "|b1": [2, "a", [True, False], 0.5],
            "|u1": [-1, 256, 1.5, "1", True, {}],
            "<i8": [2**63, "a"],
            "<c8": [[1], [1, 2, 3], ["a", 1]],
            "<m8[s]": [1.5, "nat", 2**63],
            "|V2": [3, "?", {}],
            "<U3": [3, {}, [1, 2]],
        }.items()
        for fill in fills
    ),
    *(
        (f"{name} {value!r}", 3, "array", {name: value})
        for name, values in {
            "node_type": ["group", "Array", 3, None],
            "data_type": [
                ABSENT,
                None,
                3,
                "<f4",
                "|u1",
                "",
                "struct",
                {"name": "Float"},
                {"name": "raw_bytes"},
                {},
            ],
            "chunk_grid": [
                ABSENT,
                "regular",
                {"name": "regular"},
                {"name": "regular", "configuration": {}},
                {"name": "regular", "configuration": {"chunk_shape": [0, 3]}},
                {"name": "regular", "configuration": {"chunk_shape": [2, 3], "a": 1}},
                {"name": "rectilinear", "configuration": {"kind": "x", "chunk_shapes": [2, 3]}},
                {**REGULAR, "stray": 1},
                {"configuration": {}},
            ],
            "chunk_key_encoding": [
                ABSENT,
                "Default",
                {"name": "default", "configuration": {"separator": "-"}},
                {"name": "v2", "configuration": {"sep": "/"}},
                {"name": "v2", "configuration": None},
                3,
            ],
            "codecs": [ABSENT, [], None, "bytes", ["GZip"], [{"name": "bytes", "must_understand": 1}], [3]],
            "storage_transformers": [{}, "a", [{"name": "aa"}]],
            "dimension_names": [[1, 2], "ab", {}],
            "fill_value": [ABSENT, None, "hello", [], {}, True],
        }.items()
        for value in values
    ),
    *(
        (f"{kind} {fill!r}", 3, "array", {"data_type": kind, "fill_value": fill})
        for kind, fills in {
            "bool": [0, 1, "true", None],
            "int8": [128, -129, 1.5, "1", True, None],
            "uint64": [-1, 2**64],
            "complex64": [1, [1], ["a", 1]],
            "string": [0, None, []],
            "r8": [3, [256], "?"],
        }.items()
        for fill in fills
    ),
    *(
        (f"the name {name!r}", number, "group", {"members": {name: GROUPS[number]}})
        for number, names in ((2, [".zarray", ".zgroup", ".zattrs", ".zmetadata"]), (3, ["__a", "zarr.json"]))
        for name in ["", "/", "a/b", ".", "..", "...", "a\0", *names]
    ),
    ("a member of the other version", 2, "group", {"members": {"a": GROUPS[3]}}),
    ("an array of the other version", 3, "group", {"members": {"a": ARRAYS[2]}}),
    ("a field with another must_understand", 3, "array", {"stray": {"must_understand": True}}),
]


def _id(case: tuple[str, int, str, dict[str, Any]]) -> str:
    return f"v{case[1]} {case[2]}: {case[0]}"


def documents(case: tuple[str, int, str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what a case changes, alone and deep in a hierarchy."""
    _, number, kind, fields = case
    document = changed((ARRAYS if kind == "array" else GROUPS)[number], **fields)
    inner = changed(GROUPS[number], members={"n": document, "o": ARRAYS[number]})
    return [document, changed(GROUPS[number], members={"g": inner})]


@pytest.mark.parametrize("case", RIGHT, ids=_id)
def test_what_is_right_is_accepted_by_both(case: Any) -> None:
    for document in documents(case):
        assert valid(case[1], document), [e.message for e in validator(case[1]).iter_errors(document)]
        model = getattr(zom, f"v{case[1]}")
        kind = model.GroupSpec if "shape" not in document else model.ArraySpec
        written = json.loads(json.dumps(kind.from_json(document).to_json()))
        assert valid(case[1], written) and valid(kind, written)


@pytest.mark.parametrize("case", WRONG, ids=_id)
def test_what_a_schema_can_see_as_wrong_is_refused_by_both(case: Any) -> None:
    for document in documents(case):
        assert not valid(case[1], document)
        assert not accepted(case[1], document)
        for model in (getattr(zom, f"v{case[1]}").GroupSpec, getattr(zom, f"v{case[1]}").ArraySpec):
            with pytest.raises(MetadataError):
                model.from_json(document)


def test_extensions_are_not_refused() -> None:
    for name, value in {
        "data_type": {"name": "float4_e2m1fn_x2", "configuration": {"a": 1}},
        "chunk_grid": "https://example.com/grid",
        "chunk_key_encoding": {"name": "suffix", "configuration": {"suffix": ".tif"}},
        "codecs": ["bytes", {"name": "new.codec-1", "configuration": {}}],
    }.items():
        assert valid(3, changed(ARRAYS[3], **{name: value}))


@pytest.mark.parametrize(("given", "written"), [("=f4", "<f4"), ("uint8", "|u1"), ("float64", "<f8")])
def test_names_of_numpy_are_taken_on_input_and_written_as_the_specification_has_them(
    given: str, written: str
) -> None:
    document = changed(ARRAYS[2], dtype=given)
    assert not valid(2, document)
    model = v2.ArraySpec.from_json(document)
    assert model.dtype == written
    assert valid(2, json.loads(json.dumps(model.to_json())))


# --- every model that is accepted

_attributes = st.dictionaries(
    st.text(max_size=3), st.one_of(st.integers(), st.none(), st.floats()), max_size=2
)
_V2_TYPES = {
    "|b1": [True, 0, 1],
    "|i1": [-128, 127, 3.0],
    ">u8": [2**64 - 1],
    "<f2": [1, "NaN", "0x7e01", 65504.0],
    "<f8": [0.1, "-Infinity"],
    ">c16": [[0, "NaN"]],
    "<M8[ms]": ["NaT", 0, -5],
    "|S3": ["", "YWI=", "ab", 0],
    "<U3": ["abc", "", 0],
    "|V3": ["AAAA", ""],
}
_V3_TYPES = {
    "bool": [True],
    "int16": [-(2**15), 3.0],
    "uint64": [2**64 - 1],
    "float16": [1, "NaN", "0x7e01"],
    "complex128": [[0, "Infinity"]],
    "bfloat16": [1, "NaN", "0x7fc1"],
    "float8_e5m2": [0.5, "-Infinity"],
    "int4": [-8, 7.0],
    "complex_float8_e4m3": [[0, "NaN"]],
    "string": ["", "é"],
    "r24": ["AAAA", [0, 1, 2]],
}


@st.composite
def _array(draw: Any, number: int) -> dict[str, Any]:
    shape = draw(st.lists(st.integers(0, 4), max_size=3))
    chunks = [draw(st.integers(1, 3)) for _ in shape]
    kinds = _V2_TYPES if number == 2 else _V3_TYPES
    kind = draw(st.sampled_from(sorted(kinds)))
    fills = [*kinds[kind], None] if number == 2 else kinds[kind]
    fields = {"shape": shape, "fill_value": draw(st.sampled_from(fills)), "attributes": draw(_attributes)}
    if number == 2:
        chunks = [
            chunk if length else draw(st.sampled_from([0, chunk]))
            for chunk, length in zip(chunks, shape, strict=True)
        ]
        order = draw(st.sampled_from("CF"))
        return changed(ARRAYS[2], **fields, dtype=kind, chunks=chunks, order=order)
    grid = {"name": "regular", "configuration": {"chunk_shape": chunks}}
    codecs = ["vlen-utf8"] if kind == "string" else [{"name": "bytes", "configuration": {"endian": "little"}}]
    names = draw(st.none() | st.just(["x", None, ""][: len(shape)]))
    return changed(ARRAYS[3], **fields, data_type=kind, chunk_grid=grid, codecs=codecs, dimension_names=names)


def _group(number: int, members: Any) -> Any:
    names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=4)
    made = st.fixed_dictionaries(
        {"attributes": _attributes, "members": st.dictionaries(names, members, max_size=3)}
    )
    return made.map(lambda fields: changed(GROUPS[number], **fields))


_TREES = {n: st.recursive(_array(n), lambda inner, n=n: _group(n, inner), max_leaves=4) for n in (2, 3)}


@pytest.mark.parametrize("number", [2, 3])
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_model_is_valid_by_its_schema(number: int, data: Any) -> None:
    document = data.draw(_TREES[number])
    if valid(number, document):
        written = zom.from_json(document).to_json()
        assert valid(number, written)
    else:  # of what is drawn, names alone can be wrong
        with pytest.raises(MetadataError, match="a node's name"):
            zom.from_json(document)


# --- users' models


class Units(BaseModel):
    """What has a unit."""

    model_config = ConfigDict(extra="allow")
    units: str
    scale: float | None = None
    dimensions: list[str] = Field(default=[], alias="_ARRAY_DIMENSIONS")


class Named(TypedDict):
    title: str
    count: NotRequired[int]


class Strict(v3.ArraySpec[Units]):
    """Temperatures.

    More of it.
    """

    data_type: Literal["float32", "float64"]
    shape: tuple[int, int]


class Members(TypedDict):
    t: Strict
    more: NotRequired[v3.GroupSpec[Named, Any]]


class Dataset(v3.GroupSpec[Named, Any]):
    members: Members  # type: ignore[assignment]


class Tree(v3.GroupSpec[dict[str, Any], "Tree | Strict"]):
    """Trees of trees."""


GOOD = changed(ARRAYS[3], attributes={"units": "K", "_ARRAY_DIMENSIONS": ["x", "y"], "more": 1})
DATASET = changed(
    GROUPS[3],
    attributes={"title": "a"},
    members={"t": GOOD, "more": changed(GROUPS[3], attributes={"title": "b"}), "other": ARRAYS[3]},
)
TREE = changed(GROUPS[3], members={"t": GOOD, "g": changed(GROUPS[3], members={"t": GOOD})})
EITHER: Any = v3.GroupSpec[dict[str, Any], Strict | v3.GroupSpec[Named, Any]]
FLAT: Any = v3.GroupSpec[Units, Members]


def at(document: Any, path: str, value: Any) -> Any:
    """Return a document with one value replaced, or removed where it is `ABSENT`."""
    made = deepcopy(document)
    *way, last = path.split("/")
    inner = made
    for name in way:
        inner = inner[name]
    if value is ABSENT:
        del inner[last]
    else:
        inner[last] = value
    return made


@pytest.mark.parametrize(
    ("model", "document"),
    [
        (Strict, GOOD),
        (Dataset, DATASET),
        (Tree, TREE),
        (EITHER, changed(GROUPS[3], members={"a": GOOD, "b": changed(GROUPS[3], attributes={"title": "b"})})),
        (FLAT, changed(DATASET, attributes={"units": "m"})),
        (v2.ArraySpec[Named], changed(ARRAYS[2], attributes={"title": "a"})),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_instances_of_users_models_are_valid(model: Any, document: Any) -> None:
    instance = model.from_json(document)
    assert valid(model, document)
    assert valid(model, json.loads(json.dumps(instance.to_json())))


@pytest.mark.parametrize(
    ("model", "document", "path", "value"),
    [
        (Strict, GOOD, "attributes", ABSENT),
        (Strict, GOOD, "attributes/units", ABSENT),
        (Strict, GOOD, "attributes/_ARRAY_DIMENSIONS", "x"),
        (Strict, GOOD, "data_type", "int8"),
        (Strict, GOOD, "shape", [1]),
        (Strict, GOOD, "shape", [1, -1]),
        (Dataset, DATASET, "attributes/title", 3),
        (Dataset, DATASET, "members", None),
        (Dataset, DATASET, "members/t", ABSENT),
        (Dataset, DATASET, "members/t", GROUPS[3]),
        (Dataset, DATASET, "members/more/attributes", ABSENT),
        (Dataset, DATASET, "members/other/shape", [-1, 6]),
        (Dataset, DATASET, "members/other", 3),
        (Dataset, DATASET, "members/__x", GROUPS[3]),
        (Tree, TREE, "members/t", changed(ARRAYS[3], attributes={})),
        (Tree, TREE, "members/g/members/t/attributes/units", 3),
        (EITHER, TREE, "members/t/attributes", {}),
        (FLAT, changed(DATASET, attributes={"units": "m"}), "attributes/units", ABSENT),
    ],
)
def test_what_is_none_of_a_users_model_is_refused_by_both(
    model: Any, document: Any, path: str, value: Any
) -> None:
    wrong = at(document, path, value)
    assert not valid(model, wrong)
    with pytest.raises(MetadataError):
        model.from_json(wrong)


def test_a_users_words_are_the_schemas() -> None:
    schema: Any = zom.json_schema(Strict)
    assert schema["title"] == "Strict"
    assert schema["description"] == "Temperatures."
    assert schema["properties"]["data_type"]["enum"] == ["float32", "float64"]
    assert schema["$defs"]["Units"]["description"] == "What has a unit."
    assert "attributes" in schema["required"]
    assert "attributes" not in zom.json_schema(Tree)["$defs"]["Tree"].get("required", [])  # type: ignore[index,call-overload,union-attr]
    assert zom.json_schema(Dataset)["required"] == ["members", "attributes"]


@pytest.mark.parametrize("name", sorted(conventions.CONVENTIONS))
def test_conventions_have_schemas(name: str) -> None:
    for model in conventions.CONVENTIONS[name].values():
        Draft202012Validator.check_schema(zom.json_schema(model))
