"""Groups as they were planned, stored as NCZarr: by netCDF's names, so that netCDF-C reads them.

Definitions and values that are in memory are stored by `omnizarr.netcdf.Dataset`; dask's blocks go to the
arrays that it has made.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from omnizarr.errors import NodeExistsError, NodeNotFoundError, StoreNotFoundError
from omnizarr.geometry.grid import RegularGrid
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.opening.locate import was_opened_for
from omnizarr.integrations.xarray.coders import Writer, for_netcdf
from omnizarr.integrations.xarray.finishing import finish
from omnizarr.integrations.xarray.netcdf_encoding import creation_of
from omnizarr.integrations.xarray.options import WriteOptions
from omnizarr.integrations.xarray.planning import PlannedGroup, PlannedVariable, plan_group
from omnizarr.integrations.xarray.reading import Reading, StoredGroup, read_groups
from omnizarr.integrations.xarray.storing import fitted
from omnizarr.netcdf.dataset import Dataset
from omnizarr.netcdf.group import Group
from omnizarr.netcdf.model.nodes import FILL_VALUE
from omnizarr.netcdf.model.types import NcType
from omnizarr.netcdf.values.storage import to_storage
from omnizarr.netcdf.variable import Variable

_MODES = {"w": "w", "w-": "x", "a": "a", "a-": "a", "r+": "r+"}
_TEXTS = "OUS"  # as long as the longest of them, so that all are looked at


class StoredTarget:
    """An array that takes netCDF's values, for dask; pickled, it is where the array lies."""

    __slots__ = ("_array", "_kind")

    def __init__(self, array: Array, kind: NcType) -> None:
        self._array = array
        self._kind = kind

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self._array.shape

    def __setitem__(self, region: Any, values: NDArray[Any]) -> None:
        self._array[region] = to_storage(self._kind, np.asarray(values), self._array.metadata.data_type)


