"""One file per library on object stores, each with the same verbs; what is not installed is left out."""

from __future__ import annotations

from importlib import import_module

from benchmarks.object_peers.base import ObjectLibrary
from benchmarks.peers import OURS

# In the order of the columns.
MODULES = {
    OURS: "omni",
    "zarr-python, obstore": "zarr_obstore",
    "zarr-python, s3fs": "zarr_s3fs",
    "tensorstore": "tensor_store",
}


def load(name: str) -> ObjectLibrary | None:
    """Return the adapter of a library, or None where the library is not installed."""
    try:
        module = import_module(f"benchmarks.object_peers.{MODULES[name]}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("benchmarks"):
            raise
        return None
    library: ObjectLibrary = module.LIBRARY
    return library
