"""What a node is, for people: a table in text and in HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any


@dataclass(frozen=True, slots=True)
class Info:
    """Names and values, in the order in which they are shown."""

    items: Mapping[str, Any]

    def __repr__(self) -> str:
        width = max(map(len, self.items))
        return "\n".join(f"{name:<{width}} : {value}" for name, value in self.items.items())

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td>{escape(str(value))}</td></tr>"
            for name, value in self.items.items()
        )
        return f"<table>{rows}</table>"


def human_bytes(count: float) -> str:
    """Return a number of bytes with a binary unit."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if count < 1024 or unit == "TiB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    raise AssertionError("unreachable")
