"""What a conversion reads from, and what of it is sent to the workers that read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.copying.steps import Route
from omnizarr.hierarchy.workers.base import Workers
from omnizarr.hierarchy.workers.sent import Sent
from omnizarr.hierarchy.workers.sight import Mark
from omnizarr.netcdf.model.items import AnyArray
from omnizarr.netcdf.model.nodes import DatasetModel, Loss, VariableModel
from omnizarr.netcdf.values.storage import from_storage

Region = tuple[slice, ...]


class Described(Protocol):
    """A dataset that is known, as far as a target has to know it.

    Attributes
    ----------
    name
        What the user calls it.
    model
        What it holds.
    losses
        What of it could not even be read.
    kind
        netCDF's name for the kind of file; None where it is no file.
    places
        Names of where it lies, which no other place has.
    stamp
        What changes when the source does; None where that cannot be told.
    """

    name: str
    model: DatasetModel
    losses: tuple[Loss, ...]
    kind: str | None
    places: tuple[str, ...]

    @property
    def stamp(self) -> str | None: ...

    def array(self, path: str) -> Array | None:
        """Return the array whose chunks those of a variable are; None where there are no such chunks."""


class Source(Described, Protocol):
    """A dataset that is read."""

    def read(self, path: str, region: Region) -> AnyArray:
        """Return values as netCDF shows them, without masking and scaling; a scalar for no region."""

    def begin(self, path: str) -> None:
        """Be told that a variable is about to be read, block by block."""

    def reading(self, path: str) -> Callable[[Region], AnyArray]:
        """Return what reads a variable block by block; it can be sent to other processes."""

    def route(self, path: str, target: Array) -> Route:
        """Return the way from the array of a variable to a target; it can be sent to other processes."""

    def require(self, workers: Workers) -> None:
        """Raise WorkersError where the workers cannot read from here."""

    def sight(self) -> Mark | None:
        """Return what workers can see that it is this source by; None where reading it tells."""

    def close(self) -> None:
        """Release what is held."""


@dataclass(frozen=True, slots=True)
class ReadArray:
    """Reads a variable out of its array."""

    array: Array
    variable: VariableModel

    def __call__(self, region: Region) -> AnyArray:
        """Return values as netCDF shows them."""
        stored = np.asarray(self.array[(*region, ...)])
        return from_storage(self.variable.type, stored if self.variable.dimensions else stored.reshape(()))


@dataclass(slots=True)
class ReadSource:
    """Reads a variable out of a source, which is opened anew in each process."""

    source: Sent[Source]
    path: str
    begun: bool = False

    def __call__(self, region: Region) -> AnyArray:
        """Return values as netCDF shows them."""
        if not self.begun:
            self.source.value.begin(self.path)
            self.begun = True
        return self.source.value.read(self.path, region)

    def __reduce__(self) -> tuple[Any, ...]:
        return ReadSource, (self.source, self.path)


@dataclass(frozen=True)
class FromSource:
    """The way from the array of a variable in a source, which is opened anew in each process."""

    held: Sent[Source]
    path: str
    target: Array

    @cached_property
    def source(self) -> Array:
        """The array that is read."""
        found = self.held.value.array(self.path)
        assert found is not None
        return found

    def to(self, target: Array) -> Route:
        """Return the way to another target."""
        return FromSource(self.held, self.path, target)

    def __reduce__(self) -> tuple[Any, ...]:
        return FromSource, (self.held, self.path, self.target)
