"""xarray's convention, both ways: what xarray writes we read, and what we write xarray opens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
import zarr

from omnizarr import netcdf
from omnizarr.netcdf.model.nodes import AttributeModel

pytestmark = [
    # zarr-python warns of types and codecs that Zarr v3 has not registered.
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.parametrize("zarr_format", [2, 3]),
]


def _theirs() -> xr.Dataset:
    packed = {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -9}
    variables: dict[str, Any] = {
        "i": ("x", np.arange(3, dtype="i4")),
        "wide": ("x", np.array([2**60 + 1, -1, 0])),
        "f": ("x", np.array([1.0, np.nan, 3.0])),
        "unmasked": ("x", np.array([1.0, 2, 3], "f4"), {}, {"_FillValue": None}),
        "packed": (("t", "x"), np.array([[1.0, np.nan, 3.0]] * 2), {"units": "K"}, packed),
        "b": ("x", np.array([True, False, True])),
        "texts": ("x", np.array(["a", "", "ä"], object)),
        "fixed": ("x", np.array(["a", "bc", "ä"])),
        "bytes": ("x", np.array([b"a", b"bc", b"c"])),
        "letters": ("x", np.array([b"a", b"b", b"c"])),
        "time": ("t", np.array(["2000-01-01", "2001-01-01"], "M8[ns]")),
        "delay": ("x", np.array([1, 2, 3], "m8[s]").astype("m8[ns]")),
        "scalar": ((), 5.0),
        "said": ((), 3, {"empty": [], "nan": np.nan, "one": [5], "two": ["a", "b"], "deep": {"a": [1]}}),
    }
    coordinates = {"lon": ("x", [1.0, 2.0, 3.0])}
    return xr.Dataset(variables, coordinates, {"title": "theirs", "empty": [], "flag": True})


def _value(attribute: AttributeModel) -> Any:
    if isinstance(attribute.value, str):
        return attribute.value
    return attribute.value[0] if len(attribute.value) == 1 else list(attribute.value)


def _same(ours: Any, theirs: Any) -> bool:
    """Say whether values are equal, one of them in a list or not: netCDF knows no difference."""
    if isinstance(theirs, dict):
        return bool(json.loads(ours) == theirs)
    one, other = np.atleast_1d(ours), np.atleast_1d(theirs)
    return np.array_equal(one, other, equal_nan=other.dtype.kind == "f")


def _plain(values: Any) -> list[Any]:
    return [v.decode() if isinstance(v, bytes) else v for v in np.asarray(values).ravel().tolist()]


@pytest.mark.parametrize("consolidated", [True, False])
def test_we_read_values_attributes_and_dimensions_as_xarray_wrote_them(
    zarr_format: int, consolidated: bool, tmp_path: Path
) -> None:
    _theirs().to_zarr(tmp_path, zarr_format=zarr_format, consolidated=consolidated)
    raw = xr.open_zarr(tmp_path, consolidated=consolidated, decode_cf=False)
    dataset = netcdf.Dataset(tmp_path, consolidated=consolidated)
    dataset.set_auto_maskandscale(False)
    assert dataset.as_dataset().dialect == "xarray" and dataset.as_dataset().faults == ()
    assert dict(raw.sizes) == {d.name: d.size for d in dataset.dimensions.values()}
    assert set(dataset.variables) == set(raw.variables)
    for name, variable in dataset.variables.items():
        assert variable.dimensions == raw[name].dims, name
        assert repr(_plain(variable[...])) == repr(_plain(raw[name].values.astype("O"))) or np.array_equal(
            np.asarray(variable[...]), raw[name].values
        ), name
        attributes = {a.name: _value(a) for a in variable.as_model().attributes}
        assert set(attributes) == set(raw[name].attrs), name
        assert all(_same(attributes[key], value) for key, value in raw[name].attrs.items()), name
    assert _same(_value(dataset.as_model().attributes[1]), []) and dataset.title == "theirs"


def test_values_are_unpacked_and_masked_as_xarray_does(zarr_format: int, tmp_path: Path) -> None:
    _theirs().to_zarr(tmp_path, zarr_format=zarr_format)
    dataset = netcdf.Dataset(tmp_path)
    assert dataset["packed"][0].tolist() == [1.0, None, 3.0]
    assert dataset["packed"]._FillValue == np.int16(-9) and dataset["packed"]._FillValue.dtype == "i2"
    assert dataset["f"][:].tolist() == [1.0, None, 3.0]
    assert dataset["unmasked"][:].tolist() == [1.0, 2.0, 3.0]
    assert dataset["time"].units == "days since 2000-01-01 00:00:00" and dataset["time"][1] == 366
    assert dataset["letters"].dtype == "S1" and dataset["bytes"].dtype is str


def _write_ours(place: Path, zarr_format: int, **options: Any) -> None:
    with netcdf.Dataset(place, "w", dialect="xarray", zarr_format=zarr_format, **options) as dataset:
        dataset.createDimension("t", None)
        dataset.createDimension("x", 3)
        dataset.title, dataset.nan, dataset.pair = "ours", np.nan, [1, 2]
        dataset.setncattr("empty", [])
        dataset.createVariable("i", "i4", ("x",))[:] = [1, 2, 3]
        dataset.createVariable("big", ">i8", ("x",), zlib=True)[:] = [2**60 + 1, 2, 3]
        dataset.createVariable("f", "f4", ("t", "x"), zlib=True)[:2] = 1.5
        dataset.createVariable("nan", "f8", ("x",), fill_value=np.nan)[:2] = [1, 2]
        dataset.createVariable("part", "f4", ("x",), fill_value=-9)[:2] = [1, 2]
        dataset.createVariable("texts", str, ("x",), compression="zstd")[:] = np.array(["a", "", "ä"], object)
        dataset.createVariable("filled", str, ("x",), fill_value="none")[:2] = np.array(["a", ""], object)
        dataset.createVariable("c", "S1", ("x",))[:] = np.array(list("abc"), "S1")
        dataset.createVariable("q", "S1", ("x",), fill_value="q")[:2] = np.array(list("ab"), "S1")
        dataset.createVariable("twice", "i4", ("x", "x"))[:] = np.arange(9).reshape(3, 3)
        dataset.createVariable("scalar", "f8", ())[...] = 4.5
        time = dataset.createVariable("time", "i4", ("t",))
        time.units = "days since 2000-01-01"
        time[:] = [0, 1]
        packed = dataset.createVariable("packed", "i2", ("x",), fill_value=-9)
        packed.scale_factor = 0.5
        packed[:] = np.ma.masked_equal([1.0, 2.0, -9.0], -9.0)
        inner = dataset.createGroup("g/h")
        inner.createVariable("v", "i8", ("x",))[:] = [1, 2, 3]


@pytest.mark.parametrize("consolidated", [True, False])
def test_xarray_opens_what_we_write(zarr_format: int, consolidated: bool, tmp_path: Path) -> None:
    _write_ours(tmp_path / "d", zarr_format, consolidated=consolidated)
    with xr.open_zarr(tmp_path / "d", consolidated=consolidated) as found:
        assert dict(found.sizes) == {"t": 2, "x": 3}
        assert found.attrs["title"] == "ours" and found.attrs["empty"] == [] and found.attrs["pair"] == [1, 2]
        assert np.isnan(found.attrs["nan"])
        assert found.i.dtype == "i4" and found.i.values.tolist() == [1, 2, 3]
        assert found.big.dtype.kind == "i" and found.big.values.tolist() == [2**60 + 1, 2, 3]
        assert found.f.dtype == "f4" and (found.f.values == 1.5).all()
        assert np.array_equal(found.nan.values, [1, 2, np.nan], equal_nan=True)
        assert np.array_equal(found.part.values, [1, 2, np.nan], equal_nan=True)
        assert found.texts.values.tolist() == ["a", "", "ä"]
        assert [v for v in found.filled.values.tolist() if isinstance(v, str)][:2] == ["a", ""]
        assert found.c.values.tolist() == [b"a", b"b", b"c"]
        assert found.twice.dims == ("x", "x") and found.twice.values.tolist()[2] == [6, 7, 8]
        assert found.scalar.values == 4.5 and found.scalar.dims == ()
        assert found.time.values[1] == np.datetime64("2000-01-02")
        assert np.array_equal(found.packed.values, [1, 2, np.nan], equal_nan=True)


def test_we_read_what_we_write_back(zarr_format: int, tmp_path: Path) -> None:
    _write_ours(tmp_path / "d", zarr_format)
    dataset = netcdf.Dataset(tmp_path / "d")
    assert dataset.as_dataset().dialect == "xarray" and dataset.as_dataset().faults == ()
    assert {v.name: v.as_model().type.name for v in dataset.variables.values()} == {
        **dict.fromkeys(("i", "time", "twice"), "int"),
        **dict.fromkeys(("f", "part"), "float"),
        **dict.fromkeys(("nan", "scalar"), "double"),
        **dict.fromkeys(("texts", "filled"), "string"),
        **dict.fromkeys(("c", "q"), "char"),
        "big": "int64",
        "packed": "short",
    }
    assert dataset["big"].endian() == "big" and dataset["big"].filters()["zlib"]
    assert dataset["nan"][:].tolist() == [1, 2, None] and np.isnan(dataset["nan"]._FillValue)
    assert dataset["part"]._FillValue.dtype == "f4" and dataset["q"]._FillValue == b"q"
    assert dataset["filled"][:].tolist() == ["a", "", "none"] and dataset["filled"]._FillValue == "none"
    assert dataset["g/h/v"][:].tolist() == [1, 2, 3] and dataset["g/h/v"].dimensions == ("x",)
    assert dataset["scalar"].shape == () and dataset["twice"].dimensions == ("x", "x")


def test_groups_are_those_of_a_data_tree(zarr_format: int, tmp_path: Path) -> None:
    inner = xr.Dataset({"v": ("x", [1.0, 2.0]), "w": ("y", [1, 2, 3])}, attrs={"a": "b"})
    tree = xr.DataTree.from_dict({"/": xr.Dataset({"u": ("x", [5.0, 6.0])}), "/g": inner, "/g/h": inner})
    tree.to_zarr(tmp_path / "theirs", zarr_format=zarr_format)
    dataset = netcdf.Dataset(tmp_path / "theirs")
    assert dataset["g/v"].as_model().dimensions == ("/x",)
    assert dataset["g/h/w"].as_model().dimensions == ("/g/y",)
    assert dataset["g"].a == "b" and dataset["g/h/w"][:].tolist() == [1, 2, 3]

    _write_ours(tmp_path / "ours", zarr_format)
    found = xr.open_datatree(tmp_path / "ours", engine="zarr", consolidated=False)
    assert found["g/h/v"].values.tolist() == [1, 2, 3] and set(found.groups) == {"/", "/g", "/g/h"}


def test_consolidated_metadata_are_kept_up_to_date(zarr_format: int, tmp_path: Path) -> None:
    _theirs().to_zarr(tmp_path, zarr_format=zarr_format, consolidated=True)
    with netcdf.Dataset(tmp_path, "a") as dataset:
        dataset["i"].units = "m"
        dataset.createVariable("new", "f8", ("x",))[:] = 1
        dataset.title = "changed"
    with xr.open_zarr(tmp_path, consolidated=True) as found:
        assert found.i.attrs["units"] == "m" and found.new.values.tolist() == [1, 1, 1]
        assert found.attrs["title"] == "changed"


def test_what_is_not_changed_keeps_its_spelling(zarr_format: int, tmp_path: Path) -> None:
    _theirs().to_zarr(tmp_path, zarr_format=zarr_format, consolidated=False)
    root = zarr.open_group(tmp_path, mode="a")
    made = root.create_array("when", shape=(3,), dtype="M8[s]", **_names(zarr_format))
    made.attrs.update(
        {"NAME": "kept", "null": None, **({"_ARRAY_DIMENSIONS": ["x"]} if zarr_format == 2 else {})}
    )
    before = {name: dict(array.attrs) for name, array in root.arrays()}
    with netcdf.Dataset(tmp_path, "a") as dataset:
        assert dataset["when"].units == "seconds since 1970-01-01"
        for variable in dataset.variables.values():
            variable.more = "1"
        dataset.more = "1"
    after = zarr.open_group(tmp_path, mode="r")
    for name, array in after.arrays():
        expected = {**before[name], "more": "1"}
        assert json.dumps(dict(array.attrs), sort_keys=True) == json.dumps(expected, sort_keys=True), name
    assert json.dumps(dict(after.attrs), sort_keys=True) == (
        '{"empty": [], "flag": true, "more": "1", "title": "theirs"}'
    )


def _names(zarr_format: int) -> dict[str, Any]:
    return {"dimension_names": ["x"]} if zarr_format == 3 else {}


def test_xarray_appends_to_what_we_write(zarr_format: int, tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path / "d", "w", dialect="xarray", zarr_format=zarr_format) as dataset:
        dataset.createDimension("t", None)
        dataset.createVariable("v", "f8", ("t",), chunksizes=(2,))[:2] = [1, 2]
    xr.Dataset({"v": ("t", [3.0, 4.0])}).to_zarr(tmp_path / "d", append_dim="t", consolidated=False)
    assert netcdf.Dataset(tmp_path / "d")["v"][:].tolist() == [1, 2, 3, 4]
