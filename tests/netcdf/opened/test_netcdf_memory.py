"""Datasets in memory, their images, and diskless ones."""

from __future__ import annotations

import gc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from omnizarr import netcdf
from omnizarr.errors import StoreError


def _image(**options: Any) -> memoryview:
    dataset = netcdf.Dataset("name.zip", "w", memory=1024, **options)
    dataset.createDimension("t", None)
    dataset.createVariable("/g/v", "i4", ("t",))[:] = [1, 2]
    image = dataset.close()
    assert isinstance(image, memoryview) and dataset.close() is None
    return image


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_an_image_is_a_zip_archive(zarr_format: int, tmp_path: Path) -> None:
    image = _image(zarr_format=zarr_format)
    assert not Path("name.zip").exists()
    (tmp_path / "d.zip").write_bytes(image)
    assert zipfile.is_zipfile(tmp_path / "d.zip")
    with netcdf.Dataset(tmp_path / "d.zip") as found:
        assert found["g/v"][:].tolist() == [1, 2]
    for memory in (image, bytes(image), bytearray(image), np.frombuffer(image, "u1")):
        with netcdf.Dataset("anything", memory=memory) as found:
            assert found["g/v"][:].tolist() == [1, 2] and found.filepath() == "anything"
    opened = netcdf.Dataset("anything", memory=image)
    assert opened.close() is None


@pytest.mark.parametrize("mode", ["a", "r+"])
def test_an_image_is_changed_in_a_copy(mode: str) -> None:
    image = _image()
    before = bytes(image)
    dataset = netcdf.Dataset("anything", mode, memory=image)
    dataset["g/v"][2] = 3
    changed = dataset.close()
    assert bytes(image) == before and changed is not None
    assert netcdf.Dataset("anything", memory=changed)["g/v"][:].tolist() == [1, 2, 3]


def test_images_of_netcdf_c_have_a_folder(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path / "theirs", "w") as dataset:
        dataset.createDimension("x", 2)
        dataset.createVariable("v", "i4", ("x",))[:] = [5, 6]
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        for path in (tmp_path / "theirs").rglob("*"):
            archive.write(path, path.relative_to(tmp_path))
    for name in ("theirs.zip", "anything"):
        with netcdf.Dataset(name, memory=(tmp_path / "d.zip").read_bytes()) as found:
            assert found["v"][:].tolist() == [5, 6]


@pytest.mark.parametrize(
    ("mode", "memory", "error"),
    [
        ("r", 1024, ValueError),
        ("a", 1024, ValueError),
        ("w", b"", ValueError),
        ("r", b"no archive", OSError),
        ("r", b"", OSError),
    ],
)
def test_memory_that_makes_no_sense(mode: str, memory: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        netcdf.Dataset("anything", mode, memory=memory)


def test_a_damaged_image_says_so() -> None:
    image = bytearray(_image())
    image[image.index(b'"zarr_format"')] ^= 1
    with pytest.raises(StoreError, match="image of a zip archive"):
        netcdf.Dataset("anything", memory=image)


@pytest.mark.parametrize("name", ["d", "d.zip"])
def test_diskless_datasets(name: str, tmp_path: Path) -> None:
    place = tmp_path / name
    with netcdf.Dataset(place, "w", diskless=True) as dataset:
        dataset.title = "lost"
    assert not place.exists()
    with netcdf.Dataset(place, "w", diskless=True, persist=True) as dataset:
        dataset.createDimension("x", 2)
        dataset.createVariable("v", "i4", ("x",))[:] = 1
        dataset.createVariable("/g/w", "i4", ("x",))[:] = 2
        assert not place.exists()
        assert dataset.filepath() == str(place)
    with netcdf.Dataset(place, "a", diskless=True) as dataset:
        dataset["v"][:] = 9
    with netcdf.Dataset(place, diskless=True) as found:
        assert found["v"][:].tolist() == [1, 1]
        with pytest.raises(PermissionError):
            found["v"][:] = 9
    with netcdf.Dataset(place, "a", diskless=True, persist=True) as dataset:
        dataset["v"][:] = 3
        dataset.renameGroup("g", "h")
    with netcdf.Dataset(place) as found:
        assert found["v"][:].tolist() == [3, 3] and list(found.groups) == ["h"]
    assert name == "d.zip" or not (place / "g").exists()
    with pytest.raises(FileNotFoundError):
        netcdf.Dataset(tmp_path / "missing", diskless=True)
    with pytest.raises(FileExistsError):
        netcdf.Dataset(place, "x", diskless=True)
    with netcdf.Dataset(place, "w", diskless=True, persist=True) as dataset:
        dataset.title = "new"
    with netcdf.Dataset(place) as found:
        assert found.ncattrs() == ["title"] and not found.variables


def test_diskless_never_replaces_what_is_not_zarr(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    for mode in ("w", "a", "r"):
        with pytest.raises(FileExistsError):
            netcdf.Dataset(tmp_path, mode, diskless=True, persist=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_weak_dataset_closes_with_its_last_name(tmp_path: Path) -> None:
    dataset = netcdf.Dataset(tmp_path / "d", "w", keepweakref=True)
    assert dataset.keepweakref
    dataset.createDimension("x", 2)
    variable = dataset.createVariable("/g/v", "i4", ("x",))
    variable[:] = 4
    assert variable.group().path == "/g" and dataset["g"].dimensions == {}
    gc.disable()
    try:
        del dataset, variable
        with netcdf.Dataset(tmp_path / "d") as found:
            assert found["g/v"][:].tolist() == [4, 4]
    finally:
        gc.enable()


def test_archives_are_written_by_sync(tmp_path: Path) -> None:
    dataset = netcdf.Dataset(tmp_path / "d.zip", "w")
    dataset.title = "first"
    dataset.sync()
    with netcdf.Dataset(tmp_path / "d.zip") as found:
        assert found.title == "first"
    dataset.title = "second"
    dataset.close()
    with netcdf.Dataset(tmp_path / "d.zip") as found:
        assert found.title == "second"
