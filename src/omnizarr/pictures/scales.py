"""Where the points of an axis are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.pictures.cut import Axis

Floats: TypeAlias = NDArray[np.float64]

# Days are counted from here, as matplotlib does.
_DAY = np.timedelta64(86_400_000, "ms")
_EVEN = 1e-3
_TICKS = 7
_LONGEST_LABEL = 24
# What matplotlib has dates for.
_FIRST, _LAST = np.datetime64("0001-01-02"), np.datetime64("9999-12-30")


@dataclass(frozen=True, slots=True)
class Scale:
    """Places along an axis.

    Attributes
    ----------
    places
        Where the points are: coordinates, or days since 1970, or indices.
    is_bare
        Whether they are indices for want of coordinates.
    is_time
        Whether they are days.
    labels
        What the points are called, where places do not tell.
    """

    places: Floats
    is_bare: bool = False
    is_time: bool = False
    labels: tuple[str, ...] | None = None

    @property
    def edges(self) -> Floats:
        """Where cells meet: halfway between points."""
        if len(self.places) == 1:
            return np.array([self.places[0] - 0.5, self.places[0] + 0.5])
        halves = np.diff(self.places) / 2
        middles = self.places[:-1] + halves
        first, last = self.places[0] - halves[0], self.places[-1] + halves[-1]
        return np.concatenate([[first], middles, [last]])

    @property
    def ends(self) -> tuple[float, float]:
        """The first and the last edge."""
        edges = self.edges
        return float(edges[0]), float(edges[-1])

    @property
    def is_even(self) -> bool:
        """Whether all points are equally far apart, as the pixels of an image are."""
        steps = np.diff(self.places)
        if steps.size < 2:
            return True
        return bool(np.ptp(steps) <= _EVEN * abs(steps.mean()))

    def ticks(self) -> tuple[Floats, list[str]]:
        """Return some places, and what the points there are called."""
        chosen = np.unique(np.linspace(0, len(self.places) - 1, _TICKS).round().astype(int))
        labels = self.labels or ()
        texts = [labels[at] for at in chosen]
        return self.places[chosen], [
            text[: _LONGEST_LABEL - 1] + "…" if len(text) > _LONGEST_LABEL else text for text in texts
        ]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…"


def scale_of(axis: Axis) -> Scale:
    """Return where the points of an axis are drawn.

    Coordinates that do not rise or fall all the way, texts, and times of other calendars are labels of
    indices.
    """
    indices = axis.start + axis.step * np.arange(axis.count, dtype="f8")
    found = axis.coordinates
    if found is None:
        return Scale(indices, is_bare=True)
    if found.dtype.kind in "iuf":
        places = found.astype("f8")
        return Scale(places) if _is_monotonic(places) else Scale(indices, labels=_labels(found))
    days = _days(found)
    return Scale(indices, labels=_labels(found)) if days is None else Scale(days, is_time=True)


def _is_monotonic(places: Floats) -> bool:
    steps = np.diff(places)
    return bool(np.isfinite(places).all() and ((steps > 0).all() or (steps < 0).all()))


def _labels(found: NDArray[Any]) -> tuple[str, ...]:
    texts = found.tolist()
    return tuple(text if isinstance(text, str) else f"{text:.6g}" for text in texts)


def _days(texts: NDArray[Any]) -> Floats | None:
    """Return times as days since 1970; None where they are none of Gregory's calendar, or not in order."""
    try:
        times = texts.astype("M8[ms]")
    except ValueError:
        return None
    if not len(texts[0]) >= len("2000-01") or np.isnat(times).any():
        return None
    if times.min() < _FIRST or times.max() > _LAST:
        return None
    days = (times - np.datetime64(0, "ms")) / _DAY
    return days if _is_monotonic(days) else None
