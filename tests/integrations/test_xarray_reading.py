"""`engine="omnizarr"`: what is opened, how it is read, and what it costs."""

from __future__ import annotations

import asyncio
import pickle
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import omnizarr
import omnizarr.netcdf as nc
from omnizarr.integrations.xarray import write
from omnizarr.integrations.xarray.backend import OmnizarrBackendEntrypoint
from omnizarr.integrations.xarray.lazy import as_slices
from omnizarr.store import MemoryStore
from omnizarr.store.layers.wrap import CountingStore

ENGINE = "omnizarr"


def plain_array(group: Any, name: str, data: Any, **arguments: Any) -> None:
    group.create_array(name, data=np.asarray(data), **arguments)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_arrays_without_names_get_those_of_the_netcdf_view(zarr_format: int) -> None:
    group = omnizarr.create_group({}, zarr_format=zarr_format)
    plain_array(group, "square", np.eye(3))
    plain_array(group, "line", np.arange(3))
    dataset = xr.open_dataset(group, engine=ENGINE)  # type: ignore[arg-type]
    assert dataset["square"].dims == ("_Anonymous_Dim_3", "_Anonymous_Dim_3_2")
    assert dataset["line"].dims == ("_Anonymous_Dim_3",)
    assert np.array_equal(dataset["square"], np.eye(3))


def test_axes_of_which_some_have_names() -> None:
    group = omnizarr.create_group({})
    plain_array(group, "a", np.zeros((2, 5)), dimension_names=("x", None))
    assert xr.open_dataset(group, engine=ENGINE)["a"].dims == ("x", "_Anonymous_Dim_5")  # type: ignore[arg-type]


@pytest.mark.parametrize("draft", ["3-2019"])
def test_drafts_of_v3(tmp_path: Path, draft: str) -> None:
    group = omnizarr.create_group(tmp_path / "draft", zarr_format=draft)
    plain_array(
        group, "a", np.arange(6).reshape(2, 3), attributes={"_ARRAY_DIMENSIONS": ["x", "y"], "u": "m"}
    )
    dataset = xr.open_dataset(tmp_path / "draft", engine=ENGINE)
    assert dataset["a"].dims == ("x", "y")
    assert dataset["a"].attrs == {"u": "m"}
    assert dataset["a"].values.tolist() == [[0, 1, 2], [3, 4, 5]]


def make_nczarr(place: Any, **options: Any) -> None:
    with nc.Dataset(place, "w", **options) as root:
        root.title = "stations"
        root.createDimension("time", None)
        root.createDimension("x", 3)
        root.createDimension("letters", 4)
        time = root.createVariable("time", "f8", ("time",))
        time.units = "days since 2000-01-01"
        time[:] = [0, 1]
        packed = root.createVariable("t", "i2", ("time", "x"), fill_value=-9, zlib=True)
        packed.scale_factor = 0.5
        packed[:] = np.ma.masked_array([[1, 2, 3], [4, 5, 6]], [[0, 0, 1], [0, 0, 0]])
        names = root.createVariable("name", str, ("x",))
        names[:] = np.array(["a", "bb", "ccc"], object)
        root.createVariable("code", "S1", ("x", "letters"))[:] = np.array(
            [list("abcd"), list("efgh"), list("ijkl")]
        )
        clouds = root.createEnumType("u1", "cloud_t", {"clear": 0, "dense": 1})
        root.createVariable("cloud", clouds, ("x",))[:] = [0, 1, 0]
        root.createVariable("scalar", "i4")[...] = 7
        inner = root.createGroup("inner")
        inner.createVariable("y", "f4", ("time", "x"))[:] = np.ones((2, 3))
        inner.setncattr("version", np.int32(2))


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_nczarr_is_read_by_its_notes(tmp_path: Path, zarr_format: int) -> None:
    place = str(tmp_path / "data.zarr")
    make_nczarr(place, zarr_format=zarr_format)
    dataset = xr.open_dataset(place, engine=ENGINE)
    assert dataset.attrs == {"title": "stations"}
    assert dataset.encoding["unlimited_dims"] == {"time"}
    assert dataset["time"].dtype == "M8[ns]"
    assert dataset["t"].dims == ("time", "x")
    assert dataset["t"].values.tolist()[1] == [4, 5, 6]
    assert np.isnan(dataset["t"].values[0, 2])
    assert dataset["name"].values.tolist() == ["a", "bb", "ccc"]
    assert dataset["code"].values.tolist() == [b"abcd", b"efgh", b"ijkl"]
    assert dataset["cloud"].encoding["dtype"].metadata["enum"] == {"clear": 0, "dense": 1}
    assert dataset["scalar"].values.tolist() == 7
    assert "level" in str(dataset["t"].encoding["compressors"])


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_groups_of_nczarr_have_the_dimensions_of_those_above(tmp_path: Path, zarr_format: int) -> None:
    place = str(tmp_path / "data.zarr")
    make_nczarr(place, zarr_format=zarr_format)
    tree = xr.open_datatree(place, engine=ENGINE)
    assert set(tree.groups) == {"/", "/inner"}
    assert tree["inner"]["y"].dims == ("time", "x")
    inner = xr.open_dataset(place, engine=ENGINE, group="inner")
    assert inner["y"].dims == ("time", "x")
    assert inner.attrs == {"version": 2}
    assert inner.attrs["version"].dtype == "i4"
    assert set(xr.open_groups(place, engine=ENGINE, group="inner")) == {"/"}
    with pytest.raises(FileNotFoundError, match="no such group"):
        xr.open_dataset(place, engine=ENGINE, group="outer")


