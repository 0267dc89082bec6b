"""Numbers as another type: rounded once, the way that was asked for, and never out of range unnoticed.

https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/cast_value
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.codecs.base import AnyArray
from omnizarr.metadata.dtype_bits import bits_of, is_custom
from omnizarr.plugins import loaded

Floats: TypeAlias = NDArray[np.float64]

ROUNDINGS = ("nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away")

_EXACT = 2**53  # integers up to here are numbers of 64 bits, each of them


class CastError(ValueError):
    """A value that the other type does not have; the text says which, and what was expected."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How values are cast that the other type does not have.

    Attributes
    ----------
    rounding
        One of `ROUNDINGS`.
    out_of_range
        `"clamp"`, `"wrap"` (to integers only), or None for an error.
    """

    rounding: str = "nearest-even"
    out_of_range: str | None = None


def is_real(dtype: np.dtype[Any]) -> bool:
    """Say whether elements are integers or floating-point numbers, ml_dtypes' included."""
    return dtype.kind in "iuf" or (is_custom(dtype) and dtype.name.startswith(("int", "uint", "float", "bf")))


def is_integral(dtype: np.dtype[Any]) -> bool:
    """Say whether elements that are real numbers are integers."""
    return dtype.kind in "iu" or (is_custom(dtype) and dtype.name.startswith(("int", "uint")))


