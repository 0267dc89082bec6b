"""Quantization, bit for bit as netCDF-C and netCDF4-python do it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from omnizarr.netcdf.model.nodes import AttributeModel
from omnizarr.netcdf.model.types import CHAR, DOUBLE, FLOAT, INT
from omnizarr.netcdf.values.quantize import Quantization, quantization_of, rounded_to_digit

BOUNDED = settings(max_examples=25, deadline=None, database=None)
MODES = ("BitGroom", "GranularBitRound", "BitRound")
CASES = [
    (mode, digits, code)
    for mode, code, some in (
        ("BitGroom", "f4", (1, 3, 6)),
        ("BitGroom", "f8", (1, 7, 15)),
        ("GranularBitRound", "f4", (1, 2, 3, 4, 5, 6)),
        ("GranularBitRound", "f8", (1, 4, 11, 15)),
        ("BitRound", "f4", (1, 9, 22, 23)),
        ("BitRound", "f8", (1, 30, 51, 52)),
    )
    for digits in some
]


def by_netcdf(values: np.ndarray[Any, Any], mode: str, digits: int, fill: Any = None) -> Any:
    code = values.dtype.str[1:]
    with netCDF4.Dataset("quantized.nc", "w", diskless=True, persist=False) as dataset:
        dataset.createDimension("x", values.size)
        variable = dataset.createVariable(
            "v", code, ("x",), significant_digits=digits, quantize_mode=mode, fill_value=fill
        )
        variable.set_auto_maskandscale(False)
        variable[:] = values
        return variable[:]


def assert_same_bits(ours: np.ndarray[Any, Any], theirs: np.ndarray[Any, Any]) -> None:
    size = ours.dtype.itemsize
    assert ours.dtype == theirs.dtype
    assert ours.view(f"u{size}").tolist() == theirs.view(f"u{size}").tolist()


@pytest.mark.parametrize(("mode", "digits", "code"), CASES)
def test_as_netcdf_c(mode: str, digits: int, code: str) -> None:
    powers = np.concatenate([10.0 ** np.arange(-44, 39), 2.0 ** np.arange(-148, 127), np.arange(-30, 30)])
    noise = np.random.default_rng(1).uniform(-1, 1, 4000) * 10.0 ** np.arange(-20, 20).repeat(100)
    nearly = np.nextafter(10.0 ** np.arange(-30, 30), 0)
    values = np.concatenate([powers, -powers, noise, nearly]).astype(code)
    assert_same_bits(Quantization(mode, digits).apply(values), by_netcdf(values, mode, digits))


@given(
    data=st.data(),
    mode=st.sampled_from(MODES),
    code=st.sampled_from(("f4", "f8")),
    digits=st.integers(1, 6),
)
@BOUNDED
def test_any_bits(data: st.DataObject, mode: str, code: str, digits: int) -> None:
    values = data.draw(arrays(f"u{code[1]}", st.integers(1, 60))).view(code)
    values = values[~np.isinf(values)]
    fill = data.draw(st.one_of(st.none(), st.sampled_from(values.tolist() or [1.0])))
    if fill is not None and np.isnan(fill):
        fill = None
    ours = Quantization(mode, digits).apply(values, fill)
    assert_same_bits(ours, by_netcdf(values, mode, digits, fill))


@pytest.mark.parametrize("mode", MODES)
def test_infinity_zero_and_nan_stay(mode: str) -> None:
    values = np.array([np.inf, -np.inf, 0.0, -0.0, np.nan, 9.96921e36], "f4")
    assert_same_bits(Quantization(mode, 2).apply(values), values)
    assert_same_bits(Quantization(mode, 2).apply(values[::-1]), values[::-1].copy())


def test_fill_value_stays() -> None:
    values = np.array([1.2345, -999.9, 1.2345])
    found = Quantization("BitRound", 3).apply(values, -999.9)
    assert found.tolist() == [1.25, -999.9, 1.25]


def test_shape_byte_order_and_the_array_itself_stay() -> None:
    values = np.full((2, 3), 1.2345, ">f8")[:, ::-1]
    found = Quantization("BitRound", 3).apply(values)
    assert (found.shape, found.dtype) == ((2, 3), np.dtype(">f8"))
    assert found.tolist() == [[1.25] * 3] * 2
    assert values[0, 0] == 1.2345
    assert Quantization("BitGroom", 3).apply(np.array(1.2345, "f4")).shape == ()
    assert Quantization("GranularBitRound", 3).apply(np.empty((0, 2), "f4")).shape == (0, 2)


@pytest.mark.parametrize(
    ("mode", "digits", "kind"),
    [
        ("BitGroom", 7, FLOAT),
        ("BitGroom", 16, DOUBLE),
        ("GranularBitRound", 0, FLOAT),
        ("BitRound", 24, FLOAT),
        ("BitRound", 53, DOUBLE),
        ("BitRound", 3, INT),
        ("BitRound", 3, CHAR),
    ],
)
def test_refused(mode: str, digits: int, kind: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        Quantization(mode, digits).check(kind)
    with pytest.raises(RuntimeError), netCDF4.Dataset("q.nc", "w", diskless=True) as dataset:
        dataset.createDimension("x", 2)
        dataset.createVariable("v", kind.code, ("x",), significant_digits=digits, quantize_mode=mode)


def test_refused_mode_and_values() -> None:
    with pytest.raises(ValueError, match="'BitGroom', 'GranularBitRound', 'BitRound', found 'Round'"):
        Quantization("Round", 3)
    with pytest.raises(ValueError, match="int64"):
        Quantization("BitRound", 3).apply(np.arange(3, dtype="i8"))
    with pytest.raises(ValueError, match="float16"):
        Quantization("BitRound", 3).apply(np.zeros(3, "f2"))


@pytest.mark.parametrize("mode", MODES)
def test_attribute(mode: str, tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "q.nc", "w") as dataset:
        dataset.createVariable("v", "f4", significant_digits=3, quantize_mode=mode)
    with netCDF4.Dataset(tmp_path / "q.nc") as dataset:
        [name] = dataset["v"].ncattrs()
        assert Quantization(mode, 3).attribute() == AttributeModel(name, INT, (3,))
        assert dataset["v"].getncattr(name).dtype == "i4"
    other = AttributeModel("units", CHAR, "K")
    assert quantization_of([other, Quantization(mode, 3).attribute()]) == Quantization(mode, 3)
    assert quantization_of([other]) is None
    for values in ((0,), (), (1, 2), ("three",), (99,)):
        assert quantization_of([AttributeModel(name, INT, values)]) is None


@given(
    values=arrays("f8", st.integers(0, 20), elements=st.floats(-1e9, 1e9)),
    digit=st.one_of(st.integers(-4, 9), st.sampled_from((0.5, -1.5))),
    code=st.sampled_from(("f4", "f8", "i4")),
)
@BOUNDED
def test_least_significant_digit(values: np.ndarray[Any, Any], digit: float, code: str) -> None:
    values = values.astype(code)
    expected = netCDF4.utils._quantize(values, digit)
    found = rounded_to_digit(values, digit)
    assert found.dtype == values.dtype
    assert found.tolist() == expected.astype(code).tolist()


def test_least_significant_digit_of_odd_values() -> None:
    values = np.ma.masked_array([1.26, 1e308, np.inf, 7.0], [0, 0, 0, 1], fill_value=-1.5)
    found = rounded_to_digit(values, 1)
    assert found.tolist() == [1.25, 1e308, np.inf, None]
    assert found.fill_value == -1.5
    large = np.array([2**63 - 1, -(2**63)])
    assert rounded_to_digit(large, 3).tolist() == large.tolist()
