"""`omnizarr validate --model`: by what a hierarchy is not as a model has it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import omnizarr
from omnizarr import zom
from omnizarr.cli import cli
from omnizarr.store import ZipStore

MODEL = """
from pydantic import BaseModel
from omnizarr import zom

class Units(BaseModel):
    units: str

class Readings(zom.v3.GroupSpec[dict, zom.v3.ArraySpec[Units]]):
    pass
"""
SCHEMA = {"properties": {"attributes": {"required": ["title"]}}}


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(cli, ["validate", *(str(argument) for argument in arguments)])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    root = omnizarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=3)
    for name in ("one", "g/two"):
        made = root.create_array(name, shape=(4,), dtype="i4", dimension_names=["x"])
        made.attrs["units"] = "m"
    return tmp_path / "a.zarr"


@pytest.fixture
def readings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "ourmodels.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    yield "ourmodels:Readings"
    sys.modules.pop("ourmodels", None)


def test_a_convention(store: Path) -> None:
    result = run(store, "--model", "xarray")
    assert (result.exit_code, result.stdout) == (0, "no problems\n")
    omnizarr.open_group(store)["g"].create_array("three", shape=(3,), dtype="i4")  # type: ignore[union-attr]
    result = run(store, "--model", "xarray")
    assert result.exit_code == 1
    (line,) = result.stdout.splitlines()
    assert line.startswith("model: /g/three: ")
    assert run(store).stdout == "no problems\n"


def test_a_users_model(store: Path, readings: str) -> None:
    result = run(store, "--model", readings)
    assert (result.exit_code, result.stdout) == (1, "model: /g: expected an array, found a group\n")
    by_file = run(store, "--model", f"{store.parent / 'ourmodels.py'}:Readings")
    assert by_file.stdout == result.stdout
    inside = run(store / "g", "--model", readings)
    assert (inside.exit_code, inside.stdout) == (0, "no problems\n")


def test_places_inside_a_store(store: Path, readings: str) -> None:
    del omnizarr.open_group(store)["g/two"].attrs["units"]
    result = run(store / "g", "--model", readings)
    assert result.exit_code == 1
    assert result.stdout == "model: /two: attributes.units: required, but missing\n"


def test_a_schema_in_a_file(store: Path, tmp_path: Path) -> None:
    for name in ("title.json", "title"):
        file = tmp_path / name
        file.write_text(json.dumps(SCHEMA))
        result = run(store, "--model", file)
        assert result.stdout == "model: /: attributes.title: required, but missing\n"
        assert result.exit_code == 1


def test_several_models_and_json(store: Path, readings: str, tmp_path: Path) -> None:
    (tmp_path / "title.json").write_text(json.dumps(SCHEMA))
    models = ("--model", readings, "--model", "title.json", "--model", "xarray", "--model", readings)
    result = run(store, *models, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == [
        {"kind": "model", "path": "/g", "at": "", "message": "expected an array, found a group"},
        {"kind": "model", "path": "/", "at": "attributes.title", "message": "required, but missing"},
    ]


def test_zip_files_and_places_in_them(store: Path, tmp_path: Path, readings: str) -> None:
    target = tmp_path / "a.zip"
    with ZipStore(target, mode="w") as archive:
        omnizarr.copy(store, archive)
    result = run(target, "--model", readings)
    assert result.stdout == "model: /g: expected an array, found a group\n"
    result = run(f"{target}/g/two", "--model", readings)
    assert result.stdout == "model: /g/two: expected a group, found an array\n"
    inside = run(f"{target}/g", "--model", readings, "--model", "xarray")
    assert (inside.exit_code, inside.stdout) == (0, "no problems\n")


def test_broken_documents_are_told_once_and_the_rest_is_checked(store: Path, readings: str) -> None:
    (store / "one" / "zarr.json").write_text("{")
    result = run(store, "--model", readings)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert len(lines) == 2 and lines[0].startswith("metadata: /one: ")
    assert lines[1] == "model: /g: expected an array, found a group"
    (store / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group", "attributes": 3}')
    result = run(store, "--model", readings)
    assert result.exit_code == 1
    assert "metadata: /: attributes: expected an object, found 3" in result.stdout


def test_stale_consolidated_metadata_hide_nothing(store: Path) -> None:
    omnizarr.consolidate_metadata(store)
    file = store / "g" / "two" / "zarr.json"
    document = json.loads(file.read_text())
    file.write_text(json.dumps({**document, "dimension_names": None}))
    result = run(store, "--model", "xarray")
    kinds = [line.partition(":")[0] for line in result.stdout.splitlines()]
    assert kinds == ["consolidated", "model"]


def test_another_version(tmp_path: Path, readings: str) -> None:
    omnizarr.open_group(tmp_path / "b.zarr", mode="w", zarr_format=2)
    result = run(tmp_path / "b.zarr", "--model", readings)
    assert result.exit_code == 1
    assert result.stdout.startswith("model: /: expected Zarr 3, found Zarr 2")
    # where both versions have a document, the model's own is looked at
    (tmp_path / "b.zarr" / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    assert "model" not in run(tmp_path / "b.zarr", "--model", readings).stdout


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("xray", 'path/to/file.py:Model or the file of a JSON Schema, found "xray"'),
        ("ourmodels:Reading", 'no "Reading"'),
        ("nowhere.to.be:Found", "there is no module 'nowhere'"),
        ("none.json", "No such file"),
        ("bad.json", "bad.json: expected JSON"),
        ("list.json", "expected a JSON Schema, an object, found [1]"),
        ("wrong.json", "JSON Schema"),
        ("model.json", "found the JSON of a node or a model; diff compares"),
        ("ourmodels.py", "expected ourmodels.py:Model, a class in that file"),
        ("", "found"),
    ],
)
def test_usage_errors(store: Path, readings: str, tmp_path: Path, model: str, message: str) -> None:
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "wrong.json").write_text('{"type": "nothing"}')
    (tmp_path / "model.json").write_text(json.dumps(zom.from_node(omnizarr.open(store)).to_json()))
    result = run(store, "--model", model)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr and len(result.stderr.splitlines()) == 1


def test_nothing_there(tmp_path: Path) -> None:
    result = run(tmp_path / "none.zarr", "--model", "xarray")
    assert (result.exit_code, result.stdout) == (2, "")
