"""What tells that a file is one of netCDF: its first bytes.

https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html
"""

from __future__ import annotations

from pathlib import Path

_HDF5 = b"\x89HDF\r\n\x1a\n"
_MAGIC = (b"CDF\x01", b"CDF\x02", b"CDF\x05", _HDF5)
_USER_BLOCKS = tuple(512 << i for i in range(8))


def is_netcdf(path: Path) -> bool:
    """Say whether a file begins as netCDF's do; HDF5's may begin behind a block of the user's."""
    with path.open("rb") as file:
        found = file.read(8).startswith(_MAGIC)
        for place in () if found else _USER_BLOCKS:
            file.seek(place)
            found = found or file.read(8) == _HDF5
    return found
