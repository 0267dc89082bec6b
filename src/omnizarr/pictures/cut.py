"""Pictures of arrays: any two axes, or one, thinned to as many points as can be shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from omnizarr.errors import SelectionError
from omnizarr.hierarchy.array import Array
from omnizarr.pictures.coordinates import Coordinates, coordinates_along, index_of
from omnizarr.pictures.cost import PictureTooLarge, cost_of
from omnizarr.pictures.subject import Subject, subject_of
from omnizarr.pictures.values import shown

MOST = 1024
MAX_BYTES = 2**30


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a picture.

    Attributes
    ----------
    name
        The dimension's name, or `axis 0`.
    number
        Which axis of the array it is.
    start, step, count
        The indices that are shown: `start + step * i`.
    coordinates
        As many as are shown: numbers, or texts (times are ISO strings); None where there are none.
    units, long_name
        Those of the coordinates.
    """

    name: str
    number: int
    start: int
    step: int
    count: int
    coordinates: np.ndarray[Any, Any] | None = None
    units: str | None = None
    long_name: str | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """What is shown of an array.

    Attributes
    ----------
    axes
        None, one, or two of them: rows and columns.
    values
        As many axes; numbers (booleans are 0 and 1), or texts. Missing values are masked.
    note
        What has to be said about the values.
    """

    axes: tuple[Axis, ...]
    values: np.ma.MaskedArray[Any, Any]
    units: str | None = None
    long_name: str | None = None
    note: str | None = None


def cut(
    array: Array | Subject,
    axes: Sequence[int | str] | None = (),
    at: Mapping[int | str, int | float | str] | None = None,
    *,
    window: Mapping[int | str, tuple[int, int]] | None = None,
    most: tuple[int, int] | int = MOST,
    max_bytes: int = MAX_BYTES,
    field: str | None = None,
) -> Picture:
    """Read what a picture of an array shows.

    Parameters
    ----------
    array
        An array, or what `subject_of` says of one, which need not be found out again.
    axes
        The axes to show, by number or name: rows and columns, or one. `()`: the last two; None: none.
    at
        Where the other axes are cut: an index, or a coordinate as a text or a float, of which the nearest
        is taken. 0 where it is not said.
    window
        The part of an axis that is shown: start and stop.
    most
        How many points an axis has at most; every n-th is read where it is longer.
    max_bytes
        How many bytes of chunks may be decoded.
    field
        The field of records; the first where it is not said.

    Raises
    ------
    SelectionError
        There is no such axis, place or field.
    PictureTooLarge
        More would have to be decoded; also a ValueError.
    """
    subject = array if isinstance(array, Subject) else subject_of(array)
    numbers = _chosen(subject, axes)
    selection = [_whole(length) for length in subject.array.shape]
    for number in range(len(selection)):
        selection[number] = slice(0, min(1, subject.array.shape[number]), 1)
    for key, place in (at or {}).items():
        number = axis_number(subject, key)
        if number not in numbers:
            index = _index(subject, number, place, max_bytes)
            selection[number] = slice(index, index + 1, 1)
    windows = {axis_number(subject, key): bounds for key, bounds in (window or {}).items()}
    limits = (most, most) if isinstance(most, int) else most
    for place_, number in enumerate(numbers):
        limit = limits[-1] if len(numbers) == 1 else limits[place_]
        selection[number] = _thinned(subject, number, windows.get(number), limit)
    _check(subject, numbers, selection, max_bytes)
    stored = np.asarray(subject.array[tuple(selection)])
    others = tuple(i for i in range(stored.ndim) if i not in numbers)
    if any(not stored.shape[i] for i in others):
        raise SelectionError("there is nothing to show: an axis has no elements")
    stored = stored.transpose(*numbers, *others).reshape([stored.shape[i] for i in numbers])
    values, note = shown(subject, stored, field)
    shown_axes = tuple(_axis(subject, number, selection[number], max_bytes) for number in numbers)
    return Picture(shown_axes, values, subject.text("units"), subject.text("long_name"), note)


def overview(
    array: Array | Subject,
    axes: Sequence[int | str] | None = (),
    *,
    most: tuple[int, int] | int = MOST,
    max_bytes: int = MAX_BYTES,
) -> dict[int, tuple[int, int]]:
    """Return the largest window, in the middle of the shown axes, that `cut` takes within `max_bytes`."""
    subject = array if isinstance(array, Subject) else subject_of(array)
    numbers = _chosen(subject, axes)
    limits = (most, most) if isinstance(most, int) else most
    return _largest(subject, numbers, dict.fromkeys(range(subject.array.ndim), 0), limits, max_bytes)


