"""Arrays: what they say, what they store, and how they change."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import CodecError, MissingChunkError, ReadOnlyError, SelectionError
from omnizarr.store import CountingStore, DirectoryStore, MemoryStore, ReadOnlyStore


def made(store: Any = None, **options: Any) -> Any:
    options = {"shape": (10,), "chunks": (4,), "dtype": "i4", "compressors": None, "fill_value": 0} | options
    return omnizarr.create_array(MemoryStore() if store is None else store, **options)


def test_what_an_array_says() -> None:
    array = made(shape=(10, 6), chunks=(4, 3), dimension_names=["y", "x"])
    assert (array.shape, array.ndim, array.size, array.nbytes) == ((10, 6), 2, 60, 240)
    assert (array.chunks, array.shards, array.cdata_shape, array.nchunks) == ((4, 3), None, (3, 2), 6)
    assert array.dimension_names == ("y", "x")
    assert len(array) == 10
    assert "shape=(10, 6)" in repr(array)
    assert "Chunk shape" in repr(array.info)
    assert "<table>" in array._repr_html_()
    sharded = made(shape=(10, 6), chunks=(2, 3), shards=(4, 3))
    assert (sharded.chunks, sharded.shards, sharded.nchunks) == ((2, 3), (4, 3), 6)


def test_chunks_in_the_store_are_counted() -> None:
    array = made()
    assert array.nchunks_initialized == 0
    array[5] = 1
    assert array.nchunks_initialized == 1
    documents = array.nbytes_stored() - 16
    assert documents > 0
    array[:] = 1
    assert array.nbytes_stored() == documents + 48
    assert "3 of 3" in repr(array.info_complete())


def test_chunks_that_become_all_fill_are_not_stored_unless_asked() -> None:
    array = made()
    array[:] = 1
    array[0:4] = 0
    assert array.nchunks_initialized == 2
    array[4:6] = 0
    array[6:8] = 0
    assert array.nchunks_initialized == 1
    array.write_empty_chunks = True
    array[0:4] = 0
    assert array.nchunks_initialized == 2
    with omnizarr.config.using(write_empty_chunks=True):
        other = made()
        other[:] = 0
        assert other.nchunks_initialized == 3


def test_negative_zero_is_not_the_fill_value() -> None:
    array = made(dtype="f8", fill_value=0.0)
    array[:] = -0.0
    assert np.signbit(array[:]).all()
    nan = made(dtype="f8", fill_value=float("nan"))
    nan[:] = np.nan
    assert nan.nchunks_initialized == 0


def test_missing_chunks_are_fill_or_an_error() -> None:
    array = made(fill_value=7)
    array[0:4] = 1
    np.testing.assert_array_equal(array[:], [1] * 4 + [7] * 6)
    array.missing_chunks = "raise"
    np.testing.assert_array_equal(array[0:4], 1)
    with pytest.raises(MissingChunkError, match="no chunk 'c/1'"):
        array[:]
    with pytest.raises(ValueError, match="'fill', 'raise' or None, found 'error'"):
        array.missing_chunks = "error"
    array.missing_chunks = None
    with omnizarr.config.using(missing_chunks="raise"), pytest.raises(MissingChunkError):
        made()[:]


def test_writing_whole_chunks_reads_nothing() -> None:
    store = CountingStore(MemoryStore())
    for options in ({}, {"chunks": (2,), "shards": (4,)}):
        array = made(store, name=f"a{len(options)}", **options)
        store.reset()
        array[:8] = np.arange(8)
        assert dict(store.counts) == {"set": 2}


def test_reading_asks_for_each_chunk_once() -> None:
    store = CountingStore(MemoryStore())
    array = made(store, compressors=[{"name": "gzip", "configuration": {"level": 1}}])
    array[:] = 1
    store.reset()
    array[:]
    assert sum(store.counts.values()) == 3


def test_one_inner_chunk_takes_two_reads() -> None:
    store = CountingStore(MemoryStore())
    array = made(store, shape=(64,), chunks=(4,), shards=(64,), compressors=[{"name": "zstd"}])
    array[:] = np.arange(64)
    store.reset()
    assert array[9] == 9
    assert dict(store.counts) == {"reading": 1, "get": 1, "get_ranges": 1}
    assert store.bytes_read < 16 * 16 + 4 + 100


@pytest.mark.parametrize(
    ("size", "index"),
    [(size, index) for size in (0, 1, 15, 17, 400) for index in (slice(None), slice(0, 4))]
    + [(size, 3) for size in (0, 1, 15)],  # a point is read without a look at what comes after it
)
def test_a_chunk_of_the_wrong_size_is_an_error(size: int, index: Any) -> None:
    store = MemoryStore()
    array = made(store, shape=(4,))
    array[:] = [1, 2, 3, 4]
    store.set("c/0", bytes(size))
    with pytest.raises(CodecError, match=r"expected 16 bytes, found .*node '/', key 'c/0'"):
        array[index]


def test_a_damaged_chunk_is_named_and_stays_as_it_was() -> None:
    store = MemoryStore()
    array = made(store, compressors=[{"name": "gzip", "configuration": {"level": 1}}], name="g/a")
    array[:] = 1
    store.set("g/a/c/1", b"junk")
    with pytest.raises(CodecError, match=r"codec gzip: .*node '/g/a', key 'g/a/c/1'"):
        array[:]
    with pytest.raises(CodecError):
        array[5] = 3
    assert store.get("g/a/c/1") == b"junk"


def test_an_array_that_is_read_only_refuses() -> None:
    store = MemoryStore()
    made(store)
    array = omnizarr.open_array(ReadOnlyStore(store))
    with pytest.raises(ReadOnlyError):
        array[:] = 1
    with pytest.raises(ReadOnlyError):
        array.resize(5)


def test_appending() -> None:
    array = made(shape=(3, 2), chunks=(2, 2))
    array[:] = 1
    assert array.append(np.full((2, 2), 2)) == (5, 2)
    assert array.append([[3], [3], [3], [3], [3]], axis=1) == (5, 3)
    expected = np.ones((5, 3), "i4")
    expected[3:] = 2
    expected[:, 2] = 3
    np.testing.assert_array_equal(array[...], expected)
    with pytest.raises(SelectionError, match="cannot be appended"):
        array.append(np.ones((2, 2)))


def test_filling_and_converting() -> None:
    array = made()
    array.fill(3)
    view = array.astype("f4")
    assert view[2:4].dtype == np.dtype("f4")
    assert (view.shape, view.ndim, view.size, len(view)) == ((10,), 1, 10, 10)
    np.testing.assert_array_equal(np.asarray(view), np.full(10, 3, "f4"))
    assert "float32" in repr(view)


def test_resizing_refuses_what_does_not_fit() -> None:
    array = made()
    for shape in ((-1,), (2, 2)):
        with pytest.raises(SelectionError, match="expected 1 lengths"):
            array.resize(shape)
    rectilinear = made(shape=(5,), chunks=[[2, 4]])
    rectilinear.resize(6)
    with pytest.raises(SelectionError, match="reach to 6, not to the new length 7"):
        rectilinear.resize(7)


def test_resizing_removes_chunks_outside() -> None:
    store = MemoryStore()
    array = made(store)
    array[:] = 1
    array.resize(3)
    assert sorted(store.list_prefix()) == ["c/0", "zarr.json"]


def test_pickling(tmp_path: Any) -> None:
    array = made(DirectoryStore(tmp_path / "a"))
    array[:] = range(10)
    array.missing_chunks = "raise"
    again = pickle.loads(pickle.dumps(array))
    np.testing.assert_array_equal(again[:], range(10))
    assert again.missing_chunks == "raise"


def test_numpy_protocol() -> None:
    array = made()
    array[:] = range(10)
    assert np.asarray(array, "f8").dtype == np.dtype("f8")
    assert np.sum(array) == 45
    with pytest.raises(ValueError, match="without a copy"):
        np.array(array, copy=False)
    with pytest.raises(TypeError, match="0-d"):
        iter(made(shape=(), chunks=())).__next__()


def test_no_chunk_for_an_empty_selection() -> None:
    store = CountingStore(MemoryStore())
    array = made(store)
    store.reset()
    assert array[3:3].shape == (0,)
    array[3:3] = 1
    assert sum(store.counts.values()) == 0


def test_uninitialised_strings_are_empty() -> None:
    for zarr_format in (2, 3):
        array = omnizarr.create_array(MemoryStore(), shape=(3,), dtype=str, zarr_format=zarr_format)
        array[1] = "é"
        assert array[:].tolist() == ["", "é", ""]
