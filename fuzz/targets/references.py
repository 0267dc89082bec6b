"""HDMF: references and regions as attributes hold them, and specifications of extensions."""

from __future__ import annotations

import json
from collections.abc import Iterator

from omnizarr.hierarchy.linking.reference import read_reference
from omnizarr.hierarchy.linking.region import read_region
from omnizarr.jsontypes import Problems


def seeds() -> Iterator[bytes]:
    """Yield references in every form."""
    for document in (
        {"source": ".", "path": "/a/b"},
        {"_REF": {"source": ".", "path": "/a", "object_id": "x", "source_object_id": "y"}},
        {"source": "../other.zarr", "path": "/a", "region": [[0, 3], 5, None]},
    ):
        yield json.dumps(document).encode()


def run(data: bytes) -> None:
    """Read a reference and a region."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    read_reference(value, "reference", Problems())
    read_region(value, "region", Problems())
