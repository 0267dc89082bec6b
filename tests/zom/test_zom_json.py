"""Models and JSON, there and back."""

from __future__ import annotations

import copy
import json
import pickle
from math import isnan
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from zarr.core.dtype import parse_dtype

from omnizarr import zom
from omnizarr.errors import MetadataError
from omnizarr.hierarchy.create import create_array, create_group
from omnizarr.jsontypes import same_json
from omnizarr.store import MemoryStore
from omnizarr.zom import v2, v3

VERSIONS = pytest.mark.parametrize("version", [v2, v3])
EXAMPLES = Path(__file__).parent / "examples"


def example(number: int) -> Any:
    return json.loads((EXAMPLES / f"zep6_v{number}.json").read_text())


def problems(document: Any) -> list[str]:
    with pytest.raises(MetadataError) as caught:
        zom.from_json(document)
    return [str(problem) for problem in caught.value.problems]


def check(model: Any) -> None:
    """Take a model through every way there is, and back."""
    kind = type(model)
    text = json.dumps(model.to_json())
    dumped = model.model_dump_json()
    assert same_json(json.loads(dumped), json.loads(text))
    for other in (
        zom.from_json(model.to_json()),
        zom.from_json(text),
        zom.from_json(dumped),
        kind.model_validate_json(dumped),
        kind.model_validate(model.to_json()),
        kind(**model.to_json()),
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        copy.copy(model),
        model.model_copy(),
        model.model_copy(deep=True),
        model.model_copy(update={"attributes": model.attributes}),
    ):
        assert type(other) is kind
        assert other == model and hash(other) == hash(model)
        assert same_json(other.to_json(), model.to_json())
        assert list(other.to_json()) == list(model.to_json())
        assert same_json(other.canonical(), model.canonical())
        assert {other, model} == {model}


# --- the examples of the document


def test_the_example_for_v3_has_two_faults_that_are_told() -> None:
    expected = "expected a name of a-z, 0-9, -, _ and . or a URI, found"
    assert problems(example(3)) == [
        f'/array: data_type: {expected} "|u1"',
        f'/array: codecs[0].name: {expected} "GZip"',
    ]


def test_the_example_for_v3_has_no_codec_that_makes_bytes() -> None:
    document = example(3)
    document["members"]["array"] |= {"data_type": "uint8"}
    document["members"]["array"]["codecs"][0]["name"] = "gzip"
    assert problems(document) == [
        "/array: codecs[0]: codec gzip: expected a codec that turns the array into bytes before it"
    ]


def test_the_corrected_example_for_v3_comes_back() -> None:
    document = example(3)
    document["members"]["array"] |= {"data_type": "uint8"}
    document["members"]["array"]["codecs"] = ["bytes", {"name": "gzip", "configuration": {"level": 1}}]
    model = zom.from_json(document)
    # null says the same as leaving storage transformers out, and is not written
    assert document["members"]["array"].pop("storage_transformers") is None
    assert model.to_json() == document
    check(model)


def test_the_example_for_v2_has_one_fault() -> None:
    assert problems(example(2)) == ["/foo: filters: expected a list, found {}"]
    text = (EXAMPLES / "zep6_v2.json").read_text()
    assert problems(text) == problems(text.encode()) == problems(example(2))


@pytest.mark.parametrize("filters", [None, []])
def test_the_corrected_example_for_v2_comes_back(filters: Any) -> None:
    document = example(2)
    document["members"]["foo"]["filters"] = filters
    model = zom.from_json(document)
    assert model.to_json() == document
    check(model)


# --- forms that mean the same


@VERSIONS
def test_zarr_version_is_an_alias(version: Any) -> None:
    document = version.GroupSpec(members={"a": version.GroupSpec()}).to_json()
    number = document.pop("zarr_format")
    inner = document["members"]["a"]
    inner["zarr_version"] = inner.pop("zarr_format")
    for alias in ({"zarr_version": number}, {"zarr_version": number, "zarr_format": number}):
        model = zom.from_json({**document, **alias})
        assert model == version.GroupSpec.from_json({**document, **alias})
        assert next(iter(model.to_json())) == "zarr_format" and "zarr_version" not in model.to_json()
        assert model == zom.from_json(model.to_json())
    bad = {**document, "zarr_format": number, "zarr_version": 5 - number}
    assert problems(bad) == [f"/: zarr_version: expected {number}, as zarr_format is, found {5 - number}"]


