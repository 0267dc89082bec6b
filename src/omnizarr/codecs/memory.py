"""Array codecs that work on bytes, as Zarr v2's filters do.

https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#filters
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

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

    @property
    def name(self) -> str:
        """The name of the codec."""
        return self.codec.name

    def to_json(self) -> JsonObject:
        return self.codec.to_json()

    def bind(self, spec: ChunkSpec) -> Self:
        return self

    def encoded_size(self, size: int) -> int | None:
        if isinstance(self.codec, ArrayToBytes):
            return self.codec.encoded_size(self.spec)
        return self.codec.encoded_spec(self.spec).nbytes

    def encode(self, data: Buffer) -> Buffer:
        array = self._array(data, self.spec)
        if isinstance(self.codec, ArrayToBytes):
            return self.codec.encode(array, self.spec)
        return memory_of(np.ascontiguousarray(self.codec.encode(array, self.spec)))

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        check_limit(self.spec.nbytes, limit, self.name)
        if isinstance(self.codec, ArrayToBytes):
            array = self.codec.decode(data, self.spec)
        else:
            array = self.codec.decode(self._array(data, self.codec.encoded_spec(self.spec)), self.spec)
        return memory_of(np.ascontiguousarray(array))

    def _array(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        if len(data) != spec.nbytes:
            raise CodecError(f"expected {spec.nbytes} bytes, found {len(data)}", codec=self.name)
        return np.ndarray(spec.shape, spec.dtype, data)
