"""One file per library, each with the same verbs; a library that is not installed is left out."""

from __future__ import annotations

from importlib import import_module

from benchmarks.peers.base import Library

# In the order of the columns.
MODULES = {
    "omnizarr": "benchmarks.peers.omni",
    "zarr-python": "benchmarks.peers.zarr_python",
    "zarrs": "benchmarks.peers.zarrs_pipeline",
    "zarrista": "benchmarks.peers.zarrista_array",
    "tensorstore": "benchmarks.peers.tensor_store",
}
OURS = "omnizarr"
REFERENCE = "zarr-python"


def load(name: str) -> Library | None:
    """Return the adapter of a library, or None where the library is not installed."""
    try:
        module = import_module(MODULES[name])
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("benchmarks"):
            raise
        return None
    library: Library = module.LIBRARY
    return library
