"""The `bitround` codec: fewer bits that count, so that a compressor gains more.

https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/bitround
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from omnizarr.codecs.base import AnyArray, ChunkSpec
from omnizarr.errors import CodecError
from omnizarr.jsontypes import JsonObject, Problems, read_int, read_object
from omnizarr.metadata.dtype_bits import is_custom

_MANTISSA = {"float16": 10, "float32": 23, "float64": 52, "bfloat16": 7}
_COMPLEX = {"complex64": "float32", "complex128": "float64", "complex32": "float16", "bcomplex32": "bfloat16"}


@dataclass(frozen=True, slots=True)
class BitRound:
    """Keep bits of the mantissa, or of an integer from its highest that is set; halves go to even.

    Elements are stored as the type they have. Dates and durations are integers, and stay as they are where
    they are not-a-time; so do NaN and infinities.
    """

    name: ClassVar[str] = "bitround"
    keepbits: int

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, required=("keepbits",))
        return cls(read_int(fields.get("keepbits", 1), f"{at}.keepbits", problems, 1, 2**32 - 1))

    def to_json(self) -> JsonObject:
        return {"keepbits": self.keepbits}

    def encoded_spec(self, spec: ChunkSpec) -> ChunkSpec:
        if _mantissa(spec.dtype) is None and spec.dtype.kind not in "iumM":
            raise CodecError(
                f"expected integers or floating-point numbers, found {spec.dtype}", codec=self.name
            )
        return spec

    def encode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        digits = _mantissa(array.dtype)
        if digits is not None:
            return array if self.keepbits >= digits else self._floats(array, digits)
        return array if self.keepbits >= 8 * array.dtype.itemsize else self._integers(array)

    def decode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        return array

    def _floats(self, array: AnyArray, digits: int) -> AnyArray:
        size = array.dtype.itemsize // (2 if _is_complex(array.dtype) else 1)
        flat = np.ascontiguousarray(array).reshape(-1)
        bits = flat.view(f"{flat.dtype.byteorder if flat.dtype.kind in 'fc' else '='}u{size}")
        bits = bits.astype(f"u{size}")
        special = _exponents(size, digits)
        rounded = _rounded(bits, np.array(digits - self.keepbits, bits.dtype))
        kept = np.where(bits & special == special, bits, rounded).astype(bits.dtype)
        native = array.dtype if is_custom(array.dtype) else array.dtype.newbyteorder("=")
        return kept.view(native).astype(array.dtype, copy=False).reshape(array.shape)

    def _integers(self, array: AnyArray) -> AnyArray:
        size = array.dtype.itemsize
        bits = np.ascontiguousarray(array).reshape(-1).view(f"{array.dtype.str[0]}u{size}")
        bits = bits.astype(f"u{size}")
        used = _bit_lengths(bits)
        dropped = np.maximum(used, self.keepbits) - self.keepbits
        rounded = np.where(dropped > 0, _rounded(bits, dropped.astype(bits.dtype)), bits)
        if array.dtype.kind in "mM":
            rounded = np.where(bits == np.uint64(2**63), bits, rounded)
        native = array.dtype.newbyteorder("=")
        return rounded.astype(bits.dtype).view(native).astype(array.dtype, copy=False).reshape(array.shape)


def _mantissa(dtype: np.dtype[Any]) -> int | None:
    return _MANTISSA.get(_COMPLEX.get(dtype.name, dtype.name))


def _is_complex(dtype: np.dtype[Any]) -> bool:
    return dtype.name in _COMPLEX


def _exponents(size: int, digits: int) -> Any:
    """Return the bits of the exponent, all of which are set in NaN and infinities."""
    return np.array((1 << (8 * size - 1)) - (1 << digits), f"u{size}")


def _rounded(bits: AnyArray, dropped: AnyArray) -> AnyArray:
    """Return unsigned integers with the lowest bits rounded away; the greatest stays below the limit."""
    one = bits.dtype.type(1)
    with np.errstate(over="ignore"):
        half = (one << np.maximum(dropped, one) - one) - one
        total = bits + (bits >> dropped & one) + half
    total = np.where(total < bits, np.iinfo(bits.dtype).max, total).astype(bits.dtype)
    found: AnyArray = total >> dropped << dropped
    return found


def _bit_lengths(bits: AnyArray) -> AnyArray:
    """Return the place of the highest bit that is set, counted from 1; 0 where none is."""
    found = np.zeros(bits.shape, np.int64)
    rest = bits.astype(np.uint64)
    for step in (32, 16, 8, 4, 2, 1):
        large = rest >> np.uint64(step) > 0
        found += step * large
        rest = np.where(large, rest >> np.uint64(step), rest)
    return found + (rest > 0)
