"""Coarse pictures of characters: two points of a heat map in each, or a line of dots."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.pictures.terminals.ability import Colours

Colouring: TypeAlias = NDArray[np.uint8]

_UPPER, _LOWER = "▀", "▄"
_RESET = "\x1b[0m"
_SHADES = " ░▒▓█"
# Dots of a character of Braille, by column and row from the top.
_DOTS = np.array([[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]])
_BRAILLE = 0x2800
# The levels of the 216 colours that terminals of 256 have, from number 16 on.
_LEVELS = np.array([0, 95, 135, 175, 215, 255])


def heat_map(colours: Colouring, is_shown: NDArray[np.bool_], kind: Colours) -> Iterator[str]:
    """Yield lines of a heat map, each of two rows of points; those that are missing are blank.

    Parameters
    ----------
    colours
        Red, green and blue of each point.
    """
    if len(colours) % 2:
        colours = np.concatenate([colours, np.zeros_like(colours[:1])])
        is_shown = np.concatenate([is_shown, np.zeros_like(is_shown[:1])])
    for top in range(0, len(colours), 2):
        pairs = zip(colours[top], colours[top + 1], is_shown[top], is_shown[top + 1], strict=True)
        yield "".join(_pair(*pair, kind) for pair in pairs) + _RESET


def _pair(upper: Any, lower: Any, has_upper: bool, has_lower: bool, kind: Colours) -> str:
    if has_upper and has_lower:
        return f"\x1b[{_code(upper, 38, kind)};{_code(lower, 48, kind)}m{_UPPER}"
    if not has_upper and not has_lower:
        return f"{_RESET} "
    colour, character = (upper, _UPPER) if has_upper else (lower, _LOWER)
    return f"{_RESET}\x1b[{_code(colour, 38, kind)}m{character}"


def _code(colour: Any, place: int, kind: Colours) -> str:
    """Return the parameters that set a colour; `place` is 38 for characters and 48 for what is behind."""
    if kind == "true":
        return f"{place};2;{colour[0]};{colour[1]};{colour[2]}"
    red, green, blue = np.abs(_LEVELS[None] - np.asarray(colour, int)[:, None]).argmin(1).tolist()
    return f"{place};5;{16 + 36 * red + 6 * green + blue}"


def shaded(shares: NDArray[np.float64], is_shown: NDArray[np.bool_]) -> Iterator[str]:
    """Yield lines of a heat map without colours: the greater, the darker; what is missing is a dot.

    A character is two points high, so every other row is left out.
    """
    steps = np.clip((np.nan_to_num(shares) * len(_SHADES)).astype(int), 0, len(_SHADES) - 1)
    for row, known in zip(steps[::2], is_shown[::2], strict=True):
        yield "".join(_SHADES[step] if there else "·" for step, there in zip(row, known, strict=True))


def line(shares: NDArray[np.float64], columns: int, rows: int) -> Iterator[str]:
    """Yield lines of dots: values from 0, at the bottom, to 1, joined up and down; NaN leaves a gap."""
    wide, high = 2 * columns, 4 * rows
    cells = np.zeros((rows, columns), int)
    for at, low, top in _spans(shares, wide):
        first, last = (round((1 - min(max(share, 0.0), 1.0)) * (high - 1)) for share in (top, low))
        for dot in range(first, last + 1):
            cells[dot // 4, at // 2] |= _DOTS[at % 2, dot % 4]
    for row in cells:
        yield "".join(chr(_BRAILLE + cell) if cell else " " for cell in row.tolist())


def _spans(shares: NDArray[np.float64], wide: int) -> Iterator[tuple[int, float, float]]:
    """Yield for each column of dots the least and the greatest of its values, joined to the one before."""
    if 1 < len(shares) < wide:
        shares = np.interp(np.linspace(0, len(shares) - 1, wide), np.arange(len(shares)), shares)
    count = len(shares)
    before = np.nan
    for at in range(wide if count > 1 else 1):
        start = at * count // wide
        own = shares[start : max(start + 1, (at + 1) * count // wide)]
        joined = own if np.isnan(before) else np.append(own, (before + own[0]) / 2)
        before = own[-1]
        if not np.isnan(joined).all():
            yield at, float(np.nanmin(joined)), float(np.nanmax(joined))
