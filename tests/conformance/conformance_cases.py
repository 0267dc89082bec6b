"""Cases of the v3 matrix: an array's document, its values, and which of them are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from conformance_case import BaseCase
from conformance_codecs import AFTER, BEFORE, SERIAL, Level
from conformance_layouts import LAYOUTS
from conformance_types import FILLS, KINDS, Kind

KEYS: dict[str, dict[str, Any]] = {
    "default /": {"name": "default", "configuration": {"separator": "/"}},
    "default .": {"name": "default", "configuration": {"separator": "."}},
    "v2 .": {"name": "v2", "configuration": {"separator": "."}},
    "v2 /": {"name": "v2", "configuration": {"separator": "/"}},
}
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "none": {},
    "nested": {"text": "é\u0000", "list": [1, 2.5, None, {"deep": [True]}], "": "no name"},
}
NAMES = {
    "none": None,
    "names": ("x", "y", "z"),
    "the same names": ("x", "x", "x"),
    "nulls": ("x", None, ""),
}

FACTORS: dict[str, tuple[str, ...]] = {
    "type": tuple(KINDS),
    "fill": FILLS,
    "layout": tuple(LAYOUTS),
    "keys": tuple(KEYS),
    "filter": tuple(BEFORE),
    "serializer": tuple(SERIAL),
    "compressor": tuple(name for name in AFTER if name != "blosc snappy"),  # which has its own test
    "written": ("all", "part", "none"),
    "attributes": tuple(ATTRIBUTES),
    "names": tuple(NAMES),
}
BASE = {name: levels[0] for name, levels in FACTORS.items()} | {"type": "int32"}


@dataclass(frozen=True, slots=True)
class Case(BaseCase):
    """An array of the matrix: a level of each of `FACTORS`."""

    zarr_format = 3
    base = BASE
    kinds = KINDS
    attribute_tables = ATTRIBUTES

    @property
    def names(self) -> tuple[str | None, ...] | None:
        """The names of the axes."""
        names = NAMES[self["names"]]
        return None if names is None else names[: len(self.layout.shape)]

    @property
    def loses(self) -> bool:
        """Whether values may come back as others."""
        return any(level.loses for level in levels_of(dict(self.levels)))

    def codecs(self) -> tuple[list[Any], list[Any], list[Any]]:
        """Return the documents of the codecs: array → array, array → bytes, bytes → bytes."""
        shape = tuple(length if isinstance(length, int) else 1 for length in self.layout.chunks)
        before = BEFORE[self["filter"]].documents(self.kind, shape)
        if self["filter"] == "transpose":
            shape = shape[::-1]
        elif self["filter"] == "reshape":
            shape = (int(np.prod(shape)),)
        serial = SERIAL[self["serializer"]].documents(self.kind, shape)
        return before, serial, AFTER[self["compressor"]].documents(self.kind, shape)

    def document(self) -> dict[str, Any]:
        """Return the array's document."""
        return {
            "zarr_format": 3,
            "node_type": "array",
            "shape": list(self.layout.shape),
            "data_type": self.kind.document,
            "chunk_grid": self.layout.document(),
            "chunk_key_encoding": KEYS[self["keys"]],
            "fill_value": self.kind.fill(self["fill"])[0],
            "codecs": [codec for part in self.codecs() for codec in part],
            **({"attributes": self.attributes} if self.attributes else {}),
            **({"dimension_names": list(self.names)} if self.names is not None else {}),
        }

    def full(self) -> np.ndarray[Any, Any]:
        """Return the array as it is where nothing was written."""
        return self.kind.full(self.layout.shape, self["fill"])


def levels_of(levels: Mapping[str, str]) -> list[Level]:
    """Return the codecs among levels."""
    tables = {"filter": BEFORE, "serializer": SERIAL, "compressor": AFTER}
    return [table[levels[name]] for name, table in tables.items() if name in levels]


def possible(levels: Mapping[str, str]) -> bool:
    """Whether there are such arrays; levels that are missing may be any."""
    kind = KINDS.get(levels.get("type", ""))
    if kind is not None and not all(_takes(level, kind) for level in levels_of(levels)):
        return False
    serializer, layout = levels.get("serializer", ""), levels.get("layout")
    sharded = serializer.startswith("sharded")
    if layout == "rectilinear" and (sharded or levels.get("filter") == "reshape"):
        return False
    if levels.get("compressor") == "numcodecs.shuffle":  # of elements of four bytes
        if kind is not None and _odd_sized(kind):
            return False
        if serializer not in ("", "little", "big"):
            return False
    if sharded and levels.get("filter") == "cast_value":
        return False
    return levels.get("fill") != "odd" or not any(level.loses for level in levels_of(levels))


def _odd_sized(kind: Kind) -> bool:
    return kind.is_variable or kind.dtype.itemsize % 4 != 0


def _takes(level: Level, kind: Kind) -> bool:
    return not kind.is_variable if level.takes is None else level.takes(kind)


def case_of(levels: Mapping[str, str]) -> Case:
    """Return the case of these levels, all others as in the plainest array that can have them."""
    kinds = [levels["type"]] if "type" in levels else ["int32", *KINDS]
    for kind in kinds:  # some codecs take some types only
        if possible(BASE | levels | {"type": kind}):
            return Case(tuple((BASE | levels | {"type": kind}).items()))
    raise ValueError(f"no array has {levels}")
