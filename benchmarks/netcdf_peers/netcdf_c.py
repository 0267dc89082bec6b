"""netCDF-C by netCDF4-python: its NCZarr, and its HDF5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np

from benchmarks.netcdf_peers.base import VARIABLE, AnyArray
from benchmarks.netcdf_peers.netcdf_like import NetCDFLike, define

VERSION = f"{netCDF4.__version__} ({netCDF4.getlibversion().split()[0]})"


def nczarr_url(place: Path) -> str:
    """Return the URL by which netCDF-C knows a directory."""
    return f"file://{place}#mode=nczarr,file"


class NCZarr(NetCDFLike):
    """NCZarr in a directory."""

    # Mode "a" makes the dataset anew, so that all records go to a new one.
    append_mode = "w"

    def convert(self, source: Path, place: Path) -> None:
        with netCDF4.Dataset(source) as file, self.dataset(place, "w") as dataset:
            file.set_auto_maskandscale(False)
            variable: Any = file.variables[VARIABLE]
            target = define(dataset, variable.shape, variable.dtype)
            for start in range(0, len(variable), 16):
                block = variable[start : start + 16]
                target[start : start + len(block)] = block

    def read_converted(self, place: Path) -> AnyArray:
        return np.asarray(self.read(place))


NCZARR = NCZarr("netCDF-C, NCZarr", VERSION, netCDF4, nczarr_url)
HDF5 = NetCDFLike("netCDF-C, HDF5", VERSION, netCDF4, str)
