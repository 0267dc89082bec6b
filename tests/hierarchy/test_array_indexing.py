"""Arrays against numpy: every way to index, both formats, sharded or not, regular or rectilinear."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import omnizarr
from omnizarr.errors import SelectionError
from omnizarr.store import MemoryStore

CODECS = [
    None,
    [{"name": "zstd", "configuration": {"level": 1, "checksum": False}}],
    [{"name": "gzip", "configuration": {"level": 1}}, {"name": "crc32c"}],
]


@st.composite
def arrays(draw: st.DrawFn, max_side: int = 9) -> tuple[Any, np.ndarray]:
    """An array in a store, and the numpy array that it equals."""
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=max_side))
    dtype = draw(st.sampled_from(["i4", "u1", "f8", ">i2", "c8", "?", "M8[s]", "U3"]))
    zarr_format = draw(st.sampled_from([2, 3]))
    options: dict[str, Any] = {}
    chunks: Any = tuple(draw(st.integers(1, 5)) for _ in shape)
    if zarr_format == 3:
        kind = draw(st.sampled_from(["plain", "sharded", "rectilinear"]))
        if kind == "sharded":
            options["shards"] = tuple(c * draw(st.integers(1, 3)) for c in chunks)
        elif kind == "rectilinear" and shape:
            chunks = [[draw(st.integers(1, 4)), 2, n + 1] for n in shape]
        options["compressors"] = draw(st.sampled_from(CODECS))
    else:
        options["order"] = draw(st.sampled_from("CF"))
        options["compressors"] = draw(st.sampled_from([None, {"id": "zlib", "level": 1}]))
    values = numbered(shape, np.dtype(dtype))
    array = omnizarr.create_array(
        MemoryStore(), shape=shape, chunks=chunks, dtype=dtype, zarr_format=zarr_format, **options
    )
    array[...] = values
    return array, values


def numbered(shape: tuple[int, ...], dtype: np.dtype[Any], start: int = 1) -> np.ndarray:
    count = int(np.prod(shape, dtype=int))
    return (np.arange(start, count + start) % 100).astype(dtype).reshape(shape)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_basic_selections(data: st.DataObject) -> None:
    array, expected = data.draw(arrays())
    for _ in range(3):
        index = data.draw(hnp.basic_indices(expected.shape, allow_newaxis=True))
        found = array[index]
        np.testing.assert_array_equal(found, expected[index])
        assert np.shape(found) == np.shape(expected[index])
    index = data.draw(hnp.basic_indices(expected.shape))
    values = numbered(np.shape(expected[index]), expected.dtype, 50)
    array[index] = values
    expected[index] = values
    np.testing.assert_array_equal(array[...], expected)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_advanced_selections(data: st.DataObject) -> None:
    array, expected = data.draw(arrays(6))
    if not expected.ndim or not expected.size:
        return
    mask = data.draw(hnp.arrays(bool, expected.shape))
    np.testing.assert_array_equal(array[mask], expected[mask])
    np.testing.assert_array_equal(array.get_mask_selection(mask), expected[mask])
    points = tuple(
        data.draw(hnp.arrays(np.intp, (2, 2), elements=st.integers(-n, n - 1))) for n in expected.shape
    )
    np.testing.assert_array_equal(array.vindex[points], expected[points])
    np.testing.assert_array_equal(array[points], expected[points])
    rows = data.draw(hnp.arrays(np.intp, st.integers(0, 4), elements=st.integers(0, len(expected) - 1)))
    np.testing.assert_array_equal(array[rows], expected[rows])
    np.testing.assert_array_equal(array.oindex[rows], expected[rows])
    mesh = np.ix_(rows, *(np.arange(n)[::-2] for n in expected.shape[1:]))
    orthogonal = (rows, *(slice(None, None, -2) for _ in expected.shape[1:]))
    np.testing.assert_array_equal(array.oindex[orthogonal], expected[mesh])
    values = numbered(expected[mesh].shape, expected.dtype, 30)
    array.oindex[orthogonal] = values
    expected[mesh] = values
    array[mask] = expected.dtype.type(7) if expected.dtype.kind not in "MU" else expected.flat[0]
    expected[mask] = expected.dtype.type(7) if expected.dtype.kind not in "MU" else expected.flat[0]
    np.testing.assert_array_equal(array[...], expected)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_reading_into_an_array(data: st.DataObject) -> None:
    array, expected = data.draw(arrays())
    index = data.draw(hnp.basic_indices(expected.shape))
    wanted = np.asarray(expected[index])
    out = np.empty(wanted.shape, expected.dtype)
    assert array.get_basic_selection(index, out=out) is out
    np.testing.assert_array_equal(out, wanted)
    wide = np.empty((*wanted.shape[:-1], wanted.shape[-1] * 2) if wanted.shape else (2,), expected.dtype)
    strided = wide[..., ::2] if wanted.shape else wide[0, ...]
    array.get_basic_selection(index, out=strided)
    np.testing.assert_array_equal(strided, wanted)
    with pytest.raises(SelectionError, match="out: expected"):
        array.get_basic_selection(index, out=np.empty((*wanted.shape, 3), expected.dtype))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_blocks_and_iteration(data: st.DataObject) -> None:
    array, expected = data.draw(arrays())
    assert array.blocks.shape == array.cdata_shape
    pieces = np.zeros_like(expected)
    for place, block in array.iter_blocks():
        pieces[place] = block
    np.testing.assert_array_equal(pieces, expected)
    if expected.ndim:
        assert len(array) == len(expected)
        for found, wanted in zip(array, expected, strict=True):
            np.testing.assert_array_equal(found, wanted)
    if array.nchunks:
        first = (0,) * expected.ndim
        block = array.blocks[first] if first else array.blocks[...]
        np.testing.assert_array_equal(block, expected[tuple(slice(0, n) for n in block.shape)])
    np.testing.assert_array_equal(np.asarray(array), expected)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_resizing_keeps_what_stays_and_fills_what_is_new(data: st.DataObject) -> None:
    array, expected = data.draw(arrays())
    if not isinstance(array.metadata.grid, omnizarr.geometry.grid.RegularGrid):
        return
    for _ in range(3):
        new = tuple(data.draw(st.integers(0, 10)) for _ in expected.shape)
        fill = array.fill_value if array.fill_value is not None else 0
        resized = np.full(new, fill, expected.dtype)
        kept = tuple(slice(0, min(a, b)) for a, b in zip(new, expected.shape, strict=True))
        resized[kept] = expected[kept]
        array.resize(new)
        assert array.shape == new
        np.testing.assert_array_equal(array[...], resized)
        expected = resized


def test_scalars_are_scalars_as_in_numpy() -> None:
    array = omnizarr.create_array(MemoryStore(), shape=(3,), dtype="i4", chunks=(2,))
    array[:] = [1, 2, 3]
    assert array[1] == 2
    assert type(array[1]) is np.int32
    assert array[1, ...].shape == ()
    assert array.vindex[[1]].shape == (1,)


def test_broadcasting_follows_numpy() -> None:
    array = omnizarr.create_array(MemoryStore(), shape=(4, 6), dtype="f8", chunks=(3, 3))
    expected = np.zeros((4, 6))
    for index, value in [
        (..., 1.5),
        (slice(1, 3), np.arange(6)),
        ((slice(None), 2), 9),
        ((slice(None), slice(2, 4)), np.arange(4)[:, None]),
        (0, np.full((1, 6), 7)),
    ]:
        array[index] = value
        expected[index] = value
        np.testing.assert_array_equal(array[...], expected)
    with pytest.raises(SelectionError, match=r"shape \(5,\) into a selection of shape \(4, 6\)"):
        array[...] = np.arange(5)


def test_fields_of_a_structured_array() -> None:
    dtype = np.dtype([("a", "<i4"), ("b", "<f8", (2,))])
    values = np.zeros(5, dtype)
    values["a"] = range(5)
    values["b"] = 0.5
    array = omnizarr.create_array(MemoryStore(), shape=(5,), dtype=dtype, chunks=(2,), zarr_format=2)
    array[:] = values
    np.testing.assert_array_equal(array[:], values)
    np.testing.assert_array_equal(array["a"], values["a"])
    np.testing.assert_array_equal(array["a", 1:3], values["a"][1:3])
    np.testing.assert_array_equal(array[["a"]], values[["a"]])
    array["a"] = 7
    values["a"] = 7
    array["b", 1] = [3, 4]
    values["b"][1] = [3, 4]
    np.testing.assert_array_equal(array[:], values)
