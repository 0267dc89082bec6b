"""Single values of the small numbers, and of complex numbers made of them, between JSON and numpy.

https://github.com/zarr-developers/zarr-extensions/tree/main/data-types
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

from omnizarr.jsontypes import Json
from omnizarr.metadata.scalars import Dtype, MisfitError

_NAMED = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_HEX = re.compile(r"0x[0-9a-fA-F]{1,16}")


@dataclass(frozen=True, slots=True)
class SmallFloat:
    """Values of a float type of which numpy itself knows nothing.

    A number is rounded to the nearest value; one beyond the largest is refused, also where the type would
    take the largest for it. Names of values that the type does not have are refused. Zero is the smallest
    value of the one type without a zero, as tensorstore writes and reads it.

    Attributes
    ----------
    bits
        The number of bits of a value, the lowest of its byte where they are fewer than 8.
    limit
        What is smaller rounds to the largest value.
    """

    dtype: Dtype
    bits: int
    limit: float = field(init=False)

    def __post_init__(self) -> None:
        largest = ml_dtypes.finfo(self.dtype).max  # type: ignore[no-untyped-call]
        below = float(self._of_bits(_bits(largest) - 1))
        object.__setattr__(self, "limit", float(largest) + (float(largest) - below) / 2)

    def read(self, value: Json) -> Any:
        """Read a number, a name such as NaN, or the bits in hexadecimal."""
        if type(value) is float or type(value) is int:
            return self._nearest(value)
        if isinstance(value, str) and value in _NAMED:
            return self._special(_NAMED[value])
        if isinstance(value, str) and _HEX.fullmatch(value) and int(value, 16) < 1 << self.bits:
            return self._of_bits(int(value, 16))
        raise self._misfit()

    def write(self, value: Any) -> Json:
        """Return the value as a number, a name, or the bits of an unusual NaN."""
        number = float(value)
        if math.isfinite(number):
            return number
        if math.isinf(number):
            return "Infinity" if number > 0 else "-Infinity"
        bits = _bits(value)
        usual = _bits(self.dtype.type(math.nan))
        return "NaN" if bits == usual else f"0x{bits:0{2 * self.dtype.itemsize}x}"

    def given(self, value: Any) -> Any:
        """Turn a number, or what may stand in a document, into a value."""
        if isinstance(value, np.generic) and value.dtype == self.dtype:
            return value
        return self.read(value) if isinstance(value, str) else self._nearest(float(_single(value)))

    def _nearest(self, value: float) -> Any:
        try:
            number = float(value)
        except OverflowError:
            raise self._misfit() from None
        if not math.isfinite(number):
            return self._special(number)
        result = self.dtype.type(number)
        if number == 0 and not self._has_zero:
            return self._of_bits(0)
        # The one type without a zero has no sign either.
        if abs(number) < self.limit and math.isfinite(float(result)) and (number > 0 or self._has_zero):
            return result
        raise self._misfit()

    def _special(self, number: float) -> Any:
        result = self.dtype.type(number)
        if float(result) == number or (math.isnan(number) and math.isnan(float(result))):
            return result
        raise self._misfit()

    @property
    def _has_zero(self) -> bool:
        return float(self._of_bits(0)) == 0.0

    def _of_bits(self, bits: int) -> Any:
        return np.array([bits], f"u{self.dtype.itemsize}").view(self.dtype)[0]

    def _misfit(self) -> MisfitError:
        named = [name for name, number in _NAMED.items() if self._holds(number)]
        number = "a number" if self._has_zero else "a number of at least 0"
        choices = ", ".join([f"{number} that {self.dtype.name} can hold", *(f'"{name}"' for name in named)])
        return MisfitError(f'{choices} or the bits as "0x{(1 << self.bits) - 1:x}"')

    def _holds(self, number: float) -> bool:
        result = float(self.dtype.type(number))
        return result == number or (math.isnan(number) and math.isnan(result))


@dataclass(frozen=True, slots=True)
class SmallInteger:
    """Values of an integer type of less than a byte."""

    dtype: Dtype
    low: int
    high: int

    def read(self, value: Json) -> Any:
        """Read an integer in the type's range; a float that is whole counts."""
        number = int(value) if type(value) is float and value.is_integer() else value
        if type(number) is int and self.low <= number <= self.high:
            return self.dtype.type(number)
        raise MisfitError(f"an integer from {self.low} to {self.high}")

    def write(self, value: Any) -> Json:
        """Return the integer."""
        return int(value)

    def given(self, value: Any) -> Any:
        """Turn a whole number into a value."""
        if isinstance(value, np.generic) and value.dtype == self.dtype:
            return value
        number = _single(value)
        return self.read(float(number) if isinstance(number, float | np.floating) else int(number))


@dataclass(frozen=True, slots=True)
class Pair:
    """Values of a complex type whose parts are of a type that numpy has no complex numbers of.

    Attributes
    ----------
    dtype
        The type of the pair, real part first.
    part
        The type of both parts.
    """

    dtype: Dtype
    part: Dtype
    read_part: Callable[[Json], Any]
    write_part: Callable[[Any], Json]

    def read(self, value: Json) -> Any:
        """Read a pair of numbers."""
        if isinstance(value, list) and len(value) == 2:
            return self._of(*map(self.read_part, value))
        raise MisfitError("a pair of numbers, real and imaginary")

    def write(self, value: Any) -> Json:
        """Return a pair of numbers."""
        return [self.write_part(part) for part in np.frombuffer(value.tobytes(), self.part)]

    def given(self, value: Any) -> Any:
        """Turn a complex or real number, or a pair, into a value."""
        if isinstance(value, np.generic) and value.dtype == self.dtype:
            return value
        if isinstance(value, tuple | list):
            return self.read([part if isinstance(part, str) else float(part) for part in value])
        number = complex(_single(value))
        return self.read([_named(number.real), _named(number.imag)])

    def _of(self, real: Any, imaginary: Any) -> Any:
        return np.frombuffer(real.tobytes() + imaginary.tobytes(), self.dtype)[0]


def _bits(value: Any) -> int:
    return int(np.array(value).reshape(1).view(f"u{value.dtype.itemsize}")[0])


def _named(number: float) -> Json:
    return next((name for name, named in _NAMED.items() if repr(named) == repr(number)), number)


def _single(value: Any) -> Any:
    found = np.asarray(value)
    if found.ndim:
        raise ValueError(f"expected one value, found an array of shape {found.shape}")
    return found[()]
