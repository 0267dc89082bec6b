"""Coordinates along an axis, and the index that is nearest to one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from omnizarr.errors import ConversionError, OmniZarrError, SelectionError
from omnizarr.netcdf.times import date2num
from omnizarr.pictures.cost import cost_of
from omnizarr.pictures.subject import Subject, coordinates_of
from omnizarr.pictures.times import as_iso, is_time
from omnizarr.pictures.values import shown


@dataclass(frozen=True, slots=True)
class Coordinates:
    """The coordinates along a part of an axis: numbers or texts; None where there are none."""

    values: np.ndarray[Any, Any] | None
    units: str | None = None
    long_name: str | None = None


def coordinates_along(subject: Subject, number: int, taken: slice, max_bytes: int) -> Coordinates | None:
    """Return the coordinates of a part of an axis; None where there are none, or they cannot be read."""
    source = coordinates_of(subject, number)
    if source is None or cost_of(source.array.layout, [taken]) > max_bytes:
        return None
    try:
        values = _read(source, taken)
    except OmniZarrError:
        return None
    units, name = source.text("units"), source.text("long_name") or source.text("standard_name")
    if units is not None and is_time(units) and values.dtype.kind in "iuf":
        dates = as_iso(values, units, source.text("calendar"))
        if dates is not None:
            return Coordinates(dates, None, name)
    return Coordinates(_plain(values), units, name)


def _read(source: Subject, taken: slice) -> np.ma.MaskedArray[Any, Any]:
    return shown(source, np.asarray(source.array[taken]))[0]


def _plain(values: Any) -> np.ndarray[Any, Any]:
    """Return values without a mask: a number that is masked is NaN, a text empty."""
    if values.dtype.kind == "O":
        return np.array([str(value) for value in values.filled("").tolist()], "U").reshape(values.shape)
    if np.ma.is_masked(values):
        return np.asarray(values.astype("f8").filled(np.nan))
    plain: np.ndarray[Any, Any] = np.asarray(values.data)
    return plain


def index_of(subject: Subject, number: int, place: float | str, max_bytes: int) -> int:
    """Return the index whose coordinate is nearest to a number, a date, or equal to a text.

    Raises
    ------
    SelectionError
        The axis has no coordinates, or none such.
    """
    name = subject.names[number] or f"axis {number}"
    source = coordinates_of(subject, number)
    whole = slice(0, subject.array.shape[number], 1)
    if source is None or cost_of(source.array.layout, [whole]) > max_bytes:
        raise SelectionError(f"{name}: there are no coordinates in which {place!r} could be looked for")
    values = _read(source, whole)
    if values.dtype.kind not in "iuf":
        texts = _plain(values).tolist()
        if str(place) not in texts:
            raise SelectionError(f"{name}: there is no coordinate {place!r}")
        return int(texts.index(str(place)))
    wanted = _number(source, place, name)
    distance = np.ma.abs(np.ma.masked_invalid(values.astype("f8")) - wanted)
    if not distance.count():
        raise SelectionError(f"{name}: all coordinates are missing")
    return int(distance.argmin())


def _number(source: Subject, place: float | str, name: str) -> float:
    try:
        return float(place)
    except ValueError:
        pass
    units = source.text("units")
    if units is None or not is_time(units):
        raise SelectionError(f"{name}: expected a number, found {place!r}")
    try:
        date = np.datetime64(str(place)).astype("datetime64[us]").item()
        return float(date2num(date, units, source.text("calendar") or "standard"))
    except (ValueError, TypeError, ConversionError) as error:
        raise SelectionError(f"{name}: expected a date or a number, found {place!r}: {error}") from error
