"""One file per backend of xarray, each with the same verbs; what is not installed is left out."""

from __future__ import annotations

from importlib import import_module

from benchmarks.peers import OURS
from benchmarks.xarray_peers.base import XarrayLibrary

# In the order of the columns.
MODULES = {OURS: ("omni", "OURS"), "xarray + zarr-python": ("zarr_python", "THEIRS")}


def load(name: str) -> XarrayLibrary | None:
    """Return the adapter of a library, or None where the library is not installed."""
    module, attribute = MODULES[name]
    try:
        found = getattr(import_module(f"benchmarks.xarray_peers.{module}"), attribute)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("benchmarks"):
            raise
        return None
    library: XarrayLibrary | None = found
    return library
