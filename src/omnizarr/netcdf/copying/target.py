"""What a conversion writes to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.workers.base import Workers
from omnizarr.hierarchy.workers.sight import Mark
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.netcdf.copying.reading import Described
from omnizarr.netcdf.files.fitting import Longest
from omnizarr.netcdf.model.items import AnyArray
from omnizarr.netcdf.model.nodes import FILL_VALUE, GroupModel, Loss, VariableModel
from omnizarr.netcdf.values.storage import to_storage


class Target(Protocol):
    """A dataset that is written.

    Attributes
    ----------
    root
        The dataset as the target holds it, once it was planned.
    """

    root: GroupModel

    def plan(self, source: Described, root: GroupModel, longest: Longest) -> tuple[Loss, ...]:
        """Take what is to be written, and return what is lost of it; nothing is written yet."""

    def array(self, path: str) -> Array | None:
        """Return the array that the chunks of a variable go to; None where it has none."""

    def begin(self, source: Described, *, overwrite: bool) -> frozenset[str]:
        """Make the target ready; return the keys that an interrupted run of the same conversion left."""

    def writing(self, path: str) -> Callable[[tuple[slice, ...], AnyArray], None]:
        """Return what writes values of a variable as netCDF shows them; a scalar for no region."""

    def require(self, workers: Workers) -> None:
        """Raise WorkersError where the workers cannot write here."""

    def sight(self) -> Mark | None:
        """Return what workers can see that it is this target by, once it was made ready."""

    def finish(self) -> None:
        """Complete the target: from now on it is seen."""

    def close(self) -> None:
        """Release what is held; what was not finished is left to a later run, or removed."""


@dataclass(frozen=True, slots=True)
class WriteArray:
    """Writes a variable to its array."""

    array: Array
    variable: VariableModel

    def __call__(self, region: tuple[slice, ...], values: AnyArray) -> None:
        """Write values as netCDF shows them."""
        put(self.array, self.variable, region, values)


def put(array: Array, variable: VariableModel, region: tuple[slice, ...], values: AnyArray) -> None:
    """Write values, as netCDF shows them, to a region of the array of a variable."""
    stored = to_storage(variable.type, values, array.metadata.data_type)
    array[(*region, ...)] = stored if region else stored.reshape(array.shape)


def with_fill_of(source: Array | None, variable: VariableModel, metadata: ArrayMetadata) -> ArrayMetadata:
    """Return an array whose absent chunks hold what those of the source do, unless `_FillValue` says it."""
    if source is None or source.fill_value is None or metadata.fill_value is None:
        return metadata
    if any(a.name == FILL_VALUE for a in variable.attributes) or source.dtype.kind not in "iuf":
        return metadata
    dtype = metadata.data_type.dtype.newbyteorder("=")
    if dtype != source.dtype.newbyteorder("="):
        return metadata
    fill = np.asarray(source.fill_value, dtype)[()]
    same = fill.tobytes() == np.asarray(metadata.fill_value, dtype).tobytes()
    return metadata if same else replace(metadata, fill_value=fill)
