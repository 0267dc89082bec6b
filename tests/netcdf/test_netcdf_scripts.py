"""What scripts written for netCDF4-python do and rely on; the peer runs the same where it can."""

from __future__ import annotations

from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest

from omnizarr import netcdf
from omnizarr.errors import StoreError
from omnizarr.store.directory import DirectoryStore


@pytest.mark.parametrize("content", [b"", b"CDF\x01" + bytes(28), b"\x89HDF\r\n\x1a\n" + bytes(88)])
@pytest.mark.parametrize("memory", [{}, {"diskless": True, "persist": True}])
def test_a_netcdf_file_is_replaced(tmp_path: Path, content: bytes, memory: dict[str, bool]) -> None:
    place = tmp_path / "old.nc"
    place.write_bytes(content)
    with netcdf.Dataset(place, "w", **memory) as made:
        made.title = "new"
    assert place.is_dir()
    with netcdf.Dataset(place) as found:
        assert found.title == "new"


def test_a_diskless_dataset_leaves_a_file_alone(tmp_path: Path) -> None:
    place = tmp_path / "old.nc"
    place.write_bytes(b"CDF\x01")
    with netcdf.Dataset(place, "w", diskless=True) as made:
        made.title = "new"
    assert place.read_bytes() == b"CDF\x01"


@pytest.mark.parametrize("mode", ["w", "x", "a", "r+"])
def test_another_file_is_left_alone(tmp_path: Path, mode: str) -> None:
    for content in (b"a text", b"" if mode != "w" else b"\x89PNG\r\n\x1a\n"):
        place = tmp_path / "some.nc"
        place.write_bytes(content)
        with pytest.raises(StoreError):
            netcdf.Dataset(place, mode)
        assert place.read_bytes() == content


def test_a_temporary_file_names_a_dataset(tmp_path: Path) -> None:
    with NamedTemporaryFile(dir=tmp_path, suffix=".nc", delete=False) as file:
        name = file.name
    with netcdf.Dataset(name, "w") as made:
        made.createVariable("v", "i4")[...] = 3
    assert DirectoryStore(name).exists(".zgroup")
