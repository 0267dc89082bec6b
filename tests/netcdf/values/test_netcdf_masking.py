"""Masking and scaling: the same as netCDF4-python's on the same attributes and values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest

from omnizarr import netcdf

CASES: dict[str, tuple[str, dict[str, Any], Any]] = {
    "default fill": ("i2", {}, [1, -32767, 3]),
    "default fill of bytes": ("i1", {}, [1, -127, 3]),
    "default fill of floats": ("f4", {}, [1, 9.969209968386869e36, 3]),
    "fill value": ("i4", {"_FillValue": -1}, [1, -1, -2147483647]),
    "nan": ("f8", {"_FillValue": np.nan}, [1, np.nan, 3]),
    "missing value": ("i2", {"missing_value": np.int16(7)}, [7, 8, 9]),
    "missing values": ("i2", {"missing_value": np.array([7, 8], "i2")}, [7, 8, 9]),
    "both": ("f4", {"_FillValue": 1.0, "missing_value": np.float32(2)}, [1, 2, 3]),
    "range": ("f4", {"valid_range": np.array([0, 10], "f4")}, [-1, 5, 11]),
    "minimum": ("i2", {"valid_min": np.int16(0)}, [-1, 0, 1]),
    "maximum": ("i2", {"valid_max": np.int16(5)}, [4, 5, 6]),
    "packed": ("i2", {"scale_factor": 0.5, "add_offset": 10.0}, [0, 1, -32767]),
    "packed in floats": ("i2", {"scale_factor": np.float32(0.5)}, [0, 1, 2]),
    "offset": ("i1", {"add_offset": 5}, [0, 1, 2]),
    "unsigned": ("i1", {"_Unsigned": "true"}, [-1, 0, 1]),
    "unsigned and packed": ("i2", {"_Unsigned": "true", "scale_factor": 2.0}, [-1, 0, 1]),
    "unsigned fill": ("i1", {"_Unsigned": "true", "_FillValue": np.int8(-1)}, [-1, 0, 1]),
    "unsigned, limited": ("i2", {"_Unsigned": "true", "valid_max": np.int16(2)}, [1, -3, -32767]),
    "no filling": ("i2", {"_FillValue": False}, [1, -32767, 3]),
    "no filling of bytes": ("u1", {"_FillValue": False}, [1, 255, 3]),
    "no filling of floats": ("f8", {"_FillValue": False}, [1, 9.969209968386869e36, 3]),
    "nothing missing": ("f8", {}, [1.0, 2.0, 3.0]),
}


def _made(library: Any, target: Any, case: str, **options: Any) -> Any:
    code, attributes, values = CASES[case]
    dataset = library.Dataset(target, "w", **options)
    dataset.createDimension("x", 3)
    fill = attributes.get("_FillValue")
    variable = dataset.createVariable("v", code, ("x",), fill_value=fill)
    variable.setncatts({name: value for name, value in attributes.items() if name != "_FillValue"})
    variable.set_auto_maskandscale(False)
    variable[:] = np.array(values, code)
    variable.set_auto_maskandscale(True)
    return dataset


def _assert_alike(ours: Any, theirs: Any) -> None:
    assert type(ours) is type(theirs)
    assert np.asarray(ours).dtype == np.asarray(theirs).dtype
    assert np.array_equal(np.ma.getmaskarray(ours), np.ma.getmaskarray(theirs))
    nan = np.asarray(ours).dtype.kind == "f"
    assert np.array_equal(np.ma.filled(ours, 0), np.ma.filled(theirs, 0), equal_nan=nan)


@pytest.mark.parametrize("case", CASES)
def test_reading(case: str, tmp_path: Path) -> None:
    theirs, ours = _made(netCDF4, tmp_path / "theirs.nc", case), _made(netcdf, {}, case)
    _assert_alike(ours["v"][:], theirs["v"][:])
    for switch in ("set_auto_mask", "set_auto_scale", "set_auto_maskandscale", "set_always_mask"):
        for dataset in (ours, theirs):
            dataset.set_auto_maskandscale(True)
            dataset.set_always_mask(True)
            getattr(dataset, switch)(False)
        _assert_alike(ours["v"][:], theirs["v"][:])
    theirs.close()


# netCDF4-python refuses to fill in one of several missing values; we take the first.
@pytest.mark.parametrize("case", [case for case in CASES if case != "missing values"])
def test_writing(case: str, tmp_path: Path) -> None:
    theirs, ours = _made(netCDF4, tmp_path / "theirs.nc", case), _made(netcdf, {}, case)
    stored = []
    for dataset in (ours, theirs):
        dataset["v"][:] = np.ma.masked_array([20, 30, 40], [False, True, False])
        dataset.set_auto_maskandscale(False)
        stored.append(dataset["v"][:])
    _assert_alike(*stored)
    theirs.close()


def test_several_missing_values_stand_for_none() -> None:
    for library, target in ((netcdf, {}), (netCDF4, "unused")):
        options = {"diskless": True} if library is netCDF4 else {}
        variable = _made(library, target, "missing values", **options)["v"]
        with pytest.raises(RuntimeError, match="missing_value"):
            variable[:] = np.ma.masked_array([20, 30, 40], [False, True, False])
        variable[:] = np.ma.masked_array([20, 8, 40], [False, True, False])
        variable.set_auto_mask(False)
        assert variable[:].tolist() == [20, 8, 40]


def test_bytes_shown_without_sign_and_limited() -> None:
    """netCDF4-python fails on them: its fill value of bytes is negative."""
    with netcdf.Dataset({}, "w") as dataset:
        dataset.createDimension("x", 3)
        variable = dataset.createVariable("v", "i1", ("x",))
        variable.setncatts({"_Unsigned": "true", "valid_max": np.int8(2)})
        variable.set_auto_maskandscale(False)
        variable[:] = [1, 2, -3]
        variable.set_auto_maskandscale(True)
        found = variable[:]
    assert found.tolist() == [1, 2, None]
    assert (found.dtype, found.fill_value) == (np.uint8, 129)
