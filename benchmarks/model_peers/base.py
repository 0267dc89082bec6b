"""What an adapter to object models offers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol, TypeAlias

from benchmarks.peers.base import Named

Described: TypeAlias = dict[str, tuple[tuple[int, ...] | None, str | None, dict[str, Any]]]
"""Every path below a root, with shape, numpy's name of the data type (None for groups) and attributes."""


class ModelLibrary(Named, Protocol):
    """Models of hierarchies; what `read` returns goes back into the other verbs."""

    def open(self, folder: Path, zarr_format: int) -> Any:
        """Open the root of `folder`, without consolidated metadata."""

    def discover(self, root: Any) -> int:
        """Find every node below an open root, without making models, and count them."""

    def read(self, root: Any) -> Any:
        """Return the model of an open root."""

    def read_consolidated(self, folder: Path) -> Any:
        """Open the root of `folder` by its consolidated metadata (v3) and return its model."""

    def describe(self, model: Any) -> Described:
        """Return what a model says of the nodes below its root."""

    def create(self, model: Any, folder: Path) -> None:
        """Create the hierarchy of a model in an empty directory."""

    def to_text(self, model: Any) -> str:
        """Return a model as JSON text."""

    def from_text(self, text: str, zarr_format: int) -> Any:
        """Return the model of a JSON text."""
