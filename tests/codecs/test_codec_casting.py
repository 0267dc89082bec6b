"""Numbers cast exactly, against arithmetic with fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omnizarr.codecs.casting import ROUNDINGS, CastError, Manner, cast, integer_range, is_integral

INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "int2", "int4", "uint2", "uint4")
SMALL = (
    *("bfloat16", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn", "float8_e3m4", "float8_e4m3"),
    *("float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
)
TYPES = (*INTEGERS, "f2", "f4", "f8", *SMALL)


def dtype_of(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, name) if name in dir(ml_dtypes) else name)


@cache
def finite_values(dtype: np.dtype[Any]) -> list[float]:
    """Return all values of a type of 16 bits at most, in order."""
    bits = np.arange(2 ** (8 * dtype.itemsize), dtype=f"u{dtype.itemsize}")
    if dtype.name.startswith(("float4", "float6")):
        bits = bits[: 16 if "4" in dtype.name[:6] else 64]
    with np.errstate(all="ignore"):
        values = bits.view(dtype).astype("f8")
    return sorted(set(values[np.isfinite(values)].tolist()))


def rounded_integer(exact: Fraction, rounding: str) -> int:
    if rounding == "towards-zero":
        return math.trunc(exact)
    if rounding == "towards-positive":
        return math.ceil(exact)
    if rounding == "towards-negative":
        return math.floor(exact)
    if rounding == "nearest-even":
        return round(exact)
    return math.trunc(exact + Fraction(1, 2) * (1 if exact > 0 else -1))


def rounded_float(exact: Fraction, rounding: str, digits: int, least: int) -> Fraction:
    """Return a number with so many bits after the first, and none below 2**least."""
    if exact == 0:
        return exact
    size = abs(exact)
    exponent = math.floor(math.log2(size.numerator) - math.log2(size.denominator))
    exponent += (size >= Fraction(2) ** (exponent + 1)) - (size < Fraction(2) ** exponent)
    step = Fraction(2) ** max(exponent - digits, least)
    return rounded_integer(exact / step, rounding) * step


def numbers_for(source: np.dtype[Any]) -> st.SearchStrategy[Any]:
    if is_integral(source):
        low, high = integer_range(source)
        return st.integers(low, high)
    if source.itemsize > 2:
        return st.floats(allow_nan=False, allow_infinity=False, width=8 * source.itemsize)
    return st.sampled_from(finite_values(source))


@pytest.mark.parametrize("target", TYPES)
@given(data=st.data())
@settings(max_examples=50, deadline=None, database=None)
def test_any_number(target: str, data: st.DataObject) -> None:
    source, goal = dtype_of(data.draw(st.sampled_from(TYPES))), dtype_of(target)
    rounding = data.draw(st.sampled_from(ROUNDINGS))
    number = data.draw(numbers_for(source))
    with np.errstate(all="ignore"):
        array = np.array([number]).astype(source)
    exact = Fraction(int(array[0])) if is_integral(source) else Fraction(float(array[0]))
    if is_integral(goal):
        expected = Fraction(rounded_integer(exact, rounding))
        low, high = map(Fraction, integer_range(goal))
    else:
        info: Any = (
            np.finfo(goal)
            if goal.name.startswith("float")
            and goal.itemsize > 1
            and (goal.name in ("float16", "float32", "float64"))
            else ml_dtypes.finfo(goal)
        )
        smallest = float(info.smallest_subnormal)
        expected = rounded_float(exact, rounding, info.nmant, math.frexp(smallest)[1] - 1)
        low, high = Fraction(float(info.min)), Fraction(float(info.max))
    if low <= expected <= high:
        found = cast(array, goal, Manner(rounding))
        assert found.dtype == goal
        assert Fraction(int(found[0]) if is_integral(goal) else float(found[0])) == expected
        return
    if source == goal:
        return  # the type of powers of two, which has no 0
    with pytest.raises(CastError, match="expected numbers that fit into"):
        cast(array, goal, Manner(rounding))
    clamped = float(cast(array, goal, Manner(rounding, "clamp"))[0])
    assert clamped in ((math.inf, float(high)) if expected > high else (-math.inf, float(low)))
    if is_integral(goal):
        wrapped = int(cast(array, goal, Manner(rounding, "wrap"))[0])
        assert low <= wrapped <= high
        assert (wrapped - int(expected)) % int(high - low + 1) == 0


@pytest.mark.parametrize("name", ["int4", "u1", "i8", "u8"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("beyond", [None, "clamp", "wrap"])
def test_what_integers_have_not(name: str, value: float, beyond: str | None) -> None:
    with pytest.raises(CastError, match="expected numbers that"):
        cast(np.array([1.0, value]), dtype_of(name), Manner(out_of_range=beyond))


@pytest.mark.parametrize("name", ["f2", "f4", "f8", *SMALL])
def test_special_values(name: str) -> None:
    goal = dtype_of(name)
    has_nan = not name.startswith(("float4", "float6"))
    has_infinity = name in ("f2", "f4", "f8", "bfloat16", "float8_e3m4", "float8_e4m3", "float8_e5m2")
    for source in ("f8", "f4", "f2"):
        array = np.array([math.nan], source)
        if has_nan:
            assert math.isnan(float(cast(array, goal, Manner())[0]))
        else:
            with pytest.raises(CastError, match="found nan"):
                cast(array, goal, Manner(out_of_range="clamp"))
        array = np.array([-math.inf], source)
        if has_infinity:
            assert float(cast(array, goal, Manner())[0]) == -math.inf
        else:
            with pytest.raises(CastError, match="found -inf"):
                cast(array, goal, Manner())
            low = float(ml_dtypes.finfo(goal).min)
            assert float(cast(array, goal, Manner(out_of_range="clamp"))[0]) == low


def test_arrays_of_any_shape_and_order() -> None:
    array = np.arange(24, dtype="f8").reshape(2, 3, 4).transpose(2, 0, 1)
    assert (cast(array, np.dtype("u1"), Manner()) == array).all()
    assert cast(np.array(3.7), np.dtype("i2"), Manner()).shape == ()
    assert cast(np.empty((0, 3)), np.dtype("i2"), Manner()).shape == (0, 3)
    assert cast(array.astype(">f8"), np.dtype("u1"), Manner())[1, 1, 1] == 17
