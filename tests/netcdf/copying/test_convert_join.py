"""Many datasets become one along a dimension: order, agreement, units, chunks that are kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numpy as np
import pytest

from omnizarr import netcdf
from omnizarr.errors import ConversionError
from omnizarr.netcdf import convert
from omnizarr.netcdf.copying import lease
from omnizarr.store import MemoryStore

_UNITS = "days since 2000-01-01"


def _make(path: Path, times: Any, *, change: Callable[[Any], None] | None = None, **options: Any) -> Path:
    """Make a file of fields over time; what is written follows from the time alone."""
    units, code = options.pop("units", _UNITS), options.pop("code", "f8")
    with netCDF4.Dataset(path, "w", **options) as d:
        d.title, d.history = "title", f"made as {path.name}"
        d.createDimension("time", None)
        d.createDimension("x", 6)
        d.createDimension("bounds", 2)
        time = d.createVariable("time", code, ("time",))
        time.units, time.bounds = units, "time_bnds"
        bounds = d.createVariable("time_bnds", code, ("time", "bounds"))
        d.createVariable("x", "f4", ("x",))[:] = np.arange(6)
        chunked = (
            {} if options.get("format", "").startswith("NETCDF3") else {"chunksizes": (2, 6), "zlib": True}
        )
        v = d.createVariable("v", "i4", ("time", "x"), **chunked)
        v.long_name = "values"
        if "format" not in options:
            d.createVariable("name", str, ("time",))[: len(times)] = np.array(
                [f"t{t}" for t in times], object
            )
        d.createVariable("kept", "f8")[...] = 4
        times = np.asarray(times, "f8")
        time[:] = times
        bounds[:] = np.stack([times, times + 1], 1)
        v[:] = _field(times)
        if change is not None:
            change(d)
    return path


def _field(times: Any) -> Any:
    return (np.asarray(times)[:, None] * 10 + np.arange(6)).astype("i4")


def _check(target: Any, times: Any) -> None:
    with netcdf.Dataset(target) as d:
        assert d["time"][...].tolist() == list(times)
        assert d["time"].units == _UNITS
        assert d["time_bnds"][...].tolist() == [[t, t + 1] for t in times]
        assert np.array_equal(d["v"][...], _field(times))
        assert d["x"][...].tolist() == list(range(6))
        assert d["kept"][...] == 4
        assert d.dimensions["time"].isunlimited()


def test_files_are_joined_in_the_order_of_their_coordinate(tmp_path: Path) -> None:
    files = [_make(tmp_path / f"{name}.nc", times) for name, times in (("b", [4, 5, 6]), ("a", [0, 1, 2, 3]))]
    report = convert(files, tmp_path / "out", join="time")
    _check(tmp_path / "out", range(7))
    with netcdf.Dataset(tmp_path / "out") as d:
        assert d["name"][...].tolist() == [f"t{t}" for t in range(7)]
    assert [loss.what for loss in report.losses] == [f"attribute 'history' differs in {files[0].resolve()}"]
    assert convert(files, {}, join="time", variables=["v"]).moved.chunks == 4
    for name, key, start in (("a", "0.0", 0), ("a", "1.0", 2), ("b", "2.0", 0), ("b", "3.0", 2)):
        with h5py.File(tmp_path / f"{name}.nc") as file:
            expected = file["v"].id.read_direct_chunk((start, 0))[1]
        assert (tmp_path / "out" / "v" / key).read_bytes() == expected


def test_chunks_that_lie_across_files_are_encoded(tmp_path: Path) -> None:
    files = [_make(tmp_path / f"{n}.nc", range(n * 3, n * 3 + 3)) for n in range(3)]
    convert(files, tmp_path / "out.nc", join="time")
    with netCDF4.Dataset(tmp_path / "out.nc") as d:
        assert np.array_equal(d["v"][...], _field(np.arange(9)))
        assert d["name"][...].tolist() == [f"t{t}" for t in range(9)]
    # Chunks of two rows: those at 0 and 6 and 8 are the files' own.
    assert convert(files, {}, join="time", variables=["v"]).moved.chunks == 3


def test_more_files_than_are_open_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "_MOST_OPEN", 3)
    files = [_make(tmp_path / f"{n:02}.nc", [n * 2, n * 2 + 1]) for n in range(12)]
    convert(files, tmp_path / "out", join="time")
    _check(tmp_path / "out", range(24))


@pytest.mark.parametrize("form", ["NETCDF3_CLASSIC", "NETCDF4_CLASSIC", "nczarr", "xarray", "mixed"])
def test_sources_of_any_kind(form: str, tmp_path: Path) -> None:
    sources: list[Any] = []
    for number in range(3):
        kind = {"format": form} if form.startswith("NETCDF") else {}
        file = _make(tmp_path / f"{number}.nc", range(number * 4, number * 4 + 4), **kind)
        if form in ("nczarr", "xarray") or (form == "mixed" and number):
            store = MemoryStore()
            convert(file, store, dialect="xarray" if form == "xarray" else "nczarr")
            sources.append(store)
        else:
            sources.append(file)
    if form == "xarray":  # where nothing is unlimited
        report = convert(sources, target := MemoryStore(), join="time")
        with netcdf.Dataset(target) as d:
            assert np.array_equal(d["v"][...], _field(np.arange(12)))
    else:
        report = convert(sources, tmp_path / "out", join="time")
        _check(tmp_path / "out", range(12))
    if not form.startswith("NETCDF3"):
        assert report.moved.chunks >= 6


def test_falling_coordinates(tmp_path: Path) -> None:
    files = [_make(tmp_path / f"{n}.nc", [n * 2 + 1, n * 2]) for n in range(3)]
    convert(files, tmp_path / "out", join="time")
    _check(tmp_path / "out", [5, 4, 3, 2, 1, 0])


def test_empty_files_and_one_file_alone(tmp_path: Path) -> None:
    empty, full = _make(tmp_path / "a.nc", []), _make(tmp_path / "b.nc", [1, 2])
    convert([empty, full], tmp_path / "out", join="time")
    _check(tmp_path / "out", [1, 2])
    convert(full, tmp_path / "one", join="time")
    _check(tmp_path / "one", [1, 2])
    with pytest.raises(ConversionError, match="at least one source"):
        convert([], tmp_path / "none", join="time")


def test_without_a_coordinate_the_order_is_that_of_the_sources(tmp_path: Path) -> None:
    for number, values in enumerate(([5, 6], [1])):
        with netCDF4.Dataset(tmp_path / f"{number}.nc", "w") as d:
            d.createDimension("n", len(values))
            d.createVariable("v", "i2", ("n",))[:] = values
    convert([tmp_path / "0.nc", tmp_path / "1.nc"], tmp_path / "out", join="n")
    with netcdf.Dataset(tmp_path / "out") as d:
        assert d["v"][...].tolist() == [5, 6, 1]


def test_along_an_inner_dimension_of_a_group(tmp_path: Path) -> None:
    for number in range(2):
        with netCDF4.Dataset(tmp_path / f"{number}.nc", "w") as d:
            inner = d.createGroup("g")
            inner.createDimension("y", 3)
            inner.createDimension("n", 4)
            v = inner.createVariable("v", "i2", ("y", "n"), chunksizes=(3, 2), zlib=True)
            v[:] = np.arange(12).reshape(3, 4) + 100 * number
    report = convert([tmp_path / "0.nc", tmp_path / "1.nc"], tmp_path / "out", join="/g/n")
    assert (report.moved.chunks, report.moved.recoded_bytes) == (4, 0)
    with netcdf.Dataset(tmp_path / "out") as d:
        expected = np.concatenate([np.arange(12).reshape(3, 4) + 100 * n for n in range(2)], 1)
        assert np.array_equal(d["g/v"][...], expected)


def test_times_in_other_units_are_changed(tmp_path: Path) -> None:
    first = _make(tmp_path / "a.nc", [0, 1])
    hours = _make(tmp_path / "b.nc", [48, 72], units="hours since 2000-01-01")
    later = _make(tmp_path / "c.nc", [0, 1], units="days since 2000-01-05")
    for file, add in ((hours, None), (later, 4)):
        with netCDF4.Dataset(file, "a") as d:
            times = d["time"][:] / 24 if add is None else d["time"][:] + add
            d["v"][:] = _field(times)
            d["time_bnds"][:] = np.stack([d["time"][:], d["time"][:] + (24 if add is None else 1)], 1)
    convert([first, hours, later], tmp_path / "out", join="time")
    _check(tmp_path / "out", range(6))


def test_times_that_would_not_be_whole_are_refused(tmp_path: Path) -> None:
    first = _make(tmp_path / "a.nc", [0, 1], code="i4")
    hours = _make(tmp_path / "b.nc", [49, 73], code="i4", units="hours since 2000-01-01")
    with pytest.raises(ConversionError, match=r"b\.nc, variable /time: .*no whole numbers"):
        convert([first, hours], tmp_path / "out", join="time")


def _set(name: str, attribute: str, value: Any) -> Callable[[Any], None]:
    return lambda d: d[name].setncattr(attribute, value)


def _other_values(d: Any) -> None:
    d["x"][0] = 7


def _other_scalar(d: Any) -> None:
    d["kept"][...] = 5


def _one_more(d: Any) -> None:
    d.createVariable("more", "i4")


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (_other_values, {}, "the values of /x differ"),
        (_other_scalar, {}, "the values of /kept differ"),
        (_one_more, {}, "variable /more is only in one of them"),
        (_set("v", "units", "K"), {}, "attribute /v:units is 'K', expected none"),
        (_set("v", "scale_factor", 0.5), {}, "attribute /v:scale_factor"),
        (_set("time", "calendar", "noleap"), {}, "do not become each other"),
        (None, {"units": "m"}, "do not become each other"),
        (None, {"units": "months since 2000-01-01"}, "b.nc has time in 'months since"),
        (None, {"code": "f4"}, "variable /time is of type float, expected double"),
    ],
)
def test_what_does_not_agree_is_told_by_name(
    change: Callable[[Any], None] | None, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    first = _make(tmp_path / "a.nc", [0, 1])
    other = _make(tmp_path / "b.nc", [2, 3], change=change, **options)
    with pytest.raises(ConversionError) as raised:
        convert([first, other], tmp_path / "out", join="time")
    assert message in str(raised.value)
    assert "b.nc" in str(raised.value)
    assert not (tmp_path / "out").exists()


def test_overlaps_and_disorder_are_told(tmp_path: Path) -> None:
    a, b = _make(tmp_path / "a.nc", [0, 1, 2]), _make(tmp_path / "b.nc", [2, 3])
    with pytest.raises(ConversionError, match=r"a\.nc ends at 2\.0, and .*b\.nc begins at 2\.0"):
        convert([a, b], {}, join="time")
    c = _make(tmp_path / "c.nc", [5, 7, 6])
    with pytest.raises(ConversionError, match=r"c\.nc: 7\.0 is followed by 6\.0"):
        convert([a, c], {}, join="time")
    with pytest.raises(ConversionError, match="has no dimension 'lat'"):
        convert([a, b], {}, join="lat")


def test_other_attributes_are_losses(tmp_path: Path) -> None:
    a, b = (
        _make(tmp_path / "a.nc", [0]),
        _make(tmp_path / "b.nc", [1], change=_set("v", "long_name", "other")),
    )
    report = convert([a, b], store := MemoryStore(), join="time")
    assert any("/v:long_name is 'other', expected 'values'" in loss.what for loss in report.losses)
    with netcdf.Dataset(store) as d:
        assert d["v"].long_name == "values"
    with pytest.raises(ConversionError, match="long_name"):
        convert([a, b], {}, join="time", strict=True)


def test_what_differs_in_many_files_is_one_loss(tmp_path: Path) -> None:
    files = [_make(tmp_path / f"{number}.nc", [number], change=_set_title) for number in range(4)]
    files[0] = _make(tmp_path / "first.nc", [-1])
    [loss] = [loss for loss in convert(files, {}, join="time").losses if "title" in loss.what]
    assert loss.what == f"attribute 'title' differs in {files[1]} and 2 more"


def _set_title(d: Any) -> None:
    d.title = "other"


def test_chunks_with_other_filters_are_encoded_alike(tmp_path: Path) -> None:
    a, plain = _make(tmp_path / "a.nc", [0, 1]), tmp_path / "b.nc"
    convert(_make(tmp_path / "c.nc", [2, 3]), plain, compressors=())
    assert convert([a, plain], {}, join="time", variables=["v"]).moved.chunks == 1
    convert([a, plain], tmp_path / "out", join="time")
    _check(tmp_path / "out", range(4))


def test_absent_chunks_stay_absent(tmp_path: Path) -> None:
    files = []
    for number in range(2):
        files.append(tmp_path / f"{number}.nc")
        with netCDF4.Dataset(files[-1], "w") as d:
            d.createDimension("n", 4)
            v = d.createVariable("v", "i4", ("n",), chunksizes=(2,), zlib=True, fill_value=9)
            v[2:] = number
    convert(files, tmp_path / "out", join="n")
    assert sorted(p.name for p in (tmp_path / "out" / "v").iterdir() if p.name[0] != ".") == ["1", "3"]
    with netcdf.Dataset(tmp_path / "out") as d:
        d.set_auto_mask(False)
        assert d["v"][...].tolist() == [9, 9, 0, 0, 9, 9, 1, 1]
