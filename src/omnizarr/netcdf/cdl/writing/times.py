"""Numbers as dates and times, in the calendars that `ncdump -t` knows.

It is `ncdump`'s arithmetic, in double precision and in its order, so that the last digits are the same: hours
are counted from 1970, and those of the mixed calendar from 1979, on either side of October 15, 1582.

https://cfconventions.org/cf-conventions/cf-conventions.html#calendar
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from omnizarr.netcdf.cdl.text import unbounded

Leaps: TypeAlias = Literal["gregorian", "julian", "never", "always"]
Step: TypeAlias = Literal["second", "minute", "hour", "day", "week", "month", "season", "year"]

_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
# What counts as a whole month, and the seconds that are taken for an error of rounding.
_NEARLY = 1e-10
_ROUNDING = 0.5e-6


@dataclass(frozen=True, slots=True)
class Calendar:
    """Which days there are.

    Attributes
    ----------
    days
        The days of a year that is no leap year.
    has_years
        Whether years are counted at all: those of a climatology are not.
    is_mixed
        Whether it is the Julian one before October 15, 1582.
    """

    leaps: Leaps
    days: int = 365
    has_years: bool = True
    is_mixed: bool = False

    def is_leap(self, year: int) -> bool:
        """Say whether a year has a day more."""
        if self.leaps in ("never", "always"):
            return self.leaps == "always"
        return year % 4 == 0 and (self.leaps == "julian" or year % 100 != 0 or year % 400 == 0)

    def first_day(self, year: int) -> int:
        """Return the days from January 1, 1970 to that of a year."""
        if not self.has_years:
            return 0
        return self.days * (year - 1970) + self._leaps_before(year) - self._leaps_before(1970)

    def _leaps_before(self, year: int) -> int:
        last = year - 1
        if self.leaps == "gregorian":
            return last // 4 - last // 100 + last // 400
        return last // 4 if self.leaps == "julian" else 0

    def month_days(self, month: int, year: int) -> int:
        """Return the days of a month, counted from 1."""
        if self.days == 360:
            return 30
        return _MONTHS[month - 1] + (month == 2 and self.is_leap(year))

    def hours(self, time: Time) -> float:
        """Return the hours from 1970 to a time."""
        months = range(1, time.month if 1 <= time.month <= 12 else 1)
        before = sum(self.month_days(month, time.year) for month in months)
        return (self.first_day(time.year) + before + time.day - 1) * 24.0 + time.hour

    def time(self, hours: float) -> Time:
        """Return the time so many hours from 1970."""
        day = math.floor(hours / 24.0)
        hour = hours - day * 24.0
        if hour >= 24.0:
            day, hour = day + 1, hour - 24.0
        year = self._year(day) if self.has_years else 0
        day = day - self.first_day(year) if self.has_years else day % self.days
        month = 1
        while month < 12 and day >= self.month_days(month, year):
            day -= self.month_days(month, year)
            month += 1
        return Time(year, month, day + 1, hour)

    def _year(self, day: int) -> int:
        """Return the year that a day counted from 1970 is in."""
        year = 1970 + day // (self.days + 1)
        while self.first_day(year + 1) <= day:
            year += 1 + (day - self.first_day(year + 1)) // (self.days + 1)
        while self.first_day(year) > day:
            year -= 1
        return year


@dataclass(frozen=True, slots=True, order=True)
class Time:
    """A moment, as its parts."""

    year: int = 0
    month: int = 1
    day: int = 1
    hour: float = 0.0


STANDARD = Calendar("gregorian")
JULIAN = Calendar("julian")
MIXED = Calendar("gregorian", is_mixed=True)

# An attribute may be the start of one of these; others, and none at all, mean the mixed one.
_CALENDARS = {
    "gregorian": MIXED,
    "standard": MIXED,
    "proleptic_gregorian": STANDARD,
    "noleap": Calendar("never"),
    "no_leap": Calendar("never"),
    "365_day": Calendar("never"),
    "allleap": Calendar("always", 366),
    "all_leap": Calendar("always", 366),
    "366_day": Calendar("always", 366),
    "360_day": Calendar("never", 360),
    "julian": JULIAN,
    "none": Calendar("never", has_years=False),
}

_JULIAN_END, _GREGORIAN_START = Time(1582, 10, 5), Time(1582, 10, 15)


@dataclass(frozen=True, slots=True)
class TimeUnit:
    """What numbers of time count: steps from a moment in a calendar."""

    step: Step
    origin: Time
    calendar: Calendar

    def spelled(self, value: float, separator: str) -> str:
        """Return a number of steps as date and time, in quotes; what is not finite as it is."""
        number = float(value)
        if not math.isfinite(number):
            return unbounded(number, "")
        return f'"{_iso(self.time(number), separator, self.calendar)}"'

    def time(self, value: float) -> Time:
        """Return the moment so many steps from the origin."""
        if self.step in ("month", "season", "year"):
            calendar = replace(self.calendar, is_mixed=False)
            return self.origin if value == 0 else _months_later(calendar, self.origin, self._months(value))
        if self.calendar.is_mixed:
            return _later_mixed(self.origin, self._hours(value))
        return self.calendar.time(self.calendar.hours(self.origin) + self._hours(value))

    def _hours(self, value: float) -> float:
        match self.step:
            case "second":
                return value / 3600.0
            case "minute":
                return value / 60.0
            case "day":
                return 24.0 * value
            case "week":
                return 168.0 * value
        return value

    def _months(self, value: float) -> int:
        each = {"season": 3.0, "year": 12.0}.get(self.step, 1.0)
        return int(each * value + math.copysign(_NEARLY, value))


def _months_later(calendar: Calendar, origin: Time, months: int) -> Time:
    """Return the first day of the month so many months later."""
    start = calendar.time(calendar.hours(origin))
    years, month = divmod(months + start.month - 1, 12)
    return calendar.time(calendar.hours(Time(start.year + years, month + 1)))


def _later_mixed(origin: Time, hours: float) -> Time:
    if origin < _GREGORIAN_START:
        left = _from_1979(JULIAN, _JULIAN_END) - _from_1979(JULIAN, origin)
        if hours <= left:
            return _later(JULIAN, origin, hours)
        return _later(STANDARD, _GREGORIAN_START, hours - left)
    left = _from_1979(STANDARD, _GREGORIAN_START) - _from_1979(STANDARD, origin)
    if hours > left:
        return _later(STANDARD, origin, hours)
    return _later(JULIAN, _JULIAN_END, hours - left)


def _later(calendar: Calendar, origin: Time, hours: float) -> Time:
    return calendar.time(calendar.hours(Time(1979)) + (_from_1979(calendar, origin) + hours))


def _from_1979(calendar: Calendar, time: Time) -> float:
    return calendar.hours(time) - calendar.hours(Time(1979))


def _iso(time: Time, separator: str, calendar: Calendar) -> str:
    sign = "-" if time.year < 0 else ""
    date = f"{sign}{abs(time.year):04d}-" if calendar.has_years else ""
    return f"{date}{time.month:02d}-{time.day:02d}{_clock(time.hour, separator)}"


def _clock(hours: float, separator: str) -> str:
    """Return hours as a clock shows them, without the zeros at its end; half a microsecond is rounding."""
    hour = int(hours + _ROUNDING / 60.0 / 60.0)
    minutes = 60.0 * (hours - hour)
    minute = int(minutes + _ROUNDING / 60.0)
    seconds = 60.0 * (minutes - minute)
    second = int(seconds + _ROUNDING)
    if seconds - second >= _ROUNDING:
        return f"{separator}{hour:02d}:{minute:02d}:{seconds:f}"
    parts = [hour, minute, second]
    while parts and not parts[-1]:
        parts.pop()
    return separator + ":".join(f"{part:02d}" for part in parts) if parts else ""


_UNITS = re.compile(r"\s*(\S+)\s+since\s*(\S.*)", re.DOTALL)
_STEPS: tuple[tuple[str, str, Step], ...] = (
    ("sec", "s", "second"),
    ("min", "mn", "minute"),
    ("hour", "hr", "hour"),
    ("day", "dy", "day"),
    ("week", "wk", "week"),
    ("month", "mo", "month"),
    ("season", "season", "season"),
    ("year", "yr", "year"),
)


def time_unit(units: str, calendar: str | None) -> TimeUnit | None:
    """Return what numbers with these units count; None where they are no times.

    A date may be separated from its time of day by a space or by `T`, also by the `T` of a time zone: as
    `ncdump` does, the time of day is then left out.
    """
    found = _UNITS.match(units)
    if found is None:
        return None
    known = next(
        (whole for name, whole in _CALENDARS.items() if calendar and name.startswith(calendar)), MIXED
    )
    for start, short, step in _STEPS:
        if found[1].startswith(start) or found[1] == short:
            if step == "year" and not known.has_years:
                return None
            return TimeUnit(step, _origin(_moment(found[2]), known), known)
    return None


def _moment(text: str) -> str:
    """Return date and time of day with one space between them."""
    words = text.split()[:2]
    date, t, clock = text.partition("T")
    by_t = [date, *clock.split()[:1]] if t and date else [date] if date else []
    parts = words if len(by_t) < len(words) else by_t
    return " ".join(part.split()[0] for part in parts)


_NUMBER = r"\s*([-+]?\d+)"
_DATE = re.compile(rf"{_NUMBER}(?:-{_NUMBER}(?:-{_NUMBER}(.*))?)?", re.DOTALL)
_DAY = re.compile(rf"{_NUMBER}(?:-{_NUMBER}(.*))?", re.DOTALL)
_CLOCK = re.compile(rf"{_NUMBER}(?::{_NUMBER}(?::\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?))?)?")


def _origin(text: str, calendar: Calendar) -> Time:
    """Return the moment that a text names; what it leaves out is the first, and what is wrong ends it."""
    found = _DATE.match(text) if calendar.has_years else _DAY.match(text)
    if found is None:
        return Time()
    *numbers, rest = found.groups()
    given = [int(number) for number in numbers if number is not None]
    year, month, day = (
        [*given, *(0, 1, 1)[len(given) :]] if calendar.has_years else [0, *given, *(1, 1)[len(given) :]]
    )
    return Time(year, month, day, _hour(rest or ""))


def _hour(text: str) -> float:
    found = _CLOCK.match(text)
    if found is None or not 0 <= int(found[1]) <= 23:
        return 0.0
    hour = float(found[1])
    if found[2] is None or not 0 <= int(found[2]) <= 59:
        return hour
    hour += int(found[2]) / 60.0
    if found[3] is None or not 0 <= float(found[3]) <= 60:
        return hour
    return hour + float(found[3]) / 3600.0
