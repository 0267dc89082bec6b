"""What tells that a file is one of netCDF: its first bytes, and its name.

https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from omnizarr.store.urls.local import head_of

SUFFIXES = (".nc", ".nc4", ".cdf", ".netcdf")
_HDF5 = b"\x89HDF\r\n\x1a\n"
_MAGIC = (b"CDF\x01", b"CDF\x02", b"CDF\x05", _HDF5)
# A database that is open here must not be opened once more: closing it would take away its locks.
_SQLITE = b"SQLite format 3\0"
_USER_BLOCKS = tuple(512 << i for i in range(8))


def netcdf_file(place: Any) -> Path | None:
    """Return the netCDF or HDF5 file that a place is, or by its name claims to be; None for other places."""
    if not isinstance(place, str | Path):
        return None
    text = str(place)
    path = Path(unquote(urlsplit(text).path)) if text.startswith("file://") else Path(text)
    if not path.is_file():
        claims = path.suffix.lower() in SUFFIXES and not path.exists()
        return path if claims and "://" not in text else None
    return path if path.suffix.lower() in SUFFIXES or is_netcdf(path) else None


def is_netcdf(path: Path) -> bool:
    """Say whether a file begins as netCDF's do; HDF5's may begin behind a block of the user's."""
    head = head_of(str(path))
    if head.startswith((*_MAGIC, _SQLITE)):
        return not head.startswith(_SQLITE)
    with path.open("rb") as file:
        for place in _USER_BLOCKS:
            file.seek(place)
            if file.read(8) == _HDF5:
                return True
    return False
