"""Rows that are added to tables of files that are open for reading and writing."""

from datetime import UTC, datetime

import numpy as np
import pytest

pynwb = pytest.importorskip("pynwb")

from hdmf.common import DynamicTable, DynamicTableRegion, VectorData  # noqa: E402
from pynwb import NWBFile, TimeSeries  # noqa: E402

import omnizarr  # noqa: E402
from omnizarr import hdmf  # noqa: E402
from omnizarr.errors import ConversionError, ReadOnlyError, SelectionError  # noqa: E402
from omnizarr.hdmf import NWBZarrIO, Reference  # noqa: E402
from omnizarr.hdmf.dtypes import REFERENCES, UTF8, Numbers, Records  # noqa: E402
from omnizarr.hdmf.growing import append_values, widen  # noqa: E402
from omnizarr.hdmf.objects import create_values, read_values  # noqa: E402
from omnizarr.store import MemoryStore  # noqa: E402
from omnizarr.store.layers.wrap import FaultStore  # noqa: E402


@pytest.fixture(params=[2, 3])
def zarr_format(request):
    return request.param


def series(name, data=(1.0, 2.0)):
    return TimeSeries(name=name, data=np.array(data), unit="V", rate=1.0)


def recording():
    file = NWBFile("d", "i", datetime(2020, 1, 1, tzinfo=UTC))
    one = series("one")
    file.add_acquisition(one)
    columns = {
        "float": np.array([1.0, 2.0]),
        "int8": np.array([1, 2], "int8"),
        "text": ["a", "b"],
        "bool": np.array([True, False]),
        "rows": np.zeros((2, 3)),
        "series": [one, one],
    }
    made = [VectorData(name=name, description="d", data=data) for name, data in columns.items()]
    table = DynamicTable(name="table", description="d", columns=made)
    table.add_column(name="ragged", description="d", data=[1.0, 2.0, 3.0], index=[2, 3])
    table.add_column(name="ragged_text", description="d", data=["a", "b", "c"], index=[2, 3])
    table.add_column(name="ragged_series", description="d", data=[one, one, one], index=[2, 3])
    file.add_scratch(table)
    region = DynamicTableRegion(name="region", description="d", data=[0, 1], table=table)
    file.add_scratch(DynamicTable(name="regions", description="d", columns=[region]))
    file.add_trial_column("tag", "t")
    file.add_trial(start_time=0.0, stop_time=1.0, tag="ä", timeseries=[one])
    group = file.create_electrode_group(
        name="g", description="d", location="l", device=file.create_device(name="probe")
    )
    file.add_electrode(group=group, location="l", x=1.0)
    file.add_unit(spike_times=[1.0, 2.0])
    return file


@pytest.fixture
def place(tmp_path, zarr_format):
    path = tmp_path / "file.nwb.zarr"
    with NWBZarrIO(path, "w", zarr_format=zarr_format) as io:
        io.write(recording())
    return path


NEW_ROW = {
    "float": 3.0,
    "int8": 3,
    "text": "a longer text",
    "bool": True,
    "rows": np.ones(3),
    "ragged": [4.0, 5.0],
    "ragged_text": ["ä", "longer"],
}


def add_rows(file, late):
    one = file.acquisition["one"]
    file.scratch["table"].add_row(**NEW_ROW, series=one, ragged_series=[one, late])
    file.scratch["regions"].add_row(region=2)
    file.add_trial(start_time=2.0, stop_time=3.0, tag="much longer", timeseries=[one, late])
    file.add_electrode(group=file.electrode_groups["g"], location="longer", x=2.0)
    file.add_unit(spike_times=[3.0, 4.0, 5.0])


def check_rows(file):
    """Compare what `add_rows` added."""
    one, table = file.acquisition["one"], file.scratch["table"]
    assert len(table) == 3
    for name, value in NEW_ROW.items():
        assert np.array_equal(table[name][2], value), name
    assert table["int8"].data.dtype == "int8"
    assert table["series"][2] is one
    assert table["ragged_series"][2] == [one, file.acquisition["late"]]
    assert table["ragged_text"][0].tolist() == ["a", "b"]
    assert file.scratch["regions"]["region"].data[:].tolist() == [0, 1, 2]
    assert file.trials["tag"][:].tolist() == ["ä", "much longer"]
    assert [ref.timeseries for ref in file.trials["timeseries"][1]] == [one, file.acquisition["late"]]
    assert file.electrodes["group"][1] is file.electrode_groups["g"]
    assert file.electrodes["location"][:].tolist() == ["l", "longer"]
    assert file.units["spike_times"][1].tolist() == [3.0, 4.0, 5.0]


