"""Classic netCDF files, written by netCDF4.

https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html#netcdf_classic_spec
"""

from __future__ import annotations

from typing import Any

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.netcdf.extras import optional
from omnizarr.netcdf.files.hdf5 import LOCK, told_as
from omnizarr.netcdf.files.kinds import Kind
from omnizarr.netcdf.model.items import AnyArray
from omnizarr.netcdf.model.nodes import FILL_VALUE, AttributeModel, GroupModel, VariableModel, join
from omnizarr.netcdf.model.types import CHAR


class ClassicWriter:
    """A file that is made from a model of one group, and then gets its values."""

    def __init__(self, path: str, root: GroupModel, kind: Kind) -> None:
        self.root = root
        self._path = path
        self.netcdf: Any = optional("netCDF4").Dataset(path, "w", format=kind)
        self._variables: dict[str, Any] = {}

    def define(self) -> None:
        """Make everything but the values.

        Raises
        ------
        ConversionError
            netCDF-C refuses: a variable is too large for this kind of file, say.
        """
        try:
            self._define()
        except (RuntimeError, ValueError, TypeError, OverflowError) as error:
            raise ConversionError(f"{self._path}: {error}") from error

    def _define(self) -> None:
        # Every value is written once, and need not be filled before.
        self.netcdf.set_fill_off()
        for dimension in self.root.dimensions:
            self.netcdf.createDimension(dimension.name, None if dimension.unlimited else dimension.size)
        for attribute in self.root.attributes:
            _put_attribute(self.netcdf, attribute)
        for variable in self.root.variables:
            self._variable(variable)

    def _variable(self, variable: VariableModel) -> None:
        names = tuple(path.rpartition("/")[2] for path in variable.dimensions)
        fill = next((a for a in variable.attributes if a.name == FILL_VALUE), None)
        made = self.netcdf.createVariable(
            variable.name,
            "c" if variable.type is CHAR else variable.type.dtype,
            names,
            fill_value=None if fill is None else variable.fill_value,
        )
        made.set_auto_maskandscale(False)
        made.set_auto_chartostring(False)
        for attribute in variable.attributes:
            if attribute.name != FILL_VALUE:
                _put_attribute(made, attribute)
        self._variables[join("/", variable.name)] = made

    def write(self, path: str, region: tuple[slice, ...], values: AnyArray) -> None:
        """Write values to a region."""
        with LOCK:
            try:
                self._variables[path][region or ...] = values
            except (RuntimeError, ValueError, IndexError, OSError) as error:
                raise ConversionError(f"variable {path}: {error}") from error

    def close(self) -> None:
        """Finish the file."""
        with told_as("cannot write", self._path):
            self.netcdf.close()


def _put_attribute(owner: Any, attribute: AttributeModel) -> None:
    if isinstance(attribute.value, str):
        owner.setncattr(attribute.name, attribute.value.encode("utf-8", "surrogateescape"))
    else:
        owner.setncattr(attribute.name, np.array(attribute.value, attribute.type.dtype))
