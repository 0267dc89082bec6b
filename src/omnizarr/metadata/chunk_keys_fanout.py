"""The chunk key encoding `fanout`: no directory has more than a given number of entries.

https://github.com/zarr-developers/zarr-extensions/tree/main/chunk-key-encodings/fanout
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from omnizarr.jsontypes import Json, JsonObject, Problems, inside, read_int, read_object
from omnizarr.metadata.chunk_keys import is_decimal

_LEAST = 3  # a base of 2
_USUAL = 1001


@dataclass(frozen=True, slots=True)
class Fanout:
    """Each coordinate as a path of its digits in base `max_children - 1`: `d0/12/34/d1/5/c`."""

    name: ClassVar[str] = "fanout"
    max_children: int = _USUAL

    def key(self, coords: tuple[int, ...]) -> str:
        """Return the key of a chunk, relative to the array."""
        parts: list[str] = []
        for axis, number in enumerate(coords):
            parts += (f"d{axis}", *self._digits(number))
        return "/".join([*parts, "c"])

    def coords(self, key: str, ndim: int) -> tuple[int, ...] | None:
        """Return the coordinates that a key stands for, or None where it is no chunk's key."""
        found: list[int] = []
        for part in key.split("/")[:-1]:
            if part == f"d{len(found)}":
                found.append(0)
            elif found and is_decimal(part):
                found[-1] = found[-1] * (self.max_children - 1) + int(part)
            else:
                return None
        coords = tuple(found)
        return coords if len(coords) == ndim and self.key(coords) == key else None

    def to_json(self) -> Json:
        """Return the object of a v3 document."""
        return {"name": self.name, "configuration": {"max_children": self.max_children}}

    def _digits(self, number: int) -> list[str]:
        digits: list[str] = []
        while number or not digits:
            number, digit = divmod(number, self.max_children - 1)
            digits.append(str(digit))
        return digits[::-1]


def read_fanout(
    name: str, configuration: JsonObject, at: str, problems: Problems, ndim: int | None
) -> Fanout:
    """Read `fanout`."""
    fields = read_object(configuration, at, problems, optional=("max_children",))
    place = inside(at, "max_children")
    return Fanout(read_int(fields.get("max_children", _USUAL), place, problems, _LEAST, 2**63 - 1))
