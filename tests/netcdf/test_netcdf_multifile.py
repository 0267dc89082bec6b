"""Datasets joined: the same as netCDF4-python's MFDataset of files with the same content."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from omnizarr import netcdf
from omnizarr.errors import OmniZarrError

LENGTHS = (3, 5, 1, 4)
TOTAL = sum(LENGTHS)
BOUNDED = settings(
    max_examples=50,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def fill(dataset: Any, number: int, length: int) -> None:
    """Write one of the datasets."""
    rng = np.random.default_rng(number)
    dataset.title = f"number {number}"
    dataset.createDimension("time", None)
    dataset.createDimension("x", 4)
    time = dataset.createVariable("time", "i4", ("time",))
    time.units, time.calendar = f"days since 2000-0{number + 1}-01", "standard"
    time[:] = np.arange(length)
    heat = dataset.createVariable("heat", "f4", ("time", "x"), fill_value=-1)
    heat.units = "K"
    values = rng.integers(0, 100, (length, 4)).astype("f4")
    heat[:] = np.ma.masked_where((values < 20) & (number != 1), values)
    packed = dataset.createVariable("packed", "i2", ("time",))
    packed.scale_factor, packed.add_offset = 0.5, float(number)
    packed[:] = rng.integers(0, 50, length) * 0.5 + number
    names = dataset.createVariable("names", "S1", ("time", "x"))
    names._Encoding = "utf-8"
    names[:] = np.array([f"n{number}"] * length, "U4")
    dataset.createVariable("x", "i4", ("x",))[:] = np.arange(4) + number
    dataset.createVariable("scalar", "i4", ())[...] = number


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with datasets of ours, and files of netCDF4's with the same content."""
    folder = tmp_path_factory.mktemp("joined")
    for number, length in enumerate(LENGTHS):
        with netcdf.Dataset(str(folder / f"part{number}.zarr"), "w") as ours:
            fill(ours, number, length)
        with netCDF4.Dataset(folder / f"part{number}.nc", "w", format="NETCDF4_CLASSIC") as theirs:
            fill(theirs, number, length)
    return folder


@pytest.fixture(scope="module")
def both(places: Path) -> Iterator[tuple[Any, Any]]:
    """Ours and netCDF4's, joined."""
    ours, theirs = netcdf.MFDataset(str(places / "part*.zarr")), netCDF4.MFDataset(str(places / "part*.nc"))
    yield ours, theirs
    ours.close()
    theirs.close()


def same(ours: Any, theirs: Any) -> None:
    assert np.ma.isMaskedArray(ours) == np.ma.isMaskedArray(theirs)
    assert np.shape(ours) == np.shape(theirs)
    assert np.asarray(ours).dtype == np.asarray(theirs).dtype
    assert np.array_equal(np.ma.getmaskarray(ours), np.ma.getmaskarray(theirs))
    assert np.ma.asarray(ours).tolist() == np.ma.asarray(theirs).tolist()


def test_what_it_is(both: tuple[Any, Any]) -> None:
    ours, theirs = both
    assert isinstance(ours, netcdf.Dataset)
    assert ours.isopen() is theirs.isopen() is True
    assert list(ours.variables) == list(theirs.variables)
    assert ours.ncattrs() == theirs.ncattrs()
    assert ours.title == theirs.title == "number 0"
    assert ours.data_model == ["NETCDF4"] * len(LENGTHS)
    assert len(ours.disk_format) == len(ours.file_format) == len(theirs.file_format)
    for name, dimension in theirs.dimensions.items():
        assert len(ours.dimensions[name]) == len(dimension)
        assert ours.dimensions[name].isunlimited() == dimension.isunlimited()
    for name, variable in theirs.variables.items():
        found = ours.variables[name]
        assert (found.shape, found.ndim, found.dtype) == (variable.shape, variable.ndim, variable.dtype)
        assert (found.dimensions, found.name) == (variable.dimensions, variable.name)
        assert found.ncattrs() == variable.ncattrs()
        assert [getattr(found, n) for n in found.ncattrs()] == [getattr(variable, n) for n in found.ncattrs()]
    assert ours["heat"] is ours.variables["heat"]
    assert [v.name for v in ours.get_variables_by_attributes(units="K")] == ["heat"]
    assert len(ours["heat"]) == TOTAL
    assert ours["heat"].size == TOTAL * 4
    assert ours["heat"].group() is ours
    assert "units: K" in repr(ours["heat"])
    assert "heat" in repr(ours)
    with pytest.raises(AttributeError):
        ours["heat"].nothing  # noqa: B018


@pytest.mark.parametrize("name", ["time", "heat", "packed", "x", "scalar"])
def test_whole_variables(both: tuple[Any, Any], name: str) -> None:
    same(both[0][name][...], both[1][name][...])
    same(np.asarray(both[0][name]), np.asarray(both[1][name][...]))


