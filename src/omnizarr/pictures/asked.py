"""What is asked of a picture: which axes are shown, which part of each, and where the others are cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from omnizarr.errors import SelectionError
from omnizarr.pictures.coordinates import index_of
from omnizarr.pictures.subject import Subject

Key: TypeAlias = "int | str"
Place: TypeAlias = "int | float | str"
Window: TypeAlias = "tuple[int, int]"
# A mapping of one kind of keys is none of both.
Places: TypeAlias = "Mapping[int, Place] | Mapping[str, Place] | Mapping[Key, Place]"
Windows: TypeAlias = "Mapping[int, Window] | Mapping[str, Window] | Mapping[Key, Window]"


@dataclass(frozen=True, slots=True)
class Asked:
    """What to read of an array.

    Attributes
    ----------
    numbers
        The axes that are shown, rows before columns.
    selection
        What to take of each axis; one element of those that are not shown.
    most
        How many points each shown axis has at most.
    """

    numbers: tuple[int, ...]
    selection: tuple[slice, ...]
    most: tuple[int, ...]


def asked_of(
    subject: Subject,
    axes: Sequence[Key] | None,
    at: Places | None,
    window: Windows | None,
    most: tuple[int, int] | int,
    max_bytes: int,
) -> Asked:
    """Check what is asked for, by the names and lengths of a subject's axes.

    Raises
    ------
    SelectionError
        There is no such axis, place or window.
    """
    numbers = shown_axes(subject, axes)
    limits = limits_of(most, len(numbers))
    shape = subject.array.shape
    taken = [slice(0, min(1, length), 1) for length in shape]
    for key, place in (at or {}).items():
        number = axis_number(subject, key)
        if number in numbers:
            raise SelectionError(f"{subject.label(number)} is shown; only other axes are cut at a place")
        index = index_in(subject, number, place, max_bytes)
        taken[number] = slice(index, index + 1, 1)
    windows = {axis_number(subject, key): bounds for key, bounds in (window or {}).items()}
    for number, limit in zip(numbers, limits, strict=True):
        start, stop = _window(subject, number, windows.pop(number, (0, shape[number])))
        taken[number] = thinned(start, stop, limit)
    for number in windows:
        raise SelectionError(f"window: {subject.label(number)} is not among the axes that are shown")
    return Asked(numbers, tuple(taken), limits)


def axis_number(subject: Subject, key: Key) -> int:
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
        digits = key.removeprefix("axis ")
        number = int(digits) if digits.isdecimal() and len(digits) < 4 else ndim
    else:
        number = key
    if not -ndim <= number < ndim:
        known = ", ".join(f"{name} ({i})" if name else str(i) for i, name in enumerate(subject.names))
        raise SelectionError(f"axis {key!r}: expected {f'one of {known}' if known else 'none'}")
    return number % ndim


def shown_axes(subject: Subject, axes: Sequence[Key] | None) -> tuple[int, ...]:
    """Return the numbers of the axes to show: the last two of `()`, and of None none."""
    if axes is None:
        return ()
    chosen = [axes] if isinstance(axes, str) else axes
    numbers = tuple(axis_number(subject, axis) for axis in chosen) or tuple(range(subject.array.ndim))[-2:]
    if len(set(numbers)) != len(numbers) or len(numbers) > 2:
        raise SelectionError(f"axes: expected one or two different ones, found {list(chosen)}")
    return numbers


def limits_of(most: tuple[int, int] | int, count: int) -> tuple[int, ...]:
    """Return how many points each shown axis has at most; a single axis is one of columns."""
    limits = (most, most) if isinstance(most, int) else tuple(most)
    if len(limits) != 2 or min(limits) < 1:
        raise SelectionError(f"most: expected one or two numbers of at least 1, found {most}")
    return limits[2 - count :]


def index_in(subject: Subject, number: int, place: Place, max_bytes: int) -> int:
    """Return the index along an axis that an index or a coordinate means."""
    length = subject.array.shape[number]
    if isinstance(place, bool) or not isinstance(place, int):
        return index_of(subject, number, place, max_bytes)
    if not -length <= place < length:
        raise SelectionError(
            f"{subject.label(number)}: index {place} lies outside of an axis of {length} elements"
        )
    return place % length


def thinned(start: int, stop: int, most: int) -> slice:
    """Return every n-th index of a window, `most` at most."""
    return slice(start, stop, max(1, -(-(stop - start) // most)))


def _window(subject: Subject, number: int, bounds: Window) -> Window:
    length = subject.array.shape[number]
    start, stop = bounds
    if 0 <= start < stop <= length or (start, stop, length) == (0, 0, 0):
        return start, stop
    raise SelectionError(
        f"window of {subject.label(number)}: expected 0 <= start < stop <= {length}, found {start}:{stop}"
    )
