"""docs/validate.md tells the truth: every kind of finding has an example, which finds it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner

from omnizarr.cli.main import cli
from omnizarr.hierarchy.validating.findings import REPAIRABLE, Kind

GUIDE = (Path(__file__).parent.parent / "docs" / "validate.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^##)", GUIDE, flags=re.MULTILINE | re.DOTALL))
(BEGINNING,) = re.findall(r"^```python\n(.*?)^```$", GUIDE[: GUIDE.index("###")], flags=re.M | re.S)
WITH_EXAMPLE = sorted(kind for kind, text in SECTIONS.items() if "```python" in text)


def block(kind: str, language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", SECTIONS[kind], flags=re.MULTILINE | re.DOTALL)
    return str(found)


def test_every_kind_is_explained() -> None:
    assert list(SECTIONS) == list(get_args(Kind))
    assert {*get_args(Kind)} - {*WITH_EXAMPLE} == {"model", "more"}


@pytest.mark.parametrize("kind", WITH_EXAMPLE)
def test_examples_find_what_they_show(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(BEGINNING + block(kind, "python"), names)
    result = CliRunner().invoke(cli, ["validate", str(names["place"]), "--data", "--notes"])
    shown = block(kind, "text")
    assert re.fullmatch(re.escape(shown).replace("…", ".*"), result.stdout), result.output
    assert result.exit_code == (0 if "no problems" in shown else 1)


@pytest.mark.parametrize("kind", sorted(REPAIRABLE))
def test_what_a_repair_takes_away(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(BEGINNING + block(kind, "python"), {})
    runner = CliRunner()
    assert runner.invoke(cli, ["validate", "a.zarr", "--repair", "--yes"]).exit_code == 0
    assert runner.invoke(cli, ["validate", "a.zarr"]).output == "no problems\n"
    assert "repair" in SECTIONS[kind]


def test_the_options_that_are_explained_are_there() -> None:
    text = CliRunner().invoke(cli, ["validate", "--help"]).stdout
    explained = set(re.findall(r"`(--[\w-]+)", GUIDE))
    assert {option for option in explained if option not in text} == set()
    options = set(re.findall(r"^\s+(?:-\w, )?(--[\w-]+)", text, flags=re.MULTILINE))
    assert options - explained - {"--help", "--no-data"} == set()
