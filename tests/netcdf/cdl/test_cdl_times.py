"""Times as dates, against ncdump and by heart."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ncdump_peer import ncdump, needs_ncdump, our_dump

from omnizarr.netcdf.cdl.writing.times import time_unit

UNITS = [
    "days since 1990-01-01",
    "hours since 1582-10-10 12:30",
    "seconds since 1970-01-01T00:00:00",
    "minutes since 2000-2-29 23:59:59.5",
    "weeks since 1-1-1",
    "years since 1850-01-01 06:00",
    "days since 1800-12-31 00:00:00 UTC",
    "hours since 1900",
    "days since -0001-01-01",
    "s since 2001-01-01 12",
    "days since foo",
    "days since 1990-01-01 -6:00",
    "days since 2000-13-45",
    "day since 1582-10-15",
    "days since 1582-10-04 18:00",
    "yr since 4",
    "hours since 1990-01-01 1:2:3Z",
    "days  since  1990-1-1",
    "days since",
    "furlongs since 1990-01-01",
    "hours",
    "",
]
# Of these ncdump 4.9.0 shows garbage where there are no years, having no month to start from.
MONTHS = ["months since 1999-11-30", "seasons since 2000-01-15", "mo since 1500-03-01"]
CALENDARS = [
    None,
    "standard",
    "proleptic_gregorian",
    "noleap",
    "360_day",
    "366_day",
    "julian",
    "all_leap",
    "unheard of",
    "no",
    "none",
    "Gregorian",
]
VALUES = [0, 1, -1, 0.5, 1 / 3, 365.25, 43200, -99999.875, 123456.789, 700000, 59.9999999, 3723.00000001]


def write_times(path: Path, units: list[tuple[str, str | None]], values: Any) -> None:
    with netCDF4.Dataset(path, "w") as made:
        made.createDimension("x", len(values))
        for number, (unit, calendar) in enumerate(units):
            variable = made.createVariable(f"v{number}", "f8", ("x",))
            variable.units = unit
            if calendar is not None:
                variable.calendar = calendar
            variable[:] = values


@needs_ncdump
@pytest.mark.parametrize("option", ["-t", "-i"])
def test_units_and_calendars_as_ncdump_has_them(option: str, tmp_path: Path) -> None:
    path = tmp_path / "a.nc"
    units = list(itertools.product(UNITS, CALENDARS))
    units += [pair for pair in itertools.product(MONTHS, CALENDARS) if pair[1] != "none"]
    write_times(path, units, VALUES)
    assert our_dump(path, option) == ncdump(path, option)


@needs_ncdump
@settings(max_examples=10, deadline=None)
@given(
    values=st.lists(st.one_of(st.integers(-(10**6), 10**6), st.floats(-1e6, 1e6)), min_size=20, max_size=20),
    base=st.dates(),
    step=st.sampled_from(["seconds", "minutes", "hours", "days", "weeks", "months", "seasons", "years"]),
)
def test_any_time_as_ncdump_has_it(
    tmp_path_factory: pytest.TempPathFactory, values: list[float], base: Any, step: str
) -> None:
    path = tmp_path_factory.mktemp("times") / "a.nc"
    calendars = [calendar for calendar in CALENDARS if calendar != "none"]
    write_times(path, [(f"{step} since {base.isoformat()} 05:45:30", c) for c in calendars], values)
    assert our_dump(path, "-t") == ncdump(path, "-t")


@needs_ncdump
def test_attributes_bounds_and_other_types(tmp_path: Path) -> None:
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w") as made:
        made.createDimension("t", None)
        made.createDimension("two", 2)
        for name, kind in (("d", "f8"), ("f", "f4"), ("i", "i4"), ("b", "u1"), ("l", "i8")):
            time = made.createVariable(name, kind, ("t",), fill_value=3)
            time.set_auto_mask(False)
            time.units = "days since 2000-01-01"
            time.actual_range = np.array([0, 5], kind)
            time.one = np.array([1], kind)
            time.many = np.arange(9).astype(kind)
            time.text = "1"
            time[:] = [1, 2, 3, 4]
        made["d"].bounds = "d_bnds"
        made["d"][3] = np.nan
        made["f"][3] = np.inf
        made["d"].odd = np.array([1.5, np.nan, np.inf])
        bounds = made.createVariable("d_bnds", "f8", ("t", "two"))
        bounds[:] = [[0, 1], [1, 2], [2, 3], [3, 4]]
        made.createVariable("c", "S1", ("two",)).units = "days since 2000-01-01"
        inner = made.createGroup("g")
        inner.createVariable("d_bnds", "i4", ("two",))[:] = 7
        inner.createVariable("later_bnds", "i4", ("two",))[:] = 8
        inner.createVariable("s", "f8", ()).setncatts({"units": "hours since 1900-01-01", "bounds": "x"})
        inner["s"][...] = 1.5
    for options in (["-t"], ["-i"], ["-t", "-h"], ["-t", "-l", "30"], ["-t", "-f", "c"], ["-t", "-v", "d"]):
        assert our_dump(path, *options) == ncdump(path, *options), options


@pytest.mark.parametrize(
    ("units", "calendar", "value", "text"),
    [
        ("days since 2000-02-28", "standard", 1, '"2000-02-29"'),
        ("days since 1900-02-28", "standard", 1, '"1900-03-01"'),
        ("days since 1900-02-28", "julian", 1, '"1900-02-29"'),
        ("days since 2000-02-28", "365_day", 1, '"2000-03-01"'),
        ("days since 2001-02-28", "366_day", 1, '"2001-02-29"'),
        ("days since 2001-02-30", "360_day", 1, '"2001-03-01"'),
        # The instant of the change is a day that there never was, as ncdump has it.
        ("days since 1582-10-04", None, 1, '"1582-10-05"'),
        ("days since 1582-10-04", None, 2, '"1582-10-16"'),
        ("days since 1582-10-15", None, -1, '"1582-10-04"'),
        ("days since 1582-10-15", "proleptic_gregorian", -1, '"1582-10-14"'),
        ("hours since 2000-01-01", None, 1.5, '"2000-01-01T01:30"'),
        ("seconds since 2000-01-01", None, 1.25, '"2000-01-01T00:00:1.250000"'),
        ("seconds since 2000-01-01", None, 59.9999999, '"2000-01-01T00:01"'),
        ("months since 2000-01-31", None, 1, '"2000-02-01"'),
        ("years since 2000-06-15", None, 0, '"2000-06-15"'),
        ("days since 1-1-1", None, -367, '"-0001-12-31"'),
        ("days since 01-01", "none", 400, '"02-05"'),
        ("days since 2000-01-01", None, float("nan"), "NaN"),
        ("days since 2000-01-01", None, float("-inf"), "-Infinity"),
    ],
)
def test_times_by_heart(units: str, calendar: str | None, value: float, text: str) -> None:
    unit = time_unit(units, calendar)
    assert unit is not None and unit.spelled(value, "T") == text


@pytest.mark.parametrize("units", ["m", "days", "days since", "since 2000", "fortnights since 2000-01-01"])
def test_what_is_no_time(units: str) -> None:
    assert time_unit(units, None) is None


def test_a_climatology_has_no_years() -> None:
    assert time_unit("years since 01-01", "none") is None
