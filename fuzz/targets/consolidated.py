"""Consolidated metadata of Zarr v2 and v3."""

from __future__ import annotations

from collections.abc import Iterator

from fuzz.hierarchies import joined, stored, visit
from fuzz.targets import v2_documents, v3_documents

_KEYS = (".zmetadata", "zarr.json", ".zgroup", "a/.zarray")


def seeds() -> Iterator[bytes]:
    """Yield one of each format."""
    two = {
        ".zgroup": {"zarr_format": 2},
        ".zattrs": {"a": 1},
        "x/.zgroup": {"zarr_format": 2},
        "x/y/.zarray": v2_documents.array(),
        "x/y/.zattrs": {"units": "K"},
    }
    yield joined({"metadata": two, "zarr_consolidated_format": 1}, None, {"zarr_format": 2})
    group = {"zarr_format": 3, "node_type": "group", "attributes": {}}
    inner = {"kind": "inline", "must_understand": False, "metadata": {}}
    nodes = {"x": group | {"consolidated_metadata": inner}, "x/y": v3_documents.array()}
    yield joined(None, group | {"consolidated_metadata": inner | {"metadata": nodes}})


def run(data: bytes) -> None:
    """Open what the input stores."""
    visit(stored(data, _KEYS))
