"""The environment with hdmf-zarr 0.13.0 and zarr-python 2.18, which tests run as another process.

hdmf-zarr needs an older zarr and a numcodecs that decodes pickles; that zarr writes a draft of Zarr v3 too.
It is made once, as `.venv/hdmf-zarr`, and is that of the benchmarks.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent.parent / ".venv" / "hdmf-zarr"
VARIABLE = "OMNIZARR_HDMF_ZARR"
"""May name the interpreter of another environment."""
WANTED = ("hdmf-zarr==0.13.0", "zarr==2.18.7", "numcodecs==0.15.2", "hdmf==6.2.0", "pynwb==4.2.0")
LONGEST = 240
"""Seconds to make the environment; tests are skipped where it takes longer."""


def interpreter() -> Path:
    """Return the interpreter of the environment; where none can be made the test is skipped."""
    try:
        named = os.environ.get(VARIABLE)
        return Path(named) if named else make_environment(FOLDER)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"no environment for hdmf-zarr 0.13.0: {error} {getattr(error, 'stderr', None) or ''}")


def make_environment(folder: Path) -> Path:
    """Return the interpreter that has hdmf-zarr; whoever comes first makes it, others wait."""
    python = folder / "bin" / "python"
    complete = folder / "complete"
    with open(folder.parent / "hdmf-zarr.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists() and not works(python):
            shutil.rmtree(folder, ignore_errors=True)
            for command in (
                [sys.executable, "-m", "venv", str(folder)],
                [str(python), "-m", "pip", "install", "--quiet", *WANTED],
            ):
                subprocess.run(command, check=True, capture_output=True, text=True, timeout=LONGEST)
        complete.touch()
    return python


def works(python: Path) -> bool:
    """Say whether an interpreter is there and has hdmf-zarr."""
    if not python.exists():
        return False
    return subprocess.run([python, "-c", "import hdmf_zarr"], capture_output=True, timeout=60).returncode == 0
