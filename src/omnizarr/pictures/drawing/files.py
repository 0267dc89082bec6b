"""A picture as a file's bytes, or as a terminal shows it."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
from matplotlib import colormaps, rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from omnizarr.pictures.drawing.figure import Style
from omnizarr.pictures.terminals.ability import Protocol
from omnizarr.pictures.terminals.pixels import iterm2, kitty, sixel

# Texts stay texts, and equal pictures make equal files.
_FILES: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "omnizarr", "pdf.fonttype": 42}
_DATES = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}


def style_of(
    cmap: str,
    limits: tuple[float, float] | None,
    is_log: bool,
    title: str | None,
    size: tuple[float, float],
    dpi: float,
) -> Style:
    """Return how a picture is drawn.

    Raises
    ------
    ValueError
        There are no colours of this name.
    """
    if cmap not in colormaps:
        raise ValueError(f"--cmap: matplotlib knows no colours called {cmap!r}")
    return Style(cmap, limits, is_log, title, size, dpi)


def file_of(figure: Figure, form: str) -> bytes:
    """Return a figure as a file: png, svg or pdf."""
    stream = BytesIO()
    with rc_context(_FILES):
        figure.savefig(stream, format=form, metadata=_DATES[form])
    return stream.getvalue()


def sequence_of(figure: Figure, protocol: Protocol) -> bytes:
    """Return a figure as the escape sequence of a terminal that shows pixels."""
    if protocol == "kitty":
        return kitty(file_of(figure, "png"))
    if protocol == "iterm2":
        return iterm2(file_of(figure, "png"))
    canvas = figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    canvas.draw()  # type: ignore[no-untyped-call]
    image = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
    return sixel(image[..., :3])
