"""`omnizarr schema`, run as a user would, and the models that users name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from omnizarr import zom
from omnizarr.cli import cli
from omnizarr.cli.models import model_named
from omnizarr.hierarchy.create import create_array, create_group

MODELS = '''
"""Models of a user."""
from typing import Any, Literal
from omnizarr.zom import v2, v3
import {sibling}

class Image(v3.ArraySpec[dict[str, Any]]):
    """An image."""
    data_type: Literal["uint8"]

class Outer:
    class Inner(v2.GroupSpec[dict[str, Any], Any]):
        pass

class Unfinished(v3.ArraySpec[dict[str, Any]]):
    extra: "Missing"

_hidden = Image
number = 3
'''


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def ok(*arguments: Any) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: Any) -> str:
    result = run(*arguments)
    assert result.exit_code == 2 and result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    return result.stderr.removeprefix("omnizarr: ").strip()


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a user's modules, which is the current one."""
    monkeypatch.chdir(tmp_path)
    name = f"user_{abs(hash(tmp_path)):x}"
    (tmp_path / f"{name}_sibling.py").write_text("value = 1\n")
    (tmp_path / f"{name}.py").write_text(MODELS.format(sibling=f"{name}_sibling"))
    return tmp_path / f"{name}.py"


# --- schema json, schema typescript


@pytest.mark.parametrize("version", ["v2", "v3"])
def test_schemas_of_versions(version: str) -> None:
    schema = json.loads(ok("schema", "json", version))
    assert schema == zom.json_schema(version)
    Draft202012Validator.check_schema(schema)
    assert ok("schema", "typescript", version) == zom.typescript(version)


def test_the_schema_of_a_convention() -> None:
    for number in (2, 3):
        found = json.loads(ok("schema", "json", "xarray", "--zarr-format", number))
        assert found == zom.json_schema(zom.conventions.convention("xarray", number))
    assert ok("schema", "json", "xarray") == ok("schema", "json", "xarray", "--zarr-format", "3")
    assert "export" in ok("schema", "typescript", "xarray")


def test_the_schema_of_a_users_model(workplace: Path) -> None:
    for named in (f"{workplace.stem}:Image", workplace.name + ":Image", f"{workplace}:Image"):
        schema = json.loads(ok("schema", "json", named))
        assert schema["title"] == "Image"
        assert schema["description"] == "An image."
        assert schema["properties"]["data_type"]["const"] == "uint8"
    assert "Image" in ok("schema", "typescript", f"{workplace.stem}:Image")
    inner = json.loads(ok("schema", "json", f"{workplace.stem}:Outer.Inner"))
    assert inner["properties"]["zarr_format"]["const"] == 2


def test_schemas_are_had_by_the_installed_command(workplace: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "omnizarr.cli.main"]
    script = Path(sys.executable).with_name("omnizarr")
    command = [str(script)] if script.exists() else command
    done = subprocess.run(
        [*command, "schema", "json", f"{workplace.stem}:Image"],
        capture_output=True,
        cwd=workplace.parent,
        env=environment,
        check=True,
    )
    assert json.loads(done.stdout)["title"] == "Image"


def test_help_names_the_commands() -> None:
    text = ok("schema", "--help")
    for name in ("json", "of", "typescript"):
        assert f"  {name} " in text
        assert "Usage: omnizarr schema" in ok("schema", name, "--help")
    assert "schema" in ok("--help")
    assert run("schema").exit_code == 2
    assert "No such command" in refused("schema", "nonsense")


# --- schema of


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_the_model_of_a_store(tmp_path: Path, zarr_format: Any) -> None:
    place = tmp_path / "a.zarr"
    root = create_group(place, zarr_format=zarr_format, attributes={"title": "é", "nan": float("nan")})
    root.create_group("g").create_array("a", shape=(4,), chunks=(2,), dtype="f4", fill_value=float("nan"))
    model = zom.from_json(ok("schema", "of", place))
    assert model == zom.from_node(root)
    assert json.loads(ok("schema", "of", place))["members"]["g"]["members"]["a"]["fill_value"] == "NaN"
    assert json.loads(ok("schema", "of", place, "--depth", 0))["members"] is None
    assert json.loads(ok("schema", "of", place, "--depth", 1))["members"]["g"]["members"] is None
    array = json.loads(ok("schema", "of", place / "g" / "a"))
    assert array["shape"] == [4]
    document = {**json.loads(ok("schema", "of", place)), "attributes": {}}
    assert list(Draft202012Validator(zom.json_schema(zarr_format)).iter_errors(document)) == []


