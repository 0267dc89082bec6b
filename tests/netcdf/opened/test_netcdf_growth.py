"""Unlimited dimensions, and writers that die while they grow."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from netcdf_peer import run_peer

from omnizarr import netcdf
from omnizarr.store import DirectoryStore, FaultStore, MemoryStore


class Died(Exception):
    """The writer is gone."""


class Dying:
    """Lets so many writes pass, and none after."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __call__(self, operation: str, key: str) -> None:
        if operation in ("set", "set_if_absent", "update", "delete", "delete_prefix"):
            if not self.left:
                raise Died
            self.left -= 1


def _make(dataset: netcdf.Dataset) -> None:
    dataset.createDimension("t", None)
    dataset.createDimension("x", 3)
    dataset.createVariable("a", "i4", ("t",), chunksizes=(2,))[:] = [1, 2]
    dataset.createVariable("b", "f4", ("t", "x"), chunksizes=(1, 3))[:] = np.ones((2, 3))
    dataset.createVariable("fixed", "i4", ("x",))[:] = 5
    dataset.createVariable("/g/c", "i4", ("t",), chunksizes=(2,))[:] = [3, 4]


def _grow(dataset: netcdf.Dataset) -> None:
    dataset["a"][2:5] = [10, 20, 30]
    dataset["b"][4] = 7
    dataset["g/c"].units = "m"
    dataset.history = "grown"


def _writes(place: Path) -> int:
    """Return how many writes growing takes."""
    counting = Dying(10**6)
    with netcdf.Dataset(FaultStore(DirectoryStore(place), counting), "r+") as dataset:
        _grow(dataset)
    return 10**6 - counting.left


_OPENS = """
import sys, netCDF4
for place in sys.argv[1:]:
    with netCDF4.Dataset(f"file://{place}#mode=nczarr,file") as d:
        assert d["fixed"][:].tolist() == [5, 5, 5], place
        if "mended" in place:
            assert list(d.variables) == ["a", "b", "fixed"], (place, list(d.variables))
            assert d["a"][:].tolist() == [1, 2, 10, 20, 30] and d["g/c"].shape == (5,), place
"""


def test_every_death_leaves_a_dataset_that_opens(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path / "first", "w") as dataset:
        _make(dataset)
    count = _writes(tmp_path / "first")
    assert count > 8
    for left in range(count):
        place = tmp_path / f"dies{left}"
        with netcdf.Dataset(place, "w") as dataset:
            _make(dataset)
        dying = netcdf.Dataset(FaultStore(DirectoryStore(place), Dying(left)), "r+")
        with pytest.raises(Died):
            _grow(dying)
            dying.close()
        dying._session.is_open = False
        with netcdf.Dataset(place) as dataset:
            _check(dataset)
        mended = tmp_path / f"mended{left}"
        shutil.copytree(place, mended)
        with netcdf.Dataset(mended, "a") as dataset:
            _grow(dataset)
    made = [str(path) for path in tmp_path.iterdir() if path.name != "first"]
    assert len(made) == 2 * count
    run_peer(_OPENS, *made)


def test_a_death_while_mending_leaves_a_dataset_that_opens(tmp_path: Path) -> None:
    for first in range(4, 11):
        for second in range(0, 6, 2):
            place = tmp_path / f"dies{first} {second}"
            with netcdf.Dataset(place, "w") as dataset:
                _make(dataset)
            for left in (first, second):
                dying = None
                with suppress(Died):
                    dying = netcdf.Dataset(FaultStore(DirectoryStore(place), Dying(left)), "r+")
                    _grow(dying)
                    dying.close()
                if dying is not None:
                    dying._session.is_open = False
            with netcdf.Dataset(place) as dataset:
                _check(dataset)
    run_peer(_OPENS, *map(str, tmp_path.iterdir()))


def _check(dataset: netcdf.Dataset) -> None:
    """Every variable is there, as long as before or as after."""
    assert set(dataset.variables) == {"a", "b", "fixed"}
    length = dataset.dimensions["t"].size
    assert length in (2, 5)
    assert dataset["a"][:].tolist()[:2] == [1, 2]
    assert dataset["a"].shape == dataset["g/c"].shape == (length,)
    if length == 5:
        assert dataset["a"][2:].tolist() == [10, 20, 30]
        assert dataset["b"][4].tolist() == [7, 7, 7]


def test_a_record_at_a_time() -> None:
    store = MemoryStore()
    with netcdf.Dataset(store, "w") as dataset:
        dataset.createDimension("t", None)
        variable = dataset.createVariable("v", "f8", ("t",))
        for i in range(1000):
            variable[i] = i
    with netcdf.Dataset(store) as dataset:
        assert np.array_equal(dataset["v"][:], np.arange(1000.0))


def test_what_was_written_is_seen_after_sync() -> None:
    store = MemoryStore()
    dataset = netcdf.Dataset(store, "w")
    _make(dataset)
    assert "a" not in netcdf.Dataset(store).variables
    dataset.sync()
    assert netcdf.Dataset(store)["a"][:].tolist() == [1, 2]
    dataset["a"][3] = 9
    assert dataset["b"].shape == (4, 3)
    assert netcdf.Dataset(store)["a"][:].tolist() == [1, 2]
    dataset.sync()
    assert netcdf.Dataset(store)["a"][:].tolist() == [1, 2, None, 9]
    dataset.close()


def test_nothing_is_written_where_nothing_changed() -> None:
    store = MemoryStore()
    with netcdf.Dataset(store, "w") as dataset:
        _make(dataset)
    none = Dying(0)
    with netcdf.Dataset(FaultStore(store, none), "a") as dataset:
        assert dataset["a"][:].tolist() == [1, 2]
