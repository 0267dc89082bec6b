"""What we write, libnetcdf reads to the last attribute type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from netcdf_peer import assert_same, peer_describes, url_of, we_describe

from omnizarr import netcdf

NUMBERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")
COMPRESSIONS = ("zlib", "zstd", "bzip2", "blosc_lz", "blosc_lz4", "blosc_lz4hc", "blosc_zlib", "blosc_zstd")


def _extremes(code: str) -> np.ndarray:
    dtype = np.dtype(code)
    if dtype.kind == "f":
        return np.array([np.nan, np.inf, -np.inf, np.finfo(dtype).max, -0.0, 0.1], dtype)
    limits = np.iinfo(dtype)
    return np.array([limits.min, limits.max, 0, 1, limits.max - 1, limits.min], dtype)


def every_type(dataset: netcdf.Dataset) -> None:
    dataset.createDimension("x", 6)
    for code in NUMBERS:
        dataset.createVariable(f"v_{code}", code, ("x",))[:] = _extremes(code)
        dataset.createVariable(f"unwritten_{code}", code, ("x",))
        dataset.createVariable(f"scalar_{code}", code)[...] = _extremes(code)[1]
    dataset.createVariable("c", "S1", ("x",))[:] = np.array(list("ab\0 d~"), "S1")
    dataset.createVariable("s", str, ("x",))[:] = np.array(["", "a", "ä€😀", "x" * 200, " pad ", "e"], object)
    dataset.createVariable("s0", str)[...] = "scalar ä"
    dataset.createVariable("c0", "S1")[...] = b"q"
    dataset.createVariable("no_text", str, ("x",))


def attributes(dataset: netcdf.Dataset) -> None:
    for code in NUMBERS:
        setattr(dataset, f"one_{code}", _extremes(code)[1])
        setattr(dataset, f"many_{code}", _extremes(code))
        setattr(dataset, f"none_{code}", np.zeros(0, code))
    texts = {
        "plain": "text",
        "empty": "",
        "number": "123",
        "true": "true",
        "null": "null",
        "quoted": '"q"',
        "json": '{"a": 1, "b": [1,2]}',
        "json_spaced": '{ "a":1 }',
        "json_list": '["a","b"]',
        "broken": '{"a": ',
        "unit": "[degrees]",
        "lines": "a\nb\tc\\d/e",
        "nan": "NaN",
    }
    for name, text in texts.items():
        setattr(dataset, f"char_{name}", text)
        dataset.setncattr_string(f"string_{name}", text)
    dataset.unicode = "ä€😀"
    dataset.setncattr_string("strings", ["a", "", "ä", "{}", "5"])
    dataset.setncattr_string("none_string", [])
    dataset.createDimension("x", 1)
    dataset.createVariable("v", "f4", ("x",)).units = "m s-1"


def groups_and_dimensions(dataset: netcdf.Dataset) -> None:
    dataset.createDimension("x", 3)
    dataset.createDimension("t", None)
    dataset.createDimension("unused", None)
    inner = dataset.createGroup("a/b")
    inner.createDimension("x", 2)
    inner.createDimension("y", 4)
    inner.createVariable("v", "i4", ("t", "x", "y"))[2] = 7
    dataset["a"].createVariable("w", "f8", ("t", "x"))[1:5:2] = 1.5
    dataset.createVariable("t", "i8", ("t",))[:] = [10, 20]
    dataset.createVariable("twice", "i2", ("x", "x"))[:] = np.arange(9).reshape(3, 3)
    dataset.createGroup("empty").title = "nothing here"


def fills(dataset: netcdf.Dataset) -> None:
    dataset.createDimension("x", 5)
    for code in NUMBERS:
        value = np.array(3, code)[()]
        dataset.createVariable(f"fill_{code}", code, ("x",), fill_value=value, chunksizes=(2,))[4] = 1
        dataset.createVariable(f"off_{code}", code, ("x",), fill_value=False)[:] = 2
    dataset.createVariable("nan", "f8", ("x",), fill_value=np.nan)[0] = 1
    dataset.createVariable("inf", "f4", ("x",), fill_value=-np.inf)
    dataset.createVariable("tenth", "f4", ("x",), fill_value=0.1)
    dataset.createVariable("char", "S1", ("x",), fill_value="q")
    dataset.createVariable("text", str, ("x",), fill_value="none")


def endianness(dataset: netcdf.Dataset) -> None:
    dataset.createDimension("x", 6)
    for code in NUMBERS[2:]:
        for endian in ("little", "big"):
            variable = dataset.createVariable(f"{endian}_{code}", code, ("x",), endian=endian, zlib=True)
            variable[:] = _extremes(code)
    dataset.createVariable("named", ">i4", ("x",))[:] = range(6)
    # What libnetcdf shows with its bytes swapped where the chunk is absent.
    dataset.createVariable("filled", ">i2", ("x",), fill_value=np.int16(3))[:] = 3


def filters(dataset: netcdf.Dataset) -> None:
    dataset.createDimension("y", 30)
    dataset.createDimension("x", 41)
    values = np.add.outer(np.arange(30), np.arange(41))
    for compression in COMPRESSIONS:
        for code in ("i1", "i2", "f4", "f8"):
            for checked in (False, True):
                name = f"{compression}_{code}_{checked}"
                variable = dataset.createVariable(
                    name, code, ("y", "x"), compression, complevel=3, fletcher32=checked, chunksizes=(7, 16)
                )
                variable[:] = values
    dataset.createVariable("bits", "i4", ("y", "x"), "blosc_lz4", blosc_shuffle=2)[:] = values
    dataset.createVariable("unshuffled", "i4", ("y", "x"), "zlib", shuffle=False)[:] = values
    dataset.createVariable("level0", "i4", ("y", "x"), "zlib", complevel=0)[:] = values
    dataset.createVariable("checked", "i4", ("y", "x"), fletcher32=True)[:] = values
    dataset.createVariable("text", str, ("x",), zlib=True)[:] = np.array([f"n{i}" for i in range(41)], object)
    dataset.createVariable("chars", "S1", ("x",), zlib=True)[:] = b"c"


@pytest.mark.parametrize(
    "make",
    [every_type, attributes, groups_and_dimensions, fills, endianness, filters],
    ids=lambda f: f.__name__,
)
def test_libnetcdf_reads_it_in_full(make: Callable[[netcdf.Dataset], None], tmp_path: Path) -> None:
    place = tmp_path / "made.zarr"
    with netcdf.Dataset(place, "w") as dataset:
        make(dataset)
    with netcdf.Dataset(place) as dataset:
        ours = we_describe(dataset)
    assert_same(ours, peer_describes(url_of(place), tmp_path))


def test_names_of_all_kinds(tmp_path: Path) -> None:
    place = tmp_path / "made.zarr"
    names = ["ä", "with space", "dot.ted", "1digit", "a-b+c@d", "x" * 200]
    with netcdf.Dataset(place, "w") as dataset:
        for name in names:
            dataset.createDimension(name, 2)
            dataset.createVariable(name, "i1", (name,))[:] = 1
            dataset.setncattr(name, "text")
            dataset.createGroup(f"g {name}")
    with netcdf.Dataset(place) as dataset:
        assert list(dataset.variables) == names
        assert_same(we_describe(dataset), peer_describes(url_of(place), tmp_path))
