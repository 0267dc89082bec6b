"""What an adapter offers: `Library` at least, the other Protocols where the library can."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from benchmarks.spec import Spec

Part: TypeAlias = tuple[slice, ...]
Tree: TypeAlias = dict[str, tuple[int, ...] | None]
"""Every path below a root, with the shape of an array or None for a group."""


class Named(Protocol):
    """Whatever is measured: a column of a table."""

    name: str
    version: str


class Library(Named, Protocol):
    """Arrays in a directory; what `create` and `open` return goes back into the other verbs."""

    def create(self, folder: Path, spec: Spec) -> Any:
        """Create an array that is the root of `folder`."""

    def open(self, folder: Path) -> Any:
        """Open the array at the root of `folder`."""

    def read(self, array: Any, part: Part) -> NDArray[Any]:
        """Return a part of unit steps, of as many dimensions as the array."""

    def write(self, array: Any, data: NDArray[Any]) -> None:
        """Replace the whole array."""

    def point(self, array: Any, index: tuple[int, ...]) -> Any:
        """Return one element."""


@runtime_checkable
class Scattered(Protocol):
    """Elements at scattered places."""

    def points(self, array: Any, index: tuple[NDArray[np.intp], ...]) -> NDArray[Any]:
        """Return the elements at pointwise indices."""


@runtime_checkable
class Strided(Protocol):
    """Slices with steps."""

    def strided(self, array: Any, part: Part) -> NDArray[Any]:
        """Return a part of any steps."""


@runtime_checkable
class Walking(Protocol):
    """Hierarchies without consolidated metadata."""

    walked_formats: frozenset[int]

    def walk(self, folder: Path, zarr_format: int) -> Tree:
        """Return every node below the root of `folder`."""


@runtime_checkable
class Consolidated(Protocol):
    """Hierarchies with consolidated metadata."""

    def listing(self, folder: Path, zarr_format: int) -> Tree:
        """Open the root of `folder` by its consolidated metadata and return every node below it."""


@runtime_checkable
class InMemory(Protocol):
    """Arrays in memory."""

    def memory_write(self, spec: Spec, data: NDArray[Any]) -> Any:
        """Create an array in a new memory store, write it, and return the store."""

    def memory_read(self, store: Any) -> NDArray[Any]:
        """Open the array in a memory store and return all of it."""
