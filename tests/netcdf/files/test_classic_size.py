"""Truncated classic files are found by their headers; whole ones pass."""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np
import pytest

from omnizarr.errors import ConversionError
from omnizarr.netcdf.files.classic import check_whole

KINDS = ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"]


def make(path: Path, kind: str, records: int, *, several: bool) -> Path:
    with netCDF4.Dataset(path, "w", format=kind) as file:
        file.title = "odd length"
        file.createDimension("t", None)
        file.createDimension("x", 3)
        file.createVariable("fixed", "i2", ("x",))[:] = [1, 2, 3]
        file.createVariable("scalar", "f8").assignValue(1.0)
        names = ("a", "b") if several else ("a",)
        for name in names:
            growing = file.createVariable(name, "i1", ("t", "x"))
            growing.units = "m"
            if records:
                growing[:records] = np.ones((records, 3))
    return path


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("records", [0, 1, 5])
@pytest.mark.parametrize("several", [False, True])
def test_every_cut_is_found(kind: str, records: int, several: bool, tmp_path: Path) -> None:
    path = make(tmp_path / "a.nc", kind, records, several=several)
    check_whole(path)
    data = path.read_bytes()
    padding = 3  # at the very end there may be padding, which nothing needs
    for size in range(4, len(data) - padding, 1 if kind == KINDS[0] else 17):
        path.write_bytes(data[:size])
        with pytest.raises(ConversionError, match="ends early"):
            check_whole(path)


def test_empty_dataset_and_other_files_pass(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "empty.nc", "w", format=KINDS[0]):
        pass
    check_whole(tmp_path / "empty.nc")
    (tmp_path / "b").write_bytes(b"no netCDF")
    check_whole(tmp_path / "b")


def test_number_of_records_that_a_stream_left_open(tmp_path: Path) -> None:
    path = make(tmp_path / "a.nc", KINDS[0], 2, several=True)
    data = bytearray(path.read_bytes())
    data[4:8] = b"\xff\xff\xff\xff"
    path.write_bytes(data)
    check_whole(path)
