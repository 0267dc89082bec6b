"""The environment with the newest zarr-python, which needs Python 3.12, and codecs that others have for it.

It is made once, as `.venv/new-zarr`, where there is such a Python; tests run it as another process.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent.parent / ".venv" / "new-zarr"
VARIABLE = "OMNIZARR_NEW_ZARR"
"""May name the interpreter of another environment."""
WANTED = ("zarr>=3.4", "cast-value-rs>=0.5", "zarr-n5>=0.3")
LONGEST = 240
"""Seconds to make the environment; tests are skipped where it takes longer."""


def interpreter() -> Path:
    """Return the interpreter of the environment; where none can be made the test is skipped."""
    try:
        named = os.environ.get(VARIABLE)
        return Path(named) if named else _made(FOLDER)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"no environment for zarr-python 3.4: {error} {getattr(error, 'stderr', None) or ''}")


def _made(folder: Path) -> Path:
    python = folder / "bin" / "python"
    folder.parent.mkdir(exist_ok=True)
    with open(folder.parent / "new-zarr.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _runs(python, "import zarr.codecs, cast_value_rs, zarr_n5"):
            shutil.rmtree(folder, ignore_errors=True)
            base = next((str(base) for base in _bases() if _runs(base, _IS_NEW)), None)
            if base is None:
                raise OSError("it needs Python 3.12 or newer, and there is none")
            for command in (
                [base, "-m", "venv", str(folder)],
                [str(python), "-m", "pip", "install", "--quiet", *WANTED],
            ):
                subprocess.run(command, check=True, capture_output=True, text=True, timeout=LONGEST)
    return python


_IS_NEW = "import sys; assert sys.version_info >= (3, 12)"


def _bases() -> Iterator[Path]:
    yield Path(sys.executable)
    for minor in range(12, 16):
        found = shutil.which(f"python3.{minor}")
        if found is not None:
            yield Path(found)
    yield from Path.home().glob(".pyenv/versions/3.1[2-9]*/bin/python")


def _runs(python: Path, code: str) -> bool:
    if not python.exists():
        return False
    return subprocess.run([python, "-c", code], capture_output=True, timeout=60).returncode == 0
