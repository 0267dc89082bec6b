"""Generated datasets: what is in one, and how it is made with netCDF4-python's names.

Imported by the tests, and by the process in which libnetcdf runs.
"""

from __future__ import annotations

import pickle
import shutil
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Dimension:
    """A dimension; unlimited where the size is None."""

    name: str
    size: int | None


@dataclass
class Variable:
    """A variable; `code` is a numpy code, or `str`.

    `dimensions` are names, `options` go to `createVariable`, `values` are assigned to the first elements.
    """

    name: str
    code: str
    dimensions: list[str]
    options: dict[str, Any]
    attributes: dict[str, Any]
    values: Any


@dataclass
class Group:
    """A group; attributes that are (`"string"`, value) are set as strings."""

    name: str
    dimensions: list[Dimension] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)


def build(owner: Any, group: Group) -> None:
    """Make what a group says in an open dataset or group of either library."""
    _set(owner, group.attributes)
    for dimension in group.dimensions:
        owner.createDimension(dimension.name, dimension.size)
    for variable in group.variables:
        datatype = str if variable.code == "str" else variable.code
        made = owner.createVariable(variable.name, datatype, tuple(variable.dimensions), **variable.options)
        _set(made, variable.attributes)
        if variable.values is not None:
            made.set_auto_maskandscale(False)
            made[tuple(slice(0, length) for length in variable.values.shape)] = variable.values
    for inner in group.groups:
        build(owner.createGroup(inner.name), inner)


def _set(owner: Any, attributes: dict[str, Any]) -> None:
    for name, value in attributes.items():
        if isinstance(value, tuple):
            owner.setncattr_string(name, value[1])
        else:
            owner.setncattr(name, value)


def main(plan: str, folder: str) -> None:
    """Build with netCDF4 what a pickle holds, one dataset each; what it refuses to make is not there."""
    import netCDF4

    warnings.simplefilter("ignore")
    for number, group in enumerate(pickle.loads(Path(plan).read_bytes())):
        place = Path(folder, f"theirs{number}")
        try:
            with netCDF4.Dataset(f"file://{place}#mode=nczarr,file", "w") as dataset:
                build(dataset, group)
        except RuntimeError:
            shutil.rmtree(place)
