"""Writers of different parts of one chunk, or of one shard, lose nothing; readers may fork."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.store import DirectoryStore, MemoryStore, ZipStore

LENGTH = 64
LAYOUTS: dict[str, dict[str, Any]] = {
    "chunk": {"chunks": (LENGTH,)},
    "shard": {"chunks": (4,), "shards": (LENGTH,)},
    "v2": {"chunks": (LENGTH,), "zarr_format": 2},
}


def made(store: Any, layout: str) -> Any:
    return omnizarr.create_array(store, shape=(LENGTH,), dtype="i8", fill_value=0, **LAYOUTS[layout])


def write_part(array: Any, first: int, step: int) -> None:
    for i in range(first, LENGTH, step):
        array[i] = i + 1


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["memory", "directory", "zip"])
def test_threads_that_write_parts_of_one_chunk_lose_nothing(layout: str, kind: str, tmp_path: Path) -> None:
    stores = {
        "memory": MemoryStore,
        "directory": lambda: DirectoryStore(tmp_path / "a"),
        "zip": lambda: ZipStore(tmp_path / "a.zip", mode="w"),
    }
    with stores[kind]() as store:
        array = made(store, layout)
        with ThreadPoolExecutor(8) as pool:
            for future in [pool.submit(write_part, array, i, 8) for i in range(8)]:
                future.result()
        np.testing.assert_array_equal(array[:], np.arange(1, LENGTH + 1))


def _write_part_of(path: str, first: int, step: int) -> None:
    write_part(omnizarr.open_array(path, mode="r+"), first, step)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_processes_that_write_parts_of_one_chunk_lose_nothing(layout: str, tmp_path: Path) -> None:
    path = str(tmp_path / "a")
    array = made(DirectoryStore(path), layout)
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_write_part_of, args=(path, i, 3)) for i in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    np.testing.assert_array_equal(array[:], np.arange(1, LENGTH + 1))


def test_threads_that_append_all_get_a_place(tmp_path: Path) -> None:
    array = omnizarr.create_array(DirectoryStore(tmp_path / "a"), shape=(0,), dtype="i4", chunks=(7,))
    handles = [omnizarr.open_array(tmp_path / "a", mode="r+") for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        for i, future in enumerate([pool.submit(handle.append, [i] * 5) for i, handle in enumerate(handles)]):
            assert future.result(), i
    array.refresh()
    assert sorted(array[:].tolist()) == sorted(i for i in range(6) for _ in range(5))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_may_fork_after_reading(tmp_path: Path) -> None:
    values = np.random.default_rng(0).integers(0, 1000, (256, 256))
    array = omnizarr.create_array(tmp_path / "a", shape=values.shape, dtype="i8", chunks=(64, 64))
    with omnizarr.config.using(threads=4):
        array[...] = values
        np.testing.assert_array_equal(array[...], values)
        child = os.fork()
        if child == 0:
            os._exit(0 if (array[...] == values).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_readers_see_old_or_new_never_a_mixture(tmp_path: Path) -> None:
    array = omnizarr.create_array(DirectoryStore(tmp_path / "a"), shape=(1000,), dtype="i4", chunks=(1000,))
    array[:] = 0
    stop = False

    def write() -> None:
        value = 0
        while not stop:
            value += 1
            array[:] = value

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        try:
            for _ in range(200):
                found = array[:]
                assert (found == found[0]).all()
        finally:
            stop = True
        writing.result()


@pytest.mark.parametrize("nested", [False, True])
def test_a_shard_that_is_rewritten_while_it_is_read_is_old_or_new(nested: bool, tmp_path: Path) -> None:
    numbers = {"name": "bytes", "configuration": {"endian": "little"}}
    inner = {
        "name": "sharding_indexed",
        "configuration": {
            "chunk_shape": [8],
            "codecs": [numbers, {"name": "zstd", "configuration": {"level": 1}}],
            "index_codecs": [numbers, {"name": "crc32c"}],
        },
    }
    codecs = {"serializer": inner, "compressors": None} if nested else {}
    array = omnizarr.create_array(
        DirectoryStore(tmp_path / "a"), shape=(512,), dtype="i8", chunks=(32,), shards=(512,), **codecs
    )
    array[:] = 0
    stop = False

    def write() -> None:
        value = 0
        while not stop:
            value += 1
            # Values of other lengths when compressed: offsets of one shard mean nothing in the next.
            array[:] = np.random.default_rng(value).integers(0, 2 ** (value % 40), 512) * 1000 + value % 1000

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        try:
            for _ in range(300):
                found = array[100:120]
                assert len(set((found % 1000).tolist())) == 1
        finally:
            stop = True
        writing.result()
