"""The `bytes` codec: elements one after the other, in C order and a given byte order.

https://zarr-specs.readthedocs.io/en/latest/v3/codecs/bytes/index.html
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from omnizarr.codecs.base import AnyArray, ChunkSpec
from omnizarr.codecs.buffers import memory_of
from omnizarr.errors import CodecError
from omnizarr.jsontypes import JsonObject, Problems, read_object, read_string
from omnizarr.store.base import Buffer

_ORDER = {"little": "<", "big": ">"}


@dataclass(frozen=True, slots=True)
class Bytes:
    """Store an array's memory; `endian` is `"little"`, `"big"`, or None for the data type's own order.

    Structured types are packed. A boolean is stored as 0 or 1; any other byte is read as true.
    """

    name: ClassVar[str] = "bytes"
    endian: str | None = None

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, optional=("endian",))
        endian = fields.get("endian")
        return cls(None if endian is None else read_string(endian, f"{at}.endian", problems, tuple(_ORDER)))

    def to_json(self) -> JsonObject:
        return {} if self.endian is None else {"endian": self.endian}

    def check(self, spec: ChunkSpec, at: str, problems: Problems) -> None:
        if spec.dtype.hasobject:
            problems.add(at, f"codec bytes: expected elements of one size, found data type {spec.dtype}")

    def encoded_size(self, spec: ChunkSpec) -> int | None:
        return spec.nbytes

    def encode(self, array: AnyArray, spec: ChunkSpec) -> Buffer:
        if needs_swap(spec.dtype, self.endian):
            return memory_of(np.ascontiguousarray(array, spec.dtype).view(_raw(spec.dtype)).byteswap())
        return memory_of(np.ascontiguousarray(array, self.stored(spec.dtype)))

    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        if len(data) != spec.nbytes:
            raise CodecError(f"expected {spec.nbytes} bytes, found {len(data)}", codec=self.name)
        if spec.nbytes == 0:
            return np.empty(spec.shape, spec.dtype)
        dtype = spec.dtype
        if needs_swap(dtype, self.endian):
            return np.ndarray(spec.shape, _raw(dtype), data).byteswap().view(dtype)
        if dtype.kind == "b":
            return np.ndarray(spec.shape, np.uint8, data).astype(bool)
        return np.ndarray(spec.shape, self.stored(dtype), data).astype(dtype, copy=False)

    def stored(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """Return the dtype of the elements as they are stored."""
        packed_dtype = packed(dtype)
        return packed_dtype if self.endian is None else packed_dtype.newbyteorder(_ORDER[self.endian])  # type: ignore[arg-type]

    def is_memory(self, dtype: np.dtype[Any]) -> bool:
        """Say whether the stored bytes are those that numpy holds for `dtype`."""
        return not needs_swap(dtype, self.endian) and self.stored(dtype) == dtype


def has_byte_order(dtype: np.dtype[Any]) -> bool:
    """Say whether elements, or fields of them, are numbers or characters of several bytes."""
    if dtype.subdtype is not None:
        return has_byte_order(dtype.subdtype[0])
    if dtype.fields is not None:
        return any(has_byte_order(field[0]) for field in dtype.fields.values())
    if dtype.kind == "U":
        return True
    return dtype.itemsize > 1 and (dtype.kind not in "SVO" or _is_custom(dtype))


def needs_swap(dtype: np.dtype[Any], endian: str | None) -> bool:
    """Say whether `dtype` must be swapped by hand: ml_dtypes' types know no byte order."""
    return endian not in (None, sys.byteorder) and dtype.itemsize > 1 and _is_custom(dtype)


def packed(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return a structured dtype without gaps between its fields; others as they are."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((packed(base), shape))
    if dtype.names is None or dtype.fields is None:
        return dtype
    return np.dtype([(name, packed(dtype.fields[name][0])) for name in dtype.names])


def _is_custom(dtype: np.dtype[Any]) -> bool:
    return dtype.isbuiltin != 1 and dtype.kind == "V" and dtype.type is not np.void


def _raw(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(f"u{dtype.itemsize}")
