"""Codecs bound to what one chunk is, and the parts of a shard.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#chunk-encoding
https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/index.html#binary-shard-format
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from omnizarr.codecs.base import AnyArray, ArrayToArray, ArrayToBytes, BytesToBytes, ChunkSpec, Codec
from omnizarr.codecs.buffers import memory_of
from omnizarr.codecs.bytes import Bytes
from omnizarr.config import config
from omnizarr.errors import CodecError
from omnizarr.metadata.dtype_bits import has_spare_bits, settle
from omnizarr.metadata.extension import Extension
from omnizarr.store.base import Buffer, ByteRange, Last, Span

EMPTY = 2**64 - 1
"""Offset and length of an inner chunk that is not stored."""

_ANY = 2**62


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
    strides
        Bytes from element to element along each axis of that memory.
    shards
        The parts of an encoded chunk, where it is a shard and nothing more: where the only codec is a
        serializer that has `shards`.
    """

    spec: ChunkSpec
    array_codecs: tuple[tuple[ArrayToArray, ChunkSpec], ...]
    serializer: ArrayToBytes
    serialized: ChunkSpec
    bytes_codecs: tuple[BytesToBytes, ...]
    again: Callable[[ChunkSpec], Chain] = field(repr=False, compare=False)
    encoded_size: int | None = field(init=False, compare=False)
    is_raw: bool = field(init=False, compare=False)
    strides: tuple[int, ...] = field(init=False, compare=False, repr=False)
    shards: Shards | None = field(init=False, repr=False, compare=False)
    _limits: tuple[int | None, ...] = field(init=False, repr=False, compare=False)
    _into: bool = field(init=False, repr=False, compare=False)
    _loose: bool = field(init=False, repr=False, compare=False)
    _fills: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        into = not self.array_codecs and _is_memory(self.serializer, self.serialized)
        put(self, "_into", into)
        put(self, "_fills", not self.array_codecs and hasattr(self.serializer, "decode_into"))
        # A boolean may be stored as any byte; its memory may not.
        put(self, "_loose", has_spare_bits(self.spec.dtype))
        put(self, "is_raw", into and not self.bytes_codecs and not self._loose)
        put(self, "strides", self.spec.strides)
        alone = not self.array_codecs and not self.bytes_codecs
        put(self, "shards", getattr(self.serializer, "shards", None) if alone else None)
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
                    limit = config.settings.max_unsized_bytes
                data = codec.decode(data, limit, None if i else memory)
            if data is memory and out is not None:
                return settle(out) if self._loose else out
            codec = self.serializer
            if out is not None and self._fills:
                cast(DecodesInto, codec).decode_into(data, self.serialized, out)
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
        return self if shape == self.spec.shape else self.again(replace(self.spec, shape=shape))

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


@dataclass(frozen=True, slots=True)
class Shards:
    """The parts of a shard: inner chunks in any order, gaps allowed, and an index that tells where they are.

    Attributes
    ----------
    inner
        The codecs of an inner chunk.
    counts
        Inner chunks per axis.
    index_location
        `"start"` or `"end"`.
    """

    inner: Chain
    counts: tuple[int, ...]
    index_chain: Chain
    index_size: int
    index_location: str
    _longest: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        exact = self.inner.encoded_size
        bound = exact if exact is not None else _bound_of(self.inner)
        # Other writers' encoders may add more to what cannot be compressed.
        object.__setattr__(self, "_longest", _ANY if bound is None else 2 * bound + 65536)

    def index_part(self) -> ByteRange:
        """Return where in a shard its index is."""
        return Span(0, self.index_size) if self.index_location == "start" else Last(self.index_size)

    def read_index(self, data: Buffer, size: int | None) -> NDArray[np.uint64]:
        """Return offset and length of every inner chunk, in C order; both 2**64-1 where it is empty.

        Parameters
        ----------
        data
            The bytes of the index alone.
        size
            The number of bytes of the shard, where it is known: no inner chunk may reach past it, or into
            an index at its end.

        Raises
        ------
        CodecError
            The index is too short, or places an inner chunk outside of the shard.
        ChecksumError
            The index does not match its checksum.
        """
        if len(data) != self.index_size:
            raise self._error(f"expected an index of {self.index_size} bytes, found {len(data)}")
        index: NDArray[np.uint64] = self.index_chain.decode(data).reshape(-1, 2)
        starts, lengths = index[:, 0], index[:, 1]
        at_start = self.index_location == "start"
        first = np.uint64(self.index_size if at_start else 0)
        end = np.uint64(_ANY if size is None else size if at_start else size - self.index_size)
        longest = min(np.uint64(self._longest), end)
        highest, begin = starts.max(), starts.min()
        if begin >= first and lengths.max() <= longest and highest <= end and (starts + lengths).max() <= end:
            return index
        bad = (lengths > longest) | (starts > end - np.minimum(lengths, end)) | (starts < first)
        bad &= (index != EMPTY).any(axis=1)
        if bad.any():
            number = int(bad.argmax())
            start, length = index[number].tolist()
            expected = (
                f"a place in bytes {first} to {end}" if size is not None else f"at most {longest} bytes"
            )
            raise self._error(f"inner chunk {number}: expected {expected}, found {length} bytes from {start}")
        return index

    def split(self, data: Buffer) -> list[memoryview | None]:
        """Return the inner chunks of a whole shard in C order, None for empty ones.

        Raises
        ------
        CodecError
            The shard is damaged.
        """
        view, size = memoryview(data), self.index_size
        if len(view) < size:
            raise self._error(f"expected at least {size} bytes, found {len(view)}")
        part = view[:size] if self.index_location == "start" else view[len(view) - size :]
        places = self.read_index(part, len(view)).tolist()
        return [
            None if start == length == EMPTY else view[start : start + length] for start, length in places
        ]

    def join(self, chunks: Sequence[Buffer | None]) -> bytes:
        """Return the shard of these inner chunks, given in C order; None for empty ones."""
        before = self.index_size if self.index_location == "start" else 0
        present = np.array([chunk is not None for chunk in chunks])
        lengths = np.array([0 if chunk is None else len(chunk) for chunk in chunks], np.uint64)
        index = np.full((len(chunks), 2), EMPTY, np.uint64)
        index[present, 0] = (np.cumsum(lengths) - lengths + np.uint64(before))[present]
        index[present, 1] = lengths[present]
        encoded = self.index_chain.encode(index.reshape(self.index_chain.spec.shape))
        parts = [chunk for chunk in chunks if chunk is not None]
        return b"".join([encoded, *parts] if before else [*parts, encoded])

    def _error(self, message: str) -> CodecError:
        return CodecError(message, codec="sharding_indexed")


def _is_memory(serializer: ArrayToBytes, spec: ChunkSpec) -> bool:
    return isinstance(serializer, Bytes) and serializer.is_memory(spec.dtype) and spec.nbytes > 0


def _bound_of(chain: Chain) -> int | None:
    """Return how many bytes an encoded chunk has at most, or None where nothing tells."""
    bound = chain.serializer.encoded_size(chain.serialized)
    for codec in chain.bytes_codecs:
        bound = _bound(codec, bound)
    return bound


def _bound(codec: BytesToBytes, size: int | None) -> int | None:
    """Return what `size` bytes become at most: compressors add little where they cannot gain."""
    if size is None:
        return None
    return codec.encoded_size(size) or size + size // 64 + 1024


def _text(error: Exception) -> str:
    return str(error) or type(error).__name__
