"""Groups as they were planned, stored in xarray's convention on Zarr v2 or v3.

https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from omnizarr.geometry.grid import Axis
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.creating.make import MakeArguments
from omnizarr.hierarchy.creating.plan_array import plan_array
from omnizarr.hierarchy.group import Group
from omnizarr.integrations.xarray.alignment import aligned, check_alignment
from omnizarr.integrations.xarray.coders import as_json, vlen_kind
from omnizarr.integrations.xarray.encoding import encoded_fill, storage_of
from omnizarr.integrations.xarray.options import WriteOptions
from omnizarr.integrations.xarray.planning import PlannedGroup, PlannedVariable
from omnizarr.metadata.convert import DIMENSIONS
from omnizarr.netcdf.model.nodes import FILL_VALUE


class Prepared:
    """A variable whose array is known, and whose blocks fit its chunks; nothing is stored yet."""

    __slots__ = ("arguments", "options", "planned", "variable")

    def __init__(self, planned: PlannedVariable, zarr_format: int | str, options: WriteOptions) -> None:
        self.planned = planned
        self.options = options
        self.arguments: MakeArguments | None = None
        if planned.stored is None:
            self.arguments = arguments_of(planned, zarr_format, options)
            grid = plan_array(zarr_format, **_planned_part(self.arguments)).grid
        else:
            grid = planned.stored.array.metadata.grid
        self.variable = fitted(planned, grid.axes(planned.shape), options)

    def make(self, group: Group) -> Array:
        """Make the array, or let the one that is there grow."""
        planned, options = self.planned, self.options
        if self.arguments is not None:
            array = group.create_array(planned.name, **self.arguments)
        else:
            found = group[planned.name]
            assert isinstance(found, Array)
            array = found
            if array.shape != planned.shape:
                array.resize(planned.shape)
        if options.write_empty_chunks is not None:
            array.write_empty_chunks = options.write_empty_chunks
        return array

    def write(self, array: Array, writer: Any) -> None:
        """Write values that are in memory; blocks are left to the writer."""
        if self.variable.size:
            writer.add(self.variable.data, array, self.planned.region)


def fitted(planned: PlannedVariable, axes: tuple[Axis, ...], options: WriteOptions) -> xr.Variable:
    """Return a variable whose blocks fit the stored chunks; ValueError where they do not."""
    variable = planned.variable
    if variable.chunks is None or not variable.size:
        return variable
    if options.align_chunks:
        return aligned(variable, axes, planned.region)
    if options.safe_chunks:
        whole = options.mode == "r+"
        check_alignment(planned.name, variable.chunks, axes, planned.region, whole=whole)
    return variable


def arguments_of(planned: PlannedVariable, zarr_format: int | str, options: WriteOptions) -> MakeArguments:
    """Return how the array of a new variable is made.

    Raises
    ------
    ValueError, TypeError
        The encoding says what an array cannot be.
    """
    variable, is_v2 = planned.variable, zarr_format == 2
    said = storage_of(variable.encoding, planned.name, strict=planned.is_strict)
    if is_v2 and "fill_value" in said and planned.is_strict:
        raise ValueError(
            f"encoding of {planned.name!r}: fill_value is no word of Zarr v2; Use `_FillValue` to set it"
        )
    fill, attributes = _fill(variable, said.pop("fill_value", None), is_v2)
    attributes = {key: as_json(value) for key, value in attributes.items()}
    empty = said.pop("write_empty_chunks", options.write_empty_chunks)
    if options.write_empty_chunks not in (None, empty):
        raise ValueError(
            f'Differing "write_empty_chunks" values in encoding and parameters: {planned.name!r}'
        )
    arguments = MakeArguments(
        shape=planned.shape,
        dtype=vlen_kind(variable.dtype) or variable.dtype,
        attributes=attributes,
        write_empty_chunks=empty,
    )
    if fill is not None or is_v2:
        arguments["fill_value"] = fill
    if is_v2:
        arguments["attributes"] = {**attributes, DIMENSIONS: list(variable.dims)}
        _drop_words_of_v3(said, planned)
    else:
        arguments["dimension_names"] = tuple(map(str, variable.dims))
    said["chunks"] = chunks_of(said.get("chunks"), variable, planned.name)
    arguments.update(said)  # type: ignore[typeddict-item]
    return arguments


def _drop_words_of_v3(said: dict[str, Any], planned: PlannedVariable) -> None:
    """A dataset that was read from v3 may be written to v2: what v2 lacks goes, unless it was asked for."""
    if not planned.is_strict:
        said.pop("serializer", None)
        said.pop("shards", None)


def _planned_part(arguments: MakeArguments) -> Any:
    """Return the arguments that say what the array is."""
    ours = ("write_empty_chunks",)
    return {name: value for name, value in arguments.items() if name not in ours}


def _fill(variable: xr.Variable, said: Any, is_v2: bool) -> tuple[Any, dict[str, Any]]:
    """Return the array's fill value, and the attributes with `_FillValue` where that is one."""
    attributes = dict(variable.attrs)
    masked = attributes.pop(FILL_VALUE, None)
    if is_v2:
        return masked, attributes
    if said is None and variable.dtype.kind == "f":
        said = np.nan  # as xarray has it: what was never written is missing
    if masked is not None:
        attributes[FILL_VALUE] = encoded_fill(masked, variable.dtype)
    return said, attributes


def chunks_of(asked: Any, variable: xr.Variable, name: str) -> Any:
    """Return the shape of a chunk: as asked for, else that of dask's blocks, else `"auto"`.

    Raises
    ------
    ValueError
        The blocks are not of one size.
    TypeError
        What is asked for are no lengths.
    """
    if isinstance(asked, int | np.integer) and not isinstance(asked, bool):
        asked = (int(asked),) * variable.ndim
    if asked is not None and not isinstance(asked, str) and len(tuple(asked)) == variable.ndim:
        return tuple(_length(size, name) for size in asked)
    if variable.chunks is None or not variable.size:
        return "auto"
    for sizes in variable.chunks:
        if len(set(sizes[:-1])) > 1 or sizes[-1] > sizes[0]:
            raise ValueError(
                f"variable {name!r} has incompatible dask chunks: chunks in a store have one size, but for a "
                f"smaller Final chunk; found {variable.chunks}. Rechunk with chunk(), or set encoding"
            )
    return tuple(sizes[0] for sizes in variable.chunks)


def _length(size: Any, name: str) -> Any:
    if isinstance(size, int | np.integer) and not isinstance(size, bool):
        return int(size)
    if isinstance(size, list | tuple) and all(isinstance(each, int | np.integer) for each in size):
        return tuple(map(int, size))
    raise TypeError(f"encoding['chunks'] of {name!r}: must be an int or a tuple of ints, found {size!r}")


def prepare(
    groups: list[PlannedGroup], zarr_format: int | str, options: WriteOptions
) -> dict[str, list[Prepared]]:
    """Return all variables by the path of their group, checked."""
    return {
        group.path: [Prepared(planned, zarr_format, options) for planned in group.variables]
        for group in groups
    }


def attributes_of(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of a group as JSON has them."""
    return {name: as_json(value) for name, value in attributes.items()}
