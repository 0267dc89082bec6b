"""Array codecs that work on bytes, as Zarr v2's filters do.

https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#filters
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self, cast

import numpy as np

from omnizarr.codecs.base import AnyArray, ArrayToArray, ArrayToBytes, ChunkSpec
from omnizarr.codecs.buffers import check_limit, memory_of
from omnizarr.errors import CodecError
from omnizarr.jsontypes import JsonObject
from omnizarr.store.base import Buffer


@dataclass(frozen=True, slots=True)
class OnMemory:
    """A codec of arrays in the place of a codec of bytes, which are the memory of an array of `spec`."""

    codec: ArrayToArray | ArrayToBytes
    spec: ChunkSpec
    encoded: ChunkSpec | None = field(init=False, compare=False)

    def __post_init__(self) -> None:
        known = None if hasattr(self.codec, "check") else self.codec.encoded_spec(self.spec)
        object.__setattr__(self, "encoded", known)

    @property
    def name(self) -> str:
        """The name of the codec."""
        return self.codec.name

    def to_json(self) -> JsonObject:
        return self.codec.to_json()

    def bind(self, spec: ChunkSpec) -> Self:
        return self

    def encoded_size(self, size: int) -> int | None:
        if self.encoded is not None:
            return self.encoded.nbytes
        return cast(ArrayToBytes, self.codec).encoded_size(self.spec)

    def encode(self, data: Buffer) -> Buffer:
        encoded = self.codec.encode(self._array(data, self.spec), self.spec)
        return memory_of(np.ascontiguousarray(encoded)) if isinstance(encoded, np.ndarray) else encoded

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        check_limit(self.spec.nbytes, limit, self.name)
        if self.encoded is None:
            array = cast(ArrayToBytes, self.codec).decode(data, self.spec)
        else:
            array = cast(ArrayToArray, self.codec).decode(self._array(data, self.encoded), self.spec)
        return memory_of(np.ascontiguousarray(array))

    def _array(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        if len(data) != spec.nbytes:
            raise CodecError(f"expected {spec.nbytes} bytes, found {len(data)}", codec=self.name)
        return np.ndarray(spec.shape, spec.dtype, data)
