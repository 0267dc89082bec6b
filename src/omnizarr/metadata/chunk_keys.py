"""Chunk key encodings: coordinates to keys and back.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#chunk-key-encoding
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from omnizarr.jsontypes import Json, Problems, inside, read_object, read_string, shown
from omnizarr.metadata.extension import UNREADABLE, read_extension


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

    def to_json(self) -> Json:
        """Return the object of a v3 document."""
        return {"name": self.name, "configuration": {"separator": self.separator}}


DEFAULT = ChunkKeys()
V2 = ChunkKeys("v2", ".")


def read_chunk_keys(value: Json, at: str, problems: Problems) -> ChunkKeys:
    """Read the chunk key encoding of a v3 document."""
    if value == _USUAL:
        return DEFAULT
    extension = read_extension(value, at, problems)
    if extension is UNREADABLE:
        return DEFAULT
    if extension.name not in ("default", "v2"):
        problems.add(
            at, f"the chunk key encoding {shown(extension.name)} is not known here", unsupported=True
        )
        return DEFAULT
    usual = DEFAULT if extension.name == "default" else V2
    place = inside(at, "configuration")
    fields = read_object(extension.configuration, place, problems, optional=("separator",))
    separator = read_string(
        fields.get("separator", usual.separator), inside(place, "separator"), problems, ("/", ".")
    )
    return ChunkKeys(usual.name, "/" if separator == "/" else ".")


_USUAL = DEFAULT.to_json()


def _is_decimal(text: str) -> bool:
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")
