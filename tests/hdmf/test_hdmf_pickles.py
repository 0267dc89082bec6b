"""Pickles of HDMF's arrays: in each form that numpy gives them, there and back."""

import pickle
import sys
import types
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from omnizarr.errors import CodecError
from omnizarr.hdmf.pickle_writer import pickled
from omnizarr.hdmf.pickles import read_pickle

RECORDS = [("n", "i4"), ("text", "O"), ("target", "O")]


class ZarrReference(dict[str, Any]):
    """What hdmf-zarr pickles references as, where it is not installed."""


ZarrReference.__module__ = "hdmf_zarr.utils"


@pytest.fixture
def hdmf_zarr(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    utils = types.ModuleType("hdmf_zarr.utils")
    utils.ZarrReference = ZarrReference  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "hdmf_zarr", types.ModuleType("hdmf_zarr"))
    monkeypatch.setitem(sys.modules, "hdmf_zarr.utils", utils)
    yield


def reference(name: str) -> ZarrReference:
    return ZarrReference(source=".", path=f"/{name}", object_id=None)


def objects(*items: Any) -> np.ndarray[Any, Any]:
    made = np.empty(len(items), object)
    for i, item in enumerate(items):
        made[i] = item
    return made


ARRAYS = {
    "references": objects(reference("a"), reference("b"), reference("a"), None),
    "records": np.array([(1, "é", reference("a")), (-2, "", None)], RECORDS),
    "plain records": np.array([(1, 2.5), (3, 4.5)], [("a", "<i4"), ("b", ">f8")]),
    "aligned records": np.zeros(2, np.dtype([("a", "i1"), ("b", "f8")], align=True)),
    "values": objects(
        None, True, 0, 255, 65535, -1, 2**31, -(2**31), 2**200, 1.5, "", "x" * 300, b"", b"\xff"
    ),
    "nested": objects((1, ("a", [2.5])), [], {"a": [1]}),
    "many axes": np.arange(6, dtype=object).reshape(1, 2, 3),
    "Fortran's order": np.asfortranarray(np.array([[1, 2, 3], [4, 5, 6]], object)),
    "one": np.array("x", object),
    "none": np.empty((0, 3), object),
}
MEMORY = {
    "int": np.arange(6, dtype=">i2").reshape(2, 3),
    "float in Fortran's order": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "bool": np.array([True, False]),
    "text": np.array(["ab", "é"]),
    "bytes": np.array([b"ab", b""]),
    "subarrays": np.arange(8, dtype="i4").view([("a", "i4", (2, 2))]),
}


@pytest.mark.usefixtures("hdmf_zarr")
@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_objects_in_each_protocol(name: str, protocol: int) -> None:
    array = ARRAYS[name]
    found = read_pickle(pickle.dumps(array, protocol))
    assert found.shape == array.shape
    assert found.tolist() == array.tolist()
    assert not any(isinstance(item, ZarrReference) for item in found.flat)


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("name", MEMORY)
def test_arrays_of_memory_in_each_protocol(name: str, protocol: int) -> None:
    array = MEMORY[name]
    found = read_pickle(pickle.dumps(array, protocol))
    assert found.dtype == array.dtype
    assert np.array_equal(found, array)


@pytest.mark.usefixtures("hdmf_zarr")
@pytest.mark.parametrize("protocol", range(6))
def test_scalars_of_numpy_are_plain_values(protocol: int) -> None:
    records = np.array([(1, "x", reference("a"))], RECORDS)
    items = objects(np.int32(3), np.float64(0.5), np.bool_(True), np.str_("é"), np.bytes_(b"x"), records[0])
    found = read_pickle(pickle.dumps(items, protocol)).tolist()
    assert found == [3, 0.5, True, "é", b"x", (1, "x", reference("a"))]
    assert [type(item) for item in found] == [int, float, bool, str, bytes, tuple]


@pytest.mark.parametrize("core", ["numpy.core.multiarray", "numpy._core.multiarray"])
def test_names_of_all_versions_of_numpy(core: str) -> None:
    data = pickle.dumps(objects("a"), 2)
    assert b"numpy._core.multiarray" in data or b"numpy.core.multiarray" in data
    renamed = data.replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    assert read_pickle(renamed.replace(b"numpy.core.multiarray", core.encode())).tolist() == ["a"]


@pytest.mark.usefixtures("hdmf_zarr")
@pytest.mark.parametrize("name", ARRAYS)
def test_what_is_written_is_read_by_python_and_here(name: str) -> None:
    array = ARRAYS[name]
    plain = np.array(array, order="C")
    for place in np.ndindex(plain.shape):
        if isinstance(plain[place], ZarrReference):
            plain[place] = dict(plain[place])
    if plain.dtype.names and "target" in plain.dtype.names:
        plain["target"] = [item and dict(item) for item in plain["target"]]
    data = pickled(plain)
    found = pickle.loads(data)
    assert found.dtype == array.dtype
    assert found.tolist() == array.tolist()
    assert read_pickle(data).tolist() == array.tolist()


@pytest.mark.usefixtures("hdmf_zarr")
def test_references_are_written_as_those_of_hdmf_zarr() -> None:
    found = pickle.loads(pickled(objects(dict(reference("a")), {"a": 1})))
    assert [type(item) for item in found] == [ZarrReference, dict]


def test_a_long_pickle_with_more_text_than_one_byte_counts() -> None:
    names = objects(*(f"name {i % 400}" for i in range(1000)))
    data = pickled(names)
    assert pickle.loads(data).tolist() == read_pickle(data).tolist() == names.tolist()


@pytest.mark.parametrize("item", [object(), {1}, 1j, print])
def test_what_is_no_plain_value_is_not_written(item: Any) -> None:
    with pytest.raises(CodecError, match=f"cannot write a value of type {type(item).__name__}"):
        pickled(objects(item))


def test_every_truncation_is_an_error() -> None:
    data = pickle.dumps(np.array([(1, "é", None)], RECORDS), 5)
    for length in range(len(data)):
        with pytest.raises(CodecError):
            read_pickle(data[:length])


def test_damaged_bytes_are_read_or_refused() -> None:
    """Whatever a byte is changed to, nothing but an error of the codec comes of it."""
    data = pickle.dumps(np.array([(1, "é", 2.5)], RECORDS), 4)
    for place in range(len(data)):
        for change in (1, 64, 255):
            damaged = bytearray(data)
            damaged[place] ^= change
            with suppress(CodecError):
                read_pickle(damaged)


@pytest.mark.parametrize("value", ["text", [1], {"a": 1}, 0, None])
def test_a_pickle_of_no_array_is_refused(value: Any) -> None:
    with pytest.raises(CodecError, match="expected an array"):
        read_pickle(pickle.dumps(value))
