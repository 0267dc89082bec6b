"""The libraries of the `netcdf` extra, imported when they are first needed."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

from omnizarr.errors import ConversionError


def optional(name: str) -> Any:
    """Return a module of the extra.

    Raises
    ------
    ConversionError
        It is not installed.
    """
    try:
        with warnings.catch_warnings():
            # netCDF4 and h5py bring an HDF5 each, and the one that is loaded first serves both.
            warnings.filterwarnings("ignore", "h5py is running against HDF5")
            return import_module(name)
    except ImportError as error:
        message = f"this needs the package {name}, which belongs to the extra 'netcdf'"
        raise ConversionError(f"{message} (pip install 'omnizarr[netcdf]')") from error
