"""The keys of chunks in the drafts after 2019: `c1/23`.

Drafts of October 2020 to late 2022, "Regular grids".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Self

from omnizarr.jsontypes import Json

# As the draft and zarrita have it, and as zarr-python wrote it.
SCALARS: tuple[Literal["c", "c0"], ...] = ("c", "c0")


@dataclass(frozen=True, slots=True)
class DraftChunkKeys:
    """`c1/23`; the one chunk of an array without axes is at `scalar`."""

    separator: Literal["/", "."] = "/"
    scalar: Literal["c", "c0"] = "c"

    @property
    def name(self) -> str:
        """`draft`; Zarr v3.1 has no such encoding."""
        return "draft"

    def key(self, coords: tuple[int, ...]) -> str:
        """Return the key of a chunk, relative to the array."""
        return f"c{self.separator.join(map(str, coords))}" if coords else self.scalar

    def coords(self, key: str, ndim: int) -> tuple[int, ...] | None:
        """Return the coordinates that a key stands for, or None where it is no chunk's key."""
        if ndim == 0:
            return () if key in SCALARS else None
        parts = key[1:].split(self.separator)
        if (
            key[:1] != "c"
            or len(parts) != ndim
            or not all(part.isascii() and part.isdigit() for part in parts)
        ):
            return None
        coords = tuple(map(int, parts))
        return coords if self.key(coords) == key else None

    def to_json(self) -> Json:
        """Return what names it; no document of Zarr v3.1 may."""
        return {"name": self.name, "configuration": {"separator": self.separator}}

    def as_found(self, exists: Callable[[str], bool]) -> Self:
        """Return these keys with the spelling that an array without axes was stored by."""
        return replace(self, scalar="c" if exists("c") else "c0")
