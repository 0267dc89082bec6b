"""What ncdump 4.9.0 wrote once, kept for machines without it.

`data/` holds it: `NAME.cdl` is the output of the line in `CASES`, of the file that the function makes. Where
ncdump is installed, what is kept is compared with it too.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from cdl_samples import rich, write_file
from ncdump_peer import NCDUMP, ncdump, our_dump

from omnizarr import netcdf

DATA = Path(__file__).parent / "data"


def samples(path: Path) -> None:
    write_file(path, *rich())


def times(path: Path) -> None:
    calendars = ("standard", "noleap", "360_day", "julian", "366_day", "proleptic_gregorian")
    with netCDF4.Dataset(path, "w") as made:
        made.createDimension("t", None)
        for calendar in calendars:
            for step in ("seconds", "hours", "days", "months"):
                time = made.createVariable(f"{step}_{calendar}", "f8", ("t",))
                time.units = f"{step} since 1582-10-02 18:30"
                time.calendar = calendar
                time.actual_range = np.array([0.0, 600.25])
                time[:] = [0, 2, 3.5, 59.75, -1, 100000]


def types(path: Path, library: Any = netCDF4) -> None:
    with library.Dataset(path, "w") as made, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.createDimension("x", 3)
        sky = made.createEnumType("u1", "sky_t", {"clear": 0, "cloudy": 1, "a b": 200})
        ragged = made.createVLType("f4", "ragged_t")
        point = made.createCompoundType(np.dtype([("lat", "f8"), ("n", "i2", (2, 2))]), "point_t")
        group = made.createGroup("deep")
        made.createVariable("sky", sky, ("x",), fill_value=1)[:] = [0, 1, 0]
        lists = group.createVariable("lists", ragged, ("x",))
        for at in range(3):
            lists[at] = np.arange(at * 9, dtype="f4") / 3
        points = group.createVariable("points", point, ("x",))
        values = np.zeros(3, point.dtype)
        values["lat"], values["n"] = [1.5, np.nan, 1e30], np.arange(12).reshape(3, 2, 2)
        points[:] = values
        points.first = values[:1]


def stored(path: Path) -> None:
    with netCDF4.Dataset(path, "w") as made:
        made.createDimension("x", 10)
        made.createDimension("t", None)
        made.createVariable("a", "i4", ("t", "x"), zlib=True, complevel=2, fletcher32=True)
        made.createVariable("b", ">f8", ("x",), compression="zstd", complevel=5, endian="big")
        made.createVariable("c", "S1", ("x",), contiguous=True)
        made.createVariable("d", "f4", ("x",), fill_value=False)


Case = tuple[Callable[[Path], None], tuple[str, ...]]
CASES: dict[str, Case] = {
    "samples": (samples, ()),
    "indices": (samples, ("-f", "c", "-v", "two,nested,ch")),
    "rows": (samples, ("-b", "f", "-l", "50", "-p", "4", "-v", "two,bigger,flt")),
    "times": (times, ("-t",)),
    "iso_times": (times, ("-i", "-v", "hours_standard")),
    "types": (types, ()),
    "special": (stored, ("-h", "-s")),
}


def without_versions(text: str) -> str:
    return re.sub('_NCProperties = "[^"]*"', '_NCProperties = ""', text)


@pytest.mark.parametrize("name", CASES)
def test_as_ncdump_wrote_it(name: str, tmp_path: Path) -> None:
    make, options = CASES[name]
    make(tmp_path / "a.nc")
    kept = (DATA / f"{name}.cdl").read_text("utf-8")
    assert without_versions(our_dump(tmp_path / "a.nc", *options)) == kept
    if NCDUMP is not None:
        assert without_versions(ncdump(tmp_path / "a.nc", *options)) == kept


def test_the_same_types_in_zarr(tmp_path: Path) -> None:
    types(tmp_path / "a", netcdf)
    assert our_dump(tmp_path / "a") == (DATA / "types.cdl").read_text("utf-8")
