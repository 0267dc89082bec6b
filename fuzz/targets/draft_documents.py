"""Documents of the drafts of Zarr v3, of 2019 and later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fuzz.hierarchies import joined, stored, visit

_KEYS = (
    "zarr.json",
    "meta/root/a.array",
    "meta/root.group",
    "data/a/0",
    "meta/root/a.array.json",
    "meta/root.group.json",
    "data/root/a/c0",
    "meta/root.array",
)
_CORE = "http://purl.org/zarr/spec/protocol/core/3.0"


def _array(data_type: Any = "<f8", **changes: Any) -> dict[str, Any]:
    return {
        "shape": [4],
        "data_type": data_type,
        "chunk_grid": {"type": "regular", "chunk_shape": [2], "separator": "."},
        "chunk_memory_layout": "C",
        "compressor": {"codec": "http://purl.org/zarr/spec/codec/gzip", "configuration": {"level": 1}},
        "fill_value": "NaN",
        "extensions": [],
        "attributes": {},
    } | changes


def seeds() -> Iterator[bytes]:
    """Yield hierarchies of both kinds."""
    extension = {
        "extension": "http://example.org/zarr/extension/foo",
        "must_understand": False,
        "configuration": {},
    }
    first = {"zarr_format": _CORE, "metadata_encoding": "application/json", "extensions": [extension]}
    group = {"extensions": [], "attributes": {"a": 1}}
    yield joined(first, _array(), group)
    yield joined(
        first, None, None, None, None, None, None, _array("<i4", fill_value=0, chunk_memory_layout="F")
    )
    times = {
        "extension": "http://purl.org/zarr/spec/protocol/extensions/datetime-dtypes/1.0",
        "type": "<M8[ns]",
        "fallback": "<i8",
    }
    yield joined(first, _array(times, fill_value=0))
    later = {
        "zarr_format": "https://purl.org/zarr/spec/protocol/core/3.0",
        "metadata_encoding": "https://purl.org/zarr/spec/protocol/core/3.0",
        "metadata_key_suffix": ".json",
        "extensions": [],
    }
    shard = {
        "extension": "https://purl.org/zarr/spec/storage_transformers/sharding/1.0",
        "type": "indexed",
        "configuration": {"chunks_per_shard": [2]},
    }
    codec = {"codec": "https://purl.org/zarr/spec/codec/gzip/1.0", "configuration": {"level": 1}}
    new = _array("<i4", fill_value="0x00000007", compressor=codec)
    yield joined(later, None, None, None, new, {"attributes": {}})
    yield joined(
        later, None, None, None, new | {"storage_transformers": [shard]}, {"attributes": {}}, bytes(40)
    )


def run(data: bytes) -> None:
    """Open what the input stores."""
    visit(stored(data, _KEYS))