def test_bare_nan() -> None:
    model = zom.from_json('{"zarr_format": 2, "attributes": {"a": NaN, "b": [-Infinity, Infinity]}}')
    assert isnan(model.attributes["a"]) and model.attributes["b"] == [-np.inf, np.inf]
    check(model)


@VERSIONS
@pytest.mark.parametrize(
    "fill", [float("nan"), float("inf"), -float("inf"), "NaN", "-Infinity", np.float32("nan")]
)
def test_fill_values_that_are_no_numbers(version: Any, fill: Any) -> None:
    model = version.ArraySpec.from_array([1.0], dtype="f4", chunks=(1,)).model_copy(
        update={"fill_value": fill}
    )
    assert isinstance(model.to_json()["fill_value"], str)
    check(model)


def test_what_is_spelled_in_an_odd_way_stays_as_it_is() -> None:
    document = {
        **v3.ArraySpec.from_array([1], dtype="int8", chunks=(1,)).to_json(),
        "codecs": [
            "bytes",
            {"name": "crc32c"},
            {"name": "zstd", "configuration": {"checksum": False, "level": 0}},
        ],
        "chunk_key_encoding": "default",
        "chunk_grid": {"configuration": {"chunk_shape": [1]}, "name": "regular", "must_understand": True},
        "storage_transformers": [],
        "later": {"must_understand": False, "a": 1},
        "dimension_names": [None],
    }
    model = zom.from_json(document)
    assert model.to_json() == document
    assert model.canonical() != document and zom.from_json(model.canonical()) == model
    check(model)
    of_v2 = {
        **v2.ArraySpec.from_array([1], dtype="int8", chunks=(1,)).to_json(),
        "_note": {"x": 1},
        "filters": [],
    }
    assert zom.from_json(of_v2).to_json() == of_v2
    check(zom.from_json(of_v2))


@VERSIONS
def test_members_that_were_not_read(version: Any) -> None:
    model = version.GroupSpec(members={"a": version.GroupSpec(members=None)})
    assert model.to_json()["members"]["a"]["members"] is None
    check(model)


# --- arrays of every type, from stores


TYPES = [
    *("bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", ">i4", ">f8"),
    *("S4", "U3", "V5", "M8[s]", "M8[10ns]", "m8[ms]", ">M8[us]"),
    np.dtype([("a", "i2"), ("b", "f8")]),
]
ONLY_V3 = [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.int4, "string", "r24"]


@pytest.mark.parametrize(
    ("number", "dtype"),
    [*((number, dtype) for dtype in TYPES for number in (2, 3)), *((3, d) for d in ONLY_V3)],
)
def test_arrays_of_stores(number: int, dtype: Any) -> None:
    root = create_group(MemoryStore(), zarr_format=number, attributes={"x": [1, {"y": None}]})
    root.create_array("a", shape=(2, 3), chunks=(1, 3), dtype=dtype, attributes={"units": "é"})
    model: Any = zom.from_node(root)
    check(model)
    check(model.members["a"])
    assert model.members["a"].metadata.data_type == root["a"].metadata.data_type
    assert zom.diff(model, root) == []


@VERSIONS
@pytest.mark.parametrize(
    ("dtype", "fill"),
    [
        ("f4", np.nan),
        ("f8", -0.0),
        ("c16", 1 + 2j),
        ("U3", "é\0x"),
        ("S3", b"\xff\0a"),
        ("M8[s]", "NaT"),
        ("u8", 2**64 - 1),
    ],
)
def test_fill_values(version: Any, dtype: str, fill: Any) -> None:
    number = version.ArraySpec.version.number
    array = create_array(MemoryStore(), shape=(1,), dtype=dtype, fill_value=fill, zarr_format=number)
    model = zom.from_node(array)
    check(model)
    again = model.to_store(MemoryStore())
    assert np.asarray(again.fill_value).tobytes() == np.asarray(array.fill_value).tobytes()


