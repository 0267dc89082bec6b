"""The arrays that are measured: their documents and their contents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

CODECS: dict[str, list[dict[str, Any]]] = {
    "none": [],
    "zstd": [{"name": "zstd", "configuration": {"level": 1, "checksum": False}}],
    "blosc": [
        {
            "name": "blosc",
            "configuration": {
                "cname": "lz4",
                "clevel": 5,
                "shuffle": "shuffle",
                "typesize": 4,
                "blocksize": 0,
            },
        }
    ],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A v3 array; `chunks` are the inner chunks where `shards` are given."""

    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    dtype: str = "float32"
    codec: str = "none"
    shards: tuple[int, ...] | None = None

    @property
    def compressors(self) -> list[dict[str, Any]]:
        """The compressor as v3 JSON, in a list of none or one."""
        return CODECS[self.codec]

    @property
    def document(self) -> dict[str, Any]:
        """The array's `zarr.json`."""
        chain = [{"name": "bytes", "configuration": {"endian": "little"}}, *self.compressors]
        return {
            "zarr_format": 3,
            "node_type": "array",
            "shape": list(self.shape),
            "data_type": self.dtype,
            "chunk_grid": {
                "name": "regular",
                "configuration": {"chunk_shape": list(self.shards or self.chunks)},
            },
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": 0,
            "codecs": [self._sharding(chain)] if self.shards else chain,
        }

    def _sharding(self, chain: list[dict[str, Any]]) -> dict[str, Any]:
        configuration = {
            "chunk_shape": list(self.chunks),
            "codecs": chain,
            "index_codecs": [
                {"name": "bytes", "configuration": {"endian": "little"}},
                {"name": "crc32c"},
            ],
            "index_location": "end",
        }
        return {"name": "sharding_indexed", "configuration": configuration}


def field(shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    """Return a smooth field with 6 bits of noise: it compresses to about a third, as measured data do."""
    noise = np.random.default_rng(0).integers(0, 64, size=shape, dtype=np.uint8)
    waves = [np.sin(np.linspace(0, 9, length)) * 500 for length in shape]
    smooth = reduce(add, np.ix_(*waves)) + 4096
    steps = np.add(smooth.astype(np.uint16), noise, dtype=np.uint16)
    if dtype == "uint16":
        return steps
    return np.divide(steps, 64, dtype=np.dtype(dtype))
