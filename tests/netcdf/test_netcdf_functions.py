"""The module's functions against netCDF4-python's."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import netCDF4
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from omnizarr import netcdf

BOUNDED = settings(max_examples=40, deadline=None, database=None)
ASCII = st.text(st.characters(min_codepoint=1, max_codepoint=126), max_size=5)
TEXT = st.text(st.characters(min_codepoint=1, exclude_categories=("Cs",)), max_size=5)


def same(ours: Any, theirs: Any) -> None:
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("name", netCDF4.__all__)
def test_every_name_is_there(name: str) -> None:
    assert name in netcdf.__all__
    assert hasattr(netcdf, name)


def test_constants() -> None:
    flags = [name for name in dir(netCDF4) if name.startswith("__has_")]
    assert [name for name in dir(netcdf) if name.startswith("__has_")] == flags
    for name in ("blosc", "bzip2", "quantization", "zstandard", "szip"):
        assert getattr(netcdf, f"__has_{name}_support__") == getattr(netCDF4, f"__has_{name}_support__")
    for name in ("default_encoding", "unicode_error", "is_native_little", "is_native_big", "NC_DISKLESS"):
        assert getattr(netcdf, name) == getattr(netCDF4, name)
    assert netCDF4.__version__.startswith(netcdf.__version__)
    assert netcdf.__netcdf4libversion__ == netCDF4.__netcdf4libversion__
    assert netcdf.getlibversion().split()[0] == netCDF4.getlibversion().split()[0]
    assert netcdf.default_fillvals == netCDF4.default_fillvals


def test_import_needs_no_extra() -> None:
    code = (
        "import sys\n"
        "for name in ('netCDF4', 'h5py', 'cftime', 'imagecodecs'): sys.modules[name] = None\n"
        "from omnizarr import netcdf\n"
        "try: netcdf.num2date(0, 'days since 2000-01-01')\n"
        "except ValueError as error: assert 'omnizarr[netcdf]' in str(error), error\n"
        "else: raise AssertionError\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


# --- characters


@given(
    arrays(
        "S6",
        st.one_of(st.just(()), st.tuples(st.integers(1, 3), st.integers(1, 3))),
        elements=ASCII.map(str.encode),
    )
)
@BOUNDED
def test_bytes_to_characters(values: np.ndarray[Any, Any]) -> None:
    same(netcdf.stringtochar(values), netCDF4.stringtochar(values))
    same(netcdf.chartostring(netcdf.stringtochar(values)), netCDF4.chartostring(netCDF4.stringtochar(values)))


@given(arrays("U5", st.integers(1, 4), elements=TEXT), st.one_of(st.none(), st.integers(20, 25)))
@BOUNDED
def test_text_to_characters(values: np.ndarray[Any, Any], width: int | None) -> None:
    ours = netcdf.stringtochar(values, n_strlen=width)
    same(ours, netCDF4.stringtochar(values, n_strlen=width))
    same(netcdf.chartostring(ours, "utf-8"), netCDF4.chartostring(ours, "utf-8"))
    assert netcdf.chartostring(ours, "utf-8").tolist() == values.tolist()


@given(arrays("S1", st.tuples(st.integers(1, 3), st.integers(1, 4))))
@BOUNDED
def test_any_characters_to_strings(values: np.ndarray[Any, Any]) -> None:
    for encoding in ("none", "bytes", "latin-1"):
        same(netcdf.chartostring(values, encoding), netCDF4.chartostring(values, encoding))


def test_characters_that_netcdf4_gets_wrong() -> None:
    assert netcdf.stringtochar(np.array(["ab", "c"], "S3"), "none").tolist() == [
        [b"a", b"b", b""],
        [b"c", b"", b""],
    ]
    assert netcdf.stringtochar(np.array([["é"]], "U1"), "utf-8").shape == (1, 1, 4)
    assert netcdf.chartostring(np.array([["a", "é"]], "U1")).tolist() == ["aé"]
    assert netcdf.chartostring(np.zeros((2, 0), "S1")).tolist() == ["", ""]
    with pytest.raises(ValueError, match="does not fit"):
        netcdf.stringtochar(np.array(["abc"], "U3"), n_strlen=2)


def test_no_characters() -> None:
    for function in (netcdf.stringtochar, netcdf.chartostring, netCDF4.stringtochar, netCDF4.chartostring):
        with pytest.raises(ValueError, match="S"):
            function(np.arange(3))
    for function in (netcdf.chartostring, netCDF4.chartostring):
        with pytest.raises(UnicodeDecodeError):
            function(np.array([[b"\xc3", b"\xa9"]]))


@pytest.mark.parametrize("arguments", [("ab", 4), ("ab", 2, "U"), ("é", 3, "U"), ("", 2), ("abc", 3, "S")])
def test_string_to_array(arguments: Any) -> None:
    same(netcdf.stringtoarr(*arguments), netCDF4.stringtoarr(*arguments))


def test_string_to_array_of_bytes() -> None:
    assert netcdf.stringtoarr(b"ab", 3).tolist() == [b"a", b"b", b""]
    assert netcdf.stringtoarr(b"ab", 3, "U").tolist() == ["a", "b", ""]


@pytest.mark.parametrize("arguments", [("ab", 1), ("é", 2), ("ab", 3, "X")])
def test_no_string_to_array(arguments: Any) -> None:
    for function in (netcdf.stringtoarr, netCDF4.stringtoarr):
        with pytest.raises(ValueError):
            function(*arguments)


# --- settings


@pytest.mark.parametrize("dtype", ["c", "c8", "c16", "f4", np.dtype("c8"), np.dtype("f8"), str, None, "S1"])
def test_complex(dtype: Any) -> None:
    assert netcdf.dtype_is_complex(dtype) is netCDF4.dtype_is_complex(dtype)


def test_chunk_cache() -> None:
    before = netcdf.get_chunk_cache()
    try:
        assert before == netCDF4.get_chunk_cache()
        netcdf.set_chunk_cache(size=4096)
        netcdf.set_chunk_cache(preemption=0.25)
        assert netcdf.get_chunk_cache() == (4096, 1000, 0.25)
        with pytest.raises(RuntimeError):
            netcdf.set_chunk_cache(preemption=2)
    finally:
        netcdf.set_chunk_cache(*before)


def test_alignment_and_table() -> None:
    before = netcdf.get_alignment()
    try:
        assert before == netCDF4.get_alignment()
        assert netcdf.set_alignment(1024, 4096) is None
        assert netcdf.get_alignment() == (1024, 4096)
    finally:
        netcdf.set_alignment(*before)
    assert netcdf.rc_get("no such key") is netCDF4.rc_get("no such key") is None
    netcdf.rc_set("OMNIZARR.TEST", "b")
    assert netcdf.rc_get("OMNIZARR.TEST") == "b"
