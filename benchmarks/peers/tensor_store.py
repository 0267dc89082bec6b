"""tensorstore, with its default context; it knows arrays and keys but no groups."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import tensorstore as ts
from numpy.typing import NDArray

from benchmarks.peers.base import Part, Tree
from benchmarks.spec import Spec


class TensorStore:
    """tensorstore; files are not synced, as with the other libraries."""

    name = "tensorstore"
    version = version("tensorstore")
    walked_formats = frozenset({2, 3})

    def create(self, folder: Path, spec: Spec) -> Any:
        return ts.open(_array_spec(_files(folder), metadata=spec.document), create=True).result()

    def open(self, folder: Path) -> Any:
        return ts.open(_array_spec(_files(folder)), open=True).result()

    def read(self, array: Any, part: Part) -> NDArray[Any]:
        result: NDArray[Any] = array[part].read().result()
        return result

    def write(self, array: Any, data: NDArray[Any]) -> None:
        array.write(data).result()

    def point(self, array: Any, index: tuple[int, ...]) -> Any:
        return array[index].read().result().item()

    def points(self, array: Any, index: tuple[NDArray[np.intp], ...]) -> NDArray[Any]:
        result: NDArray[Any] = array.vindex[index].read().result()
        return result

    def strided(self, array: Any, part: Part) -> NDArray[Any]:
        return self.read(array, part)

    def walk(self, folder: Path, zarr_format: int) -> Tree:
        """List the keys and read the documents: the least that a walk can be here."""
        names = (b"zarr.json",) if zarr_format == 3 else (b".zarray", b".zgroup")
        keys = ts.KvStore.open(_files(folder)).result()
        found = [key for key in keys.list().result() if key.endswith(names) and b"/" in key]
        answers = [(key, keys.read(key)) for key in found]
        documents = ((key, json.loads(answer.result().value)) for key, answer in answers)
        return {
            key.rpartition(b"/")[0].decode(): tuple(document["shape"]) if "shape" in document else None
            for key, document in documents
        }

    def memory_write(self, spec: Spec, data: NDArray[Any]) -> Any:
        context = ts.Context()
        where = _array_spec({"driver": "memory"}, metadata=spec.document)
        array = ts.open(where, create=True, context=context).result()
        self.write(array, data)
        return context

    def memory_read(self, store: Any) -> NDArray[Any]:
        array = ts.open(_array_spec({"driver": "memory"}), open=True, context=store).result()
        result: NDArray[Any] = array.read().result()
        return result


def _files(folder: Path) -> dict[str, Any]:
    return {"driver": "file", "path": f"{folder}/", "file_io_sync": False}


def _array_spec(kvstore: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"driver": "zarr3", "kvstore": kvstore, **members}


LIBRARY = TensorStore()