def test_characters_as_strings(both: tuple[Any, Any]) -> None:
    expected = [f"n{number}" for number, length in enumerate(LENGTHS) for _ in range(length)]
    assert both[0]["names"][:].tolist() == expected
    assert both[0]["names"][::-4].tolist() == expected[::-4]


RECORDS = st.one_of(
    st.integers(0, TOTAL - 1),
    st.integers(-TOTAL, -1),
    st.slices(TOTAL).filter(lambda s: s.step is None or s.step > 0),
    st.lists(st.integers(0, TOTAL - 1), min_size=1, max_size=6, unique=True).map(sorted),
    st.lists(st.booleans(), min_size=TOTAL, max_size=TOTAL).filter(any).map(np.array),
)
COLUMNS = st.one_of(
    st.just(slice(None)), st.integers(0, 3), st.just(slice(1, 4, 2)), st.just([0, 2]), st.just(slice(3, 1))
)


@given(records=RECORDS, columns=COLUMNS)
@BOUNDED
def test_selections_as_netcdf4_has_them(both: tuple[Any, Any], records: Any, columns: Any) -> None:
    ours, theirs = both
    same(ours["packed"][records], theirs["packed"][records])
    if np.size(np.arange(TOTAL)[records]) and np.size(np.arange(4)[columns]):
        same(ours["heat"][records, columns], theirs["heat"][records, columns])


@given(
    records=st.one_of(
        st.integers(-TOTAL, TOTAL - 1),
        st.slices(TOTAL),
        st.lists(st.integers(-TOTAL, TOTAL - 1), max_size=8),
        st.lists(st.booleans(), min_size=TOTAL, max_size=TOTAL),
    ),
    columns=COLUMNS,
)
@BOUNDED
def test_selections_as_numpy_has_them(both: tuple[Any, Any], records: Any, columns: Any) -> None:
    variable = both[0]["heat"]
    if isinstance(records, list):
        records = np.array(records, bool if records and isinstance(records[0], bool) else int)
    found, expected = variable[records, columns], variable[...][records][..., columns]
    if np.ndim(expected):
        same(np.ma.asarray(found), np.ma.asarray(expected))
    else:
        assert found is np.ma.masked if np.ma.getmaskarray(expected) else found == expected


@pytest.mark.parametrize(
    "switch", ["set_auto_mask", "set_auto_scale", "set_auto_maskandscale", "set_auto_chartostring"]
)
def test_switches(places: Path, switch: str) -> None:
    for on_dataset in (True, False):
        with (
            netcdf.MFDataset(str(places / "part*.zarr")) as ours,
            netCDF4.MFDataset(str(places / "part*.nc")) as theirs,
        ):
            for dataset in (ours, theirs):
                for holder in [dataset] if on_dataset else [dataset[n] for n in ("heat", "packed", "names")]:
                    getattr(holder, switch)(False)
            # netCDF4-python cannot join strings of characters, only the characters.
            for name in ("heat", "packed", "x", *(["names"] if switch == "set_auto_chartostring" else [])):
                same(ours[name][...], theirs[name][...])


def test_nothing_but_what_is_asked_for_is_read(places: Path) -> None:
    stores: list[dict[str, bytes]] = []
    for number in range(3):
        stores.append({})
        with netcdf.Dataset(stores[-1], "w") as dataset:
            fill(dataset, number, 2)
    for key in [key for key in stores[2] if key.startswith("heat/") and key[-1].isdigit()]:
        stores[2][key] = b"damaged"
    with netcdf.MFDataset(stores) as joined:
        joined["heat"][:4]
        with pytest.raises(OmniZarrError):
            joined["heat"][4]


def test_lists_and_globs(places: Path) -> None:
    paths = [places / f"part{number}.zarr" for number in range(len(LENGTHS))]
    urls = [f"file://{path}#mode=nczarr,file" for path in paths]
    for files in (paths, urls, str(places / "*.zarr"), f"file://{places}/*.zarr#mode=nczarr,file"):
        with netcdf.MFDataset(files) as joined:
            assert joined["time"].shape == (TOTAL,)
    with netcdf.MFDataset(paths[::-1], master_file=paths[1], exclude=["packed"]) as joined:
        assert joined.title == "number 1"
        assert joined["heat"].shape == (TOTAL, 4)
        assert joined["packed"].shape == (LENGTHS[1],)
        assert joined["time"][:4].tolist() == [0, 1, 2, 3]
    assert not joined.isopen()


def test_joined_along_a_fixed_dimension() -> None:
    stores: list[dict[str, bytes]] = [{}, {}]
    for number, store in enumerate(stores):
        with netcdf.Dataset(store, "w") as dataset:
            dataset.createDimension("y", 3)
            dataset.createVariable("v", "i4", ("y",))[:] = np.arange(3) + 10 * number
            dataset.createVariable("text", str, ("y",))[:] = np.array([f"t{number}"] * 3, object)
    with netcdf.MFDataset(stores, aggdim="y") as joined:
        assert joined["v"][:].tolist() == [0, 1, 2, 10, 11, 12]
        assert joined["text"][2:4].tolist() == ["t0", "t1"]
        assert joined.dimensions["y"].isunlimited()
    with pytest.raises(OSError, match="no unlimited dimension"):
        netcdf.MFDataset(stores)


