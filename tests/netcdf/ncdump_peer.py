"""Real ncdump and ncgen, and `omnizarr dump` beside them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from omnizarr.cli.dump import command

NCDUMP, NCGEN = shutil.which("ncdump"), shutil.which("ncgen")
needs_ncdump = pytest.mark.skipif(NCDUMP is None, reason="ncdump is not installed (Debian: netcdf-bin)")
needs_ncgen = pytest.mark.skipif(NCGEN is None, reason="ncgen is not installed (Debian: netcdf-bin)")


def ncdump(place: str | Path, *options: str) -> str:
    """Return what ncdump writes."""
    done = subprocess.run([str(NCDUMP), *options, str(place)], capture_output=True, check=True, timeout=60)
    return done.stdout.decode("utf-8", "surrogateescape")


def our_dump(place: str | Path, *options: str) -> str:
    """Return what `omnizarr dump` writes."""
    result = CliRunner().invoke(command, [*options, str(place)], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result.stdout_bytes.decode("utf-8", "surrogateescape")


def ncgen(cdl: str, target: str | Path, kind: str = "nc4") -> None:
    """Let ncgen make a dataset of CDL; it may end itself over odd ones."""
    subprocess.run(
        [str(NCGEN), "-k", kind, "-o", str(target)], input=cdl.encode(), check=True, capture_output=True
    )