def test_a_url_says_how_to_read(tmp_path: Path) -> None:
    make_nczarr(str(tmp_path / "data.zarr"))
    url = f"{(tmp_path / 'data.zarr').as_uri()}#mode=zarr"
    assert "time" in xr.open_dataset(url, engine=ENGINE).variables
    assert OmnizarrBackendEntrypoint().guess_can_open(url)


def test_what_can_be_opened_is_told_without_reading(tmp_path: Path) -> None:
    guess = OmnizarrBackendEntrypoint().guess_can_open
    omnizarr.create_group(tmp_path / "unnamed")
    (tmp_path / "other").mkdir()
    assert guess(tmp_path / "unnamed")
    assert guess("s3://bucket/data.zarr")
    assert guess("/data/run.zarr/")
    assert guess("file:///data/run#mode=nczarr,file")
    assert not guess(tmp_path / "other")
    assert not guess("/data/run.nc")
    assert not guess(7)
    assert xr.open_dataset(tmp_path / "unnamed").sizes == {}  # by the guess


def test_a_broken_array_may_be_dropped(tmp_path: Path) -> None:
    group = omnizarr.create_group(tmp_path / "a.zarr")
    plain_array(group, "good", [1], dimension_names=("x",))
    plain_array(group, "bad", [1])
    (tmp_path / "a.zarr/bad/zarr.json").write_text('{"zarr_format": 3, "node_type": "array"}')
    with pytest.raises(omnizarr.errors.MetadataError, match="bad"):
        xr.open_dataset(tmp_path / "a.zarr", engine=ENGINE)
    assert list(xr.open_dataset(tmp_path / "a.zarr", engine=ENGINE, drop_variables="bad")) == ["good"]


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        xr.open_dataset(tmp_path / "nothing.zarr", engine=ENGINE)
    plain_array(omnizarr.create_group(tmp_path / "a.zarr"), "v", [1])
    with pytest.raises(TypeError, match="found an array"):
        xr.open_dataset(tmp_path / "a.zarr", engine=ENGINE, group="v")
    with pytest.raises(FileNotFoundError):
        xr.open_dataset(tmp_path / "a.zarr", engine=ENGINE, group="g")


def test_credentials_are_not_kept(tmp_path: Path) -> None:
    url = f"{(tmp_path / 'a.zarr').as_uri()}#aws.secret_access_key=abc"
    write(xr.Dataset({"a": 1}), tmp_path / "a.zarr")
    dataset = xr.open_dataset(url, engine=ENGINE)
    assert "abc" not in str(dataset.encoding)
    assert "a.zarr" in dataset.encoding["source"]


# --- selections


@pytest.fixture(scope="module")
def counted() -> tuple[CountingStore, xr.Dataset, np.ndarray[Any, Any]]:
    store = CountingStore(MemoryStore())
    data = np.arange(8 * 6 * 5).reshape(8, 6, 5)
    group = omnizarr.create_group(store)
    group.create_array("v", data=data, chunks=(2, 3, 5), dimension_names=("t", "y", "x"))
    return store, xr.open_dataset(group, engine=ENGINE, cache=False), data  # type: ignore[arg-type]


