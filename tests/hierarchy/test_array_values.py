"""Corners of numpy's indexing, and values that fit or do not: refused before anything is written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import CodecError, OmniZarrError, SelectionError

LAYOUTS: list[dict[str, Any]] = [
    {"zarr_format": 2, "order": "F"},
    {"zarr_format": 3},
    {"zarr_format": 3, "shards": "auto"},
]


def made(shape: tuple[int, ...], dtype: Any, **options: Any) -> omnizarr.Array:
    if options.get("shards") == "auto":
        options["shards"] = tuple(2 for _ in shape)
    return omnizarr.create_array({}, shape=shape, dtype=dtype, chunks=tuple(1 for _ in shape), **options)


@pytest.mark.parametrize("options", LAYOUTS)
@pytest.mark.parametrize("dtype", [str, "U3", "S3", "?", "M8[s]", [("a", "i4"), ("b", "f8")]])
def test_arrays_without_axes_hold_any_element(options: dict[str, Any], dtype: Any) -> None:
    array = made((), dtype, **options)
    assert np.shape(array[()]) == ()
    assert array[()] == array.fill_value or np.isnat(array[()])
    element = {"S3": b"abc", "?": True, "M8[s]": np.datetime64(5, "s")}.get(str(dtype), "abc")
    value = (1, 2.5) if isinstance(dtype, list) else element
    array[()] = value
    expected = np.array(value, array.dtype)
    for given in (expected, expected.reshape(1), expected.reshape(1, 1)):
        array[...] = given
        assert array[()] == expected[()] and type(array[()]) is type(expected[()])
        out = np.empty((), array.dtype)
        array.get_basic_selection((), out=out)
        assert out == expected and type(out[()]) is type(expected[()])


@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (3, 2)])
@pytest.mark.parametrize("truth", [True, False])
def test_a_mask_without_axes_takes_all_or_nothing(shape: tuple[int, ...], truth: bool) -> None:
    expected = np.arange(np.prod(shape, dtype=int), dtype="i4").reshape(shape)
    array = omnizarr.create_array({}, data=expected, chunks=tuple(2 for _ in shape))
    for mask in (truth, np.bool_(truth), np.array(truth)):
        np.testing.assert_array_equal(array[mask], expected[mask])
        array[mask] = 7
        expected[mask] = 7
        np.testing.assert_array_equal(array[...], expected)


def test_an_ellipsis_keeps_index_arrays_apart() -> None:
    expected = np.arange(60).reshape(3, 4, 5)
    array = omnizarr.create_array({}, data=expected, chunks=(2, 3, 2))
    mask = np.array([True, False, True, True])
    for selection in [
        (slice(None), [1, 3, 1], ..., 0),
        (slice(None), mask, ..., [0, 1, 2]),
        (slice(None), [1, 3], [0, 4], ...),
        (..., slice(None), [1, 3], [0, 4]),
        (slice(None), 2, ..., [0, 1]),
        ([0, 2], ..., 1, [0, 1]),
    ]:
        np.testing.assert_array_equal(array[selection], expected[selection])


def test_fields_in_every_kind_of_selection() -> None:
    expected = np.zeros((4,), [("a", "i4"), ("b", "f8")])
    array = omnizarr.create_array({}, shape=(4,), dtype=expected.dtype, chunks=2, zarr_format=2)
    array["a"] = expected["a"] = [1, 2, 3, 4]
    array.oindex["b", [0, 3]] = 5
    array.vindex["b", [1, 2]] = 6
    array.set_mask_selection(np.arange(4) == 0, 9, fields="a")
    array.set_block_selection(1, 8, fields="a")
    expected["b"] = [5, 6, 6, 5]
    expected["a"] = [9, 2, 8, 8]
    np.testing.assert_array_equal(array[...], expected)
    np.testing.assert_array_equal(array.oindex["a", [2, 0]], expected["a"][[2, 0]])
    np.testing.assert_array_equal(array.vindex["a", [2, 0]], expected["a"][[2, 0]])
    np.testing.assert_array_equal(array.blocks["b", 1], expected["b"][2:])
    out = np.zeros(4, "f4")
    assert array.get_basic_selection(..., out=out, fields="b") is out
    np.testing.assert_array_equal(out, expected["b"])
    for selection in ("z", ["a", "z"]):
        with pytest.raises(SelectionError, match="no field 'z'; found a, b"):
            array[selection]


@pytest.mark.parametrize("dtype", ["f8", ">i2", "u1", "U4", "O", "c16", "?"])
@pytest.mark.parametrize("compressors", [None, "auto"])
def test_out_of_another_type_is_cast_as_numpy_does(dtype: str, compressors: Any) -> None:
    values = np.arange(24, dtype="i4").reshape(6, 4)
    array = omnizarr.create_array({}, data=values, chunks=(4, 3), compressors=compressors)
    for selection in (..., (slice(1, 5, 2), slice(None, None, -1)), [0, 3]):
        wanted = np.zeros(values[selection].shape, dtype)
        wanted[...] = values[selection]
        out = np.zeros_like(wanted)
        array.get_basic_selection(selection, out=out)
        np.testing.assert_array_equal(out, wanted)


def test_what_cannot_be_read_into_is_refused() -> None:
    array = omnizarr.create_array({}, data=np.arange(3))
    fixed = np.empty(3, int)
    fixed.flags.writeable = False
    for out, message in [
        ([1, 2, 3], "a numpy array, found list"),
        (fixed, "read-only"),
        (fixed[:2], "shape"),
    ]:
        with pytest.raises(SelectionError, match=message):
            array.get_basic_selection(..., out=out)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("i4", np.array(["1", "2", "x", "4"])),
        ("i4", np.array([1, 2, None, 4], object)),
        ("i4", [1, 2, float("nan"), 4]),
        ("i1", [1, 2, 3, 400]),
        ("S3", np.array(["a", "b", "c", "é"])),
        ("M8[s]", ["2000-01-01", "2000-01-01", "2000-01-01", "never"]),
        ("f8", [1, 2, 3, 4j]),
        (str, ["a", "b", "c", 4]),
        (str, b"bytes"),
        ("i4", [1, 2, 3]),
        ("i4", {"a": 1}),
        ("i4", [[1], [2, 3]]),
    ],
)
def test_wrong_values_leave_the_array_as_it_was(dtype: Any, value: Any) -> None:
    array = omnizarr.create_array({}, shape=(4,), dtype=dtype, chunks=1)
    before = dict(array.store.mapping())
    with pytest.raises((ValueError, TypeError, OverflowError)):
        array[:] = value
    assert dict(array.store.mapping()) == before


def test_errors_of_values_are_those_numpy_users_catch() -> None:
    array = omnizarr.create_array({}, shape=(4,), dtype=str, chunks=1)
    with pytest.raises(ValueError, match="could not broadcast") as failure:
        array[:] = ["a", "b"]
    assert isinstance(failure.value, OmniZarrError)
    with pytest.raises(CodecError, match="expected strings, found int"):
        array[0] = 5


def test_other_libraries_arrays_are_values() -> None:
    zarr = pytest.importorskip("zarr")
    pandas = pytest.importorskip("pandas")
    values = np.arange(4, dtype="f8")
    theirs = zarr.create_array({}, data=values)
    ours = omnizarr.create_array({}, data=values)
    masked = np.ma.array(values, mask=[0, 1, 0, 0])
    for value in (theirs, ours, masked, pandas.Series(values), memoryview(values), range(4)):
        array = omnizarr.create_array({}, shape=(4,), dtype="i4", chunks=3)
        array[:] = value
        assert array[:].tolist() == [0, 1, 2, 3]
    text = omnizarr.create_array({}, shape=(4,), dtype=str, chunks=3)
    text[:] = np.array(["a", "", "ü", "long"], np.dtypes.StringDType())
    assert text[:].tolist() == ["a", "", "ü", "long"]


def test_the_last_of_repeated_positions_stays() -> None:
    array = omnizarr.create_array({}, shape=(4,), dtype="i4", chunks=2)
    array[np.array([3, 0, 3, 0])] = [1, 2, 3, 4]
    assert array[:].tolist() == [4, 0, 0, 3]
    array.oindex[[1, 1, 2, 1]] = [5, 6, 7, 8]
    assert array[:].tolist() == [4, 8, 7, 3]
