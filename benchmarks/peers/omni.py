"""omnizarr."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import omnizarr
from benchmarks.peers.base import Part, Tree
from benchmarks.spec import Spec
from omnizarr._version import __version__
from omnizarr.store import MemoryStore


class OmniZarr:
    """omnizarr."""

    name = "omnizarr"
    version = __version__
    walked_formats = frozenset({2, 3})

    def create(self, folder: Path, spec: Spec) -> Any:
        return create_in(folder, spec)

    def open(self, folder: Path) -> Any:
        return omnizarr.open_array(folder, mode="r+")

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

    def walk(self, folder: Path, zarr_format: int) -> Tree:
        root = omnizarr.open_group(folder, mode="r", zarr_format=zarr_format)
        return {path: getattr(node, "shape", None) for path, node in root.members(max_depth=None)}

    def listing(self, folder: Path, zarr_format: int) -> Tree:
        return self.walk(folder, zarr_format)

    def memory_write(self, spec: Spec, data: NDArray[Any]) -> Any:
        store = MemoryStore()
        self.write(create_in(store, spec), data)
        return store

    def memory_read(self, store: Any) -> NDArray[Any]:
        result: NDArray[Any] = omnizarr.open_array(store, mode="r")[...]
        return result


def create_in(store: Any, spec: Spec) -> Any:
    """Create an array at the root of a path or store."""
    return omnizarr.create_array(
        store,
        shape=spec.shape,
        chunks=spec.chunks,
        shards=spec.shards,
        dtype=spec.dtype,
        compressors=spec.compressors or None,
        fill_value=0,
        zarr_format=3,
    )


LIBRARY = OmniZarr()
