"""The `packbits` codec: the bits of elements one after the other, from the lowest.

https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/packbits
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from omnizarr.codecs.base import AnyArray, ChunkSpec
from omnizarr.errors import CodecError
from omnizarr.jsontypes import JsonObject, Problems, read_int, read_object, read_string
from omnizarr.metadata.dtype_bits import bits_of, is_custom, settle
from omnizarr.store.base import Buffer

_PADDINGS = ("none", "first_byte", "last_byte")
_MOST_BITS = 64
_STEP = 1 << 16  # elements whose bits are spread over bytes at a time: 4 MiB of them


class _Layout(NamedTuple):
    """How many parts an element has, the bytes of one in memory, and which of its bits are stored."""

    parts: int
    size: int
    first: int
    last: int
    is_signed: bool

    @property
    def stored(self) -> int:
        """Bits of an element that are stored."""
        return self.parts * (self.last - self.first + 1)


@dataclass(frozen=True, slots=True)
class PackBits:
    """Store the bits `first_bit` to `last_bit` of each element, or of both parts of a complex number.

    Bits that are not stored are read as 0, or as the sign where they stand above the last of a signed
    integer. `padding_encoding` says whether a byte tells how many bits fill up the last one.
    """

    name: ClassVar[str] = "packbits"
    padding_encoding: str = "none"
    first_bit: int | None = None
    last_bit: int | None = None

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        optional = ("padding_encoding", "first_bit", "last_bit")
        fields = read_object(configuration, at, problems, optional=optional)
        padding = read_string(
            fields.get("padding_encoding", "none"), f"{at}.padding_encoding", problems, _PADDINGS
        )
        first, last = (
            None
            if fields.get(name) is None
            else read_int(fields[name], f"{at}.{name}", problems, 0, _MOST_BITS - 1)
            for name in ("first_bit", "last_bit")
        )
        if last is not None and last < (first or 0):
            problems.add(f"{at}.last_bit", f"expected {first or 0} at least, as first_bit, found {last}")
        return cls(padding, first, last)

    def to_json(self) -> JsonObject:
        bits = (("first_bit", self.first_bit), ("last_bit", self.last_bit))
        return {
            "padding_encoding": self.padding_encoding,
            **{name: bit for name, bit in bits if bit is not None},
        }

    def check(self, spec: ChunkSpec, at: str, problems: Problems) -> None:
        bits = _part_bits(spec.dtype)
        if bits is None:
            problems.add(at, f"codec packbits: expected booleans or numbers, found {spec.dtype}")
            return
        first, last = self.first_bit or 0, bits - 1 if self.last_bit is None else self.last_bit
        if not first <= last < bits:
            found = f"{first} to {last}"
            problems.add(at, f"codec packbits: expected bits from 0 to {bits - 1}, found {found}")

    def encoded_size(self, spec: ChunkSpec) -> int | None:
        bits = prod(spec.shape) * self._layout(spec.dtype).stored
        return -(-bits // 8) + (self.padding_encoding != "none")

    def encode(self, array: AnyArray, spec: ChunkSpec) -> Buffer:
        layout = self._layout(spec.dtype)
        flat = np.ascontiguousarray(array, spec.dtype).reshape(-1)
        steps = range(0, flat.size, _STEP)
        packed = b"".join(_packed(flat[start : start + _STEP], layout) for start in steps)
        padding = bytes([-flat.size * layout.stored % 8])
        if self.padding_encoding == "none":
            return packed
        return padding + packed if self.padding_encoding == "first_byte" else packed + padding

    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        expected = self.encoded_size(spec)
        if len(data) != expected:
            raise self._error(f"expected {expected} bytes, found {len(data)}")
        layout, count = self._layout(spec.dtype), prod(spec.shape)
        body = self._without_padding(memoryview(data), -count * layout.stored % 8)
        found = np.empty(count, spec.dtype)
        for start in range(0, count, _STEP):
            part = found[start : start + _STEP]
            _unpack(body[start * layout.stored // 8 :], layout, part)
        return found.reshape(spec.shape)

    def _without_padding(self, data: memoryview, bits: int) -> memoryview:
        if self.padding_encoding == "none":
            return data
        is_first = self.padding_encoding == "first_byte"
        found = data[0] if is_first else data[-1]
        if found != bits:
            raise self._error(f"expected {bits} bits of padding, found {found}")
        return data[1:] if is_first else data[:-1]

    def _layout(self, dtype: np.dtype[Any]) -> _Layout:
        bits = _part_bits(dtype) or 8 * dtype.itemsize
        parts = 2 if _is_complex(dtype) else 1
        last = bits - 1 if self.last_bit is None else self.last_bit
        is_signed = dtype.kind == "i" or (is_custom(dtype) and dtype.name.startswith("int"))
        return _Layout(
            parts, dtype.itemsize // parts, self.first_bit or 0, last, is_signed and last < bits - 1
        )

    def _error(self, message: str) -> CodecError:
        return CodecError(message, codec=self.name)


def _part_bits(dtype: np.dtype[Any]) -> int | None:
    """Return the bits of an element, or of a part of a complex one; None where it is no number."""
    if dtype.names == ("real", "imag") and dtype["real"] == dtype["imag"]:
        dtype = dtype["real"]
        return bits_of(dtype) if is_custom(dtype) else None
    if dtype.kind == "b":
        return 1
    if _is_complex(dtype):
        return 4 * dtype.itemsize
    return bits_of(dtype) if dtype.kind in "iufmM" or is_custom(dtype) else None


def _is_complex(dtype: np.dtype[Any]) -> bool:
    # ml_dtypes' complex numbers are of a kind of their own.
    return dtype.names is not None or dtype.kind == "c" or (is_custom(dtype) and "complex" in dtype.name)


def _packed(flat: AnyArray, layout: _Layout) -> bytes:
    """Return the chosen bits of elements; 8 of them, and so any number of steps, fill whole bytes."""
    bits = np.unpackbits(_as_bytes(flat, layout), axis=1, bitorder="little")
    return np.packbits(bits[:, layout.first : layout.last + 1], bitorder="little").tobytes()


def _unpack(data: memoryview, layout: _Layout, out: AnyArray) -> None:
    width = layout.last - layout.first + 1
    count = out.size * layout.parts
    chosen = np.unpackbits(
        np.frombuffer(data, np.uint8, -(-count * width // 8)), count=count * width, bitorder="little"
    ).reshape(count, width)
    bits = np.zeros((count, 8 * layout.size), np.uint8)
    bits[:, layout.first : layout.last + 1] = chosen
    if layout.is_signed:
        bits[:, layout.last + 1 :] = chosen[:, -1:]
    stored = np.packbits(bits, axis=1, bitorder="little")
    out[...] = (stored if np.little_endian else stored[:, ::-1]).reshape(-1).view(out.dtype)
    settle(out)


def _as_bytes(flat: AnyArray, layout: _Layout) -> AnyArray:
    """Return the bytes of each part, the lowest first."""
    stored = flat.view(np.uint8).reshape(-1, layout.size)
    is_little = np.little_endian if flat.dtype.isnative else not np.little_endian
    return stored if is_little else stored[:, ::-1]
