"""What a dialect does: tell how a hierarchy of Zarr nodes is a netCDF dataset, and write one down."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias, runtime_checkable

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import GroupMetadata
from omnizarr.netcdf.model.nodes import (
    DatasetModel,
    DimensionModel,
    Fault,
    FaultName,
    GroupModel,
    Unmapped,
    VariableModel,
)

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

    def set_root(self, root: GroupModel) -> None:
        """Take the model of the root group."""
        self.model = replace(self.model, root=root)

    def fault(self, name: FaultName, path: str, message: str) -> None:
        """Note what contradicts itself, and warn."""
        self.model = replace(self.model, faults=(*self.model.faults, Fault(name, path, message)))
        warnings.warn(f"{path}: {message}", stacklevel=2)

    def leave_out(self, name: FaultName, path: str, reason: str) -> None:
        """Note a node that cannot be shown, and warn."""
        unmapped = (*self.model.unmapped, Unmapped(path, reason))
        faults = (*self.model.faults, Fault(name, path, reason))
        self.model = replace(self.model, unmapped=unmapped, faults=faults)
        warnings.warn(f"{path} is left out: {reason}", stacklevel=2)


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


class Readable(Protocol):
    """One way of keeping netCDF's model in Zarr, as far as it can be read."""

    @property
    def name(self) -> str:
        """The name that `DatasetModel.dialect` has."""

    def recognizes(self, root: Group) -> bool:
        """Say whether the dataset at a group is in this dialect."""

    def read(self, root: Group) -> Found:
        """Return the dataset below a group; what cannot be shown warns, and stays out."""


@runtime_checkable
class Dialect(Readable, Protocol):
    """One way of keeping netCDF's model in Zarr that is written too."""

    @property
    def zarr_format(self) -> int:
        """2 or 3."""

    def group_metadata(
        self, group: GroupModel, properties: str | None, growth: Growth | None = None
    ) -> GroupMetadata:
        """Return a group's node, with all its attributes; `properties` for the root only.

        While dimensions grow (`growth`), the node leaves out what other readers would find inconsistent.
        """

    def array_metadata(self, variable: VariableModel, shape: tuple[int, ...]) -> ArrayMetadata:
        """Return a variable's node as it is stored, with all its attributes.

        Raises
        ------
        ConversionError
            The dialect cannot hold the variable: it has a filter that Zarr lacks.
        """

    def sidecars(self, model: GroupModel | VariableModel, properties: str | None) -> Mapping[str, Json]:
        """Return what is kept beside a node's documents: JSON by the last part of its key."""
