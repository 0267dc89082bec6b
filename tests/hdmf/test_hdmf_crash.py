"""Processes that end in the middle of a write, an append or an export, whatever they were about to store."""

import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

pynwb = pytest.importorskip("pynwb")

from hdmf.backends.errors import UnsupportedOperation  # noqa: E402
from hdmf.data_utils import DataChunkIterator  # noqa: E402
from pynwb import NWBFile, TimeSeries  # noqa: E402

from omnizarr.errors import OmniZarrError  # noqa: E402
from omnizarr.hdmf import NWBZarrIO  # noqa: E402
from omnizarr.hdmf.backend.unfinished import MARK  # noqa: E402
from omnizarr.store import DirectoryStore, MemoryStore  # noqa: E402
from omnizarr.store.layers.wrap import FaultStore  # noqa: E402

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")

WRITES = ("set", "set_if_absent", "update", "delete", "delete_prefix")
DIED = 42
POINTS = 6


@pytest.fixture(params=[2, 3])
def zarr_format(request):
    return request.param


def new_file():
    file = NWBFile("a session", "i", datetime(2020, 1, 1, tzinfo=UTC))
    file.add_acquisition(TimeSeries(name="old", data=np.arange(20), unit="V", rate=1.0))
    return file


def complete(file):
    """Add what is not there."""
    if "new" not in file.acquisition:
        add_series(file)
    if file.trials is None:
        file.add_trial_column("tag", "t")
        file.add_trial(start_time=0.0, stop_time=1.0, tag="a")


def add_series(file):
    rows = DataChunkIterator(data=iter(np.ones((4, 2))), maxshape=(None, 2), buffer_size=1)
    file.add_acquisition(TimeSeries(name="new", data=rows, unit="V", rate=1.0))


def write(store, zarr_format):
    file = new_file()
    complete(file)
    with NWBZarrIO(store, "w", zarr_format=zarr_format) as io:
        io.write(file, cache_spec=False)


def append(store, zarr_format):
    with NWBZarrIO(store, "r+") as io:
        file = io.read()
        complete(file)
        io.write(file, cache_spec=False)


def export(store, zarr_format):
    source = DirectoryStore(Path(store.name.removeprefix("file://")).parent / "source.zarr")
    with NWBZarrIO(source, "r") as one, NWBZarrIO(store, "w", zarr_format=zarr_format) as io:
        io.export(one, cache_spec=False)


ACTIONS = {"write": write, "append": append, "export": export}


def prepare(action, folder, zarr_format):
    """Make what is there before, and return where an action writes."""
    place = folder / "file.zarr"
    if action == "export":
        write(DirectoryStore(folder / "source.zarr"), zarr_format)
    elif action == "append":
        with NWBZarrIO(place, "w", zarr_format=zarr_format) as io:
            io.write(new_file(), cache_spec=False)
    return place


def values_of(place, mode="r"):
    """Return all that a file says, or None where there is no file, which is told."""
    try:
        with NWBZarrIO(place, mode) as io:
            file = io.read()
            series = {name: np.asarray(one.data).tolist() for name, one in file.acquisition.items()}
            return series, None if file.trials is None else file.trials.to_dataframe().to_dict("list")
    except (UnsupportedOperation, OmniZarrError):
        return None


def dying(place, last):
    """Return a store whose process ends at once when it is to be changed again after `last` changes."""
    left = [last]

    def ends(operation, key):
        if operation in WRITES:
            left[0] -= 1
            if left[0] < 0:
                os._exit(DIED)

    return FaultStore(DirectoryStore(place), ends)


def changes_of(action, place, zarr_format):
    """Do it, and return how often it changes the store."""
    seen = Counter()
    store = FaultStore(DirectoryStore(place), lambda operation, key: seen.update([operation]))
    ACTIONS[action](store, zarr_format)
    return sum(seen[operation] for operation in WRITES)


def die_during(action, place, zarr_format, last):
    child = os.fork()
    if not child:
        try:
            ACTIONS[action](dying(place, last), zarr_format)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == DIED


@pytest.mark.parametrize("action", ACTIONS)
def test_what_a_process_that_died_leaves_is_the_old_file_or_none(tmp_path, zarr_format, action):
    whole = prepare(action, tmp_path / "whole", zarr_format)
    old = values_of(whole)
    assert (old is None) is (action != "append")
    count = changes_of(action, whole, zarr_format)
    new = values_of(whole)
    assert new is not None
    assert new != old
    for last in {*range(0, count, -(-count // POINTS)), count - 2, count - 1}:
        place = prepare(action, tmp_path / str(last), zarr_format)
        die_during(action, place, zarr_format, last)
        assert values_of(place) in (old, new), last
        assert is_of_whole_objects(values_of(place, "r-"), old, new), last
        ACTIONS[action](DirectoryStore(place), zarr_format)
        assert values_of(place) == values_of(place, "r-") == new, last


def is_of_whole_objects(found, old, new):
    """Say whether what is there without consolidated metadata is the old file, and objects that were added.

    One after another they come into a file that others read already; none of them is seen in part.
    """
    if found is None or old is None:
        return found in (old, new)
    (series, trials), (before, _), (after, table) = found, old, new
    return before.items() <= series.items() <= after.items() and trials in (None, table)


@pytest.mark.parametrize("last", range(1, 12))
def test_what_is_left_of_an_old_file_that_was_being_replaced_is_replaced_by_the_next(
    tmp_path, zarr_format, last
):
    place = prepare("append", tmp_path, zarr_format)
    old = values_of(place)
    die_during("write", place, zarr_format, last)
    assert values_of(place) in (None, old)
    write(place, zarr_format)
    assert values_of(place) is not None
    assert not list(place.rglob(MARK))


@pytest.mark.parametrize("kind", ["directory", "archive", "memory"])
def test_what_is_nobodys_file_is_not_replaced(tmp_path, zarr_format, kind):
    target = tmp_path / "file.zarr"
    if kind == "directory":
        target.mkdir()
        (target / "notes.txt").write_text("mine")
    elif kind == "archive":
        target = tmp_path / "file.zip"
        with ZipFile(target, "w") as archive:
            archive.writestr("notes.txt", "mine")
    else:
        target = MemoryStore()
        target.set("notes.txt", b"mine")
    with pytest.raises(OmniZarrError, match="no Zarr hierarchy; force_overwrite=True") as caught:
        NWBZarrIO(target, "w", zarr_format=zarr_format)
    assert isinstance(caught.value, UnsupportedOperation)
    with NWBZarrIO(target, "w", zarr_format=zarr_format, force_overwrite=True) as io:
        io.write(new_file(), cache_spec=False)
    assert values_of(target) is not None
