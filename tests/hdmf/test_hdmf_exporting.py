"""From one file into another, between HDF5 and both layouts on Zarr."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pynwb")

from hdmf.backends.errors import UnsupportedOperation
from pynwb import NWBHDF5IO, NWBFile, TimeSeries
from pynwb.testing import TestCase

import omnizarr
from omnizarr.hdmf.backend.data_io import ZarrDataIO
from omnizarr.hdmf.backend.nwb import NWBZarrIO
from omnizarr.hierarchy.linking.links import links
from omnizarr.hierarchy.linking.resolve import resolve

DATA = np.arange(12.0).reshape(6, 2)


def nwb(*series: Any) -> NWBFile:
    file = NWBFile(
        session_description="d",
        identifier="i",
        session_start_time=datetime(2020, 1, 1, tzinfo=UTC),
        file_create_date=datetime(2020, 1, 2, tzinfo=UTC),
    )
    for one in series:
        file.add_acquisition(one)
    return file


def series(name: str, data: Any = DATA, **options: Any) -> TimeSeries:
    return TimeSeries(name=name, data=data, unit="V", **{"rate": 10.0, **options})


def full() -> NWBFile:
    one = series("one")
    file = nwb(one, series("two", data=one))
    device = file.create_device(name="probe")
    group = file.create_electrode_group(name="g", description="d", location="l", device=device)
    for x in range(3):
        file.add_electrode(group=group, location="l", x=float(x))
    file.add_trial_column("tag", "t")
    file.add_trial(start_time=0.0, stop_time=1.0, tag="ä", timeseries=[one])
    return file


def same(found: Any, expected: Any) -> None:
    TestCase().assertContainerEqual(found, expected, ignore_hdmf_attrs=True)


@pytest.mark.parametrize("link_data", [True, False])
@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("is_read", [True, False])
def test_hdf5_to_zarr_and_back(tmp_path: Path, link_data: bool, zarr_format: int, is_read: bool) -> None:
    file = full()
    with NWBHDF5IO(tmp_path / "a.nwb", "w") as io:
        io.write(file)
    with NWBHDF5IO(tmp_path / "a.nwb", "r") as source:
        container = source.read() if is_read else None
        with NWBZarrIO(tmp_path / "b.zarr", "w", zarr_format=zarr_format) as io:
            io.export(source, container, {"link_data": link_data})
    with NWBZarrIO(tmp_path / "b.zarr", "r") as source:
        same(source.read(), file)
        with NWBHDF5IO(tmp_path / "c.nwb", "w") as io:
            io.export(source, write_args={"link_data": False})
    with NWBHDF5IO(tmp_path / "c.nwb", "r") as io:
        same(io.read(), file)


@pytest.mark.parametrize("link_data", [True, False])
@pytest.mark.parametrize("formats", [(2, 2), (2, 3), (3, 2), (3, 3)])
def test_zarr_to_zarr(tmp_path: Path, link_data: bool, formats: tuple[int, int]) -> None:
    file = full()
    with NWBZarrIO(tmp_path / "a.zarr", "w", zarr_format=formats[0]) as io:
        io.write(file)
    with (
        NWBZarrIO(tmp_path / "a.zarr", "r") as source,
        NWBZarrIO(tmp_path / "b.zarr", "w", zarr_format=formats[1]) as io,
    ):
        io.export(source, write_args={"link_data": link_data})
    with NWBZarrIO(tmp_path / "b.zarr", "r") as io:
        same(io.read(), file)
    root = omnizarr.open_group(tmp_path / "b.zarr", mode="r")
    found = links(root["acquisition/two"])["data"].reference
    assert (found.source, found.path) == (".", "/acquisition/one/data")
    if formats[1] == 2:
        assert root["acquisition/one/data"].attrs["_ARRAY_DIMENSIONS"][0] == "num_times"


def test_chunks_are_copied_as_they_are_stored(tmp_path: Path) -> None:
    data = ZarrDataIO(DATA, chunks=(4, 1), compressor={"id": "zlib", "level": 2})
    with NWBZarrIO(tmp_path / "a.zarr", "w") as io:
        io.write(nwb(series("one", data)))
    with NWBZarrIO(tmp_path / "a.zarr", "r") as source, NWBZarrIO(tmp_path / "b.zarr", "w") as io:
        io.export(source)
    keys = [f"acquisition/one/data/{key}" for key in ("0.0", "0.1", "1.0", "1.1")]
    for key in keys:
        assert (tmp_path / "b.zarr" / key).read_bytes() == (tmp_path / "a.zarr" / key).read_bytes()


def test_what_was_changed_since_is_exported(tmp_path: Path) -> None:
    with NWBZarrIO(tmp_path / "a.zarr", "w") as io:
        io.write(full())
    with NWBZarrIO(tmp_path / "a.zarr", "r") as source:
        file = source.read()
        file.add_acquisition(series("three", data=file.acquisition["one"].data))
        file.add_acquisition(series("four", data=[[1.0, 2.0]]))
        with NWBZarrIO(tmp_path / "b.zarr", "w") as io:
            io.export(source, file)
    with NWBZarrIO(tmp_path / "b.zarr", "r") as io:
        found = io.read()
        assert found.acquisition["three"].data[:].tolist() == DATA.tolist()
        assert found.acquisition["four"].data[:].tolist() == [[1.0, 2.0]]
    group = omnizarr.open_group(tmp_path / "b.zarr", mode="r")["acquisition/three"]
    assert links(group)["data"].reference.path == "/acquisition/one/data"
    assert resolve(links(group)["data"], group).store.name == group.store.name


@pytest.mark.parametrize("link_data", [None, True, False])
def test_data_of_another_file(tmp_path: Path, link_data: bool | None) -> None:
    (tmp_path / "sub").mkdir()
    with NWBZarrIO(tmp_path / "sub" / "a.zarr", "w") as io:
        io.write(nwb(series("one")))
    with NWBZarrIO(tmp_path / "sub" / "a.zarr", "r") as source:
        data = source.read().acquisition["one"].data
        file = nwb(series("two", data if link_data is None else ZarrDataIO(data, link_data=link_data)))
        with NWBZarrIO(tmp_path / "b.zarr", "w") as io:
            io.write(file)
    group = omnizarr.open_group(tmp_path / "b.zarr", mode="r")["acquisition/two"]
    if link_data is False:
        assert group["data"][:].tolist() == DATA.tolist()
        return
    assert "data" not in group
    reference = links(group)["data"].reference
    assert (reference.source, reference.path) == ("../sub/a.zarr", "/acquisition/one/data")
    assert resolve(reference, group)[:].tolist() == DATA.tolist()


def test_links_to_other_files_are_right_from_where_they_are_exported_to(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name / "deep").mkdir(parents=True)
    paths = [tmp_path / "data.zarr", tmp_path / "first" / "a.zarr", tmp_path / "second" / "deep" / "b.zarr"]
    with NWBZarrIO(paths[0], "w") as io:
        io.write(nwb(series("one")))
    with NWBZarrIO(paths[0], "r") as source:
        one = source.read().acquisition["one"]
        with NWBZarrIO(paths[1], "w", manager=source.manager) as io:
            io.write(nwb(series("two", data=one.data), one))
    with NWBZarrIO(paths[1], "r") as source, NWBZarrIO(paths[2], "w") as io:
        io.export(source)
    with NWBZarrIO(paths[2], "r") as io:
        assert io.read().acquisition["two"].data[:].tolist() == DATA.tolist()
    root = omnizarr.open_group(paths[2], mode="r")
    found = links(root["acquisition"])["one"].reference
    assert (found.source, found.path) == ("../../../data.zarr", "/acquisition/one")
    assert links(root["acquisition/two"])["data"].reference.source == "../../../data.zarr"


def test_what_an_hdf5_file_links_to_in_another_is_copied(tmp_path: Path) -> None:
    with NWBHDF5IO(tmp_path / "a.nwb", "w") as io:
        io.write(nwb(series("one")))
    with NWBHDF5IO(tmp_path / "a.nwb", "r") as source:
        one = source.read().acquisition["one"]
        file = nwb(series("two", data=one.data), one)
        with NWBHDF5IO(tmp_path / "b.nwb", "w", manager=source.manager) as io:
            io.write(file)
    with NWBHDF5IO(tmp_path / "b.nwb", "r") as source, NWBZarrIO(tmp_path / "c.zarr", "w") as io:
        io.export(source)
    (tmp_path / "a.nwb").unlink()
    with NWBZarrIO(tmp_path / "c.zarr", "r") as io:
        file = io.read()
        assert file.acquisition["one"].data[:].tolist() == DATA.tolist()
        assert file.acquisition["two"].data[:].tolist() == DATA.tolist()


def test_a_link_to_what_is_not_exported_is_a_copy(tmp_path: Path) -> None:
    with NWBZarrIO(tmp_path / "a.zarr", "w") as io:
        io.write(nwb(series("one")))
    with NWBZarrIO(tmp_path / "a.zarr", "r") as source:
        file = source.read()
        data = file.acquisition["one"].data
        file.acquisition.pop("one")
        file.add_acquisition(series("two", data=data))
        with NWBZarrIO(tmp_path / "b.zarr", "w") as io:
            io.export(source, file)
    (tmp_path / "a.zarr").rename(tmp_path / "gone")
    with NWBZarrIO(tmp_path / "b.zarr", "r") as io:
        assert list(io.read().acquisition) == ["two"]
        assert io.read().acquisition["two"].data[:].tolist() == DATA.tolist()


def test_appending_to_what_was_read(tmp_path: Path) -> None:
    with NWBZarrIO(tmp_path / "a.zarr", "w") as io:
        io.write(full())
    with NWBZarrIO(tmp_path / "a.zarr", "r+") as io:
        file = io.read()
        file.add_acquisition(series("five", data=[[5.0]]))
        file.add_trial(start_time=2.0, stop_time=3.0, tag="b", timeseries=[file.acquisition["one"]])
        io.write(file)
    with NWBZarrIO(tmp_path / "a.zarr", "r") as io:
        found = io.read()
        assert found.acquisition["five"].data[:].tolist() == [[5.0]]
        assert found.trials["tag"][:].tolist() == ["ä", "b"]
        assert found.trials["timeseries"][1][0].timeseries is found.acquisition["one"]


def test_exports_go_to_new_files(tmp_path: Path) -> None:
    with NWBZarrIO(tmp_path / "a.zarr", "w") as io:
        io.write(nwb())
    with (
        NWBZarrIO(tmp_path / "a.zarr", "r") as source,
        NWBZarrIO(tmp_path / "b.zarr", "a") as io,
        pytest.raises(UnsupportedOperation, match="expected 'w'"),
    ):
        io.export(source)
