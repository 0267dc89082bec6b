"""What a generation of NCZarr notes about nodes, read into one form for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json, JsonObject
from omnizarr.netcdf.model import DimensionModel


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
    """

    dimensions: tuple[DimensionModel, ...] = ()
    arrays: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    types: JsonObject = field(default_factory=dict)
    growing: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayNotes:
    """What is noted about an array.

    Attributes
    ----------
    references
        The absolute paths of its dimensions; names alone are looked for here and above.
    is_scalar
        Whether its one axis is none of netCDF's.
    type
        The absolute path of a type of the user, or the name of an atomic type that is stored as another
        one (`char`, `string`); None where the array's own data type tells.
    """

    references: tuple[str, ...] = ()
    is_scalar: bool = False
    type: str | None = None


class Notes(Protocol):
    """Where a generation keeps its notes, and how they are spelled."""

    def of_group(self, node: Group) -> GroupNotes:
        """Return what is noted about a group."""

    def of_array(self, node: Array) -> ArrayNotes:
        """Return what is noted about an array."""

    def attribute_types(self, node: Group | Array) -> Mapping[str, Json]:
        """Return the types of a node's attributes: codes as in `attributes.decode_attribute`, by name."""


def names_in(content: Json) -> tuple[str, ...]:
    """Return the names in a list; none where there is no list."""
    return tuple(name for name in content if isinstance(name, str)) if isinstance(content, list) else ()


def dimensions_in(content: Json) -> tuple[DimensionModel, ...]:
    """Return the dimensions in an object of sizes: `{"x": 4, "t": {"size": 3, "unlimited": 1}}`."""
    if not isinstance(content, dict):
        return ()
    return tuple(dimension_in(name, value) for name, value in content.items())


def dimension_in(name: str, value: Json) -> DimensionModel:
    """Return a dimension from its size, or from an object with `size` and `unlimited`."""
    if isinstance(value, dict):
        size = value.get("size")
        return DimensionModel(name, size if isinstance(size, int) else 0, bool(value.get("unlimited")))
    return DimensionModel(name, value if isinstance(value, int) else 0)


def sizes_in(content: Json) -> dict[str, int]:
    """Return the integers in an object by name."""
    if not isinstance(content, dict):
        return {}
    return {name: size for name, size in content.items() if isinstance(size, int)}


def first_of(content: JsonObject, *names: str) -> Json:
    """Return the value of the first of several spellings of a name; None where there is none."""
    return next((content[name] for name in names if name in content), None)
