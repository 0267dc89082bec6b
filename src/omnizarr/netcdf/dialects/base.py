"""What a dialect does: tell how a hierarchy of Zarr nodes is a netCDF dataset, and write one down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import JsonObject
from omnizarr.netcdf.model import DatasetModel, DimensionModel, GroupModel, VariableModel

Sizes: TypeAlias = Mapping[str, int]


@dataclass(slots=True)
class Found:
    """A dataset as it was read.

    Attributes
    ----------
    arrays, groups
        The nodes that hold the model, by absolute path; their metadata fit the model.
    stale
        Whether what is stored does not fit the model: unlimited dimensions whose growth was interrupted.
    stored_sizes, stored_shapes
        What is stored instead of what the model and the arrays' metadata say, by absolute path.
    """

    model: DatasetModel
    arrays: dict[str, Array] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)
    stale: bool = False
    stored_sizes: dict[str, int] = field(default_factory=dict)
    stored_shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Growth:
    """Unlimited dimensions that are about to grow, as a group sees it.

    Attributes
    ----------
    sizes
        The new sizes of all of them, by absolute path.
    variables
        The group's variables that wait for it.
    dimensions
        The group's dimensions as they are until then.
    """

    sizes: Sizes
    variables: tuple[str, ...]
    dimensions: tuple[DimensionModel, ...]


class Dialect(Protocol):
    """One way of keeping netCDF's model in Zarr."""

    @property
    def name(self) -> str:
        """The name that `DatasetModel.dialect` has."""

    def read(self, root: Group) -> Found:
        """Return the dataset below a group."""

    def group_attributes(
        self, group: GroupModel, properties: str | None, growth: Growth | None = None
    ) -> JsonObject:
        """Return all attributes of a group's node; `properties` for the root only.

        While dimensions grow (`growth`), the node leaves out what other readers would find inconsistent.
        """

    def variable_attributes(self, variable: VariableModel) -> JsonObject:
        """Return all attributes of a variable's node."""
