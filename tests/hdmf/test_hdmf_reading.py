"""Reading files into builders and containers."""

import warnings
from pathlib import Path

import numpy as np
import pytest

pynwb = pytest.importorskip("pynwb")

from hdmf.backends.warnings import BrokenLinkWarning  # noqa: E402
from hdmf.build import BuildManager, TypeMap  # noqa: E402
from hdmf.spec import NamespaceCatalog  # noqa: E402
from pynwb import TimeSeries  # noqa: E402

import omnizarr  # noqa: E402
from omnizarr.errors import MetadataError, NodeNotFoundError  # noqa: E402
from omnizarr.hdmf import (  # noqa: E402
    NWBZarrIO,
    Reference,
    RegionReference,
    Slices,
    ZarrIO,
    add_link,
    add_reference,
    region_reference_to,
)
from omnizarr.hdmf.backend.resolving import BuilderReferences, BuilderTable, ContainerTable  # noqa: E402
from omnizarr.store import MemoryStore  # noqa: E402
from omnizarr.store.layers.wrap import CountingStore  # noqa: E402

NWB = Path(__file__).parent / "data" / "nwb.zarr.zip"


@pytest.fixture
def peer():
    with NWBZarrIO(NWB) as io:
        yield io


def stored():
    """Return the root of a copy of the fixture that can be changed."""
    store = MemoryStore()
    omnizarr.copy(NWB, store)
    store.delete(".zmetadata")
    return omnizarr.open_group(store, mode="r+", use_consolidated=False)


def builders(root, mode="r"):
    return ZarrIO(root, mode, manager=BuildManager(TypeMap(NamespaceCatalog())))


# --- what hdmf-zarr wrote


def test_values_of_one_are_values(peer):
    root = peer.read_builder()
    assert root["identifier"].data == "i"
    assert root["session_start_time"].data == "2020-01-01T00:00:00+00:00"
    start = root["acquisition/raw/starting_time"]
    assert start.data == 0.0
    assert isinstance(start.data, np.float64)
    assert start.attributes == {"rate": 1000.0, "unit": "seconds"}


def test_reserved_attributes_are_none_of_a_builder(peer):
    root = peer.read_builder()
    assert set(root.attributes) == {"namespace", "neurodata_type", "nwb_version", "object_id"}
    assert "zarr_link" not in root["acquisition/linked"].attributes
    assert "_ARRAY_DIMENSIONS" not in root["acquisition/ts/data"].attributes


def test_each_node_has_one_builder(peer):
    root = peer.read_builder()
    link = root["acquisition/linked"].links["data"]
    assert link.builder is root["acquisition/ts/data"]
    table = root["general/extracellular_ephys/electrodes"]
    assert root["acquisition/raw/electrodes"].attributes["table"] is table
    shank = root["general/extracellular_ephys/shank0"]
    assert [*table["group"].data] == [shank] * 3
    assert peer.read_builder() is root


def test_builders_know_where_they_are(peer):
    root = peer.read_builder()
    assert root.source == str(NWB)
    assert (root.name, root.location) == ("root", "/")
    assert root["acquisition/ts/data"].location == "/acquisition/ts"
    assert root["acquisition/linked"].links["data"].source == str(NWB)


def test_types_are_those_of_the_specification(peer):
    root = peer.read_builder()
    assert root["acquisition/raw/data"].dtype == np.dtype("int16")
    assert root["general/experimenter"].dtype == "utf8"
    assert root["file_create_date"].dtype == "ascii"
    assert root["general/extracellular_ephys/electrodes/group"].dtype == "object"
    assert root["intervals/trials/timeseries"].dtype == [
        {"name": "idx_start", "dtype": "int32"},
        {"name": "count", "dtype": "int32"},
        {"name": "timeseries", "dtype": "object"},
    ]


def test_references_are_resolved_when_they_are_read(peer):
    root = peer.read_builder()
    groups = root["general/extracellular_ephys/electrodes/group"].data
    assert isinstance(groups, BuilderReferences)
    shank = root["general/extracellular_ephys/shank0"]
    assert groups[0] is shank
    assert groups[1:] == [shank, shank]
    assert groups[[0, 2]] == [shank, shank]
    assert groups.stored(0).path == "/general/extracellular_ephys/shank0"
    containers = groups.invert()
    assert containers[0] is peer.manager.construct(shank)
    assert containers.invert()[0] is shank


def test_rows_of_tables_have_their_references_resolved(peer):
    root = peer.read_builder()
    rows = root["intervals/trials/timeseries"].data
    assert isinstance(rows, BuilderTable)
    series = root["acquisition/ts"]
    assert tuple(rows[0]) == (0, 1, series)
    assert rows[:]["timeseries"].tolist() == [series]
    assert [tuple(row) for row in rows] == [(0, 1, series)]
    inverse = rows.invert()
    assert isinstance(inverse, ContainerTable)
    assert isinstance(inverse[0]["timeseries"], TimeSeries)
    assert rows.dtype == ["int32", "int32", "object"]


