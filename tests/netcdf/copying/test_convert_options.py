"""What a conversion is asked to change, and what it does where things go wrong."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numpy as np
import pytest
import zarr
from netcdf_peer import assert_same, peer_describes

import omnizarr
from omnizarr import netcdf
from omnizarr.errors import ConversionError, NodeExistsError, OmniZarrError
from omnizarr.netcdf import convert
from omnizarr.netcdf.filters.known import Fletcher32, Shuffle, Zlib, Zstd
from omnizarr.netcdf.filters.text import read_filter_attribute
from omnizarr.store import MemoryStore
from omnizarr.store.directories.draft import draft_name


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("t", None)
        d.createDimension("y", 8)
        d.createDimension("x", 9)
        d.createVariable("v", "i4", ("t", "y", "x"), zlib=True, chunksizes=(1, 8, 9))[:6] = np.arange(432)
        d.createVariable("w", "f8", ("y", "x"), zlib=True, chunksizes=(4, 9))[:] = 1.5
        d.createVariable("y", "f4", ("y",))[:] = np.arange(8)
        inner = d.createGroup("g")
        inner.createVariable("v", "i2", ("x",))[:] = 3
        inner.createGroup("deep").createVariable("d", "i1", ("x",))[:] = 4
    return path


def _layout(target: Any) -> dict[str, Any]:
    with netcdf.Dataset(target) as d:
        assert np.array_equal(d["v"][...], np.arange(432).reshape(6, 8, 9))
        return {name: (v.chunking(), v._model.filters, v.endian()) for name, v in d.variables.items()}


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ({"t": 3}, {"v": [3, 8, 9], "w": [4, 9], "y": [8]}),
        ({"t": 2, "x": 5}, {"v": [2, 8, 5], "w": [4, 5]}),
        ({"/t": 0, "y": 3}, {"v": [6, 3, 9], "w": [3, 9], "y": [3]}),
        ({"v": (2, 4, 4)}, {"v": [2, 4, 4], "w": [4, 9]}),
        ({"v": None, "x": 2}, {"v": [1, 8, 9], "w": [4, 2]}),
        ("contiguous", {"v": [6, 8, 9], "w": [8, 9], "y": [8]}),
        (None, {"w": [8, 9]}),
    ],
)
def test_chunks(chunks: Any, expected: Mapping[str, list[int]], source: Path, tmp_path: Path) -> None:
    for target in (MemoryStore(), tmp_path / "b.nc"):
        convert(source, target, chunks=chunks)
        if isinstance(target, Path):
            with netCDF4.Dataset(target) as d:
                assert np.array_equal(d["v"][...], np.arange(432).reshape(6, 8, 9))
                found = {name: v.chunking() for name, v in d.variables.items()}
        else:
            found = {name: cut for name, (cut, _, _) in _layout(target).items()}
        for name, sizes in expected.items():
            assert found[name] in (sizes, "contiguous"), name


def test_a_contiguous_file(source: Path, tmp_path: Path) -> None:
    convert(source, tmp_path / "b.nc", chunks="contiguous", compressors=())
    with netCDF4.Dataset(tmp_path / "b.nc") as d:
        assert d["w"].chunking() == "contiguous"
        assert d["v"].chunking() == [6, 8, 9]  # which can grow
        assert np.array_equal(d["v"][...], np.arange(432).reshape(6, 8, 9))


def test_filters(source: Path, tmp_path: Path) -> None:
    convert(source, store := MemoryStore(), compressors=(Shuffle(), Zlib(7), Fletcher32()))
    assert _layout(store)["v"][1] == (Shuffle(), Zlib(7), Fletcher32())
    convert(
        source, store := MemoryStore(), compressors={"w": {"name": "zstd", "configuration": {"level": 2}}}
    )
    assert _layout(store)["w"][1] == (Zstd(2),)
    assert _layout(store)["v"][1] == (Shuffle(), Zlib(4))
    convert(store, tmp_path / "b.nc", compressors=())
    with netCDF4.Dataset(tmp_path / "b.nc") as d:
        assert d["v"].filters()["zlib"] is False
    with pytest.raises(ConversionError, match="HDF5 filter 32004 is not known here"):
        convert(source, {}, compressors=read_filter_attribute("32004,0"))
    with pytest.raises(ConversionError, match="netCDF-C has no filter 'lzma'"):
        convert(source, {}, compressors={"id": "lzma"})


def test_byte_order(source: Path, tmp_path: Path) -> None:
    convert(source, store := MemoryStore(), endian="big")
    assert {name: order for name, (_, _, order) in _layout(store).items()} == {
        "v": "big",
        "w": "big",
        "y": "big",
    }
    report = convert(store, tmp_path / "b.nc")
    assert report.moved.chunks == 6 + 2 + 1 + 1 + 1
    with netCDF4.Dataset(tmp_path / "b.nc") as d:
        assert d["v"].endian() == "big"
        assert np.array_equal(d["v"][...], np.arange(432).reshape(6, 8, 9))
    with pytest.raises(ValueError, match="endian"):
        convert(source, {}, endian="middle")


def test_a_part_of_a_dataset(source: Path) -> None:
    def held(**options: Any) -> list[str]:
        convert(source, store := MemoryStore(), **options)
        with netcdf.Dataset(store) as d:
            return [f"{g.path.rstrip('/')}/{name}" for g in d._walk() for name in g.variables]

    assert held(variables=["v"]) == ["/v", "/g/v"]
    assert held(variables=["/v"]) == ["/v"]
    assert held(variables=["g/v", "y"]) == ["/y", "/g/v"]
    assert held(groups=["g"]) == ["/g/v", "/g/deep/d"]
    assert held(groups=["deep"]) == ["/g/deep/d"]
    assert held(groups=["/"]) == ["/v", "/w", "/y"]
    assert held(groups=["g"], variables=["d"]) == ["/g/deep/d"]
    with pytest.raises(ConversionError, match="none of the variables y is in the groups deep"):
        held(groups=["deep"], variables=["y"])
    assert held(variables=[]) == []
    for options in (
        {"variables": ["nope"]},
        {"groups": ["nope"]},
        {"chunks": {"nope": 2}},
        {"chunks": {"u": (1,)}},
    ):
        with pytest.raises(ConversionError, match="there is no"):
            convert(source, {}, **options)
    with pytest.raises(ConversionError, match="variable /v: chunks: expected 3 lengths"):
        convert(source, {}, chunks={"v": (1, 2)})


def test_old_generations_become_the_present_one(tmp_path: Path) -> None:
    ncgen = shutil.which("ncgen")
    if ncgen is None:
        pytest.skip("ncgen is not installed (Debian: netcdf-bin)")
    cdl = 'netcdf a { dimensions: x = 4 ; variables: int v(x) ; v:units = "m" ; double s ; '
    cdl += "data: v = 1,2,3,4 ; s = 5 ; }"
    (tmp_path / "a.cdl").write_text(cdl)
    url = f"file://{tmp_path / 'old'}#mode=nczarr,file"
    subprocess.run([ncgen, "-4", "-o", url, tmp_path / "a.cdl"], check=True, capture_output=True)
    report = convert(tmp_path / "old", tmp_path / "new")
    assert report.moved.chunks == 1
    assert (tmp_path / "new" / "v" / "0").read_bytes() == (tmp_path / "old" / "v" / "0").read_bytes()
    with netcdf.Dataset(tmp_path / "new", "a") as d:
        assert (d["v"][...].tolist(), d["v"].units, float(d["s"][...])) == ([1, 2, 3, 4], "m", 5.0)
    with netCDF4.Dataset(f"file://{tmp_path / 'new'}#mode=nczarr,file") as d:
        assert (d["v"][...].tolist(), d["v"].units, float(d["s"][...])) == ([1, 2, 3, 4], "m", 5.0)


def test_zarr_of_others(tmp_path: Path) -> None:
    root = zarr.create_group(tmp_path / "a", zarr_format=3)
    sharded = root.create_array(
        "sharded", shape=(8, 6), shards=(4, 6), chunks=(2, 3), dtype="i4", fill_value=7
    )
    sharded[:4] = np.arange(24).reshape(4, 6)
    columns = zarr.create_array(
        tmp_path / "a", name="columns", shape=(4, 6), chunks=(2, 6), dtype="<u2", zarr_format=3,
        filters=[zarr.codecs.TransposeCodec(order=(1, 0))], fill_value=3,
    )  # fmt: skip
    columns[:2] = np.arange(12).reshape(2, 6)
    large = root.create_array("large", shape=(3,), chunks=(10,), dtype="f8", fill_value=np.nan)
    large[:] = [1, 2, 3]
    for target in (tmp_path / "b.nc", tmp_path / "b"):
        convert(tmp_path / "a", target)
        with netCDF4.Dataset(target if target.suffix else f"file://{target}#mode=nczarr,file") as d:
            d.set_auto_mask(False)
            for array in (sharded, columns, large):
                assert np.array_equal(d[array.basename][...], array[...], equal_nan=True)
            assert d["sharded"].chunking() == [2, 3]
            assert d["large"].chunking() == ([3] if target.suffix else [10])


def test_fill_values_of_absent_chunks_are_kept_everywhere(tmp_path: Path) -> None:
    root = zarr.create_group(tmp_path / "a", zarr_format=2)
    for name, fill in (("zero", 0), ("nan", np.nan), ("none", None)):
        v = root.create_array(name, shape=(6,), chunks=(2,), dtype="f4", fill_value=fill)
        v.attrs["_ARRAY_DIMENSIONS"] = ["x"]
        v[:2] = 5
    back = tmp_path / "back.nc"
    for dialect in ("nczarr", "xarray", "plain"):
        convert(tmp_path / "a", store := MemoryStore(), dialect=dialect)
        convert(store, back, overwrite=True)
        with netCDF4.Dataset(back) as d:
            d.set_auto_mask(False)
            assert d["zero"][...].tolist() == [5, 5, 0, 0, 0, 0]
            assert np.array_equal(d["nan"][...], [5, 5, *[np.nan] * 4], equal_nan=True)
            assert d["none"][...].tolist() == [5, 5, 0, 0, 0, 0]


_TYPES = """netcdf u {
types:
  byte enum cloud_t {clear = 0, cumulus = 1, fog = -3} ;
  opaque(5) tag_t ;
  int(*) ragged_t ;
  compound point_t { int a ; float b(2) ; double c ; cloud_t k ; } ;
  ragged_t(*) rr_t ;
dimensions:
  x = 3 ; t = UNLIMITED ;
variables:
  cloud_t e(x) ; cloud_t e:_FillValue = fog ;
  cloud_t e2(t) ;
  tag_t o(x) ;
  ragged_t r(x) ;
  point_t p(x) ;
  rr_t rr(x) ;
  tag_t os ;
  point_t :att = {1, {2., 3.}, 4., fog} ;
  cloud_t :ce = clear, fog ;
  tag_t :co = 0X0102030405 ;
  ragged_t :cr = {1,2}, {3} ;
data:
 e = clear, fog, cumulus ;
 e2 = fog, clear ;
 o = 0X0102030405, 0X0102030406, 0X0102030407 ;
 r = {1, 2, 3}, {}, {7} ;
 p = {1, {2, 3}, 4, fog}, {5, {6, 7}, 8, clear}, {9, {10, 11}, 12, cumulus} ;
 rr = {{1,2},{3}}, {}, {{4}} ;
 os = 0X0102030405 ;
group: g {
types:
  int enum ge {one = 1, two = 2} ;
dimensions: gx = 2 ;
variables:
  ge v(gx, x) ;
data:
  v = one, two, one, two, two, two ;
}
}
"""


@pytest.mark.parametrize("way", [None, ("nczarr", 2), ("nczarr", 3), ("proposal2018", 2)])
def test_types_of_the_user(way: tuple[str, int] | None, tmp_path: Path) -> None:
    ncgen, ncdump = shutil.which("ncgen"), shutil.which("ncdump")
    if ncgen is None or ncdump is None:
        pytest.skip("ncgen and ncdump are not installed (Debian: netcdf-bin)")
    (tmp_path / "a.cdl").write_text(_TYPES)
    subprocess.run([ncgen, "-4", "-o", tmp_path / "a.nc", tmp_path / "a.cdl"], check=True)
    if way is None:
        assert convert(tmp_path / "a.nc", tmp_path / "b.nc").losses == ()
    else:
        convert(tmp_path / "a.nc", store := MemoryStore(), dialect=way[0], zarr_format=way[1])
        assert convert(store, tmp_path / "b.nc").losses == ()
    ours, theirs = (
        subprocess.run(
            [ncdump, "-n", "x", tmp_path / name], capture_output=True, text=True, check=True
        ).stdout
        for name in ("b.nc", "a.nc")
    )
    assert sorted(ours.splitlines()) == sorted(theirs.splitlines())
    if way is None:
        assert ours == theirs


# --- where things go wrong


def test_a_file_is_whole_or_absent(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "b.nc"
    monkeypatch.setattr("omnizarr.netcdf.copying.convert.steps_of", _fails)
    with pytest.raises(OSError, match="disk full"):
        convert(source, target)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.nc"]
    monkeypatch.undo()
    convert(source, target)
    before = target.read_bytes()
    with pytest.raises(NodeExistsError, match="overwrite=True replaces it"):
        convert(source, target)
    monkeypatch.setattr("omnizarr.netcdf.copying.convert.steps_of", _fails)
    with pytest.raises(OSError, match="disk full"):
        convert(source, target, overwrite=True)
    assert target.read_bytes() == before


def _fails(*_: Any) -> Any:
    raise OSError("disk full")


_SLOW = """
import sys, time
from omnizarr.netcdf import convert
from omnizarr.netcdf.copying import convert as module

