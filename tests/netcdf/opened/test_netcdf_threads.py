"""One dataset and many threads, which netCDF-C's cannot have."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from omnizarr import netcdf
from omnizarr.store import FaultStore, MemoryStore

THREADS = 8


@pytest.fixture(autouse=True)
def often() -> Iterator[None]:
    """Let threads take turns all the time, so that what can go wrong does."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def _together(work: Callable[[int], None]) -> None:
    """Run work in all threads at once; the first failure is raised."""
    failures: list[BaseException] = []
    barrier = threading.Barrier(THREADS)

    def run(number: int) -> None:
        try:
            barrier.wait(10)
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    if failures:
        raise failures[0]


def test_records_of_all_threads_arrive() -> None:
    store = MemoryStore()
    with netcdf.Dataset(store, "w") as dataset:
        dataset.createDimension("t", None)
        dataset.createDimension("x", 3)
        # Chunks of several records: each is written by several threads, and grows meanwhile.
        first = dataset.createVariable("first", "i4", ("t",), chunksizes=(5,))
        second = dataset.createVariable("second", "f8", ("t", "x"), chunksizes=(3, 2), zlib=True)

        def write(number: int) -> None:
            for at in range(number, 200, THREADS):
                first[at] = at
                second[at] = [at, at + 0.25, at + 0.5]

        _together(write)
        assert dataset.dimensions["t"].size == 200
    with netcdf.Dataset(store) as found:
        assert found["first"][:].tolist() == list(range(200))
        assert np.array_equal(found["second"][:, 0], np.arange(200.0))
        assert np.array_equal(found["second"][:, 2], np.arange(200.0) + 0.5)


def test_a_last_chunk_written_late_undoes_nothing_behind_its_end() -> None:
    begun, grown = threading.Event(), threading.Event()

    def hook(operation: str, key: str) -> None:
        if key == "v/1" and operation in ("set", "update") and not begun.is_set():
            begun.set()
            grown.wait(0.3)

    dataset = netcdf.Dataset(FaultStore(MemoryStore(), hook), "w")
    dataset.createDimension("t", None)
    variable = dataset.createVariable("v", "i4", ("t",), chunksizes=(5,))
    variable[:5] = 0
    late = threading.Thread(target=lambda: variable.__setitem__(5, 5))
    late.start()
    assert begun.wait(10)
    variable[6] = 6
    grown.set()
    late.join(10)
    assert variable[5:].tolist() == [5, 6]


def test_definitions_of_all_threads_arrive(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path, "w") as dataset:
        dataset.createDimension("x", 2)

        def define(number: int) -> None:
            for at in range(10):
                group = dataset.createGroup(f"shared/g{at}")
                group.createDimension(f"d{number}", number + 1)
                made = group.createVariable(f"v{number}", "i4", ("x", f"d{number}"))
                made[:] = at
                made.units = f"m{number}"
                dataset.setncattr(f"a{number}_{at}", at)
                assert len(dataset.as_model().groups) == 1
                if at % 4 == 0:
                    dataset.sync()

        _together(define)
    with netcdf.Dataset(tmp_path) as found:
        assert len(found.ncattrs()) == 10 * THREADS and len(found["shared"].groups) == 10
        for at in range(10):
            for number in range(THREADS):
                variable = found[f"shared/g{at}/v{number}"]
                assert variable.units == f"m{number}" and variable.shape == (2, number + 1)
                assert (variable[:] == at).all()


def test_one_of_all_threads_wins_a_name() -> None:
    dataset = netcdf.Dataset({}, "w")
    won: list[int] = []

    def make(number: int) -> None:
        for at in range(20):
            try:
                dataset.createVariable(f"v{at}", "i4")
            except RuntimeError:
                continue
            won.append(at)

    _together(make)
    assert sorted(won) == list(range(20))


def test_reading_goes_on_while_others_write() -> None:
    dataset = netcdf.Dataset({}, "w")
    dataset.createDimension("t", None)
    variable = dataset.createVariable("v", "i8", ("t",), chunksizes=(4,), fill_value=-5)
    variable[0] = 0

    def work(number: int) -> None:
        for _ in range(60):
            if number == 0:
                at = len(variable)
                variable[at] = at
                variable.setncattr("length", at)
            elif number == 1:
                dataset.sync()
            else:
                values = variable[:]
                # A record is there, or it is not yet: a fill value is masked, and nothing else is read.
                known = values.compressed()
                assert np.array_equal(known, np.flatnonzero(~np.ma.getmaskarray(values)))
                assert variable.ncattrs() in (["_FillValue"], ["_FillValue", "length"])

    _together(work)
    assert variable[:].tolist() == list(range(61))


def test_closing_waits_for_writers() -> None:
    store = MemoryStore()
    dataset = netcdf.Dataset(store, "w")
    dataset.createDimension("t", None)
    variable = dataset.createVariable("v", "i4", ("t",), chunksizes=(7,))
    written: list[int] = []

    def work(number: int) -> None:
        if number == 0:
            while len(written) < 40:
                pass
            dataset.close()
            return
        for at in range(number - 1, 10**6, THREADS - 1):
            try:
                variable[at] = at
            except RuntimeError:
                return
            written.append(at)

    _together(work)
    with netcdf.Dataset(store) as found:
        values: Any = found["v"][:]
        assert all(values[at] == at for at in written)


def test_strings_are_widened_once() -> None:
    dataset = netcdf.Dataset({}, "w")
    dataset.createDimension("x", THREADS)
    variable = dataset.createVariable("s", str, ("x",), chunksizes=(2,))
    texts = ["é" * 100 + str(number) for number in range(THREADS)]
    _together(lambda number: variable.__setitem__(number, texts[number]))
    assert variable[:].tolist() == texts
