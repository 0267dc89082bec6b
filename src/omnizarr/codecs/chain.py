"""From metadata to chains: every codec is found, read, put in its place and bound to the chunk.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#codecs
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, Protocol, TypeAlias, cast

import numpy as np
import orjson

from omnizarr.codecs.base import ArrayToArray, ArrayToBytes, BytesToBytes, ChunkSpec
from omnizarr.codecs.bound import Chain, Shards
from omnizarr.codecs.bytes import Bytes, has_byte_order
from omnizarr.codecs.memory import OnMemory
from omnizarr.codecs.registry import codec_class
from omnizarr.errors import CodecError
from omnizarr.jsontypes import Problems
from omnizarr.metadata.extension import UNREADABLE, Extension

__all__ = ["Chain", "Shards", "build_chain"]

AnyCodec: TypeAlias = ArrayToArray | ArrayToBytes | BytesToBytes


class BindsSerializer(Protocol):
    """A serializer that is made ready for one spec, because that takes work."""

    def bound(self, spec: ChunkSpec, at: str, problems: Problems) -> ArrayToBytes:
        """Return the serializer for `spec`; what keeps it from being that goes to `problems`."""


class HoldsCodecs(Protocol):
    """A serializer with codecs of its own in its configuration."""

    def read_inner(self, at: str, problems: Problems) -> None:
        """Add the faults of their configurations to `problems`."""


class _Placed(NamedTuple):
    codec: AnyCodec
    at: str
    sound: bool


def build_chain(
    codecs: Sequence[Extension],
    spec: ChunkSpec,
    at: str,
    problems: Problems,
    *,
    bytes_as_in_dtype: bool = False,
) -> Chain | None:
    """Return the chain that these codecs make for chunks of `spec`.

    Parameters
    ----------
    at
        Where the codecs stand in their document (`codecs`), for the locations of faults.
    problems
        Receives every fault; the result is None where there is any, or a codec could not be read at all.
    bytes_as_in_dtype
        Zarr v2's rules: `bytes` without `endian` stores the data type's own byte order, and array
        codecs after it work on the memory.
    """
    known = _known_as(codecs, spec, at, bytes_as_in_dtype)
    chain = _chains.get(known)
    if chain is None:
        chain = _built(codecs, spec, at, problems, bytes_as_in_dtype)
        if chain is not None and known is not None:
            if len(_chains) >= _MOST_CHAINS:
                _chains.clear()
            _chains[known] = chain
    return chain


# Arrays of one hierarchy mostly share their codecs: 2 µs to find a chain again, 8 to 40 to build it.
_chains: dict[Hashable, Chain] = {}
_MOST_CHAINS = 256


def _known_as(codecs: Sequence[Extension], spec: ChunkSpec, at: str, own_order: bool) -> Hashable:
    """Return what tells a chain from all others, or None for one that is not to be kept."""
    fill = spec.fill_value
    if isinstance(fill, np.generic):
        fill = fill.tobytes()
    elif fill is not None and type(fill) is not str:
        return None
    if not all(codec.must_understand for codec in codecs):
        return None  # to build it may warn, each time
    try:
        document = orjson.dumps([(codec.name, codec.configuration) for codec in codecs])
    except TypeError:
        return None
    return document, spec.shape, spec.dtype, fill, str(spec.undefined), at, own_order


def _built(
    codecs: Sequence[Extension], spec: ChunkSpec, at: str, problems: Problems, own_order: bool
) -> Chain | None:
    read = [_read_one(codec, f"{at}[{i}]", problems) for i, codec in enumerate(codecs)]
    placed = tuple(codec for codec in read if codec is not None)
    lost = any(p is None and codec.must_understand for p, codec in zip(read, codecs, strict=True))
    for codec, place, sound in placed:
        if (lost or not sound) and hasattr(codec, "read_inner"):
            cast(HoldsCodecs, codec).read_inner(place, problems)
    return None if lost else _bind(placed, own_order, at, spec, problems)


def read_configurations(codecs: Sequence[Extension], at: str, problems: Problems) -> None:
    """Add the faults of codecs' configurations to `problems`, whatever the codecs would be used on."""
    for i, extension in enumerate(codecs):
        placed = _read_one(extension, f"{at}[{i}]", problems)
        if placed is not None and hasattr(placed.codec, "read_inner"):
            cast(HoldsCodecs, placed.codec).read_inner(placed.at, problems)


def _read_one(extension: Extension, at: str, problems: Problems) -> _Placed | None:
    if extension is UNREADABLE:
        return None  # whoever read it has said so
    found = codec_class(extension.name)
    if found is not None:
        before = len(problems.found)
        codec = found.from_json(extension.configuration, f"{at}.configuration", problems)
        return _Placed(cast(AnyCodec, codec), at, len(problems.found) == before)
    if extension.must_understand:
        problems.add(at, f"unknown codec {extension.name!r}", unsupported=True)
    else:
        warnings.warn(f"{at}: unknown codec {extension.name!r} is skipped, as it allows", stacklevel=4)
    return None


