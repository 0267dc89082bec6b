"""One file per backend for NWB files, each with the same verbs; what is not installed is left out."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from benchmarks.nwb_peers.base import NWBLibrary
from benchmarks.nwb_peers.remote import RemoteNWBFiles
from benchmarks.peers import OURS

APART = "hdmf-zarr"
# In the order of the columns.
MODULES = {OURS: "omni", APART: "hdmf_zarr_files", "pynwb, HDF5": "hdf5"}
# Most NWB files have references, which hdmf-zarr pickles; newer numcodecs ask whether that is meant.
_VARIABLES = {"NUMCODECS_ALLOW_UNSAFE_PICKLE_DECODE": "1"}


def load(name: str, python: Path | None) -> NWBLibrary | None:
    """Return the adapter of a library, or None where the library is not installed.

    Parameters
    ----------
    python
        The interpreter of the environment that has hdmf-zarr.
    """
    module = f"benchmarks.nwb_peers.{MODULES[name]}"
    if name == APART:
        return RemoteNWBFiles(name, python, module, **_VARIABLES) if python and python.exists() else None
    try:
        library: NWBLibrary = import_module(module).LIBRARY
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("benchmarks"):
            raise
        return None
    return library
