"""Files wherever they lie: below the root of a store, in an archive; HDF5 files beside them."""

from datetime import UTC, datetime

import h5py
import numpy as np
import pytest

pynwb = pytest.importorskip("pynwb")

from hdmf.backends.errors import UnsupportedOperation  # noqa: E402
from hdmf.common import DynamicTable, VectorData  # noqa: E402
from pynwb import NWBHDF5IO, NWBFile, TimeSeries  # noqa: E402

import omnizarr  # noqa: E402
from omnizarr import hdmf  # noqa: E402
from omnizarr.errors import NodeNotFoundError, NodeTypeError, StoreNotFoundError  # noqa: E402
from omnizarr.hdmf import NWBZarrIO, ZarrIO  # noqa: E402


@pytest.fixture(params=[2, 3])
def zarr_format(request):
    return request.param


def recording(name="one", data=(1.0, 2.0, 3.0)):
    file = NWBFile("d", "i", datetime(2020, 1, 1, tzinfo=UTC))
    file.add_acquisition(TimeSeries(name=name, data=data, unit="V", rate=1.0))
    return file


# From where the second file lies, the first one is at `source`.
PLACES = {
    "both in one store": ("store.zarr/a/one", "store.zarr/b/c/two", "../../../a/one"),
    "one in the other": ("store.zarr", "store.zarr/b/two", "../.."),
    "in different stores": ("first.zarr/a/one", "second.zarr/b/two", "../../../first.zarr/a/one"),
    "in an archive": ("first.zip/a/one", "second.zarr/b/two", "../../../first.zip/a/one"),
}


@pytest.mark.parametrize("case", PLACES)
def test_files_below_the_root_of_a_store_point_at_each_other(tmp_path, zarr_format, case):
    first, second, source = PLACES[case]
    first, second = tmp_path / first, tmp_path / second
    with NWBZarrIO(str(first), "w", zarr_format=zarr_format) as io:
        io.write(recording())
    with NWBZarrIO(str(first), "r") as one:
        series = one.read().acquisition["one"]
        file = recording("linked", series.data)
        column = VectorData(name="series", description="s", data=[series, file.acquisition["linked"]])
        file.add_scratch(DynamicTable(name="table", description="d", columns=[column]))
        file.add_acquisition(series)
        with NWBZarrIO(str(second), "w", manager=one.manager, zarr_format=zarr_format) as io:
            io.write(file)
    root = omnizarr.open_group(str(second), mode="r")
    assert hdmf.links(root["acquisition/linked"])["data"].reference.source == source
    assert hdmf.links(root["acquisition"])["one"].reference.source == source
    assert hdmf.read_values(root["scratch/table/series"])[0].source == source
    for link in (hdmf.links(root["acquisition/linked"])["data"], hdmf.links(root["acquisition"])["one"]):
        assert hdmf.resolve(link, root).name.rpartition("/")[2] in ("data", "one")
    with NWBZarrIO(str(second), "r") as io:
        found = io.read()
        assert found.acquisition["linked"].data[:].tolist() == [1.0, 2.0, 3.0]
        assert found.acquisition["one"] is found.scratch["table"]["series"][0]
        assert found.scratch["table"]["series"][1] is found.acquisition["linked"]


def test_files_given_as_groups_of_a_store(tmp_path, zarr_format):
    root = omnizarr.open_group(tmp_path / "store.zarr", mode="w", zarr_format=zarr_format)
    one, two = root.create_group("a/one"), root.create_group("two")
    with NWBZarrIO(one, "w", zarr_format=zarr_format) as io:
        io.write(recording())
    with NWBZarrIO(one, "r") as source, NWBZarrIO(two, "w", zarr_format=zarr_format) as io:
        io.write(recording("linked", source.read().acquisition["one"].data))
    found = omnizarr.open_group(tmp_path / "store.zarr" / "two", mode="r")["acquisition/linked"]
    assert hdmf.links(found)["data"].reference.source == "../a/one"
    with NWBZarrIO(tmp_path / "store.zarr" / "two", "r") as io:
        assert io.read().acquisition["linked"].data[:].tolist() == [1.0, 2.0, 3.0]


# --- `read_nwb`


def test_nwb_files_are_read_on_zarr_and_in_hdf5(tmp_path, zarr_format):
    with NWBHDF5IO(tmp_path / "a.nwb", "w") as io:
        io.write(recording())
    with NWBZarrIO(tmp_path / "a.zarr", "w", zarr_format=zarr_format) as io:
        io.write(recording())
    places = [tmp_path / "a.nwb", str(tmp_path / "a.zarr"), (tmp_path / "a.nwb").as_uri()]
    for place in (*places, omnizarr.open_group(tmp_path / "a.zarr", mode="r")):
        file = hdmf.read_nwb(place)
        assert np.asarray(file.acquisition["one"].data).tolist() == [1.0, 2.0, 3.0]
        file.read_io.close()


def test_what_is_no_nwb_file_is_said_to_be_none(tmp_path, zarr_format):
    with pytest.raises((StoreNotFoundError, NodeNotFoundError), match="none"):
        hdmf.read_nwb(tmp_path / "none.nwb")
    omnizarr.create_group(tmp_path / "other.zarr", zarr_format=zarr_format)
    with pytest.raises(NodeTypeError, match=r"other\.zarr") as caught:
        hdmf.read_nwb(tmp_path / "other.zarr")
    assert "found no nwb_version" in str(caught.value)
    with h5py.File(tmp_path / "other.h5", "w"):
        pass
    with pytest.raises(TypeError, match="Missing NWB version"):
        hdmf.read_nwb(tmp_path / "other.h5")


def test_what_a_closed_file_or_its_mode_do_not_allow_is_an_error_of_both_libraries(tmp_path):
    with NWBZarrIO(tmp_path / "a.zarr", "w") as io:
        io.write(recording())
    for action in (lambda: io.file, lambda: NWBZarrIO(tmp_path / "a.zarr", "r").write(recording())):
        with pytest.raises(omnizarr.errors.OmniZarrError) as caught:
            action()
        assert isinstance(caught.value, UnsupportedOperation)
    with pytest.raises(omnizarr.errors.OmniZarrError, match="cannot read from"):
        ZarrIO(tmp_path / "b.zarr", "w").read()
