"""Times as numbers and as dates, by cftime.

https://unidata.github.io/cftime/api.html
https://cfconventions.org/cf-conventions/cf-conventions.html#time-coordinate
"""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from typing import Any

from omnizarr.netcdf.extras import optional

# A whole number of every unit there is: months have 30 days where they are allowed at all.
_SPAN = timedelta(days=360 * 365)


def date2num(
    dates: Any,
    units: str,
    calendar: str | None = None,
    has_year_zero: bool | None = None,
    longdouble: bool = False,
) -> Any:
    """Return dates as numbers of units since a date.

    Parameters
    ----------
    dates
        A datetime of Python's or cftime's, without an offset from UTC, or an array of them.
    units
        `days since 2000-01-01`, or hours, minutes, seconds, milliseconds, microseconds.
    calendar
        A calendar of the CF conventions; that of the dates where it is None.
    longdouble
        Whether numbers are of numpy's longest float, exact to the microsecond.

    Raises
    ------
    ConversionError
        The package cftime is not installed.
    """
    return optional("cftime").date2num(
        dates, units, calendar=calendar, has_year_zero=has_year_zero, longdouble=longdouble
    )


def num2date(
    times: Any,
    units: str,
    calendar: str = "standard",
    only_use_cftime_datetimes: bool = True,
    only_use_python_datetimes: bool = False,
    has_year_zero: bool | None = None,
) -> Any:
    """Return numbers of units since a date as dates.

    Parameters
    ----------
    only_use_cftime_datetimes
        False for Python's datetimes where they can be.
    only_use_python_datetimes
        With the former, never to return others.

    Raises
    ------
    ConversionError
        The package cftime is not installed.
    """
    return optional("cftime").num2date(
        times,
        units,
        calendar=calendar,
        only_use_cftime_datetimes=only_use_cftime_datetimes,
        only_use_python_datetimes=only_use_python_datetimes,
        has_year_zero=has_year_zero,
    )


def date2index(
    dates: Any,
    nctime: Any,
    calendar: str | None = None,
    select: str = "exact",
    has_year_zero: bool | None = None,
) -> Any:
    """Return where dates are in a variable of times.

    Parameters
    ----------
    nctime
        A variable with the attribute `units`.
    select
        `"exact"`, or what to take where a date is not there: the one `"before"`, `"after"` or `"nearest"`.

    Raises
    ------
    ValueError
        A date is not there.
    ConversionError
        The package cftime is not installed.
    """
    return optional("cftime").date2index(
        dates, nctime, calendar=calendar, select=select, has_year_zero=has_year_zero
    )


def steps_of(units: str, target: str, calendar: str) -> tuple[Fraction, Fraction]:
    """Return by what to multiply times in one unit, and what to add, to have them in another."""
    start = optional("cftime").datetime(1900, 1, 1, calendar=calendar)
    given, wanted = (
        [Fraction(date2num(date, unit, calendar)) for date in (start, start + _SPAN)]
        for unit in (units, target)
    )
    scale = (wanted[1] - wanted[0]) / (given[1] - given[0])
    return scale, wanted[0] - given[0] * scale
