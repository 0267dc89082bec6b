"""The `n5_default` codec: the blocks of N5, which tell their own shape.

https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/n5_default
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from omnizarr.codecs.base import AnyArray, ChunkSpec
from omnizarr.codecs.bound import Chain
from omnizarr.codecs.chain import build_chain, read_configurations
from omnizarr.errors import CodecError, MetadataError
from omnizarr.jsontypes import JsonObject, Problems, read_object
from omnizarr.metadata.extension import Extension, read_extensions
from omnizarr.store.base import Buffer

_START = struct.Struct(">HH")
_DEFAULT_MODE = 0
_MOST_CODECS = 3
_MOST_AXES, _MOST_LENGTH = 2**16 - 1, 2**32 - 1


@dataclass(frozen=True, slots=True)
class N5Default:
    """Store a header with the shape, and what the codecs make of the elements.

    The codecs are a reversing `transpose`, `bytes` of big-endian order, and one compressor at most. A block
    of another shape than the chunk's, as N5's own writers store at the end of an axis, is cut, or filled up
    with the fill value.
    """

    name: ClassVar[str] = "n5_default"
    codecs: tuple[Extension, ...]
    chain: Chain | None = field(default=None, compare=False, repr=False)

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, required=("codecs",))
        codecs = read_extensions(fields.get("codecs", []), f"{at}.codecs", problems)
        names = [codec.name for codec in codecs[:2]]
        if "codecs" in fields and (names != ["transpose", "bytes"] or len(codecs) > _MOST_CODECS):
            found = ", ".join(codec.name for codec in codecs)
            expected = "transpose, bytes, and a compressor at most"
            problems.add(f"{at}.codecs", f"expected {expected}, found {found or 'none'}")
        return cls(codecs)

    def to_json(self) -> JsonObject:
        codecs = self.codecs if self.chain is None else self.chain.extensions
        return {"codecs": [codec.to_json() for codec in codecs]}

    def read_inner(self, at: str, problems: Problems) -> None:
        """Add the faults of the inner codecs' configurations to `problems`."""
        read_configurations(self.codecs, f"{at}.configuration.codecs", problems)

    def check(self, spec: ChunkSpec, at: str, problems: Problems) -> None:
        self.bound(spec, at, problems)

    def bound(self, spec: ChunkSpec, at: str, problems: Problems) -> Self:
        """Return this codec with its chain built for chunks of `spec`."""
        before = len(problems.found)
        self._check_spec(spec, at, problems)
        chain = build_chain(self.codecs, spec, f"{at}.configuration.codecs", problems)
        if chain is None or len(problems.found) > before:
            return self
        self._check_chain(chain, f"{at}.configuration.codecs", problems)
        return replace(self, chain=chain)

    def encoded_size(self, spec: ChunkSpec) -> int | None:
        return None

    def encode(self, array: AnyArray, spec: ChunkSpec) -> Buffer:
        body = self._chain(spec).encode(array)
        return b"".join((_header(array.shape), body))

    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        shape, body = self._split(memoryview(data), len(spec.shape))
        chain = self._chain(spec)
        if shape == spec.shape:
            return chain.decode(body)
        try:
            block = chain.for_shape(shape).decode(body)
        except MetadataError as error:
            raise self._error(f"a block of shape {shape}: {error}") from error
        return _fitted(block, spec)

    def _split(self, data: memoryview, ndim: int) -> tuple[tuple[int, ...], memoryview]:
        size = _START.size + 4 * ndim
        if len(data) < size:
            raise self._error(f"expected a header of {size} bytes, found {len(data)}")
        mode, found = _START.unpack_from(data)
        if mode != _DEFAULT_MODE or found != ndim:
            expected = f"a block of mode 0 with {ndim} axes"
            raise self._error(f"expected {expected}, found mode {mode} with {found}")
        return struct.unpack_from(f">{ndim}I", data, _START.size), data[size:]

    def _check_spec(self, spec: ChunkSpec, at: str, problems: Problems) -> None:
        dtype = spec.dtype
        if dtype.kind not in "iuf" or not dtype.isbuiltin or dtype == np.float16:
            expected = "integers, or floating-point numbers of 32 or 64 bits"
            problems.add(at, f"codec n5_default: expected {expected}, found {dtype}")
        if len(spec.shape) > _MOST_AXES or any(length > _MOST_LENGTH for length in spec.shape):
            problems.add(at, f"codec n5_default: the shape {spec.shape} does not fit into a header")

    def _check_chain(self, chain: Chain, at: str, problems: Problems) -> None:
        ndim = len(chain.spec.shape)
        order = chain.codecs[0].to_json().get("order")
        if order not in (list(reversed(range(ndim))), "F"):
            problems.add(f"{at}[0].configuration.order", f"expected all axes reversed, found {order}")
        endian = chain.serializer.to_json().get("endian")
        if endian != "big" and chain.spec.dtype.itemsize > 1:
            problems.add(f"{at}[1].configuration.endian", f"expected 'big', found {endian!r}")

    def _chain(self, spec: ChunkSpec) -> Chain:
        if self.chain is not None:
            return self.chain
        problems = Problems()
        bound = self.bound(spec, self.name, problems)
        problems.check()
        assert bound.chain is not None  # there is one, or there were problems
        return bound.chain

    def _error(self, message: str) -> CodecError:
        return CodecError(message, codec=self.name)


def _header(shape: tuple[int, ...]) -> bytes:
    return _START.pack(_DEFAULT_MODE, len(shape)) + struct.pack(f">{len(shape)}I", *shape)


def _fitted(block: AnyArray, spec: ChunkSpec) -> AnyArray:
    """Return a block cut or filled up to the shape of the chunk."""
    part: Any = tuple(slice(min(pair)) for pair in zip(block.shape, spec.shape, strict=True))
    if all(have >= want for have, want in zip(block.shape, spec.shape, strict=True)):
        return block[part]  # type: ignore[no-any-return]
    found = spec.blank()
    found[part] = block[part]
    return found