def _bind(
    placed: tuple[_Placed, ...], own_order: bool, at: str, spec: ChunkSpec, problems: Problems
) -> Chain | None:
    before = len(problems.found)
    binding = _Binding(spec, own_order, problems)
    for codec, place, sound in placed:
        # What stands in for a faulty configuration may cause faults that are none of the document's.
        binding.problems = problems if sound else Problems()
        binding.add(codec, place)
    if binding.serializer is None and len(problems.found) == before:
        problems.add(at, "expected one codec that turns the array into bytes, found none")
    if binding.serializer is None or len(problems.found) > before or not all(p.sound for p in placed):
        return None
    return Chain(
        spec,
        tuple(binding.array_codecs),
        binding.serializer,
        binding.serialized,
        tuple(binding.bytes_codecs),
        partial(_bind_again, placed, own_order, at),
    )


def _bind_again(placed: tuple[_Placed, ...], own_order: bool, at: str, spec: ChunkSpec) -> Chain:
    problems = Problems()
    chain = _bind(placed, own_order, at, spec, problems)
    problems.check()
    assert chain is not None  # there is one, or there were problems
    return chain


@dataclass(slots=True)
class _Binding:
    """A chain on its way, and what the next codec will get."""

    serialized: ChunkSpec
    own_order: bool
    problems: Problems
    array_codecs: list[tuple[ArrayToArray, ChunkSpec]] = field(default_factory=list)
    serializer: ArrayToBytes | None = None
    bytes_codecs: list[BytesToBytes] = field(default_factory=list)
    memory: ChunkSpec | None = None

    def add(self, codec: AnyCodec, at: str) -> None:
        try:
            self._add(codec, at)
        except CodecError as error:
            self.problems.add(at, str(error))

    def _add(self, codec: AnyCodec, at: str) -> None:
        # By a method of each kind: to ask the Protocols took three quarters of the 57 µs of a short chain.
        if hasattr(codec, "bind"):
            self._add_bytes_codec(cast(BytesToBytes, codec), at)
            return
        serializes = hasattr(codec, "check")
        if self.serializer is not None and self.own_order:
            self._add_on_memory(codec, at)
        elif self.serializer is not None:
            wrong = "a second codec that turns arrays into bytes" if serializes else "an array codec"
            self.problems.add(at, f"codec {codec.name}: found {wrong} after {self.serializer.name}")
        elif serializes:
            self._add_serializer(cast(ArrayToBytes, codec), at)
        else:
            self._add_array_codec(cast(ArrayToArray, codec))

    def _add_array_codec(self, codec: ArrayToArray) -> None:
        self.array_codecs.append((codec, self.serialized))
        self.serialized = codec.encoded_spec(self.serialized)

    def _add_serializer(self, codec: ArrayToBytes, at: str) -> None:
        spec = self.serialized
        if isinstance(codec, Bytes) and codec.endian is None and not self.own_order:
            codec = self._with_endian(codec, at)
        if hasattr(codec, "bound"):
            self.serializer = cast(BindsSerializer, codec).bound(spec, at, self.problems)
        else:
            codec.check(spec, at, self.problems)
            self.serializer = codec
        self.memory = spec if isinstance(codec, Bytes) else _plain(self.serializer.encoded_size(spec))

    def _with_endian(self, codec: Bytes, at: str) -> Bytes:
        dtype = self.serialized.dtype
        if dtype.names is not None:
            return Bytes("little")  # zarr-python writes no `endian` for structures, and means this one
        if has_byte_order(dtype):
            self.problems.add(f"{at}.configuration.endian", f"required for elements of {dtype}, but missing")
        return codec

    def _add_bytes_codec(self, codec: BytesToBytes, at: str) -> None:
        if self.serializer is None:
            self.problems.add(
                at, f"codec {codec.name}: expected a codec that turns the array into bytes before it"
            )
            return
        self.bytes_codecs.append(codec.bind(self.memory or self.serialized))
        self.memory = None if self.memory is None else _plain(codec.encoded_size(self.memory.nbytes))

    def _add_on_memory(self, codec: ArrayToArray | ArrayToBytes, at: str) -> None:
        if self.memory is None:
            self.problems.add(at, f"codec {codec.name}: expected elements of one size before it")
            return
        filter_ = OnMemory(codec, self.memory)
        self.bytes_codecs.append(cast(BytesToBytes, filter_))  # all of it but from_json
        size = filter_.encoded_size(self.memory.nbytes)
        self.memory = filter_.encoded if filter_.encoded is not None else _plain(size)


def _plain(size: int | None) -> ChunkSpec | None:
    return None if size is None else ChunkSpec((size,), np.dtype(np.uint8))
