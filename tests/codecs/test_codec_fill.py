"""Chunks of nothing but fill value."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from omnizarr.codecs.fill import is_fill

DTYPES = ["?", "u1", ">i2", "<f4", "<f8", "<c16", "S3", "<U2", "<M8[s]", "V3", "V16"]


@pytest.mark.parametrize("dtype", [*DTYPES, [("a", "u1"), ("b", "<f8")], ml_dtypes.bfloat16], ids=str)
@pytest.mark.parametrize("shape", [(), (3,), (20, 30), (4, 5, 50)])
def test_one_other_element(dtype: Any, shape: tuple[int, ...]) -> None:
    array = np.zeros(shape, dtype)
    fill = np.zeros((), dtype)[()]
    assert is_fill(array, fill)
    assert not is_fill(array, None)
    raw = array.reshape(-1).view("u1")
    for place in {0, raw.size // 2, raw.size - 1}:
        raw[place] = 1
        assert not is_fill(array, fill)
        assert not is_fill(array.T, fill)
        raw[place] = 0


@pytest.mark.parametrize(
    ("values", "fill", "expected"),
    [
        ([np.nan, np.nan], np.float64(np.nan), True),
        ([np.nan, 0.0], np.float64(np.nan), False),
        ([-0.0, -0.0], np.float64(0.0), False),
        ([-0.0, -0.0], np.float64(-0.0), True),
        ([complex(np.nan, 1)] * 2, np.complex128(complex(np.nan, 1)), True),
        ([complex(np.nan, 1)] * 2, np.complex128(complex(np.nan, 2)), False),
    ],
)
def test_bits_decide(values: list[Any], fill: Any, expected: bool) -> None:
    assert is_fill(np.array(values), fill) is expected


def test_nan_payloads_differ() -> None:
    other = np.array([0x7FF8000000000001], "u8").view("f8")
    assert not is_fill(other, np.float64(np.nan))
    assert is_fill(other, other[0])


@pytest.mark.parametrize(
    ("items", "fill", "expected"),
    [
        (["", ""], "", True),
        (["", "a"], "", False),
        ([b"", b""], "", False),
        ([None, None], "", False),
        ([0, 0], "", False),
        ([1, True], 1, False),
    ],
)
def test_objects(items: list[Any], fill: Any, expected: bool) -> None:
    assert is_fill(np.array(items, object), fill) is expected


@given(st.data())
@settings(max_examples=40, deadline=None, database=None)
def test_any_view(data: st.DataObject) -> None:
    array = data.draw(
        arrays("i2", array_shapes(max_dims=3, max_side=5), elements=st.integers(0, 1), fill=st.just(0))
    )
    view = data.draw(st.sampled_from([array, array.T, array[::2], array[..., ::-1], array[..., 1:]]))
    assert is_fill(view, np.int16(0)) == (not view.any())
