"""Pictures of arrays: any two axes, or one, thinned to as many points as can be shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from omnizarr.errors import SelectionError
from omnizarr.hierarchy.array import Array
from omnizarr.pictures.asked import Key, Places, Window, Windows, asked_of
from omnizarr.pictures.coordinates import coordinates_along, not_on_axes
from omnizarr.pictures.subject import Subject, subject_of
from omnizarr.pictures.values import shown
from omnizarr.pictures.windows import check_cost, largest_window

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
    is_down
        Whether it is drawn downwards where it is that of rows: those of an image, and depths.
    """

    name: str
    number: int
    start: int
    step: int
    count: int
    coordinates: np.ndarray[Any, Any] | None = None
    units: str | None = None
    long_name: str | None = None
    is_down: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """What is shown of an array.

    Attributes
    ----------
    axes
        None, one, or two of them: rows and columns.
    values
        As many axes; numbers (booleans are 0 and 1), or texts in an array of objects. What is missing is
        masked; what is not a number is as it is.
    note
        What has to be said about the values.
    """

    axes: tuple[Axis, ...]
    values: np.ma.MaskedArray[Any, np.dtype[Any]]
    units: str | None = None
    long_name: str | None = None
    note: str | None = None


def cut(
    array: Array | Subject,
    axes: Sequence[Key] | None = (),
    at: Places | None = None,
    *,
    window: Windows | None = None,
    most: tuple[int, int] | int = MOST,
    max_bytes: int = MAX_BYTES,
    field: str | None = None,
) -> Picture:
    """Read what a picture of an array shows.

    Values are masked and scaled as the attributes say (`_FillValue`, `missing_value`, `valid_*`,
    `scale_factor`, `add_offset`, `_Unsigned`). Only chunks that hold a point of the picture are read.

    Parameters
    ----------
    array
        An array, or what `subject_of` told of one, which is then not asked for again.
    axes
        The axes to show, by number or name: rows and columns, or one. `()`: the last two; None: none.
    at
        Where the other axes are cut: an index, or a coordinate, as a text or a float, of which the nearest
        is taken. The first index where it is not said.
    window
        The part of an axis that is shown: start and stop.
    most
        How many points an axis has at most, or rows and columns; every n-th is read where it is longer.
    max_bytes
        How many bytes of chunks may be decoded; those of uncompressed chunks that are read count.
    field
        The field of records; the first where it is not said.

    Raises
    ------
    SelectionError
        There is no such axis, place or field, or there are no elements.
    PictureTooLarge
        More would have to be decoded; also a ValueError.
    """
    subject = array if isinstance(array, Subject) else subject_of(array)
    asked = asked_of(subject, axes, at, window, most, max_bytes)
    numbers, selection = asked.numbers, asked.selection
    if any(taken.stop == taken.start for taken in selection):
        raise SelectionError(f"there are no elements to show: the shape is {subject.array.shape}")
    check_cost(subject.array.layout, asked, max_bytes)
    values, note = shown(subject, _read(subject.array, numbers, selection), field)
    notes = filter(None, (note, not_on_axes(subject)))
    axes_shown = tuple(_axis(subject, number, selection[number], max_bytes) for number in numbers)
    return Picture(axes_shown, values, subject.units, subject.long_name, "; ".join(notes) or None)


def overview(
    array: Array | Subject,
    axes: Sequence[Key] | None = (),
    at: Places | None = None,
    *,
    most: tuple[int, int] | int = MOST,
    max_bytes: int = MAX_BYTES,
) -> dict[int, Window]:
    """Return the largest window, around the middle, that `cut` takes: its start and stop by number of axis.

    Parameters are those of `cut`. Nothing is in it where not even one element would do.
    """
    subject = array if isinstance(array, Subject) else subject_of(array)
    asked = asked_of(subject, axes, at, None, most, max_bytes)
    return largest_window(subject.array.layout, asked, max_bytes)


def others(
    array: Array | Subject,
    axes: Sequence[Key] | None = (),
    at: Places | None = None,
    *,
    max_bytes: int = MAX_BYTES,
) -> tuple[Axis, ...]:
    """Return the axes that a picture does not show, with the one index at which each is cut.

    Parameters are those of `cut`.
    """
    subject = array if isinstance(array, Subject) else subject_of(array)
    asked = asked_of(subject, axes, at, None, MOST, max_bytes)
    return tuple(
        _axis(subject, number, taken, max_bytes)
        for number, taken in enumerate(asked.selection)
        if number not in asked.numbers
    )


def _read(array: Array, numbers: tuple[int, ...], selection: tuple[slice, ...]) -> np.ndarray[Any, Any]:
    """Read a selection; the shown axes in their order, without the others."""
    if not selection:
        return np.asarray(array[...], array.dtype).reshape(())
    stored = np.asarray(array[selection])
    others = tuple(number for number in range(stored.ndim) if number not in numbers)
    return stored.transpose(*numbers, *others).reshape([stored.shape[number] for number in numbers])


def _axis(subject: Subject, number: int, taken: slice, max_bytes: int) -> Axis:
    count = len(range(taken.start, taken.stop, taken.step))
    found = coordinates_along(subject, number, taken, max_bytes)
    place = (subject.label(number), number, taken.start, taken.step, count)
    if found is None:
        return Axis(*place, is_down=True)
    return Axis(*place, found.values, found.units, found.long_name, found.is_down)
