"""What an adapter between arrays and dask offers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from benchmarks.peers.base import Named


class DaskLibrary(Named, Protocol):
    """A way to have an array as a dask array, and to store one, on Zarr v3."""

    def lazy(self, place: Path) -> Any:
        """Return the dask array of an array, a block for each chunk."""

    def store(self, array: Any, place: Path, compressors: Any) -> None:
        """Make an array of the blocks of a dask array, and store that."""
