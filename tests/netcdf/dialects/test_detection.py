"""Every dialect that is written is found out again, and another one can be asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from omnizarr import netcdf
from omnizarr.errors import ConversionError, OmniZarrError
from omnizarr.netcdf.dialects.base import Dialect
from omnizarr.netcdf.dialects.detect import DIALECTS, dialect_for

WRITTEN = [(dialect.name, dialect.zarr_format) for dialect in DIALECTS if isinstance(dialect, Dialect)]
EVERY = pytest.mark.parametrize(("name", "zarr_format"), WRITTEN)


def _make(place: Path, name: str, zarr_format: int) -> None:
    with netcdf.Dataset(place, "w", dialect=name, zarr_format=zarr_format) as dataset:
        dataset.createDimension("x", 3)
        dataset.createVariable("/g/v", "i4", ("x",))[:] = [1, 2, 3]


def test_all_are_written() -> None:
    assert set(WRITTEN) == {
        *(("nczarr", 2), ("nczarr", 3), ("proposal2018", 2)),
        *(("xarray", 2), ("xarray", 3), ("plain", 2), ("plain", 3)),
    }


@EVERY
def test_what_is_written_is_found_out(name: str, zarr_format: int, tmp_path: Path) -> None:
    _make(tmp_path / "d", name, zarr_format)
    dataset = netcdf.Dataset(tmp_path / "d")
    # On v3 names of dimensions are Zarr's own: where all have some, it is what xarray writes, too.
    expected = "xarray" if (name, zarr_format) == ("plain", 3) else name
    assert dataset.as_dataset().dialect == expected and dataset["g/v"][:].tolist() == [1, 2, 3]
    assert dataset.as_dataset().faults == ()
    if name != "plain" or zarr_format == 3:
        assert dataset["g/v"].dimensions == ("x",)


@EVERY
def test_pure_zarr_can_be_asked_for(name: str, zarr_format: int, tmp_path: Path) -> None:
    _make(tmp_path / "d", name, zarr_format)
    for other in ("xarray", "plain", "zarr"):
        dataset = netcdf.Dataset(tmp_path / "d", dialect=other)
        assert dataset.as_dataset().dialect in (other, *(("xarray", "plain") if other == "zarr" else ()))
        assert dataset["g/v"][:].tolist() == [1, 2, 3] and dataset.disk_format == "ZARR"


@EVERY
def test_notes_that_are_not_there_cannot_be_asked_for(name: str, zarr_format: int, tmp_path: Path) -> None:
    _make(tmp_path / "d", name, zarr_format)
    for other in ("nczarr", "nczarr2", "nczarr1"):
        if other != name:
            with pytest.raises(ConversionError, match=f"expected '{other}', found"):
                netcdf.Dataset(tmp_path / "d", dialect=other)
    if name not in ("plain", "xarray"):
        with pytest.raises(OmniZarrError, match="only read as that"):
            netcdf.Dataset(tmp_path / "d", "a", dialect="plain")
        assert netcdf.Dataset(tmp_path / "d", "a").as_dataset().dialect == name


def test_what_is_unknown_is_refused(tmp_path: Path) -> None:
    _make(tmp_path / "d", "nczarr", 2)
    with pytest.raises(ValueError, match="expected one of 'nczarr'"):
        netcdf.Dataset(tmp_path / "d", dialect="hdf5")
    with pytest.raises(ConversionError, match="read only"):
        dialect_for("nczarr1")
    with pytest.raises(ConversionError, match="expected Zarr format 2, found 3"):
        dialect_for("proposal2018", 3)
