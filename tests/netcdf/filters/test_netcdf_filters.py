"""Filters in all their forms: HDF5's, numcodecs', Zarr v3's, and CDL's texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numcodecs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from netcdf_peer import run_peer, url_of

from omnizarr.codecs.registry import codec_class
from omnizarr.errors import ConversionError
from omnizarr.netcdf.filters.forms import from_codec, from_hdf5, read_filter, to_codec, to_hdf5
from omnizarr.netcdf.filters.known import (
    BLOSC_COMPRESSORS,
    Blosc,
    Bzip2,
    Filter,
    Fletcher32,
    OtherFilter,
    Shuffle,
    Szip,
    Zlib,
    Zstd,
)
from omnizarr.netcdf.filters.text import (
    read_codecs_attribute,
    read_filter_attribute,
    write_codecs_attribute,
    write_filter_attribute,
)

COMPRESSIONS = ("zlib", "szip", "zstd", "bzip2", "blosc_lz", "blosc_lz4", "blosc_lz4hc", "blosc_zlib")
FILTERS: list[Filter] = [
    Zlib(3),
    Shuffle(),
    Fletcher32(),
    Szip(4, 16),
    Szip(32, 8, 100, 32),
    Bzip2(2),
    Zstd(-5),
    Zstd(19),
    *(Blosc(name, 2, shuffle) for name in BLOSC_COMPRESSORS for shuffle in (0, 1, 2)),
    OtherFilter("lz4", (("acceleration", 3),)),
    OtherFilter("HDF5 filter 32017", (), 32017, (1, 2, 4294967295)),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A netCDF file and an NCZarr dataset that libnetcdf wrote, with a variable for each compression."""
    folder = tmp_path_factory.mktemp("filters")
    for place in (places := (str(folder / "f.nc"), url_of(folder / "f.zarr"))):
        with netCDF4.Dataset(place, "w") as dataset:
            dataset.createDimension("x", 1000)
            for name in COMPRESSIONS:
                for checked in (False, True):
                    variable = dataset.createVariable(
                        f"{name}_{checked}", "f4", ("x",), compression=name, complevel=3, fletcher32=checked
                    )
                    variable[:] = np.arange(1000) % 17
    return places


_TELL = """
import ctypes, glob, json, os, sys
import netCDF4

[path] = glob.glob(os.path.join(os.path.dirname(netCDF4.__path__[0]), "netcdf4.libs", "libnetcdf-*"))
library = ctypes.CDLL(path)
told = {}
with netCDF4.Dataset(sys.argv[1]) as dataset:
    for name, variable in dataset.variables.items():
        place = variable._grpid, variable._varid
        count, numbers, values = ctypes.c_size_t(), (ctypes.c_uint * 10)(), (ctypes.c_uint * 20)()
        assert library.nc_inq_var_filter_ids(*place, ctypes.byref(count), numbers) == 0
        found = []
        for number in numbers[: count.value]:
            assert library.nc_inq_var_filter_info(*place, number, ctypes.byref(count), values) == 0
            found.append((number, values[: count.value]))
        text = ctypes.create_string_buffer(4096)
        library.nc_get_att_text(*place, b"_Codecs", text)
        told[name] = found, text.value.decode()
with open(sys.argv[2], "w") as file:
    json.dump(told, file)
"""


def told_by_netcdf_c(place: str, scratch: Path) -> dict[str, tuple[list[Any], str]]:
    """Return the numbers and parameters of filters, and `_Codecs`, for each variable."""
    run_peer(_TELL, place, str(scratch / "told.json"))
    told = json.loads((scratch / "told.json").read_text())
    return {name: ([(n, tuple(values)) for n, values in found], text) for name, (found, text) in told.items()}


def test_as_netcdf_c_tells_those_of_hdf5(files: tuple[str, str], tmp_path: Path) -> None:
    told = told_by_netcdf_c(files[0], tmp_path)
    assert len(told) == 2 * len(COMPRESSIONS)
    with h5py.File(files[0]) as file:
        for name, (expected, _) in told.items():
            plist = file[name].id.get_create_plist()
            stored = [plist.get_filter(i) for i in range(plist.get_nfilters())]
            ours = [from_hdf5(number, values, label.decode()) for number, _, values, label in stored]
            assert [to_hdf5(entry, 4, 4000) for entry in ours] == expected


def test_as_netcdf_c_tells_those_of_nczarr(files: tuple[str, str], tmp_path: Path) -> None:
    told = told_by_netcdf_c(files[1], tmp_path)
    assert len(told) == 2 * len(COMPRESSIONS)
    for expected, text in told.values():
        filters = read_codecs_attribute(text)
        assert [to_hdf5(entry) for entry in filters] == expected
        assert write_codecs_attribute(filters) == text


