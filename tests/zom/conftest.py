"""What tests of object models share."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Once = Callable[[str, Callable[[Path], Any]], Any]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Once:
    """Make something once in a session, by the worker that comes first; what comes of it is JSON.

    Type checkers take seconds, so that they are asked everything at once, and by one worker.
    """
    shared = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        shared = shared.parent

    def run(name: str, make: Callable[[Path], Any]) -> Any:
        place, folder = shared / f"{name}.json", shared / name
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not place.exists():
                folder.mkdir()
                place.write_text(json.dumps(make(folder)))
        return json.loads(place.read_text())

    return run
