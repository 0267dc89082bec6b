"""Typed attributes as JSON and back."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omnizarr.jsontypes import dump_json, parse_json
from omnizarr.netcdf.attributes import from_python, to_python
from omnizarr.netcdf.dialects.attributes import (
    decode_attribute,
    decode_attributes,
    encode_attribute,
    json_text,
)
from omnizarr.netcdf.model.nodes import AttributeModel
from omnizarr.netcdf.model.types import ATOMIC_TYPES, BYTE, CHAR, DOUBLE, FLOAT, INT, STRING, NcType

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


def _values(kind: NcType) -> st.SearchStrategy[Any]:
    if kind is CHAR:
        return TEXT
    if kind is STRING:
        return st.lists(TEXT, max_size=4).map(tuple)
    if kind in (FLOAT, DOUBLE):
        return st.lists(st.floats(width=8 * kind.size, allow_nan=False), max_size=4).map(tuple)
    limits = np.iinfo(kind.dtype)
    return st.lists(st.integers(int(limits.min), int(limits.max)), max_size=4).map(tuple)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(ATOMIC_TYPES).flatmap(lambda kind: st.tuples(st.just(kind), _values(kind))))
def test_every_attribute_comes_back(drawn: tuple[NcType, Any]) -> None:
    attribute = AttributeModel("a", *drawn)
    value, code = encode_attribute(attribute)
    assert decode_attribute("a", parse_json(dump_json(value)), code) == attribute


def test_json_stays_json_where_nothing_is_lost() -> None:
    assert encode_attribute(AttributeModel("a", CHAR, '{"a": 1, "b": [1,2]}')) == (
        {"a": 1, "b": [1, 2]},
        ">S1",
    )
    for text in (
        '{"a":1}',
        "[1, 2]",
        "[NaN]",
        '{"a": "\\u0001"}',
        "123",
        "true",
        '{"a": 1, "a": 2}',
        "[1.50]",
    ):
        assert encode_attribute(AttributeModel("a", CHAR, text)) == (text, ">S1")


def test_floats_are_written_in_the_fewest_digits() -> None:
    value, code = encode_attribute(AttributeModel("a", FLOAT, (float(np.float32(0.1)),)))
    assert (dump_json(value), code) == (b"0.1", "<f4")
    assert encode_attribute(AttributeModel("a", DOUBLE, (float("nan"), float("-inf"))))[0] == [
        "NaN",
        "-Infinity",
    ]


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (5, "int", (5,)),
        (2**31, "uint", (2**31,)),
        (-(2**31) - 1, "int64", (-(2**31) - 1,)),
        (2**63, "uint64", (2**63,)),
        (2**64, "double", (2.0**64,)),
        (1.5, "double", (1.5,)),
        (True, "ubyte", (1,)),
        ("text", "char", "text"),
        ([1, 2], "int", (1, 2)),
        ([1, 2.5], "double", (1.0, 2.5)),
        ([2**31, -1], "int64", (2**31, -1)),
        ([True, False], "ubyte", (1, 0)),
        (["a", "b"], "string", ("a", "b")),
        ([], "double", ()),
        ([1, "a"], "char", '[1,"a"]'),
        ([1, True], "char", "[1,true]"),
        (None, "char", "null"),
        ({"a": [1]}, "char", '{"a": [1]}'),
        ([[1], [2]], "char", "[[1],[2]]"),
    ],
)
def test_types_that_are_not_recorded_follow_from_the_value(value: Any, kind: str, shown: Any) -> None:
    found = decode_attribute("a", value)
    assert (found.type.name, found.value) == (kind, shown)


@pytest.mark.parametrize(
    ("value", "code", "kind", "shown"),
    [
        ({"a": 1}, ">S1", "char", '{"a": 1}'),
        ([1, 2], ">S1", "char", "[1,2]"),
        (123, ">S1", "char", "123"),
        ("x", "<U1", "char", "x"),
        ("x", "|S1", "string", ("x",)),
        (5, "|S128", "string", ("5",)),
        ("NaN", "<f4", "float", None),
        (3.0, "<i2", "short", (3,)),
        ("7", "<i4", "int", (7,)),
        (300, "<i1", "int", (300,)),
        ("text", "<i4", "char", "text"),
        ({"a": 1}, "<i4", "char", '{"a": 1}'),
        (5, "<c8", "int", (5,)),
        (5, 7, "int", (5,)),
        ({"a": 1}, "|J0", "char", '{"a": 1}'),
    ],
)
def test_types_that_are_recorded_hold_where_the_value_allows(
    value: Any, code: Any, kind: str, shown: Any
) -> None:
    found = decode_attribute("a", value, code)
    assert found.type.name == kind
    assert found.value == shown or (shown is None and np.isnan(found.value[0]))


def test_what_is_the_librarys_own_is_hidden() -> None:
    names = ("_ARRAY_DIMENSIONS", "_nczarr_attr", "_NCZARR_GROUP", "_NCProperties", "DIMENSION_LIST", "CLASS")
    users = ("_nczarr_maxstrlen", "_Unsigned", "NAMES", "_QuantizeBitRoundNumberOfSignificantBits")
    assert [a.name for a in decode_attributes(dict.fromkeys((*names, *users), 1))] == list(users)


@settings(max_examples=50, deadline=None)
@given(
    st.recursive(st.none() | st.booleans() | st.integers() | TEXT, lambda inner: st.lists(inner, max_size=3))
)
def test_json_text_is_json(value: Any) -> None:
    assert json.loads(json_text(value)) == value


@pytest.mark.parametrize(
    ("value", "kind", "back"),
    [
        (5, "int64", np.int64(5)),
        (5.0, "double", np.float64(5)),
        (np.int8(5), "byte", np.int8(5)),
        ("ascii", "char", "ascii"),
        ("ä", "string", "ä"),
        (b"bytes", "char", "bytes"),
        (["a"], "char", "a"),
        (["a", "b"], "string", ["a", "b"]),
        ("", "char", ""),
    ],
)
def test_python_values_get_the_types_of_netcdf4_python(value: Any, kind: str, back: Any) -> None:
    attribute = from_python("a", value)
    assert attribute.type.name == kind
    assert to_python(attribute) == back


@pytest.mark.parametrize("value", [True, 1j, None, {"a": 1}, [object()]])
def test_python_values_without_a_type_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="'a'"):
        from_python("a", value)


def test_bytes_that_are_no_text_are_kept_as_far_as_json_can() -> None:
    attribute = from_python("a", b"\xff")
    assert attribute.type is CHAR
    assert encode_attribute(attribute) == ("ÿ", ">S1")
    assert from_python("a", np.int8(1)).type is BYTE
    assert from_python("a", np.array([1], ">i4")).type is INT
