"""`omnizarr delete` and `omnizarr move`: what they ask, what they do, and how they end."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import omnizarr
from omnizarr.cli import asking
from omnizarr.cli.main import cli


def run(*arguments: object, said: str = "") -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], input=said)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "a.zarr"
    root = omnizarr.create_group(path)
    root.create_array("g/x", data=np.arange(1, 5), chunks=2)
    return path


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "has_terminal", lambda: True)


def test_delete(place: Path) -> None:
    done = run("delete", place / "g/x", "--yes")
    assert (done.exit_code, done.stdout) == (0, f"deleted 3 keys at file://{place}/g/x\n")
    assert [path for path, _ in omnizarr.open(place).members(None)] == ["g"]


def test_a_dry_run_deletes_nothing(place: Path) -> None:
    done = run("delete", place, "--dry-run")
    assert done.exit_code == 0
    assert done.stdout.startswith("would delete 5 keys (")
    assert omnizarr.open(place, mode="r")["g/x"][3] == 4


def test_without_a_terminal_yes_has_to_be_said(place: Path) -> None:
    for arguments in (("delete", place), ("move", place, place.with_name("b.zarr"))):
        done = run(*arguments)
        assert done.exit_code == 2
        assert "There is no terminal to ask on: expected --yes" in done.stderr
    assert [path.name for path in place.parent.iterdir()] == ["a.zarr"]
    assert omnizarr.open(place, mode="r")["g/x"][3] == 4


@pytest.mark.usefixtures("terminal")
def test_on_a_terminal_it_asks(place: Path) -> None:
    done = run("delete", place, said="n\n")
    assert done.exit_code == 1
    assert "nothing was deleted" in done.stderr
    assert place.exists()
    done = run("move", place, place.with_name("b.zarr"), said="\n")
    assert done.exit_code == 1
    assert "nothing was moved" in done.stderr
    assert [path.name for path in place.parent.iterdir()] == ["a.zarr"]
    done = run("delete", place, said="y\n")
    assert done.exit_code == 0
    assert f"at file://{place}? [y/N]" in done.stderr
    assert not place.exists()


def test_there_is_nothing(place: Path) -> None:
    done = run("delete", place / "g/y", "--yes")
    assert done.exit_code == 2
    done = run("delete", place / "g/x/c", "--dry-run")
    assert done.exit_code == 2
    assert "no array or group" in done.stderr


def test_move(place: Path) -> None:
    target = place.with_name("b.zip")
    done = run("move", place, target, "--dry-run")
    assert done.exit_code == 0
    assert done.stdout.startswith("would move 2 groups, 1 array (32 B in memory) from file://")
    assert not target.exists()
    done = run("move", place, target, "-y")
    assert done.exit_code == 0
    assert "2 chunks" in done.stdout
    assert not place.exists()
    assert omnizarr.open(target, mode="r")["g/x"][:].tolist() == [1, 2, 3, 4]


def test_what_is_there_is_replaced_only_where_that_is_said(place: Path) -> None:
    other = place.with_name("b.zarr")
    omnizarr.create_array(other, data=[7])
    done = run("move", place, other, "--yes")
    assert done.exit_code == 2
    assert "--overwrite" in done.stderr
    assert place.exists()
    assert run("move", place, other, "--yes", "--overwrite").exit_code == 0
    assert "g" in omnizarr.open(other, mode="r")
