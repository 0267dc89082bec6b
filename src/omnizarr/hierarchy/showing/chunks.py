"""A small drawing of how an array is cut into chunks, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log2

from omnizarr.geometry.grid import Axis

# Pixels of the longest axis, and of the shortest that can be seen.
_LONGEST, _SHORTEST = 120.0, 14.0
# Lines that are nearer to one another than this are grey, and none is seen.
_NEAREST = 3.0
_SLANT = 0.4
_MARGIN = 4.0
_LABEL = 16.0


def drawn(axes: Sequence[Axis]) -> str:
    """Return the box of the last three axes with the lines along which chunks meet; nothing for a scalar.

    Lengths are shown by their logarithms, where they differ much.
    """
    lengths = [axis.length for axis in axes]
    if not lengths or not all(lengths):
        return ""
    shown = axes[-3:]
    sizes = _sizes([axis.length for axis in shown])
    if len(shown) == 1:
        return _svg(sizes[0], 2 * _SHORTEST, 0.0, [_face(shown[0], None, sizes[0], 2 * _SHORTEST)], shown)
    *deep, height, width = sizes
    depth = _SLANT * deep[0] if deep else 0.0
    pieces = [_face(shown[-1], shown[-2], width, height, depth, depth)]
    if deep:
        pieces += [_top(shown[0], width, depth), _side(shown[0], width, height, depth)]
    return _svg(width, height, depth, pieces, shown)


def _sizes(lengths: Sequence[int]) -> list[float]:
    longest = max(lengths)
    if longest <= 8 * min(lengths):
        return [max(_SHORTEST, _LONGEST * length / longest) for length in lengths]
    return [_SHORTEST + (_LONGEST - _SHORTEST) * log2(length) / log2(longest) for length in lengths]


def _cuts(axis: Axis | None, size: float) -> Iterator[float]:
    """Yield where chunks meet along an axis; nowhere, if that is too near to be seen."""
    if axis is None or axis.count > size / _NEAREST:
        return
    for chunk in range(1, axis.count):
        yield size * axis.start(chunk) / axis.length


def _face(
    columns: Axis, rows: Axis | None, width: float, height: float, x: float = 0.0, y: float = 0.0
) -> str:
    """Return the front: a rectangle with lines."""
    across = "".join(f"M{x + at:.1f} {y:.1f}v{height:.1f}" for at in _cuts(columns, width))
    down = "".join(f"M{x:.1f} {y + at:.1f}h{width:.1f}" for at in _cuts(rows, height))
    box = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'
    return box + _lines(across + down)


def _top(axis: Axis, width: float, depth: float) -> str:
    shape = f'<path d="M0 0h{width:.1f}l{depth:.1f} {depth:.1f}h{-width:.1f}z"/>'
    return shape + _lines("".join(f"M{at:.1f} {at:.1f}h{width:.1f}" for at in _cuts(axis, depth)))


def _side(axis: Axis, width: float, height: float, depth: float) -> str:
    """Return the left side, which goes back to the upper left as the top does."""
    shape = f'<path d="M0 0v{height:.1f}l{depth:.1f} {depth:.1f}v{-height:.1f}z"/>'
    return shape + _lines("".join(f"M{at:.1f} {at:.1f}v{height:.1f}" for at in _cuts(axis, depth)))


def _lines(path: str) -> str:
    return f'<path d="{path}" fill="none" opacity=".6"/>' if path else ""


def _svg(width: float, height: float, depth: float, pieces: Sequence[str], shown: Sequence[Axis]) -> str:
    wide, high = width + depth + 2 * _MARGIN, height + depth + 2 * _MARGIN + _LABEL
    label = " × ".join(str(axis.length) for axis in shown)
    wide = max(wide, 7.0 * len(label))
    return (
        f'<svg width="{wide:.0f}" height="{high:.0f}" role="img" aria-label="chunks">'
        f'<g transform="translate({_MARGIN:.0f} {_MARGIN:.0f})">{"".join(pieces)}</g>'
        f'<text x="{_MARGIN:.0f}" y="{high - _MARGIN:.0f}">{label}</text></svg>'
    )
