"""Values in pictures: masked, scaled, converted, told in texts."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import xarray as xr

import omnizarr
from omnizarr.errors import SelectionError
from omnizarr.hierarchy.array import Array
from omnizarr.netcdf import Dataset
from omnizarr.pictures import Picture, cut
from omnizarr.store import MemoryStore


def picture(data: Any, *, zarr_format: int = 3, field: str | None = None, **options: Any) -> Picture:
    array = omnizarr.create_array(MemoryStore(), data=data, zarr_format=zarr_format, **options)
    return cut(array, field=field)


def attributed(data: Any, **attributes: Any) -> Picture:
    return picture(data, dimension_names=["x"], attributes=attributes)


def shown(found: Picture) -> list[Any]:
    values: list[Any] = found.values.tolist()
    return values


def test_limits_and_factors() -> None:
    data = np.array([1, 2, 3, 4, 99, 50], "i2")
    factors = {"scale_factor": 0.5, "add_offset": 1.0}
    found = attributed(data, _FillValue=99, missing_value=[2, 3], valid_max=40, **factors)
    assert shown(found) == [1.5, None, None, 3.0, None, None]
    assert found.values.mask.tolist() == [False, True, True, False, True, True]
    assert shown(attributed(data, valid_range=[2, 60])) == [None, 2, 3, 4, None, 50]
    assert shown(attributed(data, valid_min=3)) == [None, None, 3, 4, 99, 50]


def test_unsigned_integers_stored_with_a_sign() -> None:
    data = np.array([-1, 5, -56], "i1")
    assert shown(attributed(data, _Unsigned="true")) == [255, 5, 200]
    assert shown(attributed(data, _Unsigned="true", valid_range=[0, 220])) == [None, 5, 200]
    assert shown(attributed(data, _Unsigned="true", _FillValue=-1, scale_factor=2)) == [None, 10, 400]


def test_what_netcdf_takes_for_missing_by_default_is_missing_where_netcdf_wrote_it() -> None:
    greatest = np.array([65535, 1], "u2")
    assert shown(attributed(greatest)) == [65535, 1]
    store = MemoryStore()
    with Dataset(store, "w", zarr_format=3, dialect="nczarr") as dataset:
        dataset.createDimension("x", 2)
        variable = dataset.createVariable("v", "u2", ("x",))
        variable[:1] = 1
        expected = variable[:]
    found = cut(omnizarr.open_group(store)["v"])  # type: ignore[arg-type]
    assert shown(found) == expected.tolist() == [1, None]


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_as_xarray_decodes_what_xarray_wrote(zarr_format: int, tmp_path: Any) -> None:
    data = xr.DataArray([[1.5, np.nan, 3.0]], dims=["y", "x"])
    encoding = {
        "a": {"dtype": "i2", "_FillValue": -1, "scale_factor": 0.1, "add_offset": 2.0},
        "b": {"dtype": "f4", "_FillValue": 9.0},
    }
    xr.Dataset({"a": data, "b": data}).to_zarr(
        tmp_path / "x.zarr", zarr_format=zarr_format, encoding=encoding, consolidated=False
    )
    root = omnizarr.open_group(tmp_path / "x.zarr")
    with xr.open_dataset(tmp_path / "x.zarr", engine="zarr", consolidated=False) as decoded:
        for name in ("a", "b"):
            array = root[name]
            assert isinstance(array, Array)
            values = cut(array).values
            assert values.mask.tolist() == [[False, True, False]]
            np.testing.assert_allclose(values.filled(np.nan), decoded[name])


def test_attributes_that_cannot_be_followed_are_told() -> None:
    said = {"missing_value": 1.5, "scale_factor": "x", "valid_max": 70000, "units": "m"}
    found = attributed(np.array([1, 2], "i2"), **said)
    assert shown(found) == [1, 2] and found.units == "m"
    names = "missing_value, valid_max, scale_factor"
    assert found.note == f"{names}: not of the type of the values, and not followed"


def test_a_limit_of_floats_is_rounded_to_their_type() -> None:
    assert shown(attributed(np.array([1e20, 1], "f4"), missing_value=1e20)) == [None, 1]


@pytest.mark.parametrize("kind", ["bfloat16", "float8_e4m3fn", "int4", "uint2"])
def test_small_numbers(kind: str) -> None:
    data = np.array([0, 1, 3], getattr(ml_dtypes, kind))
    found = picture(data)
    assert shown(found) == [0, 1, 3] and found.values.dtype in ("f4", "i1", "u1")


def test_kinds_of_numbers() -> None:
    assert shown(picture(np.array([True, False]))) == [1, 0]
    assert picture(np.array([True])).values.dtype == "u1"
    found = picture(np.array([3 + 4j, 0]))
    assert shown(found) == [5, 0] and found.note == "absolute values of complex numbers"
    swapped = picture(np.array([1, 258], ">i2"), zarr_format=2)
    assert shown(swapped) == [1, 258] and swapped.values.dtype.isnative
    assert picture(np.array([1.5], "f2")).values.dtype == "f4"
    assert np.isnan(picture(np.array([np.nan])).values.data).all()


def test_times_are_numbers_with_units() -> None:
    found = picture(np.array(["2000-01-02", "NaT"], "M8[s]"))
    assert shown(found) == [946771200, None] and found.units == "seconds since 1970-01-01"
    ten = picture(np.array(["1970-01-02", "NaT"], "M8[10s]"))
    assert shown(ten) == [8640, None]


def test_texts() -> None:
    assert shown(picture(np.array(["a", "é" * 300], object))) == ["a", "é" * 199 + "…"]
    assert shown(picture(np.array(["ab", ""], "U2"))) == ["ab", ""]
    assert shown(picture(np.array([b"\xff\x01"], "V2"))) == ["ff 01"]
    assert shown(picture(np.array([b"ab"], "V2"))) == ["ab"]


def test_objects_of_zarr_v2_are_told_in_texts() -> None:
    data = np.empty(2, object)
    data[:] = [np.arange(3), np.arange(0)]
    import numcodecs

    found = picture(data, zarr_format=2, filters=[numcodecs.VLenArray("i4")], chunks=(1,))
    assert shown(found) == ["[0, 1, 2]", "[]"]


def test_records_by_field() -> None:
    data = np.array([(1, 2.5, [1, 2], "ab"), (3, 4.5, [3, 4], "c")], "i4,f8,(2,)i2,U2")
    found = picture(data, zarr_format=2)
    assert shown(found) == [1, 3] and found.note == "field 'f0' of f0, f1, f2, f3"
    assert shown(picture(data, zarr_format=2, field="f1")) == [2.5, 4.5]
    assert picture(data, zarr_format=2, field="f1").note is None
    assert shown(picture(data, zarr_format=2, field="f2")) == ["[1, 2]", "[3, 4]"]
    assert shown(picture(data, zarr_format=2, field="f3")) == ["ab", "c"]
    with pytest.raises(SelectionError, match="field: expected one of 'f0', 'f1', 'f2', 'f3', found 'z'"):
        picture(data, zarr_format=2, field="z")


def test_units_and_names() -> None:
    found = attributed(np.zeros(1), units="K", standard_name="air_temperature")
    assert (found.units, found.long_name) == ("K", "air_temperature")
    assert attributed(np.zeros(1), unit="volts", conversion=1e-6, offset=2.0).units == "1e-06 volts + 2 volts"
    assert attributed(np.zeros(1), unit="volts", conversion=1.0).units == "volts"
    assert attributed(np.zeros(1), units=["not", "a", "text"]).units is None


def test_zeros_that_hdmf_wrote_are_values() -> None:
    # The fill value of zarr-python 2 is zero, and hdmf-zarr names dimensions as xarray does.
    root = omnizarr.create_group(MemoryStore(), zarr_format=2)
    said = {"_ARRAY_DIMENSIONS": ["t"]}
    hdmf = root.create_array("a", data=np.arange(3), fill_value=0, attributes={**said, "zarr_dtype": "int64"})
    xarray = root.create_array("b", data=np.arange(3), fill_value=0, attributes=said)
    assert cut(hdmf).values.tolist() == [0, 1, 2]
    assert cut(xarray).values.tolist() == [None, 1, 2]
