"""Variables that cannot be shown: the rest works, and asking for them says why."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from omnizarr import netcdf
from omnizarr.store import MemoryStore


def _dataset(store: MemoryStore, mode: str = "r") -> netcdf.Dataset:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return netcdf.Dataset(store, mode)


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    with netcdf.Dataset(store, "w") as dataset:
        dataset.createDimension("x", 2)
        dataset.createVariable("good", "i4", ("x",))[:] = [1, 2]
        dataset.createVariable("bad", "i4", ("x",))
        dataset.createVariable("/g/worse", "i4", ("x",))
    store.set("bad/.zarray", b'{"zarr_format": 2, "shape": [2]}')
    store.set("g/worse/.zarray", b"no JSON")
    return store


def test_asking_for_a_bad_variable_says_why(store: MemoryStore) -> None:
    with pytest.warns(UserWarning, match="left out"):
        dataset = netcdf.Dataset(store)
    assert list(dataset.variables) == ["good"] and dataset["good"][:].tolist() == [1, 2]
    for ask in (
        lambda: dataset.variables["bad"],
        lambda: dataset["bad"],
        lambda: dataset["/bad"],
        lambda: dataset["g/worse"],
        lambda: dataset["g"].variables["worse"],
    ):
        with pytest.raises(KeyError, match="cannot be shown by netCDF") as found:
            ask()
        assert isinstance(found.value, IndexError)
    with pytest.raises(KeyError, match="'missing'"):
        dataset.variables["missing"]
    assert dataset.variables.get("bad") is None and "bad" not in dataset.variables


def test_a_bad_variable_stays_what_it_was(store: MemoryStore) -> None:
    before = store.get("bad/.zarray")
    with _dataset(store, "a") as dataset:
        dataset.title = "changed"
        dataset["g"].title = "changed"
        dataset.createDimension("t", None)
        dataset.createVariable("new", "i4", ("t",))[:] = [1, 2]
    found = _dataset(store)
    assert store.get("bad/.zarray") == before and list(found.variables) == ["good", "new"]
    assert {entry.path for entry in found.as_dataset().unmapped} == {"/bad", "/g/worse"}


def test_a_bad_variable_is_replaced_by_a_new_one(store: MemoryStore) -> None:
    with _dataset(store, "a") as dataset:
        dataset.createVariable("bad", "f4", ("x",))[:] = [5, 6]
        assert dataset.variables["bad"][:].tolist() == [5, 6]
    found = _dataset(store)
    assert found["bad"][:].tolist() == [5, 6] and "worse" not in found["g"].variables


def test_a_renamed_group_still_says_why(store: MemoryStore, tmp_path: Path) -> None:
    with _dataset(store, "a") as dataset:
        dataset.renameGroup("g", "h")
        assert not list(dataset["h"].variables)
        with pytest.raises(KeyError, match="cannot be shown by netCDF"):
            dataset["h"].variables["worse"]
        with pytest.raises(KeyError, match="cannot be shown by netCDF"):
            dataset["h/worse"]
    assert store.get("h/worse/.zarray") == b"no JSON" and store.get("g/worse/.zarray") is None
