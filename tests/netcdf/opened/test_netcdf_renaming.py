"""Renaming: nothing is lost, in memory and in the store, for us and for libnetcdf, whenever a writer dies."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from netcdf_peer import assert_same, peer_describes, url_of, we_describe

from omnizarr import netcdf
from omnizarr.errors import NodeExistsError, NodeNameError, NodeNotFoundError
from omnizarr.store import DirectoryStore, FaultStore


def _make(dataset: netcdf.Dataset) -> None:
    dataset.createDimension("t", None)
    dataset.createDimension("x", 3)
    dataset.createVariable("t", "f8", ("t",))[:] = [1, 2]
    dataset.createVariable("x", "i4", ("x",), fill_value=-1)[:] = [7, 8, 9]
    dataset["x"].units = "m"
    dataset.createVariable("/g/h/v", "i4", ("t", "x"), chunksizes=(1, 2))[:] = np.arange(6).reshape(2, 3)
    dataset["g"].createDimension("z", 2)
    dataset.createVariable("/g/h/w", "S1", ("z",))[:] = np.array([b"a", b"b"])
    dataset["g/h"].history = "long"


def _everything(dataset: netcdf.Dataset) -> None:
    dataset.renameDimension("t", "time")
    dataset.renameVariable("t", "hours")
    dataset.renameVariable("x", "east")
    dataset.renameGroup("g", "model")
    dataset["model"].renameDimension("z", "height")
    dataset["model"].renameGroup("h", "run")
    dataset["model/run"].renameVariable("v", "heat")
    dataset["east"].renameAttribute("units", "unit")


def _check(dataset: netcdf.Dataset) -> None:
    assert list(dataset.dimensions) == ["time", "x"] and list(dataset.variables) == ["hours", "east"]
    assert dataset["hours"][:].tolist() == [1, 2] and dataset["hours"].dimensions == ("time",)
    assert dataset["east"][:].tolist() == [7, 8, 9] and dataset["east"].ncattrs() == ["_FillValue", "unit"]
    heat = dataset["model/run/heat"]
    assert heat[:].tolist() == [[0, 1, 2], [3, 4, 5]] and heat.name == "heat"
    assert heat.as_model().dimensions == ("/time", "/x")
    assert dataset["model/run/w"].as_model().dimensions == ("/model/height",)
    assert dataset["model/run/w"][:].tolist() == [b"a", b"b"]
    assert dataset["model/run"].history == "long" and dataset["model/run"].path == "/model/run"
    assert dataset["model"].name == "model" and "g" not in dataset.groups


@pytest.mark.parametrize("reopened", [False, True])
def test_everything_can_be_renamed(reopened: bool, tmp_path: Path) -> None:
    place = tmp_path / "d"
    dataset = netcdf.Dataset(place, "w")
    _make(dataset)
    if reopened:
        dataset.close()
        dataset = netcdf.Dataset(place, "a")
    held = dataset["g/h/v"]
    variables = dataset.variables
    _everything(dataset)
    _check(dataset)
    assert dataset["model/run/heat"] is held and variables is dataset.variables
    held[2] = [6, 7, 8]
    assert dataset["hours"][:].tolist() == [1, 2, None]
    dataset.close()
    with netcdf.Dataset(place) as found:
        assert found["model/run/heat"][2].tolist() == [6, 7, 8]
        ours = we_describe(found)
    assert_same(ours, peer_describes(url_of(place), tmp_path))
    left = {path.name for path in place.rglob("*")}
    assert not left & {"g", "h", "v"}


@pytest.mark.parametrize(("dialect", "zarr_format"), [("nczarr", 3), ("xarray", 2), ("xarray", 3)])
def test_every_dialect_is_renamed(dialect: str, zarr_format: int, tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path, "w", dialect=dialect, zarr_format=zarr_format) as dataset:
        _make(dataset)
        _everything(dataset)
    with netcdf.Dataset(tmp_path) as found:
        assert found["hours"].dimensions == ("time",) and found["hours"][:].tolist() == [1, 2]
        heat = found["model/run/heat"]
        assert heat.dimensions == ("time", "x") and heat[:].tolist() == [[0, 1, 2], [3, 4, 5]]
        assert found["model/run/w"].dimensions == ("height",)


def test_consolidated_metadata_follow(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path, "w", consolidated=True) as dataset:
        _make(dataset)
    with netcdf.Dataset(tmp_path, "a") as dataset:
        dataset.renameVariable("x", "east")
    with netcdf.Dataset(tmp_path, consolidated=True) as found:
        assert list(found.variables) == ["t", "east"] and found["east"][:].tolist() == [7, 8, 9]


@pytest.mark.filterwarnings("ignore:.*netCDF-C")
def test_types_follow_their_group(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path, "w") as dataset:
        group = dataset.createGroup("g")
        group.createDimension("x", 2)
        cloudy = group.createEnumType("u1", "cloud_t", {"Clear": 0, "Rain": 1})
        group.createVariable("v", cloudy, ("x",), fill_value=0)[:] = [1, 0]
        dataset.createVariable("/far/v", cloudy)[...] = 1
        dataset.renameGroup("g", "sky")
    with netcdf.Dataset(tmp_path) as found:
        assert found["sky"].enumtypes["cloud_t"].enum_dict == {"Clear": 0, "Rain": 1}
        assert found["sky/v"].datatype.name == "cloud_t"
        assert found["sky/v"].as_model().type == found["far/v"].as_model().type
        assert str(getattr(found["far/v"].as_model().type, "path", "")) == "/sky/cloud_t"
        assert found["far/v"][...] == 1


@pytest.mark.parametrize(
    ("rename", "error"),
    [
        (lambda d: d.renameVariable("q", "r"), NodeNotFoundError),
        (lambda d: d.renameVariable("t", "x"), NodeExistsError),
        (lambda d: d.renameVariable("t", "g"), NodeExistsError),
        (lambda d: d.renameVariable("t", "t"), NodeExistsError),
        (lambda d: d.renameVariable("t", "a/b"), NodeNameError),
        (lambda d: d.renameVariable("t", ""), NodeNameError),
        (lambda d: d.renameVariable("t", ".."), NodeNameError),
        (lambda d: d.renameDimension("q", "r"), NodeNotFoundError),
        (lambda d: d.renameDimension("t", "x"), NodeExistsError),
        (lambda d: d.renameGroup("q", "r"), NodeNotFoundError),
        (lambda d: d.renameGroup("g", "x"), NodeExistsError),
    ],
)
def test_what_cannot_be_renamed(rename: Callable[[netcdf.Dataset], None], error: type[Exception]) -> None:
    dataset = netcdf.Dataset({}, "w")
    _make(dataset)
    with pytest.raises(error) as found:
        rename(dataset)
    assert isinstance(found.value, KeyError if error is NodeNotFoundError else RuntimeError)
    assert list(dataset.variables) == ["t", "x"] and dataset["t"][:].tolist() == [1, 2]


class Died(Exception):
    """The writer is gone."""


def test_every_death_loses_nothing(tmp_path: Path) -> None:
    first = tmp_path / "first"
    with netcdf.Dataset(first, "w") as dataset:
        _make(dataset)
    for number in range(200):
        place = tmp_path / "dies"
        shutil.copytree(first, place)
        left = number

        def die(operation: str, key: str) -> None:
            nonlocal left
            if operation in ("set", "set_if_absent", "update", "delete", "delete_prefix"):
                if not left:
                    raise Died
                left -= 1

        dying = netcdf.Dataset(FaultStore(DirectoryStore(place), die), "r+")
        try:
            _everything(dying)
            dying.close()
        except Died:
            dying._session.is_open = False
        with netcdf.Dataset(place) as found:
            _check_some(found)
        if number % 12 == 0:
            theirs = peer_describes(url_of(place), tmp_path)
            assert {"hours", "t"} & set(theirs["variables"])
        shutil.rmtree(place)
        if left:
            return
    raise AssertionError("renaming takes more than 200 writes")


def _check_some(found: netcdf.Dataset) -> None:
    """All values are there, under the old names or the new."""
    group = found.groups.get("model", found.groups.get("g"))
    assert group is not None
    inner = group.groups.get("run", group.groups.get("h"))
    assert inner is not None
    heat = inner.variables.get("heat", inner.variables.get("v"))
    assert heat is not None and heat[:].tolist() == [[0, 1, 2], [3, 4, 5]]
    east = next(found.variables[name] for name in ("east", "x") if name in found.variables)
    assert east[:].tolist() == [7, 8, 9]
