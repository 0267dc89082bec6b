"""What is said of the project in several files is the same in all of them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from omnizarr import __version__

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NOT_FOR_USERS = {"all", "bench", "docs", "fuzz", "test"}


def citation() -> dict[str, str]:
    """Return the fields of CITATION.cff that are one line each."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w-]+): (.+)$", text, flags=re.MULTILINE))


def test_the_citation_is_of_this_version() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML reads the citation")
    whole = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert set(whole) >= {"cff-version", "message", "title", "authors"}  # what its schema asks for
    assert whole["cff-version"] == "1.2.0"
    assert (whole["title"], whole["version"], whole["license"]) == ("omnizarr", __version__, "MIT")
    assert whole["authors"] == PROJECT["authors"]
    assert citation()["version"] == __version__


def test_the_changelog_has_this_version_or_is_yet_to_be_released() -> None:
    heads = re.findall(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert heads[0] == "Unreleased"
    assert len(heads) == 1 or heads[1] == __version__


def test_all_is_all_that_users_may_want() -> None:
    extras = PROJECT["optional-dependencies"]
    (together,) = extras["all"]
    named = set(re.findall(r"[\w-]+", together.partition("[")[2]))
    assert named == set(extras) - NOT_FOR_USERS


def test_tests_install_all_that_users_may_want() -> None:
    extras = PROJECT["optional-dependencies"]
    (own,) = (line for line in extras["test"] if line.startswith("omnizarr["))
    assert set(re.findall(r"[\w-]+", own.partition("[")[2])) >= set(extras) - NOT_FOR_USERS


def test_the_python_versions_are_those_that_may_install_it() -> None:
    named = [
        int(name.rpartition(".")[2])
        for name in PROJECT["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", name)
    ]
    assert PROJECT["requires-python"] == f">=3.{min(named)}"
    assert named == list(range(min(named), max(named) + 1))


def test_extras_that_errors_name_exist() -> None:
    named = {
        extra
        for path in (ROOT / "src").rglob("*.py")
        for extras in re.findall(r"omnizarr\[([\w,]+)\]", path.read_text(encoding="utf-8"))
        for extra in extras.split(",")
    }
    assert named - set(PROJECT["optional-dependencies"]) - {"extra"} == set()
