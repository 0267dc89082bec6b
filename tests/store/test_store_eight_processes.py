"""Eight processes on one directory and one archive: nothing is lost, and what has to wait is told so."""

from __future__ import annotations

import errno
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import StoreError
from omnizarr.store import DirectoryStore, ZipStore

PROCESSES, TURNS = 8, 5

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")


def in_processes(work: Callable[[int], None]) -> None:
    """Run `work` in several processes at the same time; all have to succeed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        children = [os.fork() or _run(work, number) for number in range(PROCESSES)]
    statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert statuses == [0] * PROCESSES


def _run(work: Callable[[int], None], number: int) -> int:
    status = 1
    try:
        work(number)
        status = 0
    finally:
        os._exit(status)


def when_free(path: Path) -> ZipStore:
    """Open an archive for writing as soon as no other process has it open."""
    for _ in range(5000):
        try:
            return ZipStore(path, mode="a")
        except StoreError as error:
            assert error.errno == errno.EAGAIN, error
            time.sleep(0.002)
    raise TimeoutError


def test_writers_of_an_archive_take_turns(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"

    def write(number: int) -> None:
        for turn in range(TURNS):
            with when_free(path) as store:
                store.set(f"{number}/{turn}", b"%d" % number)
                store.update("count", lambda old: b"%d" % (int(old or b"0") + 1))

    in_processes(write)
    with ZipStore(path) as store:
        assert store.get("count") == b"%d" % (PROCESSES * TURNS)
        found = {key: store.get(key) for key in store.list_prefix() if key != "count"}
    assert found == {f"{n}/{t}": b"%d" % n for n in range(PROCESSES) for t in range(TURNS)}
    assert [found.name for found in tmp_path.iterdir()] == ["a.zip"]


def test_readers_of_an_archive_never_wait(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with ZipStore(path, mode="w") as store:
        store.set("a", b"1" * 10_000)
        store.set("b", b"1" * 10_000)

    def read_or_write(number: int) -> None:
        for turn in range(50):
            if number == 0:
                with ZipStore(path, mode="a") as store:
                    store.set("a", b"%d" % (turn % 10) * 10_000)
                    store.set("b", b"%d" % (turn % 10) * 10_000)
            else:
                with ZipStore(path) as store:
                    assert store.get("a") == store.get("b"), "of one state of the archive"

    in_processes(read_or_write)


def test_chunks_of_a_directory_are_all_kept(tmp_path: Path) -> None:
    """Each process writes chunks of its own, and parts of chunks that all of them share."""
    root = omnizarr.open_group(tmp_path / "a.zarr", mode="w")
    root.create_array("own", shape=(PROCESSES * 20,), chunks=(5,), dtype="i4")
    root.create_array("shared", shape=(PROCESSES * 20,), chunks=(PROCESSES * 20,), dtype="i4")

    def write(number: int) -> None:
        group = omnizarr.open_group(tmp_path / "a.zarr", mode="r+")
        for turn in range(20):
            group["shared"][turn * PROCESSES + number] = number + 1
            group["own"][number * 20 + turn] = number + 1

    in_processes(write)
    again = omnizarr.open_group(DirectoryStore(tmp_path / "a.zarr"), mode="r")
    np.testing.assert_array_equal(again["own"][:], np.repeat(np.arange(1, 9), 20))
    np.testing.assert_array_equal(again["shared"][:], np.tile(np.arange(1, 9), 20))
