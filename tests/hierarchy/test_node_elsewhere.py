"""Handles as other processes get them: pickles, tokens, and places that are not there."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest

import omnizarr
from omnizarr.errors import MissingChunkError, NodeNotFoundError
from omnizarr.hierarchy.arrays import arrival
from omnizarr.store import CountingStore, DirectoryStore, ZipStore

WAYS = (pickle, cloudpickle)


@pytest.fixture(autouse=True)
def nothing_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has seen no array yet."""
    monkeypatch.setattr(arrival, "_seen", set())


@pytest.fixture(params=[2, 3])
def array(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return omnizarr.create_array(
        tmp_path / "a.zarr",
        name="deep/down/t",
        data=np.arange(12.0).reshape(4, 3),
        chunks=(2, 3),
        zarr_format=request.param,
        attributes={"units": "K", "long_name": "temperature of the air"},
    )


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_pickled_array_is_small_and_the_same(array: Any, way: Any) -> None:
    array.write_empty_chunks, array.missing_chunks = True, "raise"
    image = way.dumps(array)
    again = way.loads(image)
    assert len(image) < 2000
    assert again == array
    assert again.metadata == array.metadata
    assert (again.write_empty_chunks, again.missing_chunks) == (True, "raise")
    assert np.array_equal(again[...], array[...])
    again[0, 0] = 5
    assert array[0, 0] == 5


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_pickled_group_is_small_and_the_same(array: Any, way: Any) -> None:
    group = omnizarr.open_group(array.store)
    image = way.dumps(group)
    assert len(image) < 1200
    assert way.loads(image)["deep/down/t"] == array


def test_a_pickle_is_made_and_read_without_a_request(array: Any) -> None:
    store = CountingStore(array.store)
    counted = omnizarr.open_array(store, path=array.path)
    store.reset()
    again = pickle.loads(pickle.dumps(counted))
    assert not store.counts
    assert not again.store.counts
    assert again[0].tolist() == [0, 1, 2]
    assert sum(again.store.counts.values()) == 1  # the chunk


def test_a_pickle_has_the_metadata_of_its_handle(array: Any) -> None:
    image = pickle.dumps(array)
    array.resize((6, 3))
    again = pickle.loads(image)
    assert again.shape == (4, 3)
    again.refresh()
    assert again.shape == (6, 3)


def test_views_of_an_array_can_be_pickled(array: Any) -> None:
    for view in (array.oindex, array.vindex, array.blocks, array.astype("i2")):
        assert np.array_equal(pickle.loads(pickle.dumps(view))[0], view[0])
    assert dict(pickle.loads(pickle.dumps(array.attrs))) == dict(array.attrs)


def test_a_handle_in_memory_says_why_it_cannot_be_pickled() -> None:
    with pytest.raises(TypeError, match="values in memory are of one process"):
        pickle.dumps(omnizarr.create_array(shape=3))


def test_arrays_in_archives_and_databases(tmp_path: Path) -> None:
    with ZipStore(tmp_path / "a.zip", mode="w") as store:
        omnizarr.create_array(store, name="x", data=np.arange(3))
    for place in (tmp_path / "a.zip", f"sqlite:///{tmp_path}/a.sqlite", f"lmdb://{tmp_path}/a.lmdb"):
        if "zip" not in str(place):
            omnizarr.create_array(place, name="x", data=np.arange(3)).store.close()
        array = omnizarr.open_array(place, path="x", mode="r")
        again = pickle.loads(pickle.dumps(array))
        assert again[...].tolist() == [0, 1, 2]
        for handle in (array, again):
            handle.store.close()


# A place that is not there, where the handle came to


@pytest.fixture
def stranded(array: Any) -> Any:
    """A handle on what was there in another process, and is not in this one."""
    image = pickle.dumps(array)
    shutil.rmtree(array.store.root)
    return pickle.loads(image)


def test_what_is_not_here_is_not_read_as_fill_values(stranded: Any) -> None:
    for selection in (..., (0, 0), slice(1)):
        with pytest.raises(NodeNotFoundError, match="a handle from another process: nothing is there"):
            stranded[selection]
    with pytest.raises(NodeNotFoundError):
        stranded.get_basic_selection(out=np.empty((4, 3)))
    with pytest.raises(NodeNotFoundError):
        stranded.oindex[[0], [1]]


def test_nothing_is_written_where_the_array_is_not(stranded: Any) -> None:
    with pytest.raises(NodeNotFoundError):
        stranded[...] = 1
    assert not Path(stranded.store.root).exists()


def test_an_empty_directory_is_no_array(stranded: Any) -> None:
    Path(stranded.store.root).mkdir()
    with pytest.raises(NodeNotFoundError):
        stranded[...]


def test_absent_chunks_of_what_is_here_are_fill_values(tmp_path: Path) -> None:
    array = omnizarr.create_array(
        tmp_path / "a", shape=6, dtype="i4", chunks=2, fill_value=7, compressors=None
    )
    array[:2] = 1
    image = pickle.dumps(omnizarr.open_array(CountingStore(array.store)))
    first, second = pickle.loads(image), pickle.loads(image)
    assert first[...].tolist() == [1, 1, 7, 7, 7, 7]
    assert first.store.counts["get"] == 1  # of the document
    assert second[...].tolist() == [1, 1, 7, 7, 7, 7]
    assert second.store.counts["get"] == 0  # this process has seen it
    assert second[5] == 7
    first.missing_chunks = "raise"
    with pytest.raises(MissingChunkError):
        first[...]


def test_the_document_is_looked_for_once_before_writes(tmp_path: Path) -> None:
    array = omnizarr.create_array(tmp_path / "a", shape=6, dtype="i4", chunks=2)
    again = pickle.loads(pickle.dumps(omnizarr.open_array(CountingStore(array.store))))
    again[:2] = 1
    again[2:4] = 2
    assert again.store.counts == {"get": 1, "set": 2}
    assert array[...].tolist() == [1, 1, 2, 2, 0, 0]


def test_how_many_places_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrival, "_MOST", 2)
    for number in range(5):
        array = omnizarr.create_array(tmp_path / str(number), shape=2, dtype="i4")
        pickle.loads(pickle.dumps(array))[...] = number
        assert array[0] == number
    assert 1 <= len(arrival._seen) <= 2