def test_places_that_hold_no_model(tmp_path: Path) -> None:
    assert "no such directory" in refused("schema", "of", tmp_path / "none")
    assert "no array or group" in refused("schema", "of", tmp_path)
    assert "expected a path or a URL" in refused("schema", "of", "")
    place = tmp_path / "a.zarr"
    create_array(place, shape=(2,), dtype="i4", zarr_format=3)
    assert "depth" in refused("schema", "of", place, "--depth", "-1")
    (place / "zarr.json").write_text('{"zarr_format": 3, "node_type": "array"}')
    assert "required, but missing" in refused("schema", "of", place)


# --- models that are not there


def test_text_that_names_no_model() -> None:
    for text in ("nope", "a.b.C", ":Model", "module:", ""):
        assert refused("schema", "json", text).startswith("expected v2, v3, ")
    assert refused("schema", "json", "../a:Model").startswith("expected package.module before the colon")


def test_modules_that_are_not_there(workplace: Path) -> None:
    assert refused("schema", "json", "no_such_module:M") == "there is no module 'no_such_module'"
    assert refused("schema", "json", "no_such.module:M") == (
        "there is no module 'no_such', and so no 'no_such.module'"
    )
    assert (
        refused("schema", "json", f"{workplace.stem}.inner:M")
        == f"there is no module '{workplace.stem}.inner'"
    )
    assert refused("schema", "json", "no/such/file.py:M") == 'there is no file "no/such/file.py"'


def test_names_that_are_not_in_a_module(workplace: Path) -> None:
    models = "its models: Image, Unfinished"
    assert refused("schema", "json", f"{workplace.stem}:Imag") == f'{workplace.stem} has no "Imag"; {models}'
    expected = "expected a model (a subclass of an ArraySpec or a GroupSpec)"
    assert refused("schema", "json", f"{workplace.stem}:number") == (
        f"{workplace.stem}:number is 3, {expected}; {models}"
    )
    assert "is the class Outer, expected a model" in refused("schema", "json", f"{workplace.stem}:Outer")
    assert refused("schema", "json", "json:loads").endswith("; it has no models")
    assert "is the class NodeSpec" in refused("schema", "json", "omnizarr.zom.node:NodeSpec")
    told = refused("schema", "json", f"{workplace.stem}:Unfinished")
    assert told.startswith(f"{workplace.stem}:Unfinished is not complete: ") and "Missing" in told


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import no_such_thing", "ModuleNotFoundError: No module named 'no_such_thing' ({}, line 1)"),
        ("def f():\n    1 / 0\nf()", "ZeroDivisionError: division by zero ({}, line 2)"),
        ("raise SystemExit(3)", "SystemExit: 3 ({}, line 1)"),
        ("x = = 3", "SyntaxError: invalid syntax ({name}, line 1)"),
    ],
)
def test_modules_that_fail_say_what_failed_and_where(workplace: Path, text: str, message: str) -> None:
    file = workplace.with_name(f"{workplace.stem}_failing.py")
    file.write_text(text)
    for named in (file.stem, file.name):
        expected = f"{named} cannot be imported: {message.format(file, name=file.name)}"
        assert refused("schema", "json", f"{named}:M") == expected


def test_only_the_module_that_is_named_is_looked_for_in_the_current_directory(workplace: Path) -> None:
    before = list(sys.path)
    workplace.with_name("jsonschema.py").write_text("raise RuntimeError('imported')")
    assert model_named(f"{workplace.stem}:Image").__name__ == "Image"
    assert model_named(f"{workplace}:Image").__name__ == "Image"
    assert sys.path == before


def test_conventions_for_a_version_that_has_none() -> None:
    models = zom.conventions.CONVENTIONS
    lacking = [name for name, found in models.items() if set(found) != {2, 3}]
    for name in lacking:
        (absent,) = {2, 3} - set(models[name])
        assert f"convention '{name}': expected Zarr v" in refused(
            "schema", "json", name, "--zarr-format", absent
        )
