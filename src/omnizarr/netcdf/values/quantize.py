"""Floats with the bits that mean nothing made alike, so that they compress: lossy, before any filter.

https://github.com/Unidata/netcdf-c/blob/main/docs/quantize.md
https://doi.org/10.5194/gmd-12-4099-2019
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.netcdf.model.nodes import AttributeModel
from omnizarr.netcdf.model.types import DOUBLE, FLOAT, INT, NcType

AnyArray: TypeAlias = NDArray[Any]
Bits: TypeAlias = NDArray[np.unsignedinteger[Any]]

BIT_GROOM = "BitGroom"
GRANULAR_BIT_ROUND = "GranularBitRound"
BIT_ROUND = "BitRound"

# netCDF-C's names of the attributes, and the most digits of a float and of a double.
_ATTRIBUTES = {
    BIT_GROOM: "_QuantizeBitGroomNumberOfSignificantDigits",
    GRANULAR_BIT_ROUND: "_QuantizeGranularBitRoundNumberOfSignificantDigits",
    BIT_ROUND: "_QuantizeBitRoundNumberOfSignificantBits",
}
_MOST = {BIT_GROOM: (6, 15), GRANULAR_BIT_ROUND: (6, 15), BIT_ROUND: (23, 52)}

_EXPLICIT_BITS = {4: 23, 8: 52}
_BITS_PER_DIGIT = math.log(10) / math.log(2)
_DIGITS_PER_BIT = math.log(2) / math.log(10)


@dataclass(frozen=True, slots=True)
class Quantization:
    """How many digits of the values of a variable mean something.

    Attributes
    ----------
    mode
        `"BitGroom"`, `"GranularBitRound"` or `"BitRound"`.
    digits
        Significant decimal digits; for BitRound, bits of the significand behind its leading one.

    Raises
    ------
    ValueError
        There is no such mode.
    """

    mode: str
    digits: int

    def __post_init__(self) -> None:
        if self.mode not in _MOST:
            expected = ", ".join(map(repr, _MOST))
            raise ValueError(f"quantize_mode: expected one of {expected}, found {self.mode!r}")

    def check(self, kind: NcType) -> None:
        """Refuse a type that has no digits to spare, or not as many.

        Raises
        ------
        ValueError
            The type is neither float nor double, or the number of digits is out of range.
        """
        if kind not in (FLOAT, DOUBLE):
            raise ValueError(f"quantization: expected a variable of type float or double, found {kind}")
        most = _MOST[self.mode][kind is DOUBLE]
        if not 1 <= self.digits <= most:
            what = "bits" if self.mode == BIT_ROUND else "digits"
            expected = f"1 to {most} significant {what} of a {kind}"
            raise ValueError(f"{self.mode}: expected {expected}, found {self.digits}")

    def attribute(self) -> AttributeModel:
        """Return the attribute by which readers know what was done."""
        return AttributeModel(_ATTRIBUTES[self.mode], INT, (self.digits,))

    def apply(self, values: AnyArray, fill: Any = None) -> AnyArray:
        """Return values rounded just as netCDF-C rounds them in one call, in their type and byte order.

        Left as they are: zeros, NaN, and what equals the fill value (netCDF's default where it is None).
        So is infinity, of which netCDF-C makes NaN (BitGroom) or zero (GranularBitRound).

        Raises
        ------
        ValueError
            The values are not of type float or double, or the number of digits is out of range.
        """
        kind = FLOAT if values.dtype.itemsize == FLOAT.size else DOUBLE
        if values.dtype.kind != "f" or values.dtype.itemsize != kind.size:
            raise ValueError(f"quantization: expected floats of 4 or 8 bytes, found {values.dtype}")
        self.check(kind)
        native = np.ascontiguousarray(values, kind.dtype).reshape(-1)
        bits = native.view(f"u{kind.size}")
        missing = kind.dtype.type(kind.default_fill if fill is None else fill)
        kept = ~np.isfinite(native) | (native == 0) | (native == missing)
        rounded = self._rounded(native, bits, kept)
        np.copyto(rounded, bits, where=kept)
        return rounded.view(kind.dtype).astype(values.dtype, copy=False).reshape(values.shape)

    def _rounded(self, native: AnyArray, bits: Bits, kept: NDArray[np.bool_]) -> Bits:
        explicit = _EXPLICIT_BITS[native.dtype.itemsize]
        match self.mode:
            case "BitGroom":
                # One bit more than it takes: the first is not stored, and netCDF-C counts it nevertheless.
                return _groomed(bits, explicit - math.ceil(self.digits * _BITS_PER_DIGIT) - 1)
            case "BitRound":
                return _shaved(bits, np.array(explicit - self.digits))
            case _:
                needed = _bits_for(np.where(kept, 1, np.abs(native)), self.digits)
                return _shaved(bits, explicit - needed)


def quantization_of(attributes: Iterable[AttributeModel]) -> Quantization | None:
    """Return the quantization that attributes tell of; None where there is none, or not one that can be."""
    found = {attribute.name: attribute for attribute in attributes}
    for mode, name in _ATTRIBUTES.items():
        if name in found and len(found[name].values) == 1:
            [digits] = found[name].values
            if isinstance(digits, int) and 1 <= digits <= _MOST[mode][1]:
                return Quantization(mode, digits)
    return None


def rounded_to_digit(values: AnyArray, least_significant_digit: float) -> AnyArray:
    """Return values rounded to a power of two that keeps a digit behind the decimal point.

    With the digit 1 to multiples of 1/16, so that 0.1 can be told from 0.2; with -2 to multiples of 64. What
    is masked stays so, and what is too large to have such digits stays as it is.
    """
    if np.ma.isMaskedArray(values):
        data = rounded_to_digit(np.ma.getdata(values), least_significant_digit)
        return np.ma.masked_array(data, np.ma.getmask(values), fill_value=values.fill_value)
    away = math.ceil if least_significant_digit > 0 else math.floor
    power = math.ceil(math.log2(10) * away(least_significant_digit))
    if values.dtype.kind in "iu" and power >= 0:
        return values
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.ldexp(values.astype("f8"), power)
        rounded = np.ldexp(np.around(scaled), -power)
        return np.where(np.isfinite(scaled), rounded, values).astype(values.dtype)


def _groomed(bits: Bits, spare: int) -> Bits:
    """Return bits with the spare ones cleared and set in turn, so that sums stay what they are."""
    ones = bits.dtype.type((1 << spare) - 1)
    result = bits & ~ones
    result[1::2] |= ones
    return result


def _shaved(bits: Bits, spare: NDArray[np.int64]) -> Bits:
    """Return bits rounded to nearest, halves away from zero, with the spare ones cleared."""
    one = bits.dtype.type(1)
    step = one << spare.astype(bits.dtype)
    result: Bits = (bits + (step >> one)) & ~(step - one)
    return result


def _bits_for(values: AnyArray, digits: int) -> NDArray[np.int64]:
    """Return how many bits of each value's significand its decimal digits take.

    The values where that changes are looked for once, by the logarithm of C's library: numpy's differs in
    the last bit, which decides for 1.0, 0.5 or 1000.
    """
    # 0.24 s for 10,000,000 floats, against 1.5 with a logarithm for each.
    _, ends = np.frexp([values.min(initial=1), values.max(initial=1)])
    steps = [step for exponent in range(ends[0], ends[1] + 1) for step in _steps(exponent, digits)]
    starts, needed = np.array([start for start, _ in steps]), np.array([bits for _, bits in steps])
    found: NDArray[np.int64] = needed[np.searchsorted(starts, values, side="right") - 1]
    return found


@cache
def _steps(exponent: int, digits: int) -> tuple[tuple[float, int], ...]:
    """Return the values of a binary exponent from which on their digits take so many bits; ever fewer."""
    mantissas = range(1 << 52, 1 << 53)

    def fewer(mantissa: int) -> int:
        return -_bits_of(math.ldexp(mantissa, exponent - 53), digits)

    steps, at = [], 0
    while at < len(mantissas):
        bits = -fewer(mantissas[at])
        steps.append((math.ldexp(mantissas[at], exponent - 53), bits))
        at = bisect_right(mantissas, -bits, at, key=fewer)
    return tuple(steps)


def _bits_of(value: float, digits: int) -> int:
    mantissa, exponent = math.frexp(value)
    logarithm = math.log10(mantissa)
    before_point = math.floor(exponent * _DIGITS_PER_BIT + logarithm) + 1
    last_bit = math.floor(_BITS_PER_DIGIT * (before_point - digits))
    return abs(math.floor(exponent - _BITS_PER_DIGIT * logarithm) - last_bit) - 1
