"""The special attributes against ncdump -s, of HDF5 files and of NCZarr as netCDF-C 4.9.0 writes it."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from ncdump_peer import ncdump, ncgen, needs_ncdump, needs_ncgen, our_dump

from omnizarr import netcdf
from omnizarr.netcdf.cdl.writing.special import Storage
from omnizarr.netcdf.filters.known import OtherFilter, Zlib, Zstd
from omnizarr.netcdf.model.nodes import VariableModel
from omnizarr.netcdf.model.types import BYTE, INT, STRING

VARIABLES = {
    "plain": ("i4", {}),
    "zlib": ("i4", {"zlib": True, "complevel": 3}),
    "unshuffled": ("i2", {"zlib": True, "shuffle": False}),
    "checked": ("f4", {"fletcher32": True}),
    "zstd": ("f8", {"compression": "zstd", "complevel": 5}),
    "fast": ("f8", {"compression": "zstd", "complevel": -3}),
    "bzip2": ("f8", {"compression": "bzip2"}),
    "blosc": ("f8", {"compression": "blosc_lz4", "complevel": 4}),
    "all": ("f8", {"zlib": True, "fletcher32": True, "chunksizes": (5, 7)}),
    "big": ("i4", {"endian": "big"}),
    "little": ("i8", {"endian": "little"}),
    "byte": ("i1", {}),
    "char": ("S1", {}),
    "string": (str, {}),
    "cut": ("f4", {"chunksizes": (3, 20)}),
    "unfilled": ("f4", {"fill_value": False}),
    "rounded": ("f4", {"zlib": True, "significant_digits": 3}),
    "granular": ("f4", {"significant_digits": 3, "quantize_mode": "GranularBitRound", "zlib": True}),
}


def write_special(path: Path) -> None:
    with netCDF4.Dataset(path, "w") as made, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.createDimension("x", 10)
        made.createDimension("y", 20)
        made.createDimension("t", None)
        for name, (kind, options) in VARIABLES.items():
            made.createVariable(name, kind, ("x", "y"), **options)
        made.createVariable("records", "f4", ("t", "y"))
        made.createVariable("texts", str, ("t",), zlib=True)
        made.createVariable("scalar", "f8", ())
        made.createVariable("text", str, ())
        made.createGroup("g").createVariable("w", "i4", ("x",))


@needs_ncdump
@pytest.mark.parametrize("options", [("-hs",), ("-hsF",), ("-hF",)])
def test_special_attributes_as_ncdump_has_them(options: tuple[str, ...], tmp_path: Path) -> None:
    write_special(tmp_path / "a.nc")
    assert our_dump(tmp_path / "a.nc", *options) == ncdump(tmp_path / "a.nc", *options)


@needs_ncdump
@needs_ncgen
def test_compact_storage(tmp_path: Path) -> None:
    cdl = 'netcdf a { dimensions: x = 3; variables: int v(x); v:_Storage = "compact"; data: v = 1, 2, 3; }'
    ncgen(cdl, tmp_path / "a.nc")
    theirs = ncdump(tmp_path / "a.nc", "-s")
    assert 'v:_Storage = "compact"' in theirs and our_dump(tmp_path / "a.nc", "-s") == theirs


@needs_ncdump
def test_files_that_netcdf_did_not_make(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.nc", "w", track_order=True) as made:
        made.create_dataset("v", data=np.arange(4))
        made.create_dataset("w", data=1.5, track_order=True)
        made.attrs["title"] = np.bytes_(b"a")
    for options in ("-hs", "-k"):
        assert our_dump(tmp_path / "a.nc", options) == ncdump(tmp_path / "a.nc", options)


@needs_ncdump
@needs_ncgen
def test_nczarr_of_netcdf_4_9_0(tmp_path: Path) -> None:
    cdl = """netcdf z {
        dimensions: x = 4; y = 3; n\\ n = 2;
        variables:
            int v(x, y); v:_ChunkSizes = 2, 3; v:a = 1s, 2s; v:b = "text"; v:c = 1.5f;
            double d(x); d:_Storage = "contiguous"; short be(x); be:_Endianness = "big";
            char c(x, y); byte b(x); int nf(x); nf:_NoFill = "true"; int u(x); u:units = "m"; uint64 l(x);
            :title = "a"; :n = 3;
        data: v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, _; d = 1, 2.5, NaN, 4; be = 1, 2, 3, 4;
            c = "abc", "def", "ghi", "j"; b = 1, 2, 3, 4; l = 1, 2, 3, 18446744073709551615;
        group: g { dimensions: z = 2; variables: int q(z, x); :n = 1; data: q = 1, 2, 3, 4, 5, 6, 7, 8; }
    }"""
    url = f"file://{tmp_path}/z.zarr#mode=nczarr,file"
    ncgen(cdl, url)
    # ncdump calls it by its URL, and swaps no bytes of fill values.
    for options in ([], ["-h"], ["-hs"], ["-k"], ["-g", "g"], ["-v", "v,q"], ["-b", "c"]):
        theirs = ncdump(url, *options)
        assert our_dump(tmp_path / "z.zarr", *options) == theirs, options
        assert our_dump(url, *options) == theirs, options


def test_codecs_without_a_number_are_shown_as_codecs() -> None:
    variable = VariableModel(
        name="v", type=INT, dimensions=("/x",), chunks=(4,), filters=(OtherFilter("lz4"),)
    )
    found = dict(Storage().of_variable(variable, "/v", (8,)))
    assert found["_Codecs"] == '"[{\\"id\\": \\"lz4\\"}]"' and "_Filter" not in found
    known = VariableModel(name="v", type=INT, dimensions=("/x",), chunks=(4,), filters=(Zlib(4), Zstd(3)))
    assert dict(Storage().of_variable(known, "/v", (8,))) == {
        "_Storage": '"chunked"',
        "_ChunkSizes": "4",
        "_DeflateLevel": "4",
        "_Filter": '"32015,3"',
        "_Endianness": '"little"',
    }
    found = dict(Storage().of_variable(known, "/v", (8,), all_filters=True))
    assert found["_Filter"] == '"1,4|32015,3"' and found["_Codecs"].count("id") == 2


@pytest.mark.parametrize("kind", [BYTE, STRING])
def test_what_has_no_byte_order_tells_none(kind: object) -> None:
    variable = VariableModel(name="v", type=kind, no_fill=True)  # type: ignore[arg-type]
    assert dict(Storage().of_variable(variable, "/v", ())) == {"_Storage": '"chunked"', "_NoFill": '"true"'}


def test_special_attributes_of_a_dataset_of_ours(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path / "a", "w") as made:
        made.createDimension("x", 4)
        made.createVariable("v", ">i2", ("x",), zlib=True, chunksizes=(3,))[:] = 1
    text = our_dump(tmp_path / "a", "-hs")
    assert re.sub("omnizarr=[^,]*", "omnizarr=1", text) == (
        "netcdf a {\n"
        "dimensions:\n"
        "\tx = 4 ;\n"
        "variables:\n"
        "\tshort v(x) ;\n"
        '\t\tv:_Storage = "chunked" ;\n'
        "\t\tv:_ChunkSizes = 3 ;\n"
        '\t\tv:_Shuffle = "true" ;\n'
        "\t\tv:_DeflateLevel = 4 ;\n"
        '\t\tv:_Endianness = "big" ;\n'
        "\n"
        "// global attributes:\n"
        '\t\t:_NCProperties = "version=2,omnizarr=1,nczarr=2.0.0" ;\n'
        "\t\t:_SuperblockVersion = 2 ;\n"
        "\t\t:_IsNetcdf4 = 1 ;\n"
        '\t\t:_Format = "netCDF-4" ;\n'
        "}\n"
    )
