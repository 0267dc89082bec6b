"""JSON at the edge: what is parsed, what is written, and what is said of values that do not fit."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omnizarr.errors import MetadataError, UnsupportedError
from omnizarr.jsontypes import (
    Problems,
    as_json,
    dump_json,
    inside,
    parse_json,
    read_bool,
    read_int,
    read_ints,
    read_list,
    read_object,
    read_string,
    same_json,
    shown,
)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"{}", {}),
        (b'{"a": 1} trailing', {"a": 1}),
        (b'{"a": 1}\0\0\0', {"a": 1}),
        (b'{"a": 1}}', {"a": 1}),
        (b"\xef\xbb\xbf[1]", [1]),
        (b" \n[1]", [1]),
        (b"[Infinity, -Infinity]", [math.inf, -math.inf]),
        (b"[inf, -inf, +infinity]", [math.inf, -math.inf, math.inf]),
        (b"[0., -1., 2.e3]", [0.0, -1.0, 2000.0]),
        (b'["0. nan", 1.]', ["0. nan", 1.0]),
        (b'["a\\"1.\\\\", 1.]', ['a"1.\\', 1.0]),
        (b"[18446744073709551615]", [2**64 - 1]),
        (b"[123456789012345678901234567890]", [123456789012345678901234567890]),
        (b"[-9223372036854775808]", [-(2**63)]),
        (b"[1.0000000000000000000000]", [1.0]),
        (b'"\\ud83d\\ude00"', "😀"),
        (bytearray(b"[1]"), [1]),
        (memoryview(b"[1]"), [1]),
    ],
)
def test_parse(data: bytes, value: Any) -> None:
    assert parse_json(data) == value


@pytest.mark.parametrize("data", [b"[NaN]", b"[nan]", b"[-nan]", b"[NaN] x"])
def test_parse_nan(data: bytes) -> None:
    (value,) = parse_json(data)  # type: ignore[misc]
    assert isinstance(value, float) and math.isnan(value)


@pytest.mark.parametrize(
    "data", [b"", b" ", b"{", b'{"a"}', b"\xff\xfe{}", b"nonsense", b"[" * 100_000, b"'a'"]
)
def test_no_json(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_json(data)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({"a": None, "b": [1.5, True, "ü"]}, {"a": None, "b": [1.5, True, "ü"]}),
        ({"a": np.float32(0.5), "b": np.int64(3)}, {"a": 0.5, "b": 3}),
        ({"a": np.arange(3)}, {"a": [0, 1, 2]}),
        ({"a": (1, 2)}, {"a": [1, 2]}),
        ([2**70], [2**70]),
        ("\ud800", "\ud800"),
        ([math.inf, None], [math.inf, None]),
        ([-0.0], [-0.0]),
    ],
)
def test_dump(value: Any, plain: Any) -> None:
    data = dump_json(value)
    assert json.loads(data) == plain
    assert parse_json(data) == plain


def test_dump_keeps_nan_as_a_token() -> None:
    assert dump_json([math.nan, None, -math.inf]) == b"[\n  NaN,\n  null,\n  -Infinity\n]"


def test_dump_refuses_what_is_no_json() -> None:
    with pytest.raises(TypeError, match="expected a JSON value, found set"):
        dump_json({"a": {1}})  # type: ignore[dict-item]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=50, deadline=None)
@given(JSON)
def test_every_value_comes_back(value: Any) -> None:
    data = dump_json(value)
    assert parse_json(data) == value
    assert parse_json(data + b"\0junk") == value
    assert json.loads(data) == value


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.array([[1, 2]]), [[1, 2]]),
        (np.float64(1.5), 1.5),
        (np.bool_(True), True),
        ({1: (np.int8(2),)}, {"1": [2]}),
        (None, None),
    ],
)
def test_as_json(value: Any, plain: Any) -> None:
    assert as_json(value) == plain


def test_problems_name_their_places() -> None:
    problems = Problems()
    assert not problems
    problems.check()
    inner = Problems()
    inner.add("b[1]", "wrong")
    inner.add("", "odd", unsupported=True)
    inner.add("[0]", "bad")
    problems.include("a", inner)
    assert [str(problem) for problem in problems.found] == ["a.b[1]: wrong", "a: odd", "a[0]: bad"]
    with pytest.raises(MetadataError) as caught:
        problems.check(store="s", path="x")
    assert not isinstance(caught.value, UnsupportedError)
    assert caught.value.path == "x"


def test_only_unsupported_problems_make_an_unsupported_error() -> None:
    problems = Problems()
    problems.add("a", "not known", unsupported=True)
    with pytest.raises(UnsupportedError, match="a: not known"):
        problems.check()


def test_inside() -> None:
    assert [inside("a", "b"), inside("", "b"), inside("a", ""), inside("a", "[1]"), inside("", "")] == [
        "a.b",
        "b",
        "a",
        "a[1]",
        "",
    ]


def test_shown() -> None:
    assert shown("x") == '"x"'
    assert shown({1, 2}) == "{1, 2}"
    assert len(shown("x" * 100)) == 60
    assert shown("x" * 100).endswith("…")


def test_reading_what_fits() -> None:
    problems = Problems()
    assert read_object({"a": 1}, "at", problems, required=("a",)) == {"a": 1}
    assert read_object({"a": 1, "b": 2}, "at", problems, optional=None) == {"a": 1, "b": 2}
    assert read_int(5, "at", problems, 0, 5) == 5
    assert read_bool(False, "at", problems) is False
    assert read_string("x", "at", problems, ("x", "y")) == "x"
    assert read_list([1, 2], "at", problems, 2) == [1, 2]
    assert read_ints([1, 2], "at", problems, 1, 2) == (1, 2)
    assert read_ints([], "at", problems, 1) == ()
    assert not problems


@pytest.mark.parametrize(
    ("read", "value", "options", "stand_in", "problem"),
    [
        (read_object, [], {}, {}, "at: expected an object, found []"),
        (read_object, {}, {"required": ("a",)}, {}, "at.a: required, but missing"),
        (read_object, {"b": 1}, {}, {"b": 1}, "at.b: unknown name"),
        (read_int, 12, {"low": 0, "high": 9}, 0, "at: expected 0 to 9, found 12"),
        (read_int, 0, {"low": 1}, 1, "at: expected an integer of at least 1, found 0"),
        (read_int, 3, {"high": 2}, 0, "at: expected an integer of at most 2, found 3"),
        (read_int, True, {}, 0, "at: expected an integer, found true"),
        (read_int, 1.0, {}, 0, "at: expected an integer, found 1.0"),
        (read_bool, 1, {}, False, "at: expected true or false, found 1"),
        (read_string, 1, {}, "", "at: expected a string, found 1"),
        (read_string, "z", {"choices": ("x", "y")}, "x", 'at: expected one of "x", "y", found "z"'),
        (read_list, {}, {}, [], "at: expected a list, found {}"),
        (read_list, [1], {"length": 2}, [], "at: expected a list of 2, found [1]"),
        (read_ints, [1, "a"], {}, (1, 0), 'at[1]: expected an integer, found "a"'),
        (read_ints, [0], {"low": 1}, (1,), "at[0]: expected an integer of at least 1, found 0"),
    ],
)
def test_reading_what_does_not_fit(
    read: Any, value: Any, options: dict[str, Any], stand_in: Any, problem: str
) -> None:
    problems = Problems()
    assert read(value, "at", problems, **options) == stand_in
    assert [str(found) for found in problems.found] == [problem]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (0, 0.0, True),
        (0.0, -0.0, False),
        (0, -0.0, False),
        (-0.0, -0.0, True),
        ([0.0], [-0.0], False),
        (float("nan"), float("nan"), True),
        (True, 1, False),
        (False, 0, False),
        (None, False, False),
        ("", 0, False),
        ("", "", True),
        ([], {}, False),
        ({"a": [1]}, {"a": [1.0]}, True),
        (2**53 + 1, float(2**53), False),
    ],
)
def test_what_is_the_same_json(one: Any, other: Any, same: bool) -> None:
    assert same_json(one, other) is same
    assert same_json(other, one) is same
