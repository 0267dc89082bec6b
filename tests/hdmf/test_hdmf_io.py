"""Opening, closing and changing files: modes, new files that fail, specifications."""

from datetime import UTC, datetime
from pathlib import Path

import h5py
import numpy as np
import pytest

pynwb = pytest.importorskip("pynwb")

from hdmf.backends.errors import UnsupportedOperation  # noqa: E402
from hdmf.build import TypeMap  # noqa: E402
from hdmf.common import DynamicTable, VectorData, get_manager, get_type_map  # noqa: E402
from hdmf.spec import NamespaceCatalog  # noqa: E402
from pynwb import NWBHDF5IO, NWBFile, TimeSeries  # noqa: E402

import omnizarr  # noqa: E402
from omnizarr.errors import NodeExistsError, NodeNotFoundError, StoreNotFoundError  # noqa: E402
from omnizarr.hdmf import NWBZarrIO, ZarrIO  # noqa: E402
from omnizarr.hdmf.backend.unfinished import MARK  # noqa: E402
from omnizarr.store import MemoryStore  # noqa: E402
from omnizarr.store.layers.wrap import FaultStore  # noqa: E402


def table(*values):
    column = VectorData(name="value", description="d", data=[*map(float, values)])
    return DynamicTable(name="root", description="d", columns=[column])


def recording(**series):
    file = NWBFile("d", "i", datetime(2020, 1, 1, tzinfo=UTC))
    for name, data in series.items():
        file.add_acquisition(TimeSeries(name=name, data=data, unit="V", rate=1.0))
    return file


def write(target, container, mode="w", **options):
    with ZarrIO(target, mode, manager=get_manager(), **options) as io:
        io.write(container, cache_spec=False)


def values_of(target):
    with ZarrIO(target, manager=get_manager()) as io:
        return io.read()["value"][:].tolist()


# --- modes


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("place", ["file.zarr", "file.zarr.zip", "memory", "group"])
def test_files_are_directories_archives_stores_and_groups(tmp_path, place, zarr_format):
    target = {"memory": MemoryStore(), "group": omnizarr.open_group(MemoryStore(), mode="w")}.get(
        place, tmp_path / place
    )
    write(target, table(1, 2), zarr_format=zarr_format)
    assert values_of(target if place != "group" else target.store) == [1.0, 2.0]
    root = omnizarr.open_group(target, mode="r")
    assert root.zarr_format == zarr_format


def test_a_file_may_be_a_group_within_a_store():
    store = MemoryStore()
    inner = omnizarr.open_group(store, mode="w", zarr_format=2).create_group("files/one")
    write(inner, table(3))
    assert values_of(omnizarr.open_group(store, path="files/one", mode="r")) == [3.0]
    assert not store.exists("files/one/" + MARK)


@pytest.mark.parametrize("mode", ["r", "r-", "r+"])
def test_there_has_to_be_a_file_to_read(tmp_path, mode):
    with pytest.raises((StoreNotFoundError, NodeNotFoundError)):
        ZarrIO(tmp_path / "none.zarr", mode)


@pytest.mark.parametrize("mode", ["w-", "x"])
def test_files_are_not_replaced_unless_asked_for(mode):
    store = MemoryStore()
    write(store, table(1), mode)
    with pytest.raises(NodeExistsError):
        ZarrIO(store, mode)
    write(store, table(2), "w")
    assert values_of(store) == [2.0]


def test_a_mode_that_is_none_is_told():
    with pytest.raises(ValueError, match=r"mode: expected one of .*'r-'.*, found 'rw'"):
        ZarrIO(MemoryStore(), "rw")


def test_appending_makes_a_file_where_there_is_none(tmp_path):
    path = tmp_path / "file.nwb.zarr"
    with NWBZarrIO(path, "a") as io:
        io.write(recording(one=[1.0]), cache_spec=False)
    with NWBZarrIO(path, "a") as io:
        found = io.read()
        found.add_acquisition(TimeSeries(name="two", data=[2.0], unit="V", rate=1.0))
        io.write(found, cache_spec=False)
    with NWBZarrIO(path) as io:
        assert sorted(io.read().acquisition) == ["one", "two"]