@pytest.mark.parametrize("entry", FILTERS, ids=repr)
def test_forms_and_back(entry: Filter) -> None:
    configuration = entry.to_json(4)
    assert read_filter(str(configuration.pop("id")), configuration) == entry
    assert read_codecs_attribute(write_codecs_attribute([entry])) == (entry,)
    codec = to_codec(entry, 4)
    assert from_codec(codec) == entry
    form = to_hdf5(entry, 4, 4000)
    if form is None:
        assert entry.hdf5_id is None
    else:
        assert to_hdf5(from_hdf5(*form), 4, 4000) == form


@pytest.mark.parametrize("entry", [f for f in FILTERS if not isinstance(f, OtherFilter)], ids=repr)
def test_codecs_are_known(entry: Filter) -> None:
    assert codec_class(to_codec(entry, 4).name) is not None
    if not isinstance(entry, Szip):
        assert numcodecs.get_codec(entry.to_json(4)).codec_id == entry.to_json(4)["id"]


def test_parameters_that_are_left_out() -> None:
    assert from_hdf5(1) == Zlib(6)
    assert from_hdf5(307) == Bzip2(9)
    assert from_hdf5(32015) == Zstd(3)
    assert from_hdf5(32001) == Blosc("blosclz", 5, 1)
    assert from_hdf5(32001, (2, 2, 4, 100, 7)) == Blosc("blosclz", 7, 1)
    assert from_hdf5(32001, (2, 2, 4, 100, 7, 0, 4)) == Blosc("zlib", 7, 0)
    assert from_hdf5(32001, (2, 2, 4, 100, 7, 0, 9)) == OtherFilter(
        "HDF5 filter 32001", (), 32001, (2, 2, 4, 100, 7, 0, 9)
    )
    assert from_hdf5(4, (1,), "szip") == OtherFilter("szip", (), 4, (1,))


def test_filter_attribute() -> None:
    filters = (Shuffle(), Zlib(3), Zstd(3), Bzip2(9), Fletcher32())
    assert write_filter_attribute(filters) == "32015,3|307,9"
    assert write_filter_attribute((Blosc("lz4", 3),), 4, 4000) == "32001,0,0,4,4000,3,1,1"
    assert write_filter_attribute((Szip(169, 8, 1000, 32),)) == "4,32,8"
    assert write_filter_attribute((Shuffle(), OtherFilter("lz4"))) == ""
    assert read_filter_attribute("32015,3|307,9 | 2,4|1") == (Zstd(3), Bzip2(9), Shuffle(), Zlib(6))
    assert read_filter_attribute("none") == read_filter_attribute("") == ()


def test_constants_of_the_filter_attribute() -> None:
    """The bits of each constant, whatever its type, are unsigned integers."""
    text = "32768, -17b, 23ub, -25S, 27US, -77, 93U, 789f, 0x10, 12345678.5d, -9L, 18446744073709551615UL"
    [found] = read_filter_attribute(text)
    expected = [-17, 23, -25, 27, -77, 93]
    data = (
        np.array(expected, "i4").tobytes() + np.array([789], "f4").tobytes() + np.array([16], "i4").tobytes()
    )
    data += np.array([12345678.5]).tobytes() + np.array([-9, -1], "i8").tobytes()
    assert to_hdf5(found) == (32768, tuple(np.frombuffer(data, "<u4").tolist()))


@given(st.lists(st.integers(0, 2**32 - 1), max_size=8), st.integers(256, 65535))
@settings(max_examples=25, deadline=None, database=None)
def test_any_hdf5_filter(values: list[int], number: int) -> None:
    entry = from_hdf5(number, values)
    again = read_filter_attribute(write_filter_attribute([entry]))
    assert again == (entry,)


@pytest.mark.parametrize("text", ["zlib,3", "1,a", "1|", "1,5000000000", "1,3q", "-1", "1,,2", "|"])
def test_no_filter_attribute(text: str) -> None:
    with pytest.raises(ConversionError, match="_Filter"):
        read_filter_attribute(text)


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '["zlib"]', '[{"level": 1}]', '[{"name": "a", "configuration": 1}]']
)
def test_no_codecs_attribute(text: str) -> None:
    with pytest.raises(ConversionError, match="_Codecs"):
        read_codecs_attribute(text)


def test_codecs_attribute_of_zarr_v3() -> None:
    text = (
        '[{"name": "zstd", "configuration": {"level": 3}}, {"name": "numcodecs.zlib", "configuration": {}}]'
    )
    assert read_codecs_attribute(text) == (Zstd(3), Zlib(1))
    assert read_codecs_attribute('{"name": "fletcher32"}') == (Fletcher32(),)
