"""The types of HDMF's datasets: every spelling, and how each layout states and stores them."""

from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import ConversionError
from omnizarr.hdmf.dtypes import (
    ASCII,
    ISODATETIME,
    REFERENCES,
    REGIONS,
    UTF8,
    Numbers,
    Records,
    element_type,
    hdmf_name,
    numpy_dtype,
    type_name,
)
from omnizarr.hdmf.layout import LAYOUT_V2, LAYOUT_V3, element_of, is_scalar, layout_of, states_type
from omnizarr.store import MemoryStore

# The table of the storage specification.
TABLE = {
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8", "long": "i8", "int64": "i8", "int": "i4",
    "int32": "i4", "int16": "i2", "int8": "i1", "uint32": "u4", "uint16": "u2", "uint8": "u1", "bool": "b1",
    "uint64": "u8", "uint": "u4", "short": "i2", "bool_": "b1", "<i2": "i2", ">f4": ">f4",
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE)
def test_numbers_of_the_table(name: str) -> None:
    assert element_type(name) == Numbers(np.dtype(TABLE[name]))


@pytest.mark.parametrize("name", ["text", "utf", "utf8", "utf-8", "str", "str_", "object_", str, "<U5"])
def test_words_for_text(name: Any) -> None:
    assert element_type(name) == UTF8


@pytest.mark.parametrize("name", ["ascii", "bytes", "bytes_", "string_", bytes, np.dtype("S3")])
def test_words_for_ascii(name: Any) -> None:
    assert element_type(name) == ASCII


@pytest.mark.parametrize("name", ["ref", "reference", "object", "object_reference", {"reftype": "object"}])
def test_words_for_references(name: Any) -> None:
    assert element_type(name) == REFERENCES


@pytest.mark.parametrize("name", ["region", {"reftype": "region", "target_type": "Data"}])
def test_words_for_references_to_regions(name: Any) -> None:
    assert element_type(name) == REGIONS


def test_types_of_python_are_wider_than_the_words() -> None:
    assert element_type(float) == Numbers(np.dtype("f8"))
    assert element_type(int) == Numbers(np.dtype("i8"))
    assert element_type(np.float32) == Numbers(np.dtype("f4"))


def test_records() -> None:
    stated = [{"name": "a", "dtype": "int"}, {"name": "b", "dtype": {"reftype": "object"}}]
    found = element_type(stated)
    assert found == Records((("a", Numbers(np.dtype("i4"))), ("b", REFERENCES)))
    assert found.references == ("b",)
    assert numpy_dtype(found) == [("a", "i4"), ("b", "O")]
    assert type_name(found) == [{"name": "a", "dtype": "int32"}, {"name": "b", "dtype": "object"}]
    assert element_type(type_name(found)) == found


@pytest.mark.parametrize("name", [*TABLE, "text", "ascii", "isodatetime", "object", "region"])
def test_names_mean_the_same_again(name: str) -> None:
    element = element_type(name)
    again = element_type(hdmf_name(element))
    assert again == element or numpy_dtype(again) == numpy_dtype(element).newbyteorder("=")


@pytest.mark.parametrize(
    "stated", ["", "nothing", "M8[ns]", None, [], [{"name": "a"}], {"a": 1}, 7, [1], "O"]
)
def test_what_names_no_type(stated: Any) -> None:
    with pytest.raises(ConversionError):
        element_type(stated)


def array(attributes: dict[str, Any], dtype: Any, shape: tuple[int, ...] = (2,), zarr_format: int = 2) -> Any:
    made = omnizarr.create_array(
        MemoryStore(), shape=shape, dtype=dtype, attributes=attributes, zarr_format=zarr_format
    )
    return made.metadata


@pytest.mark.parametrize("stated", ["int", "float", "int64", "scalar", None])
def test_the_array_decides_on_numbers(stated: str | None) -> None:
    metadata = array({} if stated is None else {"zarr_dtype": stated}, "<u2")
    assert element_of(metadata) == Numbers(np.dtype("u2"))
    assert states_type(metadata) == (stated is not None)


def test_types_that_are_not_stated() -> None:
    assert element_of(array({}, "string")) == UTF8
    assert element_of(array({"zarr_dtype": "scalar"}, "bytes")) == ASCII
    assert element_of(array({}, [("a", "i4")])) == Records((("a", Numbers(np.dtype("i4"))),))
    assert element_of(array({}, [("a", "i4"), ("b", "U3")])) == Records(
        (("a", Numbers(np.dtype("i4"))), ("b", UTF8))
    )


def test_the_newer_layout_names_the_fields_that_are_references() -> None:
    fields = [("a", "i4"), ("b", "U3")]
    metadata = array({"_REFERENCE_FIELDS": ["b"]}, fields, zarr_format=3)
    assert element_of(metadata) == Records((("a", Numbers(np.dtype("i4"))), ("b", REFERENCES)))
    assert element_of(array({"_DTYPE": "object_reference"}, "string", zarr_format=3)) == REFERENCES


@pytest.mark.parametrize(
    ("attributes", "shape", "expected"),
    [
        ({"zarr_dtype": "scalar"}, (1,), True),
        ({"zarr_dtype": "int32"}, (1,), False),
        ({"zarr_dtype": "int32"}, (), True),
        ({"_DTYPE": "int32"}, (), True),
        ({"_SCALAR": True}, (1,), True),
        ({"_SCALAR": True}, (2,), False),
    ],
)
def test_which_datasets_are_scalars(
    attributes: dict[str, Any], shape: tuple[int, ...], expected: bool
) -> None:
    assert is_scalar(array(attributes, "i4", shape)) == expected


def test_what_each_layout_states() -> None:
    records = element_type([{"name": "a", "dtype": "int"}, {"name": "b", "dtype": "object"}])
    assert LAYOUT_V2.type_attributes(UTF8, scalar=True) == {"zarr_dtype": "scalar"}
    assert LAYOUT_V2.type_attributes(REFERENCES, scalar=True) == {"zarr_dtype": "object", "_SCALAR": True}
    assert LAYOUT_V2.type_attributes(ISODATETIME) == {"zarr_dtype": "bytes"}
    assert LAYOUT_V3.type_attributes(REGIONS) == {"_DTYPE": "region_reference"}
    assert LAYOUT_V3.type_attributes(records)["_REFERENCE_FIELDS"] == ["b"]
    assert layout_of(2) is LAYOUT_V2
    assert layout_of(3) is LAYOUT_V3


def test_what_a_layout_has_no_form_for() -> None:
    inner = {"name": "inner", "dtype": [{"name": "text", "dtype": "text"}]}
    with pytest.raises(ConversionError, match="field 'inner': records in records hold numbers only"):
        LAYOUT_V3.storage(element_type([inner]))
