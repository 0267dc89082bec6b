"""netCDF-C's own command for copies."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

from benchmarks.netcdf_peers.base import AnyArray
from benchmarks.netcdf_peers.netcdf_c import nczarr_url
from benchmarks.netcdf_peers.omni import OURS


class NCCopy:
    """`nccopy` to NCZarr in a directory; what it writes is read by omnizarr."""

    name = "nccopy"

    def __init__(self, command: str) -> None:
        self._command = command
        text = subprocess.run([command], capture_output=True, text=True).stderr
        found = re.search(r"version ([\d.]+\d)", text)
        self.version = found[1] if found else "unknown"

    # Its NCZarr has no unlimited dimensions: `-u` makes them fixed.
    def convert(self, source: Path, place: Path) -> None:
        subprocess.run([self._command, "-u", str(source), nczarr_url(place)], check=True, stdout=sys.stderr)

    def read_converted(self, place: Path) -> AnyArray:
        return np.asarray(OURS.read(place))


_COMMAND = shutil.which("nccopy")
NCCOPY = NCCopy(_COMMAND) if _COMMAND else None