def integer_range(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the least and the greatest value of an integer type."""
    bits = bits_of(dtype)
    return (0, 2**bits - 1) if _is_unsigned(dtype) else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def wide_integers(array: AnyArray) -> AnyArray:
    """Return integers of any type as such of 64 bits."""
    return array.astype(np.uint64 if _is_unsigned(array.dtype) else np.int64, copy=False)


def cast(array: AnyArray, target: np.dtype[Any], manner: Manner) -> AnyArray:
    """Return real numbers as those of another type.

    Raises
    ------
    CastError
        A value has no counterpart: NaN or infinity where the type has none, or a number beyond its range
        that `manner` does not allow for.
    """
    if array.dtype == target:
        return array
    flat = array.reshape(-1)
    with np.errstate(all="ignore"):
        return _cast(flat, target, manner).reshape(array.shape)


def _cast(flat: AnyArray, target: np.dtype[Any], manner: Manner) -> AnyArray:
    if is_integral(flat.dtype):
        wide = wide_integers(flat)
        if is_integral(target):
            return _integers(wide, target, manner)
        return _floats(*_parts(wide), target, manner)
    numbers = flat.astype(np.float64, copy=False)
    if is_integral(target):
        return _integers_of(numbers, target, manner)
    return _floats(numbers, None, target, manner)


# --- to integers


def _integers(wide: AnyArray, target: np.dtype[Any], manner: Manner) -> AnyArray:
    low, high = integer_range(target)
    own = np.iinfo(wide.dtype)
    outside = (wide < max(low, int(own.min))) | (wide > min(high, int(own.max)))
    if outside.any():
        if manner.out_of_range is None:
            raise _beyond(wide, outside, target)
        if manner.out_of_range == "wrap":
            wide = _wrapped(wide.astype(np.uint64), target)
        else:
            wide = np.clip(wide, max(low, int(own.min)), min(high, int(own.max)))
    return wide.astype(target)


def _integers_of(numbers: Floats, target: np.dtype[Any], manner: Manner) -> AnyArray:
    odd = ~np.isfinite(numbers)
    if odd.any():
        raise CastError(f"expected numbers that {target} has, found {numbers[odd][0]}")
    low, high = integer_range(target)
    whole = _WHOLE[manner.rounding](numbers)
    # All limits are powers of two or 0, and so exact.
    below, above = whole < float(low), whole >= float(high + 1)
    outside = below | above
    wide = np.uint64 if low == 0 else np.int64
    if not outside.any():
        return whole.astype(wide).astype(target)
    if manner.out_of_range is None:
        raise _beyond(numbers, outside, target)
    if manner.out_of_range == "wrap":
        return _wrapped(_modulo(whole, bits_of(target)), target).astype(target)
    clamped = np.where(outside, 0, whole).astype(wide)
    clamped[below], clamped[above] = low, high
    return clamped.astype(target)


def _modulo(whole: Floats, bits: int) -> AnyArray:
    """Return whole numbers, of any size, modulo 2**64 or a part of it; without an error of rounding."""
    rest = np.fmod(whole, 2.0**bits)
    size = np.abs(rest).astype(np.uint64)
    return np.where(rest < 0, np.uint64(0) - size, size)


def _wrapped(patterns: AnyArray, target: np.dtype[Any]) -> AnyArray:
    """Return what the low bits of integers are in an integer type, as such of 64 bits."""
    bits = bits_of(target)
    patterns = patterns & np.uint64(2**bits - 1)
    if _is_unsigned(target):
        return patterns
    sign = np.uint64(2 ** (bits - 1))
    return ((patterns ^ sign) - sign).view(np.int64)


def _nearest_away(numbers: Floats) -> Floats:
    whole = np.trunc(numbers)
    return whole + np.copysign(np.abs(numbers - whole) >= 0.5, numbers)


_WHOLE: dict[str, Callable[[Floats], Floats]] = {
    "nearest-even": np.rint,
    "towards-zero": np.trunc,
    "towards-positive": np.ceil,
    "towards-negative": np.floor,
    "nearest-away": _nearest_away,
}


# --- to floating-point numbers


@dataclass(frozen=True, slots=True)
class _Format:
    """What a floating-point type can hold: multiples of 2**`least`, of `digits` bits after the first."""

    digits: int
    least: int
    low: float
    high: float
    has_infinity: bool
    has_nan: bool


@lru_cache(64)
def _format(dtype: np.dtype[Any]) -> _Format:
    info = _finfo(dtype)
    special = [float(np.array([value]).astype(dtype)[0]) for value in (np.inf, np.nan)]
    least = int(np.frexp(float(info.smallest_subnormal))[1]) - 1
    high = float(info.max)
    return _Format(info.nmant, least, float(info.min), high, special[0] == np.inf, special[1] != special[1])


def _finfo(dtype: np.dtype[Any]) -> Any:
    if not is_custom(dtype):
        return np.finfo(dtype)
    return loaded("ml_dtypes:finfo")(dtype)


def _parts(wide: AnyArray) -> tuple[Floats, Floats | None]:
    """Return integers of 64 bits as the nearest floating-point numbers, and what is missing; exactly."""
    numbers = wide.astype(np.float64)
    if not wide.size or (int(wide.min()) >= -_EXACT and int(wide.max()) <= _EXACT):
        return numbers, None
    high = (wide >> 32).astype(np.float64) * 2.0**32
    low = (wide & wide.dtype.type(2**32 - 1)).astype(np.float64)
    total = high + low
    taken = total - high
    return total, (high - (total - taken)) + (low - taken)


def _floats(numbers: Floats, rest: Floats | None, target: np.dtype[Any], manner: Manner) -> AnyArray:
    form = _format(target)
    if not form.has_nan and np.isnan(numbers).any():
        raise CastError(f"expected numbers that {target} has, found nan")
    if rest is None and target == np.float64:
        return numbers
    rounded = numbers
    simple = rest is None and manner.rounding == "nearest-even" and not is_custom(target)
    if simple:
        rounded = numbers.astype(target).astype(np.float64)
    else:
        rounded = np.where(np.isfinite(numbers), _on_grid(numbers, rest, form, manner.rounding), numbers)
    outside = (rounded > form.high) | (rounded < form.low)
    if form.has_infinity:
        outside &= np.isfinite(numbers)
    if outside.any():
        if manner.out_of_range != "clamp":
            raise _beyond(numbers, outside, target)
        high = np.inf if form.has_infinity else form.high
        low = -np.inf if form.has_infinity else form.low
        rounded = np.where(outside, np.where(numbers > 0, high, low), rounded)
    return rounded.astype(target)


def _on_grid(numbers: Floats, rest: Floats | None, form: _Format, rounding: str) -> Floats:
    """Return the multiples of a type's steps that are next to `numbers + rest`, if no type had an end."""
    numbers = np.where(np.isfinite(numbers), numbers, 0.0)
    size, exponent = np.frexp(numbers)
    if rest is not None:  # just below a power of two, the steps are half of those above
        exponent = exponent - ((np.abs(size) == 0.5) & (rest * size < 0))
    step = np.maximum(exponent - 1 - form.digits, form.least)
    scaled = np.ldexp(numbers, -step)
    whole = np.floor(scaled)
    part = scaled - whole
    more = np.zeros_like(part) if rest is None else np.ldexp(rest, -step)
    borrowed = (part == 0) & (more < 0)
    whole, part = whole - borrowed, part + borrowed
    inexact = (part > 0) | (more > 0)
    up = _rounds_up(rounding, numbers, whole, (part - 0.5) + more) & inexact
    found: Floats = np.copysign(np.ldexp(whole + up, step), numbers)
    return found


def _rounds_up(rounding: str, numbers: Floats, whole: Floats, beyond_half: Floats) -> NDArray[np.bool_]:
    if rounding == "towards-positive":
        return np.ones(numbers.shape, bool)
    if rounding == "towards-negative":
        return np.zeros(numbers.shape, bool)
    if rounding == "towards-zero":
        return numbers < 0
    tie = numbers > 0 if rounding == "nearest-away" else np.fmod(whole, 2) != 0
    found: NDArray[np.bool_] = (beyond_half > 0) | ((beyond_half == 0) & tie)
    return found


# --- both


def _is_unsigned(dtype: np.dtype[Any]) -> bool:
    return dtype.kind == "u" or dtype.name.startswith("uint")


def _beyond(numbers: AnyArray, outside: AnyArray, target: np.dtype[Any]) -> CastError:
    if is_integral(target):
        low, high = integer_range(target)
        limits = f"{low} to {high}"
    else:
        form = _format(target)
        limits = f"{form.low:g} to {form.high:g}"
    return CastError(f"expected numbers that fit into {target} ({limits}), found {numbers[outside][0]}")
