"""Every parser of `fuzz/`, on real inputs and on changes of them: nothing but the library's own errors."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT))

from fuzz.mutate import mutated  # noqa: E402
from fuzz.targets import NAMES, target  # noqa: E402

from omnizarr.errors import OmniZarrError  # noqa: E402

EXAMPLES = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None)


@cache
def seeds(name: str) -> tuple[bytes, ...]:
    return tuple(target(name).seeds())


def run(name: str, data: bytes) -> None:
    try:
        target(name).run(data)
    except OmniZarrError:
        return


@pytest.mark.parametrize("name", NAMES)
def test_real_inputs(name: str) -> None:
    assert seeds(name)
    for data in seeds(name):
        run(name, data)


@pytest.mark.parametrize("name", NAMES)
def test_changed_inputs(name: str) -> None:
    @EXAMPLES
    @given(st.integers(0, len(seeds(name)) - 1), st.integers(0, 2**32), st.integers(1, 3))
    def check(number: int, seed: int, changes: int) -> None:
        data, random = seeds(name)[number], Random(seed)
        for _ in range(changes):
            data = mutated(data, random)
        run(name, data)

    check()


@pytest.mark.parametrize("name", NAMES)
def test_any_inputs(name: str) -> None:
    @EXAMPLES
    @given(st.binary(max_size=200))
    def check(data: bytes) -> None:
        run(name, data)

    check()


def test_an_unknown_target_is_an_error_of_usage() -> None:
    command = [sys.executable, "-m", "fuzz", "nothing"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "v3_documents" in done.stderr
