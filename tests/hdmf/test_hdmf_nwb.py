"""NWB files: every type that pynwb can mock, there and back."""

import inspect
import json
from datetime import UTC, datetime
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pytest

pynwb = pytest.importorskip("pynwb")

from hdmf.build import BuildManager  # noqa: E402
from hdmf.common import get_type_map as get_common_types  # noqa: E402
from hdmf.testing import TestCase  # noqa: E402
from pynwb import NWBHDF5IO, NWBFile, TimeSeries  # noqa: E402
from pynwb.testing import mock  # noqa: E402
from pynwb.testing.mock.file import mock_NWBFile  # noqa: E402

import omnizarr  # noqa: E402
from omnizarr.hdmf import NWBZarrIO  # noqa: E402
from omnizarr.hdmf.specs import read_spec  # noqa: E402
from omnizarr.store import MemoryStore  # noqa: E402


def mocks():
    for module in iter_modules(mock.__path__):
        found = import_module(f"pynwb.testing.mock.{module.name}")
        for name, make in inspect.getmembers(found, inspect.isfunction):
            if name.startswith("mock_") and "nwbfile" in inspect.signature(make).parameters:
                yield name, make


MOCKS = dict(mocks())


def written(file, **options):
    store = MemoryStore()
    with NWBZarrIO(store, "w", **options) as io:
        io.write(file, cache_spec=False)
    return store


def small():
    file = NWBFile("d", "i", datetime(2020, 1, 1, tzinfo=UTC))
    file.add_acquisition(TimeSeries(name="one", data=[1.0, 2.0], unit="V", rate=1.0))
    return file


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("name", sorted(MOCKS))
def test_every_type_comes_back_as_it_was(name, zarr_format):
    file = mock_NWBFile()
    MOCKS[name](nwbfile=file)
    with NWBZarrIO(written(file, zarr_format=zarr_format)) as io:
        TestCase().assertContainerEqual(io.read(), file)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_pynwb_finds_nothing_wrong(zarr_format):
    store = MemoryStore()
    with NWBZarrIO(store, "w", zarr_format=zarr_format) as io:
        io.write(small())
    with NWBZarrIO(store) as io:
        assert pynwb.validate(io=io) == []


def test_the_version_is_that_of_the_file():
    store = written(small())
    with NWBZarrIO(store) as io:
        text, parts = io.nwb_version
        assert text == omnizarr.open_group(store).attrs["nwb_version"]
        assert parts[0] == 2
    with NWBZarrIO(MemoryStore(), "w") as io:
        assert io.nwb_version == (None, None)


@pytest.mark.parametrize(
    ("version", "told"), [(None, "found no nwb_version"), ("NWB-1.0.6", "found NWB-1.0.6")]
)
def test_what_is_no_nwb_file_is_told(version, told):
    store = written(small())
    root = omnizarr.open_group(store, mode="r+", use_consolidated=False)
    if version is None:
        del root.attrs["nwb_version"]
    else:
        root.attrs["nwb_version"] = version
    assert not NWBZarrIO.can_read(store)
    with NWBZarrIO(store, "r-") as io:
        with pytest.raises(TypeError, match=told):
            io.read()
        assert io.read(skip_version_check=True).identifier == "i"


def test_read_nwb_leaves_the_file_open():
    file = NWBZarrIO.read_nwb(written(small()))
    assert file.acquisition["one"].data[:].tolist() == [1.0, 2.0]
    assert isinstance(file.read_io, NWBZarrIO)
    file.read_io.close()


def test_managers_and_extensions_are_alternatives():
    store = written(small())
    with pytest.raises(ValueError, match="manager and extensions"):
        NWBZarrIO(store, manager=pynwb.get_manager(), extensions=get_common_types())
    with NWBZarrIO(store, extensions=[get_common_types()]) as io:
        assert io.read().identifier == "i"
    types = pynwb.get_type_map()
    with NWBZarrIO(store, manager=types) as io:
        assert isinstance(io.manager, BuildManager)
        assert io.manager.type_map is types


