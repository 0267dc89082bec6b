"""`omnizarr create`, run as a user would."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import omnizarr
from omnizarr import zom
from omnizarr.cli import cli


def run(*arguments: Any, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], input=stdin)


def document(version: Any) -> dict[str, Any]:
    array = version.ArraySpec.from_array(np.zeros(3))
    inner = version.GroupSpec(members={"x": array})
    found: dict[str, Any] = version.GroupSpec(attributes={"n": 1}, members={"a": array, "g": inner}).to_json()
    return found


@pytest.fixture(params=[zom.v2, zom.v3])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document(request.param)))
    return path


def test_a_hierarchy_is_created_once(model: Path, tmp_path: Path) -> None:
    place = tmp_path / "a.zarr"
    result = run("create", model, place)
    assert result.exit_code == 0 and result.stdout == "created 2 groups, 2 arrays\n"
    assert zom.from_node(omnizarr.open(place)) == zom.from_json(model.read_bytes())
    omnizarr.open_group(place)["a"][:] = 7
    result = run("create", model, place)
    assert result.exit_code == 2 and "--overwrite replaces it, --exist-ok leaves" in result.stderr
    result = run("create", model, place, "--exist-ok")
    assert result.stdout == "created 0 groups, 0 arrays\n"
    del omnizarr.open_group(place, mode="r+")["g"]
    assert run("create", model, place, "--exist-ok").stdout == "created 1 group, 1 array\n"
    assert omnizarr.open_group(place)["a"][:].tolist() == [7, 7, 7]
    assert run("create", model, place, "--overwrite", "--consolidated").exit_code == 0
    group = omnizarr.open_consolidated(place)
    assert group["a"][:].tolist() == [0, 0, 0] and "g/x" in group
    result = run("create", model, place, "--overwrite", "--exist-ok")
    assert result.exit_code == 2 and "found both" in result.stderr


def test_from_standard_input_into_an_archive(tmp_path: Path) -> None:
    array = zom.v3.ArraySpec.from_array([1, 2]).to_json()
    result = run("create", "-", tmp_path / "a.zip", stdin=json.dumps(array))
    assert result.exit_code == 0 and result.stdout == "created 0 groups, 1 array\n"
    with omnizarr.open_array(tmp_path / "a.zip", mode="r").store as store:
        assert store.exists("zarr.json")
    result = run("create", "-", tmp_path / "b", "--consolidated", stdin=json.dumps(array))
    assert result.exit_code == 2 and "found that of an array" in result.stderr


def test_names_of_netcdf_files_are_refused(model: Path, tmp_path: Path) -> None:
    result = run("create", model, tmp_path / "new.nc")
    assert result.exit_code == 2 and "found the name of a netCDF file" in result.stderr
    assert not (tmp_path / "new.nc").exists()


def test_every_fault_of_the_model_is_in_one_line(tmp_path: Path) -> None:
    bad = document(zom.v3)
    bad["members"]["a"]["shape"] = [-1]
    bad["members"]["g"]["members"]["x"]["data_type"] = "float65"
    result = run("create", "-", tmp_path / "new.zip", stdin=json.dumps(bad))
    assert result.exit_code == 2 and result.stderr.count("\n") == 1
    assert "/a: shape[0]: " in result.stderr and "/g/x: data_type: " in result.stderr
    for text in ("", "{", "[]", "[" * 100_000):
        result = run("create", "-", tmp_path / "new.zip", stdin=text)
        assert result.exit_code == 2 and result.stderr.startswith("omnizarr: ")
        assert result.stderr.count("\n") == 1 and "unexpected" not in result.stderr
    assert not (tmp_path / "new.zip").exists()
    assert run("create", tmp_path / "none.json", tmp_path / "new").exit_code == 2
    assert run("create").exit_code == 2


def test_differences_are_in_one_line(model: Path, tmp_path: Path) -> None:
    run("create", model, tmp_path / "a")
    other = json.loads(model.read_text())
    other["attributes"]["n"] = 2
    other["members"]["g"]["members"]["x"] = {**other, "members": {}}
    result = run("create", "-", tmp_path / "a", "--exist-ok", stdin=json.dumps(other))
    assert result.exit_code == 2 and result.stderr.count("\n") == 1
    assert "/: attributes.n: expected 2, found 1" in result.stderr
    assert "/g/x: expected a group, found an array" in result.stderr


def test_of_a_broken_file_the_name_is_told(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    result = run("create", tmp_path / "bad.json", tmp_path / "new")
    assert result.exit_code == 2 and "expected JSON" in result.stderr and "bad.json" in result.stderr
    assert "standard input" in run("create", "-", tmp_path / "new", stdin="{").stderr