# --- any model


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
attributes = st.dictionaries(st.text(max_size=3), json_values, max_size=3)
lengths = st.lists(st.integers(0, 5), max_size=3)
dtypes = st.sampled_from(["bool", "i2", ">f4", "c8", "U2", "S3", "M8[s]", "V2"])
names = st.sampled_from(["a", "b.c", "d e", "é", "[0]", "members", "attributes"])


@st.composite
def arrays(draw: Any, version: Any) -> Any:
    shape = draw(lengths)
    codec = {"id": "zlib", "level": 1} if version is v2 else {"name": "gzip", "configuration": {"level": 1}}
    extra = {
        "dimension_names": draw(
            st.none() | st.lists(st.none() | st.text(max_size=2), min_size=len(shape), max_size=len(shape))
        )
    }
    array = create_array(
        MemoryStore(),
        shape=tuple(shape),
        chunks=tuple(draw(st.integers(1, 6)) for _ in shape),
        dtype=draw(dtypes),
        compressors=draw(st.sampled_from([None, [codec], "auto"])),
        attributes=draw(attributes),
        zarr_format=version.ArraySpec.version.number,
        **(extra if version is v3 else {}),
    )
    return version.ArraySpec.from_node(array)


def nodes(version: Any) -> Any:
    return st.recursive(
        arrays(version),
        lambda inner: st.builds(
            lambda attributes, members: version.GroupSpec(attributes=attributes, members=members),
            attributes,
            st.none() | st.dictionaries(names, inner, max_size=3),
        ),
        max_leaves=3,
    )


@VERSIONS
@settings(max_examples=30)
@given(data=st.data())
def test_any_model_comes_back(version: Any, data: Any) -> None:
    model = data.draw(nodes(version))
    text = json.dumps(model.to_json())
    back = zom.from_json(text)
    assert back == model and hash(back) == hash(model)
    assert same_json(back.to_json(), json.loads(text))
    canonical = zom.from_json(model.canonical())
    assert canonical == (model if model.kind == "array" else model.model_copy(update={"members": {}}))
    assert same_json(canonical.canonical(), model.canonical())


@VERSIONS
@settings(max_examples=15)
@given(data=st.data())
def test_any_model_goes_every_way(version: Any, data: Any) -> None:
    check(data.draw(nodes(version)))


# --- copies


def test_copies_with_changes_are_checked() -> None:
    model = v3.ArraySpec.from_array([1, 2], dtype="int8", chunks=(2,))
    longer = model.model_copy(update={"shape": [5]})
    assert longer.shape == (5,) and longer.metadata.shape == (5,) and longer != model
    with pytest.raises(ValidationError, match="fill_value"):
        model.model_copy(update={"fill_value": "x"})
    with pytest.raises(ValidationError, match="unknown name"):
        model.model_copy(update={"shap": [5]})
    with pytest.raises(ValidationError, match="frozen"):
        model.shape = (3,)  # type: ignore[misc]


@VERSIONS
def test_attributes_are_json_and_not_what_was_given(version: Any) -> None:
    given: dict[str, Any] = {"a": [1], "b": np.arange(2), "c": (1, np.float32(0.5))}
    model = version.GroupSpec(attributes=given)
    given["a"].append(2)
    given["d"] = 1
    assert model.attributes == model.to_json()["attributes"] == {"a": [1], "b": [0, 1], "c": [1, 0.5]}


def test_deep_copies_share_nothing() -> None:
    model = v3.GroupSpec(attributes={"a": [1]})
    other = copy.deepcopy(model)
    other.attributes["a"].append(2)
    assert model.attributes == {"a": [1]} and model != other


def test_types_have_the_names_of_zarr_python() -> None:
    model = v3.ArraySpec.from_array([1], dtype="int8")
    assert parse_dtype(model.to_json()["data_type"], zarr_format=3).to_native_dtype() == np.dtype("i1")
