"""Times of the CF conventions, and those of numpy, as ISO strings.

https://cfconventions.org/cf-conventions/cf-conventions.html#time-coordinate
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import ConversionError
from omnizarr.netcdf.times import num2date

AnyArray: TypeAlias = NDArray[Any]

_SINCE = re.compile(r"\s*[a-z]+\s+since\s+\S", re.IGNORECASE)


def is_time(units: str | None) -> bool:
    """Say whether units are those of times: `days since 2000-01-01`."""
    return units is not None and _SINCE.match(units) is not None


def as_iso(numbers: Any, units: str, calendar: str | None) -> AnyArray | None:
    """Return times as texts, empty where one is masked; None where they cannot be told.

    They cannot where cftime is not installed, or the units or the calendar are none.
    """
    values = np.ma.masked_invalid(np.ma.asarray(numbers))
    try:
        dates = num2date(values, units, calendar or "standard")
    except (ConversionError, ValueError, TypeError, OverflowError):
        return None
    found = np.array([_iso(date) for date in np.ma.asarray(dates).filled(None).reshape(-1).tolist()], "U")
    if found.size and all(text.endswith("T00:00:00") or not text for text in found.tolist()):
        found = np.array([text.partition("T")[0] for text in found.tolist()], "U")
    return found.reshape(values.shape)


def _iso(date: Any) -> str:
    return "" if date is None else str(date.isoformat())
