"""zarr-python, as it comes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import zarr
import zarr.storage
from numpy.typing import NDArray

from benchmarks.peers.base import Part, Tree
from benchmarks.spec import Spec


class ZarrArrays:
    """The verbs of an array, whatever the codec pipeline."""

    def create(self, folder: Path, spec: Spec) -> Any:
        return create_in(str(folder), spec)

    def open(self, folder: Path) -> Any:
        return zarr.open_array(str(folder), mode="r+", zarr_format=3)

    def read(self, array: Any, part: Part) -> NDArray[Any]:
        result: NDArray[Any] = array[part]
        return result

    def write(self, array: Any, data: NDArray[Any]) -> None:
        array[...] = data

    def point(self, array: Any, index: tuple[int, ...]) -> Any:
        return array[index]

    def points(self, array: Any, index: tuple[NDArray[np.intp], ...]) -> NDArray[Any]:
        result: NDArray[Any] = array.vindex[index]
        return result

    def strided(self, array: Any, part: Part) -> NDArray[Any]:
        return self.read(array, part)


class ZarrPython(ZarrArrays):
    """zarr-python with its own codec pipeline."""

    name = "zarr-python"
    version = zarr.__version__
    walked_formats = frozenset({2, 3})

    def walk(self, folder: Path, zarr_format: int) -> Tree:
        return _members(folder, zarr_format=zarr_format, use_consolidated=False)

    def listing(self, folder: Path, zarr_format: int) -> Tree:
        return _members(folder, zarr_format=zarr_format, use_consolidated=True)

    def memory_write(self, spec: Spec, data: NDArray[Any]) -> Any:
        store = zarr.storage.MemoryStore()
        self.write(create_in(store, spec), data)
        return store

    def memory_read(self, store: Any) -> NDArray[Any]:
        array: Any = zarr.open_array(store, mode="r", zarr_format=3)
        result: NDArray[Any] = array[...]
        return result


def create_in(store: Any, spec: Spec) -> Any:
    """Create an array at the root of a path or store."""
    return zarr.create_array(
        store,
        shape=spec.shape,
        chunks=spec.chunks,
        shards=spec.shards,
        dtype=spec.dtype,
        compressors=spec.compressors or None,
        fill_value=0,
        zarr_format=3,
    )


def _members(folder: Path, **options: Any) -> Tree:
    root = zarr.open_group(str(folder), mode="r", **options)
    return {path: getattr(node, "shape", None) for path, node in root.members(max_depth=None)}


LIBRARY = ZarrPython()
