"""Conversions between all kinds of files and all dialects, compared by libnetcdf; kept chunks as bytes."""

from __future__ import annotations

import shutil
import subprocess
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import h5py
import netCDF4
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from netcdf_peer import assert_same, peer_describes

from omnizarr import netcdf
from omnizarr.errors import ConversionError
from omnizarr.netcdf import convert, losses_of
from omnizarr.netcdf.files.kinds import KINDS
from omnizarr.store import MemoryStore

DIALECTS = [
    ("nczarr", 2),
    ("nczarr", 3),
    ("proposal2018", 2),
    ("xarray", 2),
    ("xarray", 3),
    ("plain", 2),
    ("plain", 3),
]
ANNOTATED = DIALECTS[:3]
NUMBERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")


def _everything(path: Path) -> None:
    """Make a file with what every annotated dialect holds, and each filter once."""
    with netCDF4.Dataset(path, "w") as d:
        d.title, d.number, d.numbers = "everything", np.int16(3), np.array([1.5, 2.5], "f4")
        d.setncattr_string("strings", ["one", "zwö"])
        d.createDimension("t", None)
        d.createDimension("y", 7)
        d.createDimension("x", 10)
        time = d.createVariable("t", "f8", ("t",), chunksizes=(4,))
        time[:5] = np.arange(5) / 3
        time.units = "days since 2000-01-01"
        for number, code in enumerate(NUMBERS):
            options = (
                {"compression": "zlib"},
                {"compression": "zstd"},
                {"fletcher32": True},
                {},
                {"zlib": True},
            )
            v = d.createVariable(
                f"v_{code}",
                code,
                ("t", "y", "x"),
                chunksizes=(2, 4, 10),
                **options[number % 5],
                fill_value=99,
            )
            v[:5] = (np.arange(350) % 120).reshape(5, 7, 10)
            v.valid = np.array([1, 2], code)
        d.createVariable("big", ">i4", ("y",), endian="big", zlib=True)[:] = np.arange(7)
        d.createVariable("sparse", "f4", ("y", "x"), chunksizes=(2, 5), zlib=True)[2:4, :5] = 1
        d.createVariable("scalar", "i4")[...] = 7
        d.createVariable("text", "S1", ("y", "x"), zlib=True)[:] = b"q"
        d.createVariable("names", str, ("y",))[:] = np.array(["", "a", "zwö", "d", "e", "f", "g"], object)
        inner = d.createGroup("g").createGroup("h")
        inner.createDimension("x", 3)
        inner.createVariable("x", "f4", ("x",))[:] = [1, 2, 3]
        inner.createVariable("z", "f4", ("t", "x"))[:5] = 1
        inner.note = "inside"


def _values(group: dict[str, Any], path: str = "") -> dict[str, Any]:
    """Return the values of all variables by path, whatever their order."""
    found = {f"{path}/{name}": v["values"] for name, v in group["variables"].items()}
    for name, inner in group["groups"].items():
        found |= _values(inner, f"{path}/{name}")
    return found


def _forget_layout(group: dict[str, Any]) -> dict[str, Any]:
    """Leave out what differs where chunks are made of what had none, or strings lose their filters."""
    for variable in group["variables"].values():
        for detail in ("chunks", "filters", "fill"):
            variable.pop(detail)
    for inner in group["groups"].values():
        _forget_layout(inner)
    return group


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("everything") / "a.nc"
    _everything(path)
    return path


@pytest.fixture(scope="module")
def described(everything: Path) -> dict[str, Any]:
    return peer_describes(str(everything), everything.parent)


@pytest.mark.parametrize(("dialect", "number"), DIALECTS)
def test_to_a_dialect_and_back(
    dialect: str, number: int, everything: Path, described: dict[str, Any], tmp_path: Path
) -> None:
    store, back = MemoryStore(), tmp_path / "back.nc"
    there = convert(everything, store, dialect=dialect, zarr_format=number)
    # 150 chunks of `v_…`, 2 of `t`, one of `sparse`, one of `big`, …
    assert there.moved.chunks >= 12 * 5
    again = convert(store, back)
    assert again.losses == ()
    assert again.moved.chunks >= there.moved.chunks
    found = peer_describes(str(back), tmp_path)
    ours, theirs = (dict(sorted(_values(one).items())) for one in (found, described))
    if dialect == "plain":  # which has strings alone
        ours["/text"] = ours["/text"].astype("S1")
    assert_same(ours, theirs)
    if (dialect, number) in ANNOTATED:
        expected = peer_describes(str(everything), tmp_path)
        if dialect == "proposal2018":  # which lists no variables
            found["variables"] = {name: found["variables"][name] for name in expected["variables"]}
        assert_same(_forget_layout(found), _forget_layout(expected))
    with h5py.File(everything) as ours, h5py.File(back) as theirs:
        for name in ("v_i1", "v_u1", "v_i2", "v_u2", "sparse"):
            assert _chunks(ours[name]) == _chunks(theirs[name])