def test_containers_are_as_they_were_written(peer):
    recording = peer.read()
    assert recording.identifier == "i"
    assert recording.session_start_time.isoformat() == "2020-01-01T00:00:00+00:00"
    assert recording.file_create_date[0].year == 2026
    assert recording.acquisition["linked"].data is recording.acquisition["ts"].data
    assert recording.acquisition["ts"].data[2:4].tolist() == [2.0, 3.0]
    assert recording.acquisition["raw"].electrodes.table is recording.electrodes
    assert recording.electrodes["group"][1] is recording.electrode_groups["shank0"]
    assert recording.epochs["tags"][0].tolist() == ["x"]
    assert recording.trials["timeseries"][0][0].timeseries is recording.acquisition["ts"]
    assert recording.devices["probe"] is recording.electrode_groups["shank0"].device


# --- what is read, and when


def test_data_are_read_when_they_are_indexed():
    store = CountingStore(stored().store)
    omnizarr.consolidate_metadata(store)
    with NWBZarrIO(store) as io:
        recording = io.read()
        store.reset()
        assert len(recording.acquisition["ts"].data) == 10
        assert recording.acquisition["raw"].data.shape == (10, 2)
        assert not store.counts
        recording.acquisition["ts"].data[3]
        assert sum(store.counts.values()) == 1


def test_consolidated_files_take_one_request_for_each_value_beside_those_of_the_root():
    store = CountingStore(stored().store)
    omnizarr.consolidate_metadata(store)
    store.reset()
    with builders(store) as io:
        io.read_builder()
    values = 6  # identifier, session_description, session_id, two times, and starting_time
    assert store.counts == {"get": 5 + values}


def test_files_open_though_a_codec_is_missing():
    root = stored()
    key = "acquisition/ts/data/.zarray"
    document = root.store.get(key).replace(b'"blosc"', b'"unheard"')
    root.store.set(key, document)
    with NWBZarrIO(root) as io:
        recording = io.read()
        assert recording.acquisition["raw"].data[0].tolist() == [0, 0]
        with pytest.raises(MetadataError, match="unheard"):
            recording.acquisition["ts"].data[0]


@pytest.mark.parametrize("mode", ["r", "r-"])
def test_nodes_that_are_not_consolidated_are_found_where_that_is_asked_for(mode):
    root = stored()
    omnizarr.consolidate_metadata(root)
    omnizarr.open_group(root.store, use_consolidated=False).create_group("analysis/later")
    with builders(root.store, mode) as io:
        assert ("later" in io.read_builder()["analysis"].groups) is (mode == "r-")


# --- what points


def test_links_that_lead_nowhere_are_told_and_left_out():
    root = stored()
    add_link(root["acquisition"], "lost", "/nowhere")
    add_reference(root["acquisition/ts"], "gone", Reference("/nowhere/either"))
    with builders(root) as io, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = io.read_builder()
    assert "lost" not in found["acquisition"].links
    assert "gone" not in found["acquisition/ts"].attributes
    messages = [str(one.message) for one in told if one.category is BrokenLinkWarning]
    assert len(messages) == 2
    assert any("the link 'lost' points at /nowhere" in text for text in messages)
    assert any("the attribute 'gone' points at /nowhere/either" in text for text in messages)


def test_links_lead_into_other_files(tmp_path):
    omnizarr.copy(NWB, tmp_path / "one.zarr")
    other = omnizarr.open_group(tmp_path / "two" / "file.zarr", mode="w", zarr_format=2)
    group = other.create_group("things")
    add_link(group, "series", "/acquisition/ts", source="../../one.zarr")
    add_link(group, "data", "/acquisition/ts/data", source="../../one.zarr")
    with builders(tmp_path / "two" / "file.zarr") as io:
        links = io.read_builder()["things"].links
        assert links["data"].builder is links["series"].builder["data"]
        assert links["data"].builder.source == str(tmp_path / "one.zarr")
        assert links["data"].builder.location == "/acquisition/ts"
        assert links["data"].builder.data[1] == 1.0


def test_references_to_regions_stay_what_they_are():
    root = stored()
    data = root["acquisition/raw/data"]
    add_reference(root["analysis"], "part", region_reference_to(data, np.s_[1:3, 0], root["analysis"]))
    with builders(root) as io:
        part = io.read_builder()["analysis"].attributes["part"]
    assert isinstance(part, RegionReference)
    assert isinstance(part.region, Slices)


def test_builders_and_containers_of_nodes(peer):
    recording = peer.read()
    assert peer.get_builder("acquisition/ts") is peer.read_builder()["acquisition/ts"]
    array = peer.file["acquisition/ts/data"]
    assert peer.get_builder(array) is peer.read_builder()["acquisition/ts/data"]
    assert peer.get_container("acquisition/ts") is recording.acquisition["ts"]
    with pytest.raises(NodeNotFoundError):
        peer.get_builder("acquisition/nothing")
