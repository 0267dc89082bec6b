"""What a CDL text has defined so far, and how its names are looked up.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from omnizarr.errors import NodeNameError
from omnizarr.netcdf.cdl.reading.constants import plain_name
from omnizarr.netcdf.cdl.reading.tokens import Token, Unexpected
from omnizarr.netcdf.cdl.reading.values import Block
from omnizarr.netcdf.cdl.words import SYNONYMS
from omnizarr.netcdf.dialects.attributes import is_hidden
from omnizarr.netcdf.model.names import check_name
from omnizarr.netcdf.model.nodes import AttributeModel, DimensionModel, join
from omnizarr.netcdf.model.types import BY_NAME, NcType, UserType


@dataclass(slots=True)
class DimensionDraft:
    """A dimension; the size of an unlimited one follows from the values.

    Attributes
    ----------
    noted
        The size that a comment behind it tells, as `ncdump` writes it.
    """

    name: str
    path: str
    size: int
    unlimited: bool
    noted: int | None = None

    @property
    def model(self) -> DimensionModel:
        """The dimension as a plain value."""
        return DimensionModel(self.name, self.size, self.unlimited)


@dataclass(slots=True)
class Special:
    """A special attribute: how a variable is stored."""

    values: tuple[Any, ...]
    at: int


@dataclass(slots=True)
class VariableDraft:
    """A variable, with what was found of its attributes and values."""

    name: str
    path: str
    type: NcType
    dimensions: tuple[DimensionDraft, ...]
    at: int
    attributes: dict[str, AttributeModel] = field(default_factory=dict)
    special: dict[str, Special] = field(default_factory=dict)
    blocks: tuple[Block, ...] | None = None


@dataclass(slots=True)
class GroupDraft:
    """A group, as far as it was read."""

    name: str
    path: str
    parent: GroupDraft | None
    types: dict[str, UserType] = field(default_factory=dict)
    dimensions: dict[str, DimensionDraft] = field(default_factory=dict)
    attributes: dict[str, AttributeModel] = field(default_factory=dict)
    variables: dict[str, VariableDraft] = field(default_factory=dict)
    groups: dict[str, GroupDraft] = field(default_factory=dict)

    @property
    def above(self) -> Iterator[GroupDraft]:
        """This group and those above, nearest first."""
        group: GroupDraft | None = self
        while group is not None:
            yield group
            group = group.parent

    def check_free(self, name: str, at: int) -> None:
        """Refuse a name that a variable, a group or a type has: they share one space of names."""
        if name in self.variables or name in self.groups or name in self.types:
            raise Unexpected(at, f"the name {name!r} is in use already in group {self.path}")


class Scope:
    """Looks names up as `ncgen` does, from the group that is being read."""

    def __init__(self) -> None:
        self.root = GroupDraft("/", "/", None)
        self.group = self.root
        self._types: dict[str, list[UserType]] = {}

    def add_type(self, kind: UserType) -> None:
        """Add a type to the group."""
        self.group.types[kind.name] = kind
        self._types.setdefault(kind.name, []).append(kind)

    def dimension(self, token: Token) -> DimensionDraft:
        """Return a dimension: by its path, or the nearest of its name here or above."""
        group, name = self._resolved(token)
        for place in self.group.above if group is None else [group]:
            if name in place.dimensions:
                return place.dimensions[name]
        raise Unexpected(token.at, f"there is no dimension {name!r} yet, here or in the groups above")

    def type(self, token: Token) -> NcType:
        """Return a type, which must have been defined before."""
        found = self.find_type(token)
        if found is None:
            raise Unexpected(token.at, f"there is no type {token.text!r} yet; atomic ones are {_ATOMIC}")
        return found

    def find_type(self, token: Token) -> NcType | None:
        """Return a type by its path, the nearest of its name, or the only one of it anywhere; else None."""
        group, name = self._resolved(token)
        if group is not None:
            return group.types.get(name)
        atomic = BY_NAME.get(SYNONYMS.get(name, name))
        if atomic is not None:
            return atomic
        for place in self.group.above:
            if name in place.types:
                return place.types[name]
        elsewhere = self._types.get(name, [])
        return elsewhere[0] if len(elsewhere) == 1 else None

    def find_variable(self, token: Token) -> VariableDraft | None:
        """Return a variable by its path, or of this group; None where there is none."""
        group, name = self._resolved(token)
        return (group or self.group).variables.get(name)

    def variable(self, token: Token) -> VariableDraft:
        """Return a variable by its path, or of this group."""
        found = self.find_variable(token)
        if found is None:
            raise Unexpected(token.at, f"there is no variable {token.text!r} in group {self.group.path}")
        return found

    def _resolved(self, token: Token) -> tuple[GroupDraft | None, str]:
        """Return the group that a path names, None for a bare name, and the last name."""
        if token.kind != "path":
            return None, plain_name(token.text)
        *parents, name = map(plain_name, token.text[1:].split("/"))
        group = self.root
        for parent in parents:
            if parent not in group.groups:
                raise Unexpected(token.at, f"there is no group {join(group.path, parent)!r}")
            group = group.groups[parent]
        return group, name


def new_name(token: Token) -> str:
    """Return the name that a token gives to something new."""
    if token.kind != "name":
        hint = "; a leading digit is escaped" if token.kind == "number" else ""
        raise Unexpected(token.at, f"expected a name, found {token}{hint}")
    name = plain_name(token.text)
    try:
        check_name(name)
        name.encode()
    except (NodeNameError, UnicodeEncodeError) as error:
        raise Unexpected(token.at, f"netCDF takes no name like {name!r}") from error
    return name


def new_attribute(token: Token) -> str:
    """Return the name that a token gives to an attribute."""
    name = new_name(token)
    if is_hidden(name):
        raise Unexpected(token.at, f"the name {name!r} is the library's own and no attribute of yours")
    return name


_ATOMIC = ", ".join(BY_NAME)
