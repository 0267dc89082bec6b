"""What netCDF-C's URLs ask for, and what is opened and made by them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import zarr
from click.testing import CliRunner

from omnizarr import netcdf
from omnizarr.cli import cli
from omnizarr.errors import ConversionError, OmniZarrError
from omnizarr.netcdf.dialects.modes import Asked, asked_of


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/data/run", Asked("/data/run")),
        ("/data/run#3", Asked("/data/run#3")),
        ("/data/run#3/x#mode=zarr", Asked("/data/run#3/x", "zarr")),
        ("file:///d#mode=nczarr,file", Asked("file:///d", "nczarr")),
        ("file:///d#nczarr", Asked("file:///d", "nczarr")),
        ("file:///d#zarr", Asked("file:///d", "zarr")),
        ("file:///d#mode=nczarr&mode=v3&mode=file", Asked("file:///d", "nczarr", 3)),
        ("file:///d#mode=nczarr,zarr", Asked("file:///d", "zarr")),
        ("file:///d#mode=nczarr,xarray,v2", Asked("file:///d", "xarray", 2)),
        ("file:///d#mode=zarr,noxarray", Asked("file:///d", "plain")),
        ("file:///d#mode=zarr&noxarray", Asked("file:///d", "plain")),
        ("file:///d#mode=nczarr,consolidated", Asked("file:///d", "nczarr", None, True)),
        ("file:///d#mode=nczarr,zip", Asked("file:///d#mode=zip", "nczarr")),
        ("/d.zip#mode=nczarr,zip", Asked("/d.zip", "nczarr")),
        ("/d#mode=nczarr,zip", Asked("file:///d#mode=zip", "nczarr")),
        (
            "s3://b/k#mode=nczarr,s3&aws.profile=me",
            Asked("s3://b/k#mode=s3&aws.profile=me", "nczarr"),
        ),
    ],
)
def test_what_a_place_asks_for(target: str, expected: Asked) -> None:
    assert asked_of(target) == expected


def test_what_is_no_text_asks_for_nothing() -> None:
    assert asked_of(Path("/d#mode=zarr")) == Asked(Path("/d#mode=zarr"))


@pytest.mark.parametrize("modes", ["v2,v3", "xarray,noxarray", "file,zip", "nczar"])
def test_contradictions_and_unknown_words_are_refused(modes: str) -> None:
    with pytest.raises(ValueError, match=r"expected (one of the modes|modes among)"):
        asked_of(f"file:///d#mode={modes}")


def test_bytes_are_no_zarr() -> None:
    with pytest.raises(ConversionError, match="omnizarr copy"):
        asked_of("file:///d.nc#mode=bytes")


def _make(place: str, **options: object) -> None:
    with netcdf.Dataset(place, "w", **options) as dataset:  # type: ignore[arg-type]
        dataset.createDimension("x", 3)
        dataset.createVariable("v", "i4", ("x",))[:] = [1, 2, 3]


@pytest.mark.parametrize(
    ("modes", "dialect", "zarr_format"),
    [
        ("nczarr,file", "nczarr", 2),
        ("nczarr,v3", "nczarr", 3),
        ("zarr,file", "xarray", 2),
        ("xarray,v3", "xarray", 3),
        ("noxarray", "plain", 2),
        ("v3", "nczarr", 3),
    ],
)
def test_new_datasets_are_what_a_url_asks_for(
    modes: str, dialect: str, zarr_format: int, tmp_path: Path
) -> None:
    _make(f"file://{tmp_path}/d#mode={modes}")
    found = netcdf.Dataset(tmp_path / "d")
    assert found.as_dataset().dialect == dialect and found["v"][:].tolist() == [1, 2, 3]
    assert zarr.open_group(tmp_path / "d", mode="r").metadata.zarr_format == zarr_format


def test_arguments_go_before_urls_and_urls_before_what_is_found(tmp_path: Path) -> None:
    _make(f"{tmp_path}/d#mode=nczarr,v2", dialect="xarray", zarr_format=3)
    assert zarr.open_group(tmp_path / "d", mode="r").metadata.zarr_format == 3
    assert netcdf.Dataset(f"{tmp_path}/d#mode=nczarr").as_dataset().dialect == "xarray"
    _make(f"{tmp_path}/n")
    url = f"{tmp_path}/n#mode=noxarray"
    assert netcdf.Dataset(url).as_dataset().dialect == "plain"
    assert netcdf.Dataset(url, dialect="xarray").as_dataset().dialect == "xarray"
    assert netcdf.Dataset(url, dialect="nczarr").as_dataset().dialect == "nczarr"


def test_an_nczarr_dataset_is_read_as_pure_zarr_where_that_is_asked_for(tmp_path: Path) -> None:
    _make(f"{tmp_path}/n")
    pure = netcdf.Dataset(f"file://{tmp_path}/n#mode=zarr,file")
    assert pure.as_dataset().dialect == "xarray" and list(pure.dimensions) == ["x"]
    assert pure.disk_format == "ZARR" and pure.ncattrs() == []
    plain = netcdf.Dataset(f"file://{tmp_path}/n#mode=zarr,noxarray")
    assert list(plain.dimensions) == ["_Anonymous_Dim_3"] and plain["v"][:].tolist() == [1, 2, 3]
    with pytest.raises(OmniZarrError, match="only read as that"):
        netcdf.Dataset(f"file://{tmp_path}/n#mode=zarr,file", "a")
    assert netcdf.Dataset(tmp_path / "n").as_dataset().dialect == "nczarr"


def test_archives_whatever_they_are_called(tmp_path: Path) -> None:
    for number, place in enumerate((f"file://{tmp_path}/one", f"{tmp_path}/two")):
        _make(f"{place}#mode=nczarr,zip")
        assert zipfile.is_zipfile(tmp_path / ("one", "two")[number])
        assert netcdf.Dataset(f"{place}#mode=nczarr,zip")["v"][:].tolist() == [1, 2, 3]


def test_archives_may_have_a_top_folder_as_those_of_libnetcdf(tmp_path: Path) -> None:
    _make(f"{tmp_path}/d")
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        for path in sorted((tmp_path / "d").rglob("*")):
            if path.is_file():
                archive.write(path, f"d/{path.relative_to(tmp_path / 'd')}")
    for place in (f"file://{tmp_path}/d.zip#mode=nczarr,zip", tmp_path / "d.zip", f"file://{tmp_path}/d.zip"):
        assert netcdf.Dataset(place)["v"][:].tolist() == [1, 2, 3]


def test_consolidated_metadata_are_made_and_used(tmp_path: Path) -> None:
    url = f"file://{tmp_path}/d#mode=nczarr,consolidated"
    _make(url)
    assert (tmp_path / "d" / ".zmetadata").exists()
    (tmp_path / "d" / "v" / ".zarray").unlink()
    assert np.array_equal(netcdf.Dataset(url)["v"][:], [1, 2, 3])
    with pytest.warns(UserWarning, match="/v is left out"):
        netcdf.Dataset(tmp_path / "d")


def test_commands_take_urls(tmp_path: Path) -> None:
    _make(f"{tmp_path}/d")

    def said(*arguments: str) -> str:
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 0, result.output
        return result.output

    place = f"file://{tmp_path}/d"
    assert json.loads(said("info", "--json", place))["netcdf"] == "nczarr"
    assert json.loads(said("info", "--json", f"{place}#mode=noxarray"))["netcdf"] == "plain"
    assert json.loads(said("info", "--json", f"{tmp_path}/d#mode=zarr,file"))["netcdf"] == "xarray"
    assert "v (3,)" in said("tree", f"{tmp_path}/d#mode=nczarr,file")
    assert "_Anonymous_Dim_3 = 3" in said("dump", "-h", f"{place}#mode=noxarray,file")


def test_copies_are_what_urls_ask_for(tmp_path: Path) -> None:
    _make(f"{tmp_path}/d")
    target = f"file://{tmp_path}/x#mode=xarray,v3"
    result = CliRunner().invoke(cli, ["copy", f"file://{tmp_path}/d#mode=nczarr,file", target])
    assert result.exit_code == 0, result.output
    found = netcdf.Dataset(tmp_path / "x")
    assert found.as_dataset().dialect == "xarray" and found["v"][:].tolist() == [1, 2, 3]
    assert zarr.open_group(tmp_path / "x", mode="r").metadata.zarr_format == 3
    result = CliRunner().invoke(cli, ["copy", f"{tmp_path}/d#mode=noxarray", f"{tmp_path}/p#mode=nczarr"])
    assert result.exit_code == 0, result.output
    assert list(netcdf.Dataset(tmp_path / "p").dimensions) == ["_Anonymous_Dim_3"]
