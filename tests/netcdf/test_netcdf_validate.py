"""What `omnizarr validate` says of netCDF datasets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from omnizarr import netcdf, open_group
from omnizarr.cli.main import cli
from omnizarr.netcdf.validate import validate_dataset


@pytest.fixture(params=[2, 3])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with netcdf.Dataset(tmp_path / "d", "w", zarr_format=request.param) as dataset:
        dataset.createDimension("x", 3)
        dataset.createDimension("t", None)
        dataset.createVariable("v", "i4", ("t", "x"))[:2] = 1
        dataset.createVariable("/g/w", "f8", ("x",))[:] = 2
    return tmp_path / "d"


def run(place: Path, *options: str) -> Result:
    return CliRunner().invoke(cli, ["validate", str(place), *options])


def kinds(place: Path) -> list[tuple[str, str]]:
    return [(finding.kind, finding.path) for finding in validate_dataset(open_group(place, mode="r"))]


def test_a_sound_dataset(place: Path) -> None:
    assert kinds(place) == []
    result = run(place, "--data")
    assert (result.exit_code, result.output) == (0, "no problems\n")


def test_nodes_that_no_group_lists(place: Path) -> None:
    root = open_group(place, mode="r+")
    root.create_array("g/stranger", shape=(3,), dtype="i4")
    root.create_group("other/inner")
    assert sorted(kinds(place)) == [("unlisted-node", "g/stranger"), ("unlisted-node", "other")]
    result = run(place)
    assert result.exit_code == 1
    assert "unlisted-node: /g/stranger: the group does not list it" in result.stdout
    # Opening lists nothing, and says nothing.
    assert netcdf.Dataset(place).as_dataset().faults == ()


def test_faults_by_name_as_text_and_json(place: Path) -> None:
    root = open_group(place, mode="r+")
    noted: Any = root["v"].attrs["_nczarr_array"]
    root["v"].attrs["_nczarr_array"] = {**noted, "dimension_references": ["/t", "/none"]}
    result = run(place)
    assert result.exit_code == 1
    assert result.stdout == (
        "dangling-dimension: /v: there is no dimension /none here or above; /none is 3 long\n"
    )
    [found] = json.loads(run(place, "--json").stdout)
    assert {**found, "message": ""} == {"kind": "dangling-dimension", "path": "/v", "at": "", "message": ""}


def test_broken_documents_are_told_of_once(place: Path) -> None:
    name = ".zarray" if (place / ".zgroup").exists() else "zarr.json"
    document = json.loads((place / "v" / name).read_text())
    (place / "v" / name).write_text(json.dumps({**document, "shape": "two"}))
    found = run(place).stdout.splitlines()
    assert len(found) == 1 and found[0].startswith("metadata: /v: ")
    assert kinds(place) == [("unreadable", "v")]


def test_a_dataset_below_the_root_of_a_store(place: Path) -> None:
    zarr_format = open_group(place, mode="r").zarr_format
    open_group(place.parent, mode="a", zarr_format=zarr_format)
    open_group(place, mode="r+").create_array("stranger", shape=(3,), dtype="i4")
    root = open_group(place.parent, mode="r")["d"]
    assert [finding.path for finding in validate_dataset(root)] == ["d/stranger"]  # type: ignore[arg-type]


def test_documents_beside_those_of_zarr_are_no_strangers(tmp_path: Path) -> None:
    root = open_group(tmp_path, mode="w", zarr_format=2)
    root.create_array("v", shape=(2,), dtype="i4")[:] = 1
    for name, content in {
        ".nczarr": {"nczarr_version": "1.0.0"},
        ".nczgroup": {"dims": {"x": 2}, "vars": ["v"], "groups": []},
        "v/.nczvar": {"dimrefs": ["/x"]},
    }.items():
        (tmp_path / name).write_text(json.dumps(content))
    assert run(tmp_path).output == "no problems\n"
    (tmp_path / ".nczgroup").write_text("{")
    assert run(tmp_path).stdout.startswith("unreadable: /: ")


def test_other_hierarchies_are_no_datasets(tmp_path: Path) -> None:
    root = open_group(tmp_path, mode="w")
    root.create_array("complex", shape=(2,), dtype="c16")[:] = np.array([1, 2])
    assert kinds(tmp_path) == [] and run(tmp_path).exit_code == 0
