"""The `zfp` codec, and streams that the library itself makes, with a header of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from omnizarr.codecs.chain import Chain
from omnizarr.errors import CodecError
from omnizarr.metadata.extension import Extension
from omnizarr.testing.codec import CodecContract

imagecodecs = pytest.importorskip("imagecodecs", reason="imagecodecs is not installed (extra zfp)")

ChainOf = Callable[..., Chain]
SHAPES = [(5,), (9, 7), (3, 4, 5), (2, 5, 3, 6), ()]


def zfp(mode: str, **parameters: Any) -> Extension:
    return Extension("zfp", {"mode": mode, **parameters})


def waves(shape: tuple[int, ...], dtype: str = "f8") -> np.ndarray[Any, Any]:
    steps = np.random.default_rng(3).normal(size=shape or (1,))
    return (np.cumsum(steps).reshape(shape) * 30 + 400).astype(dtype)


class TestReversible(CodecContract):
    codecs = (zfp("reversible"), Extension("crc32c"))
    dtype = "<f4"
    checksummed = True

    def arrays(self, shape: tuple[int, ...]) -> st.SearchStrategy[np.ndarray[Any, Any]]:
        finite = st.floats(allow_nan=False, allow_infinity=False, width=32)
        return arrays("<f4", shape, elements=finite)

    def test_wrong_amount(self) -> None:
        """A stream does not tell where it ends, but does tell that something is missing."""
        with pytest.raises(CodecError, match="truncated"):
            self.chain((64, 64)).decode(self.chain((4, 4)).encode(self.sample((4, 4))))


class TestRate(CodecContract):
    codecs = (zfp("fixed_rate", rate=32),)
    dtype = "<i4"

    def expected(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        chain = self.chain(array.shape)
        return chain.decode(chain.encode(array)).copy()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"])
def test_reversible_types(shape: tuple[int, ...], dtype: str, chain_of: ChainOf) -> None:
    array = waves(shape, "f8")
    array = (array % 256 - (0 if dtype[0] == "u" else 128)).astype(dtype)
    chain = chain_of(array, zfp("reversible"))
    found = chain.decode(chain.encode(array))
    assert found.dtype == array.dtype
    assert found.tobytes() == array.tobytes()


def test_limits_of_integers(chain_of: ChainOf) -> None:
    for dtype in ("i1", "u1", "i2", "u2", "i4", "i8"):
        limits = np.iinfo(dtype)
        array = np.array([limits.min, limits.max, 0, 1], dtype)
        chain = chain_of(array, zfp("reversible"))
        assert chain.decode(chain.encode(array)).tolist() == array.tolist()
    for dtype, most in (("u4", 2**31), ("u8", 2**63)):
        array = np.array([0, most - 1], dtype)
        chain = chain_of(array, zfp("reversible"))
        assert chain.decode(chain.encode(array)).tolist() == [0, most - 1]
        with pytest.raises(CodecError, match=f"expected {most - 1} at most, found {most}"):
            chain.encode(array + np.array(1, dtype))


def test_small_floats(chain_of: ChainOf) -> None:
    array = waves((6, 6), "f4").astype(ml_dtypes.bfloat16)
    chain = chain_of(array, zfp("reversible"), fill_value=None)
    assert chain.decode(chain.encode(array)).tobytes() == array.tobytes()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("codec", "atol"),
    [
        (zfp("fixed_accuracy", tolerance=0.05), 0.05),
        (zfp("fixed_precision", precision=40), 0.001),
        (zfp("fixed_rate", rate=40.5), 0.01),
        (zfp("expert", minbits=1, maxbits=16658, maxprec=64, minexp=-20), 0.001),
        (zfp("expert", minbits=1, maxbits=16658, maxprec=64, minexp=-1075), 0),
    ],
)
def test_modes(shape: tuple[int, ...], codec: Extension, atol: float, chain_of: ChainOf) -> None:
    array = waves(shape)
    chain = chain_of(array, codec)
    data = bytes(chain.encode(array))
    found = chain.decode(data)
    if codec.configuration["mode"] != "fixed_rate" or shape:
        assert np.abs(found - array).max() <= atol
    assert chain.extensions == (codec,)


@pytest.mark.parametrize(
    ("codec", "mode", "level"),
    [
        (zfp("reversible"), "reversible", None),
        (zfp("fixed_accuracy", tolerance=0.001), "accuracy", 0.001),
        (zfp("fixed_precision", precision=21), "precision", 21),
        (zfp("fixed_rate", rate=7), "rate", 7),
    ],
)
@pytest.mark.parametrize("shape", SHAPES[:-1])
def test_streams_are_the_librarys_after_its_header(
    codec: Extension, mode: str, level: Any, shape: tuple[int, ...], chain_of: ChainOf
) -> None:
    array = waves(shape, "f4")
    chain = chain_of(array, codec)
    whole = int.from_bytes(imagecodecs.zfp_encode(array, level, mode=mode, header=True), "little")
    assert int.from_bytes(chain.encode(array), "little") == whole >> 96
    expected = imagecodecs.zfp_decode(imagecodecs.zfp_encode(array, level, mode=mode))
    assert chain.decode(chain.encode(array)).tobytes() == expected.tobytes()


def test_size_of_streams_of_a_rate(chain_of: ChainOf) -> None:
    array = waves((9, 7), "f4")
    chain = chain_of(array, zfp("fixed_rate", rate=8))
    data = bytes(chain.encode(array))
    assert len(data) == 6 * 16 * 8 // 8
    for wrong in (data[:-8], data + bytes(8)):
        with pytest.raises(CodecError, match=f"expected 96 bytes, found {len(wrong)}"):
            chain.decode(wrong)


@pytest.mark.parametrize(
    ("configuration", "problem"),
    [
        ({}, "configuration.mode: required"),
        ({"mode": "exact"}, "configuration.mode: "),
        ({"mode": "fixed_rate"}, "configuration.rate: required"),
        ({"mode": "fixed_accuracy", "tolerance": -1}, "configuration.tolerance: expected a number of 0"),
        ({"mode": "fixed_precision", "precision": 2.5}, "configuration.precision: "),
        ({"mode": "reversible", "rate": 3}, "configuration.rate: "),
    ],
)
def test_faults(configuration: Any, problem: str, problems_of: Callable[..., list[str]]) -> None:
    (found,) = problems_of(np.zeros((4, 4)), Extension("zfp", configuration))
    assert f"codecs[0].{problem}" in found


def test_what_is_not_for_zfp(problems_of: Callable[..., list[str]]) -> None:
    (found,) = problems_of(np.zeros((2,) * 5), zfp("reversible"))
    assert "expected 4 axes at most, found 5" in found
    (found,) = problems_of(np.zeros(5, "c8"), zfp("reversible"))
    assert "expected integers or floating-point numbers, found complex64" in found
