"""Selections of a variable, where assigning past the end of an unlimited dimension makes it longer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import SelectionError

Index: TypeAlias = "int | slice | NDArray[Any]"


class OutsideError(SelectionError, RuntimeError):
    """An index past the end of an axis that cannot grow; also a RuntimeError, as in netCDF4-python."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where an assignment goes: one index for each axis, and the shape that the variable needs for it."""

    indices: tuple[Index, ...]
    shape: tuple[int, ...]


def normalized(key: Any, ndim: int) -> tuple[Index, ...]:
    """Return one index for each axis; an ellipsis and what is left out are whole axes.

    Raises
    ------
    SelectionError
        There are too many indices, or one that is none.
    """
    parts = list(key) if isinstance(key, tuple) else [key]
    if not ndim and len(parts) == 1 and _is_whole(parts[0]):
        return ()
    ellipses = [at for at, part in enumerate(parts) if part is Ellipsis]
    if len(ellipses) > 1:
        raise SelectionError("expected one ellipsis at most")
    at = ellipses[0] if ellipses else len(parts)
    missing = ndim - (len(parts) - len(ellipses))
    if missing < 0:
        raise SelectionError(f"expected {ndim} indices at most, found {len(parts) - len(ellipses)}")
    parts[at : at + 1] = [slice(None)] * missing
    return tuple(map(_index, parts))


def _is_whole(part: Any) -> bool:
    """Say whether an index means all of a scalar: `:`, 0 or `[0]`."""
    if isinstance(part, slice):
        return part == slice(None)
    return part is not Ellipsis and part is not None and np.array_equal(np.ravel(part), [0])


def is_orthogonal(indices: Sequence[Index]) -> bool:
    """Say whether there are index arrays, which netCDF takes for each axis independently."""
    return any(isinstance(index, np.ndarray) for index in indices)


def growing(
    indices: Sequence[Index], shape: Sequence[int], unlimited: Sequence[bool], data_shape: Sequence[int]
) -> Target:
    """Return where data of a shape go, and how long that makes unlimited axes.

    A slice without an end along an unlimited axis is as long as the data are.

    Raises
    ------
    SelectionError
        An index lies past the end of an axis that cannot grow.
    """
    lengths = _lengths(indices, data_shape)
    if not data_shape and len(indices) == 1 and not shape[0]:
        # One value for the whole of a variable that is still empty: netCDF4-python makes it the first.
        lengths = [1]
    result: list[Index] = []
    needed: list[int] = []
    for index, size, grows, length in zip(indices, shape, unlimited, lengths, strict=True):
        if not grows:
            result.append(index)
            needed.append(size)
            continue
        resolved, end = _resolved(index, size, length)
        result.append(resolved)
        needed.append(max(size, end))
    return Target(tuple(result), tuple(needed))


def fitted(values: NDArray[Any], target: Target) -> NDArray[Any]:
    """Return data in the shape of the selection that they go to.

    As in netCDF4-python data of another number of axes are taken in their order where they are as many as
    the selection; else they are broadcast.

    Raises
    ------
    SelectionError
        An index lies outside, or the data do not fit.
    """
    lengths = [_length(*pair) for pair in zip(target.indices, target.shape, strict=True)]
    shape = tuple(length for length in lengths if length is not None)
    if values.shape == shape:
        return values
    unsqueezed = tuple(1 if length is None else length for length in lengths)
    is_alike = values.ndim != len(lengths) or _squeezed(values.shape) == _squeezed(shape)
    if is_alike and values.size == prod(shape):
        return values.reshape(shape)
    try:
        # A broadcast of one value costs nothing; reshaped it would be copied.
        return np.broadcast_to(values, unsqueezed if values.ndim else shape).reshape(shape)
    except ValueError:
        message = f"could not broadcast data of shape {values.shape} into a selection of shape {shape}"
        raise SelectionError(message) from None


def _squeezed(shape: Sequence[int]) -> list[int]:
    return [length for length in shape if length != 1]


