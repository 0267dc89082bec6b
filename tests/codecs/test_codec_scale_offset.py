"""The `scale_offset` codec."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import omnizarr
from omnizarr.codecs.base import ChunkSpec
from omnizarr.codecs.chain import Chain
from omnizarr.codecs.scale_offset import ScaleOffset
from omnizarr.errors import CodecError
from omnizarr.metadata.extension import Extension
from omnizarr.testing.codec import CodecContract

ChainOf = Callable[..., Chain]
LITTLE = Extension("bytes", {"endian": "little"})


def scaling(**configuration: Any) -> Extension:
    return Extension("scale_offset", configuration)


class TestFloats(CodecContract):
    codecs = (scaling(offset=5, scale=0.5), LITTLE)
    dtype = "<f4"

    def arrays(self, shape: tuple[int, ...]) -> st.SearchStrategy[np.ndarray[Any, Any]]:
        return arrays("<f4", shape, elements=st.integers(-1000, 1000).map(float))


class TestIntegers(CodecContract):
    codecs = (scaling(offset=-3, scale=2), LITTLE)
    dtype = "<i8"

    def arrays(self, shape: tuple[int, ...]) -> st.SearchStrategy[np.ndarray[Any, Any]]:
        return arrays("<i8", shape, elements=st.integers(-(2**62), 2**62 - 4))

    def test_flipped_bits(self) -> None:
        """What `scale` does not divide is found."""
        array = self.sample()
        data = bytearray(self.chain(array.shape).encode(array))
        data[0] ^= 1
        with pytest.raises(CodecError, match="expected multiples of the scale, 2"):
            self.chain(array.shape).decode(data)


class TestNothing(CodecContract):
    codecs = (scaling(), LITTLE)
    dtype = "<u2"


@pytest.mark.parametrize("name", ["i1", "u1", "i2", "i8", "u8", "int4", "uint4"])
@given(data=st.data())
@settings(max_examples=40, deadline=None, database=None)
def test_integers_are_exact_or_refused(name: str, data: st.DataObject) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name) if "int" in name else name)
    info: Any = ml_dtypes.iinfo(dtype)
    low, high = int(info.min), int(info.max)
    number = st.integers(low, high) | st.integers(max(low, -9), min(high, 9))
    offset, scale = data.draw(number), data.draw(number.filter(lambda n: n != 0))
    numbers = data.draw(st.lists(number, min_size=1, max_size=4))
    codec, array = ScaleOffset(offset, scale), np.array(numbers, "u8" if low == 0 else "i8").astype(dtype)
    spec = ChunkSpec(array.shape, dtype)
    expected = [(n - offset) * scale for n in numbers]
    if all(low <= n <= high for n in expected):
        encoded = codec.encode(array, spec)
        assert encoded.dtype == dtype
        assert [int(n) for n in encoded] == expected
        assert [int(n) for n in codec.decode(encoded, spec)] == numbers
    else:
        with pytest.raises(CodecError, match="expected results of"):
            codec.encode(array, spec)
    back = [n // scale + offset for n in numbers]
    if all(low <= n <= high for n in back) and all(n % scale == 0 for n in numbers):
        assert [int(n) for n in codec.decode(array, spec)] == back
    else:
        with pytest.raises(CodecError, match="expected"):
            codec.decode(array, spec)


def test_fill_value_of_what_follows(chain_of: ChainOf) -> None:
    array = np.array([20.5, 21], "f4")
    cast = Extension("cast_value", {"data_type": "uint8", "scalar_map": {"encode": [["NaN", 0]]}})
    chain = chain_of(array, scaling(offset=10, scale=10), cast, LITTLE, fill_value=np.float32(12))
    assert [spec.fill_value for _, spec in chain.array_codecs] == [12, 20]
    assert chain.serialized.fill_value == 20
    assert bytes(chain.encode(array)) == bytes([105, 110])
    assert chain.decode(b"\x00\x6e").tolist() == [10, 21]


def test_overflow_is_an_error(chain_of: ChainOf) -> None:
    array = np.array([1e38, np.inf], "f4")
    with pytest.raises(CodecError, match=r"fit into float32, found 9\.99"):
        chain_of(array, scaling(scale=10), LITTLE).encode(array)
    assert np.isinf(chain_of(array[1:], scaling(scale=10), LITTLE).decode(b"\0\0\x80\x7f"))
    array = np.array([5.0], ml_dtypes.float4_e2m1fn)
    with pytest.raises(CodecError, match="fit into float4_e2m1fn"):
        chain_of(array.astype(array.dtype), scaling(scale=3), "bytes", fill_value=None).encode(array)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e5m2", "float6_e3m2fn"])
def test_small_floats_are_rounded_as_their_own_arithmetic(name: str) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name))
    array = np.array([0.5, 1.25, 3.0], dtype)
    codec, spec = ScaleOffset(0.25, 3), ChunkSpec((3,), dtype)
    one, other = dtype.type(0.25), dtype.type(3)
    encoded = codec.encode(array, spec)
    assert encoded.tobytes() == ((array - one) * other).astype(dtype).tobytes()
    assert codec.decode(encoded, spec).tobytes() == (encoded / other + one).astype(dtype).tobytes()


@pytest.mark.parametrize(
    ("dtype", "configuration", "problem"),
    [
        ("f4", {"scale": 0}, "scale: expected a number other than 0"),
        ("f4", {"scale": None}, "configuration.scale: expected a value"),
        ("i2", {"offset": 0.5}, "offset: expected an integer"),
        ("u1", {"offset": 256, "scale": "2"}, "offset: expected an integer from 0 to 255"),
        ("?", {}, "expected integers or floating-point numbers, found bool"),
        ("u1", {"offset": 1}, "the fill value 0 cannot be stored: expected results of 0 to 255, found -1"),
        ("f4", {"factor": 1}, "configuration.factor: "),
    ],
)
def test_faults(dtype: str, configuration: Any, problem: str, problems_of: Callable[..., list[str]]) -> None:
    (found,) = problems_of(np.zeros(3, dtype), scaling(**configuration), LITTLE)
    assert problem in found


def test_packed_values_of_an_array() -> None:
    array = omnizarr.create_array(
        {},
        data=np.array([[10.5, np.nan], [-3.25, 7]], "f8"),
        chunks=(1, 2),
        filters=[
            scaling(offset=-100, scale=100).to_json(),
            {
                "name": "cast_value",
                "configuration": {
                    "data_type": "uint16",
                    "scalar_map": {"encode": [["NaN", 65535]], "decode": [[65535, "NaN"]]},
                },
            },
        ],
        fill_value=np.nan,
    )
    np.testing.assert_array_equal(array[:], [[10.5, np.nan], [-3.25, 7]])
    np.testing.assert_array_equal(array[:, 1], [np.nan, 7])