def _chunks(dataset: h5py.Dataset) -> dict[tuple[int, ...], tuple[int, bytes]]:
    found = {}
    for at in range(dataset.id.get_num_chunks()):
        start = dataset.id.get_chunk_info(at).chunk_offset
        found[start] = dataset.id.read_direct_chunk(start)
    return found


@pytest.mark.parametrize(("first", "second"), list(product(DIALECTS, DIALECTS)))
def test_between_dialects(
    first: tuple[str, int], second: tuple[str, int], everything: Path, described: dict[str, Any]
) -> None:
    one, other = MemoryStore(), MemoryStore()
    convert(everything, one, dialect=first[0], zarr_format=first[1], variables=["v_i4", "v_f8", "names", "z"])
    report = convert(one, other, dialect=second[0], zarr_format=second[1])
    expected = _values(described)
    with netcdf.Dataset(other) as dataset:
        dataset.set_auto_maskandscale(False)
        for path in ("/v_i4", "/v_f8", "/names", "/g/h/z"):
            found = np.asarray(dataset[path][...])
            assert np.array_equal(found, expected[path]), path
    assert report.moved.chunks >= 12
    if first == second:
        assert report.moved.recoded_bytes == 0
        assert {k: one.get(k) for k in one.list_prefix()} == {k: other.get(k) for k in other.list_prefix()}


def _classic(path: Path, kind: str) -> None:
    with netCDF4.Dataset(path, "w", format=kind) as d:
        d.title, d.empty, d.number = "classic", "", np.int32(4)
        d.createDimension("t", None)
        d.createDimension("x", 5)
        for code in ("i1", "i2", "i4", "f4", "f8", "S1"):
            v = d.createVariable(f"v_{code}", code, ("t", "x"))
            v[:3] = b"a" if code == "S1" else np.arange(15).reshape(3, 5)
            d.createVariable(f"w_{code}", code, ("x",))
            d.createVariable(f"s_{code}", code)[...] = b"a" if code == "S1" else 4
        d["v_i2"].scale_factor = 0.5


@pytest.mark.skipif(shutil.which("ncdump") is None, reason="ncdump is not installed (Debian: netcdf-bin)")
@pytest.mark.parametrize(("first", "second"), list(product(KINDS, KINDS)))
def test_between_kinds(first: str, second: str, tmp_path: Path) -> None:
    _classic(tmp_path / "a.nc", first)
    report = convert(tmp_path / "a.nc", tmp_path / "b.nc", kind=second)
    assert report.losses == ()
    _classic(tmp_path / "c.nc", second)
    assert _dumped(tmp_path / "b.nc", "-n", "x") == _dumped(tmp_path / "c.nc", "-n", "x")
    assert _dumped(tmp_path / "b.nc", "-k") == _dumped(tmp_path / "c.nc", "-k")


