"""The `packbits` codec; zarrista reads it and writes the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from codec_peers import by_zarrista, zarrista_encodes, zarrista_is_there

from omnizarr.codecs.chain import Chain
from omnizarr.errors import CodecError
from omnizarr.metadata.dtype_bits import bits_of, settle
from omnizarr.metadata.extension import Extension
from omnizarr.testing.codec import CodecContract

ChainOf = Callable[..., Chain]
SMALL = ("int2", "uint2", "int4", "uint4", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn", "bfloat16")
PLAIN = ("?", "i1", "u1", "<i2", "<u4", "<i8", "<f2", "<f4", "<f8", "<c8")
TYPES = [*PLAIN, *SMALL]


def packed(**configuration: Any) -> Extension:
    return Extension("packbits", configuration)


def dtype_of(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, name)) if name in SMALL else np.dtype(name)


def any_bits(name: str, shape: tuple[int, ...] = (5, 7)) -> np.ndarray[Any, Any]:
    dtype = dtype_of(name)
    raw = np.random.default_rng(1).integers(0, 256, (*shape, dtype.itemsize), np.uint8)
    return settle(raw.view(dtype)[..., 0].copy()) if name != "?" else raw[..., 0] % 2 == 1


class TestBooleans(CodecContract):
    codecs = (packed(),)
    dtype = "?"


class TestFirstByte(CodecContract):
    codecs = (packed(padding_encoding="first_byte"),)
    dtype = "?"


class TestLastByte(CodecContract):
    codecs = (packed(padding_encoding="last_byte"), Extension("crc32c"))
    dtype = "?"
    checksummed = True


class TestTwelveBits(CodecContract):
    codecs = (packed(first_bit=2, last_bit=13),)
    dtype = "<i2"

    def expected(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        signed = (array.astype("<i4") << 18) >> 20 << 2
        return signed.astype("<i2")


class TestComplex(CodecContract):
    codecs = (packed(),)
    dtype = "<c8"


@pytest.mark.parametrize("name", TYPES)
def test_types(name: str, chain_of: ChainOf) -> None:
    array = any_bits(name)
    chain = chain_of(array, packed(), fill_value=array[0, 0])
    data = bytes(chain.encode(array))
    assert len(data) == chain.encoded_size
    assert chain.decode(data).tobytes() == array.tobytes()


def test_sizes(chain_of: ChainOf) -> None:
    sizes = [chain_of(any_bits(name), packed(), fill_value=None).encoded_size for name in TYPES]
    assert sizes == [5, 35, 35, 70, 140, 280, 70, 140, 280, 280, 9, 9, 18, 18, 18, 27, 27, 70]


def test_lowest_bits_come_first(chain_of: ChainOf) -> None:
    booleans = np.array([True, False, True] + [False] * 6 + [True])
    assert bytes(chain_of(booleans, packed()).encode(booleans)) == bytes([0b101, 0b10])
    numbers = np.array([1, 2, 3], ml_dtypes.uint4)
    assert bytes(chain_of(numbers, packed(padding_encoding="last_byte")).encode(numbers)) == b"\x21\x03\x04"


def test_pairs_of_small_floats(chain_of: ChainOf) -> None:
    part = np.dtype(ml_dtypes.float4_e2m1fn)
    pairs = np.zeros(3, [("real", part), ("imag", part)])
    pairs["real"], pairs["imag"] = [1, 2, 3], [-1, 0.5, 6]
    chain = chain_of(pairs, packed(), fill_value=None)
    assert chain.encoded_size == 3
    found = chain.decode(chain.encode(pairs))
    assert found.tobytes() == pairs.tobytes()


def test_signed_bits_are_extended_and_others_are_not(chain_of: ChainOf) -> None:
    for array in (np.array([-1, 1, 0], "i1"), np.array([-1, 1, 0], ml_dtypes.int4)):
        found = chain_of(array, packed(last_bit=1)).decode(chain_of(array, packed(last_bit=1)).encode(array))
        assert found.astype(int).tolist() == [-1, 1, 0]
    array = np.array([255, 1, 0], "u1")
    chain = chain_of(array, packed(last_bit=1))
    assert chain.decode(chain.encode(array)).tolist() == [3, 1, 0]


def test_large_arrays_are_packed_step_by_step(chain_of: ChainOf) -> None:
    array = np.arange(200_001, dtype="<u4").astype("<u4") % 8191
    chain = chain_of(array, packed(last_bit=12))
    data = bytes(chain.encode(array))
    assert len(data) == -(-200_001 * 13 // 8)
    assert (chain.decode(data) == array).all()


def test_padding_that_does_not_fit(chain_of: ChainOf) -> None:
    array = np.ones(10, bool)
    chain = chain_of(array, packed(padding_encoding="first_byte"))
    with pytest.raises(CodecError, match="expected 6 bits of padding, found 5"):
        chain.decode(b"\x05" + bytes(chain.encode(array))[1:])


@pytest.mark.parametrize(
    ("configuration", "problem"),
    [
        ({"first_bit": 3, "last_bit": 2}, "configuration.last_bit: expected 3 at least"),
        ({"first_bit": -1}, "configuration.first_bit: "),
        ({"last_bit": 8}, "expected bits from 0 to 7, found 0 to 8"),
        ({"first_bit": 8}, "expected bits from 0 to 7, found 8 to 7"),
        ({"padding_encoding": "both"}, "configuration.padding_encoding: "),
    ],
)
def test_faults(configuration: Any, problem: str, problems_of: Callable[..., list[str]]) -> None:
    (found,) = problems_of(np.zeros(3, "u1"), packed(**configuration))
    assert problem in found


def test_what_has_no_bits(problems_of: Callable[..., list[str]]) -> None:
    (found,) = problems_of(np.zeros(3, "S3"), packed())
    assert "expected booleans or numbers" in found


@zarrista_is_there
@pytest.mark.parametrize("name", TYPES)
def test_zarrista(name: str, chain_of: ChainOf) -> None:
    array = any_bits(name)
    width = 1 if name == "?" else min(bits_of(array.dtype), 8)
    configurations: list[Any] = [{}, {"first_bit": 0, "last_bit": width - 1}, {"first_bit": width - 1}]
    if name == "?" or name in SMALL[:6]:  # zarrista writes no such byte where elements are whole bytes
        configurations += [{"padding_encoding": "first_byte"}, {"padding_encoding": "last_byte"}]
    for configuration in configurations:
        codecs = [packed(**configuration).to_json()]
        chain = chain_of(array, *codecs, fill_value=None)
        data = bytes(chain.encode(array))
        assert zarrista_encodes(array, codecs) == data
        if not configuration or "padding_encoding" in configuration:
            # Numbers of less than a byte are extended to one, whose upper bits do not count.
            found = np.frombuffer(by_zarrista(array, codecs, data), array.dtype).copy()
            assert settle(found).tobytes() == chain.decode(data).tobytes()
