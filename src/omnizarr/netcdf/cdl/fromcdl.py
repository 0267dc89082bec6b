"""`Dataset.fromcdl`: a file of CDL becomes a dataset in Zarr.

https://unidata.github.io/netcdf4-python/#netCDF4.Dataset.fromcdl
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from omnizarr.errors import StoreNotFoundError
from omnizarr.netcdf.cdl.generate import generate
from omnizarr.netcdf.cdl.reading.parse import parse_cdl
from omnizarr.netcdf.dialects.modes import asked_of


def read_cdl(file: str | Path) -> str:
    """Return the text of a file; bytes that are not UTF-8 become surrogate escapes.

    Raises
    ------
    StoreNotFoundError
        There is no such file.
    """
    path = Path(file)
    if not path.exists():
        raise StoreNotFoundError("there is no such file", store=str(file))
    return path.read_bytes().decode("utf-8", "surrogateescape")


def make_dataset(cdl: str | Path, target: Any = None) -> Any:
    """Make the dataset that a file of CDL describes, in Zarr whatever its name; return where it is.

    Parameters
    ----------
    target
        The place of `cdl` with the suffix `.nc`, as netCDF4-python has it, unless given.

    Raises
    ------
    StoreNotFoundError
        There is no such file.
    NodeExistsError
        There is something at the target.
    MetadataError
        The text is no CDL.
    """
    place = Path(cdl).with_suffix(".nc") if target is None else target
    dialect = asked_of(place).dialect or "nczarr"
    generate(parse_cdl(read_cdl(cdl), str(cdl)), place, dialect=dialect)
    return place
