"""zarrista: the zarrs crate behind an interface of its own; v3 and unit steps only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import zarrista
from numpy.typing import NDArray
from zarrista.store import FilesystemStore, MemoryStore

from benchmarks.peers.base import Part, Tree
from benchmarks.spec import Spec


class Zarrista:
    """zarrista."""

    name = "zarrista"
    version = zarrista.__version__
    walked_formats = frozenset({3})

    def create(self, folder: Path, spec: Spec) -> Any:
        folder.mkdir(parents=True)
        return create_in(FilesystemStore(folder), spec)

    def open(self, folder: Path) -> Any:
        return zarrista.Array.open(FilesystemStore(folder), "/")

    def read(self, array: Any, part: Part) -> NDArray[Any]:
        result: NDArray[Any] = array.retrieve_array_subset(part).to_numpy()
        return result

    def write(self, array: Any, data: NDArray[Any]) -> None:
        array.store_array_subset(..., data)

    def point(self, array: Any, index: tuple[int, ...]) -> Any:
        return array.retrieve_array_subset(index).to_numpy().item()

    def walk(self, folder: Path, zarr_format: int) -> Tree:
        root = zarrista.Group.open(FilesystemStore(folder), "/")
        return {
            node.path.lstrip("/"): tuple(node.shape) if isinstance(node, zarrista.Array) else None
            for node in root.traverse()
        }

    def memory_write(self, spec: Spec, data: NDArray[Any]) -> Any:
        store = MemoryStore()
        self.write(create_in(store, spec), data)
        return store

    def memory_read(self, store: Any) -> NDArray[Any]:
        array: Any = zarrista.Array.open(store, "/")
        result: NDArray[Any] = array.retrieve_array_subset(...).to_numpy()
        return result


def create_in(store: Any, spec: Spec) -> Any:
    """Create an array at the root of a store."""
    document: Any = spec.document
    array = zarrista.Array.from_metadata(document, store, "/")
    array.store_metadata()
    return array


LIBRARY = Zarrista()
