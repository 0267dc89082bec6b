"""What netCDF4-python and omnizarr.netcdf do alike: the same calls on either module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.netcdf_peers.base import DIMENSIONS, LEVEL, VARIABLE, AnyArray


class NetCDFLike:
    """Datasets by a module with netCDF4-python's names."""

    append_mode = "a"

    def __init__(self, name: str, version: str, module: Any, place: Any) -> None:
        self.name = name
        self.version = version
        self._module = module
        self._place = place

    def dataset(self, place: Path, mode: str) -> Any:
        return self._module.Dataset(self._place(place), mode)

    def write(self, place: Path, data: AnyArray) -> None:
        with self.dataset(place, "w") as dataset:
            define(dataset, data.shape, data.dtype)[:] = data

    def read(self, place: Path) -> AnyArray:
        with self.dataset(place, "r") as dataset:
            dataset.set_auto_maskandscale(False)
            return np.asarray(dataset.variables[VARIABLE][...])

    def write_many(self, place: Path, count: int) -> None:
        with self.dataset(place, "w") as dataset:
            dataset.createDimension("x", 10)
            for number in range(count):
                variable = dataset.createVariable(f"v{number}", "f4", ("x",))
                variable.units = "K"
                variable[:] = np.arange(10)

    def open_many(self, place: Path) -> int:
        with self.dataset(place, "r") as dataset:
            return sum(v.shape == (10,) and v.units == "K" for v in dataset.variables.values())

    def append(self, place: Path, records: AnyArray) -> None:
        with self.dataset(place, self.append_mode) as dataset:
            variable = dataset.variables.get(VARIABLE)
            if variable is None:
                variable = define(dataset, records.shape, records.dtype)
            for record in records:
                variable[len(variable)] = record


def define(dataset: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Define the variable that is measured."""
    for name, size in zip(DIMENSIONS, (None, *shape[1:]), strict=True):
        dataset.createDimension(name, size)
    return dataset.createVariable(
        VARIABLE,
        dtype.str[1:],
        DIMENSIONS,
        zlib=True,
        complevel=LEVEL,
        shuffle=True,
        chunksizes=(1, *shape[1:]),
        fill_value=False,
    )
