"""Pieces of an array that come one after another, put together until they fill stored chunks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Span: TypeAlias = "tuple[int, int]"
Piece: TypeAlias = "tuple[Any, NDArray[Any]]"
"""Where in an array, and what."""


class Gathered:
    """Pieces that lie behind one another along an axis, until they fill stored chunks.

    Parameters
    ----------
    lengths
        The shape of a stored chunk.
    """

    def __init__(self, lengths: tuple[int, ...]) -> None:
        self._lengths = lengths
        self._parts: list[NDArray[Any]] = []
        self._spans: list[Span] = []
        self._axis = 0

    def add(self, selection: Any, data: NDArray[Any]) -> Iterator[Piece]:
        """Yield what can be written, now that one more piece is there."""
        spans = _spans(selection, data.shape, len(self._lengths))
        if spans is None:
            yield from self.rest()
            yield selection, data
            return
        if not self._continued_by(spans):
            yield from self.rest()
            self._spans, self._axis = spans, _first_axis(selection)
        start, _ = self._spans[self._axis]
        stop = spans[self._axis][1]
        self._spans[self._axis] = (start, stop)
        self._parts.append(data)
        unit = self._lengths[self._axis]
        if (whole := stop // unit * unit) > start:
            yield from self._until(whole)

    def rest(self) -> Iterator[Piece]:
        """Yield what waited for more."""
        if self._parts:
            yield from self._until(self._spans[self._axis][1])

    def _continued_by(self, spans: list[Span]) -> bool:
        if not self._parts:
            return False
        return all(
            new[0] == old[1] if i == self._axis else new == old
            for i, (new, old) in enumerate(zip(spans, self._spans, strict=True))
        )

    def _until(self, end: int) -> Iterator[Piece]:
        axis, (start, stop) = self._axis, self._spans[self._axis]
        values = self._parts[0] if len(self._parts) == 1 else np.concatenate(self._parts, axis)
        cut: list[slice] = [slice(None)] * values.ndim
        cut[axis] = slice(0, end - start)
        place = [slice(*span) for span in self._spans]
        place[axis] = slice(start, end)
        self._parts = []
        if end < stop:
            cut_off = list(cut)
            cut_off[axis] = slice(end - start, None)
            # A copy, that the piece it came from may go.
            self._parts = [values[tuple(cut_off)].copy()]
        self._spans[axis] = (end, stop)
        yield tuple(place), values[tuple(cut)]


def _spans(selection: Any, shape: tuple[int, ...], ndim: int) -> list[Span] | None:
    """Return where a piece starts and ends along each axis, or None where it is no block."""
    given = selection if isinstance(selection, tuple) else (selection,)
    if len(shape) != ndim or len(given) > ndim or not all(isinstance(part, slice) for part in given):
        return None
    spans = []
    for part, length in zip((*given, *(slice(None),) * (ndim - len(given))), shape, strict=True):
        start = part.start or 0
        stop = start + length if part.stop is None else part.stop
        if part.step not in (None, 1) or start < 0 or stop - start != length:
            return None
        spans.append((start, stop))
    return spans


def _first_axis(selection: Any) -> int:
    given = selection if isinstance(selection, tuple) else (selection,)
    return next((i for i, part in enumerate(given) if part != slice(None)), 0)