def test_what_cannot_be_joined(places: Path) -> None:
    with pytest.raises(OSError, match="no files"):
        netcdf.MFDataset(str(places / "nothing*.zarr"))
    with pytest.raises(ValueError, match="URLs"):
        netcdf.MFDataset("http://localhost/part*.zarr")
    with pytest.raises(ValueError, match="master_file"):
        netcdf.MFDataset([str(places / "part0.zarr")], master_file="other")
    with pytest.raises(OSError, match="'z'"):
        netcdf.MFDataset(str(places / "*.zarr"), aggdim="z")
    with pytest.raises(OSError, match="no variables"):
        netcdf.MFDataset(str(places / "*.zarr"), exclude=["time", "heat", "packed", "names"])
    with netcdf.MFDataset(str(places / "*.zarr")) as joined:
        with pytest.raises(IndexError):
            joined["heat"][TOTAL]
        with pytest.raises(IndexError):
            joined["heat"][[True, False]]
        with pytest.raises(OSError):
            joined.createDimension("z", 3)
        with pytest.raises(TypeError):
            pickle.dumps(joined)


@pytest.mark.parametrize(
    ("definition", "match"),
    [
        ({"datatype": "f8"}, "dtype"),
        ({"dimensions": ("time",)}, "dimensions"),
        ({"size": 5}, "shape"),
        ({"name": "other"}, "no variable"),
        ({"unlimited": "record"}, "dimensions"),
    ],
)
def test_checked(definition: dict[str, Any], match: str) -> None:
    stores: list[dict[str, bytes]] = [{}, {}]
    for store, asked in zip(stores, ({}, definition), strict=True):
        with netcdf.Dataset(store, "w") as dataset:
            record = asked.get("unlimited", "time")
            dataset.createDimension("time", None)
            dataset.createDimension("record", None)
            dataset.createDimension("x", asked.get("size", 4))
            dataset.createVariable(
                asked.get("name", "v"),
                asked.get("datatype", "f4"),
                asked.get("dimensions", (record, "x")),
            )
    with pytest.raises(OSError, match=match):
        netcdf.MFDataset(stores, check=True, aggdim="time")


# --- times


def test_times_in_one_unit(both: tuple[Any, Any]) -> None:
    ours, theirs = (module.MFTime(d["time"]) for module, d in zip((netcdf, netCDF4), both, strict=True))
    assert (ours.units, ours.calendar, len(ours)) == (theirs.units, theirs.calendar, len(theirs))
    for key in (slice(None), slice(2, None, 3), 0, -1, [1, 4, 9], np.arange(TOTAL) % 2 == 0):
        same(ours[key], theirs[key])
    assert ours[::-1].tolist() == theirs[:].tolist()[::-1]
    dates = netcdf.num2date(ours[:], ours.units, ours.calendar)
    assert netcdf.date2index(dates[5], ours) == 5


def test_times_in_another_unit(both: tuple[Any, Any]) -> None:
    ours, theirs = (
        module.MFTime(d["time"], "days since 1999-12-31", "noleap")
        for module, d in zip((netcdf, netCDF4), both, strict=True)
    )
    same(ours[:], theirs[:])
    # netCDF4-python takes all units for the same, and is wrong about these.
    hours = netcdf.MFTime(both[0]["time"], "hours since 2000-01-01")
    assert hours[:].tolist() == [24 * day for day in netcdf.MFTime(both[0]["time"])[:].tolist()]
    half = netcdf.MFTime(both[0]["time"], "days since 1999-12-31 12:00")
    assert half[:2].tolist() == [0.5, 1.5]


def test_calendars_must_agree() -> None:
    stores: list[dict[str, bytes]] = [{}, {}]
    for store, calendar in zip(stores, ("standard", "noleap"), strict=True):
        with netcdf.Dataset(store, "w") as dataset:
            dataset.createDimension("time", None)
            time = dataset.createVariable("time", "f8", ("time",))
            time.units, time.calendar = "days since 2000-01-01", calendar
            time[:] = [0, 0.5]
            dataset.createVariable("other", "f8", ("time",)).units = "days since 2000-01-01"
    with netcdf.MFDataset(stores) as joined:
        with pytest.raises(ValueError, match="several calendars"):
            netcdf.MFTime(joined["time"])
        with pytest.raises(ValueError, match="no calendar"):
            netcdf.MFTime(joined["other"])
        assert netcdf.MFTime(joined["time"], calendar="standard")[:].tolist() == [0, 0.5, 0, 0.5]


def test_closing_closes_all(places: Path) -> None:
    joined = netcdf.MFDataset(str(places / "*.zarr"))
    variable = joined["heat"]
    joined.close()
    joined.close()
    assert not joined.isopen()
    with pytest.raises(OSError):
        variable[-1]
