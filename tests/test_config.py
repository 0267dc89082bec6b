"""Settings: defaults, environment, code, and blocks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path

import pytest

import omnizarr
from omnizarr.config import _LEAST, Config, Settings, variable_of


def test_defaults_follow_the_machine() -> None:
    assert Settings().threads >= 1
    assert Settings(threads=3).threads == 3


def test_a_block_changes_settings_for_itself_only() -> None:
    config = Config()
    seen: list[int] = []
    with config.using(threads=7, requests=3) as settings:
        assert (settings.threads, config.threads, config.requests) == (7, 7, 3)
        with config.using(threads=2):
            assert (config.threads, config.requests) == (2, 3)
        thread = threading.Thread(target=lambda: seen.append(config.requests))
        thread.start()
        thread.join()
    assert seen == [config.requests] == [32]


def test_setting_for_the_whole_process() -> None:
    config = Config()
    config.set(missing_chunks="raise")
    assert config.missing_chunks == "raise"
    assert "missing_chunks='raise'" in repr(config)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"missing_chunks": "maybe"}, "expected 'fill' or 'raise', found 'maybe'"),
        ({"zarr_format": 4}, "expected 2 or 3, found 4"),
        ({"threads": "two"}, "threads: expected int, found 'two'"),
        ({"threads": -1}, "threads: expected at least 0, found -1"),
        ({"requests": 0}, "requests: expected at least 1, found 0"),
        ({"cache_bytes": -1}, "cache_bytes: expected at least 0, found -1"),
        ({"write_empty_chunks": "no"}, "write_empty_chunks: expected bool, found 'no'"),
    ],
)
def test_wrong_values_are_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Settings(**values)  # type: ignore[arg-type]


def test_setting_for_a_block_of_the_whole_process() -> None:
    config = Config()
    with config.set(threads=3), ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: config.threads).result() == 3
    assert config.threads == Settings().threads


def test_unknown_names_are_refused() -> None:
    with pytest.raises(TypeError, match="treads"):
        Config().set(treads=1)
    with pytest.raises(AttributeError):
        omnizarr.config.treads  # noqa: B018


def _in_environment(**variables: str) -> subprocess.CompletedProcess[str]:
    code = "import omnizarr; print(omnizarr.config.threads, omnizarr.config.write_empty_chunks)"
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **variables}, capture_output=True, text=True
    )


def test_the_environment_sets_them_too() -> None:
    run = _in_environment(OMNIZARR_THREADS="5", OMNIZARR_WRITE_EMPTY_CHUNKS="yes")
    assert run.stdout.split() == ["5", "True"]
    run = _in_environment(OMNIZARR_WRITE_EMPTY_CHUNKS="maybe")
    assert "OMNIZARR_WRITE_EMPTY_CHUNKS: expected bool, found 'maybe'" in run.stderr
    run = _in_environment(OMNIZARR_THREADS="many")
    assert "OMNIZARR_THREADS: expected int, found 'many'" in run.stderr


def test_a_wrong_variable_is_told_when_settings_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMNIZARR_ZARR_FORMAT", "4")
    config = Config()
    assert repr(config) == "Config(OMNIZARR_ZARR_FORMAT: expected 2 or 3, found 4)"
    uses = [lambda: config.threads, lambda: config.set(threads=1), config.origins, config.using().__enter__]
    for use in uses:
        with pytest.raises(ValueError, match="OMNIZARR_ZARR_FORMAT: expected 2 or 3, found 4"):
            use()


@pytest.mark.parametrize("command", [["config"], ["tree", "."], ["doctor"]])
def test_a_wrong_variable_is_one_line_of_any_command(command: list[str]) -> None:
    code = "import sys; from omnizarr.cli import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", code, *command],
        env={**os.environ, "OMNIZARR_THREADS": "abc"}, capture_output=True, text=True,
    )  # fmt: skip
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "omnizarr: OMNIZARR_THREADS: expected int, found 'abc'\n"


PAGE = (Path(__file__).parent.parent / "docs" / "configuration.md").read_text(encoding="utf-8")


def _rows() -> dict[str, tuple[str, str]]:
    rows = re.findall(r"^\| `(\w+)` \|([^|]*)\|([^|]*)\|", PAGE, flags=re.MULTILINE)
    return {name: (default.strip(), least.strip()) for name, default, least in rows}


def _value(text: str) -> object:
    number, _, unit = text.partition(" ")
    base, _, power = number.partition("^")
    return int(base) ** int(power or 1) * {"": 1, "MiB": 2**20}[unit]


def test_the_page_lists_all_settings_with_their_defaults() -> None:
    rows = _rows()
    assert list(rows) == [field.name for field in fields(Settings)]
    for field in fields(Settings):
        default, least = rows[field.name]
        if field.name == "threads":
            assert default == "the cores of the process"
        elif default.startswith("`"):
            assert default == f'`"{field.default}"`'
        elif default == "no":
            assert field.default is False
        else:
            assert _value(default) == field.default, field.name
        assert (int(least) if least else None) == _LEAST.get(field.name), field.name


def test_the_settings_are_documented_with_their_variables() -> None:
    text = Settings.__doc__ or ""
    assert [f"`{variable_of(field.name)}`" in text for field in fields(Settings)] == [True] * len(
        fields(Settings)
    )


def test_where_a_value_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMNIZARR_REQUESTS", "9")
    config = Config()
    with config.set(threads=77), config.using(cache="memory"):
        origins = config.origins()
    assert (origins["requests"], origins["threads"], origins["cache"], origins["zarr_format"]) == (
        "OMNIZARR_REQUESTS",
        "set",
        "using",
        "default",
    )
    assert config.origins()["cache"] == "default"
