"""Models of xarray's convention.

https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html
"""

from __future__ import annotations

from typing import Any

from omnizarr.zom import v2, v3

__all__ = ["MODELS", "ArrayV2", "ArrayV3", "DatasetV2", "DatasetV3"]


class ArrayV2(v2.ArraySpec[dict[str, Any]]):
    """A variable on Zarr v2."""


class ArrayV3(v3.ArraySpec[dict[str, Any]]):
    """A variable on Zarr v3."""


class DatasetV2(v2.GroupSpec[dict[str, Any], "ArrayV2 | DatasetV2"]):
    """A dataset on Zarr v2."""


class DatasetV3(v3.GroupSpec[dict[str, Any], "ArrayV3 | DatasetV3"]):
    """A dataset on Zarr v3."""


MODELS: dict[int, type[v2.GroupSpec[Any, Any]] | type[v3.GroupSpec[Any, Any]]] = {2: DatasetV2, 3: DatasetV3}
