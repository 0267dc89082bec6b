"""tensorstore with its s3 driver; it knows arrays and keys but no groups."""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from typing import Any

import tensorstore as ts
from numpy.typing import NDArray

from benchmarks.object_peers.base import BUCKET, REGION, Service
from benchmarks.peers.base import Tree
from benchmarks.spec import Spec


class TensorStore:
    """tensorstore, with its default context."""

    name = "tensorstore"
    version = version("tensorstore")

    def create(self, service: Service, name: str, spec: Spec) -> Any:
        return ts.open(_array(service, name, metadata=spec.document), create=True).result()

    def open(self, service: Service, name: str) -> Any:
        return ts.open(_array(service, name), open=True).result()

    def read(self, array: Any) -> NDArray[Any]:
        result: NDArray[Any] = array.read().result()
        return result

    def write(self, array: Any, data: NDArray[Any]) -> None:
        array.write(data).result()

    def open_and_read(self, service: Service, name: str) -> Any:
        array = self.open(service, name)
        return array[(0,) * array.rank].read().result().item()

    def walk(self, service: Service, name: str) -> Tree:
        """List the keys and read the documents: the least that a walk can be here."""
        keys = ts.KvStore.open(_place(service, name)).result()
        found = [key for key in keys.list().result() if key.endswith(b"zarr.json") and b"/" in key]
        answers = [(key, keys.read(key)) for key in found]
        documents = ((key, json.loads(answer.result().value)) for key, answer in answers)
        return {
            key.rpartition(b"/")[0].decode(): tuple(document["shape"]) if "shape" in document else None
            for key, document in documents
        }


def _place(service: Service, name: str) -> dict[str, Any]:
    os.environ["AWS_ACCESS_KEY_ID"] = service.key
    os.environ["AWS_SECRET_ACCESS_KEY"] = service.secret
    return {
        "driver": "s3",
        "bucket": BUCKET,
        "path": f"{name}/",
        "endpoint": service.endpoint,
        "aws_region": REGION,
        "aws_credentials": {"type": "environment"},
    }


def _array(service: Service, name: str, **members: Any) -> dict[str, Any]:
    return {"driver": "zarr3", "kvstore": _place(service, name), **members}


LIBRARY = TensorStore()
