"""Times as dates, and dates as places in a variable."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import cftime
import netCDF4
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omnizarr import netcdf
from omnizarr.netcdf.times import steps_of

BOUNDED = settings(max_examples=30, deadline=None, database=None)
UNITS = "hours since 2000-01-01"
DATES = [datetime(2000, 1, 1, 6), datetime(2000, 1, 2, 12)]


@given(
    st.lists(st.integers(-10000, 10000), min_size=1, max_size=5),
    st.sampled_from(("days", "hours", "seconds")),
    st.sampled_from(("standard", "noleap", "360_day", "proleptic_gregorian")),
)
@BOUNDED
def test_there_and_back(numbers: list[int], unit: str, calendar: str) -> None:
    units = f"{unit} since 1990-03-01"
    dates = netcdf.num2date(np.array(numbers), units, calendar)
    assert dates.tolist() == netCDF4.num2date(np.array(numbers), units, calendar).tolist()
    back = netcdf.date2num(dates, units, calendar)
    assert back.tolist() == netCDF4.date2num(dates, units, calendar).tolist() == numbers


def test_what_kind_of_dates() -> None:
    assert isinstance(netcdf.num2date(1, UNITS), cftime.datetime)
    assert isinstance(netcdf.num2date(1, UNITS, only_use_cftime_datetimes=False), cftime.datetime | datetime)
    python = netcdf.num2date(1, UNITS, only_use_cftime_datetimes=False, only_use_python_datetimes=True)
    assert type(python) is datetime or isinstance(python, datetime)
    assert netcdf.date2num(DATES, UNITS, longdouble=True).tolist() == [6, 36]


@pytest.fixture
def times() -> Any:
    """A variable of ours and one of netCDF4's with the same times."""
    with netcdf.Dataset({}, "w") as ours, netCDF4.Dataset("t.nc", "w", diskless=True) as theirs:
        for dataset in (ours, theirs):
            dataset.createDimension("time", None)
            variable = dataset.createVariable("time", "f8", ("time",))
            variable.units, variable.calendar = UNITS, "standard"
            variable[:] = np.arange(0, 240, 6.0)
        yield ours["time"], theirs["time"]


@pytest.mark.parametrize("select", ["exact", "before", "after", "nearest"])
def test_places_of_dates(times: Any, select: str) -> None:
    ours, theirs = times
    for dates in (DATES, DATES[0], np.array(DATES)):
        found = netcdf.date2index(dates, ours, select=select)
        assert np.array_equal(found, netCDF4.date2index(dates, theirs, select=select))


@pytest.mark.parametrize("select", ["before", "after", "nearest"])
def test_places_of_dates_between(times: Any, select: str) -> None:
    ours, theirs = times
    dates = [datetime(2000, 1, 1, 7), datetime(2000, 1, 3, 5, 30)]
    found = netcdf.date2index(dates, ours, select=select)
    assert found.tolist() == netCDF4.date2index(dates, theirs, select=select).tolist()
    assert netcdf.date2index(dates[0], ours, calendar="standard", select=select) == found[0]


def test_no_such_date(times: Any) -> None:
    for variable, function in zip(times, (netcdf.date2index, netCDF4.date2index), strict=True):
        with pytest.raises(ValueError):
            function(datetime(2000, 1, 1, 7), variable)
        with pytest.raises(ValueError):
            function(datetime(1999, 1, 1), variable, select="before")


@pytest.mark.parametrize(
    ("units", "target", "calendar", "expected"),
    [
        ("days since 2000-02-01", "days since 2000-01-01", "standard", (1, 31)),
        ("hours since 2000-01-02", "days since 2000-01-01", "standard", (1 / 24, 1)),
        ("months since 2000-01-01", "days since 2000-01-01", "360_day", (30, 0)),
        ("microseconds since 2000-01-01", "seconds since 1999-12-31 23:59:59", "noleap", (1e-6, 1)),
    ],
)
def test_steps(units: str, target: str, calendar: str, expected: tuple[float, float]) -> None:
    assert tuple(map(float, steps_of(units, target, calendar))) == expected
