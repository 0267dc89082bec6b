"""What a node says of NCZarr, wherever a generation keeps it and however it is spelled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from omnizarr.jsontypes import Json, JsonObject, inside
from omnizarr.metadata.group import NodeMetadata
from omnizarr.zom.conventions.nczarr_notes import ARRAY, GROUP, TYPES_V2, TYPES_V3


class Part(NamedTuple):
    """A value in a node's document, and its place there."""

    value: Json
    at: str

    def names(self) -> list[tuple[str, str]]:
        """Return the strings of a list, each with its place."""
        items = self.value if isinstance(self.value, list) else []
        return [(item, f"{self.at}[{i}]") for i, item in enumerate(items) if isinstance(item, str)]

    def items(self) -> list[tuple[str, Part]]:
        """Return the parts of an object by name."""
        content = self.value if isinstance(self.value, dict) else {}
        return [(name, Part(item, inside(self.at, name))) for name, item in content.items()]


@dataclass(frozen=True, slots=True)
class Note:
    """One of NCZarr's objects; empty where a node has none."""

    content: JsonObject
    at: str

    def __getitem__(self, spellings: tuple[str, ...]) -> Part:
        """Return the value of the first of several spellings of a name; null where there is none."""
        name = next((name for name in spellings if name in self.content), spellings[0])
        return Part(self.content.get(name), inside(self.at, name))


def noted(metadata: NodeMetadata, *names: str) -> Part | None:
    """Return what has the first of several names: among a node's attributes, or in its own document."""
    for place, at in ((metadata.attributes, "attributes"), (metadata.extra, "")):
        for spelled in (spelled for name in names for spelled in (name, name.upper())):
            if spelled in place:
                return Part(place[spelled], inside(at, spelled))
    return None


def note_of(metadata: NodeMetadata, *names: str) -> Note:
    """Return the first of a node's notes, by their names; an empty one where there is no object."""
    found = noted(metadata, *names)
    if found is None or not isinstance(found.value, dict):
        return Note({}, f"attributes.{names[0]}")
    return Note(found.value, found.at)


# --- arrays


@dataclass(frozen=True, slots=True)
class ArrayNote:
    """What is noted of an array.

    Attributes
    ----------
    references
        The dimension of each axis; None where nothing says it.
    is_scalar
        Whether its one axis is none of netCDF's.
    """

    references: Part | None
    is_scalar: bool
    type: Part

    @classmethod
    def of(cls, metadata: NodeMetadata) -> ArrayNote:
        """Return what is noted of an array."""
        note = note_of(metadata, ARRAY)
        references = note["dimension_references", "dimrefs"]
        is_scalar = bool(note.content.get("scalar")) or note.content.get("storage") == "scalar"
        given = references if isinstance(references.value, list) else None
        return cls(given, is_scalar, note["type_alias", "type", "nczarr_type"])


# --- groups


class DimensionNote(NamedTuple):
    """A dimension as its group defines it; `at` is the place of its size."""

    name: str
    size: int
    unlimited: bool
    at: str


def dimensions_in(metadata: NodeMetadata) -> Iterator[DimensionNote]:
    """Yield the dimensions that a group defines rightly."""
    for name, definition in definitions_in(metadata):
        content = definition.value if isinstance(definition.value, dict) else {"size": definition.value}
        size = content.get("size")
        if name and "/" not in name and type(size) is int and size >= 0:
            unlimited = content.get("unlimited") in (1, True)
            yield DimensionNote(name, size, unlimited, definition.at)


def definitions_in(metadata: NodeMetadata) -> list[tuple[str, Part]]:
    """Return the definitions of a group's dimensions, be they an object by name or a list of objects."""
    part = note_of(metadata, GROUP)["dimensions", "dims"]
    if isinstance(part.value, dict):
        return part.items()
    items = part.value if isinstance(part.value, list) else []
    named = [(item, f"{part.at}[{number}]") for number, item in enumerate(items) if isinstance(item, dict)]
    return [(name, Part(item, at)) for item, at in named if isinstance(name := item.get("name"), str)]


@dataclass(frozen=True, slots=True)
class GroupNote:
    """What is noted of a group's content; None where nothing lists it.

    Attributes
    ----------
    every
        The names of all arrays, those too that wait for dimensions to grow, or that netCDF-C is not told of.
    sizes
        The sizes that dimensions are to grow to, by their absolute paths.
    """

    arrays: Part
    groups: Part
    every: frozenset[str] | None
    sizes: Mapping[str, Json]
    types: Part

    @classmethod
    def of(cls, metadata: NodeMetadata) -> GroupNote:
        """Return what is noted of a group."""
        note = note_of(metadata, GROUP)
        arrays, groups = note["arrays", "vars", "variables"], note["groups", "subgroups"]
        growing = note[("growing",)].value
        growth = growing if isinstance(growing, dict) else {}
        every = [name for name, _ in [*arrays.names(), *Part(growth.get("arrays"), "").names()]]
        every += [name for name, _ in note[("typed_arrays",)].items()]
        sizes = growth.get("sizes")
        return cls(
            arrays=arrays,
            groups=groups,
            every=frozenset(every) if isinstance(arrays.value, list) else None,
            sizes=sizes if isinstance(sizes, dict) else {},
            types=note[("types",)],
        )


# --- attributes


def type_codes(metadata: NodeMetadata) -> Iterator[tuple[str, Part, str]]:
    """Yield the name of each attribute whose type is noted, the code of the type, and the entry's place."""
    note = note_of(metadata, TYPES_V3, TYPES_V2)
    listed = note[("attribute_types",)]
    for number, entry in enumerate(listed.value if isinstance(listed.value, list) else ()):
        at = f"{listed.at}[{number}]"
        name, configuration = (
            (entry.get("name"), entry.get("configuration")) if isinstance(entry, dict) else (0, 0)
        )
        if isinstance(name, str) and isinstance(configuration, dict):
            yield name, Part(configuration.get("type"), f"{at}.configuration.type"), f"{at}.name"
    for spelling in ("types", "user_types"):
        for name, code in note[(spelling,)].items():
            yield name, code, code.at
