"""Datasets in zip archives over HTTP, which libnetcdf reads from files only."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from omnizarr.errors import OmniZarrError
from omnizarr.netcdf import Dataset

pytest.importorskip("obstore")
object_servers = pytest.importorskip("object_servers")

DATA = np.random.default_rng(1).integers(0, 2**31, (40, 1000), "i4")


@pytest.fixture
def front(tmp_path: Path) -> Iterator[object_servers.Front]:
    found = object_servers.Front("http", tmp_path)
    yield found
    found.close()


def make(path: Path, mode: str) -> None:
    with Dataset(f"{path.as_uri()}#mode={mode},zip", "w") as dataset:
        dataset.title = "a title"
        dataset.createDimension("y", 40)
        dataset.createDimension("x", 1000)
        variable = dataset.createVariable("g/v", "i4", ("y", "x"), zlib=True, chunksizes=(10, 1000))
        variable.units = "m"
        variable[:] = DATA


@pytest.mark.parametrize("mode", ["nczarr", "zarr"])
@pytest.mark.parametrize("top", ["", "data/"])
def test_a_dataset_in_an_archive(tmp_path: Path, front, mode: str, top: str) -> None:
    """With a folder that is called as the archive, too, as libnetcdf writes it."""
    make(tmp_path / "made.zip", mode)
    with zipfile.ZipFile(tmp_path / "made.zip") as made, zipfile.ZipFile(tmp_path / "data.zip", "w") as moved:
        for name in made.namelist():
            moved.writestr(top + name, made.read(name))
    with Dataset(f"http://127.0.0.1:{front.port}/data.zip#mode={mode},zip") as dataset:
        assert front.asked == ["GET /data.zip"] * len(front.asked)
        opening = len(front.asked)
        variable = dataset["g/v"]
        assert (dataset.title, variable.units, variable.dimensions) == ("a title", "m", ("y", "x"))
        assert len(front.asked) == opening
        np.testing.assert_array_equal(variable[:], DATA)
        assert len(front.asked) <= opening + 4, "one for each chunk that is not at the end"


def test_an_archive_for_reading_only(tmp_path: Path, front: object_servers.Front) -> None:
    make(tmp_path / "data.zip", "nczarr")
    before = (tmp_path / "data.zip").read_bytes()
    for mode in ("a", "r+", "w"):
        with pytest.raises((OmniZarrError, OSError)):
            Dataset(f"http://127.0.0.1:{front.port}/data.zip#mode=nczarr,zip", mode)
    assert (tmp_path / "data.zip").read_bytes() == before
