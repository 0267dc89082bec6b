"""The README and the guides tell the truth: sessions run and print what they say, links and files exist.

In a Python block, lines that start with `#> ` are what the statement above them prints, as in an
interactive session. In a console block, lines that start with `$ ` are commands.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from omnizarr.zom.conventions import CONVENTIONS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = ("README.md", "docs/zom.md", "docs/hdmf.md", "docs/xarray.md")
OUTPUT = "#> "
ANYTHING = "…"


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text_of(page), flags=re.MULTILINE | re.DOTALL)


def printed_below(lines: list[str], last: int) -> list[str]:
    """Return the output that is shown after line number `last` (counted from 1)."""
    shown = []
    for line in lines[last:]:
        if not line.startswith(OUTPUT.rstrip()):
            break
        shown.append(line.removeprefix(OUTPUT.rstrip()).removeprefix(" ").rstrip())
    return shown


def run_statement(statement: ast.stmt, page: str, names: dict[str, Any]) -> list[str]:
    """Run one statement as an interactive session does, and return the lines it prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(ast.Interactive([statement]), page, "single", dont_inherit=True), names)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def is_as_shown(found: list[str], shown: list[str]) -> bool:
    """Compare lines; `…` stands for anything within a line."""
    patterns = [re.escape(line).replace(re.escape(ANYTHING), ".*") for line in shown]
    return len(found) == len(patterns) and all(map(re.fullmatch, patterns, found))


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "110")
    return tmp_path


@pytest.mark.usefixtures("workplace")
@pytest.mark.parametrize("page", PAGES)
def test_sessions_print_what_they_show(page: str) -> None:
    names: dict[str, Any] = {}
    checked = 0
    for block in blocks(page, "python"):
        lines = block.splitlines()
        for statement in ast.parse(block).body:
            assert statement.end_lineno is not None
            shown = printed_below(lines, statement.end_lineno)
            found = run_statement(statement, page, names)
            if shown:
                checked += 1
                assert is_as_shown(found, shown), f"{ast.unparse(statement)} printed\n" + "\n".join(found)
    assert checked >= 5
    run_console_blocks(page)


def run_console_blocks(page: str) -> None:
    """Run the commands on what the Python session left behind."""
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, f"{command}: {done.stderr}"
            if shown.strip():
                found = [line.rstrip() for line in done.stdout.strip("\n").splitlines()]
                expected = [line.rstrip() for line in shown.strip("\n").splitlines()]
                assert is_as_shown(found, expected), f"{command} printed\n{done.stdout}"


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", text_of(page))
    folder = (ROOT / page).parent
    assert links
    assert [link for link in links if "://" not in link and not (folder / link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_files_that_are_named_exist(page: str) -> None:
    named = set(re.findall(r"`((?:tests|docs|benchmarks|src)/[\w/.]+)`", text_of(page)))
    assert any(name.startswith("tests/") for name in named)
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_tests_that_a_guide_names_exist() -> None:
    named = re.findall(r"`(test_\d\d_\w+)`", text_of("docs/zom.md"))
    there = (ROOT / "tests" / "zom" / "test_zom_statements.py").read_text(encoding="utf-8")
    assert len(named) == 18
    assert [name for name in named if f"def {name}(" not in there] == []


def test_the_guide_lists_the_conventions() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| (v[23, v]+) \|$", text_of("docs/zom.md"), flags=re.MULTILINE)
    listed = {name: [int(number) for number in re.findall(r"\d", versions)] for name, versions in rows}
    assert listed == {name: sorted(models) for name, models in CONVENTIONS.items()}


def test_the_speed_that_is_quoted_was_measured() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    quoted = re.findall(r"^> (omnizarr is the fastest .*)$", README, flags=re.MULTILINE)
    assert len(quoted) == 1
    assert quoted[0] in page.splitlines()


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"`make (\w+)", README)) | set(re.findall(r"^make (\w+)", README, re.MULTILINE))
    assert {"demo", "test"} <= targets
    assert [target for target in targets if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []


def test_the_comparison_sees_a_difference() -> None:
    assert is_as_shown(["a 3.2 µs", "b"], ["a … µs", "b"])
    assert not is_as_shown(["a", "b"], ["a"])
    assert not is_as_shown(["a"], ["b"])
