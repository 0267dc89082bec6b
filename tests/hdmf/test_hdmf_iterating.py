"""Data that come piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("hdmf")

from hdmf.data_utils import AbstractDataChunkIterator, DataChunk, DataChunkIterator, GenericDataChunkIterator

from omnizarr import open_group
from omnizarr.hdmf.backend.gathering import Gathered
from omnizarr.hdmf.backend.iterating import ALONE, ChunkQueue, Workers
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.creating.plan_array import plan_array
from omnizarr.store import MemoryStore
from omnizarr.store.layers.wrap import CountingStore


class Squares(GenericDataChunkIterator):
    """Blocks of an array that is made as it is asked for."""

    def __init__(self, shape: tuple[int, ...], **options: Any) -> None:
        self._full = shape
        self.asked = 0
        super().__init__(**options)

    def _get_data(self, selection: tuple[slice, ...]) -> np.ndarray:
        self.asked += 1
        grid = np.mgrid[selection]
        return (grid[0] * 1000 + grid[1]).astype("int32")

    def _get_maxshape(self) -> tuple[int, ...]:
        return self._full

    def _get_dtype(self) -> np.dtype:
        return np.dtype("int32")

    def _to_dict(self) -> dict:
        return {"shape": self._full, "buffer_shape": self.buffer_shape, "chunk_shape": self.chunk_shape}

    @staticmethod
    def _from_dict(fields: dict) -> Squares:
        return Squares(**fields)


class Pieces(AbstractDataChunkIterator):
    """Given pieces, one after another."""

    def __init__(self, pieces: list[tuple[Any, Any]], maxshape: tuple[int | None, ...]) -> None:
        self._pieces = iter(pieces)
        self._maxshape = maxshape

    def __iter__(self) -> Iterator[DataChunk]:
        return self

    def __next__(self) -> DataChunk:
        selection, data = next(self._pieces)
        return DataChunk(data=np.asarray(data), selection=selection)

    def recommended_chunk_shape(self) -> None:
        return None

    def recommended_data_shape(self) -> tuple[int | None, ...]:
        return self._maxshape

    @property
    def dtype(self) -> np.dtype:
        return np.dtype("i4")

    @property
    def maxshape(self) -> tuple[int | None, ...]:
        return self._maxshape


def unplaced(store: Any, shape: tuple[int, ...], chunks: tuple[int, ...], dtype: str = "i4") -> Array:
    group = open_group(store, mode="a", zarr_format=2)
    metadata = plan_array(2, shape=shape, chunks=chunks, dtype=dtype)
    return Array(group.store, group.format, "data", metadata)


def filled(array: Array, source: Any, workers: Workers = ALONE) -> Array:
    found: list[Array] = []
    queue = ChunkQueue(workers)
    queue.add(array, source, found.append)
    assert not found
    queue.exhaust()
    [result] = found
    return result


def test_rows_fill_an_array_that_grows() -> None:
    rows = np.arange(70).reshape(10, 7)
    source = DataChunkIterator(data=(row for row in rows), maxshape=(None, 7), dtype=np.dtype("i4"))
    array = filled(unplaced(MemoryStore(), (0, 7), (4, 7)), source)
    assert array.shape == (10, 7)
    np.testing.assert_array_equal(array[:], rows)


def test_each_stored_chunk_is_written_once_though_rows_come_one_by_one() -> None:
    store = CountingStore(MemoryStore())
    array = unplaced(store, (0, 3), (100, 3))
    store.counts.clear()
    source = DataChunkIterator(data=(np.full(3, i) for i in range(1000)), maxshape=(None, 3))
    array = filled(array, source)
    assert array.shape == (1000, 3)
    assert store.counts.get("set", 0) + store.counts.get("update", 0) == 10


def test_pieces_that_do_not_end_where_chunks_do() -> None:
    values = np.arange(100, dtype="i4")
    source = DataChunkIterator(data=values, buffer_size=7)
    np.testing.assert_array_equal(filled(unplaced(MemoryStore(), (100,), (10,)), source)[:], values)


def test_rows_along_another_axis() -> None:
    values = np.arange(60).reshape(5, 12)
    source = DataChunkIterator(data=values, iter_axis=1, buffer_size=5)
    np.testing.assert_array_equal(filled(unplaced(MemoryStore(), (5, 12), (2, 4)), source)[:], values)


def test_gaps_hold_the_fill_value() -> None:
    def rows() -> Iterator[Any]:
        for i in range(20):
            yield None if i % 3 == 1 else [i]

    source = DataChunkIterator(data=rows(), maxshape=(None, 1), dtype=np.dtype("i4"), buffer_size=2)
    array = filled(unplaced(MemoryStore(), (0, 1), (4, 1)), source)
    assert array[:, 0].tolist() == [0 if i % 3 == 1 else i for i in range(19)]


def test_pieces_at_any_place_in_any_order() -> None:
    pieces = [
        (np.s_[4:6, 0:2], [[1, 2], [3, 4]]),
        (np.s_[0, 1:3], [5, 6]),
        (3, [7, 8, 9]),
        (np.s_[6:8], [[1, 1, 1], [2, 2, 2]]),
        (np.s_[8:9, :], [[3, 3, 3]]),
    ]
    array = filled(unplaced(MemoryStore(), (0, 3), (2, 2)), Pieces(pieces, (None, 3)))
    expected = np.zeros((9, 3), "i4")
    for place, values in pieces:
        expected[place] = values
    np.testing.assert_array_equal(array[:], expected)


def test_no_pieces_at_all() -> None:
    assert filled(unplaced(MemoryStore(), (0, 3), (2, 2)), Pieces([], (None, 3))).shape == (0, 3)


def test_what_is_held_back_is_less_than_a_row_of_chunks() -> None:
    gathered = Gathered((10,))
    held = 0
    for start in range(0, 100, 7):
        data = np.arange(start, start + 7)
        held += 7 - sum(values.size for _, values in gathered.add((slice(start, start + 7),), data))
        assert held < 10
    assert sum(values.size for _, values in gathered.rest()) == held


def test_several_iterators_take_turns() -> None:
    order: list[str] = []

    def rows(name: str) -> Iterator[int]:
        for i in range(3):
            order.append(name)
            yield i

    queue = ChunkQueue()
    done: list[Array] = []
    for name in "ab":
        source = DataChunkIterator(data=rows(name), maxshape=(None,), dtype=np.dtype("i4"))
        queue.add(unplaced(MemoryStore(), (0,), (1,)), source, done.append)
    queue.exhaust()
    assert order == ["a", "b", "a", "b", "a", "b"]
    assert [array[:].tolist() for array in done] == [[0, 1, 2], [0, 1, 2]]
    queue.exhaust()
    assert len(done) == 2


@pytest.mark.parametrize("workers", [Workers(), Workers(3), Workers(2, threads=2)])
@pytest.mark.parametrize("chunks", [(8, 8), (7, 9)])
def test_blocks_by_threads(workers: Workers, chunks: tuple[int, int]) -> None:
    source = Squares((50, 30), buffer_shape=(16, 16), chunk_shape=(8, 8))
    array = filled(unplaced(MemoryStore(), (50, 30), chunks), source, workers)
    np.testing.assert_array_equal(array[:], Squares((50, 30))._get_data(np.s_[0:50, 0:30]))
    assert source.asked == 8


def test_blocks_by_processes(tmp_path: Path) -> None:
    source = Squares((50, 30), buffer_shape=(16, 16), chunk_shape=(8, 8))
    array = filled(unplaced(tmp_path, (50, 30), (8, 8)), source, Workers(2, context="fork"))
    np.testing.assert_array_equal(array[:], Squares((50, 30))._get_data(np.s_[0:50, 0:30]))
    assert source.asked == 0


def test_what_no_other_process_can_have_is_written_by_threads() -> None:
    source = Squares((50, 30), buffer_shape=(16, 16), chunk_shape=(8, 8))
    array = filled(unplaced(MemoryStore(), (50, 30), (8, 8)), source, Workers(2, context="fork"))
    assert array[49, 29] == 49029
    assert source.asked == 8


def test_a_failure_in_a_thread_is_raised() -> None:
    pieces = [(slice(i, i + 1), ["x"]) for i in range(5)]
    with pytest.raises((TypeError, ValueError)):
        filled(unplaced(MemoryStore(), (5,), (1,)), Pieces(pieces, (5,)), Workers(2))


def test_bad_numbers_of_workers() -> None:
    with pytest.raises(ValueError, match="number_of_jobs: expected at least 1, found 0"):
        Workers(0)
    with pytest.raises(ValueError, match="max_threads_per_process"):
        Workers(2, 0)
    with pytest.raises(ValueError, match="thread"):
        Workers(2, context="threads")
