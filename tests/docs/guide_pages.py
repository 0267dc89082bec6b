"""Pages of the documentation as sessions: their code runs in order, and prints what they show.

A block is fenced by three backquotes and a language:

- ``python``: each statement is run as an interactive session does; lines below it that start with ``#> ``
  are what it prints. All blocks of a page share one namespace.
- ``console``: lines that start with ``$ `` are commands for a shell, the lines below are what they print.
  What is printed may be left out. A command may end with 1, which is a finding, where its output is shown.
  Plain ``omnizarr …``, also with ``2>&1`` or ``> FILE``, runs in this process: nothing is imported again.

In what is shown, ``…`` is anything within a line. Blocks of other languages are for reading.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from omnizarr.cli.main import cli
from omnizarr.codecs.registry import REGISTRY
from omnizarr.metadata.chunk_keys import CHUNK_KEY_ENCODINGS
from omnizarr.metadata.dtype_v3 import DATA_TYPES
from omnizarr.metadata.grids import CHUNK_GRIDS
from omnizarr.store.urls.open import STORES

ROOT = Path(__file__).parents[2]
OUTPUT = "#>"
ANYTHING = "…"
LONGEST = 120
"""Seconds that a command may take."""
_PLAIN = re.compile(r"(omnizarr [^|<>&;$*\\]+?)( 2>&1)?(?: > (\S+))?")
_FENCED = re.compile(r"^```([\w-]+)[^\n]*\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page; `line` is the number of its first line."""

    language: str
    text: str
    line: int


@contextlib.contextmanager
def own_registrations() -> Iterator[None]:
    """Have what is registered meanwhile be known no longer."""
    tables = [each.known for each in (REGISTRY, DATA_TYPES, CHUNK_GRIDS, CHUNK_KEY_ENCODINGS, STORES)]
    before = [{*table} for table in tables]
    try:
        yield
    finally:
        for table, names in zip(tables, before, strict=True):
            for name in {*table} - names:
                del table[name]


def text_of(page: str) -> str:
    """Return a page by its path from the root of the repository."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(text: str, *languages: str) -> list[Block]:
    """Return the blocks in these languages, in their order."""
    found = (
        Block(match[1], match[2], text.count("\n", 0, match.start(2)) + 1) for match in _FENCED.finditer(text)
    )
    return [block for block in found if block.language in languages]


def pages() -> list[str]:
    """Return all pages that hold code which could be run."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    names = [path.relative_to(ROOT).as_posix() for path in found]
    return [name for name in names if blocks(text_of(name), "python", "console")]


def run_page(page: str, text: str, names: dict[str, Any] | None = None) -> int:
    """Run all code of a page in the current directory; return how many outputs were compared."""
    names = {} if names is None else names
    compared = 0
    for block in blocks(text, "python", "console"):
        results = _python(page, block, names) if block.language == "python" else _console(block)
        for place, found, shown in results:
            assert is_as_shown(found, shown), f"{page}, line {place} printed\n" + "\n".join(found)
            compared += 1
    return compared


def _python(page: str, block: Block, names: dict[str, Any]) -> Iterator[tuple[str, list[str], list[str]]]:
    lines = block.text.splitlines()
    for statement in ast.parse(block.text).body:
        assert statement.end_lineno is not None
        shown = _shown_below(lines, statement.end_lineno)
        ast.increment_lineno(statement, block.line - 1)
        found = run_statement(statement, page, names)
        if shown:
            yield f"{statement.lineno}: {ast.unparse(statement)}", found, shown


def run_statement(statement: ast.stmt, page: str, names: dict[str, Any]) -> list[str]:
    """Run one statement as an interactive session does, and return the lines it prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(ast.Interactive([statement]), page, "single", dont_inherit=True), names)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def _shown_below(lines: list[str], last: int) -> list[str]:
    """Return the output that is shown after line number `last` (counted from 1)."""
    shown = []
    for line in lines[last:]:
        if not line.startswith(OUTPUT):
            break
        shown.append(line.removeprefix(OUTPUT).removeprefix(" ").rstrip())
    return shown


def shown_in(text: str) -> list[str]:
    """Return all lines that a page shows as output of Python."""
    lines = [line for block in blocks(text, "python") for line in block.text.splitlines()]
    return [line.removeprefix(OUTPUT).removeprefix(" ") for line in lines if line.startswith(OUTPUT)]


def _console(block: Block) -> Iterator[tuple[str, list[str], list[str]]]:
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, shown = split_command(part)
        status, out, err = _run_command(command)
        assert status == 0 or (status == 1 and shown), f"{command}: status {status}\n{out}{err}"
        if shown:
            yield f"{block.line}: {command}", _trimmed(out), shown


def _run_command(command: str) -> tuple[int, str, str]:
    """Return the status, and what was written to both streams."""
    if plain := _PLAIN.fullmatch(command):
        result = CliRunner().invoke(cli, shlex.split(plain[1])[1:])
        if plain[3]:
            Path(plain[3]).write_text(result.stdout, encoding="utf-8")
            return result.exit_code, "", result.stderr
        return result.exit_code, result.output if plain[2] else result.stdout, result.stderr
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=LONGEST)
    return done.returncode, done.stdout, done.stderr


def split_command(part: str) -> tuple[str, list[str]]:
    """Return a command, which may go on after a backslash, and the lines that are shown below it."""
    lines = part.splitlines()
    last = next(number for number, line in enumerate(lines) if not line.endswith("\\"))
    return "\n".join(lines[: last + 1]), _trimmed("\n".join(lines[last + 1 :]))


def _trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def is_as_shown(found: list[str], shown: list[str]) -> bool:
    """Compare lines; `…` stands for anything within a line."""
    patterns = [re.escape(line).replace(re.escape(ANYTHING), ".*") for line in shown]
    return len(found) == len(patterns) and all(map(re.fullmatch, patterns, found))


def as_module(text: str) -> str:
    """Return the Python of a page as one module; each line has the number that it has in the page."""
    module = [""] * (text.count("\n") + 1)
    for block in blocks(text, "python"):
        for number, line in enumerate(block.text.splitlines(), block.line - 1):
            module[number] = line
    return "\n".join(module) + "\n"


def replaced(text: str, changes: Mapping[str, str]) -> str:
    """Return a page with lines exchanged; each has to be there."""
    for old, new in changes.items():
        assert old in text, f"the page has no {old!r}"
        text = text.replace(old, new)
    return text


def section(text: str, title: str) -> str:
    """Return the part of a page below a heading of second level."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    assert found, f"the page has no section {title!r}"
    return found[1]