def test_files_opened_for_reading_are_not_written_to():
    store = MemoryStore()
    write(store, table(1))
    with ZarrIO(store, manager=get_manager()) as io, pytest.raises(UnsupportedOperation, match="mode 'r'"):
        io.write(table(2))


def test_new_files_are_not_read():
    io = ZarrIO(MemoryStore(), "w", manager=get_manager())
    with io, pytest.raises(UnsupportedOperation, match="mode 'w': cannot read"):
        io.read()


def test_closed_files_say_so_and_open_again():
    store = MemoryStore()
    io = ZarrIO(store, "w", manager=get_manager())
    io.write(table(4), cache_spec=False)
    assert io.is_open()
    io.close()
    assert not io.is_open()
    with pytest.raises(UnsupportedOperation, match="is closed"):
        io.read_builder()
    io.open()
    assert io.mode == "r+"
    assert io.read()["value"][:].tolist() == [4.0]
    io.close()


def test_other_files_are_replaced_by_force_only(tmp_path):
    path = tmp_path / "file.nwb"
    with h5py.File(path, "w") as file:
        file["x"] = 1
    with pytest.raises(UnsupportedOperation, match="force_overwrite=True"):
        ZarrIO(path, "w")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "text").write_text("precious")
    with pytest.raises(UnsupportedOperation, match="force_overwrite=True"):
        ZarrIO(folder, "w")
    assert (folder / "text").exists()
    write(path, table(1), force_overwrite=True)
    assert path.is_dir()
    assert values_of(path) == [1.0]


def test_what_can_be_read(tmp_path):
    write(tmp_path / "table.zarr", table(1))
    with NWBZarrIO(tmp_path / "file.nwb.zarr", "w") as io:
        io.write(recording(), cache_spec=False)
    with NWBHDF5IO(tmp_path / "file.nwb", "w") as io:
        io.write(recording(), cache_spec=False)
    assert ZarrIO.can_read(tmp_path / "table.zarr")
    assert not NWBZarrIO.can_read(tmp_path / "table.zarr")
    assert NWBZarrIO.can_read(tmp_path / "file.nwb.zarr")
    assert not ZarrIO.can_read(tmp_path / "file.nwb")
    assert not ZarrIO.can_read(tmp_path / "nothing")


def test_a_synchronizer_is_of_no_effect():
    with pytest.warns(UserWarning, match="synchronizer"):
        ZarrIO(MemoryStore(), "w", synchronizer=True).close()


# --- new files that are not complete


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_file_whose_writer_died_does_not_open(zarr_format):
    """Whatever operation of the store is the last one, there is no file or all of it."""
    inner = MemoryStore()
    count = 0

    def counted(operation, key):
        nonlocal count
        count += 1

    write(FaultStore(inner, counted), table(1), zarr_format=zarr_format)
    complete = opened_alone(inner)
    assert complete
    for last in range(0, count, 5):
        store = MemoryStore()
        seen = 0

        def dies(operation, key, last=last):
            nonlocal seen
            seen += 1
            return KeyboardInterrupt() if seen > last else None

        with pytest.raises(KeyboardInterrupt):
            write(FaultStore(store, dies), table(1), zarr_format=zarr_format)
        assert opened_alone(store) in (False, complete)


def opened_alone(store):
    try:
        return values_of(store)
    except (UnsupportedOperation, NodeNotFoundError, StoreNotFoundError):
        return False


def test_files_that_are_not_complete_say_so_and_are_replaced(tmp_path):
    path = tmp_path / "file.zarr"
    io = ZarrIO(path, "w", manager=get_manager())
    column = VectorData(name="value", description="d", data=[object()])
    with pytest.raises(Exception, match="value"):
        io.write(DynamicTable(name="root", description="d", columns=[column]), cache_spec=False)
    io.close()
    for mode in ("r", "r+", "a"):
        with pytest.raises(UnsupportedOperation, match="not complete"):
            ZarrIO(path, mode)
    with pytest.raises(NodeExistsError, match="not complete"):
        ZarrIO(path, "w-")
    write(path, table(5))
    assert values_of(path) == [5.0]
    assert not (path / MARK).exists()


def test_new_files_that_nothing_is_written_to_are_empty():
    store = MemoryStore()
    ZarrIO(store, "w", manager=get_manager()).close()
    assert list(omnizarr.open_group(store, mode="r")) == []
    with ZarrIO(store, manager=get_manager()) as io, pytest.raises(UnsupportedOperation, match="no values"):
        io.read()


