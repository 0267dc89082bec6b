"""A hierarchy that a copy brings over in every way there is, and what it becomes."""

from __future__ import annotations

from typing import Any

import numpy as np

import omnizarr
from omnizarr.store.base import Store

GZIP = {"name": "gzip", "configuration": {"level": 1}}
ZSTD = {"name": "zstd", "configuration": {"level": 1}}
# Within this memory the blocks are many, and values of `against` stop on their way.
MEMORY = 90_000
CUTS: dict[str, Any] = {
    "chunks": {"against": (256, 1), "g/sharded": (8, 16)},
    "shards": {"g/sharded": (32, 64)},
    "compressors": {"recoded": ZSTD},
}


def make(store: Store) -> None:
    """Fill a store with it."""
    rng = np.random.default_rng(0)
    root = omnizarr.create_group(store, attributes={"title": "sample"})
    moved = root.create_array("moved", shape=(64, 64), chunks=(4, 64), dtype="f8", compressors=GZIP)
    moved[...] = rng.integers(1, 100, (64, 64))
    recoded = root.create_array("recoded", shape=(512, 128), chunks=(16, 128), dtype="f4", compressors=GZIP)
    recoded[:500] = rng.integers(1, 100, (500, 128))
    against = root.create_array("against", shape=(256, 256), chunks=(1, 256), dtype="f8", compressors=GZIP)
    against[...] = rng.integers(1, 100, (256, 256))
    sharded = root.create_array("g/sharded", shape=(100, 200), chunks=(10, 200), dtype="i4", compressors=ZSTD)
    sharded[...] = rng.integers(0, 100, (100, 200))
    root.create_array("scalar", shape=(), dtype="i8", compressors=None)[...] = 5
    root.create_array("empty", shape=(0, 3), chunks=(1, 3), dtype="u1", compressors=None)
    words = root.create_array("g/words", shape=(9,), chunks=(2,), dtype="string", compressors=ZSTD)
    words[...] = np.array(["a", "", "ü", "long " * 20, "e", "f", "g", "h", "i"], object)
    for number in range(20):
        root.create_array(f"many/a{number}", data=np.arange(4.0) + number, chunks=(2,))
    store.set("notes.txt", b"beside")


def copy(source: Any, target: Any, **more: Any) -> Any:
    """Copy it, cut anew."""
    return omnizarr.copy(source, target, memory=MEMORY, **CUTS, **more)


def contents(store: Store) -> dict[str, bytes | None]:
    """Return all keys and values."""
    return {key: store.get(key) for key in sorted(store.list_prefix(""))}
