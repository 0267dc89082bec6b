"""Copies and checks by other processes: equal to those by threads, refused early, continued."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gates
import netCDF4
import numpy as np
import pytest
import worked_samples as sample

import omnizarr
from omnizarr import netcdf
from omnizarr.config import config
from omnizarr.errors import CodecError, OmniZarrError, WorkersError
from omnizarr.hierarchy.copying.check import plan_copy
from omnizarr.hierarchy.copying.journal import JOURNAL
from omnizarr.hierarchy.copying.recut import Cuts
from omnizarr.hierarchy.workers.processes import Processes
from omnizarr.metadata.formats import FORMATS
from omnizarr.store.directories.directory import DirectoryStore
from omnizarr.store.memory import MemoryStore


@pytest.fixture(scope="module")
def two() -> Iterator[Processes]:
    with Processes(2) as workers:
        yield workers


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> DirectoryStore:
    store = DirectoryStore(tmp_path_factory.mktemp("source"))
    sample.make(store)
    return store


@pytest.fixture(scope="module")
def expected(source: DirectoryStore, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes | None]:
    target = DirectoryStore(tmp_path_factory.mktemp("expected"))
    sample.copy(source, target)
    return sample.contents(target)


def test_a_copy_by_processes_is_the_one_by_threads(
    two: Processes, source: DirectoryStore, expected: dict[str, bytes | None], tmp_path: Path
) -> None:
    told: list[tuple[int, int]] = []
    target = DirectoryStore(tmp_path / "b")
    with config.using(threads=2):
        options: dict[str, Any] = {"cuts": Cuts(**sample.CUTS), "memory": sample.MEMORY, "workers": two}
        plan = plan_copy(omnizarr.open(source, mode="r"), target, FORMATS[3], **options)
        ways = [
            task.recoding and (task.recoding.stage is None, len(task.recoding.blocks)) for task in plan.tasks
        ]
        assert set(ways) >= {None, (True, 8), (False, 7)}  # the sample has all there is
        report = sample.copy(source, target, workers=two, progress=lambda *each: told.append(each))
    assert sample.contents(target) == expected
    again = sample.copy(source, DirectoryStore(tmp_path / "c"), workers=1)
    assert (report.moved, report.arrays, report.groups) == (again.moved, again.arrays, again.groups)
    assert told[-1][0] == told[-1][1] and told == sorted(told) and len(told) > 10


def test_a_process_is_killed_in_the_middle(
    source: DirectoryStore, expected: dict[str, bytes | None], tmp_path: Path
) -> None:
    folder = tmp_path / "gate"
    folder.mkdir()
    target = DirectoryStore(tmp_path / "b")
    killed: list[int] = []

    def kill() -> None:
        gates.wait_for(lambda: gates.waiting(folder))
        killed.extend(gates.waiting(folder)[:1])
        os.kill(killed[0], signal.SIGKILL)
        (folder / gates.GO).touch()

    thread = threading.Thread(target=kill)
    thread.start()
    sample.copy(source, gates.GateStore(target, folder), workers=Processes(2))
    thread.join()
    assert killed and killed[0] != os.getpid()
    assert sample.contents(target) == expected


def test_an_interrupted_copy_goes_on(
    two: Processes, source: DirectoryStore, expected: dict[str, bytes | None], tmp_path: Path
) -> None:
    target = DirectoryStore(tmp_path / "b")

    def interrupt(done: int, total: int) -> None:
        if done > total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sample.copy(source, target, workers=two, progress=interrupt)
    assert target.exists(JOURNAL)
    with pytest.raises(OmniZarrError):
        omnizarr.open(target, mode="r")
    report = sample.copy(source, target, workers=two)
    assert report.resumed
    assert sample.contents(target) == expected
    # and threads go on where processes were interrupted
    other = DirectoryStore(tmp_path / "c")
    with pytest.raises(KeyboardInterrupt):
        sample.copy(source, other, workers=two, progress=interrupt)
    assert sample.copy(source, other).resumed
    assert sample.contents(other) == expected


def test_stores_of_one_process_are_refused_before_anything_is_written(
    two: Processes, source: DirectoryStore, tmp_path: Path
) -> None:
    memory = MemoryStore(name="memory://only")
    with pytest.raises(WorkersError, match="memory://only"):
        sample.copy(source, memory, workers=two)
    assert list(memory.list_prefix("")) == []
    with pytest.raises(WorkersError, match=r"b\.zip"):
        sample.copy(source, tmp_path / "b.zip", workers=two)
    with pytest.raises(WorkersError, match="memory://only"):
        sample.copy(memory, tmp_path / "b", workers=two) if _filled(memory) else None
    assert not (tmp_path / "b").exists()


def _filled(store: MemoryStore) -> bool:
    omnizarr.create_group(store)
    return True


def test_a_bad_chunk_is_the_same_error_from_another_process(two: Processes, tmp_path: Path) -> None:
    array = omnizarr.create_array(tmp_path / "a", data=np.arange(100), chunks=(10,))
    array.store.set("c/3", b"no chunk")
    said = []
    for workers in (None, two):
        with pytest.raises(CodecError) as caught:
            omnizarr.copy(array, tmp_path / f"b{len(said)}", chunks=20, workers=workers)
        said.append((str(caught.value), caught.value.key))
    assert said[0] == said[1]


def damaged(folder: Path) -> Path:
    root = omnizarr.create_group(folder)
    for name in ("a", "b"):
        root.create_array(name, shape=(40, 10), chunks=(1, 10), shards=(10, 10), dtype="i4")[...] = 1
    plain = root.create_array("c", data=np.arange(100.0), chunks=(5,))
    for number in (1, 4, 7):
        plain.store.set(f"c/c/{number}", b"damaged")
    shard = bytearray(plain.store.get("a/c/1/0") or b"")
    shard[3] ^= 0xFF
    shard[-6] ^= 0xFF
    plain.store.set("a/c/1/0", bytes(shard))
    plain.store.set("stray", b"")
    return folder


def test_a_check_by_processes_finds_the_same(two: Processes, tmp_path: Path) -> None:
    place = damaged(tmp_path / "a")
    reports = [omnizarr.validate(place, level="data", workers=workers) for workers in (None, 1, two)]
    assert reports[0] == reports[1] == reports[2]
    assert len(reports[0].findings) >= 5 and reports[0].chunks == 4 + 4 + 20
    few = [omnizarr.validate(place, level="data", max_findings=2, workers=workers) for workers in (None, two)]
    assert few[0].counts == few[1].counts == reports[0].counts
    assert [len(report.findings) for report in few] == [3, 3]
    with pytest.raises(WorkersError, match="memory://"):
        omnizarr.validate("memory://elsewhere", level="data", workers=two) if omnizarr.create_group(
            "memory://elsewhere", overwrite=True
        ) else None


# netCDF


def netcdf_file(path: Path, start: int = 0) -> Path:
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 30)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "days since 2000-01-01"
        time[:] = np.arange(start, start + 40)
        values = file.createVariable("v", "f4", ("time", "x"), zlib=True, chunksizes=(5, 30))
        values[:] = np.arange(1200.0).reshape(40, 30) + start
        file.createVariable("words", str, ("x",))[:] = np.array([f"w{n}" for n in range(30)], object)
        file.createVariable("scalar", "i4", ())[...] = 7
        odd = file.createVariable("odd", "i2", ("time", "x"), chunksizes=(7, 30), fill_value=-1)
        odd[:20] = 3
    return path


@pytest.mark.parametrize("options", [{}, {"chunks": {"time": 40, "x": 3}}, {"dialect": "xarray"}])
def test_a_file_is_converted_by_processes(two: Processes, options: dict[str, Any], tmp_path: Path) -> None:
    file = netcdf_file(tmp_path / "a.nc")
    reports = [
        netcdf.convert(file, tmp_path / name, workers=workers, **options)
        for name, workers in (("threads", 2), ("processes", two))
    ]
    assert reports[0] == reports[1]
    ours, theirs = (sample.contents(DirectoryStore(tmp_path / name)) for name in ("threads", "processes"))
    assert ours == theirs


def test_files_are_joined_by_processes(two: Processes, tmp_path: Path) -> None:
    files = [netcdf_file(tmp_path / f"{start}.nc", start) for start in (40, 0, 80)]
    for name, workers in (("threads", None), ("processes", two)):
        netcdf.convert(files, tmp_path / name, join="time", workers=workers)
    ours, theirs = (sample.contents(DirectoryStore(tmp_path / name)) for name in ("threads", "processes"))
    assert ours == theirs
    with netcdf.Dataset(tmp_path / "processes") as dataset:
        assert dataset["time"][:].tolist() == list(range(120))


def test_zarr_becomes_another_dialect_by_processes(two: Processes, tmp_path: Path) -> None:
    netcdf.convert(netcdf_file(tmp_path / "a.nc"), tmp_path / "a.zarr")
    for name, workers in (("threads", None), ("processes", two)):
        netcdf.convert(tmp_path / "a.zarr", tmp_path / name, dialect="xarray", zarr_format=3, workers=workers)
    ours, theirs = (sample.contents(DirectoryStore(tmp_path / name)) for name in ("threads", "processes"))
    assert ours == theirs


def test_a_netcdf_file_has_one_writer(two: Processes, tmp_path: Path) -> None:
    netcdf.convert(netcdf_file(tmp_path / "a.nc"), tmp_path / "a.zarr")
    with pytest.raises(WorkersError, match=r"b\.nc is a netCDF file, which one process writes"):
        netcdf.convert(tmp_path / "a.zarr", tmp_path / "b.nc", workers=two)
    assert not list(tmp_path.glob("*b.nc*"))
