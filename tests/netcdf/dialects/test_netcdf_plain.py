"""Zarr without netCDF's annotations, and xarray's convention, as netCDF."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
import zarr
from netcdf_peer import run_peer, url_of

import omnizarr
from omnizarr import netcdf
from omnizarr.errors import StoreError
from omnizarr.store import MemoryStore


def _dimensions(group: netcdf.Group) -> dict[str, int]:
    return {d._path: len(d) for inner in group._walk() for d in inner.dimensions.values()}


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_dimensions_without_names_are_known_by_their_length(zarr_format: int, tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path, mode="w", zarr_format=zarr_format)
    root.create_array("a", shape=(4, 5), dtype="i4")[:] = 1
    root.create_array("g/b", shape=(5, 4, 5), dtype="f8")
    root.create_array("scalar", shape=(), dtype="f8")[...] = 3
    root.attrs["title"] = "plain"
    dataset = netcdf.Dataset(tmp_path)
    assert dataset.disk_format == "ZARR"
    assert _dimensions(dataset) == {"/_Anonymous_Dim_4": 4, "/_Anonymous_Dim_5": 5}
    assert dataset["a"].dimensions == ("_Anonymous_Dim_4", "_Anonymous_Dim_5")
    assert dataset["g/b"].shape == (5, 4, 5)
    assert dataset["scalar"][...] == 3 and dataset["scalar"].dimensions == ()
    assert dataset.title == "plain"


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_named_dimensions_are_shared_where_name_and_size_agree(zarr_format: int, tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path, mode="w", zarr_format=zarr_format)

    def make(path: str, **dimensions: int) -> None:
        names = [name.rstrip("_") for name in dimensions]
        more: dict[str, Any] = {"dimension_names": names} if zarr_format == 3 else {}
        made = root.create_array(path, shape=tuple(dimensions.values()), dtype="i4", **more)
        if zarr_format == 2:
            made.attrs["_ARRAY_DIMENSIONS"] = names

    make("a", x=3, y=4)
    make("g/b", x=3, z=5)
    make("g/c", x=9)
    make("h/d", x=9, y=4)
    with pytest.warns(UserWarning, match=r"/z: dimension x is 3 long elsewhere; here x_7"):
        make("z", x=7, x_=7)
        dataset = netcdf.Dataset(tmp_path)
    assert _dimensions(dataset) == {"/x": 3, "/y": 4, "/x_7": 7, "/g/z": 5, "/g/x": 9, "/h/x": 9}
    assert dataset["g/b"].as_model().dimensions == ("/x", "/g/z")
    assert dataset["h/d"].as_model().dimensions == ("/h/x", "/y")
    assert dataset["z"].dimensions == ("x_7", "x_7")


def test_types_that_netcdf_lacks(tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    values: dict[str, Any] = {
        "bool": np.array([True, False]),
        "half": np.array([1.5, -2], "f2"),
        "date": np.array(["2000-01-01", "NaT"], "M8[s]"),
        "time": np.array([1, 2], "m8[h]"),
        "bytes": np.array([b"ab", b""], "S2"),
        "one_byte": np.array([b"a", b"b"], "S1"),
        "text": np.array(["ä", "bc"], "U2"),
        "complex": np.array([1j, 2], "c16"),
    }
    for name, array in values.items():
        root.create_array(name, shape=array.shape, dtype=array.dtype)[:] = array
    dataset = netcdf.Dataset(tmp_path)
    shown = {name: (v.as_model().type.name, v[:].tolist()) for name, v in dataset.variables.items()}
    assert shown == {
        "bool": ("ubyte", [1, 0]),
        "half": ("float", [1.5, -2.0]),
        "date": ("int64", [946684800, None]),
        "time": ("int64", [1, 2]),
        "bytes": ("string", ["ab", ""]),
        "one_byte": ("string", ["a", "b"]),
        "text": ("string", ["ä", "bc"]),
        "complex": ("_Complex128_t", [1j, 2]),
    }
    assert dataset["date"].units == "seconds since 1970-01-01" and dataset["time"].units == "hours"


def test_one_broken_array_keeps_nothing_from_opening(tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    root.create_array("good", shape=(2,), dtype="i4")[:] = 1
    root.create_array("bad", shape=(2,), dtype="i4")
    (tmp_path / "bad" / ".zarray").write_text('{"zarr_format": 2, "shape": "two"}')
    with pytest.warns(UserWarning, match="/bad is left out"):
        dataset = netcdf.Dataset(tmp_path)
    assert list(dataset.variables) == ["good"]


def test_xarray_reads_what_we_write(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path / "d", "w") as dataset:
        dataset.title = "ours"
        dataset.createDimension("time", None)
        dataset.createDimension("x", 3)
        time = dataset.createVariable("time", "i4", ("time",))
        time.units = "days since 2000-01-01"
        heat = dataset.createVariable("heat", "f4", ("time", "x"), zlib=True, fill_value=-9.0)
        heat[:] = np.ma.masked_equal([[1, 2, -9], [4, 5, 6]], -9)
        time[:] = [0, 1]
        dataset.createVariable("name", str, ("x",))[:] = np.array(["a", "bc", "def"], object)
        dataset.createVariable("/g/v", "i8", ("x",))[:] = [1, 2, 3]
    with xr.open_zarr(tmp_path / "d", consolidated=False) as found:
        assert found.sizes == {"time": 2, "x": 3}
        assert found.title == "ours"
        assert np.array_equal(found.heat.values, [[1, 2, np.nan], [4, 5, 6]], equal_nan=True)
        assert found.name.values.tolist() == [b"a", b"bc", b"def"]
        assert found.time.values.tolist() == np.array(["2000-01-01", "2000-01-02"], "M8[ns]").tolist()
    with xr.open_zarr(tmp_path / "d", group="g", consolidated=False) as found:
        assert found.v.values.tolist() == [1, 2, 3]
    assert zarr.open_group(tmp_path / "d", mode="r")["heat"][0, :2].tolist() == [1, 2]


def test_we_read_what_libnetcdf_writes_without_annotations(tmp_path: Path) -> None:
    place = tmp_path / "pure"
    code = """