def test_nothing_can_be_found_before_a_file_is_complete(tmp_path):
    path = tmp_path / "file.zarr"
    with ZarrIO(path, "w", manager=get_manager()) as io:
        with pytest.raises(NodeNotFoundError):
            omnizarr.open_group(path, mode="r")
        assert io.file.create_group("inner").path == "inner"
        assert list(io.file) == ["inner"]
        io.write(table(1), cache_spec=False)
        assert sorted(omnizarr.open_group(path, mode="r")) == ["id", "inner", "value"]


# --- specifications


def test_specifications_are_cached_and_loaded():
    store = MemoryStore()
    with ZarrIO(store, "w", manager=get_manager()) as io:
        io.write(table(1))
    version = get_type_map().namespace_catalog.get_namespace("hdmf-common").version
    assert ZarrIO.get_namespaces(store)["hdmf-common"] == version
    types = TypeMap(NamespaceCatalog())
    loaded = ZarrIO.load_namespaces(types, store)
    assert "hdmf-common" in loaded
    assert types.namespace_catalog.get_spec("hdmf-common", "DynamicTable")["data_type_def"] == "DynamicTable"
    with ZarrIO(store) as io:
        assert io.load_namespaces_io(NamespaceCatalog(), ["hdmf-common"]).keys() == {"hdmf-common"}
        with pytest.raises(NodeNotFoundError, match="no namespace 'core' is cached; there are hdmf-common"):
            io.load_namespaces_io(NamespaceCatalog(), ["core"])


def test_files_without_specifications_load_none():
    store = MemoryStore()
    write(store, table(1))
    assert ZarrIO.load_namespaces(NamespaceCatalog(), store) == {}
    assert "specifications" not in omnizarr.open_group(store)


# --- appending


def test_rows_and_references_are_appended_to_stored_columns():
    store = MemoryStore()
    file = recording(one=[1.0])
    file.add_trial(start_time=0.0, stop_time=1.0, timeseries=[file.acquisition["one"]])
    device = file.create_device("probe")
    group = file.create_electrode_group("shank", "d", "l", device)
    file.add_electrode(location="l", group=group)
    with NWBZarrIO(store, "w") as io:
        io.write(file, cache_spec=False)
    with NWBZarrIO(store, "r+") as io:
        found = io.read()
        found.add_electrode(location="m", group=found.electrode_groups["shank"], group_name="shank")
        series = found.acquisition["one"]
        found.add_trial(start_time=5.0, stop_time=6.0, timeseries=[series])
        io.write(found, cache_spec=False)
    with NWBZarrIO(store) as io:
        found = io.read()
        assert found.electrodes["location"][:].tolist() == ["l", "m"]
        assert [one.name for one in found.electrodes["group"][:]] == ["shank", "shank"]
        assert found.trials["start_time"][:].tolist() == [0.0, 5.0]
        assert found.trials["timeseries"][1][0].timeseries is found.acquisition["one"]


def test_data_of_an_open_file_are_arrays():
    store = MemoryStore()
    with NWBZarrIO(store, "w") as io:
        io.write(recording(one=np.arange(12).reshape(4, 3)), cache_spec=False)
    with NWBZarrIO(store, "r+") as io:
        data = io.read().acquisition["one"].data
        assert data[1:3, [0, 2]].tolist() == [[3, 5], [6, 8]]
        assert data[np.array([True, False, False, True])].tolist() == [[0, 1, 2], [9, 10, 11]]
        assert [row.tolist() for row in data] == np.arange(12).reshape(4, 3).tolist()
        assert np.asarray(data, dtype="f4").dtype == np.float32
        assert data.chunks == data.dataset.chunks
        data.append([0, 0, 1])
        assert (len(data), data[-1].tolist()) == (5, [0, 0, 1])


def test_paths_are_named_as_the_file_system_has_them(tmp_path):
    path = Path(tmp_path) / "a file.zarr"
    write(path, table(1))
    for given in (path, str(path), path.as_uri(), omnizarr.open_group(path, mode="r")):
        with ZarrIO(given, manager=get_manager()) as io:
            assert io.source == str(path)
