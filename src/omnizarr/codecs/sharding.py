"""The `sharding_indexed` codec: a chunk made of smaller ones, which can be read one by one.

https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/index.html
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from omnizarr.codecs.base import AnyArray, ChunkSpec
from omnizarr.codecs.bound import EMPTY, Chain, Shards
from omnizarr.codecs.chain import build_chain, read_configurations
from omnizarr.codecs.fill import is_fill
from omnizarr.config import config
from omnizarr.jsontypes import JsonObject, Problems, read_ints, read_object, read_string
from omnizarr.metadata.extension import Extension, read_extensions
from omnizarr.store.base import Buffer

__all__ = ["EMPTY", "ShardingIndexed", "Shards"]

_LOCATIONS = ("end", "start")


@dataclass(frozen=True, slots=True)
class ShardingIndexed:
    """Store inner chunks one after the other, and an index; those that hold only fill value are left out."""

    name: ClassVar[str] = "sharding_indexed"
    chunk_shape: tuple[int, ...]
    codecs: tuple[Extension, ...]
    index_codecs: tuple[Extension, ...]
    index_location: str = "end"
    shards: Shards | None = field(default=None, compare=False, repr=False)

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        required = ("chunk_shape", "codecs", "index_codecs")
        fields = read_object(configuration, at, problems, required=required, optional=("index_location",))
        location = fields.get("index_location", "end")
        return cls(
            read_ints(fields.get("chunk_shape", []), f"{at}.chunk_shape", problems, low=1),
            read_extensions(fields.get("codecs", []), f"{at}.codecs", problems),
            read_extensions(fields.get("index_codecs", []), f"{at}.index_codecs", problems),
            read_string(location, f"{at}.index_location", problems, _LOCATIONS),
        )

    def to_json(self) -> JsonObject:
        codecs, index_codecs = self.codecs, self.index_codecs
        if self.shards is not None:
            codecs, index_codecs = self.shards.inner.extensions, self.shards.index_chain.extensions
        return {
            "chunk_shape": list(self.chunk_shape),
            "codecs": [codec.to_json() for codec in codecs],
            "index_codecs": [codec.to_json() for codec in index_codecs],
            "index_location": self.index_location,
        }

    def read_inner(self, at: str, problems: Problems) -> None:
        """Add the faults of the inner codecs' configurations to `problems`."""
        read_configurations(self.codecs, f"{at}.configuration.codecs", problems)
        read_configurations(self.index_codecs, f"{at}.configuration.index_codecs", problems)

    def check(self, spec: ChunkSpec, at: str, problems: Problems) -> None:
        self.bound(spec, at, problems)

    def bound(self, spec: ChunkSpec, at: str, problems: Problems) -> Self:
        """Return this codec with its chains built for shards of `spec`."""
        at = f"{at}.configuration"
        before = len(problems.found)
        self._check_shape(spec.shape, f"{at}.chunk_shape", problems)
        # What does not fit must not keep the faults of the codecs within from being told.
        counts = tuple(
            max(1, whole // part) for whole, part in zip(spec.shape, self.chunk_shape, strict=False)
        )
        limit = config.settings.max_shard_chunks
        if prod(counts) > limit:
            message = f"{prod(counts)} inner chunks in a shard, config.max_shard_chunks are {limit}"
            problems.add(f"{at}.chunk_shape", message, unsupported=True)
            return self
        fits = len(self.chunk_shape) == len(spec.shape)
        part = replace(spec, shape=self.chunk_shape if fits else spec.shape)
        inner = build_chain(self.codecs, part, f"{at}.codecs", problems)
        index = self._index_chain(counts, f"{at}.index_codecs", problems)
        if inner is None or index is None or index.encoded_size is None or len(problems.found) > before:
            return self
        shards = Shards(inner, counts, index, index.encoded_size, self.index_location)
        return replace(self, shards=shards)

    def encoded_size(self, spec: ChunkSpec) -> int | None:
        return None

    def encode(self, array: AnyArray, spec: ChunkSpec) -> Buffer:
        shards = self._shards(spec)
        inner, fill = shards.inner, spec.fill_value
        blocks = (array[place] for place in _places(shards))
        return shards.join([None if is_fill(block, fill) else inner.encode(block) for block in blocks])

    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        out = np.empty(spec.shape, spec.dtype)
        self.decode_into(data, spec, out)
        return out

    def decode_into(self, data: Buffer, spec: ChunkSpec, out: AnyArray) -> None:
        """Decode a whole shard into an array of `spec`."""
        shards = self._shards(spec)
        chunks = shards.split(data)
        blank = shards.inner.spec.blank() if None in chunks else None
        for place, chunk in zip(_places(shards), chunks, strict=True):
            out[place] = blank if chunk is None else shards.inner.decode(chunk)

    def _shards(self, spec: ChunkSpec) -> Shards:
        if self.shards is not None:
            return self.shards
        problems = Problems()
        bound = self.bound(spec, self.name, problems)
        problems.check()
        assert bound.shards is not None  # there are some, or there were problems
        return bound.shards

    def _check_shape(self, shape: tuple[int, ...], at: str, problems: Problems) -> None:
        if len(shape) != len(self.chunk_shape):
            problems.add(at, f"expected {len(shape)} axes, found {len(self.chunk_shape)}")
            return
        for axis, (whole, part) in enumerate(zip(shape, self.chunk_shape, strict=True)):
            if whole % part:
                problems.add(f"{at}[{axis}]", f"expected a divisor of the shard's {whole}, found {part}")

    def _index_chain(self, counts: tuple[int, ...], at: str, problems: Problems) -> Chain | None:
        spec = ChunkSpec((*counts, 2), np.dtype(np.uint64), np.uint64(EMPTY))
        chain = build_chain(self.index_codecs, spec, at, problems)
        if chain is not None and chain.encoded_size is None:
            size: int | None = chain.serializer.encoded_size(chain.serialized)
            names = [chain.serializer.name] if size is None else []
            names += [codec.name for codec in chain.bytes_codecs if codec.encoded_size(1) is None]
            problems.add(at, f"expected codecs of a fixed size, found {', '.join(names)}")
        return chain


def _places(shards: Shards) -> Iterator[tuple[Any, ...]]:
    """Yield where each inner chunk lies in its shard, in C order."""
    shape = shards.inner.spec.shape
    for coords in np.ndindex(shards.counts):
        # With the ellipsis, a block without axes is an array too.
        yield (*(slice(i * n, (i + 1) * n) for i, n in zip(coords, shape, strict=True)), ...)
