"""The `cast_value` codec."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import omnizarr
from omnizarr.codecs.casting import Manner, cast
from omnizarr.codecs.chain import Chain
from omnizarr.errors import CodecError
from omnizarr.metadata.extension import Extension
from omnizarr.testing.codec import CodecContract

ChainOf = Callable[..., Chain]
LITTLE = Extension("bytes", {"endian": "little"})


def casting(data_type: Any, **more: Any) -> Extension:
    return Extension("cast_value", {"data_type": data_type, **more})


class TestFloatsAsIntegers(CodecContract):
    codecs = (casting("int16", rounding="towards-zero", out_of_range="clamp"), LITTLE)
    dtype = "<f8"

    def arrays(self, shape: tuple[int, ...]) -> st.SearchStrategy[np.ndarray[Any, Any]]:
        return arrays("<f8", shape, elements=st.floats(allow_nan=False, allow_infinity=False))

    def expected(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.trunc(np.clip(array, -32768, 32767)) + 0.0


class TestWiderIntegers(CodecContract):
    codecs = (casting("int64"), LITTLE)
    dtype = "<u4"


class TestMissingValues(CodecContract):
    codecs = (
        casting("uint8", scalar_map={"encode": [["NaN", 255], ["Infinity", 254]], "decode": [[255, "NaN"]]}),
        LITTLE,
    )
    dtype = "<f4"

    def arrays(self, shape: tuple[int, ...]) -> st.SearchStrategy[np.ndarray[Any, Any]]:
        return arrays("<f4", shape, elements=st.sampled_from([0, 3, 253, np.nan]))


def stored(array: np.ndarray[Any, Any], chain: Chain) -> list[Any]:
    return np.frombuffer(chain.encode(array), chain.serialized.dtype).tolist()


def test_type_and_fill_value_of_what_follows(chain_of: ChainOf) -> None:
    array = np.array([1.25, 2.75])
    chain = chain_of(array, casting("float32"), casting("int8"), LITTLE, fill_value=np.float64(7.5))
    assert [spec.dtype.str for _, spec in chain.array_codecs] == ["<f8", "<f4"]
    assert [spec.fill_value for _, spec in chain.array_codecs] == [7.5, np.float32(7.5)]
    assert (chain.serialized.dtype, chain.serialized.fill_value) == (np.int8, 8)
    assert stored(array, chain) == [1, 3]
    assert chain.decode(chain.encode(array)).tolist() == [1.0, 3.0]


def test_listed_values_come_first(chain_of: ChainOf) -> None:
    pairs = {"encode": [[1, 100], [2.5, 50], [1, 99], ["+Infinity", 7]], "decode": [[100, "-Infinity"]]}
    array = np.array([1, 2.5, 3, np.inf])
    chain = chain_of(array, casting("uint8", scalar_map=pairs), LITTLE)
    assert stored(array, chain) == [100, 50, 3, 7]
    assert chain.decode(chain.encode(array)).tolist() == [-np.inf, 50, 3, 7]


def test_large_integers_and_floats(chain_of: ChainOf) -> None:
    array = np.array([2**63 - 1, 2**53 + 1, -(2**63), 5], "i8")
    down = chain_of(array, casting("float64", rounding="towards-negative"), LITTLE)
    assert stored(array, down) == [2.0**63 - 1024, 2.0**53, -(2.0**63), 5]
    up = chain_of(array, casting("float64"), LITTLE)
    with pytest.raises(CodecError, match=r"fit into int64 .*found 9\.22337\d+e\+18"):
        up.decode(up.encode(array))


@pytest.mark.parametrize("beyond", [None, "clamp", "wrap"])
def test_out_of_range(beyond: str | None, chain_of: ChainOf) -> None:
    array = np.array([300, -1, 256], "i4")
    chain = chain_of(array, casting("uint8", **({} if beyond is None else {"out_of_range": beyond})), LITTLE)
    if beyond is None:
        with pytest.raises(CodecError, match=r"numbers that fit into uint8 \(0 to 255\), found 300"):
            chain.encode(array)
    else:
        assert stored(array, chain) == ([255, 0, 255] if beyond == "clamp" else [44, 255, 0])


def test_small_types(chain_of: ChainOf) -> None:
    array = np.array([1.3, -2.6, 5.5], "f4")
    chain = chain_of(array, casting("float4_e2m1fn"), "bytes")
    assert chain.decode(chain.encode(array)).tolist() == [1.5, -3.0, 6.0]
    chain = chain_of(array, casting("int4"), "packbits")
    assert chain.encoded_size == 2
    assert chain.decode(chain.encode(array)).tolist() == [1.0, -3.0, 6.0]
    array = np.array([1.5, 2.5], ml_dtypes.bfloat16)
    chain = chain_of(array, casting("float64"), LITTLE, fill_value=None)
    assert stored(array, chain) == [1.5, 2.5]


def test_dates(chain_of: ChainOf) -> None:
    array = np.array(["2000-01-01", "NaT"], "M8[D]")
    nat = {"encode": [["NaT", -1]], "decode": [[-1, "NaT"]]}
    chain = chain_of(array, casting("int32", scalar_map=nat), LITTLE, fill_value=array[1])
    assert stored(array, chain) == [10957, -1]
    assert chain.serialized.fill_value == -1
    assert chain.decode(chain.encode(array)).astype(str).tolist() == ["2000-01-01", "NaT"]
    chain = chain_of(array, casting("float64"), LITTLE, fill_value=None)
    assert chain.decode(chain.encode(array)).astype(str).tolist() == ["2000-01-01", "NaT"]
    with pytest.raises(CodecError, match="found NaT"):
        chain_of(array, casting("int32"), LITTLE, fill_value=None).encode(array)
    numbers = np.array([5, -(2**63)])
    unit = {"name": "numpy.timedelta64", "configuration": {"unit": "s", "scale_factor": 1}}
    with pytest.raises(CodecError, match="which is NaT"):
        chain_of(numbers, casting(unit), LITTLE).encode(numbers)


@pytest.mark.parametrize(
    ("configuration", "problems"),
    [
        ({"data_type": "string"}, ["configuration.data_type: expected a type of real numbers"]),
        ({"data_type": "complex64"}, ["configuration.data_type: expected a type of real numbers"]),
        ({"data_type": "no-such-type"}, ["configuration.data_type: "]),
        ({}, ["configuration.data_type: required"]),
        (
            {"data_type": "float32", "out_of_range": "wrap", "rounding": "up"},
            ["configuration.rounding: ", "configuration.out_of_range: expected an integer data type"],
        ),
        (
            {
                "data_type": "uint8",
                "scalar_map": {"encode": [[1, 256], [1]], "decode": [["NaN", 0]], "x": []},
            },
            [
                "configuration.scalar_map.x: ",
                "configuration.scalar_map.encode[1]: ",
                "configuration.scalar_map.encode[0][1]: expected an integer from 0 to 255",
                "configuration.scalar_map.decode[0][0]: ",
            ],
        ),
    ],
)
def test_faults(configuration: Any, problems: list[str], problems_of: Callable[..., list[str]]) -> None:
    found = problems_of(np.zeros(3), Extension("cast_value", configuration), LITTLE)
    assert [text.startswith(f"codecs[0].{start}") for text, start in zip(found, problems, strict=True)] == [
        True
    ] * len(problems), found


def test_what_does_not_fit_the_array(chain_of: ChainOf, problems_of: Callable[..., list[str]]) -> None:
    (found,) = problems_of(np.zeros(3, "?"), casting("uint8"), LITTLE)
    assert "expected a data type of real numbers, found bool" in found
    (found,) = problems_of(np.zeros(3, "i2"), casting("uint8", scalar_map={"encode": [["NaN", 1]]}), LITTLE)
    assert "scalar_map.encode[0][0]: expected an integer" in found
    with pytest.raises(omnizarr.errors.MetadataError, match=r"the fill value -1\.0 cannot be stored"):
        chain_of(np.zeros(3), casting("uint8"), LITTLE, fill_value=np.float64(-1))


def test_an_earlier_spelling_of_errors(chain_of: ChainOf) -> None:
    chain = chain_of(np.zeros(3), casting("uint8", out_of_range="error"), LITTLE)
    assert chain.extensions[0].configuration == {"data_type": "uint8", "rounding": "nearest-even"}


def test_shards_of_cast_values() -> None:
    """Empty inner chunks are found by the fill value as it is stored; parts are read through the cast."""
    sharding = {
        "chunk_shape": [4],
        "codecs": ["bytes"],
        "index_codecs": [LITTLE.to_json(), {"name": "crc32c"}],
    }
    nan = {"encode": [["NaN", 255]], "decode": [[255, "NaN"]]}
    store = omnizarr.store.MemoryStore()
    array = omnizarr.create_array(
        store,
        shape=16,
        chunks=16,
        dtype="f4",
        filters=[casting("uint8", scalar_map=nan).to_json()],
        serializer={"name": "sharding_indexed", "configuration": sharding},
        compressors=None,
        fill_value=np.nan,
    )
    array[5:7] = [3, 4.4]
    assert len(store.get("c/0") or b"") == 4 + 4 * 16 + 4
    np.testing.assert_array_equal(omnizarr.open_array(store)[4:9], [np.nan, 3, 4, np.nan, np.nan])
    array[5:7] = np.nan
    assert store.get("c/0") is None


def test_cast_is_the_codecs(chain_of: ChainOf) -> None:
    array = np.random.default_rng(0).normal(size=100) * 1e3
    for rounding in ("towards-positive", "nearest-away"):
        chain = chain_of(array, casting("float32", rounding=rounding), LITTLE)
        assert bytes(chain.encode(array)) == cast(array, np.dtype("f4"), Manner(rounding)).tobytes()