def _dumped(path: Path, *options: str) -> str:
    return subprocess.run(["ncdump", *options, path], capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(shutil.which("ncdump") is None, reason="ncdump is not installed (Debian: netcdf-bin)")
def test_a_file_becomes_the_same_file(everything: Path, tmp_path: Path) -> None:
    report = convert(everything, tmp_path / "b.nc")
    assert report.losses == ()
    assert _dumped(tmp_path / "b.nc", "-n", "x") == _dumped(everything, "-n", "x")
    ours, theirs = (_dumped(p, "-n", "x", "-h", "-s") for p in (tmp_path / "b.nc", everything))
    assert _layout(ours) == _layout(theirs)


def _layout(text: str) -> list[str]:
    apart = ("_NCProperties", "names:_", "_Filter")
    return [line for line in text.splitlines() if not any(word in line for word in apart)]


def test_to_the_classic_model(everything: Path, tmp_path: Path) -> None:
    for kind in KINDS[:4]:
        target = tmp_path / f"{kind}.nc"
        report = convert(everything, target, kind=kind)
        lost = {loss.path for loss in report.losses}
        assert {"/g", "/g/h", "/names"} <= lost
        assert ("/v_i8" in lost) == (kind != "NETCDF3_64BIT_DATA")
        with netCDF4.Dataset(target) as made, netCDF4.Dataset(everything) as source:
            assert made.data_model == kind
            for name, variable in source.variables.items():
                if name == "names":
                    texts = netCDF4.chartostring(made[name][...], encoding="utf-8")
                    assert texts.tolist() == variable[...].tolist()
                    continue
                expected, found = variable[...], made[name][...]
                assert np.array_equal(np.ma.getmaskarray(expected), np.ma.getmaskarray(found)), name
                assert np.array_equal(np.ma.filled(expected, 0), np.ma.filled(found, 0)), name


def test_numbers_that_a_kind_cannot_hold_are_refused(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as d:
        d.createDimension("x", 2)
        d.createVariable("v", "i8", ("x",))[:] = [2**53 + 1, 1]
    with pytest.raises(ConversionError, match="/v"):
        convert(tmp_path / "a.nc", tmp_path / "b.nc", kind="classic")
    assert [p.name for p in tmp_path.iterdir()] == ["a.nc"]


def test_losses_of_a_kind_and_of_a_dialect(everything: Path) -> None:
    assert losses_of(everything) == ()
    assert losses_of(everything, kind="nc4") == ()
    assert any("unlimited" in loss.what for loss in losses_of(everything, dialect="xarray"))


@st.composite
def _datasets(draw: st.DrawFn) -> dict[str, Any]:
    code = draw(st.sampled_from(NUMBERS))
    shape = tuple(draw(st.lists(st.integers(0, 9), min_size=1, max_size=3)))
    chunks = tuple(draw(st.integers(1, max(1, size))) for size in shape)
    filters = draw(
        st.sampled_from(
            (
                {},
                {"zlib": True},
                {"zlib": True, "shuffle": False, "fletcher32": True},
                {"zlib": True, "fletcher32": True},
                {"compression": "zstd", "complevel": 5},
                {"compression": "bzip2"},
            )
        )
    )
    endian = draw(st.sampled_from(("little", "big")))
    fill = draw(st.sampled_from((None, 3, False)))
    noise = draw(st.booleans())
    part = draw(st.integers(0, shape[0]))
    return {
        "code": code, "shape": shape, "chunks": chunks, "filters": filters, "endian": endian, "fill": fill,
        "noise": noise, "part": part,
    }  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(
    _datasets(),
    st.sampled_from(DIALECTS),
    st.sampled_from(("NETCDF4", "NETCDF4_CLASSIC", "NETCDF3_64BIT_DATA")),
)
def test_any_layout_survives(asked: dict[str, Any], dialect: tuple[str, int], kind: str) -> None:
    """Random noise makes HDF5 leave deflate out of chunks, which are then encoded with it."""
    with TemporaryDirectory() as folder:
        source, back, store = Path(folder) / "a.nc", Path(folder) / "b.nc", MemoryStore()
        expected = _make(source, asked)
        convert(source, store, dialect=dialect[0], zarr_format=dialect[1])
        with netcdf.Dataset(store) as dataset:
            dataset.set_auto_maskandscale(False)
            assert np.array_equal(dataset["v"][...], expected)
        convert(store, back, kind=kind)
        with netCDF4.Dataset(back) as dataset:
            if kind != "NETCDF4" and 0 in asked["shape"] and "v" not in dataset.variables:
                return  # the classic model has empty records alone
            dataset.set_auto_maskandscale(False)
            assert np.array_equal(dataset["v"][...].astype(asked["code"]), expected)


def _make(path: Path, asked: dict[str, Any]) -> Any:
    code, shape = asked["code"], asked["shape"]
    rng = np.random.default_rng(1)
    values = rng.integers(0, 100 if asked["noise"] else 2, shape).astype(code)
    if asked["noise"] and code[0] != "f" and code[1] in "12":
        values = rng.integers(0, 100, shape).astype(code)
    order = ">" if asked["endian"] == "big" and code[1] != "1" else "<"
    with netCDF4.Dataset(path, "w") as d:
        for at, size in enumerate(shape):
            d.createDimension(f"d{at}", None if not size or not at else size)
        v = d.createVariable(
            "v", f"{order}{code}", tuple(f"d{at}" for at in range(len(shape))),
            chunksizes=asked["chunks"], endian=asked["endian"], fill_value=asked["fill"], **asked["filters"],
        )  # fmt: skip
        v.set_auto_maskandscale(False)
        if asked["fill"] is False or not asked["part"]:
            v[tuple(slice(0, size) for size in shape)] = values
        else:
            v[tuple(slice(0, size) for size in (asked["part"], *shape[1:]))] = values[: asked["part"]]
    with netCDF4.Dataset(path) as d:
        d.set_auto_maskandscale(False)
        return np.asarray(d["v"][...])
