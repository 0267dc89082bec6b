"""One file per library of object models, each with the same verbs; what is not installed is left out."""

from __future__ import annotations

from importlib import import_module

from benchmarks.model_peers.base import ModelLibrary
from benchmarks.peers import OURS

# In the order of the columns.
MODULES = {OURS: "omni", "pydantic-zarr": "pydantic_zarr_models"}


def load(name: str) -> ModelLibrary | None:
    """Return the adapter of a library, or None where the library is not installed."""
    try:
        module = import_module(f"benchmarks.model_peers.{MODULES[name]}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("benchmarks"):
            raise
        return None
    library: ModelLibrary = module.LIBRARY
    return library
