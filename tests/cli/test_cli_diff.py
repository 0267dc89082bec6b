"""`omnizarr diff`, run as a user would."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from omnizarr.cli import cli
from omnizarr.hierarchy.create import create_array, create_group
from omnizarr.hierarchy.open import open_group
from omnizarr.zom import from_node


def run(*arguments: Any, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["diff", *map(str, arguments)], input=stdin)


@pytest.fixture(params=[2, 3])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    for name, length in (("a", 3), ("b", 4)):
        root = create_group(tmp_path / f"{name}.zarr", zarr_format=request.param, attributes={"title": "é"})
        root.create_array("g/t", shape=(length,), chunks=(2,), dtype="f4", fill_value=float("nan"))
    return tmp_path / "a.zarr", tmp_path / "b.zarr"


def test_no_difference_is_status_0(places: tuple[Path, Path]) -> None:
    result = run(places[0], places[0])
    assert (result.exit_code, result.stdout) == (0, "no differences\n")


def test_every_difference_is_a_line(places: tuple[Path, Path]) -> None:
    result = run(*places)
    assert (result.exit_code, result.stdout) == (1, "/g/t: shape[0]: 3 became 4\n")


def test_as_json(places: tuple[Path, Path]) -> None:
    result = run(*places, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == [
        {"path": "/g/t", "at": "shape[0]", "kind": "changed", "before": 3, "after": 4}
    ]


@pytest.mark.parametrize("options", [["--exclude", "shape"], ["--include", "fill_value,attributes"]])
def test_fields_that_are_compared(places: tuple[Path, Path], options: list[str]) -> None:
    assert run(*places, *options).exit_code == 0


def test_a_model_in_a_file(places: tuple[Path, Path], tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    model.write_text(json.dumps(from_node(open_group(places[0], mode="r")).to_json()))
    assert run(model, places[0]).exit_code == 0
    assert run(places[1], model).stdout == "/g/t: shape[0]: 4 became 3\n"


def test_a_model_on_standard_input(places: tuple[Path, Path]) -> None:
    text = json.dumps(from_node(open_group(places[0], mode="r")).to_json())
    assert run("-", places[0], stdin=text).exit_code == 0
    assert run(places[1], "-", stdin=text).stdout == "/g/t: shape[0]: 4 became 3\n"
    result = run("-", "-", stdin=text)
    assert result.exit_code == 2 and "expected - for one of A and B, found it for both" in result.stderr
    result = run(places[0], "-", stdin="{")
    assert result.exit_code == 2 and "(store standard input)" in result.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "expected JSON"),
        ("[]", "expected an object, found []"),
        ('{"zarr_format": 4}', "expected 2 or 3, found 4"),
        ('{"zarr_format": 3, "node_type": "group", "x": 1}', "/: x: "),
    ],
)
def test_bad_models_are_status_2(places: tuple[Path, Path], tmp_path: Path, text: str, told: str) -> None:
    model = tmp_path / "model.json"
    model.write_text(text)
    result = run(places[0], model)
    assert result.exit_code == 2
    assert told in result.stderr and "model.json" in result.stderr
    assert result.stderr.count("\n") == 1


def test_usage(places: tuple[Path, Path], tmp_path: Path) -> None:
    unknown = run(*places, "--include", "shap")
    assert unknown.exit_code == 2 and "'shap'" in unknown.stderr and "dimension_names" in unknown.stderr
    assert run(places[0]).exit_code == 2
    assert run(places[0], tmp_path / "none.json").exit_code == 2


def test_an_array_against_a_group(tmp_path: Path) -> None:
    create_array(tmp_path / "a", shape=(1,), dtype="i1")
    create_group(tmp_path / "g")
    assert run(tmp_path / "a", tmp_path / "g").stdout == '/: node_type: "array" became "group"\n'
