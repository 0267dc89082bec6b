"""What an adapter to a backend of xarray offers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from benchmarks.peers.base import Named


class XarrayLibrary(Named, Protocol):
    """A way to open and write datasets by xarray, on Zarr v3."""

    def open(self, place: Path) -> Any:
        """Return the dataset at a place, nothing but its indexes read."""

    def write(self, dataset: Any, place: Path, encoding: dict[str, Any]) -> None:
        """Write a new dataset, with consolidated metadata."""
