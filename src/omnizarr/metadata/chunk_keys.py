"""Chunk key encodings: coordinates to keys and back.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#chunk-key-encoding
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ChunkKeys:
    """How a chunk's coordinates become a key below its array.

    `default`: `c/1/23`, and `c` for a 0-d array; `v2`: `1.23`, and `0`.
    """

    name: Literal["default", "v2"] = "default"
    separator: Literal["/", "."] = "/"

    @property
    def prefix(self) -> str:
        """What stands before the first coordinate."""
        return f"c{self.separator}" if self.name == "default" else ""

    def key(self, coords: tuple[int, ...]) -> str:
        """Return the key of a chunk, relative to the array."""
        if not coords:
            return "c" if self.name == "default" else "0"
        return self.prefix + self.separator.join(map(str, coords))

    def coords(self, key: str, ndim: int) -> tuple[int, ...] | None:
        """Return the coordinates that a key stands for, or None where it is no chunk's key."""
        if ndim == 0:
            return () if key == self.key(()) else None
        if not key.startswith(self.prefix):
            return None
        parts = key[len(self.prefix) :].split(self.separator)
        if len(parts) != ndim or not all(_is_decimal(part) for part in parts):
            return None
        return tuple(map(int, parts))


def _is_decimal(text: str) -> bool:
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")
