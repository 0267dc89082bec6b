"""Variables of the user's types in a netCDF-4 file, some of which netCDF4 leaves out: read by h5py.

https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html#netcdf_4_spec
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from omnizarr.netcdf.extras import optional
from omnizarr.netcdf.files import hdf5
from omnizarr.netcdf.files.usertypes import UserTypes, as_kind, ordered_names, read_values
from omnizarr.netcdf.model.items import AnyArray
from omnizarr.netcdf.model.nodes import AttributeModel, VariableModel, join
from omnizarr.netcdf.model.types import AtomicType, Enum, NcType, Vlen

_COORDINATES = "_Netcdf4Coordinates"


class UserVariables:
    """What of a file is of the user's types; nothing where it is not HDF5."""

    def __init__(self, netcdf: Any, file: Any) -> None:
        self._file = file
        self.types = UserTypes(file)
        self._by_path = dict(_dimensions(netcdf, "/"))
        self._by_number = {dimension._dimid: path for path, dimension in self._by_path.items()}

    def type_of(self, path: str) -> NcType | None:
        """Return the type of a variable, or None where netCDF has none."""
        return self.types.type_of(self.dataset(path).id.get_type())

    def dataset(self, path: str) -> Any:
        """Return the HDF5 dataset of a variable."""
        return hdf5.dataset_of(self._file, path)

    def names(self, path: str) -> list[str]:
        """Return the names of all variables of a group in their order."""
        there = set(hdf5.variable_names(self._file[path]))
        plain = (name.removeprefix("_nc4_non_coord_") for name in ordered_names(self._file[path]))
        return list(dict.fromkeys(name for name in plain if name in there))

    def model(
        self, path: str, attributes: tuple[AttributeModel, ...], dimensions: tuple[str, ...] | None
    ) -> VariableModel | None:
        """Return a variable of these dimensions; None where they, or its type, are none of netCDF's."""
        dataset, kind = self.dataset(path), self.type_of(path)
        if kind is None or dimensions is None:
            return None
        return VariableModel(
            name=path.rpartition("/")[2],
            type=kind,
            dimensions=dimensions,
            attributes=attributes,
            no_fill=_is_unfilled(dataset),
            chunks=dataset.chunks,
            filters=hdf5.filters_of(dataset),
            endian="big" if _is_big(dataset, kind) else "little",
            contiguous=dataset.chunks is None,
        )

    def read(self, variable: VariableModel, path: str, key: Any = ...) -> AnyArray:
        """Return values of a variable as `variable.type.dtype` has them; a scalar whatever the key.

        Elements that were never written hold what HDF5 fills with.
        """
        dataset = self.dataset(path)
        shape = tuple(len(self._by_path[name]) for name in variable.dimensions)
        if dataset.shape == shape:
            return read_values(dataset, variable.type, key)
        whole = np.empty(shape, variable.type.dtype)
        fill, flat = _fill(dataset, variable.type), whole.reshape(-1)
        for at in range(prod(shape)):
            flat[at] = fill[()]
        whole[tuple(map(slice, dataset.shape))] = read_values(dataset, variable.type)
        return np.asarray(whole[key])

    def dimensions_of(self, path: str) -> tuple[str, ...] | None:
        """Return the paths of a variable's dimensions; None where the file does not tell them.

        netCDF4 looks for them by name, and takes a nearer one of the same name.
        """
        found = self._scales(path)
        return found if found is not None and all(name in self._by_path for name in found) else None

    def dimension(self, path: str) -> Any:
        """Return netCDF4's handle on a dimension."""
        return self._by_path[path]

    def _scales(self, path: str) -> tuple[str, ...] | None:
        dataset = self.dataset(path)
        if not dataset.shape:
            return ()
        if _COORDINATES in dataset.attrs:
            return tuple(self._by_number.get(int(number), "") for number in dataset.attrs[_COORDINATES])
        if "DIMENSION_LIST" in dataset.attrs:
            named = dataset.attrs["DIMENSION_LIST"]
            return tuple(str(self._file[scales[0]].name) if len(scales) else "" for scales in named)
        return (path,) if dataset.attrs.get("CLASS") == b"DIMENSION_SCALE" else None


def _dimensions(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name, dimension in group.dimensions.items():
        yield join(path, name), dimension
    for name, inner in group.groups.items():
        yield from _dimensions(inner, join(path, name))


def _fill(dataset: Any, kind: NcType) -> AnyArray:
    found = np.empty((), dataset.dtype)
    if isinstance(kind, Vlen):
        found[()] = np.empty(0, kind.base.dtype)
        return found
    dataset.id.get_create_plist().get_fill_value(found)
    return as_kind(kind, found)


def _is_unfilled(dataset: Any) -> bool:
    undefined = optional("h5py").h5d.FILL_VALUE_UNDEFINED
    return bool(dataset.id.get_create_plist().fill_value_defined() == undefined)


def _is_big(dataset: Any, kind: NcType) -> bool:
    if isinstance(kind, Enum):
        return bool(dataset.id.get_type().get_super().dtype.str[0] == ">")
    return isinstance(kind, AtomicType) and kind.is_numeric and bool(dataset.dtype.str[0] == ">")
