"""The trials that several workloads share."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from benchmarks.case import Trial, expect_equal
from benchmarks.peers.base import Library, Part
from benchmarks.room import Room
from benchmarks.spec import Spec


def reading(path: Path, data: NDArray[Any], part: Part | None = None) -> Callable[[Library], Trial]:
    """Read all or a part of an array that is open already."""
    box = part or tuple(slice(0, length) for length in data.shape)

    def trial(library: Library) -> Trial:
        array = library.open(path)
        return Trial(
            run=lambda: library.read(array, box),
            check=lambda found: expect_equal(found, data[box]),
        )

    return trial


def writing(room: Room, spec: Spec, data: NDArray[Any]) -> Callable[[Library], Trial]:
    """Write a whole array that was created just before; the reference library reads it back."""

    def trial(library: Library) -> Trial:
        path = room.new()
        arrays: list[Any] = []

        def create() -> None:
            shutil.rmtree(path, ignore_errors=True)
            arrays[:] = [library.create(path, spec)]

        def check(_: None) -> None:
            whole = tuple(slice(0, length) for length in data.shape)
            expect_equal(room.reference.read(room.reference.open(path), whole), data)

        return Trial(run=lambda: library.write(arrays[0], data), check=check, before=create)

    return trial
