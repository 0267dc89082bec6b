"""References in datasets, records and attributes, to nodes and to regions, that lead into other files."""

from datetime import UTC, datetime

import numpy as np
import pytest

pynwb = pytest.importorskip("pynwb")

from hdmf.common import DynamicTable, VectorData  # noqa: E402
from pynwb import NWBFile, TimeSeries  # noqa: E402

import omnizarr  # noqa: E402
from omnizarr import hdmf  # noqa: E402
from omnizarr.hdmf import NWBZarrIO  # noqa: E402
from omnizarr.hdmf.dtypes import REGIONS  # noqa: E402

FORMATS = pytest.mark.parametrize("formats", [(2, 2), (2, 3), (3, 2), (3, 3)])
LINKS = pytest.mark.parametrize("link_data", [True, False])
VALUES = np.arange(12.0).reshape(6, 2)


def recording(name="one"):
    file = NWBFile("d", "i", datetime(2020, 1, 1, tzinfo=UTC))
    file.add_acquisition(TimeSeries(name=name, data=VALUES, unit="V", rate=1.0))
    return file


def write_pair(data_path, path, zarr_format):
    """Write a file, and one whose references lead into it: in a column, in records and in attributes."""
    with NWBZarrIO(data_path, "w", zarr_format=zarr_format) as io:
        io.write(recording())
    with NWBZarrIO(data_path, "r") as source:
        there = source.read().acquisition["one"]
        file = recording("own")
        own = file.acquisition["own"]
        column = VectorData(name="series", description="s", data=[there, own, there])
        file.add_scratch(DynamicTable(name="table", description="d", columns=[column]))
        file.add_trial(start_time=1.0, stop_time=3.0, timeseries=[there, own])
        with NWBZarrIO(path, "w", manager=source.manager, zarr_format=zarr_format) as io:
            io.write(file)
    target = omnizarr.open_group(data_path)["acquisition/one/data"]
    root = omnizarr.open_group(path, mode="r+", use_consolidated=False)
    regions = [hdmf.region_reference_to(target, rows, root) for rows in (np.s_[1:3], np.s_[[0, 4], [1, 0]])]
    regions.append(hdmf.region_reference_to(root["acquisition/own/data"], np.s_[2], root))
    hdmf.create_values(root["scratch/table"], "regions", regions, REGIONS, attributes=VECTOR_DATA)
    root["scratch/table"].attrs["colnames"] = ["series", "regions"]
    hdmf.add_reference(root["acquisition/own"], "region", regions[0])
    omnizarr.consolidate_metadata(root)


VECTOR_DATA = {
    "neurodata_type": "VectorData",
    "namespace": "hdmf-common",
    "object_id": "3b1d5b3e-95e0-4f1c-a8d3-b9dbf7b4fb0e",
    "description": "regions",
}


def check_without_hdmf(path, source, is_whole=True, **options):
    """Follow all references with nothing but omnizarr."""
    root = omnizarr.open_group(path, mode="r", **options)
    table = root["scratch/table"]
    column = hdmf.read_values(table["series"])
    records = hdmf.read_values(root["intervals/trials/timeseries"])
    assert [one.source for one in column] == [source, ".", source]
    assert [(*row,)[:2] for row in records] == [(1, 2), (1, 2)]
    assert [one.source for one in records["timeseries"]] == [source, "."]
    names = ["one", "own", "one", "one", "own"]
    for name, reference in zip(names, [*column, *records["timeseries"]], strict=True):
        found = hdmf.resolve(reference, table, **options)
        assert found.path == f"acquisition/{name}"
        assert reference.object_id in (found.attrs["object_id"], None if reference.source == "." else ...)
    regions = [*hdmf.read_values(table["regions"])]
    assert [one.source for one in regions] == [source, source, "."]
    if is_whole:  # HDMF's containers hold no attributes that are in no specification
        regions.append(hdmf.references(root["acquisition/own"])["region"])
        assert regions[-1].source == source
    expected = [VALUES[1:3], VALUES[[0, 4], [1, 0]], VALUES[2:3], VALUES[1:3]]
    for reference, values in zip(regions, expected, strict=False):
        array, selection = hdmf.resolve(reference, table, **options)
        assert np.asarray(array[selection]).tolist() == values.tolist()


def check_with_pynwb(path, **options):
    with NWBZarrIO(path, "r", **options) as io:
        file = io.read()
        there = file.scratch["table"]["series"][0]
        assert there is file.scratch["table"]["series"][2]
        assert there.data[:].tolist() == VALUES.tolist()
        assert file.scratch["table"]["series"][1] is file.acquisition["own"]
        first, second = file.trials["timeseries"][0]
        assert (first.timeseries, second.timeseries) == (there, file.acquisition["own"])
        assert first.data.tolist() == VALUES[1:3].tolist()
        return [(one.path, one.region) for one in file.scratch["table"]["regions"][:]]


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_on_disk(tmp_path, zarr_format):
    (tmp_path / "deep").mkdir()
    write_pair(tmp_path / "data.zarr", tmp_path / "deep" / "file.zarr", zarr_format)
    check_without_hdmf(tmp_path / "deep" / "file.zarr", "../../data.zarr")
    check_with_pynwb(tmp_path / "deep" / "file.zarr")


@FORMATS
@LINKS
def test_they_are_right_from_where_they_are_exported_to(tmp_path, formats, link_data):
    (tmp_path / "deep" / "deeper").mkdir(parents=True)
    write_pair(tmp_path / "data.zarr", tmp_path / "file.zarr", formats[0])
    out = tmp_path / "deep" / "deeper" / "file.zarr"
    with (
        NWBZarrIO(tmp_path / "file.zarr", "r") as source,
        NWBZarrIO(out, "w", zarr_format=formats[1]) as io,
    ):
        io.export(source, write_args={"link_data": link_data})
    check_without_hdmf(out, "../../../data.zarr", is_whole=link_data)
    regions = check_with_pynwb(out)
    assert regions == check_with_pynwb(tmp_path / "file.zarr")


@LINKS
def test_they_are_right_when_what_was_read_is_exported(tmp_path, link_data):
    (tmp_path / "deep").mkdir()
    write_pair(tmp_path / "data.zarr", tmp_path / "file.zarr", 3)
    out = tmp_path / "deep" / "file.zarr"
    with NWBZarrIO(tmp_path / "file.zarr", "r") as source:
        file = source.read()
        file.add_acquisition(TimeSeries(name="new", data=[1.0], unit="V", rate=1.0))
        with NWBZarrIO(out, "w", zarr_format=3) as io:
            io.export(source, file, {"link_data": link_data})
    check_without_hdmf(out, "../../data.zarr", is_whole=link_data)
    check_with_pynwb(out)
