"""Shards: their indexes, and what these point at. The first byte of an input says which kind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

import omnizarr
from fuzz.hierarchies import bounded
from fuzz.targets.v3_documents import array, named
from omnizarr.errors import OmniZarrError
from omnizarr.store import MemoryStore

_LITTLE = named("bytes", endian="little")
_CRC = {"name": "crc32c"}


def _shards(inner: list[Any], size: int = 2, **changes: Any) -> dict[str, Any]:
    configuration = {"chunk_shape": [size], "codecs": inner, "index_codecs": [_LITTLE]} | changes
    return {"name": "sharding_indexed", "configuration": configuration}


_KINDS = tuple(
    array(*kind, [codec], shape=[8], chunk_grid=named("regular", chunk_shape=[8]))
    for kind, codec in (
        (("int32", 7), _shards([_LITTLE])),
        (("int32", 7), _shards([_LITTLE], index_location="start")),
        (
            ("int32", 7),
            _shards([_LITTLE, named("zstd", level=1, checksum=False)], index_codecs=[_LITTLE, _CRC]),
        ),
        (("int32", 7), _shards([_shards([_LITTLE])], 4)),
        (("string", ""), _shards([{"name": "vlen-utf8"}, named("gzip", level=1)])),
    )
)


def _store(number: int, shard: bytes | None = None) -> MemoryStore:
    values = {"zarr.json": json.dumps(_KINDS[number]).encode()}
    return MemoryStore(values if shard is None else values | {"c/0": shard})


def seeds() -> Iterator[bytes]:
    """Yield a shard of each kind."""
    for number, kind in enumerate(_KINDS):
        store = _store(number)
        made = omnizarr.open_array(store, mode="r+")
        made[...] = ["a", "bc"] * 4 if kind["data_type"] == "string" else np.arange(8)
        yield bytes([number]) + (store.get("c/0") or b"")


def run(data: bytes) -> None:
    """Read a shard whole, in part, and element by element; change a part of it."""
    if not data:
        return
    store = _store(data[0] % len(_KINDS), data[1:])
    made = omnizarr.open_array(store, mode="r+")
    with bounded():
        for selection in (..., 3, slice(1, 3), [0, 5]):
            with suppress(OmniZarrError):
                made[selection]
        with suppress(OmniZarrError):
            made[3] = made[4]
