"""What a codec is.

Three kinds, in the order of encoding: array to array, array to bytes (one in a chain), bytes to bytes.
Codecs are frozen values; all state that a call needs comes with it.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#id23
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any, ClassVar, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.jsontypes import JsonObject, Problems
from omnizarr.store.base import Buffer

AnyArray: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True)
class ChunkSpec:
    """What goes into a codec, or comes out of it: an array of this shape, type and fill value.

    `undefined` is what elements hold where the fill value is undefined; None is zero, and None for objects.
    `nbytes` is its size in memory (that of the references, for variable-length types).
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fill_value: Any = None
    undefined: Any = None
    nbytes: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "nbytes", prod(self.shape) * self.dtype.itemsize)

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from element to element along each axis, in C order."""
        steps = [self.dtype.itemsize]
        for length in reversed(self.shape[1:]):
            steps.append(steps[-1] * length)
        return tuple(reversed(steps)) if self.shape else ()

    def blank(self) -> AnyArray:
        """Return a new array that holds the fill value, or what stands for it where that is undefined."""
        value = self.undefined if self.fill_value is None else self.fill_value
        if value is None:
            return np.zeros(self.shape, self.dtype) if self.dtype.kind != "O" else np.empty(self.shape, "O")
        block = np.empty(self.shape, self.dtype)
        if self.dtype.kind == "O":
            block.fill(value)  # an assignment would take the items of a list for elements
        else:
            block[...] = value
        return block


class Codec(Protocol):
    """What all kinds share: a registered name, and JSON in and out.

    `spec` is what the codec encodes, None for bytes to bytes where there is no array.
    """

    name: ClassVar[str]

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        """Read a configuration; faults go to `problems` with locations that start with `at`."""

    def to_json(self) -> JsonObject:
        """Return the configuration, complete with defaults."""


class ArrayToArray(Codec, Protocol):
    """Change an array into another before it becomes bytes."""

    def encoded_spec(self, spec: ChunkSpec) -> ChunkSpec:
        """Return what `encode` makes of `spec`; CodecError where the codec cannot take it."""

    def encode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        """Return the encoded array; it may be a view."""

    def decode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        """Return the array that was encoded; it may be a view. `spec` is the decoded one."""


class ArrayToBytes(Codec, Protocol):
    """Turn an array into bytes."""

    def check(self, spec: ChunkSpec, at: str, problems: Problems) -> None:
        """Add what keeps the codec from encoding `spec` to `problems`."""

    def encoded_size(self, spec: ChunkSpec) -> int | None:
        """Return the exact number of bytes of any encoded array of `spec`, or None where it varies."""

    def encode(self, array: AnyArray, spec: ChunkSpec) -> Buffer:
        """Return the array's bytes; they may be the array's own memory."""

    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        """Return an array of `spec`; it may be a read-only view of `data`. CodecError where it cannot be."""


class BytesToBytes(Codec, Protocol):
    """Turn bytes into other bytes: compressors, checksums."""

    def bind(self, spec: ChunkSpec) -> Self:
        """Return this codec knowing the array whose bytes it gets (an item size left open, say)."""

    def encoded_size(self, size: int) -> int | None:
        """Return the exact number of bytes that `size` bytes become, or None where it varies."""

    def encode(self, data: Buffer) -> Buffer:
        """Return the encoded bytes."""

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        """Return the decoded bytes: `limit` at most, else CodecError before more memory is taken.

        Where `out` is given (writable bytes, `limit` long), a codec that can decodes into it and returns
        `out` itself when it was filled; a codec that cannot returns bytes of its own.
        """