SELECTIONS: dict[str, dict[str, Any]] = {
    "point": {"t": 3, "y": 2, "x": 1},
    "negative": {"t": -1, "x": -2},
    "steps": {"t": slice(None, None, 3), "y": slice(1, 5, 2)},
    "backwards": {"t": slice(None, None, -1), "x": slice(4, 0, -2)},
    "outer": {"t": [5, 1, 1], "x": [0, 4]},
    "outer and slice": {"t": [7, 0], "y": slice(2, 4)},
    "points": {"t": xr.DataArray([1, 7, 1], dims="p"), "y": xr.DataArray([0, 5, 2], dims="p")},
    "points apart": {"t": xr.DataArray([1, 7], dims="p"), "x": xr.DataArray([0, 4], dims="p")},
    "points of the last axes": {"y": xr.DataArray([1, 5], dims="p"), "x": xr.DataArray([0, 4], dims="p")},
    "two-dimensional points": {
        "y": xr.DataArray([[1, 5], [0, 0]], dims=("p", "q")),
        "x": xr.DataArray([[0, 4], [1, 2]], dims=("p", "q")),
    },
    "points in one axis": {"y": xr.DataArray([[1, 5], [0, 0]], dims=("p", "q"))},
    "points and steps": {
        "t": slice(6, None, -2),
        "y": xr.DataArray([1, 5], dims="p"),
        "x": xr.DataArray([0, 4], dims="p"),
    },
    "nothing": {"t": slice(0, 0)},
    "no points": {
        "t": xr.DataArray(np.zeros(0, int), dims="p"),
        "y": xr.DataArray(np.zeros(0, int), dims="p"),
    },
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_selections_are_those_of_memory(name: str, counted: Any) -> None:
    _, dataset, data = counted
    expected = xr.DataArray(data, dims=("t", "y", "x")).isel(SELECTIONS[name])
    found = dataset["v"].isel(SELECTIONS[name])
    assert found.dims == expected.dims
    assert np.array_equal(found.values, expected.values)


@pytest.mark.parametrize("name", ["points", "points of the last axes", "outer", "points and steps"])
def test_selections_of_selections(name: str, counted: Any) -> None:
    _, dataset, data = counted
    expected = xr.DataArray(data, dims=("t", "y", "x")).isel(t=slice(None, None, -1)).isel(SELECTIONS[name])
    found = dataset["v"].isel(t=slice(None, None, -1)).isel(SELECTIONS[name])
    assert np.array_equal(found.values, expected.values)


@pytest.mark.parametrize(
    ("name", "chunks"),
    [("point", 1), ("outer", 4), ("points", 2), ("points of the last axes", 8), ("points apart", 4)],
)
def test_only_chunks_that_are_needed_are_read(name: str, chunks: int, counted: Any) -> None:
    store, dataset, _ = counted
    before = sum(store.counts.values())
    _ = dataset["v"].isel(SELECTIONS[name]).values
    after = sum(store.counts.values())
    assert after - before == chunks


def test_points_and_a_whole_axis_are_a_slice() -> None:
    time = np.arange(4).reshape(4, 1)
    points = np.array([[1, 5, 2]])
    found = as_slices((time, points, points))
    assert found is not None
    assert found[0][0] == slice(0, 4, 1)
    assert as_slices((points, points)) is None


def test_many_threads_read_at_once(counted: Any) -> None:
    _, dataset, data = counted
    wrong: list[int] = []

    def read(number: int) -> None:
        if not np.array_equal(dataset["v"].isel(t=number % 8).values, data[number % 8]):
            wrong.append(number)

    threads = [threading.Thread(target=read, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_values_are_awaited(counted: Any) -> None:
    _, dataset, data = counted
    loaded = asyncio.run(dataset["v"].isel(t=[1, 3]).load_async())
    assert np.array_equal(loaded.values, data[[1, 3]])


def test_options_that_there_are_not(tmp_path: Path) -> None:
    write(xr.Dataset({"a": 1}), tmp_path / "a")
    with pytest.raises(TypeError, match="auto_chunk"):
        xr.open_dataset(tmp_path / "a", engine=ENGINE, auto_chunk=True)


def test_a_pickled_dataset_holds_no_data(tmp_path: Path) -> None:
    data = np.zeros((1000, 1000))
    omnizarr.create_array(
        tmp_path / "a.zarr", name="v", data=data, chunks=(100, 1000), dimension_names=("t", "x")
    )
    dataset = xr.open_dataset(tmp_path / "a.zarr", engine=ENGINE, chunks={})
    image = pickle.dumps(dataset["v"])
    assert len(image) < 20_000
    assert np.array_equal(pickle.loads(image).values, data)


def test_chunks_that_are_worth_reading_at_once(tmp_path: Path) -> None:
    group = omnizarr.create_group(tmp_path / "a.zarr")
    plain_array(group, "sharded", np.zeros((8, 8)), chunks=(2, 2), shards=(4, 8), dimension_names=("t", "x"))
    plain_array(group, "uneven", np.zeros((8, 8)), chunks=([3, 5], 4), dimension_names=("t", "x"))
    plain_array(group, "longer", np.zeros((8, 8)), chunks=([3, 2, 9], 5), dimension_names=("t", "x"))
    dataset = xr.open_dataset(tmp_path / "a.zarr", engine=ENGINE, chunks={})
    assert dataset["sharded"].chunks == ((4, 4), (8,))
    assert dataset["sharded"].encoding["chunks"] == (2, 2)
    assert dataset["uneven"].chunks == ((3, 5), (4, 4))
    assert dataset["longer"].chunks == ((3, 2, 3), (5, 3))


def test_many_datasets_are_one(tmp_path: Path) -> None:
    for number in range(3):
        part = xr.Dataset({"v": ("t", np.arange(4.0) + 4 * number)}, coords={"t": np.arange(4) + 4 * number})
        part.omnizarr.write(tmp_path / f"{number}.zarr")
    whole = xr.open_mfdataset([tmp_path / f"{number}.zarr" for number in range(3)], engine=ENGINE)
    assert whole["v"].values.tolist() == list(range(12))
    whole.close()


def test_without_xarray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(sys.modules):
        if name.startswith("omnizarr.integrations.xarray"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ImportError, match=r'package xarray, .* \(pip install "omnizarr\[xarray\]"\)'):
        import_module("omnizarr.integrations.xarray")