def test_files_go_from_hdf5_to_zarr_and_back(tmp_path):
    file = small()
    with NWBHDF5IO(tmp_path / "one.nwb", "w") as io:
        io.write(file)
    store = MemoryStore()
    with NWBHDF5IO(tmp_path / "one.nwb", "r") as source, NWBZarrIO(store, "w") as io:
        io.export(source, write_args={"link_data": False})
    with NWBZarrIO(store) as source, NWBHDF5IO(tmp_path / "two.nwb", "w") as io:
        io.export(source, write_args={"link_data": False})
    with NWBHDF5IO(tmp_path / "two.nwb", "r") as io:
        TestCase().assertContainerEqual(io.read(), file, ignore_hdmf_attrs=True)


def test_what_was_read_is_changed_and_exported():
    store = MemoryStore()
    with NWBZarrIO(written(small())) as source:
        file = source.read()
        file.add_acquisition(TimeSeries(name="two", data=[3], unit="V", rate=1.0))
        with NWBZarrIO(store, "w") as io:
            io.export(source, file, cache_spec=False)
    with NWBZarrIO(store) as io:
        acquisition = io.read().acquisition
        assert sorted(acquisition) == ["one", "two"]
        assert acquisition["one"].data[:].tolist() == [1.0, 2.0]


@pytest.fixture
def extension(tmp_path):
    """Return the path of an extension with one type."""
    from pynwb.spec import NWBAttributeSpec, NWBGroupSpec, NWBNamespaceBuilder

    builder = NWBNamespaceBuilder("an extension", "ndx-probe", version="0.1.0")
    builder.include_type("TimeSeries", namespace="core")
    depth = NWBAttributeSpec("depth", "how deep", "uint8")
    kind = NWBGroupSpec(
        "a probe", neurodata_type_def="DeepSeries", neurodata_type_inc="TimeSeries", attributes=[depth]
    )
    builder.add_spec("probe.extensions.yaml", kind)
    builder.export("probe.namespace.yaml", outdir=str(tmp_path))
    return str(tmp_path / "probe.namespace.yaml")


def test_files_with_extensions_are_read_by_what_is_cached_in_them(extension):
    types = pynwb.get_type_map()
    types.load_namespaces(extension)
    deep = types.get_dt_container_cls("DeepSeries", "ndx-probe")
    file = small()
    file.add_acquisition(deep(name="deep", data=[1.0], unit="m", rate=1.0, depth=np.uint8(7)))
    store = MemoryStore()
    with NWBZarrIO(store, "w", manager=types) as io:
        io.write(file)
    with NWBZarrIO(store) as io:
        found = io.read().acquisition["deep"]
        assert type(found).__name__ == "DeepSeries"
        assert found.depth == 7
        assert found.depth.dtype == "uint8"
    for extensions in (extension, [extension], types):
        with NWBZarrIO(store, extensions=extensions) as io:
            assert type(io.read().acquisition["deep"]).__name__ == "DeepSeries"


@pytest.mark.parametrize("from_hdf5", [False, True])
def test_exports_take_the_specifications_of_their_source_along(extension, from_hdf5, tmp_path):
    types = pynwb.get_type_map()
    types.load_namespaces(extension)
    place = tmp_path / "source.nwb" if from_hdf5 else MemoryStore()
    kind = NWBHDF5IO if from_hdf5 else NWBZarrIO
    target, written_anew = MemoryStore(), MemoryStore()
    with kind(place, "w", manager=BuildManager(types)) as io:
        io.write(small())
    with NWBZarrIO(written_anew, "w", manager=types) as io:
        io.write(small())
    with kind(place, "r") as source, NWBZarrIO(target, "w") as io:
        io.export(source, write_args={"link_data": False})
    assert "ndx-probe" in NWBZarrIO.get_namespaces(target)
    found = read_spec(omnizarr.open_group(target), "ndx-probe")
    expected = read_spec(omnizarr.open_group(written_anew), "ndx-probe")
    assert {name: json.loads(text) for name, text in found.items()} == {
        name: json.loads(text) for name, text in expected.items()
    }
    assert set(found) == {"namespace", "probe.extensions"}
