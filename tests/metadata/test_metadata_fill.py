"""Fill values between JSON and numpy."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from omnizarr.errors import MetadataError
from omnizarr.jsontypes import Json, Problems, dump_json, parse_json
from omnizarr.metadata.dtype import OBJECT, PLAIN, DataType
from omnizarr.metadata.dtype_numpy import data_type_of, from_numpy
from omnizarr.metadata.dtype_v3 import read_data_type
from omnizarr.metadata.fill import as_fill, default_fill, read_fill, same_fill, write_fill
from omnizarr.metadata.fill_v2 import read_fill_v2, write_fill_v2


def v3(value: Json, dtype: Any) -> Any:
    problems = Problems()
    found = read_fill(value, from_numpy(dtype), "fill_value", problems)
    problems.check()
    return found


def v2(value: Json, dtype: Any) -> Any:
    problems = Problems()
    found = read_fill_v2(value, from_numpy(dtype), "fill_value", problems)
    problems.check()
    return found


def bits(value: int, dtype: str) -> Any:
    return np.array(value, dtype.replace("f", "u")).view(dtype)[()]


XY = [("x", "f4"), ("y", ">i2")]

# (dtype, JSON, value); the JSON is what is written for the value
BOTH: list[tuple[Any, Json, Any]] = [
    ("bool", True, np.True_),
    ("bool", False, np.False_),
    ("i1", -128, np.int8(-128)),
    ("u1", 255, np.uint8(255)),
    ("i8", -(2**63), np.int64(-(2**63))),
    ("u8", 2**64 - 1, np.uint64(2**64 - 1)),
    ("f2", 65504.0, np.float16(65504)),
    ("f4", 0.1, np.float32(0.1)),
    ("f4", -0.0, np.float32(-0.0)),
    ("f4", 9.96921e36, np.float32(9.969209968386869e36)),
    ("f8", 9.969209968386869e36, np.float64(9.969209968386869e36)),
    ("f8", 5e-324, np.float64(5e-324)),
    ("f8", 1.7976931348623157e308, np.finfo("f8").max),
    ("f4", "NaN", np.float32(np.nan)),
    ("f8", "Infinity", np.float64(np.inf)),
    ("f8", "-Infinity", np.float64(-np.inf)),
    ("f4", "0x7fc00001", bits(0x7FC00001, "f4")),
    ("f4", "0xffc00000", bits(0xFFC00000, "f4")),
    ("f2", "0x7e01", bits(0x7E01, "f2")),
    ("f8", "0x7ff0000000000001", bits(0x7FF0000000000001, "f8")),
    ("c8", [1.5, -2.0], np.complex64(1.5 - 2j)),
    ("c16", ["NaN", "-Infinity"], np.complex128(complex(np.nan, -np.inf))),
    ("M8[ns]", 5, np.datetime64(5, "ns")),
    ("m8[s]", -5, np.timedelta64(-5, "s")),
    ("U3", "hé€", np.str_("hé€")),
    ("U3", "", np.str_("")),
    ("S5", "YWI=", np.bytes_(b"ab")),
    ("S5", "", np.bytes_(b"")),
    ("string", "any text", "any text"),
    ("bytes", "aGk=", b"hi"),
    ("variable_length_bytes", "", b""),
    (OBJECT, {"a": [1, None]}, {"a": [1, None]}),
]
V3_ONLY: list[tuple[Any, Json, Any]] = [
    ("r16", [1, 255], np.void(b"\x01\xff")),
    ({"name": "raw_bytes", "configuration": {"length_bytes": 3}}, "YWJj", np.void(b"abc")),
    (
        [("x", "f4"), ("y", "i2")],
        {"x": "NaN", "y": 3},
        np.array((np.nan, 3), [("x", "f4"), ("y", "i2")])[()],
    ),
    (
        [("p", [("x", "f4"), ("t", "M8[s]")]), ("r", "V2")],
        {"p": {"x": 1.5, "t": 7}, "r": [1, 2]},
        np.array(((1.5, 7), b"\1\2"), [("p", [("x", "f4"), ("t", "M8[s]")]), ("r", "V2")])[()],
    ),
    (
        {"name": "structured", "configuration": {"fields": [["a", "int32"], ["b", "float64"]]}},
        "AQAAAAAAAAAAAARA",
        np.array((1, 2.5), [("a", "<i4"), ("b", "<f8")])[()],
    ),
]
V2_ONLY: list[tuple[Any, Json, Any]] = [
    ("i4", None, None),
    (">i4", 7, np.int32(7)),
    (">f4", "NaN", np.float32(np.nan)),
    (">M8[s]", 7, np.datetime64(7, "s")),
    ("V3", "YWJj", np.void(b"abc")),
    (XY, "AADAPwAF", np.array((1.5, 5), XY)[()]),
    ([("z", "u1", (2, 2))], "AQIDBA==", np.array(([[1, 2], [3, 4]],), [("z", "u1", (2, 2))])[()]),
]


@pytest.mark.parametrize(("dtype", "value", "expected"), [*BOTH, *V3_ONLY], ids=str)
def test_v3_fill_values(dtype: Any, value: Json, expected: Any) -> None:
    found = v3(value, dtype)
    assert same_fill(found, expected)
    assert write_fill(found, from_numpy(dtype)) == value
    assert json.loads(dump_json(value)) == value


@pytest.mark.parametrize(("dtype", "value", "expected"), [*BOTH, *V2_ONLY], ids=str)
def test_v2_fill_values(dtype: Any, value: Json, expected: Any) -> None:
    found = v2(value, dtype)
    assert same_fill(found, expected)
    assert write_fill_v2(found, from_numpy(dtype)) == value


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        ("i4", 7.0, np.int32(7)),
        ("f4", 7, np.float32(7)),
        ("f8", float("nan"), np.float64(np.nan)),
        ("f8", float("inf"), np.float64(np.inf)),
        ("f4", "0x7FC00000", np.float32(np.nan)),
        ("f4", "0x1", bits(1, "f4")),
        ("f4", 3.40282e38, np.float32(3.40282e38)),
        ("M8[ns]", "NaT", np.datetime64("NaT", "ns")),
        ("M8[ns]", -(2**63), np.datetime64("NaT", "ns")),
        ("m8[s]", 5.0, np.timedelta64(5, "s")),
        ("S5", [97, 98], np.bytes_(b"ab")),
        ("bytes", [97, 98], b"ab"),
        ("V2", "YWI=", np.void(b"ab")),
        ([("a", "i4"), ("b", "f8")], "AQAAAAAAAAAAAARA", np.array((1, 2.5), [("a", "i4"), ("b", "f8")])[()]),
    ],
    ids=str,
)
def test_fill_values_in_other_words(dtype: Any, value: Json, expected: Any) -> None:
    assert same_fill(v3(value, dtype), expected)


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        ("S3", 0, np.bytes_(b"")),
        ("U3", 0, np.str_("")),
        ("V3", 0, np.void(b"\0\0\0")),
        ("V3", "", np.void(b"\0\0\0")),
        (XY, 0, np.zeros((), XY)[()]),
        ("string", 0, ""),
        ("bytes", 0, b""),
        (OBJECT, 0, 0),
        ("bool", 0, np.False_),
        ("bool", 1, np.True_),
        ("f4", [1.5], np.float32(1.5)),
        ("c8", [[1.5, 2]], np.complex64(1.5 + 2j)),
        ("S1", "x", np.bytes_(b"x")),
        ("S4", "é", np.bytes_("é".encode())),
    ],
    ids=str,
)
def test_v2_fill_values_that_are_tolerated(dtype: Any, value: Json, expected: Any) -> None:
    assert same_fill(v2(value, dtype), expected)


@pytest.mark.parametrize(
    ("dtype", "value", "at", "message"),
    [
        ("u1", 300, "", "an integer from 0 to 255, found 300"),
        ("u1", -1, "", "found -1"),
        ("i4", 1.5, "", "found 1.5"),
        ("i4", float("nan"), "", "found NaN"),
        ("i4", "NaN", "", 'found "NaN"'),
        ("i4", True, "", "found true"),
        ("bool", 0, "", "true or false, found 0"),
        ("f4", 1e39, "", "a number that float32 can hold, found 1e+39"),
        ("f8", 10**400, "", "a number that float64 can hold"),
        ("f2", 65520, "", "a number that float16 can hold"),
        ("f4", "nan", "", 'found "nan"'),
        ("f4", True, "", "found true"),
        ("f4", "0x100000000", "", "found"),
        ("f4", "0x", "", "found"),
        ("c8", 1.5, "", "a pair of numbers"),
        ("c8", [1], "", "a pair of numbers"),
        ("c8", [1, "x"], "", "found"),
        ("M8[ns]", 2**63, "", "64 bits"),
        ("M8[ns]", "2020-01-01", "", "NaT"),
        ("U3", "abcd", "", "3 characters at most"),
        ("U3", 5, "", "found 5"),
        ("S2", "YWJj", "", "2 bytes at most"),
        ("S2", "%%", "", "base64"),
        ("r16", [1], "", "2 bytes"),
        ("r16", [1, 256], "", "from 0 to 255"),
        ("string", 5, "", "text, found 5"),
        ("bytes", "%", "", "base64"),
        (XY, {"x": 1}, ".y", "required, but missing"),
        (XY, {"x": 1, "y": 1, "z": 1}, ".z", "no such field"),
        (XY, {"x": "a", "y": 1}, ".x", 'found "a"'),
        (XY, 0, "", "a value for each field"),
        (XY, "AAAA", "", "6 bytes in base64"),
        (XY, "%", "", "6 bytes in base64"),
    ],
    ids=str,
)
def test_fill_values_that_are_refused(dtype: Any, value: Json, at: str, message: str) -> None:
    with pytest.raises(MetadataError) as caught:
        v3(value, dtype)
    (problem,) = caught.value.problems
    assert problem.at == f"fill_value{at}"
    assert message in problem.message


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        *[(name, np.zeros((), name)[()]) for name in PLAIN if PLAIN[name].dtype.kind != "O"],
        ("string", ""),
        ("bytes", b""),
        ("U3", np.str_("")),
        ("S3", np.bytes_(b"")),
        ("V2", np.void(b"\0\0")),
        ("M8[s]", np.datetime64("NaT", "s")),
        (">m8[ns]", np.timedelta64("NaT", "ns")),
        (XY, np.zeros((), XY)[()]),
        (OBJECT, 0),
    ],
    ids=str,
)
def test_default_fill(dtype: Any, expected: Any) -> None:
    assert same_fill(default_fill(from_numpy(dtype)), expected)


def test_same_fill() -> None:
    nan = np.float32(np.nan)
    assert same_fill(nan, np.float32(np.nan))
    assert same_fill(float("nan"), float("nan"))
    assert same_fill(np.complex64(complex(np.nan, 1)), np.complex64(complex(np.nan, 1)))
    assert same_fill(np.datetime64("NaT", "s"), np.datetime64("NaT", "s"))
    assert not same_fill(nan, bits(0x7FC00001, "f4"))
    assert not same_fill(np.float32(0.0), np.float32(-0.0))
    assert not same_fill(np.float32(1), np.float64(1))
    assert not same_fill(np.datetime64(1, "s"), np.datetime64(1, "ms"))
    assert not same_fill(None, np.int8(0))
    assert not same_fill("a", "b")


@pytest.mark.parametrize(
    ("dtype", "given", "expected"),
    [
        ("i4", 5, np.int32(5)),
        (">i4", 5, np.int32(5)),
        ("i4", 5.0, np.int32(5)),
        ("i4", True, np.int32(1)),
        ("u1", np.int64(7), np.uint8(7)),
        ("f4", "NaN", np.float32(np.nan)),
        ("f4", 0.1, np.float32(0.1)),
        ("c8", 1, np.complex64(1)),
        ("bool", 0, np.False_),
        ("M8[s]", "NaT", np.datetime64("NaT", "s")),
        ("M8[s]", np.datetime64("1970-01-01T00:01", "m"), np.datetime64(60, "s")),
        ("M8[s]", 5, np.datetime64(5, "s")),
        ("U3", "abc", np.str_("abc")),
        ("U3", 0, np.str_("")),
        ("S3", b"abc", np.bytes_(b"abc")),
        ("S3", "abc", np.bytes_(b"abc")),
        ("V3", b"ab", np.void(b"ab\0")),
        ("V3", np.void(b"abc"), np.void(b"abc")),
        ("string", np.str_("abc"), "abc"),
        ("string", 0, ""),
        ("bytes", b"abc", b"abc"),
        (OBJECT, [1], [1]),
        (XY, (1.5, 2), np.array((1.5, 2), XY)[()]),
        (XY, 0, np.zeros((), XY)[()]),
    ],
    ids=str,
)
def test_as_fill(dtype: Any, given: Any, expected: Any) -> None:
    assert same_fill(as_fill(given, from_numpy(dtype)), expected)


@pytest.mark.parametrize(
    ("dtype", "given"),
    [
        ("i4", 1.5),
        ("u1", 300),
        ("u1", -1),
        ("i4", "x"),
        ("i4", [1, 2]),
        ("U3", "abcd"),
        ("U3", 5),
        ("S3", b"abcd"),
        ("V3", b"abcd"),
        ("string", 5),
        ("string", b"x"),
        ("bytes", "x"),
        ("M8[s]", "x"),
    ],
    ids=str,
)
def test_as_fill_refuses(dtype: Any, given: Any) -> None:
    with pytest.raises((ValueError, TypeError, OverflowError)):
        as_fill(given, from_numpy(dtype))


FIXED = st.one_of(
    npst.boolean_dtypes(),
    npst.integer_dtypes(endianness="="),
    npst.floating_dtypes(endianness="=", sizes=(16, 32, 64)),
    npst.complex_number_dtypes(endianness="=", sizes=(64, 128)),
    npst.datetime64_dtypes(endianness="="),
    npst.timedelta64_dtypes(endianness="="),
    npst.byte_string_dtypes(endianness="=", min_len=1),
    npst.unicode_string_dtypes(endianness="=", min_len=1),
)
TYPES = st.one_of(FIXED, npst.array_dtypes(FIXED, allow_subarrays=False, max_size=3))


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_every_value_comes_back_to_the_bit(data: st.DataObject) -> None:
    dtype = data.draw(TYPES)
    data_type = data_type_of(dtype)
    size = data_type.dtype.itemsize
    raw = data.draw(st.binary(min_size=size, max_size=size))
    value = _sensible(np.frombuffer(raw, data_type.dtype))[0]
    again = parse_json(dump_json(write_fill(value, data_type)))
    problems = Problems()
    assert same_fill(read_fill(again, data_type, "", problems), value) and not problems
    again = parse_json(dump_json(write_fill_v2(value, data_type)))
    assert same_fill(read_fill_v2(again, data_type, "", problems), value) and not problems


def _sensible(array: Any) -> Any:
    """Return an array without booleans and characters that are none."""
    result = np.array(array)
    for name in result.dtype.names or ():
        result[name] = _sensible(result[name])
    if result.dtype.kind == "b":
        return (result.view("u1") & 1).astype(bool)
    if result.dtype.kind == "U":
        points = result.view("u4")
        points[(points > 0x10FFFF) | ((points >= 0xD800) & (points < 0xE000))] = ord("x")
    return result


@settings(max_examples=50, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=5,
    ),
    st.sampled_from(
        ["bool", "u1", "i8", "f2", "f8", "c8", "M8[s]", "U2", "S2", "r16", "string", "bytes", XY]
    ),
)
def test_any_json_is_read_or_refused(value: Any, dtype: Any) -> None:
    data_type = from_numpy(dtype)
    for read in (read_fill, read_fill_v2):
        problems = Problems()
        found = read(value, data_type, "fill_value", problems)
        assert (
            problems
            or found is None
            or same_fill(found, np.array(found, data_type.dtype)[()])
            or _is_text(found)
        )
        assert all(problem.at.startswith("fill_value") for problem in problems.found)


def _is_text(value: Any) -> bool:
    return isinstance(value, str | bytes)


def test_a_structure_of_the_older_name() -> None:
    document: Json = {"name": "structured", "configuration": {"fields": [["a", ["b", "int8"]]]}}
    problems = Problems()
    read_data_type(document, "data_type", problems)
    assert problems.found[0].at == "data_type.configuration.fields[0][1]"


def test_void_scalars_of_arrays_and_of_documents_are_one_kind() -> None:
    data_type = DataType("r16", np.dtype("V2"))
    assert same_fill(default_fill(data_type), v3([0, 0], "r16"))
