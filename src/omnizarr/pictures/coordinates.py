"""Coordinates along an axis, and the index that is nearest to one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import OmniZarrError, SelectionError
from omnizarr.hierarchy.paths import parent_of
from omnizarr.netcdf.model.nodes import FILL_VALUE
from omnizarr.pictures.cost import cost_of
from omnizarr.pictures.subject import Subject, siblings
from omnizarr.pictures.times import as_iso, as_number, is_time, numpy_iso, numpy_numbers
from omnizarr.pictures.values import shown

AnyArray: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Coordinates:
    """The coordinates along a part of an axis: numbers or texts.

    Attributes
    ----------
    is_down
        Whether they grow downwards: CF's `positive`, and rows of images.
    """

    values: AnyArray
    units: str | None = None
    long_name: str | None = None
    is_down: bool = False


def coordinates_along(subject: Subject, number: int, taken: slice, max_bytes: int) -> Coordinates | None:
    """Return the coordinates of a part of an axis; None where there are none, or they cannot be read."""
    pixels = subject.pixels
    if (source := source_of(subject, number)) is not None:
        return _of_array(source, taken, max_bytes)
    if pixels is not None:
        return Coordinates(pixels.along(number, taken), pixels.units[number], is_down=True)
    return _of_clock(subject, number, taken)


def source_of(subject: Subject, number: int) -> Subject | None:
    """Return the array that holds the coordinates along an axis; None where there is none.

    It has the name and the length of the axis, in the group of the array or in one above (netCDF, xarray);
    or it is of one axis, that one, and named by the attribute `coordinates` (CF); or it is `timestamps`
    beside `data` (NWB).
    """
    name, length = subject.names[number], subject.array.shape[number]
    if name:
        for found in siblings(subject, name):
            if found.array.shape == (length,) and found.names[0] in (name, None):
                return found
        for other in subject.coordinates:
            for found in siblings(subject, other):
                if found.array.shape == (length,) and found.names == (name,):
                    return found
    if number == 0 and subject.array.basename == "data":
        return next(
            (found for found in _beside(subject, "timestamps") if found.array.shape == (length,)), None
        )
    return None


def _beside(subject: Subject, name: str) -> Iterator[Subject]:
    """Yield the array of a name in the group of a subject."""
    group = parent_of(subject.array.path)
    return (found for found in siblings(subject, name) if parent_of(found.array.path) == group)


def not_on_axes(subject: Subject) -> str | None:
    """Return a note on coordinates of two axes, which are not shown; None where there are none."""
    found = {name: next(siblings(subject, name), None) for name in subject.coordinates}
    wide = [name for name, source in found.items() if source is not None and source.array.ndim > 1]
    return f"coordinates of several axes are not shown: {', '.join(wide)}" if wide else None


def _of_array(source: Subject, taken: slice, max_bytes: int) -> Coordinates | None:
    if cost_of(source.array.layout, [taken]) > max_bytes:
        return None
    try:
        stored = np.asarray(source.array[taken])
        values = shown(_unfilled(source), stored)[0]
    except OmniZarrError:
        return None
    units, name = source.units, source.long_name
    if stored.dtype.kind == "M":
        return Coordinates(numpy_iso(stored), None, name)
    if units is not None and is_time(units) and values.dtype.kind in "iuf":
        dates = as_iso(values, units, source.text("calendar"))
        if dates is not None:
            return Coordinates(dates, None, name)
    is_down = (source.text("positive") or "").lower() == "down"
    return Coordinates(_plain(values), units, name, is_down)


def _unfilled(source: Subject) -> Subject:
    """Return coordinates of which none is missing for being the fill value that Zarr gives any array."""
    if source.is_noted or FILL_VALUE in source.array.metadata.attributes:
        return source
    said = {name: value for name, value in source.attributes.items() if name != FILL_VALUE}
    return replace(source, attributes=said)


def _of_clock(subject: Subject, number: int, taken: slice) -> Coordinates | None:
    """Return the seconds of samples at a rate, as NWB has it where there are no timestamps."""
    if subject.array.basename != "data" or number != 0:
        return None
    start = next(_beside(subject, "starting_time"), None)
    rate = 0.0 if start is None else start.number("rate", 0.0)
    # hdmf-zarr keeps a scalar as an axis of one element.
    if start is None or start.array.size != 1 or not rate > 0:
        return None
    try:
        first = float(np.asarray(start.array[...]).item())
    except (OmniZarrError, TypeError, ValueError):
        return None
    return Coordinates(first + np.arange(taken.start, taken.stop, taken.step) / rate, "seconds", "time")


def _plain(values: Any) -> AnyArray:
    """Return values without a mask: a number that is masked is NaN, a text empty."""
    if values.dtype.kind == "O":
        return np.array([str(value) for value in values.filled("").tolist()], "U").reshape(values.shape)
    if np.ma.is_masked(values):
        values = values.astype("f8").filled(np.nan)
    plain: AnyArray = np.asarray(np.ma.getdata(values))
    return plain


def index_of(subject: Subject, number: int, place: float | str, max_bytes: int) -> int:
    """Return the index whose coordinate is nearest to a number or date, or equal to a text.

    Raises
    ------
    SelectionError
        The axis has no coordinates, or none such.
    """
    name, length = subject.label(number), subject.array.shape[number]
    whole = slice(0, length, 1)
    found = coordinates_along(subject, number, whole, max_bytes)
    if found is None or not length:
        raise SelectionError(f"{name}: there are no coordinates among which {place!r} could be looked for")
    source = source_of(subject, number)
    if source is None or not is_time(source.units or ""):
        return _nearest(found.values, place, name)
    # Dates are looked for by their distance in time.
    stored = np.asarray(source.array[whole])
    if stored.dtype.kind == "M":
        return _nearest(*numpy_numbers(stored, place, name), name)
    units = source.units or ""
    numbers = _plain(shown(_unfilled(source), stored)[0])
    return _nearest(numbers, as_number(place, units, source.text("calendar"), name), name)


def _nearest(values: AnyArray, wanted: float | str, name: str) -> int:
    if values.dtype.kind not in "iuf":
        places = np.flatnonzero(values == str(wanted))
        if not places.size:
            known = ", ".join(map(repr, values[:5].tolist()))
            raise SelectionError(f"{name}: there is no coordinate {wanted!r}; the first are {known}")
        return int(places[0])
    try:
        distance = np.abs(values.astype("f8") - float(wanted))
    except ValueError:
        raise SelectionError(f"{name}: expected a number, found {wanted!r}") from None
    if np.isnan(distance).all():
        raise SelectionError(f"{name}: all coordinates are missing")
    return int(np.nanargmin(distance))
