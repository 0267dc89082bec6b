"""How often HDMF's backend asks the store, counted exactly."""

import json
from collections import Counter
from datetime import UTC, datetime

import numpy as np
import pytest

pynwb = pytest.importorskip("pynwb")

from hdmf.data_utils import DataChunkIterator  # noqa: E402
from pynwb import NWBFile, TimeSeries  # noqa: E402

import omnizarr  # noqa: E402
from omnizarr.hdmf import NWBZarrIO  # noqa: E402
from omnizarr.store import MemoryStore  # noqa: E402
from omnizarr.store.layers.wrap import CountingStore, FaultStore  # noqa: E402


@pytest.fixture(params=[2, 3])
def zarr_format(request):
    return request.param


def written(count, zarr_format, **options):
    """Return a store with a file of so many series, whose times are datasets: none of them is one value."""
    file = NWBFile("a session", "i", datetime(2020, 1, 1, tzinfo=UTC))
    for i in range(count):
        times = np.arange(10.0)
        file.add_acquisition(
            TimeSeries(name=f"s{i}", data=np.arange(10) + i, unit="V", timestamps=times, description="d")
        )
    store = MemoryStore()
    with NWBZarrIO(store, "w", zarr_format=zarr_format) as io:
        io.write(file, **options)
    return store


def opened(store, **options):
    """Return an open file and its container, and what was asked of the store."""
    counted = CountingStore(store)
    io = NWBZarrIO(counted, "r", **options)
    return counted, io.read()


# Of the four values of one that an NWB file has, and the list of the dates when it was changed.
VALUES = 5
NAMESPACES = 3


@pytest.mark.parametrize("count", [1, 40])
def test_a_consolidated_file_opens_by_few_operations_however_many_objects_it_has(zarr_format, count):
    counted, file = opened(written(count, zarr_format))
    # The documents that tell formats apart are asked for, and the one that has all others in it.
    documents = {2: 5, 3: 1}[zarr_format]
    assert len(file.acquisition) == count
    assert counted.counts == {"get": documents + NAMESPACES + VALUES}


def test_without_cached_specifications_none_is_read(zarr_format):
    counted, _ = opened(written(3, zarr_format, cache_spec=False))
    assert counted.counts == {"get": {2: 5, 3: 1}[zarr_format] + VALUES}


def test_specifications_are_not_read_where_a_manager_is_given(zarr_format):
    counted, _ = opened(written(3, zarr_format), manager=pynwb.get_manager())
    assert counted.counts == {"get": {2: 5, 3: 1}[zarr_format] + VALUES}


def test_each_value_that_is_touched_is_one_more(zarr_format):
    counted, file = opened(written(3, zarr_format))
    counted.reset()
    series = file.acquisition["s1"]
    assert (series.description, series.unit, series.data.shape) == ("d", "V", (10,))
    assert not counted.counts
    assert series.data[:].tolist() == list(range(1, 11))
    assert counted.counts == {"get": 1}
    assert series.timestamps[2:4].tolist() == [2.0, 3.0]
    assert counted.counts == {"get": 2}


def test_without_consolidated_metadata_each_node_is_asked_for_once(zarr_format):
    per_series = 3 * {2: 2, 3: 1}[zarr_format]  # a group and two arrays; attributes are apart on Zarr v2
    one, two = (asked(written(count, zarr_format, consolidate_metadata=False)) for count in (1, 3))
    assert max(two.values()) == 1
    assert kinds(two) - kinds(one) == {"get": 2 * per_series}
    assert (kinds(two)["list_dir"], kinds(two)["list_prefix"]) == (1, 5)


def asked(store):
    """Return how often each thing is asked for by reading a file that is open."""
    found = Counter()
    counting = FaultStore(store, lambda operation, key: found.update([(operation, key)]))
    io = NWBZarrIO(counting, "r", load_namespaces=False)
    found.clear()
    io.read()
    return found


def kinds(found):
    return Counter(operation for operation, _ in found.elements())


