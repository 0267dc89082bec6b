"""netCDF files to NCZarr, compared value by value with netCDF4."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numpy as np
import pytest
from netcdf_peer import assert_same, peer_describes, url_of, we_describe

from omnizarr import netcdf
from omnizarr.errors import (
    ConversionError,
    NodeExistsError,
    NodeNotFoundError,
    StoreError,
    StoreNotFoundError,
)
from omnizarr.hierarchy.copying.journal import JOURNAL
from omnizarr.netcdf.copying.convert import convert, losses_of
from omnizarr.netcdf.files.read import NetCDFFile
from omnizarr.store import MemoryStore

NUMBERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")


def _netcdf4(path: Path) -> None:
    with netCDF4.Dataset(path, "w") as d:
        d.title, d.empty, d.json = "title", "", '{"a": 1}'
        d.setncattr_string("string", "one")
        d.setncattr_string("strings", ["one", "zwö"])
        d.createDimension("t", None)
        d.createDimension("y", 30)
        d.createDimension("x", 41)
        values = np.add.outer(np.arange(30), np.arange(41)) // 8
        for code in NUMBERS:
            setattr(d, f"a_{code}", np.array([1, 2], code))
            setattr(d, f"none_{code}", np.zeros(0, code))
            for name, options in {
                "zlib": {"compression": "zlib"},
                "checked": {"compression": "zlib", "fletcher32": True},
                "sum": {"fletcher32": True},
                "zstd": {"compression": "zstd"},
                "bzip2": {"compression": "bzip2"},
                "blosc": {"compression": "blosc_lz4", "chunksizes": (30, 41)},
                "chunked": {"chunksizes": (7, 16)},
                "whole": {},
            }.items():
                options = {"chunksizes": (7, 16), **options} if options else options
                d.createVariable(f"{name}_{code}", code, ("y", "x"), **options)[:] = values
            growing = d.createVariable(f"growing_{code}", code, ("t", "x"), zlib=True, chunksizes=(2, 16))
            growing[1:4, 5:20] = 3
            growing.units = "m"
            d.createVariable(f"never_{code}", code, ("t", "x"), zlib=True, fill_value=np.array(9, code))
            d.createVariable(f"scalar_{code}", code)[...] = 5
            d.createVariable(f"off_{code}", code, ("x",), fill_value=False)[:] = 4
            if code[1] != "1":
                d.createVariable(f"big_{code}", f">{code}", ("y", "x"), zlib=True, endian="big")[:] = values
        d.createVariable("c", "S1", ("x",), zlib=True)[:] = b"q"
        d.createVariable("s", str, ("x",))[:] = np.array(["ä" * i for i in range(41)], object)
        d.createVariable("st", str, ("t",), zlib=True)[:2] = np.array(["a", "b"], object)
        inner = d.createGroup("g").createGroup("h")
        inner.createDimension("x", 3)
        inner.createVariable("x", "f4", ("x",))[:] = [1, 2, 3]
        inner.createVariable("y", "f4", ("t", "x"))[:] = 1
        inner.note = "inside"


def _classic(kind: str) -> Any:
    def make(path: Path) -> None:
        with netCDF4.Dataset(path, "w", format=kind) as d:
            d.title = "classic"
            d.createDimension("t", None)
            d.createDimension("x", 5)
            for code in ("i1", "i2", "i4", "f4", "f8", "S1"):
                v = d.createVariable(f"v_{code}", code, ("t", "x"))
                v[:3] = b"a" if code == "S1" else np.arange(15).reshape(3, 5)
                d.createVariable(f"w_{code}", code, ("x",))
            d["v_i2"].scale_factor = 0.5

    return make


MAKERS = {
    "netCDF-4": _netcdf4,
    "classic": _classic("NETCDF3_CLASSIC"),
    "64-bit offset": _classic("NETCDF3_64BIT_OFFSET"),
    "64-bit data": _classic("NETCDF3_64BIT_DATA"),
    "classic model": _classic("NETCDF4_CLASSIC"),
}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.filterwarnings("ignore:endian-ness")
def test_everything_arrives(kind: str, tmp_path: Path) -> None:
    source, target = tmp_path / "source.nc", tmp_path / "target.zarr"
    MAKERS[kind](source)
    told: list[tuple[int, int]] = []
    report = convert(source, target, progress=lambda done, total: told.append((done, total)))
    assert report.losses == ()
    assert told[-1][0] == told[-1][1]
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    with netcdf.Dataset(target) as dataset:
        ours = we_describe(dataset)
    assert_same(ours, peer_describes(url_of(target), tmp_path))
    expected = peer_describes(str(source), tmp_path)
    _forget_layout(expected)
    _forget_layout(ours)
    assert_same(ours, expected)


def _forget_layout(group: dict[str, Any]) -> None:
    """Leave out what NCZarr has no word for: contiguous storage, the byte order of classic files."""
    for name, variable in group["variables"].items():
        if not name.startswith(
            ("zlib", "checked", "sum", "zstd", "bzip2", "blosc", "chunked", "big", "growing")
        ):
            for detail in ("chunks", "endian", "filters"):
                del variable[detail]
        elif name.startswith("big") or variable["type"] in ("|i1", "|u1"):
            del variable["fill"]
    for inner in group["groups"].values():
        _forget_layout(inner)


def test_chunks_are_moved_without_decoding(tmp_path: Path) -> None:
    source, target = tmp_path / "source.nc", tmp_path / "target.zarr"
    with netCDF4.Dataset(source, "w") as d:
        d.createDimension("t", None)
        d.createDimension("x", 50)
        d.createVariable("v", "f4", ("t", "x"), zlib=True, fletcher32=True, chunksizes=(4, 20))[:10] = 1.5
    report = convert(source, target)
    assert (report.moved.chunks, report.moved.recoded_bytes) == (9, 0)
    with h5py.File(source) as file:
        for key in ("0.0", "2.2"):
            start = tuple(int(i) * n for i, n in zip(key.split("."), (4, 20), strict=True))
            assert (target / "v" / key).read_bytes() == file["v"].id.read_direct_chunk(start)[1]


def test_chunks_that_lack_a_filter_are_encoded_again(tmp_path: Path) -> None:
    source, target = tmp_path / "source.h5", tmp_path / "target.zarr"
    with h5py.File(source, "w") as file:
        made = file.create_dataset("v", (4, 6), "<i4", chunks=(2, 6), compression="gzip", fillvalue=8)
        made[0:2] = 5
        made.id.write_direct_chunk((2, 0), np.arange(12, dtype="<i4").tobytes(), filter_mask=1)
    report = convert(source, target)
    assert (report.moved.chunks, report.moved.recoded_bytes) == (1, 48)
    with netcdf.Dataset(target) as dataset:
        assert dataset["v"][...].tolist() == [[5] * 6, [5] * 6, list(range(6)), list(range(6, 12))]


def test_absent_chunks_of_plain_hdf5_hold_its_own_fill_value(tmp_path: Path) -> None:
    source, target = tmp_path / "source.h5", tmp_path / "target.zarr"
    with h5py.File(source, "w", userblock_size=512) as file:
        file.create_dataset("v", (4, 6), "<i4", chunks=(2, 6), compression="gzip", fillvalue=8)[3] = 1
        file.create_dataset("zero", (4,), "<f8", chunks=(2,))
    convert(source, target)
    with netcdf.Dataset(target) as dataset:
        assert dataset["v"][...].tolist() == [[8] * 6] * 3 + [[1] * 6]
        assert dataset["zero"][...].tolist() == [0.0] * 4


def test_losses_are_listed_before_anything_is_written(tmp_path: Path) -> None:
    source, target = tmp_path / "source.nc", tmp_path / "target.nc"
    with netCDF4.Dataset(source, "w") as d:
        d.createDimension("x", 3)
        ragged = d.createVLType("i4", "ragged")
        colour = d.createEnumType("u1", "colour", {"red": 1, "blue": 2})
        d.createVariable("r", ragged, ("x",))
        d.createVariable("e", colour, ("x",), fill_value=2)[:] = [1, 2, 1]
        d.createVariable("kept", "i4", ("x",))[:] = 1
        d.createGroup("g")
    lost = {loss.path for loss in losses_of(source, kind="classic")}
    assert lost == {"/r", "/e", "/colour", "/ragged", "/g"}
    with pytest.raises(ConversionError, match="the type colour"):
        convert(source, target, kind="classic", strict=True)
    assert not list(tmp_path.glob("*target*"))
    assert {loss.path for loss in convert(source, target, kind="classic").losses} == lost
    with netCDF4.Dataset(target) as dataset:
        assert list(dataset.variables) == ["e", "kept"]
        assert dataset["e"].dtype == "i2"
        assert dataset["e"][...].tolist() == [1, None, 1]


@pytest.mark.parametrize("form", ["NETCDF4", "NETCDF3_CLASSIC"])
@pytest.mark.parametrize("fill", [b"x", b" "])
def test_characters_have_their_fill_value(form: Any, fill: bytes, tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "a.nc", "w", format=form) as d:
        d.createDimension("x", 2)
        d.createVariable("a", "S1", ("x",), fill_value=fill)
    with NetCDFFile(tmp_path / "a.nc") as file:
        [variable] = file.model().dataset.root.variables
    assert variable.fill_value == fill
    convert(tmp_path / "a.nc", tmp_path / "a.zarr")
    convert(tmp_path / "a.zarr", tmp_path / "b.nc")
    with netCDF4.Dataset(tmp_path / "b.nc") as d:
        d.set_auto_mask(False)
        assert d["a"].get_fill_value() == fill
        assert d["a"][:].tolist() == [fill, fill]


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_long_strings_have_room(zarr_format: int, tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as d:
        d.createDimension("x", 2)
        d.createVariable("a", str, ("x",))[:] = np.array(["x" * 300, ""], object)
    convert(tmp_path / "a.nc", store := MemoryStore(), zarr_format=zarr_format)
    with netcdf.Dataset(store) as d:
        assert d["a"][:].tolist() == ["x" * 300, ""]


def test_a_fill_value_that_fits_no_element_is_a_loss(tmp_path: Path) -> None:
    source = tmp_path / "source.nc"
    with netCDF4.Dataset(source, "w", format="NETCDF3_CLASSIC") as d:
        d.createDimension("x", 2)
        d.createVariable("v", "i2", ("x",))[:] = [-32767, 1]
    data = bytearray(source.read_bytes())
    source.write_bytes(data)
    _add_fill(source)
    target: dict[str, bytes] = {}
    report = convert(source, target)
    assert [loss.path for loss in report.losses] == ["/v"]
    with netcdf.Dataset(target) as dataset:
        dataset.set_auto_mask(False)
        assert dataset["v"][...].tolist() == [-32767, 1]


def _add_fill(source: Path) -> None:
    """Give a classic variable the `_FillValue` double NaN, which the library refuses to write."""
    with netCDF4.Dataset(source, "a") as d:
        d["v"].setncattr("XFillValue", np.float64("nan"))
    source.write_bytes(source.read_bytes().replace(b"XFillValue", b"_FillValue"))


def test_little_memory_is_enough_and_too_little_is_refused(tmp_path: Path) -> None:
    source, target = tmp_path / "source.nc", tmp_path / "target.zarr"
    with netCDF4.Dataset(source, "w") as d:
        d.createDimension("y", 300)
        d.createDimension("x", 400)
        values = np.arange(120000.0).reshape(300, 400)
        d.createVariable("v", "f8", ("y", "x"), contiguous=True)[:] = values
    with pytest.raises(ConversionError, match="memory are too little"):
        convert(source, target, memory=100_000)
    assert not list(target.glob("*")) if target.exists() else True
    convert(source, target, memory=6_000_000)
    with netcdf.Dataset(target) as dataset:
        assert np.array_equal(dataset["v"][...], values)


class _DyingStore(MemoryStore):
    """A store whose writes fail after so many."""

    left = 10**9

    def set(self, key: str, value: Any) -> None:
        if self.left <= 0:
            raise OSError("disk full")
        self.left -= 1
        super().set(key, value)


def test_an_interrupted_conversion_opens_as_nothing_and_can_be_run_again(tmp_path: Path) -> None:
    source = tmp_path / "source.nc"
    _classic("NETCDF4_CLASSIC")(source)
    expected = MemoryStore()
    convert(source, expected)
    count = len(list(expected.list_prefix("")))
    for left in range(1, count):
        store = _DyingStore()
        store.left = left
        with pytest.raises(OSError, match="disk full"):
            convert(source, store)
        with pytest.raises(NodeNotFoundError):
            netcdf.Dataset(store)
        store.left = 10**9
        convert(source, store)
        assert {k: store.get(k) for k in store.list_prefix("")} == {
            k: expected.get(k) for k in expected.list_prefix("")
        }


def test_another_source_never_mixes_with_an_interrupted_one(tmp_path: Path) -> None:
    source = tmp_path / "source.nc"
    _netcdf4(source)
    store = _DyingStore()
    store.left = 40
    with pytest.raises(OSError, match="disk full"):
        convert(source, store)
    store.left = 10**9
    other = tmp_path / "other.nc"
    _classic("NETCDF3_CLASSIC")(other)
    report = convert(other, store)
    assert not report.resumed
    assert not store.exists(JOURNAL)
    assert {key.partition("/")[0] for key in store.list_prefix("") if "/" in key} == {
        f"{letter}_{code}" for letter in "vw" for code in ("i1", "i2", "i4", "f4", "f8", "S1")
    }


_ON_A_FULL_DISK = """
import resource, sys
from omnizarr.netcdf.copying.convert import convert
from omnizarr.errors import StoreError
resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, 2**16))
try:
    convert(sys.argv[1], sys.argv[2], chunks=None if sys.argv[3] == "chunks" else "keep")
