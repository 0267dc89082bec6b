"""What tests of several rooms share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples in every run, so that a red run is about the change at hand; HYPOTHESIS_EXPLORE=1
# looks for new ones.
settings.register_profile(
    "omnizarr",
    deadline=None,
    derandomize=not os.environ.get("HYPOTHESIS_EXPLORE"),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("omnizarr")

ROOT = Path(__file__).parent.parent.resolve()


@pytest.fixture
def real_file() -> Callable[[str], Path]:
    """Find a real netCDF file by its name, in a folder `data` beside the repository, or skip the test."""

    def find(name: str) -> Path:
        found = next(ROOT.parent.glob(f"*/data/{name}"), None)
        if found is None:
            pytest.skip(f"the real file {name} is not beside the repository")
        return found

    return find
