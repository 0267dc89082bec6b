"""The `bitround` codec; numcodecs rounds floats as it does, zarrista all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numcodecs
import numpy as np
import pytest
from codec_peers import zarrista_encodes, zarrista_is_there

from omnizarr.codecs.chain import Chain
from omnizarr.metadata.extension import Extension
from omnizarr.testing.codec import CodecContract

ChainOf = Callable[..., Chain]
LITTLE = Extension("bytes", {"endian": "little"})
FLOATS = ("f2", "f4", "f8")
INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")


def rounding(keepbits: int) -> Extension:
    return Extension("bitround", {"keepbits": keepbits})


def numbers(dtype: Any) -> np.ndarray[Any, Any]:
    dtype = np.dtype(dtype)
    drawn = np.random.default_rng(2)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        drawn_ints = drawn.integers(limits.min, limits.max, 300, dtype, endpoint=True)
        drawn_ints[:6] = [0, 1, limits.max, limits.min, 5, 7]
        return drawn_ints >> drawn.integers(0, 8 * dtype.itemsize, 300).astype(dtype)
    return (drawn.normal(size=300) * 1000).astype(dtype)


class TestBitRound(CodecContract):
    codecs = (rounding(9), LITTLE)
    dtype = "<f4"

    def expected(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        codec = numcodecs.BitRound(9)
        rounded = codec.decode(codec.encode(array.copy())).view("<f4").reshape(array.shape)
        return np.where(np.isfinite(array), rounded, array)


class TestIntegers(CodecContract):
    codecs = (rounding(3), LITTLE)
    dtype = "<u2"

    def expected(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.array([by_hand(int(item), 3) for item in array.flat], "<u2").reshape(array.shape)


def by_hand(number: int, keepbits: int, bits: int = 16) -> int:
    dropped = max(0, number.bit_length() - keepbits)
    whole, rest = divmod(number, 1 << dropped)
    half = (1 << dropped) / 2
    rounded = whole + (dropped > 0 and (rest > half or (rest == half and whole % 2 == 1)))
    top = ((1 << bits) - 1) >> dropped
    return min(rounded, top) << dropped


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("keepbits", [1, 5, 10, 11, 60])
def test_as_numcodecs(dtype: str, keepbits: int, chain_of: ChainOf) -> None:
    array = numbers(dtype)
    digits = np.finfo(dtype).nmant
    found = chain_of(array, rounding(keepbits), LITTLE).encode(array)
    expected = numcodecs.BitRound(min(keepbits, digits)).encode(array.copy())
    assert bytes(found) == (array.tobytes() if keepbits >= digits else expected.tobytes())


def test_special_values_stay(chain_of: ChainOf) -> None:
    array = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, np.finfo("f4").max], "f4")
    array.view("u4")[0] |= 1  # a NaN with a payload that rounding would lose
    found = chain_of(array, rounding(2), LITTLE).encode(array)
    assert bytes(found)[:20] == array.tobytes()[:20]
    dates = np.array(["NaT", "2000-01-01"], "M8[s]")
    rounded = np.frombuffer(chain_of(dates, rounding(3), LITTLE).encode(dates), "M8[s]")
    assert np.isnat(rounded[0])
    assert int(rounded[1].astype("i8")) == by_hand(946684800, 3, 64)


def test_parts_of_complex_numbers(chain_of: ChainOf) -> None:
    array = numbers("f4").view("c8")
    found = chain_of(array, rounding(4), LITTLE).encode(array)
    assert bytes(found) == bytes(chain_of(array.view("f4"), rounding(4), LITTLE).encode(array.view("f4")))


def test_what_is_no_number(problems_of: Callable[..., list[str]]) -> None:
    (found,) = problems_of(np.zeros(3, "?"), rounding(2), "bytes")
    assert "expected integers or floating-point numbers, found bool" in found


def test_no_bits(problems_of: Callable[..., list[str]]) -> None:
    (found,) = problems_of(np.zeros(3, "f4"), rounding(0), LITTLE)
    assert "configuration.keepbits" in found


@zarrista_is_there
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, "c8", "c16", "bfloat16"])
@pytest.mark.parametrize("keepbits", [1, 2, 3, 5, 9])
def test_zarrista(dtype: str, keepbits: int, chain_of: ChainOf) -> None:
    array = numbers(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    codecs = [rounding(keepbits).to_json(), LITTLE.to_json() if array.dtype.itemsize > 1 else "bytes"]
    assert zarrista_encodes(array, codecs) == bytes(chain_of(array, *codecs).encode(array))
