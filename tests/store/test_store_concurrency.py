"""Eight processes write one array at the same time, on every store that allows it: nothing is lost.

What the stores promise for their values is tested beside them; here arrays are written, as users do.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("object_servers")
from object_servers import KEY, SECRET, s3_front
from redis_servers import RedisServer

import omnizarr

PROCESSES, TURNS = 8, 3


class Where(NamedTuple):
    """What `omnizarr.open` takes: the place, and its options."""

    place: str
    options: Mapping[str, Any] | None = None


@pytest.fixture(scope="module")
def workers() -> Iterator[ProcessPoolExecutor]:
    # new processes, not forks: libraries of stores have threads, which do not survive a fork
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Where]]:
    pytest.importorskip("obstore")
    with s3_front(tmp_path_factory.mktemp("rclone")) as front:
        options = {"endpoint": f"http://127.0.0.1:{front.port}", "allow_http": True, "region": "us-east-1"}
        options |= {"access_key_id": KEY, "secret_access_key": SECRET}
        yield lambda: Where(f"s3://bucket/{uuid.uuid4().hex}", options)


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Where]]:
    pytest.importorskip("redis")
    try:
        server = RedisServer(tmp_path_factory.mktemp("redis"))
    except OSError as error:
        pytest.skip(f"no Redis server: {error}")
    yield lambda: Where(f"redis://127.0.0.1:{server.port}/0/{uuid.uuid4().hex}")
    server.close()


def _on_disk(scheme: str, path: Path) -> Where:
    return Where(f"{scheme}://{path}")


ATOMIC = ["directory", "sqlite", "lmdb", "redis", "s3"]
ALL = [*ATOMIC, "fsspec"]  # of which no file system keeps the processes of one value apart


@pytest.fixture
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Where:
    kind = request.param
    if kind in ("s3", "redis"):
        found: Where = request.getfixturevalue(kind)()
        return found
    if kind in ("sqlite", "lmdb", "fsspec"):
        pytest.importorskip({"sqlite": "sqlite3"}.get(kind, kind))
    schemes = {"directory": "file", "fsspec": "local"}
    return _on_disk(schemes.get(kind, kind), tmp_path / "data")


def together(workers: ProcessPoolExecutor, folder: Path, work: Callable[[int, Path], int]) -> int:
    """Run `work` in all processes, which begin at the same time; return the sum of what they return."""
    folder.mkdir()
    return sum(workers.map(partial(_run, work, folder), range(PROCESSES)))


def _run(work: Callable[[int, Path], int], folder: Path, number: int) -> int:
    return work(number, folder)


def _meet(folder: Path, number: int) -> None:
    """Wait until all processes are here."""
    (folder / f"{number}").touch()
    until = time.monotonic() + 60
    while sum(1 for _ in folder.iterdir()) < PROCESSES:
        if time.monotonic() > until:
            raise TimeoutError
        time.sleep(0.001)


def _opened(where: Where, mode: Any) -> Any:
    return omnizarr.open_array(where.place, mode=mode, storage_options=where.options)


def write_rows(where: Where, number: int, folder: Path) -> int:
    """Write chunks of one's own, one after another, and count them."""
    array = _opened(where, "r+")
    _meet(folder, number)
    written = 0
    for row in range(number, array.shape[0], PROCESSES):
        array[row] = np.arange(1, array.shape[1] + 1) + 1000 * row
        written += array.cdata_shape[1]
    array.store.close()
    return written


def write_elements(where: Where, number: int, folder: Path) -> int:
    """Write every eighth element, which lie in all chunks, several times."""
    array = _opened(where, "r+")
    _meet(folder, number)
    for turn in range(1, TURNS + 1):
        array[number::PROCESSES] = 100 * turn + number
    array.store.close()
    return TURNS


def add_nodes(where: Where, number: int, folder: Path) -> int:
    """Make the same groups as others do, and arrays of one's own in them."""
    root = omnizarr.open_group(where.place, mode="r+", storage_options=where.options)
    _meet(folder, number)
    for turn in range(TURNS):
        root.create_array(f"shared{turn}/own{number}", data=np.full(3, number + 1))
    root.store.close()
    return TURNS


@pytest.mark.parametrize("where", ALL, indirect=True)
def test_chunks_of_ones_own(where: Where, workers: ProcessPoolExecutor, tmp_path: Path) -> None:
    made = omnizarr.create_array(
        where.place, shape=(24, 20), chunks=(1, 10), dtype="i4", storage_options=where.options
    )
    made.store.close()
    assert together(workers, tmp_path / "meeting", partial(write_rows, where)) == 48
    array = _opened(where, "r")
    assert np.array_equal(array[...], np.arange(1, 21) + 1000 * np.arange(24)[:, None])
    assert array.nchunks_initialized == 48
    array.store.close()


@pytest.mark.parametrize("shards", [None, (32,)], ids=["chunks", "shards"])
@pytest.mark.parametrize("where", ATOMIC, indirect=True)
def test_parts_of_the_same_chunks(
    where: Where, shards: tuple[int] | None, workers: ProcessPoolExecutor, tmp_path: Path
) -> None:
    made = omnizarr.create_array(
        where.place,
        shape=(64,),
        chunks=(32,) if shards is None else (4,),
        shards=shards,
        dtype="i4",
        storage_options=where.options,
    )
    made.store.close()
    assert together(workers, tmp_path / "meeting", partial(write_elements, where)) == PROCESSES * TURNS
    array = _opened(where, "r")
    assert array[...].tolist() == [100 * TURNS + number for number in range(PROCESSES)] * 8
    assert array.nchunks_initialized == 2
    array.store.close()


@pytest.mark.parametrize("where", ATOMIC, indirect=True)
def test_nodes_of_ones_own_in_groups_of_all(
    where: Where, workers: ProcessPoolExecutor, tmp_path: Path
) -> None:
    omnizarr.create_group(where.place, storage_options=where.options).store.close()
    assert together(workers, tmp_path / "meeting", partial(add_nodes, where)) == PROCESSES * TURNS
    root = omnizarr.open_group(where.place, mode="r", storage_options=where.options)
    nodes = dict(root.members(None))
    assert len(nodes) == TURNS + PROCESSES * TURNS
    for turn in range(TURNS):
        for number in range(PROCESSES):
            assert nodes[f"shared{turn}/own{number}"][...].tolist() == [number + 1] * 3
    root.store.close()
