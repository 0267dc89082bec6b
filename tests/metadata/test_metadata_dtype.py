"""Data types: names, configurations, type strings, numpy dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from omnizarr.errors import ConversionError, MetadataError, UnsupportedError
from omnizarr.jsontypes import Json, Problems
from omnizarr.metadata.dtype import OBJECT, PLAIN, DataType
from omnizarr.metadata.dtype_numpy import from_numpy
from omnizarr.metadata.dtype_v2 import read_dtype, write_dtype
from omnizarr.metadata.dtype_v3 import read_data_type, write_data_type


def v3(value: Json) -> DataType:
    problems = Problems()
    found = read_data_type(value, "data_type", problems)
    problems.check()
    return found


def v2(value: Json, object_codec: str | None = None) -> DataType:
    problems = Problems()
    found = read_dtype(value, object_codec, "dtype", problems)
    problems.check()
    return found


def configured(name: str, **configuration: Any) -> Json:
    return {"name": name, "configuration": configuration}


XY: list[Json] = [{"name": "x", "data_type": "float32"}, {"name": "y", "data_type": "int16"}]
NESTED: list[Json] = [
    {"name": "p", "data_type": configured("struct", fields=XY)},
    {"name": "t", "data_type": configured("numpy.datetime64", unit="s", scale_factor=10)},
    {"name": "s", "data_type": configured("fixed_length_utf32", length_bytes=8)},
    {"name": "r", "data_type": "r24"},
]
V3: list[tuple[Json, Any]] = [
    *[(name, name) for name in PLAIN if PLAIN[name].dtype.kind != "O"],
    ("string", object),
    ("bytes", object),
    ("variable_length_bytes", object),
    ("r8", "V1"),
    ("r16", "V2"),
    ("r4096", "V512"),
    (configured("fixed_length_utf32", length_bytes=40), "U10"),
    (configured("null_terminated_bytes", length_bytes=3), "S3"),
    (configured("raw_bytes", length_bytes=3), "V3"),
    (configured("numpy.datetime64", unit="ns", scale_factor=1), "M8[ns]"),
    (configured("numpy.datetime64", unit="s", scale_factor=10), "M8[10s]"),
    (configured("numpy.datetime64", unit="generic", scale_factor=1), "M8"),
    (configured("numpy.timedelta64", unit="as", scale_factor=1), "m8[as]"),
    (configured("struct", fields=XY), [("x", "f4"), ("y", "i2")]),
    (
        configured("struct", fields=NESTED),
        [("p", [("x", "f4"), ("y", "i2")]), ("t", "M8[10s]"), ("s", "U2"), ("r", "V3")],
    ),
    (configured("structured", fields=[["x", "float32"], ["y", "int16"]]), [("x", "f4"), ("y", "i2")]),
]


@pytest.mark.parametrize(("value", "dtype"), V3, ids=str)
def test_v3_types(value: Json, dtype: Any) -> None:
    found = v3(value)
    assert found.dtype == np.dtype(dtype)
    assert write_data_type(found) == value
    assert found == v3(write_data_type(found))
    assert found.with_byte_order("native") is found


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ({"name": "int8"}, "i1"),
        (configured("numpy.datetime64", unit="μs", scale_factor=1), "M8[us]"),
        (configured("structured", fields=XY), [("x", "f4"), ("y", "i2")]),
        (configured("struct", fields=[["x", "float32"]]), [("x", "f4")]),
    ],
)
def test_v3_types_in_other_words(value: Json, dtype: Any) -> None:
    assert v3(value).dtype == np.dtype(dtype)


@pytest.mark.parametrize(
    ("value", "at", "message"),
    [
        ("r7", "", "multiple of 8"),
        ("r0", "", "not known"),
        ("r99999999992", "", "elements of 12499999999 bytes, 67108864 at most"),
        (configured("r16", a=1), ".configuration.a", "unknown name"),
        ("numpy.datetime64", ".configuration.unit", "required"),
        (configured("numpy.datetime64", unit="x", scale_factor=1), ".configuration.unit", 'found "x"'),
        (
            configured("numpy.datetime64", unit="s", scale_factor=0),
            ".configuration.scale_factor",
            "1 to 2147483647, found 0",
        ),
        (configured("numpy.timedelta64", unit="s"), ".configuration.scale_factor", "required"),
        ("fixed_length_utf32", ".configuration.length_bytes", "required"),
        (configured("fixed_length_utf32", length_bytes=6), ".configuration.length_bytes", "multiple of 4"),
        (configured("null_terminated_bytes", length_bytes=0), ".configuration.length_bytes", "found 0"),
        (configured("raw_bytes", length_bytes="1"), ".configuration.length_bytes", 'found "1"'),
        ("struct", ".configuration.fields", "required"),
        (configured("struct", fields=[]), ".configuration.fields", "one field at least"),
        (configured("struct", fields=[1]), ".configuration.fields[0]", "expected an object"),
        (configured("struct", fields=[["x"]]), ".configuration.fields[0]", "a name and a data type"),
        (configured("struct", fields=[{"name": "x"}]), ".configuration.fields[0].data_type", "required"),
        (configured("struct", fields=[["", "int8"]]), ".configuration.fields[0][0]", "not empty"),
        (configured("struct", fields=[XY[0], XY[0]]), ".configuration.fields[1]", '"x" is taken'),
        (
            configured("struct", fields=[{"name": "x", "data_type": "string"}]),
            ".configuration.fields[0].data_type",
            "fixed size, found string",
        ),
        (
            configured("struct", fields=[{"name": "x", "data_type": "acme"}]),
            ".configuration.fields[0].data_type",
            '"acme" is not known',
        ),
        (
            configured("struct", fields=[XY[0] | {"shape": [2]}]),  # type: ignore[operator]
            ".configuration.fields[0].shape",
            "unknown name",
        ),
    ],
    ids=str,
)
def test_v3_types_that_are_none(value: Json, at: str, message: str) -> None:
    with pytest.raises(MetadataError) as caught:
        v3(value)
    problem = caught.value.problems[0]
    assert problem.at == f"data_type{at}"
    assert message in problem.message


def test_unknown_types_are_unsupported() -> None:
    with pytest.raises(UnsupportedError, match=r'"acme\.float" is not known'):
        v3("acme.float")


V2: list[tuple[Json, str]] = [
    ("|b1", "bool"),
    ("|i1", "int8"),
    *[(f"{order}i{size}", f"int{8 * size}") for order in "<>" for size in (2, 4, 8)],
    *[(f"{order}u{size}", f"uint{8 * size}") for order in "<>" for size in (2, 4, 8)],
    *[(f"{order}f{size}", f"float{8 * size}") for order in "<>" for size in (2, 4, 8)],
    *[(f"{order}c{size}", f"complex{8 * size}") for order in "<>" for size in (8, 16)],
    ("|S7", "null_terminated_bytes"),
    ("<U7", "fixed_length_utf32"),
    (">U7", "fixed_length_utf32"),
    ("|V7", "r56"),
    ("<M8[ns]", "numpy.datetime64"),
    (">M8[10s]", "numpy.datetime64"),
    ("<M8", "numpy.datetime64"),
    (">m8[D]", "numpy.timedelta64"),
    ([["a", "<i4"], ["b", ">f8"]], "struct"),
    ([["a", "|b1"], ["b", [["c", "|S3"], ["d", "<M8[s]"]]]], "struct"),
    ([["x", "<f4"], ["z", "<f4", [2, 2]]], "struct"),
    ([["z", [["a", "|u1"]], [3]]], "struct"),
]


@pytest.mark.parametrize(("value", "name"), V2, ids=str)
def test_v2_types(value: Any, name: str) -> None:
    found = v2(value)
    assert found.name == name
    assert write_dtype(found) == value
    if isinstance(value, str):
        assert found.dtype.str == value


@pytest.mark.parametrize(
    ("codec", "name"),
    [("vlen-utf8", "string"), ("vlen-bytes", "bytes"), ("json2", "object"), (None, "object")],
)
def test_v2_objects(codec: str | None, name: str) -> None:
    found = v2("|O", codec)
    assert found.name == name
    assert write_dtype(found) == "|O"


@pytest.mark.parametrize(
    ("value", "same"),
    [("<i1", "|i1"), (">b1", "|b1"), (">S3", "|S3"), ("<V3", "|V3"), ("<M8[μs]", "<M8[us]")],
)
def test_v2_types_in_other_words(value: str, same: str) -> None:
    assert v2(value) == v2(same)


def test_the_dtype_of_an_array_field_has_its_shape() -> None:
    assert v2([["z", "<f4", [2, 2]]]).dtype == np.dtype([("z", "<f4", (2, 2))])


def test_types_that_v2_has_not() -> None:
    with pytest.raises(ConversionError, match=r"no data type acme"):
        write_dtype(DataType("acme", np.dtype("V2")))
    assert write_dtype(v3(configured("raw_bytes", length_bytes=2))) == "|V2"


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (str, "string"),
        ("str", "string"),
        ("string", "string"),
        (np.dtypes.StringDType(), "string"),
        (bytes, "bytes"),
        ("bytes", "bytes"),
        (int, "int64"),
        (float, "float64"),
        (complex, "complex128"),
        (bool, "bool"),
        ("f4", "float32"),
        (np.uint8, "uint8"),
        ("U10", configured("fixed_length_utf32", length_bytes=40)),
        ("S10", configured("null_terminated_bytes", length_bytes=10)),
        ("V10", "r80"),
        ("r16", "r16"),
        ("M8[ns]", configured("numpy.datetime64", unit="ns", scale_factor=1)),
        (np.dtype("m8[25us]"), configured("numpy.timedelta64", unit="us", scale_factor=25)),
        ([("x", "f4"), ("y", "i2")], configured("struct", fields=XY)),
        (configured("struct", fields=XY), configured("struct", fields=XY)),
        (PLAIN["int8"], "int8"),
        (OBJECT, "object"),
    ],
    ids=str,
)
def test_from_numpy(given: Any, value: Json) -> None:
    assert write_data_type(from_numpy(given)) == value


def test_from_numpy_keeps_the_byte_order() -> None:
    found = from_numpy(">i4")
    assert found.dtype.str == ">i4"
    assert found.byte_order == "big"
    assert found.with_byte_order("native") == from_numpy("i4")
    assert from_numpy(">i4") == from_numpy(np.dtype(">i4"))


def test_from_numpy_packs_structures() -> None:
    aligned = np.dtype([("a", "i1"), ("b", [("c", "i1"), ("d", "f8")], (2,))], align=True)
    found = from_numpy(aligned)
    assert found.dtype.itemsize == 1 + 2 * 9
    assert found.dtype.names == ("a", "b")


@pytest.mark.parametrize("given", [object, "O", "nonsense", 5.5, "V0", {"name": "acme.type"}, "longdouble"])
def test_from_numpy_refuses(given: Any) -> None:
    with pytest.raises(MetadataError, match="dtype"):
        from_numpy(given)


@pytest.mark.parametrize(
    ("given", "order"),
    [
        ("<i4", "little"),
        (">i4", "big"),
        ("i1", "none"),
        ("S4", "none"),
        ("V4", "none"),
        (">U4", "big"),
        ("string", "none"),
        ([("a", ">i4"), ("b", "i1")], "big"),
        ([("a", ">i4"), ("b", "<i4")], "mixed"),
        ([("a", "S1"), ("b", "i1")], "none"),
        ([("a", [("b", "<i4", (2,))])], "little"),
    ],
    ids=str,
)
def test_byte_order(given: Any, order: str) -> None:
    assert from_numpy(given).byte_order == order
    assert from_numpy(given).with_byte_order("big").byte_order in ("big", "none")
