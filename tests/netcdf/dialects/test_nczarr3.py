"""NCZarr on Zarr v3: written, read again, and read by zarr-python and xarray."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
import zarr
from netcdf_peer import assert_same, we_describe

from omnizarr import netcdf, open_group
from omnizarr.store import FaultStore, MemoryStore

NUMBERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")


def everything(dataset: netcdf.Dataset) -> None:
    """Make a dataset of every atomic type, filter, dimension and attribute."""
    dataset.createDimension("x", 4)
    dataset.createDimension("t", None)
    inner = dataset.createGroup("a/b")
    inner.createDimension("x", 2)
    for code in NUMBERS:
        value = np.array(3, code)[()]
        dataset.setncattr(f"one_{code}", value)
        dataset.setncattr(f"many_{code}", np.arange(3).astype(code))
        dataset.setncattr(f"none_{code}", np.zeros(0, code))
        dataset.createVariable(f"v_{code}", code, ("t", "x"), zlib=True)[:2] = np.arange(8).reshape(2, 4)
        dataset.createVariable(f"s_{code}", code)[...] = 5
        dataset.createVariable(f"unwritten_{code}", code, ("x",))
        dataset.createVariable(f"fill_{code}", code, ("x",), fill_value=value)[1:2] = 1
        dataset.createVariable(f"off_{code}", code, ("x",), fill_value=False)[:] = 1
        inner.createVariable(f"big_{code}", code, ("t", "x"), endian="big")[1:3] = 7
    dataset.createVariable("c", "S1", ("x",), fill_value="q")[:2] = np.array(list("ab"), "S1")
    dataset.createVariable("c0", "S1")[...] = b"q"
    dataset.createVariable("s", str, ("x",), compression="zstd")[:] = np.array(
        ["", "ä€😀", "x" * 100, "e"], object
    )
    dataset.createVariable("s_fill", str, ("x",), fill_value="none")[0] = "one"
    dataset.createVariable("s0", str)[...] = "scalar"
    for name in ("zlib", "zstd", "bzip2", "blosc_lz", "blosc_lz4", "blosc_lz4hc", "blosc_zlib", "blosc_zstd"):
        made = dataset.createVariable(name, "i4", ("t", "x"), name, fletcher32=True, chunksizes=(2, 3))
        made[:] = np.arange(20).reshape(5, 4)
    for name, text in (
        ("text", "text"),
        ("json", '{"a": 1}'),
        ("array", "[1,2]"),
        ("empty", ""),
        ("number", "5"),
    ):
        dataset.setncattr(name, text)
    dataset.setncattr_string("strings", ["a", "ä", ""])
    dataset.floats = np.array([1.5, np.nan, np.inf, -np.inf])


@pytest.fixture
def store() -> MemoryStore:
    made = MemoryStore()
    with netcdf.Dataset(made, "w", zarr_format=3) as dataset:
        everything(dataset)
    return made


def document(store: MemoryStore, key: str) -> Any:
    value = store.get(key)
    assert value is not None, key
    return json.loads(value)


def test_it_is_read_as_it_was_written(store: MemoryStore) -> None:
    on_v2 = MemoryStore()
    with netcdf.Dataset(on_v2, "w") as dataset:
        everything(dataset)
    ours = netcdf.Dataset(store)
    assert ours.disk_format == "NCZARR" and ours.as_dataset().faults == ()
    assert_same(we_describe(ours), we_describe(netcdf.Dataset(on_v2)))


def test_the_documents_are_those_of_appendix_e(store: MemoryStore) -> None:
    root = document(store, "zarr.json")["attributes"]
    assert root["_nczarr_superblock"] == {"version": "3.0.0", "format": 3}
    group = root["_nczarr_group"]
    assert group["dimensions"] == [
        {"name": "x", "size": 4, "unlimited": 0},
        {"name": "t", "size": 5, "unlimited": 1},
    ]
    assert group["subgroups"] == ["a"] and "v_i1" in group["arrays"]
    entries = root["_nczarr_attrs"]["attribute_types"]
    types = {entry["name"]: entry["configuration"]["type"] for entry in entries}
    assert types.keys() == root.keys()
    assert {name: types[name] for name in ("one_f4", "text", "json", "array", "strings")} == {
        "one_f4": "float32",
        "text": "char",
        "json": "json",
        "array": "json",
        "strings": "string",
    }
    assert all(types[name] == "json" for name in root if name.startswith("_nczarr"))
    scalar = document(store, "s_f8/zarr.json")
    assert scalar["shape"] == [] and scalar["attributes"]["_nczarr_array"] == {"dimension_references": []}
    text = document(store, "s/zarr.json")
    assert text["data_type"] == "r1024" and text["attributes"]["_nczarr_array"]["type_alias"] == "string"
    assert document(store, "c/zarr.json")["data_type"] == "uint8"
    assert document(store, "a/b/big_i2/zarr.json")["dimension_names"] == ["t", "x"]
    codecs = document(store, "v_i2/zarr.json")["codecs"]
    assert codecs[1] == {"name": "numcodecs.shuffle", "configuration": {"elementsize": 2}}
    assert [codec["name"] for codec in document(store, "blosc_lz/zarr.json")["codecs"]] == [
        "bytes",
        "blosc",
        "numcodecs.fletcher32",
    ]


@pytest.mark.filterwarnings("ignore::zarr.errors.ZarrUserWarning")
def test_zarr_python_reads_the_numbers(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path / "d", "w", zarr_format=3) as dataset:
        everything(dataset)
    ours = netcdf.Dataset(tmp_path / "d")
    ours.set_auto_maskandscale(False)
    theirs = zarr.open_group(tmp_path / "d", mode="r")
    compared = 0
    for group in ("/", "/a/b"):
        for name, variable in ours[group].variables.items():
            if variable.dtype is not str and variable.dtype != "S1":
                found = theirs[f"{group}/{name}"]
                assert np.array_equal(found[...], variable[...]), name
                assert found.metadata.dimension_names == variable.dimensions
                compared += 1
    assert compared == 68


@pytest.mark.filterwarnings("ignore::zarr.errors.ZarrUserWarning")
def test_xarray_reads_it(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path / "d", "w", zarr_format=3) as dataset:
        dataset.createDimension("time", None)
        dataset.createDimension("x", 3)
        heat = dataset.createVariable("heat", "f4", ("time", "x"), zlib=True, fill_value=-9.5)
        heat[:] = np.ma.masked_equal([[1, 2, 3], [4, 5, 0]], 0)
        time = dataset.createVariable("time", "i4", ("time",))
        time.units = "days since 2000-01-01"
        time[:] = [0, 1]
    assert netcdf.Dataset(tmp_path / "d")["heat"].get_fill_value() == -9.5
    with xr.open_zarr(tmp_path / "d", consolidated=False) as found:
        assert found.sizes == {"time": 2, "x": 3}
        assert np.array_equal(found.heat.values, [[1, 2, 3], [4, 5, np.nan]], equal_nan=True)
        assert found.time.values.tolist() == np.array(["2000-01-01", "2000-01-02"], "M8[ns]").tolist()


def test_it_is_changed_in_place(store: MemoryStore) -> None:
    with netcdf.Dataset(store, "a") as dataset:
        dataset["c"].units = "letters"
        dataset["c"][2:] = np.array(list("yz"), "S1")
        dataset["v_i4"][4:7] = 9
        dataset["s"][1] = "changed"
        dataset.title = "changed"
    dataset = netcdf.Dataset(store)
    assert dataset["c"][:].tolist() == [b"a", b"b", b"y", b"z"] and dataset["c"].units == "letters"
    assert len(dataset.dimensions["t"]) == 7 and dataset["v_i4"][6].tolist() == [9] * 4
    assert dataset["s"][1] == "changed" and dataset.title == "changed"
    assert document(store, "c/zarr.json")["data_type"] == "uint8"


class Died(Exception):
    """The writer is gone."""


def test_growth_can_be_interrupted_anywhere() -> None:
    def make(store: Any) -> None:
        with netcdf.Dataset(store, "w", zarr_format=3) as dataset:
            dataset.createDimension("t", None)
            dataset.createVariable("a", "i4", ("t",))[:] = [1, 2]
            dataset.createVariable("/g/b", "f8", ("t",))[:] = [3, 4]

    for left in range(20):
        inner, writes = MemoryStore(), left

        def die(operation: str, key: str) -> None:
            nonlocal writes
            if operation in ("set", "set_if_absent", "update"):
                writes -= 1
                if writes < 0:
                    raise Died

        make(inner)
        dataset = netcdf.Dataset(FaultStore(inner, die), "r+")
        try:
            dataset["a"][2:5] = 7
            dataset.close()
        except Died:
            dataset._session.is_open = False
        found = netcdf.Dataset(inner)
        assert found["a"][:2].tolist() == [1, 2] and found["g/b"][:2].tolist() == [3, 4]
        assert len(found["a"]) == len(found["g/b"]) == len(found.dimensions["t"])
        assert len(found["a"]) in (2, 5) and found.as_dataset().faults == ()
        if writes >= 0:
            assert len(found["a"]) == 5
            return
    raise AssertionError("growing took more than 20 writes")


def spelled(types: Any, key: str = "_nczarr_attrs", **of_array: Any) -> MemoryStore:
    store = MemoryStore()
    with netcdf.Dataset(store, "w", zarr_format=3) as dataset:
        dataset.createDimension("x", 2)
        dataset.createVariable("v", "u1", ("x",))[:] = [65, 66]
    root = document(store, "zarr.json")
    root["attributes"]["a"] = 5
    del root["attributes"]["_nczarr_attrs"]
    root["attributes"][key] = types
    store.set("zarr.json", json.dumps(root).encode())
    array = document(store, "v/zarr.json")
    array["attributes"]["_nczarr_array"] |= of_array
    store.set("v/zarr.json", json.dumps(array).encode())
    return store


@pytest.mark.parametrize("key", ["_nczarr_attrs", "_nczarr_attrs_", "_nczarr_attr"])
@pytest.mark.parametrize(
    "types",
    [
        {"attribute_types": [{"name": "a", "configuration": {"type": "int16"}}]},
        {"attribute_types": [{"name": "a", "type": "int16"}, {"nameless": 1}, 5]},
        {"attribute_types": {"a": "int16"}},
        {"types": {"a": "<i2"}},
    ],
)
def test_every_spelling_of_types_is_read(key: str, types: Any) -> None:
    dataset = netcdf.Dataset(spelled(types, key))
    assert dataset.ncattrs() == ["a"] and dataset.a.dtype == "i2" and dataset.a == 5


@pytest.mark.parametrize("alias", ["type_alias", "nczarr_type"])
def test_every_spelling_of_an_alias_is_read(alias: str) -> None:
    dataset = netcdf.Dataset(spelled({}, **{alias: "char"}))
    assert dataset["v"][:].tolist() == [b"A", b"B"]
    dataset = netcdf.Dataset(spelled({}, **{alias: "json"}))
    assert dataset["v"][:].tolist() == [b"A", b"B"]


def test_lists_and_dimensions_as_development_versions_spell_them() -> None:
    store = spelled({})
    root = document(store, "zarr.json")
    root["attributes"]["_nczarr_group"] = {
        "dimensions": {"x": {"size": 2, "unlimited": 1}},
        "arrays": ["v"],
        "groups": [],
    }
    store.set("zarr.json", json.dumps(root).encode())
    dataset = netcdf.Dataset(store)
    assert dataset.dimensions["x"].isunlimited() and dataset["v"].dimensions == ("x",)


@pytest.mark.parametrize("data_type", ["string", "null_terminated_bytes", "fixed_length_utf32"])
def test_strings_in_the_types_that_zarr_has_for_them(data_type: str, tmp_path: Path) -> None:
    dtype: Any = {"string": "string", "null_terminated_bytes": "S5", "fixed_length_utf32": "U5"}[data_type]
    with netcdf.Dataset(tmp_path, "w", zarr_format=3) as dataset:
        dataset.createDimension("x", 2)
        dataset.createVariable("v", str, ("x",))
    group = open_group(tmp_path, mode="r+")
    attributes = dict(group["v"].attrs)
    made = group.create_array("v", shape=(2,), dtype=dtype, attributes=attributes, overwrite=True)
    made[:] = np.array(["ab", "c"], object if data_type == "string" else dtype)
    assert netcdf.Dataset(tmp_path)["v"][:].tolist() == ["ab", "c"]
