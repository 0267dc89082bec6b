"""The kinds of netCDF files, and what tells that a file is one.

https://docs.unidata.ucar.edu/netcdf-c/current/netcdf_introduction.html#netcdf_format
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal, TypeAlias, cast

Kind: TypeAlias = Literal[
    "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4_CLASSIC", "NETCDF4"
]

# What nccopy and ncgen call them, and netCDF4-python.
_NAMES = MappingProxyType(
    {
        "NETCDF3_CLASSIC": ("classic", "nc3", "netcdf3", "1"),
        "NETCDF3_64BIT_OFFSET": ("64-bit offset", "64-bit-offset", "nc6", "netcdf3_64bit", "2"),
        "NETCDF3_64BIT_DATA": ("64-bit data", "64-bit-data", "cdf5", "cdf-5", "nc5", "5"),
        "NETCDF4_CLASSIC": ("netcdf-4 classic model", "netcdf-4-classic", "enhanced-nc3", "nc7", "4"),
        "NETCDF4": ("netcdf-4", "hdf5", "enhanced", "nc4", "3"),
    }
)
KINDS = tuple(_NAMES)


def kind_of(name: str) -> Kind:
    """Return the kind of a name: netCDF4-python's, or nccopy's `-k` (`classic`, `nc4`, `cdf5`, `3`, …).

    Raises
    ------
    ValueError
        There is no such kind.
    """
    asked = name.lower()
    for kind, names in _NAMES.items():
        if asked == kind.lower() or asked.replace("netcdf-3", "classic") in names:
            return cast(Kind, kind)
    raise ValueError(f"kind: expected one of {', '.join(KINDS)}, found {name!r}")


def is_hdf5(kind: Kind) -> bool:
    """Say whether files of a kind are HDF5: they have chunks and filters."""
    return kind.startswith("NETCDF4")


def is_classic_model(kind: Kind) -> bool:
    """Say whether a kind has neither groups nor types of the user nor strings."""
    return kind != "NETCDF4"
