"""zarr-python with its ObjectStore, which is obstore's too."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import obstore.store
import zarr
import zarr.storage
from numpy.typing import NDArray

from benchmarks.object_peers.base import BUCKET, REGION, Service
from benchmarks.peers.base import Tree
from benchmarks.peers.zarr_python import create_in
from benchmarks.spec import Spec


class ZarrArrays:
    """The verbs of zarr-python, whatever the store."""

    def store(self, service: Service, name: str) -> Any:
        """Return zarr-python's store."""
        raise TypeError("a class for each store derives from this one")

    def create(self, service: Service, name: str, spec: Spec) -> Any:
        return create_in(self.store(service, name), spec)

    def open(self, service: Service, name: str) -> Any:
        return zarr.open_array(self.store(service, name), mode="r", zarr_format=3)

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
        root = zarr.open_group(
            self.store(service, name), mode="r", zarr_format=3, use_consolidated=consolidated
        )
        return {path: getattr(node, "shape", None) for path, node in root.members(max_depth=None)}


class OnObstore(ZarrArrays):
    """zarr-python on obstore."""

    name = "zarr-python, obstore"
    version = f"{zarr.__version__}, {version('obstore')}"

    def store(self, service: Service, name: str) -> Any:
        client = obstore.store.S3Store(
            BUCKET,
            prefix=name,
            config={
                "endpoint": service.endpoint,
                "region": REGION,
                "access_key_id": service.key,
                "secret_access_key": service.secret,
            },
            client_options={"allow_http": True},
        )
        return zarr.storage.ObjectStore(client)


LIBRARY = OnObstore()
