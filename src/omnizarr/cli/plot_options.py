"""What options of `omnizarr plot` look like."""

from __future__ import annotations

from math import isfinite
from typing import Any

import click


class Along(click.ParamType[Any]):
    """What is said of one axis: `lat=52.1`."""

    name = "axis=coordinate"
    example = "lat=52.1"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the axis and what is said."""
        axis, _, text = value.partition("=")
        try:
            found = self.read(text) if axis and text else None
        except ValueError:
            found = None
        if found is None:
            self.fail(f"expected {self.name} such as {self.example}, found {value!r}", param, ctx)
        return axis, found

    def read(self, text: str) -> Any:
        """Return what stands behind the equals sign."""
        return text


class Index(Along):
    """An index along an axis: `time=0`."""

    name = "axis=index"
    example = "time=0"

    def read(self, text: str) -> int:
        """Return it."""
        return int(text)


class Span(Along):
    """A part of an axis: `lat=10:200`."""

    name = "axis=start:stop"
    example = "lat=10:200"

    def read(self, text: str) -> tuple[int, int]:
        """Return its start and stop."""
        start, stop = text.split(":")
        return int(start), int(stop)


class Limits(click.ParamType[Any]):
    """The least and the greatest value: `250,310`."""

    name = "low,high"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return both."""
        try:
            low, high = (float(part) for part in value.split(","))
        except ValueError:
            low = high = 0.0
        if not (isfinite(low) and isfinite(high) and low < high):
            self.fail(f"expected two numbers such as 250,310, found {value!r}", param, ctx)
        return low, high


class Inches(click.ParamType[Any]):
    """A width and a height: `8x5`."""

    name = "widthxheight"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return both."""
        try:
            width, height = (float(part) for part in value.split("x"))
        except ValueError:
            width = height = 0.0
        if not (0.5 <= width <= 100 and 0.5 <= height <= 100):
            self.fail(f"expected inches such as 8x5, found {value!r}", param, ctx)
        return width, height
