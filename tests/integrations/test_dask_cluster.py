"""dask arrays on a real cluster of two worker processes: read from, and stored in, a directory and S3."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from object_servers import KEY, SECRET, Front, s3_front

import omnizarr
from omnizarr.errors import NodeNotFoundError
from omnizarr.integrations.dask import from_array, store, write

pytest.importorskip("obstore")
da = pytest.importorskip("dask.array")
wait = pytest.importorskip("distributed").wait

NUMBERS = np.arange(2400.0).reshape(60, 40)
_numbers = itertools.count()


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    from clusters import local_cluster  # it needs what may be missing

    with local_cluster(workers=2) as client:
        yield client


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    with s3_front(tmp_path_factory.mktemp("s3")) as front:
        yield front


@pytest.fixture(params=["directory", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """Where to store, as `omnizarr.open_array` takes it."""
    if request.param == "directory":
        return {"store": str(tmp_path)}
    port = request.getfixturevalue("front").port
    options = {
        "endpoint": f"http://127.0.0.1:{port}",
        "allow_http": True,
        "region": "us-east-1",
        "access_key_id": KEY,
        "secret_access_key": SECRET,
    }
    return {"store": f"s3://bucket/{next(_numbers)}", "storage_options": options}


def an_array(place: dict[str, Any], **arguments: Any) -> Any:
    return omnizarr.create_array(**place, name="x", **arguments)


def test_there_are_two_processes(client: Any) -> None:
    assert len({*client.run(os.getpid).values(), os.getpid()}) == 3


def test_arrays_are_read_by_the_workers(client: Any, place: dict[str, Any]) -> None:
    array = an_array(place, data=NUMBERS, chunks=(7, 11), shards=(14, 22))
    lazy = array.to_dask()
    kept = lazy.persist()
    wait(kept)
    workers = {worker for keys in client.who_has(kept).values() for worker in keys}
    assert len(workers) == 2
    assert np.array_equal(lazy.compute(), NUMBERS)
    assert float((lazy[3:50, ::7] * 2).sum().compute()) == (NUMBERS[3:50, ::7] * 2).sum()


def test_arrays_are_stored_by_the_workers(client: Any, place: dict[str, Any]) -> None:
    array = an_array(place, shape=NUMBERS.shape, dtype="f8", chunks=(10, 40))
    here = os.getpid()

    def marked(block: Any) -> Any:
        assert os.getpid() != here
        return block + 1

    source = da.from_array(NUMBERS, chunks=(20, 40)).map_blocks(marked, dtype="f8", meta=np.empty((0, 0)))
    again = store(source, array, return_stored=True)
    assert np.array_equal(array[...], NUMBERS + 1)
    assert np.array_equal(again.compute(), NUMBERS + 1)


def test_an_array_is_made_from_another_one(client: Any, place: dict[str, Any]) -> None:
    an_array(place, data=NUMBERS, chunks=(10, 40))
    source = from_array(place["store"], path="x", storage_options=place.get("storage_options"))
    target = {"target": place["store"], "path": "y", "storage_options": place.get("storage_options")}
    later = write(source.T * 2, **target, chunks=(8, 5), shards=(40, 10), compute=False)
    later.compute()
    found = omnizarr.open_array(**place, path="y")
    assert found.shards == (40, 10)
    assert np.array_equal(found[...], NUMBERS.T * 2)


def test_parts_of_one_chunk_from_two_processes(client: Any, place: dict[str, Any]) -> None:
    array = an_array(place, shape=(16, 40), dtype="f8", chunks=(4, 4), shards=(16, 40))
    source = da.from_array(NUMBERS[:16], chunks=(4, 20))
    with pytest.raises(ValueError, match=r"shard \(0, 0\)"):
        store(source, array)
    store(source, array, safe_chunks=False)
    assert np.array_equal(array[...], NUMBERS[:16])


def test_what_was_stored_meanwhile_is_stored_again(client: Any, tmp_path: Path) -> None:
    array = omnizarr.create_array(tmp_path, shape=4, dtype="i8", chunks=2)
    source = da.arange(4, chunks=2)
    kept = store(source, array, compute=False, return_stored=True).persist()
    assert kept.compute().tolist() == [0, 1, 2, 3]
    array[...] = 9
    store(source, array)
    assert array[...].tolist() == [0, 1, 2, 3]


def test_a_place_that_workers_do_not_see_is_no_array_of_fill_values(client: Any, tmp_path: Path) -> None:
    array = omnizarr.create_array(tmp_path / "a", data=np.ones(4), chunks=2)
    lazy = array.to_dask()
    shutil.move(tmp_path / "a", tmp_path / "b")  # as if it were on a disk of this machine alone
    with pytest.raises(NodeNotFoundError, match="a handle from another process: nothing is there"):
        lazy.compute()
    with pytest.raises(NodeNotFoundError):
        store(da.ones(4, chunks=2), array)
    assert not (tmp_path / "a").exists()


def behind(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def test_values_in_memory_are_not_sent(client: Any) -> None:
    lazy = omnizarr.create_array(data=np.ones(4), chunks=2).to_dask()
    with pytest.raises(TypeError) as caught:
        lazy.compute()
    assert any("values in memory are of one process" in str(error) for error in behind(caught.value))
    assert lazy.sum().compute(scheduler="threads") == 4


def test_a_target_in_memory_is_named(client: Any) -> None:
    target = omnizarr.create_array("memory://of-this-process", shape=4, chunks=2, dtype="f8", overwrite=True)
    message = "in other processes, which do not reach memory://of-this-process: .* are of one process"
    with pytest.raises(TypeError, match=message):
        store(da.ones(4, chunks=2), target)
    store(da.ones(4, chunks=2), target, scheduler="threads")
    assert target[...].tolist() == [1, 1, 1, 1]
