"""Selections of a variable, where assigning past the end of an unlimited dimension makes it longer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import SelectionError

Index: TypeAlias = "int | slice | NDArray[Any]"


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
    if not ndim and len(parts) == 1 and isinstance(parts[0], slice) and parts[0] == slice(None):
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


def _index(part: Any) -> Index:
    if isinstance(part, slice):
        return part
    if isinstance(part, int | np.integer) and not isinstance(part, bool):
        return int(part)
    values = np.asarray(part)
    if values.size == 0 and values.ndim == 1:
        return values.astype(np.intp)
    if values.ndim == 0 and values.dtype.kind in "iu":
        return int(values)
    if values.ndim != 1 or values.dtype.kind not in "iub":
        raise SelectionError(
            f"expected an integer, a slice, or a list of integers or booleans, found {part!r}"
        )
    return values


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
