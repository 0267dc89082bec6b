"""Examples in docstrings run, and print what they show."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import omnizarr

SOURCE = Path(omnizarr.__file__).parent
PROMPT = ">>> "


def _module(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


WITH_EXAMPLES = sorted(
    _module(path) for path in SOURCE.rglob("*.py") if PROMPT in path.read_text(encoding="utf-8")
)
# Where a prompt stands for what pytest would run.
NOT_RUN = {"omnizarr.testing.store"}


@pytest.mark.parametrize("name", [name for name in WITH_EXAMPLES if name not in NOT_RUN])
def test_examples_print_what_they_show(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        module = import_module(name)
    except ImportError as error:
        pytest.skip(f"{name} needs what is not installed: {error}")
    told: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        runner.run(test, out=told.append)
    assert runner.summarize(verbose=False).attempted > 0
    assert not told, "".join(told)


def test_examples_are_found() -> None:
    assert {"omnizarr", "omnizarr.config", "omnizarr.integrations.aio"} <= set(WITH_EXAMPLES)
    assert set(WITH_EXAMPLES) >= NOT_RUN


def test_an_example_that_is_wrong_is_seen() -> None:
    told: list[str] = []
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert "Expected:\n    3" in "".join(told)