def a_file():
    file = NWBFile("a session", "i", datetime(2020, 1, 1, tzinfo=UTC))
    file.add_acquisition(TimeSeries(name="s", data=np.arange(10), unit="V", rate=1.0))
    return file


def writing(zarr_format, **options):
    """Write a file; return how many chunks and documents are below its root, and what was asked for."""
    store = MemoryStore()
    counted = CountingStore(store)
    with NWBZarrIO(counted, "w", zarr_format=zarr_format) as io:
        io.write(a_file(), **options)
    documents = (".zarray", ".zgroup", ".zattrs", ".zmetadata", "zarr.json")
    below = [key for key in store.list_prefix() if "/" in key]
    found = sum(key.endswith(documents) for key in below)
    return len(below) - found, found, counted.counts


# The mark that the file is unfinished, and the root's documents, which come last.
ALWAYS = {2: 3, 3: 2}


def test_a_new_file_is_written_without_reading_what_was_written(zarr_format):
    chunks, documents, plain = writing(zarr_format, consolidate_metadata=False, cache_spec=False)
    assert (plain["set"], plain["set_if_absent"]) == (chunks + ALWAYS[zarr_format], documents)
    assert plain["get"] == {2: 3, 3: 1}[zarr_format]
    _, _, counts = writing(zarr_format, cache_spec=False)
    # The root's documents are looked for once more, and Zarr v2 has a document beside them.
    assert Counter(counts) - Counter(plain) == {2: {"get": 2, "set": 1}, 3: {}}[zarr_format]


def test_specifications_are_one_value_each_and_their_documents(zarr_format):
    _, _, plain = writing(zarr_format, consolidate_metadata=False, cache_spec=False)
    chunks, documents, counts = writing(zarr_format, consolidate_metadata=False)
    assert (counts["set"], counts["set_if_absent"]) == (chunks + ALWAYS[zarr_format], documents)
    more = Counter(counts) - Counter(plain)
    # What may have been left in the place is deleted; three times it is looked for.
    assert (more["delete"], more["delete_prefix"]) == (3, 1)
    assert more["get"] == 3 * {2: 2, 3: 1}[zarr_format]
    assert sum(counts.values()) < {2: 130, 3: 90}[zarr_format]


@pytest.mark.parametrize("more", [False, True], ids=["new", "with more before"])
def test_what_is_consolidated_is_what_is_stored(zarr_format, more):
    store = MemoryStore()
    with NWBZarrIO(store, "w", zarr_format=zarr_format) as io:
        if more:
            io.file.create_group("mine/inner")
        io.write(a_file())
    assert ("mine/inner" in omnizarr.open_group(store).metadata.consolidated) is more
    check_consolidated(store, zarr_format)
    with NWBZarrIO(store, "r+") as io:
        found = io.read()
        found.add_acquisition(TimeSeries(name="later", data=[1.0], unit="V", rate=1.0))
        io.write(found)
    assert "acquisition/later/data" in omnizarr.open_group(store).metadata.consolidated
    check_consolidated(store, zarr_format)


def check_consolidated(store, zarr_format):
    """Compare the consolidated metadata with those that are made by reading all nodes."""
    key = {2: ".zmetadata", 3: "zarr.json"}[zarr_format]
    written = json.loads(store.get(key))
    omnizarr.consolidate_metadata(store)
    assert json.loads(store.get(key)) == written


def test_of_an_iterator_what_is_consolidated_is_what_it_became(zarr_format):
    store = MemoryStore()
    file = a_file()
    rows = DataChunkIterator(data=(np.arange(3) + i for i in range(7)), buffer_size=2, maxshape=(None, 3))
    file.add_acquisition(TimeSeries(name="rows", data=rows, unit="V", rate=1.0))
    with NWBZarrIO(store, "w", zarr_format=zarr_format) as io:
        io.write(file)
    assert omnizarr.open_group(store).metadata.consolidated["acquisition/rows/data"].shape == (7, 3)
    check_consolidated(store, zarr_format)
