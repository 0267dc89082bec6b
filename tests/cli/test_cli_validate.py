"""`omnizarr validate`: levels, limits, what is written, exit statuses, and `--repair`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import omnizarr
from omnizarr.cli import asking
from omnizarr.cli.main import cli


def run(*arguments: Any, answer: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["validate", *map(str, arguments)], input=answer)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    root = omnizarr.create_group(tmp_path / "a.zarr")
    for path in ("one", "g/two"):
        made = root.create_array(path, shape=(4,), chunks=(2,), dtype="u1", compressors=None)
        made[:] = [1, 2, 3, 4]
    omnizarr.consolidate_metadata(tmp_path / "a.zarr")
    return tmp_path / "a.zarr"


@pytest.fixture
def damaged(place: Path) -> Path:
    (place / "one" / "c" / "7").write_bytes(b"12")
    (place / "one" / "c" / "1").write_bytes(b"1")
    (place / "gone" / "c").mkdir(parents=True)
    (place / "gone" / "c" / "0").write_bytes(b"12")
    omnizarr.open_array(place, path="g/two", mode="r+").attrs["new"] = 1
    return place


LINES = [
    "consolidated: /: g/two: the consolidated metadata differ from the node's own: attributes",
    "orphan: /: gone/c/0: a chunk without an array",
    "outside: /one: one/c/7: a chunk outside the array's shape (4,)",
]
CHUNK = "chunk: /one: one/c/1: codec bytes: expected 2 bytes, found 1"


def test_lines_and_a_count(damaged: Path) -> None:
    result = run(damaged)
    assert (result.exit_code, result.stdout.splitlines()) == (1, LINES)
    assert result.stderr == "3 findings (1 consolidated, 1 orphan, 1 outside) in 4 nodes, 10 keys\n"
    result = run(damaged, "--data")
    assert (result.exit_code, result.stdout.splitlines()) == (1, [*LINES, CHUNK])
    assert result.stderr.endswith("in 4 nodes, 10 keys, 4 chunks\n")


def test_levels(damaged: Path) -> None:
    assert run(damaged, "--level", "documents").stdout.splitlines() == LINES[:1]
    assert run(damaged, "--level", "keys").stdout.splitlines() == LINES
    assert run(damaged, "--no-data").stdout.splitlines() == LINES
    assert run(damaged, "--level", "data", "--workers", 1).stdout.splitlines() == [*LINES, CHUNK]
    assert run(damaged, "--path", "g").output == "no problems\n"
    assert run(damaged / "one", "--data").stdout.splitlines()[-1].endswith("expected 2 bytes, found 1")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--level", "keys", "--data"], "--level keys and --data contradict each other"),
        (["--level", "data", "--no-data"], "--level data and --no-data contradict each other"),
        (["--json", "--json-lines"], "--json and --json-lines contradict each other"),
        (["--yes"], "--yes is for --repair"),
        (["--dry-run"], "--dry-run is for --repair"),
        (["--keep", "x"], "--keep is for --repair"),
        (["--workers", "0"], "0 is not in the range"),
        (["--max-findings", "-1"], "-1 is not in the range"),
        (["--path", "none"], "no array or group"),
    ],
)
def test_what_makes_no_sense_is_status_2(place: Path, options: list[str], message: str) -> None:
    result = run(place, *options)
    assert result.exit_code == 2, result.output
    assert message in result.stderr and len(result.stderr.splitlines()) == 1


def test_limits(damaged: Path) -> None:
    result = run(damaged, "--max-findings", 1)
    assert len(result.stdout.splitlines()) == 2
    assert "more: /: 2 more than are listed" in result.stdout
    assert result.stderr.startswith("3 findings (")
    assert run(damaged, "--max-findings", 0).stdout.splitlines() == LINES


def test_json_and_json_lines_have_the_same_objects(damaged: Path) -> None:
    result = run(damaged, "--data", "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert found[1] == {
        "kind": "orphan",
        "path": "/",
        "at": "gone/c/0",
        "message": "a chunk without an array",
    }
    lines = run(damaged, "--data", "--json-lines").stdout.splitlines()
    assert sorted(map(json.loads, lines), key=str) == sorted(found, key=str)
    assert run(damaged, "--path", "g", "--json-lines").stdout == ""
    assert json.loads(run(damaged, "--path", "g", "--json").stdout) == []


def test_notes_are_no_findings(place: Path) -> None:
    (place / "one" / "c" / "0").write_bytes(bytes(2))
    assert run(place, "--data").output == "no problems\n"
    result = run(place, "--data", "--notes")
    note = "note: empty: /one: one/c/0: holds only the fill value, and need not be stored\n"
    assert (result.exit_code, result.stdout) == (0, f"{note}no problems\n")
    (found,) = json.loads(run(place, "--data", "--notes", "--json").stdout)
    assert found["note"] is True
    assert json.loads(run(place, "--data", "--json").stdout) == []


def keys(place: Path) -> set[str]:
    return {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()}


def test_a_dry_run_says_what_it_would_do(damaged: Path) -> None:
    before = keys(damaged)
    result = run(damaged, "--repair", "--dry-run")
    assert result.exit_code == 1 and result.stdout.splitlines() == LINES
    told = result.stderr.splitlines()
    assert sorted(told[:2]) == ["would remove gone/c/0", "would remove one/c/7"]
    assert told[2] == "would remove 2 keys and write the consolidated metadata of / anew"
    assert keys(damaged) == before


def test_without_a_terminal_yes_is_needed(damaged: Path) -> None:
    before = keys(damaged)
    result = run(damaged, "--repair")
    assert result.exit_code == 2 and "expected --yes" in result.stderr
    assert keys(damaged) == before


@pytest.mark.parametrize("answer", ["y\n", "n\n"])
def test_the_question(damaged: Path, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    monkeypatch.setattr(asking, "has_terminal", lambda: True)
    before = keys(damaged)
    result = run(damaged, "--repair", answer=answer)
    assert "Repair: remove 2 keys and write the consolidated metadata of / anew?" in result.stderr
    assert "would remove gone/c/0" in result.stderr
    if answer == "n\n":
        assert result.exit_code == 1 and "nothing was changed" in result.stderr
        assert keys(damaged) == before
    else:
        assert result.exit_code == 0 and "removed 2 keys\n" in result.stderr
        assert keys(damaged) == before - {"gone/c/0", "one/c/7"}


def test_what_a_repair_leaves_is_status_1(damaged: Path) -> None:
    result = run(damaged, "--repair", "--yes", "--data")
    assert result.exit_code == 1
    assert "wrote the consolidated metadata of / anew" in result.stderr
    assert run(damaged, "--data").stdout.splitlines() == [CHUNK]
    assert run(damaged).output == "no problems\n"
    np.testing.assert_array_equal(omnizarr.open(damaged, path="g/two")[:], [1, 2, 3, 4])  # type: ignore[index]


def test_nothing_to_repair(place: Path) -> None:
    result = run(place, "--repair")
    assert (result.exit_code, result.stdout) == (0, "no problems\n")
    assert result.stderr == "there is nothing to repair\n"


def test_keys_that_are_kept_are_still_findings(damaged: Path) -> None:
    result = run(damaged, "--repair", "--yes", "--keep", "gone/*")
    assert result.exit_code == 1 and (damaged / "gone" / "c" / "0").exists()
    assert run(damaged).stdout.splitlines() == [LINES[1]]


def test_consolidated_metadata_that_are_left_say_why(damaged: Path) -> None:
    (damaged / "one" / "zarr.json").unlink()
    result = run(damaged, "--repair", "--yes")
    assert result.exit_code == 1
    assert "consolidated metadata of / stay: they alone have the document of /one" in result.stderr
    assert (damaged / "one" / "c" / "0").exists()
