"""Codecs bound to what one chunk is.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#chunk-encoding
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

import numpy as np

from omnizarr.codecs.base import AnyArray, ArrayToArray, ArrayToBytes, BytesToBytes, ChunkSpec, Codec
from omnizarr.codecs.buffers import memory_of
from omnizarr.codecs.bytes import Bytes
from omnizarr.config import config
from omnizarr.errors import CodecError
from omnizarr.metadata.extension import Extension
from omnizarr.store.base import Buffer


@runtime_checkable
class DecodesInto(Protocol):
    """A serializer that can decode into memory of its caller's."""

    def decode_into(self, data: Buffer, spec: ChunkSpec, out: AnyArray) -> None:
        """Fill `out`, an array of `spec`."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The codecs of one chunk, each with what it encodes.

    Attributes
    ----------
    spec
        What is encoded.
    array_codecs
        In the order of encoding, each with the spec that it encodes.
    serialized
        What the serializer encodes.
    encoded_size
        The number of bytes of every encoded chunk, or None where it varies.
    is_raw
        Whether the stored bytes are the C-order memory of the array.
    """

    spec: ChunkSpec
    array_codecs: tuple[tuple[ArrayToArray, ChunkSpec], ...]
    serializer: ArrayToBytes
    serialized: ChunkSpec
    bytes_codecs: tuple[BytesToBytes, ...]
    again: Callable[[ChunkSpec], Chain] = field(repr=False, compare=False)
    encoded_size: int | None = field(init=False, compare=False)
    is_raw: bool = field(init=False, compare=False)
    _limits: tuple[int | None, ...] = field(init=False, repr=False, compare=False)
    _into: bool = field(init=False, repr=False, compare=False)
    _fills: bool = field(init=False, repr=False, compare=False)
    _others: dict[tuple[int, ...], Chain] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        into = not self.array_codecs and _is_memory(self.serializer, self.serialized)
        put(self, "_into", into)
        put(self, "_fills", not self.array_codecs and isinstance(self.serializer, DecodesInto))
        put(self, "_others", {})
        # A boolean may be stored as any byte; its memory may not.
        put(self, "is_raw", into and not self.bytes_codecs and self.spec.dtype.kind != "b")
        exact = self.serializer.encoded_size(self.serialized)
        bound, limits = exact, []
        for codec in self.bytes_codecs:
            limits.append(bound)
            exact = None if exact is None else codec.encoded_size(exact)
            bound = exact if exact is not None else _bound(codec, bound)
        put(self, "_limits", tuple(limits))
        put(self, "encoded_size", exact)

    def encode(self, array: AnyArray) -> Buffer:
        """Return the bytes of a chunk; they may be the array's own memory.

        Raises
        ------
        CodecError
            The array is not of the chain's shape, or a codec cannot encode its values.
        """
        if array.shape != self.spec.shape:
            raise CodecError(f"expected shape {self.spec.shape}, found {array.shape}", codec=self._first)
        codec: Codec = self.serializer
        try:
            for codec, spec in self.array_codecs:
                array = codec.encode(array, spec)
            codec = self.serializer
            data = codec.encode(array, self.serialized)
            for codec in self.bytes_codecs:
                data = codec.encode(data)
        except (CodecError, MemoryError):
            raise
        except Exception as error:
            raise CodecError(f"cannot encode: {_text(error)}", codec=codec.name) from error
        return data

    def decode(self, data: Buffer, out: AnyArray | None = None) -> AnyArray:
        """Return the chunk whose bytes these are; without `out` it may be read-only.

        Parameters
        ----------
        out
            A C-contiguous array of the chain's shape and type, to be filled and returned.

        Raises
        ------
        CodecError
            The bytes are not those of a chunk, or hold more than they may.
        ChecksumError
            A checksum does not match.
        """
        self._check_size()
        codec: Codec = self.serializer
        memory = memory_of(out) if out is not None and self._into else None
        try:
            for i in range(len(self.bytes_codecs) - 1, -1, -1):
                codec = self.bytes_codecs[i]
                limit = self._limits[i]
                if limit is None:
                    limit = config.settings.max_chunk_bytes
                data = codec.decode(data, limit, None if i else memory)
            if data is memory and out is not None:
                return _settled(out)
            codec = self.serializer
            if out is not None and self._fills:
                codec.decode_into(data, self.serialized, out)  # type: ignore[attr-defined]
                return out
            array = codec.decode(data, self.serialized)
            for codec, spec in reversed(self.array_codecs):
                array = codec.decode(array, spec)
            if out is None:
                return array
            out[...] = array
            return out
        except (CodecError, MemoryError):
            raise
        except Exception as error:
            raise CodecError(f"cannot decode: {_text(error)}", codec=codec.name) from error

    def for_shape(self, shape: tuple[int, ...]) -> Chain:
        """Return the same codecs for a chunk of another shape, as irregular grids have them.

        Raises
        ------
        MetadataError
            The codecs do not fit that shape.
        """
        if shape == self.spec.shape:
            return self
        found = self._others.get(shape)
        if found is None:
            found = self._others[shape] = self.again(replace(self.spec, shape=shape))
        return found

    @property
    def codecs(self) -> tuple[Codec, ...]:
        """All codecs in the order of encoding."""
        return (*(codec for codec, _ in self.array_codecs), self.serializer, *self.bytes_codecs)

    @property
    def extensions(self) -> tuple[Extension, ...]:
        """The codecs as metadata hold them, complete with defaults and bound values."""
        return tuple(Extension(codec.name, codec.to_json()) for codec in self.codecs)

    @property
    def _first(self) -> str:
        return self.codecs[0].name

    def _check_size(self) -> None:
        limit = config.settings.max_chunk_bytes
        if self.spec.nbytes > limit:
            raise CodecError(
                f"a chunk of {self.spec.nbytes} bytes is larger than config.max_chunk_bytes, {limit}",
                codec=self._first,
            )


def _is_memory(serializer: ArrayToBytes, spec: ChunkSpec) -> bool:
    return isinstance(serializer, Bytes) and serializer.is_memory(spec.dtype) and spec.nbytes > 0


def _bound(codec: BytesToBytes, size: int | None) -> int | None:
    """Return what `size` bytes become at most: compressors add little where they cannot gain."""
    if size is None:
        return None
    return codec.encoded_size(size) or size + size // 64 + 1024


def _settled(out: AnyArray) -> AnyArray:
    """Make 0 or 1 of every byte of a boolean array that was filled as bytes."""
    if out.dtype.kind == "b":
        np.not_equal(out.view(np.uint8), 0, out=out)
    return out


def _text(error: Exception) -> str:
    return str(error) or type(error).__name__