except StoreError as error:
    print(error)
"""


@pytest.mark.parametrize(("code", "chunks"), [(float, "chunks"), (float, "keep"), (str, "keep")])
def test_a_full_disk_leaves_nothing_and_is_told(code: Any, chunks: str, tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as d:
        d.createDimension("x", 20_000)
        d.createVariable("a", code, ("x",))[:] = np.array(
            [code(number) for number in range(20_000)], object if code is str else code
        )
    target = tmp_path / "new" / "b.nc"
    command = [sys.executable, "-c", _ON_A_FULL_DISK, tmp_path / "a.nc", target, chunks]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "cannot write variable /a: File too large" in done.stdout, done.stderr
    assert not list(target.parent.iterdir())


def test_damaged_files_name_the_variable(tmp_path: Path) -> None:
    source = tmp_path / "a.nc"
    with netCDF4.Dataset(source, "w") as d:
        d.createDimension("x", 1000)
        d.createVariable("a", "i4", ("x",), zlib=True)[:] = np.arange(1000)
    with h5py.File(source) as file:
        chunk = file["a"].id.get_chunk_info(0)
    with source.open("r+b") as whole:
        whole.seek(chunk.byte_offset + 8)
        whole.write(bytes(100))
    with NetCDFFile(source) as found, pytest.raises(StoreError, match="variable /a cannot be read"):
        found.read(found.model().dataset.root.variables[0], "/a")


def test_what_is_there_is_left_alone(tmp_path: Path) -> None:
    source, target = tmp_path / "source.nc", tmp_path / "target.zarr"
    _classic("NETCDF3_CLASSIC")(source)
    target.mkdir()
    (target / "precious").write_text("mine")
    with pytest.raises(NodeExistsError):
        convert(source, target)
    assert (target / "precious").read_text() == "mine"
    convert(source, target / "new")
    with pytest.raises(NodeExistsError):
        convert(source, target / "new")
    convert(source, target / "new", overwrite=True)
    assert (target / "precious").read_text() == "mine"


def test_what_is_no_netcdf_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreNotFoundError):
        convert(tmp_path / "absent.nc", {})
    (tmp_path / "text.nc").write_text("no netCDF")
    with pytest.raises(ConversionError, match="no netCDF file"):
        convert(tmp_path / "text.nc", {})
    source = tmp_path / "cut.nc"
    _netcdf4(source)
    source.write_bytes(source.read_bytes()[: source.stat().st_size // 2])
    with pytest.raises(ConversionError, match="no netCDF file"):
        convert(source, {})


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast", "ignore:WARNING")
@pytest.mark.parametrize("name", ["goes16-cloud-top-height.nc", "eraint-uvz.nc"])
def test_real_files(name: str, real_file: Callable[[str], Path], tmp_path: Path) -> None:
    source = real_file(name)
    target = tmp_path / "target.zarr"
    convert(source, target)
    with netCDF4.Dataset(source) as theirs, netcdf.Dataset(target) as ours:
        assert list(theirs.variables) == list(ours.variables)
        for variable, made in zip(theirs.variables.values(), ours.variables.values(), strict=True):
            expected, found = variable[...], made[...]
            assert np.array_equal(np.ma.getmaskarray(expected), np.ma.getmaskarray(found)), variable.name
            assert np.array_equal(np.ma.filled(expected, 0), np.ma.filled(found, 0), equal_nan=True)
            assert expected.dtype == found.dtype
    described = we_describe(netcdf.Dataset(target))
    assert_same(described, peer_describes(url_of(target), tmp_path))


def test_memory_stays_bounded_against_the_grain(tmp_path: Path) -> None:
    """64 MB in planes to columns within 16 MB: the peak of the process, HDF5's own buffers included."""
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as made:
        for name, size in (("t", 16), ("y", 1000), ("x", 1000)):
            made.createDimension(name, size)
        v = made.createVariable("v", "f4", ("t", "y", "x"), zlib=True, complevel=1, chunksizes=(1, 500, 1000))
        for at in range(16):
            v[at] = np.arange(1_000_000).reshape(1000, 1000) + at
    _netcdf4(tmp_path / "small.nc")
    script = f"""
        import resource
        from omnizarr.netcdf.copying.convert import convert

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

        convert({str(tmp_path / "small.nc")!r}, {{}})
        before = peak()
        convert(
            {str(tmp_path / "a.nc")!r}, {str(tmp_path / "a")!r},
            chunks={{"v": (16, 50, 50)}}, memory=16 * 2**20,
        )
        print(peak() - before)
    """
    run = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 16 * 2**20
    with netcdf.Dataset(tmp_path / "a") as ours:
        assert ours["v"].chunking() == [16, 50, 50]
        np.testing.assert_array_equal(ours["v"][:, 999, 999], 999_999 + np.arange(16, dtype="f4"))