def axis_number(subject: Subject, key: int | str) -> int:
    """Return the number of an axis from its number or name.

    Raises
    ------
    SelectionError
        There is none.
    """
    ndim = subject.array.ndim
    if isinstance(key, str):
        if key in subject.names:
            return subject.names.index(key)
        if key.removeprefix("axis ").isdecimal():
            key = int(key.removeprefix("axis "))
    if isinstance(key, str) or not -ndim <= key < ndim:
        known = ", ".join(f"{name} ({i})" if name else str(i) for i, name in enumerate(subject.names))
        raise SelectionError(f"axis {key!r}: expected one of {known or 'none'}")
    return key % ndim


def _chosen(subject: Subject, axes: Sequence[int | str] | None) -> tuple[int, ...]:
    if axes is None:
        return ()
    ndim = subject.array.ndim
    numbers = tuple(axis_number(subject, axis) for axis in axes) or tuple(range(ndim))[-2:]
    if len(set(numbers)) != len(numbers) or len(numbers) > 2:
        raise SelectionError(f"axes: expected two different ones at most, found {list(axes)}")
    return numbers


def _index(subject: Subject, number: int, place: float | str, max_bytes: int) -> int:
    length = subject.array.shape[number]
    if not isinstance(place, int):
        return index_of(subject, number, place, max_bytes)
    if not -length <= place < length:
        name = subject.names[number] or f"axis {number}"
        raise SelectionError(f"{name}: index {place} lies outside of {length} elements")
    return place % length


def _whole(length: int) -> slice:
    return slice(0, length, 1)


def _thinned(subject: Subject, number: int, bounds: tuple[int, int] | None, most: int) -> slice:
    length = subject.array.shape[number]
    start, stop = (0, length) if bounds is None else bounds
    if not 0 <= start <= stop <= length or (start == stop and length):
        name = subject.names[number] or f"axis {number}"
        raise SelectionError(f"window of {name}: expected 0 <= start < stop <= {length}, found {bounds}")
    if most < 1:
        raise SelectionError(f"most: expected at least 1, found {most}")
    return slice(start, stop, max(1, -(-(stop - start) // most)))


def _check(subject: Subject, numbers: tuple[int, ...], selection: list[slice], max_bytes: int) -> None:
    needed = cost_of(subject.array.layout, selection)
    if needed > max_bytes:
        limits = tuple(len(range(s.start, s.stop, s.step)) for s in (selection[n] for n in numbers))
        places = {n: s.start for n, s in enumerate(selection)}
        found = _largest(subject, numbers, places, limits, max_bytes)
        raise PictureTooLarge(needed, max_bytes, {n: stop - start for n, (start, stop) in found.items()})


def _largest(
    subject: Subject,
    numbers: tuple[int, ...],
    places: Mapping[int, int],
    limits: Sequence[int],
    max_bytes: int,
) -> dict[int, tuple[int, int]]:
    """Return the largest window around the middle whose chunks are within a limit; {} where there is none."""
    shape = subject.array.shape

    def windows(share: float) -> dict[int, tuple[int, int]]:
        found = {}
        for number in numbers:
            length = max(min(1, shape[number]), int(shape[number] * share))
            start = (shape[number] - length) // 2
            found[number] = (start, start + length)
        return found

    def fits(share: float) -> bool:
        selection = [slice(place, min(place + 1, shape[n]), 1) for n, place in sorted(places.items())]
        for number, (start, stop), limit in zip(numbers, windows(share).values(), limits, strict=False):
            selection[number] = slice(start, stop, max(1, -(-(stop - start) // limit)))
        return cost_of(subject.array.layout, selection) <= max_bytes

    if fits(1.0):
        return windows(1.0)
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return windows(low) if fits(low) else {}


def _axis(subject: Subject, number: int, taken: slice, max_bytes: int) -> Axis:
    found = coordinates_along(subject, number, taken, max_bytes) or Coordinates(None)
    count = len(range(taken.start, taken.stop, taken.step))
    name = subject.names[number] or f"axis {number}"
    return Axis(name, number, taken.start, taken.step, count, found.values, found.units, found.long_name)
