"""Times that count from another date, or in another unit, made to count alike.

https://cfconventions.org/cf-conventions/cf-conventions.html#time-coordinate
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.netcdf.extras import optional
from omnizarr.netcdf.model.items import AnyArray
from omnizarr.netcdf.model.nodes import VariableModel

_MICROSECONDS = {
    **dict.fromkeys(("microsecond", "microseconds", "microsec", "microsecs"), 1),
    **dict.fromkeys(("millisecond", "milliseconds", "millisec", "millisecs", "msec", "msecs", "ms"), 1000),
    **dict.fromkeys(("second", "seconds", "sec", "secs", "s"), 1_000_000),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), 60_000_000),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h"), 3_600_000_000),
    **dict.fromkeys(("day", "days", "d"), 86_400_000_000),
}
_SINCE = " since "


@dataclass(frozen=True, slots=True)
class Rebase:
    """A change of units: a value counts so many microseconds, and begins so many after the other date."""

    step: int
    shift: int
    new_step: int

    def apply(self, values: AnyArray, variable: VariableModel, where: str) -> AnyArray:
        """Return values in the new units; what fills the variable stays.

        Raises
        ------
        ConversionError
            They are integers, and would not be whole.
        """
        filled = (
            values == variable.fill_value if variable.fill_value is not None else np.zeros(values.shape, bool)
        )
        if values.dtype.kind in "iu":
            exact = values.astype(object) * self.step + self.shift
            found, rest = exact // self.new_step, exact % self.new_step
            limits = np.iinfo(values.dtype)
            if not np.all((rest == 0) & (found >= limits.min) & (found <= limits.max) | filled):
                raise ConversionError(
                    f"{where}: its times are no whole numbers in the units of the first source"
                )
            found = np.where(filled, 0, found)
        else:
            found = values.astype("f8") * (self.step / self.new_step) + self.shift / self.new_step
        return np.where(filled, values, found.astype(values.dtype))


def rebased(variable: VariableModel, first: VariableModel, name: str, first_name: str) -> Rebase | None:
    """Return how a coordinate gets the units of another, or None where it has them.

    Raises
    ------
    ConversionError
        The units differ, and are not times of one calendar.
    """
    (units, calendar), (wanted, other) = _of(variable), _of(first)
    if units == wanted and calendar == other:
        return None
    problem = (
        f"join: {name} has {variable.name} in {units!r} ({calendar}), {first_name} in {wanted!r} ({other})"
    )
    if (
        calendar != other
        or units is None
        or wanted is None
        or not {_SINCE in units, _SINCE in wanted} == {True}
    ):
        raise ConversionError(f"{problem}, which do not become each other")
    if any(a.name in ("scale_factor", "add_offset") for a in (*variable.attributes, *first.attributes)):
        raise ConversionError(f"{problem}; packed times are not changed")
    try:
        begin, step = _parsed(units, calendar)
        new_begin, new_step = _parsed(wanted, other)
        shift = (begin - new_begin) // timedelta(microseconds=1)
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise ConversionError(f"{problem}: {error}") from error
    return None if (shift, step) == (0, new_step) else Rebase(step, shift, new_step)


def _of(variable: VariableModel) -> tuple[str | None, str]:
    values = {a.name: a.value for a in variable.attributes if isinstance(a.value, str)}
    calendar = values.get("calendar", "standard").lower()
    return values.get("units"), "standard" if calendar == "gregorian" else calendar


def _parsed(units: str, calendar: str) -> tuple[Any, int]:
    """Return the date that units count from, and the microseconds that they count."""
    step = _MICROSECONDS[units.split(_SINCE)[0].strip().lower()]
    begin = optional("cftime").num2date(0, units, calendar, only_use_cftime_datetimes=True)
    return begin, step