@pytest.mark.parametrize("mode", ["r", "r-"])
def test_rows_of_every_kind_of_column_are_added_to_tables_that_are_stored(place, mode):
    with NWBZarrIO(place, "r+") as io:
        file = io.read()
        file.add_acquisition(series("late"))
        add_rows(file, file.acquisition["late"])
        io.write(file)
    with NWBZarrIO(place, mode) as io:
        file = io.read()
        check_rows(file)
        with NWBZarrIO(place.parent / "copy", "w") as copy:
            copy.export(io, write_args={"link_data": False})
    with NWBZarrIO(place.parent / "copy", mode) as io:
        check_rows(io.read())


def test_rows_are_there_once_the_file_is_closed_though_it_was_not_written(place):
    with NWBZarrIO(place, "r+") as io:
        file = io.read()
        file.add_trial(start_time=2.0, stop_time=3.0, tag="b", timeseries=[file.acquisition["one"]])
        with NWBZarrIO(place) as other:
            assert len(other.read().trials) == 1
    with NWBZarrIO(place) as io:
        assert io.read().trials["tag"][:].tolist() == ["ä", "b"]


def test_rows_that_refer_to_what_was_never_written(place):
    io = NWBZarrIO(place, "r+")
    io.read().scratch["table"]["series"].append(series("late"))
    with pytest.warns(UserWarning, match="1 rows refer to containers that were not written"):
        io.close()
    found = omnizarr.open_group(place)["scratch/table/series"]
    assert read_values(found)[2] is None


def test_rows_that_refer_to_what_is_in_another_file(place, tmp_path):
    (tmp_path / "deep").mkdir()
    manager = pynwb.get_manager()
    with NWBZarrIO(tmp_path / "deep" / "other", "w", zarr_format=3) as io:
        io.write(recording())
    with NWBZarrIO(tmp_path / "deep" / "other", "r", manager=manager) as other:
        target = other.read().acquisition["one"]
        with NWBZarrIO(place, "r+", manager=manager) as io:
            file = io.read()
            file.scratch["table"]["series"].append(target)
            file.trials["timeseries"].add_vector([(0, 2, target)])
            with pytest.raises(ConversionError, match="expected what a reference can point at"):
                file.scratch["table"]["series"].append("one")
    root = omnizarr.open_group(place)
    found = read_values(root["scratch/table/series"])[2]
    assert (found.source, found.path) == ("../deep/other", "/acquisition/one")
    assert found.object_id == target.object_id
    assert read_values(root["intervals/trials/timeseries"])[1]["timeseries"] == found
    assert hdmf.resolve(found, root["scratch/table"]).attrs["object_id"] == target.object_id


@pytest.mark.parametrize("count", [253, 254, 70_000])
def test_the_index_of_a_ragged_column_becomes_wider(place, count):
    with NWBZarrIO(place, "r+") as io:
        file = io.read()
        file.add_unit(spike_times=np.arange(float(count)))
        file.add_unit(spike_times=[7.0])
    ends = [2, 2 + count, 3 + count]
    for mode in ("r", "r-"):
        with NWBZarrIO(place, mode) as io:
            units = io.read().units
            index = units["spike_times"].data
            assert index[:].tolist() == ends
            assert index.dtype == np.min_scalar_type(ends[-1])
            assert units["spike_times"][1].tolist() == list(range(count))
            assert units["spike_times"][2].tolist() == [7.0]
    # None of the chunks that were replaced is left.
    chunks = [one for one in (place / "units" / "spike_times_index").rglob("*") if one.is_file()]
    assert len([one for one in chunks if not one.name.startswith((".", "zarr"))]) == 3


def test_what_is_no_value_of_a_column_is_refused_and_nothing_changes(place):
    wrong = {"int8": 300, "float": "a", "text": 3, "bool": 2, "rows": [1.0]}
    with NWBZarrIO(place, "r+") as io:
        table = io.read().scratch["table"]
        for name, value in wrong.items():
            with pytest.raises((ConversionError, SelectionError)):
                table[name].data.append(value)
        with pytest.raises(ConversionError, match=r"1\.5 is no value of int8"):
            table["int8"].data.extend([1, 1.5])
        assert {len(table[name].data) for name in wrong} == {2}
    root = omnizarr.open_group(place)
    assert {root[f"scratch/table/{name}"].shape[0] for name in wrong} == {2}


