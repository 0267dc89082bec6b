"""The chunk key encodings `prefix` and `suffix`: text around the keys of another encoding.

https://github.com/zarr-developers/zarr-extensions/tree/main/chunk-key-encodings/prefix
https://github.com/zarr-developers/zarr-extensions/tree/main/chunk-key-encodings/suffix
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from omnizarr.jsontypes import Json, JsonObject, Problems, inside, read_object, read_string, shown
from omnizarr.metadata.chunk_keys import DEFAULT, ChunkKeyEncoding, read_chunk_keys
from omnizarr.metadata.names import is_path

_MOST_NESTED = 8
_FORBIDDEN = ("..", "\\", "\0", "//", "zarr.json")


@dataclass(frozen=True, slots=True)
class Affixed:
    """Keys of another encoding with text before them (`prefix`) or after them (`suffix`)."""

    name: Literal["prefix", "suffix"]
    text: str
    base: ChunkKeyEncoding

    def key(self, coords: tuple[int, ...]) -> str:
        """Return the key of a chunk, relative to the array."""
        key = self.base.key(coords)
        return self.text + key if self.name == "prefix" else key + self.text

    def coords(self, key: str, ndim: int) -> tuple[int, ...] | None:
        """Return the coordinates that a key stands for, or None where it is no chunk's key."""
        if self.name == "prefix":
            return self.base.coords(key[len(self.text) :], ndim) if key.startswith(self.text) else None
        return self.base.coords(key.removesuffix(self.text), ndim) if key.endswith(self.text) else None

    def to_json(self) -> Json:
        """Return the object of a v3 document."""
        return {
            "name": self.name,
            "configuration": {self.name: self.text, "base_encoding": self.base.to_json()},
        }


def read_prefix(
    name: str, configuration: JsonObject, at: str, problems: Problems, ndim: int | None
) -> ChunkKeyEncoding:
    """Read `prefix`."""
    fields = read_object(configuration, at, problems, required=("prefix", "base_encoding"))
    place = inside(at, "prefix")
    text = read_string(fields.get("prefix", "x"), place, problems)
    if not text:
        problems.add(place, "expected text that is not empty")
    return _affixed("prefix", text, fields.get("base_encoding", "default"), at, problems, ndim)


def read_suffix(
    name: str, configuration: JsonObject, at: str, problems: Problems, ndim: int | None
) -> ChunkKeyEncoding:
    """Read `suffix`; earlier versions have `base-encoding`, or none for `default`."""
    bases = ("base_encoding", "base-encoding")
    fields = read_object(configuration, at, problems, required=("suffix",), optional=bases)
    text = read_string(fields.get("suffix", ""), inside(at, "suffix"), problems)
    found = [fields[base] for base in bases if base in fields]
    if len(found) > 1:
        problems.add(inside(at, bases[1]), f"said already by {bases[0]}")
    return _affixed("suffix", text, found[0] if found else "default", at, problems, ndim)


def _affixed(
    name: Literal["prefix", "suffix"], text: str, base: Json, at: str, problems: Problems, ndim: int | None
) -> ChunkKeyEncoding:
    place = inside(at, "base_encoding")
    if at.count("base_encoding") >= _MOST_NESTED:
        problems.add(place, f"more than {_MOST_NESTED} encodings within one another", unsupported=True)
        return DEFAULT
    before = len(problems.found)
    result = Affixed(name, text, read_chunk_keys(base, place, problems, ndim))
    if len(problems.found) == before:
        check_text(text, result.key((0,) * (1 if ndim is None else ndim)), inside(at, name), problems)
    return result


def check_text(text: str, key: str, at: str, problems: Problems) -> None:
    """Check that text may be a part of keys, of which `key` is one."""
    for forbidden in _FORBIDDEN:
        if forbidden in key:
            message = f"expected text that makes keys without {shown(forbidden)}, found {shown(text)}"
            problems.add(at, f"{message}, which makes {shown(key)}")
            return
    if not is_path(key):
        message = f"expected text that makes keys without empty parts and parts of dots, found {shown(text)}"
        problems.add(at, f"{message}, which makes {shown(key)}")