def _length(index: Index, size: int) -> int | None:
    """Return how many places an index takes along an axis; None for an integer.

    Raises
    ------
    SelectionError
        It lies outside.
    """
    if isinstance(index, slice):
        return len(range(*index.indices(size)))
    if isinstance(index, int):
        _check_inside(index, index, size)
        return None
    if index.dtype == bool:
        if len(index) != size:
            raise SelectionError(f"expected {size} booleans for an axis of that length, found {len(index)}")
        return int(np.count_nonzero(index))
    if len(index):
        _check_inside(int(index.min()), int(index.max()), size)
    return len(index)


def _check_inside(low: int, high: int, size: int) -> None:
    if low < -size or high >= size:
        wrong = low if low < -size else high
        raise OutsideError(f"index {wrong} lies outside of an axis of length {size}")


def _index(part: Any) -> Index:
    if isinstance(part, slice):
        return part
    if isinstance(part, int | np.integer) and not isinstance(part, bool):
        return int(part)
    values = np.asarray(part)
    if values.ndim == 0 and values.dtype.kind in "fSU":
        return _whole_number(part)
    if values.size == 0 and values.ndim == 1:
        return values.astype(np.intp)
    if values.ndim == 0 and values.dtype.kind in "iu":
        return int(values)
    if values.ndim != 1 or values.dtype.kind not in "iub":
        raise SelectionError(
            f"expected an integer, a slice, or a list of integers or booleans, found {part!r}"
        )
    return values


def _whole_number(part: Any) -> int:
    """Return the integer that a float or a text is: netCDF4-python takes these too."""
    try:
        number = int(part)
    except (ValueError, OverflowError):
        number = None
    if number is None or (not isinstance(part, str | bytes) and number != part):
        raise SelectionError(f"expected an integer, found {part!r}")
    return number


def _lengths(indices: Sequence[Index], data_shape: Sequence[int]) -> list[int | None]:
    """Return how long the data are along each axis; None where they do not say."""
    axes = [at for at, index in enumerate(indices) if not isinstance(index, int)]
    # Data may keep axes of length 1 where there is an integer index.
    trailing = list(data_shape) if len(data_shape) < len(indices) else _without_integers(indices, data_shape)
    found: list[int | None] = [None] * len(indices)
    for axis, length in zip(reversed(axes), reversed(trailing), strict=False):
        found[axis] = length
    return found


def _without_integers(indices: Sequence[Index], data_shape: Sequence[int]) -> list[int]:
    own = list(data_shape)[len(data_shape) - len(indices) :]
    return [length for index, length in zip(indices, own, strict=True) if not isinstance(index, int)]


def _resolved(index: Index, size: int, length: int | None) -> tuple[Index, int]:
    """Return an index along an unlimited axis without open ends, and the length that it needs."""
    if isinstance(index, int):
        at = index + size if index < 0 else index
        if at < 0:
            raise SelectionError(f"index {index} lies before the start of an axis of length {size}")
        return at, at + 1
    if isinstance(index, slice):
        return _resolved_slice(index, size, length)
    places = np.flatnonzero(index) if index.dtype == bool else np.where(index < 0, index + size, index)
    if places.size and int(places.min()) < 0:
        raise SelectionError(f"index {int(index.min())} lies before the start of an axis of length {size}")
    return places, int(places.max()) + 1 if places.size else 0


def _resolved_slice(index: slice, size: int, length: int | None) -> tuple[slice, int]:
    step = 1 if index.step is None else index.step
    if step < 0:
        return index, 0
    start = 0 if index.start is None else index.start
    start = max(0, start + size) if start < 0 else start
    if index.stop is None:
        count = max(0, -(-(size - start) // step)) if length is None else length
        stop = start + max(0, (count - 1) * step + 1) if count > 0 else start
    else:
        stop = index.stop + size if index.stop < 0 else index.stop
    taken = range(start, max(start, stop), step)
    return slice(start, max(start, stop), step), taken[-1] + 1 if taken else 0
