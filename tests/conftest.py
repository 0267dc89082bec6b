"""What tests of several rooms share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

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
