"""Times of the CF conventions, and those of numpy, as ISO strings and back.

https://cfconventions.org/cf-conventions/cf-conventions.html#time-coordinate
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import ConversionError, SelectionError
from omnizarr.netcdf.times import date2num, num2date

AnyArray: TypeAlias = NDArray[Any]

_SINCE = re.compile(r"\s*[a-z]+\s+since\s+\S", re.IGNORECASE)
_NANOSECONDS = re.compile(r"\s*nanoseconds\s+since\s+1970-0?1-0?1([ T]0?0:00(:00)?)?\s*")
_NEVER = np.datetime64("NaT", "ns")
_HALF_A_MILLISECOND = timedelta(microseconds=500)
# What is left out where all times end so.
_ENDS = (".000000000", ".000000", ".000", "T00:00:00", "T00:00", "T00")


def is_time(units: str) -> bool:
    """Say whether units are those of times: `days since 2000-01-01`."""
    return _SINCE.match(units) is not None


def as_iso(numbers: Any, units: str, calendar: str | None) -> AnyArray | None:
    """Return times as texts, rounded to milliseconds; empty where one is missing.

    None where they cannot be told: cftime is not installed, or the units or the calendar are none that it
    knows.
    """
    values = np.ma.masked_invalid(np.ma.masked_array(numbers))
    if values.dtype.kind in "iu" and _NANOSECONDS.fullmatch(units):  # which cftime has not
        return numpy_iso(np.where(np.ma.getmaskarray(values), _NEVER, values.data.astype("M8[ns]")))
    try:
        dates = np.ma.masked_array(num2date(values.filled(0), units, calendar or "standard"))
        hidden = np.ma.getmaskarray(values) | np.ma.getmaskarray(dates)
        found = zip(dates.data.reshape(-1).tolist(), hidden.reshape(-1).tolist(), strict=True)
        texts = [_iso(None if is_hidden else date) for date, is_hidden in found]
    except (ConversionError, ValueError, TypeError, OverflowError):
        return None
    return _short(texts).reshape(values.shape)


def numpy_iso(times: AnyArray) -> AnyArray:
    """Return numpy's times as texts; empty where there is none."""
    texts = np.datetime_as_string(times.reshape(-1)).tolist()
    return _short(["" if text == "NaT" else text for text in texts]).reshape(times.shape)


def numpy_numbers(times: AnyArray, time: float | str, name: str) -> tuple[AnyArray, float]:
    """Return numpy's times and a text that is one as numbers; NaN where there is none.

    Raises
    ------
    SelectionError
        The text is none.
    """
    numbers = np.where(np.isnat(times), np.nan, times.astype("i8").astype("f8"))
    try:
        return numbers, float(np.datetime64(str(time)).astype(times.dtype).astype("i8"))
    except ValueError as error:
        raise SelectionError(f"{name}: expected a date, found {time!r}: {error}") from error


def as_number(time: float | str, units: str, calendar: str | None, name: str) -> float:
    """Return a time, or the number of one, as a number of units.

    Raises
    ------
    SelectionError
        It is neither.
    """
    try:
        return float(time)
    except ValueError:
        pass
    try:
        date = _date(str(time), calendar or "standard")
        return float(date2num(date, units, calendar or "standard"))
    except (ValueError, TypeError, OverflowError, ConversionError) as error:
        raise SelectionError(f"{name}: expected a date or a number, found {time!r}: {error}") from error


def _date(text: str, calendar: str) -> Any:
    """Return a date of a calendar, which may have days that Python's has not; months and days may lack."""
    found = re.fullmatch(r"(-?\d{1,6})(?:-(\d\d?))?(?:-(\d\d?))?(?:[T ](.+?)Z?)?", text.strip())
    if found is None:
        raise ValueError("expected a date such as 2000-01-31 or 2000-01-31T12:00")
    clock = datetime.fromisoformat(f"2000-01-01T{found[4]}") if found[4] else datetime(2000, 1, 1)
    year, month, day = int(found[1]), int(found[2] or 1), int(found[3] or 1)
    start = num2date(0, f"days since {year:04d}-{month:02d}-{day:02d}", calendar)
    return start + (clock - datetime(2000, 1, 1))


def _iso(date: Any) -> str:
    return "" if date is None else str((date + _HALF_A_MILLISECOND).isoformat("T", "milliseconds"))


def _short(texts: list[str]) -> AnyArray:
    """Return texts without the end that all have: no fraction of a second, or midnight."""
    for end in _ENDS:
        if all(text.endswith(end) or not text for text in texts):
            texts = [text.removesuffix(end) for text in texts]
    return np.array(texts, "U")
