"""``python -m benchmarks.nwb_peers.environment``: make the environment for hdmf-zarr, with pip."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

VARIABLE = "OMNIZARR_HDMF_ZARR"
"""May name the interpreter of another environment."""
FOLDER = Path(__file__).parent.parent.parent / ".venv" / "hdmf-zarr"
PYTHON = FOLDER / "bin" / "python"
# The newest numcodecs refuse to read pickles, without which hdmf-zarr cannot read most NWB files.
WANTED = ("hdmf-zarr==0.13.0", "zarr==2.18.7", "numcodecs==0.15.2", "hdmf==6.2.0", "pynwb==4.2.0")


def main() -> None:
    """Make the environment, unless there is one."""
    if VARIABLE not in os.environ and not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", FOLDER], check=True)
        subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", *WANTED], check=True)


if __name__ == "__main__":
    main()
