"""szip in NCZarr and in netCDF files: netCDF-C's and ours, read by each other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numpy as np
import pytest
from netcdf_peer import run_peer, url_of

from omnizarr import netcdf, open_array
from omnizarr.codecs import szip
from omnizarr.errors import CodecError, ConversionError

pytest.importorskip("imagecodecs", reason="needs imagecodecs")

SIZES = {"y": 37, "x": 100, "z": 5000}
CASES = [
    (code, coding, dimensions, chunks)
    for code in ("f4", "f8", ">i4", "i8")
    for coding in ("nn", "ec")
    for dimensions, chunks in (
        (("x", "y"), (10, 10)),
        (("x", "y"), (100, 37)),
        (("y", "x"), (5, 64)),
        (("z",), (2500,)),
    )
]


def define(dataset: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Make and fill a variable for each case; return what they hold."""
    rng = np.random.default_rng(1)
    for name, size in SIZES.items():
        dataset.createDimension(name, size)
    held = {}
    for number, (code, coding, dimensions, chunks) in enumerate(CASES):
        name = f"v{number}"
        held[name] = rng.integers(0, 40, [SIZES[d] for d in dimensions]).cumsum(-1).astype(code[-2:])
        variable = dataset.createVariable(
            name,
            code,
            dimensions,
            compression="szip",
            szip_coding=coding,
            szip_pixels_per_block=16,
            chunksizes=chunks,
            endian="big" if code[0] == ">" else "native",
        )
        variable[...] = held[name]
    return held


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, np.ndarray[Any, Any]]]:
    """A netCDF file, and what it holds."""
    path = tmp_path_factory.mktemp("szip") / "szip.nc"
    with netCDF4.Dataset(path, "w") as dataset:
        return path, define(dataset)


_VALUES = """
import sys
import netCDF4
import numpy as np
with netCDF4.Dataset(sys.argv[1]) as dataset:
    np.savez(sys.argv[2], **{name: variable[...].data for name, variable in dataset.variables.items()})
"""


def check_by_netcdf_c(place: str, held: dict[str, np.ndarray[Any, Any]], scratch: Path) -> None:
    run_peer(_VALUES, place, str(scratch / "values.npz"))
    with np.load(scratch / "values.npz") as found:
        assert set(found) == set(held)
        for name, expected in held.items():
            assert np.array_equal(found[name], expected), name


def test_what_netcdf_c_wrote(tmp_path: Path) -> None:
    with netCDF4.Dataset(url_of(tmp_path / "theirs"), "w") as dataset:
        held = define(dataset)
    with netcdf.Dataset(str(tmp_path / "theirs")) as dataset:
        for name, expected in held.items():
            assert np.array_equal(dataset[name][...], expected), name
        assert dataset["v0"].filters()["szip"] == {"coding": "nn", "pixels_per_block": 16}


def test_what_we_write(tmp_path: Path) -> None:
    with netcdf.Dataset(str(tmp_path / "ours"), "w") as dataset:
        held = define(dataset)
    check_by_netcdf_c(url_of(tmp_path / "ours"), held, tmp_path)
    with netcdf.Dataset(str(tmp_path / "ours")) as dataset:
        for name, expected in held.items():
            assert np.array_equal(dataset[name][...], expected), name
    for name, expected in held.items():
        assert np.array_equal(open_array(str(tmp_path / "ours" / name))[...], expected), name


def test_zarr_face_of_what_netcdf_c_wrote(tmp_path: Path) -> None:
    """It cannot know the scanlines, and must not guess them wrong."""
    with netCDF4.Dataset(url_of(tmp_path / "theirs"), "w") as dataset:
        held = define(dataset)
    right = 0
    for name, expected in held.items():
        try:
            found = open_array(str(tmp_path / "theirs" / name))[...]
        except CodecError as error:
            assert "omnizarr.netcdf" in str(error) or "szip" in str(error)
        else:
            assert np.array_equal(found, expected)
            right += 1
    assert right >= len(CASES) // 2


def test_from_file_and_back(file: tuple[Path, dict[str, np.ndarray[Any, Any]]], tmp_path: Path) -> None:
    path, held = file
    report = netcdf.convert(str(path), str(tmp_path / "out"))
    assert not report.losses
    check_by_netcdf_c(url_of(tmp_path / "out"), held, tmp_path)
    for number, (_, coding, _, chunks) in enumerate(CASES):
        document = json.loads((tmp_path / "out" / f"v{number}" / ".zarray").read_bytes())
        assert document["chunks"] == list(chunks)
        assert document["compressor"]["mask"] == (32 if coding == "nn" else 4)
    netcdf.convert(str(tmp_path / "out"), str(tmp_path / "again.nc"))
    check_by_netcdf_c(str(tmp_path / "again.nc"), held, tmp_path)
    with h5py.File(path) as first, h5py.File(tmp_path / "again.nc") as again:
        for name in held:
            filters = [f[name].id.get_create_plist().get_filter(0) for f in (first, again)]
            assert filters[0][0] == filters[1][0] == 4
            assert filters[0][2] == filters[1][2]


def test_chunks_of_the_same_scanlines_are_moved(
    file: tuple[Path, dict[str, np.ndarray[Any, Any]]], tmp_path: Path
) -> None:
    path, _ = file
    netcdf.convert(str(path), str(tmp_path / "out"))
    with h5py.File(path) as stored:
        moved = [
            stored[f"v{number}"].id.read_direct_chunk((0,) * len(chunks))[1]
            == (tmp_path / "out" / f"v{number}" / ".".join("0" for _ in chunks)).read_bytes()
            for number, (_, _, dimensions, chunks) in enumerate(CASES)
            if chunks[-1] == SIZES[dimensions[-1]] or chunks[-1] > 16 * 128
        ]
    assert moved == [True] * (len(CASES) // 2)


def test_without_the_package(
    file: tuple[Path, dict[str, np.ndarray[Any, Any]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, held = file
    monkeypatch.setitem(__import__("sys").modules, "imagecodecs", None)
    szip._library.cache_clear()
    report = netcdf.convert(str(path), str(tmp_path / "out"))
    assert {loss.what for loss in report.losses} == {"the filter szip; its chunks are stored without it"}
    check_by_netcdf_c(url_of(tmp_path / "out"), held, tmp_path)
    with netcdf.Dataset({}, "w") as dataset:
        dataset.createDimension("x", 100)
        with pytest.raises(ConversionError, match=r"omnizarr\[szip\]"):
            dataset.createVariable("v", "f4", ("x",), compression="szip")
