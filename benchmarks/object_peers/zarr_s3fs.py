"""zarr-python with its FsspecStore on s3fs."""

from __future__ import annotations

from typing import Any

import s3fs  # type: ignore[import-untyped]
import zarr
import zarr.storage

from benchmarks.object_peers.base import BUCKET, REGION, Service
from benchmarks.object_peers.zarr_obstore import ZarrArrays


class OnS3fs(ZarrArrays):
    """zarr-python on s3fs."""

    name = "zarr-python, s3fs"
    version = f"{zarr.__version__}, {s3fs.__version__}"

    def store(self, service: Service, name: str) -> Any:
        options: dict[str, Any] = {
            "key": service.key,
            "secret": service.secret,
            "client_kwargs": {"endpoint_url": service.endpoint, "region_name": REGION},
            "use_listings_cache": False,
        }
        return zarr.storage.FsspecStore.from_url(f"s3://{BUCKET}/{name}", storage_options=options)


LIBRARY = OnS3fs()