def test_nothing_is_added_to_a_file_that_was_opened_for_reading(place):
    with NWBZarrIO(place, "r") as io, pytest.raises(ReadOnlyError):
        io.read().scratch["table"]["float"].extend([1.0])


def test_lists_and_arrays_are_extended_as_before():
    column = VectorData(name="a", description="d", data=[1])
    column.extend([2])
    assert column.data == [1, 2]
    column = VectorData(name="a", description="d", data=np.array([1]))
    column.extend([2])
    assert column.data.tolist() == [1, 2]


# --- without hdmf: records

RECORDS = Records((("n", Numbers(np.dtype("int32"))), ("text", UTF8), ("target", REFERENCES)))
ROWS = [(1, "a", Reference("/x")), (2, "bb", Reference("/y"))]
LONGER = [(3, "a much longer text", Reference("/a/much/longer/path", "../and/another/file"))]


def records(store, zarr_format, chunks=(1,)):
    root = omnizarr.create_group(store, zarr_format=zarr_format)
    return create_values(root, "records", ROWS, RECORDS, chunks=chunks)


def test_longer_text_and_references_are_added_to_records(zarr_format):
    array = records(MemoryStore(), zarr_format)
    left = append_values(array, LONGER)
    assert [tuple(row) for row in read_values(array)] == ROWS + LONGER
    again = omnizarr.open_array(array.store, path="records")
    assert [tuple(row) for row in read_values(again)] == ROWS + LONGER
    # Chunks of Zarr v2 hold records of any length; on v3 those of the narrower array are still there.
    assert left == ([] if zarr_format == 2 else ["records/c/0", "records/c/1"])
    assert all(array.store.exists(key) for key in left)
    assert append_values(array, ROWS) == []
    assert append_values(array, [(3, "t" * 99, None)]) == (
        [] if zarr_format == 2 else [f"records/c.{i}" for i in range(5)]
    )
    assert read_values(array)["n"].tolist() == [1, 2, 3, 1, 2, 3]


def test_readers_with_the_old_metadata_read_the_old_records():
    store = MemoryStore()
    array = records(store, 3)
    old = omnizarr.open_array(store, path="records", mode="r")
    append_values(array, LONGER)
    assert [tuple(row) for row in read_values(old)] == ROWS


def test_a_writer_that_stops_while_records_become_wider_leaves_the_old_ones():
    changes = ("set", "update", "delete")
    for last in range(4):
        store, left = MemoryStore(), [last]
        records(store, 3)

        def stops(operation, key, left=left):
            if operation in changes:
                left[0] -= 1
                if left[0] < 0:
                    raise OSError("stopped")

        array = omnizarr.open_array(FaultStore(store, stops), path="records", mode="r+")
        with pytest.raises(OSError, match="stopped"):
            append_values(array, LONGER)
        again = omnizarr.open_array(store, path="records", mode="r+")
        assert [tuple(row) for row in read_values(again)] == ROWS
        append_values(again, LONGER)
        assert [tuple(row) for row in read_values(again)] == ROWS + LONGER


def test_numbers_become_wider_in_both_formats_and_say_so(zarr_format):
    root = omnizarr.create_group(MemoryStore(), zarr_format=zarr_format)
    array = create_values(root, "a", np.array([1, 255], "uint8"), chunks=(1,))
    assert widen(array, np.dtype("uint8")) == []
    widen(array, np.dtype("uint16"))
    again = root["a"]
    assert again.dtype == "uint16"
    assert again[:].tolist() == [1, 255]
    assert {*again.attrs.values()} == {"uint16"}
    with pytest.raises(ConversionError, match="cannot hold float64"):
        widen(again, np.dtype("float64"))


def test_rows_of_another_shape_and_scalars(zarr_format):
    root = omnizarr.create_group(MemoryStore(), zarr_format=zarr_format)
    array = create_values(root, "a", np.zeros((2, 3)))
    with pytest.raises(SelectionError, match=r"\(1, 2\)"):
        append_values(array, [[1.0, 2.0]])
    assert array.shape == root["a"].shape == (2, 3)
    if zarr_format == 3:
        with pytest.raises(SelectionError, match="scalar"):
            append_values(create_values(root, "b", 1.0, scalar=True), [1.0])
