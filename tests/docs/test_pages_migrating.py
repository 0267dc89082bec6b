"""The scripts of the pages on migrating print the same with the library that they come from."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from guide_pages import blocks, is_as_shown, replaced, run_page, section, shown_in, text_of
from old_zarr import interpreter

SECTION = "The same script"
PEERS = {
    "netcdf4-python": ("import omnizarr.netcdf as netCDF4", "import netCDF4"),
    "zarr-python": ("import omnizarr as zarr", "import zarr"),
    "pydantic-zarr": ("from omnizarr.zom.v3 import", "from pydantic_zarr.v3 import"),
}


def script(name: str, ours: str, theirs: str) -> str:
    """Return the page up to the end of the section, with the import exchanged."""
    text = text_of(f"docs/migrating/{name}.md")
    beginning = text[: text.index(f"## {SECTION}")]
    assert ours in beginning
    return replaced(beginning, {ours: theirs}) + section(text, SECTION)


@pytest.mark.usefixtures("workplace")
@pytest.mark.parametrize("name", PEERS)
@pytest.mark.filterwarnings("ignore:Consolidated metadata is currently not part:UserWarning")
def test_the_script_runs_with_the_other_library(name: str) -> None:
    ours, theirs = PEERS[name]
    pytest.importorskip(theirs.split()[1].partition(".")[0])
    text = script(name, ours, theirs)
    assert "omnizarr" not in "".join(block.text for block in blocks(text, "python"))
    assert run_page(name, text) >= 1


def test_the_script_runs_with_hdmf_zarr(workplace: Path) -> None:
    text = script("hdmf-zarr", "from omnizarr.hdmf import", "from hdmf_zarr import")
    code = "\n".join(block.text for block in blocks(text, "python"))
    assert "omnizarr" not in code
    command = [str(interpreter()), "-W", "ignore", "-c", code]
    allowed = {**os.environ, "NUMCODECS_ALLOW_UNSAFE_PICKLE_DECODE": "1"}  # its own files need that
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=allowed)
    assert done.returncode == 0, done.stderr
    assert is_as_shown(done.stdout.splitlines(), shown_in(text)), done.stdout
