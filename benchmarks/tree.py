"""A hierarchy written as plain documents, by no library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.peers.base import Tree
from benchmarks.sizes import Sizes
from benchmarks.spec import Spec

SHAPE = (100, 100)
V2_ARRAY = {
    "zarr_format": 2,
    "shape": list(SHAPE),
    "chunks": [10, 10],
    "dtype": "<f4",
    "compressor": {"id": "zlib", "level": 1},
    "fill_value": 0.0,
    "order": "C",
    "filters": None,
}
V3_ARRAY = Spec(shape=SHAPE, chunks=(10, 10), codec="zstd").document | {"attributes": {"units": "m"}}
V3_GROUP = {"zarr_format": 3, "node_type": "group", "attributes": {}}


def expected(sizes: Sizes) -> Tree:
    """Return what a walk finds."""
    tree: Tree = {}
    for group in range(sizes.groups):
        tree[f"g{group}"] = None
        tree |= {f"g{group}/a{number}": SHAPE for number in range(sizes.arrays)}
    return tree


def write_tree(folder: Path, sizes: Sizes, zarr_format: int, *, consolidated: bool) -> None:
    """Write the documents of a hierarchy."""
    documents = _v3(sizes, consolidated) if zarr_format == 3 else _v2(sizes, consolidated)
    for key, document in documents.items():
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document))


def _v3(sizes: Sizes, consolidated: bool) -> dict[str, Any]:
    nodes = {path: V3_GROUP if shape is None else V3_ARRAY for path, shape in expected(sizes).items()}
    root: dict[str, Any] = dict(V3_GROUP)
    if consolidated:
        root["consolidated_metadata"] = {"kind": "inline", "must_understand": False, "metadata": nodes}
    return {"zarr.json": root} | {f"{path}/zarr.json": document for path, document in nodes.items()}


def _v2(sizes: Sizes, consolidated: bool) -> dict[str, Any]:
    documents: dict[str, Any] = {".zgroup": {"zarr_format": 2}, ".zattrs": {}}
    for path, shape in expected(sizes).items():
        if shape is None:
            documents[f"{path}/.zgroup"] = {"zarr_format": 2}
        else:
            documents[f"{path}/.zarray"] = V2_ARRAY
            documents[f"{path}/.zattrs"] = {"units": "m"}
    if consolidated:
        documents[".zmetadata"] = {"zarr_consolidated_format": 1, "metadata": dict(documents)}
    return documents