class NetCDFWriting:
    """One call of `write`, as NCZarr."""

    def __init__(self, options: WriteOptions, datasets: Mapping[str, tuple[xr.Dataset, Any]]) -> None:
        self.options = options
        self.stored = self._existing()
        if options.write_empty_chunks is not None:
            raise ValueError("write_empty_chunks: netCDF leaves it to its fill values; expected None")
        if options.group and options.mode == "w":
            raise ValueError("mode: 'w' replaces a whole dataset of netCDF, and not a group of it")
        if options.group and options.mode == "w-" and self.stored:
            raise NodeExistsError("there is a group already", store=str(options.target), path=options.group)
        self.later: list[tuple[str, PlannedVariable, xr.Variable]] = []
        keeps = self.stored if options.keeps else {}
        self.groups = [
            plan_group(path, dataset, encoding, keeps.get(f"/{path}"), options, for_netcdf)
            for path, (dataset, encoding) in datasets.items()
        ]
        self.creations = {
            (group.path, planned.name): self._creation(planned, group.unlimited)
            for group in self.groups
            for planned in group.variables
        }
        self.values = {
            (group.path, planned.name): self._fitted(group.path, planned)
            for group in self.groups
            for planned in group.variables
        }

    def run(self, *, compute: bool) -> Any:
        """Store everything."""
        options = self.options
        mode = "a" if options.group and options.mode == "w-" else _MODES[options.mode]
        with Dataset(
            options.target,
            mode,
            dialect="nczarr" if mode in ("w", "x") or not self.stored else None,
            zarr_format=_number(options.zarr_format),
            consolidated=bool(options.consolidated),
            storage_options=options.storage_options,
        ) as root:
            top = root.createGroup(options.group) if options.group else root
            for group in self.groups:
                self._store(top.createGroup(group.path) if group.path else top, group)
        return self._finish(compute=compute)

    def _existing(self) -> dict[str, StoredGroup]:
        options = self.options
        if options.mode == "w" or (options.mode == "w-" and not options.group):
            return {}
        reading = Reading(
            target=options.target,
            path=options.group,
            storage_options=options.storage_options,
            consolidated=False,
            is_deep=True,
        )
        try:
            return read_groups(reading)[1]
        except (NodeNotFoundError, StoreNotFoundError):
            if options.mode == "r+":
                raise
            return {}

    def _creation(self, planned: PlannedVariable, unlimited: frozenset[Hashable]) -> dict[str, Any]:
        if planned.stored is not None:
            return {}
        return creation_of(planned.variable, planned.name, unlimited, strict=planned.is_strict)

    def _fitted(self, path: str, planned: PlannedVariable) -> xr.Variable:
        if planned.variable.dtype.kind in _TEXTS:
            return planned.variable
        if planned.stored is not None:
            axes = planned.stored.array.metadata.grid.axes(planned.shape)
        else:
            chunks = self.creations[path, planned.name]["chunksizes"]
            axes = RegularGrid(chunks or tuple(max(1, size) for size in planned.shape)).axes(planned.shape)
        return fitted(planned, axes, self.options)

    def _store(self, group: Group, plan: PlannedGroup) -> None:
        if self.options.mode != "r+":
            for name in set(group.ncattrs()) - set(map(str, plan.attributes)):
                group.delncattr(name)
            for key, value in plan.attributes.items():
                group.setncattr(str(key), _attribute(value))
        for planned in plan.variables:
            variable = self._made(group, plan, planned)
            values = self.values[plan.path, planned.name]
            if values.chunks is not None and values.dtype.kind not in _TEXTS and values.size:
                self._grow(variable, planned)
                self.later.append((plan.path, planned, values))
            elif values.size:
                variable[planned.region or ...] = np.asarray(values.values)

    def _made(self, group: Group, plan: PlannedGroup, planned: PlannedVariable) -> Variable:
        if planned.stored is not None:
            variable = group.variables[planned.name]
        else:
            encoded = planned.variable
            for dim, size in encoded.sizes.items():
                _ensure_dimension(group, str(dim), size, unlimited=dim in plan.unlimited)
            attributes = dict(encoded.attrs)
            arguments = dict(self.creations[plan.path, planned.name])
            datatype = _enumeration(group, encoded.dtype) or arguments.pop("datatype")
            arguments.pop("datatype", None)
            fill = attributes.pop(FILL_VALUE, None)
            dims = tuple(map(str, encoded.dims))
            variable = group.createVariable(planned.name, datatype, dims, fill_value=fill, **arguments)
            for key, value in attributes.items():
                variable.setncattr(str(key), _attribute(value))
        variable.set_auto_maskandscale(False)
        variable.set_auto_chartostring(False)
        return variable

    def _grow(self, variable: Variable, planned: PlannedVariable) -> None:
        """Let unlimited dimensions reach as far as blocks will be written, by the last element."""
        if variable.shape != planned.shape:
            last = tuple(size - 1 for size in planned.shape)
            fill = variable.get_fill_value()
            variable[last] = 0 if fill is None else fill

    def _finish(self, *, compute: bool) -> Any:
        writer = Writer()
        if not self.later:
            return finish(writer, None, compute=compute)
        options = self.options
        root, groups = read_groups(
            Reading(
                target=options.target,
                path=options.group,
                mode="r+",
                storage_options=options.storage_options,
                consolidated=False,
                is_deep=True,
            )
        )
        for path, planned, values in self.later:
            stored = groups[f"/{path}"].variables[planned.name]
            assert stored.kind is not None
            writer.add(values.data, StoredTarget(stored.array, stored.kind), planned.region)
        return finish(writer, root.store if was_opened_for(options.target) else None, compute=compute)


def _ensure_dimension(group: Group, name: str, size: int, *, unlimited: bool) -> None:
    """Make a dimension, unless there is one of this length in the group or above; growing ones may differ."""
    above: Group | None = group
    while above is not None:
        known = above.dimensions.get(name)
        if known is not None and (known.size == size or known.isunlimited()):
            return
        above = above.parent
    group.createDimension(name, None if unlimited else size)


def _enumeration(group: Group, dtype: np.dtype[Any]) -> Any:
    """Return the enumeration that a dtype says to be, made where it is missing."""
    said = dict(dtype.metadata or {})
    if "enum" not in said:
        return None
    above: Group | None = group
    while above is not None:
        if said["enum_name"] in above.enumtypes:
            return above.enumtypes[said["enum_name"]]
        above = above.parent
    return group.createEnumType(dtype, said["enum_name"], said["enum"])


def _attribute(value: Any) -> Any:
    """Return the value of an attribute; truths are numbers in netCDF."""
    return np.int8(value) if isinstance(value, bool | np.bool_) else value


def _number(zarr_format: int | str | None) -> int | None:
    if zarr_format is None or isinstance(zarr_format, int):
        return zarr_format
    raise ValueError(f"zarr_format: NCZarr exists on 2 and 3, found {zarr_format!r}")
