"""What a generation of NCZarr notes about nodes, read into one form for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json, JsonObject, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.netcdf.model.nodes import DimensionModel


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupNotes:
    """What is noted about a group.

    Attributes
    ----------
    arrays, groups
        The names of what it holds; None where nothing lists them, and the store has to be asked.
    types
        Definitions of the user's types by name, as `typedefs` has them.
    growing
        The sizes that interrupted growth was to reach, by the dimensions' absolute paths.
    problems
        What is wrong with the definitions of dimensions, in words.
    """

    dimensions: tuple[DimensionModel, ...] = ()
    arrays: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    types: JsonObject = field(default_factory=dict)
    growing: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayNotes:
    """What is noted about an array.

    Attributes
    ----------
    references
        The absolute paths of its dimensions; names alone are looked for here and above; None where
        nothing says them.
    is_scalar
        Whether its one axis is none of netCDF's.
    type
        The absolute path of a type of the user, or the name of an atomic type that is stored as another
        one (`char`, `string`); None where the array's own data type tells.
    no_fill
        Whether elements that were never written are undefined, where the fill value cannot say so.
    """

    references: tuple[str, ...] | None = None
    is_scalar: bool = False
    type: str | None = None
    no_fill: bool = False


class Notes(Protocol):
    """Where a generation keeps its notes, and how they are spelled."""

    def of_group(self, node: Group) -> GroupNotes:
        """Return what is noted about a group."""

    def of_array(self, node: Array) -> ArrayNotes:
        """Return what is noted about an array."""

    def attribute_types(self, node: Group | Array) -> Mapping[str, Json]:
        """Return the types of a node's attributes: codes as in `attributes.decode_attribute`, by name."""

    def stored(self, array: Array) -> ArrayMetadata:
        """Return an array as the library that wrote it stored its chunks, whatever its document says."""


class Annotated(Protocol):
    """A dialect that keeps notes."""

    @property
    def name(self) -> str:
        """The name that `DatasetModel.dialect` has."""

    def recognizes(self, root: Group) -> bool:
        """Say whether the dataset at a group is in this dialect."""

    def noted(self, root: Group) -> tuple[Group, Notes]:
        """Return the group to read, as this dialect stores it, and its notes."""


def names_in(content: Json) -> tuple[str, ...] | None:
    """Return the names in a list; None where there is no list."""
    return tuple(name for name in content if isinstance(name, str)) if isinstance(content, list) else None


Dimensions: TypeAlias = "tuple[tuple[DimensionModel, ...], tuple[str, ...]]"


def dimensions_in(content: Json) -> Dimensions:
    """Return the dimensions that are defined, and what is wrong with others.

    They are an object of sizes, `{"x": 4, "t": {"size": 3, "unlimited": 1}}`, or a list of objects,
    `[{"name": "x", "size": 4, "unlimited": 0}]`.
    """
    found: dict[str, DimensionModel] = {}
    problems = []
    for name, value in _definitions(content):
        dimension = dimension_in(name, value)
        if dimension is None or name in found:
            problems.append(f"dimension {shown(name)}: expected a size, and once, found {shown(value)}")
        else:
            found[dimension.name] = dimension
    return tuple(found.values()), tuple(problems)


def dimension_in(name: Json, value: Json) -> DimensionModel | None:
    """Return a dimension from its size, or from an object with `size` and `unlimited`; else None."""
    definition = value if isinstance(value, dict) else {"size": value}
    size = definition.get("size")
    if not isinstance(name, str) or not name or "/" in name or type(size) is not int or size < 0:
        return None
    return DimensionModel(name, size, definition.get("unlimited") in (1, True))


def _definitions(content: Json) -> list[tuple[Json, Json]]:
    if isinstance(content, dict):
        return list(content.items())
    if isinstance(content, list):
        return [(item.get("name"), item) if isinstance(item, dict) else (None, item) for item in content]
    return [] if content is None else [(None, content)]


def sizes_in(content: Json) -> dict[str, int]:
    """Return the integers in an object by name."""
    if not isinstance(content, dict):
        return {}
    return {name: size for name, size in content.items() if isinstance(size, int)}


def first_of(content: JsonObject, *names: str) -> Json:
    """Return the value of the first of several spellings of a name; None where there is none."""
    return next((content[name] for name in names if name in content), None)
