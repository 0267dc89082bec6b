"""omnizarr's object models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import omnizarr
from benchmarks.model_peers.base import Described
from benchmarks.peers import OURS
from omnizarr import zom
from omnizarr._version import __version__
from omnizarr.metadata.array import ArrayMetadata


class OmniZarrModels:
    """`omnizarr.zom`."""

    name = OURS
    version = __version__

    def open(self, folder: Path, zarr_format: int) -> Any:
        return omnizarr.open_group(folder, mode="r", zarr_format=zarr_format)

    def discover(self, root: Any) -> int:
        return len(list(root.walk()))

    def read(self, root: Any) -> Any:
        return zom.from_node(root)

    def read_consolidated(self, folder: Path) -> Any:
        return zom.from_node(omnizarr.open_group(folder, mode="r"))

    def describe(self, model: Any) -> Described:
        return {path: _described(node.metadata) for path, node in model.walk()}

    def create(self, model: Any, folder: Path) -> None:
        model.to_store(folder)

    def to_text(self, model: Any) -> str:
        text: str = model.model_dump_json()
        return text

    def from_text(self, text: str, zarr_format: int) -> Any:
        return zom.from_json(text)


def _described(metadata: Any) -> tuple[tuple[int, ...] | None, str | None, dict[str, Any]]:
    if not isinstance(metadata, ArrayMetadata):
        return None, None, dict(metadata.attributes)
    return metadata.shape, metadata.data_type.dtype.name, dict(metadata.attributes)


LIBRARY = OmniZarrModels()
