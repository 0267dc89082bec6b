"""`write`: what it stores, what it refuses, and that nothing is stored by what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cftime
import dask
import netCDF4
import numpy as np
import pytest
import xarray as xr

import omnizarr
import omnizarr.netcdf
from omnizarr.integrations.xarray import write

ENGINE = "omnizarr"


def opened(place: Any, **options: Any) -> xr.Dataset:
    return xr.open_dataset(place, engine=ENGINE, **options)


def sample() -> xr.Dataset:
    times = np.array(["2000-01-01", "2000-01-02T12", "NaT"], "M8[ns]")
    days = xr.date_range("2001-02-27", periods=3, calendar="noleap", use_cftime=True)
    return xr.Dataset(
        {
            "t": (("time", "x"), np.array([[1.5, np.nan], [2, 3], [4, 5]]), {"units": "K", "n": np.int16(3)}),
            "days": ("time", np.array(days)),
            "when": ("time", times),
            "span": ("time", np.array([1, 2, 3], "m8[s]").astype("m8[ns]")),
            "ok": ("time", np.array([True, False, True])),
            "text": ("time", np.array(["a", "", "größe"], object)),
            "fixed": ("time", np.array(["ab", "c", ""])),
            "raw": ("time", np.array([b"ab", b"c", b""])),
            "count": ("x", np.array([1, 2], "u2")),
            "scalar": ((), 3.5),
            "empty": ("none", np.zeros(0)),
        },
        coords={"time": [10, 20, 30], "label": ("x", ["p", "q"])},
        attrs={"title": "sample", "levels": np.array([1, 2])},
    )


PLACES = {
    "xarray 2": {"zarr_format": 2},
    "xarray 3": {"zarr_format": 3},
    "nczarr 2": {"dialect": "nczarr", "zarr_format": 2},
    "nczarr 3": {"dialect": "nczarr", "zarr_format": 3},
}


@pytest.mark.parametrize("place", PLACES)
def test_what_is_written_is_read(place: str, tmp_path: Path) -> None:
    dataset = sample()
    if "nczarr" in place:
        dataset = dataset.drop_vars("empty")  # NCZarr takes dimensions of length 0 for unlimited ones
    write(dataset, tmp_path / "a.zarr", **PLACES[place])
    found = opened(tmp_path / "a.zarr")
    xr.testing.assert_identical(found.load(), dataset.assign_attrs(levels=found.attrs["levels"]))
    assert list(np.asarray(found.attrs["levels"])) == [1, 2]


@pytest.mark.parametrize("place", PLACES)
def test_a_round_trip_gives_identical_storage(place: str, tmp_path: Path) -> None:
    dataset = sample().drop_vars(["empty"])
    dataset["t"].encoding = {"chunks": (2, 1), "dtype": "i2", "scale_factor": 0.5, "_FillValue": -1}
    write(dataset, tmp_path / "first", **PLACES[place])
    # xarray spells units of time in its own way, once
    write(opened(tmp_path / "first"), tmp_path / "a", **PLACES[place])
    write(opened(tmp_path / "a"), tmp_path / "b", **PLACES[place])
    names = [path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file()]
    assert len(names) > 12
    stored = {name: [(tmp_path / place / name).read_bytes() for place in "ab"] for name in names}
    assert [name for name, (a, b) in stored.items() if a != b] == []


def test_netcdf_c_reads_what_is_written_as_nczarr(tmp_path: Path) -> None:
    dataset = sample().drop_vars(["empty", "text"])
    dataset.encoding["unlimited_dims"] = {"time"}
    dataset["t"].encoding = {"zlib": True, "complevel": 3, "chunksizes": (1, 2)}
    write(dataset, tmp_path / "a", dialect="nczarr")
    with netCDF4.Dataset(f"{(tmp_path / 'a').as_uri()}#mode=nczarr,file") as found:
        assert found.dimensions["time"].isunlimited()
        assert found["t"].filters()["zlib"]
        assert found["t"].chunking() == [1, 2]
        assert found["t"][2].tolist() == [4, 5]
        assert found["fixed"][:].tolist() == ["ab", "c", ""]


@pytest.mark.parametrize("place", PLACES)
def test_appending_along_a_dimension(place: str, tmp_path: Path) -> None:
    first = xr.Dataset({"v": (("t", "x"), np.arange(4.0).reshape(2, 2)), "k": ("x", [7, 8])}, {"t": [0, 1]})
    first.encoding["unlimited_dims"] = {"t"}
    second = first.assign_coords(t=[2, 3]) + 10
    write(first, tmp_path / "a", **PLACES[place])
    write(second.chunk(t=2), tmp_path / "a", append_dim="t", **PLACES[place])
    expected = xr.concat([first[["v"]], second[["v"]]], "t").assign(k=second["k"])
    xr.testing.assert_identical(opened(tmp_path / "a").load(), expected)
    consolidated = (
        xr.open_dataset(tmp_path / "a", engine=ENGINE, consolidated=True) if "xarray" in place else None
    )
    assert consolidated is None or consolidated.sizes["t"] == 4


@pytest.mark.parametrize("place", PLACES)
def test_regions(place: str, tmp_path: Path) -> None:
    whole = xr.Dataset({"v": (("t", "x"), np.zeros((4, 2)))}, {"t": [0, 1, 2, 3]})
    write(whole, tmp_path / "a", **PLACES[place])
    part = xr.Dataset({"v": (("t", "x"), np.ones((2, 2)))}, {"t": [1, 2]})
    write(part.drop_vars("t"), tmp_path / "a", region={"t": slice(2, 4)}, **PLACES[place])
    assert opened(tmp_path / "a")["v"][:, 0].values.tolist() == [0, 0, 1, 1]
    write(part * 2, tmp_path / "a", region="auto", **PLACES[place])
    assert opened(tmp_path / "a")["v"][:, 0].values.tolist() == [0, 2, 2, 1]
    with pytest.raises(KeyError, match="Not all values"):
        write(part.assign_coords(t=[3, 4]), tmp_path / "a", region="auto", **PLACES[place])
    with pytest.raises(ValueError, match="non-contiguous"):
        write(part.assign_coords(t=[0, 2]), tmp_path / "a", region="auto", **PLACES[place])


def test_two_dask_chunks_in_one_stored_chunk_are_refused(tmp_path: Path) -> None:
    dataset = xr.Dataset({"v": ("t", np.arange(12))}).chunk(t=3)
    said = {"v": {"chunks": (4,)}}
    with pytest.raises(ValueError, match=r"'v'.* at 3 of axis 0 lies within the chunk from 0 to 4"):
        write(dataset, tmp_path / "a", encoding=said)
    assert not (tmp_path / "a").exists()
    write(dataset, tmp_path / "a", encoding=said, align_chunks=True)
    write(dataset, tmp_path / "b", encoding=said, safe_chunks=False)
    for name in "ab":
        assert opened(tmp_path / name)["v"].values.tolist() == list(range(12))


def test_dask_chunks_and_shards(tmp_path: Path) -> None:
    dataset = xr.Dataset({"v": ("t", np.arange(12))}).chunk(t=3)
    with pytest.raises(ValueError, match="lies within the chunk from 0 to 6"):
        write(dataset, tmp_path / "a", encoding={"v": {"chunks": (3,), "shards": (6,)}})
    write(dataset.chunk(t=6), tmp_path / "a", encoding={"v": {"chunks": (3,), "shards": (6,)}})
    assert opened(tmp_path / "a")["v"].encoding["shards"] == (6,)


def test_appended_blocks_start_within_a_chunk(tmp_path: Path) -> None:
    write(xr.Dataset({"v": ("t", np.arange(5))}), tmp_path / "a", encoding={"v": {"chunks": (4,)}})
    with pytest.raises(ValueError, match="lies within"):
        write(xr.Dataset({"v": ("t", np.arange(8))}).chunk(t=4), tmp_path / "a", append_dim="t")
    assert opened(tmp_path / "a").sizes == {"t": 5}  # nothing grew
    write(xr.Dataset({"v": ("t", np.arange(8))}).chunk(t=(3, 4, 1)), tmp_path / "a", append_dim="t")
    assert opened(tmp_path / "a")["v"].values.tolist() == [*range(5), *range(8)]


@pytest.mark.parametrize(
    ("dataset", "options", "error", "message"),
    [
        (xr.Dataset({"v": ("t", [1, 2])}), {"append_dim": "z"}, ValueError, "does not match any existing"),
        (xr.Dataset({"v": ("u", [1, 2])}), {"append_dim": "t"}, ValueError, "dimension names"),
        (xr.Dataset({"v": ("t", [1, 2, 3])}), {"mode": "a"}, ValueError, "dimension sizes"),
        (xr.Dataset({"w": ("t", [1, 2])}), {"mode": "r+"}, ValueError, "non-pre-existing"),
        (xr.Dataset({"s": ("t", ["long", "x"])}), {"append_dim": "t"}, ValueError, "Mismatched dtypes"),
        (xr.Dataset({"v": ("t", [1, 2])}), {"mode": "w-"}, FileExistsError, "is"),
        (xr.Dataset({"v": ("t", [1, 2])}), {"mode": "x"}, ValueError, "mode"),
        (xr.Dataset({"v": ("t", [1, 2])}), {"mode": "w", "append_dim": "t"}, ValueError, "append_dim"),
        (xr.Dataset({"v": ("t", [1, 2])}), {"mode": "w", "region": "auto"}, ValueError, "region"),
        (xr.Dataset({"v": ("t", [1, 2])}), {"region": {"u": slice(2)}}, ValueError, "region"),
        (xr.Dataset({"v": ("t", [1, 2])}), {"region": {"t": 1}}, TypeError, "slice"),
        (xr.Dataset({"v": ("t", [1])}), {"region": {"t": slice(0, 2, 2)}}, ValueError, "step"),
        (xr.Dataset({"v": ("t", [1, 2]), "k": 1}), {"region": {"t": slice(2)}}, ValueError, "drop_vars"),
        (
            xr.Dataset({"v": ("t", [1, 2])}),
            {"mode": "a", "encoding": {"v": {}}},
            ValueError,
            "already exists",
        ),
        (xr.Dataset({"n": 1}), {"mode": "a", "encoding": {"q": {}}}, KeyError, "no variables"),
        (xr.Dataset({"n": 1}), {"mode": "a", "encoding": {"n": {"zlib": True}}}, ValueError, "zlib"),
        (xr.Dataset({"a/b": 1}), {"mode": "a"}, ValueError, "no /"),
        (xr.Dataset({3: 1}), {"mode": "a"}, TypeError, "string"),
        (xr.Dataset({"n": 1}, attrs={"f": object()}), {"mode": "a"}, TypeError, "'f'"),
        (xr.Dataset({"n": 1}), {"dialect": "hdf5"}, ValueError, "dialect"),
    ],
)
def test_what_does_not_fit_changes_nothing(
    dataset: xr.Dataset, options: Any, error: type[Exception], message: str, tmp_path: Path
) -> None:
    there = xr.Dataset({"v": ("t", [1, 2]), "s": ("t", ["a", "b"]), "k": 1})
    write(there, tmp_path / "a")
    with pytest.raises(error, match=message):
        write(dataset, tmp_path / "a", **options)
    xr.testing.assert_identical(opened(tmp_path / "a").load(), there)


def test_modes(tmp_path: Path) -> None:
    write(xr.Dataset({"a": 1, "b": 2}, attrs={"n": 1}), tmp_path / "z")
    write(xr.Dataset({"b": 3, "c": 4}), tmp_path / "z", mode="a")
    assert {name: int(value) for name, value in opened(tmp_path / "z").items()} == {"a": 1, "b": 3, "c": 4}
    write(xr.Dataset({"d": 5}), tmp_path / "z", mode="w")
    assert list(opened(tmp_path / "z")) == ["d"]
    write(xr.Dataset({"e": 6}), tmp_path / "z", group="inner/most", mode="a")
    assert list(opened(tmp_path / "z", group="inner/most")) == ["e"]
    with pytest.raises(FileNotFoundError):
        write(xr.Dataset({"d": 5}), tmp_path / "nothing", mode="r+")


def test_a_dataset_replaces_itself(tmp_path: Path) -> None:
    write(xr.Dataset({"v": ("t", [1, 2])}), tmp_path / "z")
    write(opened(tmp_path / "z"), tmp_path / "z", mode="w")
    assert opened(tmp_path / "z")["v"].values.tolist() == [1, 2]


def test_variables_without_the_dimension_stay(tmp_path: Path) -> None:
    write(xr.Dataset({"v": ("t", [1]), "k": 1}), tmp_path / "z")
    write(xr.Dataset({"v": ("t", [2]), "k": 9}), tmp_path / "z", mode="a-", append_dim="t")
    found = opened(tmp_path / "z")
    assert (found["v"].values.tolist(), int(found["k"])) == ([1, 2], 1)


def test_later(tmp_path: Path) -> None:
    dataset = xr.Dataset({"v": ("t", np.arange(1, 9)), "k": ("x", [1])}, {"t": np.arange(8)})
    for number, options in enumerate(PLACES.values()):
        place = tmp_path / f"{number}"
        left = write(dataset.chunk(t=4).assign(k=("x", [1])), place, compute=False, **options)
        assert opened(place)["t"].values.tolist() == list(range(8))
        dask.compute(left)
        xr.testing.assert_identical(opened(place).load(), dataset)


def test_a_zip_archive_is_closed(tmp_path: Path) -> None:
    write(sample(), tmp_path / "a.zip")
    assert opened(tmp_path / "a.zip")["scalar"].item() == 3.5
    write(sample().drop_vars("text").chunk(time=3), tmp_path / "b.zip", compute=False).compute()
    assert opened(tmp_path / "b.zip")["t"].values[1].tolist() == [2, 3]


@pytest.mark.parametrize("place", PLACES)
def test_trees(place: str, tmp_path: Path) -> None:
    tree = xr.DataTree.from_dict(
        {
            "/": xr.Dataset({"a": ("x", [1, 2])}, {"x": [10, 20]}, {"title": "root"}),
            "/one": xr.Dataset({"b": ("x", [3.0, 4.0])}),
            "/one/two": xr.Dataset({"c": (("x", "y"), [[1], [2]])}, attrs={"deep": "yes"}),
            "/bare": xr.Dataset(),
        }
    )
    write(tree, tmp_path / "a", **PLACES[place])
    found = xr.open_datatree(tmp_path / "a", engine=ENGINE)
    xr.testing.assert_identical(found.load(), tree)
    assert "x" not in omnizarr.open_group(tmp_path / "a/one", mode="r")


def test_accessors(tmp_path: Path) -> None:
    array = xr.DataArray([1, 2], dims="x", name="v")
    array.omnizarr.write(tmp_path / "a")
    array.to_dataset().omnizarr.write(tmp_path / "d")
    xr.DataTree(array.to_dataset()).omnizarr.write(tmp_path / "t")
    assert all(opened(tmp_path / name)["v"].values.tolist() == [1, 2] for name in "adt")


def test_fill_values_are_kept(tmp_path: Path) -> None:
    dataset = xr.Dataset({"i": ("x", [1, 2]), "f": ("x", [1.0, np.nan])})
    encoding = {"i": {"fill_value": 7}, "f": {"_FillValue": -1.0}}
    write(dataset, tmp_path / "a", encoding=encoding)
    group = omnizarr.open_group(tmp_path / "a", mode="r")
    assert group["i"].metadata.fill_value == 7  # type: ignore[union-attr]
    assert group["f"][:].tolist() == [1.0, -1.0]  # type: ignore[index]
    assert opened(tmp_path / "a")["f"].encoding["_FillValue"] == -1.0
    assert opened(tmp_path / "a")["i"].encoding["fill_value"] == 7


def test_calendars_of_cftime(tmp_path: Path) -> None:
    times = [cftime.Datetime360Day(1, 2, 30), cftime.Datetime360Day(3, 1, 1)]
    dataset = xr.Dataset({"v": ("t", [1, 2])}, {"t": times})
    write(dataset, tmp_path / "a")
    found = opened(tmp_path / "a")
    assert found["t"].values.tolist() == times
    assert found["t"].encoding["calendar"] == "360_day"


def test_a_dataset_of_netcdf_keeps_its_notes(tmp_path: Path) -> None:
    write(xr.Dataset({"v": ("t", [1, 2])}), tmp_path / "a", dialect="nczarr")
    write(xr.Dataset({"w": ("t", [3, 4])}), tmp_path / "a", mode="a")
    write(xr.Dataset({"k": 1}), tmp_path / "a", group="inner")
    with omnizarr.netcdf.Dataset(tmp_path / "a") as found:
        assert found.as_dataset().dialect == "nczarr"
        assert found["w"].dimensions == ("t",)
        assert found["inner/k"][...] == 1
    with pytest.raises(omnizarr.errors.ConversionError, match="'nczarr', found 'xarray'"):
        write(xr.Dataset({"x": 1}), tmp_path / "a", mode="a", dialect="xarray")
    with pytest.raises(ValueError, match="write_empty_chunks"):
        write(xr.Dataset({"x": 1}), tmp_path / "a", mode="a", write_empty_chunks=True)