import sys, netCDF4
import numpy as np
d = netCDF4.Dataset(sys.argv[1], 'w')
d.createDimension('x', 3)
d.title = 'pure'
d.createVariable('v', 'f4', ('x',), zlib=True)[:2] = [1, 2]
d.createVariable('s', 'i4')[...] = 5
d.createGroup('g').createVariable('w', 'i2', ('x',))[:] = 7
d.close()
"""
    run_peer(code, url_of(place, "zarr"))
    dataset = netcdf.Dataset(place)
    assert dataset.disk_format == "ZARR"
    assert dataset["v"][:].tolist() == [1, 2, None]
    assert dataset["s"][...].tolist() == 5 or dataset["s"][:].tolist() == [5]
    assert dataset["g/w"][:].tolist() == [7, 7, 7]
    assert dataset.title == "pure"


def test_values_and_attributes_of_a_plain_dataset_can_change(tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path, mode="w", zarr_format=3)
    root.create_array("a", shape=(4,), dtype="i4", dimension_names=["x"], attributes={"old": 1})
    with netcdf.Dataset(tmp_path, "a") as dataset:
        dataset["a"][1:3] = 5
        dataset["a"].units = "m"
        dataset.title = "changed"
    found = zarr.open_group(tmp_path, mode="r")
    assert found["a"][:].tolist() == [0, 5, 5, 0]
    assert found["a"].metadata.dimension_names == ("x",)
    assert found["a"].attrs["units"] == "m" and found["a"].attrs["old"] == 1
    assert found.attrs["title"] == "changed"


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises((FileNotFoundError, StoreError)):
        netcdf.Dataset(tmp_path / "nothing")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        netcdf.Dataset(tmp_path / "empty", "w", dialect="plain").close()
    assert netcdf.Dataset(tmp_path / "empty").disk_format == "ZARR"


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.filterwarnings("ignore")
def test_a_plain_dataset_of_ours_is_read_by_zarr_python(zarr_format: int, tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path, "w", dialect="plain", zarr_format=zarr_format) as dataset:
        dataset.createDimension("x", 3)
        dataset.createVariable("c", "S1", ("x",), fill_value="q")[:2] = np.array(list("ab"), "S1")
        dataset.createVariable("s", str, ("x",), fill_value="none")[:2] = np.array(["ä", "b"], object)
        dataset.createVariable("n", "f4", ("x",), zlib=True)[:2] = [1, 2]
        dataset.createVariable("nan", "f4", ("x",), fill_value=np.nan)[:2] = [1, 2]
        dataset.createVariable("big", ">i8", ())[...] = 7
    found = zarr.open_group(tmp_path, mode="r")
    assert found.metadata.zarr_format == zarr_format
    assert found["c"][:].tolist() == [b"a", b"b", b"q"]
    texts = found["s"][:].tolist()
    assert [t.decode() if isinstance(t, bytes) else t for t in texts] == ["ä", "b", "none"]
    assert found["n"][2] == np.float32(netcdf.default_fillvals["f4"]) and dict(found["n"].attrs) == {}
    assert found["big"].shape == () and found["big"][()] == 7
    dataset = netcdf.Dataset(tmp_path, dialect="plain")
    name = "_Anonymous_Dim_3" if zarr_format == 2 else "x"
    assert dataset["s"][:].tolist() == ["ä", "b", "none"] and dataset["s"].dimensions == (name,)
    assert dataset["c"][:].tolist() == ["a", "b", "q"]
    assert dataset["n"][:].tolist() == [1, 2, None] and dataset["big"].endian() == "big"
    assert np.isnan(dataset["nan"]._FillValue) and dataset["nan"][:].tolist() == [1, 2, None]


def test_xarray_opens_plain_zarr_3_with_fill_values(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path, "w", dialect="plain", zarr_format=3) as dataset:
        dataset.createDimension("x", 2)
        dataset.createVariable("f", "f4", ("x",), fill_value=-9.0)[0] = 1
        dataset.createVariable("i", "i2", ("x",), fill_value=-9)[0] = 1
    with xr.open_zarr(tmp_path, consolidated=False) as found:
        for name in "fi":
            assert np.array_equal(found[name].values, [1, np.nan], equal_nan=True)
    assert netcdf.Dataset(tmp_path)["f"]._FillValue == -9


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_dimensions_that_had_no_names_get_none(zarr_format: int, tmp_path: Path) -> None:
    zarr.open_group(tmp_path, mode="w", zarr_format=zarr_format).create_array("a", shape=(4,), dtype="i4")
    with netcdf.Dataset(tmp_path, "a") as dataset:
        dataset["a"].units = "m"
    found = zarr.open_group(tmp_path, mode="r")["a"]
    assert dict(found.attrs) == {"units": "m"}
    assert getattr(found.metadata, "dimension_names", None) is None


@pytest.mark.parametrize("name", ["_Anonymous_Dimension_4", ".zdim_4", "_zdim_4", "_anonymous4"])
def test_names_of_older_files_are_just_names(name: str, tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    root.create_array("a", shape=(4,), dtype="i4").attrs["_ARRAY_DIMENSIONS"] = [name]
    assert _dimensions(netcdf.Dataset(tmp_path)) == {f"/{name}": 4}


def test_multiscale_images_open(tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    scales = [{"axes": [{"name": "y"}, {"name": "x"}], "datasets": [{"path": "0"}, {"path": "1"}]}]
    root.attrs["multiscales"] = scales
    for level, size in enumerate((8, 4)):
        made = root.create_array(str(level), shape=(size, size), dtype="u2", order="F", chunks=(3, 2))
        made[:] = np.arange(size * size).reshape(size, size)
        made.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    with pytest.warns(UserWarning, match="/1: dimension . is 8 long elsewhere"):
        dataset = netcdf.Dataset(tmp_path, "a")
    assert dataset["1"].dimensions == ("y_4", "x_4") and dataset["1"][3].tolist() == [12, 13, 14, 15]
    assert [fault.name for fault in dataset.as_dataset().faults] == ["dimension-conflict"] * 2
    dataset.more = "1"
    dataset.close()
    assert dict(zarr.open_group(tmp_path).attrs) == {"multiscales": scales, "more": "1"}


def test_shards_are_read(tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path, mode="w", zarr_format=3)
    values = np.arange(64).reshape(8, 8)
    root.create_array("a", data=values, chunks=(2, 2), shards=(4, 4), dimension_names=["y", "x"])
    dataset = netcdf.Dataset(tmp_path)
    assert np.array_equal(dataset["a"][:], values) and dataset["a"][5, ::3].tolist() == [40, 43, 46]
    assert dataset["a"].dimensions == ("y", "x")


def test_chunks_of_many_lengths_are_read(tmp_path: Path) -> None:
    root = omnizarr.create_group(tmp_path, zarr_format=3)
    array = root.create_array("a", shape=(6,), chunks=[[1, 2, 3]], dtype="i4", dimension_names=["x"])
    array[:] = np.arange(6)
    dataset = netcdf.Dataset(tmp_path)
    assert dataset["a"][1:5].tolist() == [1, 2, 3, 4] and dataset["a"].dimensions == ("x",)


def test_an_array_that_is_beyond_the_limits_is_left_out() -> None:
    store = MemoryStore()
    root = omnizarr.create_group(store)
    root.create_array("small", data=np.arange(3))
    root.create_array("large", shape=(4,), dtype="i4")
    document = json.loads(store.get("large/zarr.json") or b"")
    document["shape"] = document["chunk_grid"]["configuration"]["chunk_shape"] = [10**15]
    store.set("large/zarr.json", json.dumps(document).encode())
    with pytest.warns(UserWarning, match="/large is left out: chunk_grid: a chunk of 10+ elements"):
        dataset = netcdf.Dataset(store)
    assert list(dataset.variables) == ["small"]
    dataset.close()