def slow(task, *rest, _steps_of=module.steps_of):
    yield from _steps_of(task, *rest)
    print(task.path, flush=True)
    time.sleep(60)

module.steps_of = slow
convert(sys.argv[1], sys.argv[2])
"""


@pytest.mark.parametrize("name", ["b.nc", "b.zarr"])
def test_a_killed_conversion_can_be_run_again(name: str, source: Path, tmp_path: Path) -> None:
    target = tmp_path / name
    with subprocess.Popen([sys.executable, "-c", _SLOW, source, target], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == b"/v"
        child.send_signal(signal.SIGKILL)
    if target.suffix == ".nc":
        assert not target.exists()
        assert (tmp_path / draft_name(name)).exists()
    else:
        with pytest.raises(OmniZarrError, match="copy"):
            netcdf.Dataset(target)
    report = convert(source, target)
    assert report.resumed == (target.suffix == ".zarr")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.nc", name]
    place = f"file://{target}#mode=nczarr,file" if report.resumed else str(target)
    found, expected = (peer_describes(p, tmp_path) for p in (place, str(source)))
    assert_same(found["variables"]["v"]["values"], expected["variables"]["v"]["values"])
    assert_same(
        found["groups"]["g"]["variables"]["v"]["values"], expected["groups"]["g"]["variables"]["v"]["values"]
    )


def test_two_writers_of_one_file(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "b.nc"
    with subprocess.Popen([sys.executable, "-c", _SLOW, source, target], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline()
        try:
            with pytest.raises(NodeExistsError, match="another writer"):
                convert(source, target)
        finally:
            child.kill()


def test_damaged_chunks_raise_and_name_the_variable(source: Path, tmp_path: Path) -> None:
    with h5py.File(source) as file:
        info = file["v"].id.get_chunk_info(2)
    data = bytearray(source.read_bytes())
    data[info.byte_offset : info.byte_offset + info.size] = bytes(info.size)
    source.write_bytes(data)
    with pytest.raises(OmniZarrError, match="v"):
        convert(source, tmp_path / "b.zarr", chunks={"t": 2})
    with pytest.raises(OmniZarrError):
        netcdf.Dataset(tmp_path / "b.zarr")
    with pytest.raises(OmniZarrError, match="v"):
        convert(source, tmp_path / "b.nc", chunks={"t": 2})
    assert not (tmp_path / "b.nc").exists()


def test_a_source_is_never_overwritten(source: Path, tmp_path: Path) -> None:
    convert(source, tmp_path / "b.zarr")
    for target in (tmp_path / "b.zarr", tmp_path / "b.zarr" / "inside", tmp_path):
        with pytest.raises(NodeExistsError, match="source"):
            convert(tmp_path / "b.zarr", target, overwrite=True)
    with pytest.raises(NodeExistsError, match="source"):
        convert(source, tmp_path, overwrite=True)
    before = peer_describes(str(source), tmp_path)
    convert(source, source, overwrite=True, chunks={"t": 3})
    assert_same(
        peer_describes(str(source), tmp_path)["variables"]["v"]["values"], before["variables"]["v"]["values"]
    )


def test_arguments_that_contradict_each_other(source: Path) -> None:
    with pytest.raises(ConversionError, match="no Zarr dialect"):
        convert(source, "b.nc", kind="nc4", dialect="nczarr")
    with pytest.raises(ConversionError, match="written to a path"):
        convert(source, {}, kind="nc4")
    with pytest.raises(ValueError, match="kind: expected one of"):
        convert(source, "b.nc", kind="nc9")
    with pytest.raises(ConversionError, match="read only"):
        convert(source, {}, dialect="nczarr2")


def test_memory_is_kept_within_bounds(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as d:
        d.createDimension("y", 300)
        d.createDimension("x", 400)
        d.createVariable("v", "f8", ("y", "x"), contiguous=True)[:] = np.arange(120000.0).reshape(300, 400)
    for target in ("b.nc", "c.nc"):
        options = {"chunks": {"v": (100, 400)}} if target == "b.nc" else {"kind": "cdf5", "chunks": {"y": 50}}
        with pytest.raises(ConversionError, match=r"variable /v: .* memory are too little"):
            convert(tmp_path / "a.nc", tmp_path / target, memory=10_000, **options)
        convert(tmp_path / "a.nc", tmp_path / target, memory=1_500_000, **options)
        with netCDF4.Dataset(tmp_path / target) as d:
            assert np.array_equal(d["v"][...], np.arange(120000.0).reshape(300, 400))


def test_progress_and_workers(source: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    convert(source, tmp_path / "b.nc", workers=1, progress=lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1] > 0
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_places_inside_a_store(source: Path, tmp_path: Path) -> None:
    store = MemoryStore()
    convert(source, store, path="deep/place")
    assert isinstance(omnizarr.open(store, path="deep/place", mode="r"), omnizarr.Group)
    convert(omnizarr.open_group(store, path="deep/place", mode="r"), tmp_path / "b.nc")
    with netCDF4.Dataset(tmp_path / "b.nc") as d:
        assert np.array_equal(d["v"][...], np.arange(432).reshape(6, 8, 9))


def test_gzip_becomes_zlib_in_a_file(tmp_path: Path) -> None:
    root = zarr.create_group(tmp_path / "a", zarr_format=3)
    gzip = zarr.codecs.GzipCodec(level=6)
    root.create_array("v", shape=(8,), chunks=(4,), dtype="i4", compressors=gzip)[:] = np.arange(8)
    assert convert(tmp_path / "a", tmp_path / "b.nc").losses == ()
    with netCDF4.Dataset(tmp_path / "b.nc") as d:
        assert (d["v"].filters()["zlib"], d["v"].filters()["complevel"]) == (True, 6)
        assert d["v"][...].tolist() == list(range(8))


def test_empty_dimensions_of_the_classic_model(tmp_path: Path) -> None:
    root = zarr.create_group(tmp_path / "a", zarr_format=3)
    root.create_array("v", shape=(0, 3), chunks=(1, 3), dtype="i4", dimension_names=("y", "x"))
    root.create_array("w", shape=(3,), chunks=(3,), dtype="i4", dimension_names=("x",))[:] = 1
    report = convert(tmp_path / "a", tmp_path / "b.nc", kind="classic")
    assert [str(loss) for loss in report.losses] == [
        "/: the dimension y: NETCDF3_CLASSIC has no others that are empty",
        "/v: the variable, which has an empty dimension",
    ]
    with netCDF4.Dataset(tmp_path / "b.nc") as d:
        assert (list(d.variables), d["w"][...].tolist()) == (["w"], [1, 1, 1])
    convert(tmp_path / "a", tmp_path / "c.nc")
    with netCDF4.Dataset(tmp_path / "c.nc") as d:
        assert d["v"].shape == (0, 3)


def test_files_are_not_written_to_urls(source: Path) -> None:
    with pytest.raises(ConversionError, match="written to the file system"):
        convert(source, "s3://bucket/a.nc")
