"""Arrays as dask arrays: blocks, types, what is read, names."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import omnizarr
from omnizarr.store import CountingStore, MemoryStore

pytest.importorskip("dask")
import dask
import dask.array as da

RECORD = np.dtype([("a", "<i4"), ("b", "<f8")])
KINDS: dict[str, tuple[Any, Any]] = {
    "numbers": ("float32", np.arange(15, dtype="f4").reshape(5, 3)),
    "texts": ("string", np.array([["a", "", "ccc"], ["é", "b" * 300, "d"]] * 2, object)),
    "bytes": ("variable_length_bytes", np.array([[b"a", b"", b"\0"]] * 3, object)),
    "fixed texts": ("<U3", np.array([["a", "bcd"]] * 3)),
    "records": (RECORD, np.array([(1, 2.5), (3, -1.0)] * 3, RECORD).reshape(3, 2)),
    "small floats": (ml_dtypes.bfloat16, np.arange(6).reshape(3, 2).astype(ml_dtypes.bfloat16)),
    "times": ("datetime64[s]", np.array([["2001-01-01", "1969-12-31"]] * 3, "M8[s]")),
    "complex": ("complex64", np.arange(6).reshape(3, 2) * (1 + 2j)),
    "booleans": ("bool", np.eye(3, dtype=bool)),
}


def stored(data: Any, dtype: Any = None, **arguments: Any) -> Any:
    values = np.asarray(data)
    array = omnizarr.create_array(shape=values.shape, dtype=dtype or values.dtype, **arguments)
    array[...] = values
    return array


@pytest.mark.parametrize("kind", KINDS)
def test_every_type_comes_back(kind: str) -> None:
    dtype, data = KINDS[kind]
    array = stored(data, dtype, chunks=(2, 2))
    lazy = array.to_dask()
    assert lazy.dtype == array.dtype == lazy.compute().dtype
    assert np.array_equal(lazy.compute(), array[...])
    corner = lazy[1, 1].compute()
    assert corner.dtype == array.dtype
    assert corner[()] == array[1, 1]
    assert [block.compute().dtype for block in lazy.blocks.ravel()] == [array.dtype] * lazy.npartitions


def test_objects_of_v2() -> None:
    array = stored(
        np.array(["a", "bb", ""], object), object, chunks=2, zarr_format=2, filters=[{"id": "vlen-utf8"}]
    )
    assert array.to_dask().compute().tolist() == ["a", "bb", ""]
    lists = omnizarr.create_array(
        shape=3, dtype=object, chunks=2, zarr_format=2, filters=[{"id": "vlen-array", "dtype": "<i4"}]
    )
    values = np.empty(3, object)
    values[:] = [np.array([1, 2, 3]), np.array([0]), np.array([4])]
    lists[...] = values
    lazy = lists.to_dask()
    assert lazy.compute()[0].tolist() == [1, 2, 3]
    rest = lazy[1:].compute()
    assert rest.shape == (2,)
    assert rest[1].tolist() == [4]


def test_arrays_without_axes() -> None:
    number, text = stored(np.int64(7)), stored(np.array("hé", object), "string")
    assert number.to_dask().chunks == number.to_dask("auto").chunks == ()
    assert number.to_dask().compute() == 7
    assert text.to_dask().compute().dtype == object
    assert text.to_dask().compute()[()] == "hé"


@pytest.mark.parametrize("chunks", [None, "auto", {0: "auto"}, (3, 2)])
def test_empty_axes(chunks: Any) -> None:
    lazy = omnizarr.create_array(shape=(0, 5), dtype="i4", chunks=(3, 2)).to_dask(chunks)
    assert lazy.shape == (0, 5)
    assert lazy.compute().shape == (0, 5)


def test_blocks_are_the_stored_chunks_shards_where_there_are_any() -> None:
    data = np.arange(80).reshape(10, 8)
    assert stored(data, chunks=(4, 8)).to_dask().chunks == ((4, 4, 2), (8,))
    assert stored(data, chunks=(2, 2), shards=(4, 4)).to_dask().chunks == ((4, 4, 2), (4, 4))
    uneven = stored(data, chunks=((3, 5, 4), 3))
    assert uneven.to_dask().chunks == ((3, 5, 2), (3, 3, 2))
    assert np.array_equal(uneven.to_dask().compute(), data)


@pytest.mark.parametrize(
    ("asked", "chunks"),
    [
        (4, ((4, 4, 2), (4, 4))),
        ((5, -1), ((5, 5), (8,))),
        ((None, 3), ((10,), (3, 3, 2))),
        ({0: 5}, ((5, 5), (3, 3, 2))),
        ({-1: 8}, ((2, 2, 2, 2, 2), (8,))),
        ({"y": 4, "x": -1}, ((10,), (4, 4))),
        (((1, 9), (8,)), ((1, 9), (8,))),
    ],
)
def test_blocks_as_they_are_asked_for(asked: Any, chunks: Any) -> None:
    array = stored(np.arange(80).reshape(10, 8), chunks=(2, 3), dimension_names=("x", "y"))
    assert array.to_dask(asked).chunks == chunks
    assert np.array_equal(array.to_dask(asked).compute(), array[...])


def test_blocks_of_one_axis() -> None:
    array = stored(np.arange(10), chunks=4)
    assert array.to_dask((5, 3, 2)).chunks == ((5, 3, 2),)
    assert array.to_dask((7,)).chunks == ((7, 3),)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((3,), "expected 2 of them, one for each axis, found 1"),
        ({"z": 1}, r"expected numbers of axes below 2, or of the names 'x', found 'z'"),
        ({5: 1}, "found 5"),
        (((3, 3), 8), "do not add up to shape"),
        (("64 MiB", "1 MiB"), "expected one size of a block, found 1 MiB, 64 MiB"),
    ],
)
def test_blocks_that_do_not_fit(asked: Any, message: str) -> None:
    array = stored(np.arange(80).reshape(10, 8), chunks=(2, 3), dimension_names=("x", None))
    with pytest.raises(ValueError, match=message):
        array.to_dask(asked)


def test_automatic_blocks_gather_whole_chunks() -> None:
    array = omnizarr.create_array(shape=(1000, 1000), dtype="u1", chunks=(30, 70))
    for size in (2100, 30_000, 100_000):
        chunks = array.to_dask(f"{size} B").chunks
        assert all(length % 30 == 0 for length in chunks[0][:-1])
        assert all(length % 70 == 0 for length in chunks[1][:-1])
        assert max(chunks[0]) * max(chunks[1]) <= size
        assert tuple(map(sum, chunks)) == (1000, 1000)
    assert array.to_dask("1 B").chunks == array.to_dask().chunks  # a chunk is read whole in any case
    assert array.to_dask("auto").chunks == ((1000,), (1000,))
    with dask.config.set({"array.chunk-size": "4200 B"}):
        assert max(array.to_dask("auto").chunks[0]) * max(array.to_dask("auto").chunks[1]) <= 4200
    assert array.to_dask(("auto", 70)).chunks == ((1000,), (70,) * 14 + (20,))
    assert array.to_dask(("2100 B", 70)).chunks == array.to_dask().chunks


def test_automatic_blocks_of_uneven_chunks() -> None:
    array = omnizarr.create_array(shape=(20,), dtype="u1", chunks=((3, 9, 2, 6),))
    assert array.to_dask("18 B").chunks == ((12, 8),)


def test_automatic_blocks_are_even_parts_of_a_large_shard() -> None:
    array = omnizarr.create_array(shape=(1000, 500), dtype="u1", chunks=(10, 50), shards=(400, 300))
    assert array.to_dask("200 kB").chunks == ((400, 400, 200), (300, 200))
    assert array.to_dask("20 kB").chunks == ((50,) * 20, (300, 200))
    assert array.to_dask("10 kB").chunks == ((50,) * 20, (150, 150, 150, 50))
    assert array.to_dask("1 B").chunks == ((10,) * 100, (50,) * 10)


def test_automatic_blocks_of_texts_are_the_stored_ones() -> None:
    array = omnizarr.create_array(shape=(10, 10), dtype="string", chunks=(3, 5))
    assert array.to_dask("auto").chunks == array.to_dask().chunks


# What is read


def counted(**arguments: Any) -> tuple[CountingStore, Any]:
    store = CountingStore(MemoryStore())
    array = omnizarr.create_array(store, dtype="i4", compressors=None, **arguments)
    array[...] = np.arange(array.size).reshape(array.shape)
    store.reset()
    return store, array


def test_a_graph_reads_nothing_and_each_block_once() -> None:
    store, array = counted(shape=(8, 6), chunks=(2, 3))
    lazy = array.to_dask()
    assert not store.counts
    assert np.array_equal(lazy.compute(), array[...])
    assert sum(store.counts.values()) == 2 * array.nchunks  # once by each of the two


def test_slices_are_read_and_nothing_else() -> None:
    store, array = counted(shape=(64, 64), chunks=(4, 4), shards=(64, 64))
    part = array.to_dask()[5, 8:12].compute()
    assert part.tolist() == [*range(5 * 64 + 8, 5 * 64 + 12)]
    assert store.bytes_read < 16 * 16 * 16 + 200  # the index of the shard, and a chunk


def test_an_array_that_is_opened_twice_is_read_once(tmp_path: Path) -> None:
    omnizarr.create_array(tmp_path / "a", data=np.ones(10), chunks=5)
    store = CountingStore(omnizarr.open_array(tmp_path / "a").store)
    one, other = (omnizarr.open_array(store, mode="r").to_dask() for _ in range(2))
    store.reset()
    assert one.name == other.name
    dask.compute(one, other)
    assert sum(store.counts.values()) == 2


def test_names(tmp_path: Path) -> None:
    array = omnizarr.create_array(tmp_path / "a", data=np.ones(10), chunks=5)
    assert array.to_dask().name.startswith("omnizarr-")
    assert array.to_dask().name != array.to_dask(10).name
    assert array.to_dask(name="mine").name == "mine"
    assert len({array.to_dask(name=False).name for _ in range(3)}) == 3
    assert array.to_dask(inline_array=True).name != array.to_dask().name
    assert array.to_dask(inline_array=True).sum().compute() == 10


def test_what_is_missing_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    # Without dask no part of it is there, whichever of them is asked for first.
    for name in ["dask", *(name for name in sys.modules if name.startswith("dask."))]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r'dask arrays need dask: pip install "omnizarr\[dask\]"'):
        stored(np.ones(3)).to_dask()


def test_a_block_that_is_absent_may_be_an_error() -> None:
    array = omnizarr.create_array(shape=4, dtype="i4", chunks=2)
    assert array.to_dask().compute().tolist() == [0, 0, 0, 0]
    array.missing_chunks = "raise"
    with pytest.raises(omnizarr.errors.MissingChunkError):
        array.to_dask().compute()


def test_the_kind_of_blocks() -> None:
    array = stored(np.arange(4.0), chunks=2)
    assert isinstance(array.to_dask()._meta, np.ndarray)
    masked = array.to_dask(meta=np.ma.empty(0))
    assert isinstance(masked._meta, np.ma.MaskedArray)
    assert isinstance(da.sum(array.to_dask()).compute(), np.floating)
