"""Chunk key encodings: coordinates to keys and back.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#chunk-key-encoding
https://github.com/zarr-developers/zarr-extensions/tree/main/chunk-key-encodings
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from omnizarr.jsontypes import Json, JsonObject, Problems, inside, read_object, read_string, shown
from omnizarr.metadata.extension import UNREADABLE, read_extension
from omnizarr.plugins import Registry


class ChunkKeyEncoding(Protocol):
    """How a chunk's coordinates become a key below its array; equal encodings give equal keys."""

    @property
    def name(self) -> str:
        """The registered name."""

    def key(self, coords: tuple[int, ...]) -> str:
        """Return the key of a chunk, relative to the array."""

    def coords(self, key: str, ndim: int) -> tuple[int, ...] | None:
        """Return the coordinates that a key stands for, or None where it is no chunk's key."""

    def to_json(self) -> Json:
        """Return the object of a v3 document."""


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
        if len(parts) != ndim or not all(is_decimal(part) for part in parts):
            return None
        return tuple(map(int, parts))

    def to_json(self) -> Json:
        """Return the object of a v3 document."""
        return {"name": self.name, "configuration": {"separator": self.separator}}


def separator_of(keys: ChunkKeyEncoding) -> str | None:
    """Return what stands between coordinates, as formats that have `default` or `v2` alone state it."""
    return keys.separator if isinstance(keys, ChunkKeys) else None


DEFAULT = ChunkKeys()
V2 = ChunkKeys("v2", ".")


def read_chunk_keys(value: Json, at: str, problems: Problems, ndim: int | None = None) -> ChunkKeyEncoding:
    """Read the chunk key encoding of a v3 document; `ndim` is None where it is not known."""
    if value == _USUAL:
        return DEFAULT
    extension = read_extension(value, at, problems)
    if extension is UNREADABLE:
        return DEFAULT
    reader = CHUNK_KEY_ENCODINGS.find(extension.name)
    if reader is None:
        problems.add(
            at, f"the chunk key encoding {shown(extension.name)} is not known here", unsupported=True
        )
        return DEFAULT
    return reader(extension.name, extension.configuration, inside(at, "configuration"), problems, ndim)


_USUAL = DEFAULT.to_json()


def _read_core(
    name: str, configuration: JsonObject, at: str, problems: Problems, ndim: int | None
) -> ChunkKeys:
    usual = DEFAULT if name == "default" else V2
    fields = read_object(configuration, at, problems, optional=("separator",))
    separator = read_string(
        fields.get("separator", usual.separator), inside(at, "separator"), problems, ("/", ".")
    )
    return ChunkKeys(usual.name, "/" if separator == "/" else ".")


Reader: TypeAlias = Callable[[str, JsonObject, str, Problems, int | None], ChunkKeyEncoding]

_HERE = "omnizarr.metadata.chunk_keys_"
_READERS: dict[str, str | Reader] = {
    "default": _read_core,
    "v2": _read_core,
    "prefix": f"{_HERE}affixed:read_prefix",
    "suffix": f"{_HERE}affixed:read_suffix",
    "zarrs.default_suffix": f"{_HERE}affixed:read_suffix",  # before it was registered
    "fanout": f"{_HERE}fanout:read_fanout",
    "template": f"{_HERE}template:read_template",
    "generic": f"{_HERE}template:read_template",  # before it was registered
}

CHUNK_KEY_ENCODINGS: Registry[Reader] = Registry("omnizarr.chunk_key_encodings", _READERS)


def register_chunk_key_encoding(name: str, reader: Reader) -> None:
    """Make a chunk key encoding known: `reader(name, configuration, at, problems, ndim)` returns it.

    Faults of the configuration go to `problems`, with locations that start with `at`; `ndim` is None where
    the number of dimensions is not known. Entry points of the group `omnizarr.chunk_key_encodings` do
    the same.
    """
    CHUNK_KEY_ENCODINGS.register(name, reader)


def is_decimal(text: str) -> bool:
    """Say whether a text is a number of 63 bits, more or less, as keys have it."""
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0") and len(text) < 20
