"""`--version`, `omnizarr config`, and what is logged on standard error."""

from __future__ import annotations

import json
import logging
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import omnizarr
from omnizarr.cli import cli, installed
from omnizarr.config import Settings, variable_of


def run(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(cli, arguments, env=environment)


def test_the_first_line_of_versions_is_omnizarrs() -> None:
    result = run("--version")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert re.fullmatch(r"omnizarr \d+\.\d+\.\d+\S*", lines[0])
    assert lines[0] == f"omnizarr {omnizarr.__version__}"
    versions = dict(line.split(maxsplit=1) for line in lines[1:] if not line.startswith("not installed"))
    assert versions["numpy"] == version("numpy")
    assert versions["numcodecs"] == version("numcodecs")
    assert {"python", "platform", "xarray", "h5py", "obstore"} <= set(versions)


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(name: str) -> str:
        if name == "obstore":
            raise PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(installed, "version", found)
    assert run("--version").stdout.splitlines()[-1] == "not installed: obstore"
    monkeypatch.setattr(installed, "requires", lambda _: None)
    assert run("--version").stdout.splitlines()[0] == f"omnizarr {omnizarr.__version__}"


def test_a_package_that_is_not_installed_has_no_requirements(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> list[str]:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(installed, "requires", absent)
    assert installed.packages() == []


# Settings


def test_settings_are_listed_with_where_they_come_from() -> None:
    lines = run("config").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(Settings.__dataclass_fields__)
    assert all(line.endswith("default") for line in lines)
    found = json.loads(run("config", "--json").stdout)
    assert found["requests"] == {"value": 32, "origin": "default", "variable": "OMNIZARR_REQUESTS"}
    assert found["cache"]["value"] == ""
    assert found["write_empty_chunks"]["value"] is False


def test_settings_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    with omnizarr.config.set(requests=5), omnizarr.config.using(cache="memory"):
        found = json.loads(run("config", "--json").stdout)
    assert found["requests"]["origin"] == "set"
    assert found["cache"] == {"value": "memory", "origin": "using", "variable": "OMNIZARR_CACHE"}


def test_settings_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable_of("threads"), "3")
    config = omnizarr.config.__class__()
    assert config.threads == 3
    assert config.origins()["threads"] == "OMNIZARR_THREADS"
    assert config.origins()["requests"] == "default"


def test_variables_that_are_no_settings_are_named() -> None:
    result = run("config", OMNIZARR_TREADS="3", OMNIZARR_LOG="info")
    assert result.stderr == "omnizarr: warning: OMNIZARR_TREADS is set, and is no setting\n"
    assert result.exit_code == 0


# Logging


@pytest.fixture
def hierarchy(tmp_path: Path) -> str:
    omnizarr.create_array(tmp_path / "a.zarr" / "x", data=[1, 2, 3])
    omnizarr.create_group(tmp_path / "a.zarr")
    return str(tmp_path / "a.zarr")


def test_nothing_is_logged_unless_asked(hierarchy: str) -> None:
    assert run("info", hierarchy).stderr == ""


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [(["-v"], {}), (["--verbose"], {}), (["--log-level", "INFO"], {}), ([], {"OMNIZARR_LOG": "info"})],
)
def test_what_is_done_is_told(hierarchy: str, arguments: list[str], environment: dict[str, str]) -> None:
    before = logging.getLogger("omnizarr").level, list(logging.getLogger("omnizarr").handlers)
    result = run(*arguments, "consolidate", hierarchy, **environment)
    assert result.exit_code == 0, result.output
    assert re.fullmatch(
        r"\d\d:\d\d:\d\d\.\d{3} omnizarr\.hierarchy\.consolidate: .*metadata of 1 nodes .*\n", result.stderr
    )
    logger = logging.getLogger("omnizarr")
    assert (logger.level, logger.handlers) == before


@pytest.mark.parametrize("arguments", [["-vv"], ["-vvvv"], ["--log-level", "debug"]])
def test_requests_are_told(hierarchy: str, arguments: list[str]) -> None:
    result = run(*arguments, "info", hierarchy)
    assert " omnizarr.store: get file://" in result.stderr
    assert "zarr.json" in result.stderr


def test_levels_that_there_are_not(hierarchy: str) -> None:
    result = run("info", hierarchy, OMNIZARR_LOG="loud")
    assert result.exit_code == 2
    assert "warning" in result.stderr and "debug" in result.stderr
