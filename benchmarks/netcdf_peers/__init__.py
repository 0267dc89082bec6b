"""One file per way to netCDF, each with the same verbs; what is not installed is left out."""

from __future__ import annotations

from importlib import import_module

from benchmarks.netcdf_peers.base import NetCDFLibrary
from benchmarks.peers import OURS

# In the order of the columns.
MODULES = {
    OURS: ("omni", "OURS"),
    "netCDF-C, NCZarr": ("netcdf_c", "NCZARR"),
    "netCDF-C, HDF5": ("netcdf_c", "HDF5"),
    "h5py": ("h5py_file", "H5PY"),
    "xarray + zarr-python": ("xarray_zarr", "XARRAY"),
    "nccopy": ("nccopy", "NCCOPY"),
}


def load(name: str) -> NetCDFLibrary | None:
    """Return the adapter of a library, or None where the library is not installed."""
    module, attribute = MODULES[name]
    try:
        found = getattr(import_module(f"benchmarks.netcdf_peers.{module}"), attribute)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("benchmarks"):
            raise
        return None
    library: NetCDFLibrary | None = found
    return library
