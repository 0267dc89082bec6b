"""One file per way from arrays to dask and back, with the same verbs; what is not installed is left out."""

from __future__ import annotations

from importlib import import_module

from benchmarks.dask_peers.base import DaskLibrary
from benchmarks.peers import OURS

# In the order of the columns.
MODULES = {OURS: ("omni", "OURS"), "dask + zarr-python": ("zarr_python", "THEIRS")}


def load(name: str) -> DaskLibrary | None:
    """Return the adapter of a library, or None where the library is not installed."""
    module, attribute = MODULES[name]
    try:
        found = getattr(import_module(f"benchmarks.dask_peers.{module}"), attribute)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("benchmarks"):
            raise
        return None
    library: DaskLibrary | None = found
    return library
