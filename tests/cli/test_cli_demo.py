"""The demo: three readers agree with the file; a single changed bit is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from omnizarr.cli import cli, demo
from omnizarr.cli.demo_compare import same_attribute, same_values
from omnizarr.hierarchy.open import open_array

pytest.importorskip("netCDF4", reason="the demo needs the extra netcdf")


def run_demo(output: Path, *arguments: Any) -> Result:
    return CliRunner().invoke(cli, ["demo", "--output", str(output), *map(str, arguments)])


def test_demo_of_a_file_that_it_makes(tmp_path: Path) -> None:
    result = run_demo(tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("netcdf sample {\ndimensions:\n\ttime = UNLIMITED ; // (24 currently)\n")
    assert "├── temperature (24, 5, 90, 180) int16" in result.stdout
    assert "74 chunks" in result.stdout
    assert "every reader agrees with the file, bit for bit\n" in result.stdout
    assert run_demo(tmp_path / "out").exit_code == 0  # again, over what is there


@pytest.mark.parametrize("name", ["goes16-cloud-top-height.nc", "eraint-uvz.nc"])
def test_demo_of_real_files(name: str, real_file: Callable[[str], Path], tmp_path: Path) -> None:
    result = run_demo(tmp_path / "out", real_file(name))
    assert result.exit_code == 0, result.output
    assert "every reader agrees with the file" in result.stdout


def test_a_changed_value_is_found_by_every_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    convert = demo._convert

    def spoiled(source: Path, target: Path) -> Any:
        result = convert(source, target)
        open_array(target / "numbers" / "odd" / "values", mode="r+")[3] = 0.0  # it was -0.0
        return result

    monkeypatch.setattr(demo, "_convert", spoiled)
    result = run_demo(tmp_path / "out")
    assert result.exit_code == 1
    for reader in ("omnizarr.netcdf", "omnizarr (Zarr)", "netCDF-C"):
        assert any(
            line.startswith(reader) and "/numbers/odd/values: values differ" in line
            for line in result.stdout.splitlines()
        )
    assert "3 differences" in result.stdout


def test_demo_without_netcdf4_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = run_demo(tmp_path / "out")
    assert (result.exit_code, result.stderr) == (
        2,
        "omnizarr: the demo needs netCDF4: pip install 'omnizarr[netcdf]'\n",
    )


def test_same_values_compares_bits() -> None:
    nan = np.array([np.nan])
    assert same_values(nan, nan.astype(">f8"))
    assert not same_values(np.array([0.0]), np.array([-0.0]))
    assert not same_values(np.array([1], "i4"), np.array([1], "i8"))
    assert same_attribute("a", "a") and not same_attribute("1", np.int32(1))
    assert not same_attribute(["a", "b"], ["a"])
