"""`omnizarr copy` between netCDF files and dialects, with nccopy's options."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from omnizarr.cli import cli
from omnizarr.netcdf import Dataset


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def ok(*arguments: Any) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def cubes(tmp_path: Path) -> list[Path]:
    netcdf4 = pytest.importorskip("netCDF4")
    made = [tmp_path / f"{number}.nc" for number in range(3)]
    for number, path in enumerate(made):
        with netcdf4.Dataset(path, "w") as file:
            file.createDimension("time", None)
            file.createDimension("lat", 6)
            file.createVariable("time", "f8", ("time",))[:4] = np.arange(4) + 4 * number
            v = file.createVariable("v", "i4", ("time", "lat"), zlib=True, chunksizes=(2, 6))
            v[:] = np.arange(24).reshape(4, 6) + 24 * number
            file.createGroup("g").createVariable("w", "i2", ("lat",))[:] = number * 0 + 5
    return made


def test_copy_to_netcdf_files_as_nccopy_does(cubes: list[Path], tmp_path: Path) -> None:
    netcdf4 = pytest.importorskip("netCDF4")
    target = tmp_path / "out.nc"
    options = (
        "-c",
        "time/4,lat/3",
        "-d",
        7,
        "-s",
        "--endian",
        "big",
        "-k",
        "nc7",
        "-v",
        "/v,time",
        "--workers",
        1,
    )
    result = run("copy", cubes[0], target, *options)
    assert result.exit_code == 0, result.stderr
    with netcdf4.Dataset(target) as made:
        assert made.data_model == "NETCDF4_CLASSIC"
        assert list(made.variables) == ["time", "v"]
        assert (made["v"].chunking(), made["v"].endian()) == ([4, 3], "big")
        assert (made["v"].filters()["complevel"], made["v"].filters()["shuffle"]) == (7, True)
        np.testing.assert_array_equal(made["v"][:], np.arange(24).reshape(4, 6))
    ok("copy", cubes[0], target, "-c", "v:3,2", "-c", "time/", "-F", "v,307,9", "--overwrite")
    with netcdf4.Dataset(target) as made:
        assert made["v"].chunking() == [3, 2] and made["time"].chunking() == [4]
        assert made["v"].filters()["bzip2"]
    ok("copy", cubes[0], target, "-c", "/", "-F", "none", "-g", "g", "--overwrite")
    with netcdf4.Dataset(target) as made:
        assert made["g/w"].chunking() == "contiguous" and list(made.variables) == []


def test_copy_tells_what_a_kind_cannot_hold(cubes: list[Path], tmp_path: Path) -> None:
    target = tmp_path / "out.nc"
    result = run("copy", cubes[0], target, "-k", "classic", "--strict")
    assert result.exit_code == 2 and "/g" in result.stderr
    assert not target.exists()
    result = run("copy", cubes[0], target, "-k", "classic")
    assert result.exit_code == 0 and "not kept: /g: the group" in result.stderr


def test_copy_between_dialects(cubes: list[Path], tmp_path: Path) -> None:
    ok("copy", cubes[0], tmp_path / "a", "--dialect", "xarray", "--zarr-format", 3)
    assert (tmp_path / "a" / "v" / "zarr.json").exists()
    text = ok("copy", tmp_path / "a", tmp_path / "b", "--dialect", "nczarr", "--zarr-format", 2)
    assert "moved without decoding" in text
    ok("copy", tmp_path / "b", tmp_path / "c", "--zarr-format", 3)
    assert b"_nczarr_superblock" in (tmp_path / "c" / "zarr.json").read_bytes()
    with Dataset(tmp_path / "c") as made:
        np.testing.assert_array_equal(made["v"][:], np.arange(24).reshape(4, 6))
    ok("copy", tmp_path / "b", tmp_path / "raw")
    ours, theirs = (
        {p.relative_to(root): p.read_bytes() for p in root.rglob("*") if p.is_file()}
        for root in (tmp_path / "b", tmp_path / "raw")
    )
    assert ours == theirs


def test_copy_joins(cubes: list[Path], tmp_path: Path) -> None:
    for target in (tmp_path / "out.zarr", tmp_path / "out.nc"):
        ok("copy", cubes[2], cubes[0], cubes[1], target, "--join", "time")
        text = ok("dump", "-n", "x", "-v", "time,w", target)
        assert "time = UNLIMITED ; // (12 currently)" in text
        assert "time = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11" in text
    assert "only with --join" in run("copy", *cubes, tmp_path / "no").stderr
    assert "expected SRC and DST" in run("copy", cubes[0]).stderr
    result = run("copy", cubes[0], cubes[0], tmp_path / "no", "--join", "time")
    assert result.exit_code == 2 and "overlaps" in result.stderr
    assert not (tmp_path / "no").exists()


def test_copy_brings_old_generations_up_to_date(tmp_path: Path) -> None:
    ncgen = shutil.which("ncgen")
    if ncgen is None:
        pytest.skip("ncgen is not installed (Debian: netcdf-bin)")
    (tmp_path / "a.cdl").write_text("netcdf a { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }")
    url = f"file://{tmp_path / 'old'}#mode=nczarr,file"
    subprocess.run([ncgen, "-4", "-o", url, tmp_path / "a.cdl"], check=True, capture_output=True)
    ok("copy", tmp_path / "old", tmp_path / "new")
    assert b"_nczarr_superblock" in (tmp_path / "new" / ".zattrs").read_bytes()
    with Dataset(tmp_path / "new", "a") as made:
        made["v"][0] = 7
    assert " v = 7, 2 ;" in ok("dump", tmp_path / "new")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-c", "time10"), "expected chunks such as time/10"),
        (("-c", "v:a"), "expected chunks such as time/10"),
        (("-c", "nope/3"), "no dimension 'nope'"),
        (("-c", "/", "-c", "time/2"), "'/' stands for everything"),
        (("-c", "time/2", "--chunks", "2,2"), "either --chunks or -c"),
        (("-F", "v"), "expected filters such as 307,9"),
        (("-F", "307,9", "-d", "3"), "filters of all variables were given already"),
        (("-s",), "expected -d too"),
        (("-k", "nc9"), "kind: expected one of"),
        (("-v", "nope"), "no variable 'nope'"),
        (("-g", "nope"), "no group 'nope'"),
        (("--join", "nope"), "no dimension 'nope'"),
        (("--shards", "2,2"), "netCDF knows no shards"),
        (("--dialect", "nope"), "dialect: expected one of"),
    ],
)
def test_copy_refuses_what_makes_no_sense(
    options: tuple[str, ...], message: str, cubes: list[Path], tmp_path: Path
) -> None:
    result = run("copy", cubes[0], tmp_path / "out", *options)
    assert result.exit_code == 2 and message in result.stderr, result.stderr
    assert not (tmp_path / "out").exists()