# Tokens


def token(node: Any) -> str:
    return repr(node.__dask_tokenize__())


def test_an_array_that_is_opened_again_has_the_same_token(array: Any) -> None:
    opened = omnizarr.open_array(array.store.root, path=array.path, mode="r")
    assert token(opened) == token(array) == token(pickle.loads(pickle.dumps(array)))


def test_tokens_change_with_what_is_seen(array: Any) -> None:
    tokens = {token(array)}
    array.attrs["units"] = "m"
    tokens.add(token(array))
    array.resize((6, 3))
    tokens.add(token(array))
    array.missing_chunks = "raise"
    tokens.add(token(array))
    other = omnizarr.create_array(
        array.store, name="other", data=np.arange(12.0).reshape(4, 3), chunks=(2, 3)
    )
    tokens.add(token(other))
    tokens.add(token(omnizarr.open_group(array.store)))
    tokens.add(token(omnizarr.open_group(array.store)["deep"]))
    assert len(tokens) == 7


def test_values_that_change_are_not_seen(array: Any) -> None:
    before = token(array)
    array[...] = 0
    assert token(array) == before


def test_places_in_memory_differ() -> None:
    assert token(omnizarr.create_array(shape=3)) != token(omnizarr.create_array(shape=3))


IN_ANOTHER = """
import sys, omnizarr
root = omnizarr.open_group(sys.argv[1], mode="r")
array = root["deep/down/t"]
print(root.__dask_tokenize__())
print(array.__dask_tokenize__())
assert "dask" not in sys.modules
from dask.base import tokenize
print(tokenize(array, ensure_deterministic=True))
print(array.to_dask("auto").name)
"""


def test_tokens_are_the_same_in_every_process_and_need_no_dask(tmp_path: Path) -> None:
    tokenize = pytest.importorskip("dask.base").tokenize
    root = omnizarr.create_group(tmp_path)
    array = root.create_array("deep/down/t", data=np.arange(12.0).reshape(4, 3), chunks=(2, 3))
    run = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER, str(tmp_path)],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.splitlines() == [
        token(root),
        token(array),
        tokenize(array, ensure_deterministic=True),
        array.to_dask("auto").name,
    ]


def test_a_directory_that_is_opened_by_another_way_round(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    around = DirectoryStore(f"{tmp_path}/d/../d")
    assert around.__dask_tokenize__() == DirectoryStore(tmp_path / "d").__dask_tokenize__()
