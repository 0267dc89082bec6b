"""Processes that make arrays of one hierarchy of the draft of 2019 at the same time."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import omnizarr
from omnizarr import Array, Group
from omnizarr.errors import NodeExistsError

ROUNDS = 25
_CONTEXT = multiprocessing.get_context("spawn")


def _run(work: Callable[..., None], arguments: list[tuple[Any, ...]]) -> list[list[str]]:
    """Run a function in a process for each of the arguments, round by round; return what each one tells."""
    barrier = _CONTEXT.Barrier(len(arguments))
    told = [_CONTEXT.SimpleQueue() for _ in arguments]
    processes = [
        _CONTEXT.Process(target=work, args=(*given, barrier, queue))
        for given, queue in zip(arguments, told, strict=True)
    ]
    for process in processes:
        process.start()
    results = [queue.get() for queue in told]
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * len(processes)
    return results


def make_apart(place: str, name: str, barrier: Any, queue: Any) -> None:
    """Make `foo/<name>` of a hierarchy that no process has made before."""
    told = []
    for number in range(ROUNDS):
        barrier.wait(60)
        try:
            array = omnizarr.create_array(
                f"{place}/{number}", path=f"foo/{name}", data=np.full(4, len(name)), zarr_format="3-2019"
            )
            told.append(array.path)
        except Exception as error:
            told.append(repr(error))
    queue.put(told)


def test_arrays_beside_each_other_cannot_race(tmp_path: Path) -> None:
    names = ("bar", "bazz")
    told = _run(make_apart, [(str(tmp_path), name) for name in names])
    assert told == [[f"foo/{name}"] * ROUNDS for name in names]
    for number in range(ROUNDS):
        root = omnizarr.open_group(tmp_path / str(number), mode="r")
        assert [path for path, _ in root.members(max_depth=None)] == ["foo", "foo/bar", "foo/bazz"]
        for name in names:
            array = root[f"foo/{name}"]
            assert isinstance(array, Array)
            assert array[:].tolist() == [len(name)] * 4


def make_the_same(place: str, value: int, barrier: Any, queue: Any) -> None:
    """Make an array that another process makes too."""
    root = omnizarr.open_group(place, mode="r+")
    told = []
    for number in range(ROUNDS):
        barrier.wait(60)
        try:
            root.create_array(f"foo/{number}", shape=4, fill_value=value)
            told.append("made")
        except NodeExistsError:
            told.append("is there")
    queue.put(told)


def test_of_two_that_make_the_same_array_one_wins(tmp_path: Path) -> None:
    omnizarr.create_group(tmp_path, zarr_format="3-2019")
    told = _run(make_the_same, [(str(tmp_path), value) for value in (1, 2)])
    assert [sorted(pair) for pair in zip(*told, strict=True)] == [["is there", "made"]] * ROUNDS
    foo = omnizarr.open_group(tmp_path, mode="r")["foo"]
    assert isinstance(foo, Group)
    winners = [1 if first == "made" else 2 for first in told[0]]
    assert [foo[str(number)].fill_value for number in range(ROUNDS)] == winners  # type: ignore[union-attr]
