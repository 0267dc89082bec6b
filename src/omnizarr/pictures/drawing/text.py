"""A picture as text: what it is, its points, and what their colours mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import colormaps

from omnizarr.pictures.cut import Axis, Picture
from omnizarr.pictures.drawing.figure import Style, check_drawable, norm_of, numbers_of
from omnizarr.pictures.terminals.ability import Colours
from omnizarr.pictures.terminals.blocks import heat_map, line, shaded

_BAR = 32
# Beside the picture itself: the title, what the axes are, the bar of colours, and the next prompt.
_LINES = 5


@dataclass(frozen=True, slots=True)
class Room:
    """How many characters there are for a picture, and their colours."""

    columns: int
    rows: int
    colours: Colours

    @classmethod
    def within(cls, columns: int, lines: int, colours: Colours) -> Room:
        """Return the room in a terminal of a size."""
        return cls(max(10, columns - 1), max(4, min(40, lines - _LINES)), colours)

    @property
    def most(self) -> tuple[int, int]:
        """How many points a picture should have at most; a line has two in each column."""
        return 2 * self.rows, 2 * self.columns


def as_text(picture: Picture, style: Style, room: Room) -> Iterator[str]:
    """Yield the lines of a picture.

    Raises
    ------
    SelectionError
        There is nothing to draw.
    """
    check_drawable(picture)
    norm = norm_of(picture, style)
    values = numbers_of(picture, style)
    if style.title:
        yield style.title
    if len(picture.axes) == 1:
        shares = np.ma.masked_array(norm(values)).filled(np.nan)
        yield from line(np.asarray(shares, "f8"), room.columns, min(room.rows, 16))
        limits = f"{_with_units(norm.vmin, None)} to {_with_units(norm.vmax, picture.units)}"
        yield f"{_told(picture.axes[0])}; values {limits}"
    else:
        values = _fitted(values, picture.axes[0], room)
        yield from _map(values, norm, style, room.colours)
        yield "; ".join(map(_told, picture.axes))
        yield _bar(norm, style, picture.units, room.colours)
    if picture.note:
        yield picture.note


def _fitted(values: Any, rows: Axis, room: Room) -> Any:
    """Return values with the first row on top, left out or repeated to fill the room."""
    found = rows.coordinates
    rises = found is not None and found.dtype.kind in "iuf" and found[-1] >= found[0]
    if rises is not rows.is_down and found is not None:
        values = values[::-1]
    wanted = (2 * room.rows, room.columns)
    if found is None:  # elements of an image are square
        share = min(size / points for size, points in zip(wanted, values.shape, strict=True))
        wanted = tuple(max(1, round(points * share)) for points in values.shape)
    rows_, columns = (
        np.arange(size) * points // size for size, points in zip(wanted, values.shape, strict=True)
    )
    return values[rows_][:, columns]


def _map(values: Any, norm: Any, style: Style, colours: Colours) -> Iterator[str]:
    shares = np.ma.masked_array(norm(values))
    is_shown = ~np.ma.getmaskarray(shares)
    if colours == "none":
        yield from shaded(np.asarray(shares.filled(0.0), "f8"), is_shown)
        return
    painted = _cmap(style)(shares.filled(0.0), bytes=True)
    yield from heat_map(painted[..., :3], is_shown, colours)


def _cmap(style: Style) -> Any:
    return colormaps[style.cmap] if isinstance(style.cmap, str) else style.cmap


def _bar(norm: Any, style: Style, units: str | None, colours: Colours) -> str:
    steps = np.linspace(0, 1, _BAR)[None]
    known = np.ones_like(steps, bool)
    if colours == "none":
        [bar] = shaded(steps, known)
    else:
        painted = _cmap(style)(steps, bytes=True)[..., :3]
        [bar] = heat_map(np.repeat(painted, 2, 0), np.repeat(known, 2, 0), colours)
    return f"{norm.vmin:g} {bar} {_with_units(norm.vmax, units)}"


def _told(axis: Axis) -> str:
    last = axis.start + axis.step * (axis.count - 1)
    found = axis.coordinates
    ends = (axis.start, last) if found is None else (_short(found[0]), _short(found[-1]))
    return f"{axis.name} {ends[0]} to {ends[1]}{f' {axis.units}' if axis.units else ''}"


def _short(value: Any) -> str:
    return str(value) if isinstance(value, str) else f"{value:g}"


def _with_units(value: float | None, units: str | None) -> str:
    return f"{value or 0:g} {units}" if units else f"{value or 0:g}"
