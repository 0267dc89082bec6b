"""pydantic-zarr, on zarr-python."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pydantic_zarr.v2
import pydantic_zarr.v3
import zarr

from benchmarks.model_peers.base import Described

_GROUPS: dict[int, Any] = {2: pydantic_zarr.v2.GroupSpec, 3: pydantic_zarr.v3.GroupSpec}


class PydanticZarr:
    """pydantic-zarr."""

    name = "pydantic-zarr"
    version = version("pydantic-zarr")

    def open(self, folder: Path, zarr_format: int) -> Any:
        options: dict[str, Any] = {"zarr_format": zarr_format, "use_consolidated": False}
        return zarr.open_group(str(folder), mode="r", **options)

    def discover(self, root: Any) -> int:
        return len(root.members(max_depth=None))

    def read(self, root: Any) -> Any:
        return _GROUPS[root.metadata.zarr_format].from_zarr(root)

    def read_consolidated(self, folder: Path) -> Any:
        return self.read(zarr.open_group(str(folder), mode="r", use_consolidated=True))

    def describe(self, model: Any) -> Described:
        return {path.lstrip("/"): _described(node) for path, node in model.to_flat().items() if path}

    def create(self, model: Any, folder: Path) -> None:
        model.to_zarr(zarr.storage.LocalStore(folder), path="")

    def to_text(self, model: Any) -> str:
        text: str = model.model_dump_json()
        return text

    def from_text(self, text: str, zarr_format: int) -> Any:
        return _GROUPS[zarr_format].model_validate_json(text)


def _described(node: Any) -> tuple[tuple[int, ...] | None, str | None, dict[str, Any]]:
    if not hasattr(node, "shape"):
        return None, None, dict(node.attributes)
    dtype = node.dtype if hasattr(node, "dtype") else node.data_type
    return tuple(node.shape), np.dtype(dtype).name, dict(node.attributes)


LIBRARY = PydanticZarr()
