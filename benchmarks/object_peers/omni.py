"""omnizarr's ObjectStore."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

import omnizarr
from benchmarks.object_peers.base import BUCKET, REGION, Service
from benchmarks.peers.base import Tree
from benchmarks.peers.omni import create_in
from benchmarks.spec import Spec
from omnizarr.store import ObjectStore


class OmniZarr:
    """omnizarr, as it comes."""

    name = "omnizarr"
    version = omnizarr.__version__

    def create(self, service: Service, name: str, spec: Spec) -> Any:
        return create_in(_store(service, name), spec)

    def open(self, service: Service, name: str) -> Any:
        return omnizarr.open_array(_store(service, name), mode="r")

    def read(self, array: Any) -> NDArray[Any]:
        result: NDArray[Any] = array[...]
        return result

    def write(self, array: Any, data: NDArray[Any]) -> None:
        array[...] = data

    def open_and_read(self, service: Service, name: str) -> Any:
        array = self.open(service, name)
        return array[(0,) * array.ndim]

    def listing(self, service: Service, name: str) -> Tree:
        return self._tree(service, name, True)

    def walk(self, service: Service, name: str) -> Tree:
        return self._tree(service, name, False)

    def _tree(self, service: Service, name: str, consolidated: bool) -> Tree:
        root = omnizarr.open_group(_store(service, name), mode="r", use_consolidated=consolidated)
        return {path: getattr(node, "shape", None) for path, node in root.members(max_depth=None)}


def _store(service: Service, name: str) -> ObjectStore:
    options = {
        "endpoint": service.endpoint,
        "region": REGION,
        "allow_http": True,
        "access_key_id": service.key,
        "secret_access_key": service.secret,
        # rclone knows no conditions, and nobody else writes
        "conditional_put": "process",
    }
    return ObjectStore(f"s3://{BUCKET}/{name}", storage_options=options)


LIBRARY = OmniZarr()
