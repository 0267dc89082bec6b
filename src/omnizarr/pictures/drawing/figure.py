"""Pictures drawn by matplotlib: a heat map of two axes, a line of one.

Nothing of matplotlib's state is used or changed: no pyplot, no styles.

https://matplotlib.org/stable/api/figure_api.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, LogNorm, Normalize
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure

from omnizarr.errors import SelectionError
from omnizarr.pictures.cut import Axis, Picture
from omnizarr.pictures.scales import Scale, scale_of

_MISSING = "0.85"
_HATCH = "0.65"
# Lines of fewer points show them.
_FEW = 50


@dataclass(frozen=True, slots=True)
class Style:
    """How a picture is drawn.

    Attributes
    ----------
    limits
        The least and the greatest value that have a colour or a place of their own; None for those of the
        values.
    size
        Width and height in inches.
    """

    cmap: str | Colormap = "viridis"
    limits: tuple[float, float] | None = None
    is_log: bool = False
    title: str | None = None
    size: tuple[float, float] = (8.0, 5.0)
    dpi: float = 100.0


def draw(picture: Picture, style: Style | None = None) -> Figure:
    """Return a figure of a picture; of missing values, a hatched ground is seen.

    Raises
    ------
    SelectionError
        There is nothing to draw: texts, or a single value; or no values that a logarithm has.
    """
    style = style or Style()
    check_drawable(picture)
    figure = Figure(figsize=style.size, dpi=style.dpi, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    if len(picture.axes) == 2:
        _draw_map(figure, axes, picture, style)
    else:
        _draw_line(axes, picture, style)
    if style.title:
        axes.set_title(_literal(style.title), fontsize="medium", wrap=True)
    if picture.note:
        figure.text(0.005, 0.005, _literal(picture.note), fontsize="x-small", color="0.4")
    return figure


def check_drawable(picture: Picture) -> None:
    """Refuse what cannot be drawn.

    Raises
    ------
    SelectionError
        The values are texts, or there is just one.
    """
    if picture.values.dtype.kind not in "biuf":
        raise SelectionError("the values are texts, which cannot be drawn")
    if not picture.axes:
        raise SelectionError(f"there is one value, and nothing to draw: {picture.values[()]}")


def norm_of(picture: Picture, style: Style) -> Normalize:
    """Return how values become shares of the way between the least and the greatest.

    Raises
    ------
    SelectionError
        A logarithm is asked for, and no value has one; or limits have none.
    """
    found = numbers_of(picture, style).compressed()
    default = (0.0, 0.0 if style.is_log else 1.0)
    low, high = style.limits or ((found.min(), found.max()) if found.size else default)
    if not style.is_log:
        return Normalize(low, high)
    if low <= 0:
        raise SelectionError(f"a logarithmic scale needs values above 0, found {low:g} to {high:g}")
    return LogNorm(low, high)


def numbers_of(picture: Picture, style: Style) -> Any:
    """Return the values that have a place on the scale; others are masked."""
    found = np.ma.masked_invalid(picture.values.astype("f8"))
    return np.ma.masked_less_equal(found, 0) if style.is_log else found


def _draw_map(figure: Figure, axes: Axes, picture: Picture, style: Style) -> None:
    rows, columns = (scale_of(axis) for axis in picture.axes)
    values = numbers_of(picture, style)
    look: dict[str, Any] = {"cmap": style.cmap, "norm": norm_of(picture, style)}
    if np.ma.is_masked(values):
        axes.patch.set(facecolor=_MISSING, edgecolor=_HATCH, hatch="////")
    is_image = rows.is_bare and columns.is_bare
    drawn: ScalarMappable
    if rows.is_even and columns.is_even:
        extent = (*columns.ends, *rows.ends)
        drawn = axes.imshow(values, origin="lower", extent=extent, aspect="auto", **look)
    else:
        drawn = axes.pcolormesh(columns.edges, rows.edges, values, rasterized=True, **look)
    if is_image:
        axes.set_aspect("equal")
    bottom, top = min(rows.ends), max(rows.ends)
    axes.set_ylim(*((top, bottom) if picture.axes[0].is_down else (bottom, top)))
    axes.set_xlim(min(columns.ends), max(columns.ends))
    _label(axes.xaxis, picture.axes[1], columns)
    _label(axes.yaxis, picture.axes[0], rows)
    extend = _extend(values, look["norm"]) if style.limits else "neither"
    figure.colorbar(drawn, ax=axes, label=_named(picture.long_name, picture.units), extend=extend)


def _extend(values: Any, norm: Normalize) -> str:
    below, above = bool(np.any(values < norm.vmin)), bool(np.any(values > norm.vmax))
    return ("both" if above else "min") if below else ("max" if above else "neither")


def _draw_line(axes: Axes, picture: Picture, style: Style) -> None:
    [axis] = picture.axes
    scale = scale_of(axis)
    values = numbers_of(picture, style)
    axes.plot(scale.places, values, marker="." if axis.count <= _FEW else "", linewidth=1.2)
    norm = norm_of(picture, style)
    if style.is_log:
        axes.set_yscale("log")
    if style.limits:
        axes.set_ylim(norm.vmin, norm.vmax)
    axes.grid(True, color="0.9")
    axes.set_ylabel(_named(picture.long_name, picture.units))
    _label(axes.xaxis, axis, scale)


def _label(drawn: Any, axis: Axis, scale: Scale) -> None:
    drawn.set_label_text(_named(axis.long_name or axis.name, axis.units))
    if scale.is_time:
        locator = AutoDateLocator()  # type: ignore[no-untyped-call]
        drawn.set_major_locator(locator)
        drawn.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    elif scale.labels is not None:
        places, texts = scale.ticks()
        drawn.set_ticks(places, list(map(_literal, texts)))


def _named(name: str | None, units: str | None) -> str:
    return _literal(f"{name or ''} [{units}]".strip() if units else name or "")


def _literal(text: str) -> str:
    """Return a text that is shown as it is: names come from data, and a dollar makes no formula."""
    return text.replace("$", r"\$")
