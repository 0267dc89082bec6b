"""W4: small and scattered selections from a plane in chunks of 1 MB."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.case import Case, Trial, expect_equal
from benchmarks.peers.base import Library, Scattered, Strided
from benchmarks.room import Room
from benchmarks.sizes import Sizes
from benchmarks.spec import CODECS, Spec, field
from benchmarks.trials import reading

POINT_GOALS = {"none": 459 / 9.5, "zstd": 749 / 297, "blosc": 694 / 119}
ROW_GOALS = {"none": 5948 / 200, "zstd": 11179 / 5891, "blosc": 4581 / 1630}
SCATTERED_GOALS = {"none": 62 / 5.9, "zstd": 140 / 82, "blosc": 74 / 29}
STRIDED_GOALS = {"none": 38 / 40, "zstd": 141 / 105, "blosc": 71 / 38}
OPEN_GOALS = {"none": None, "zstd": 2268 / 221}


def cases(sizes: Sizes, room: Room) -> Iterator[Case]:
    """Yield the rows; a row's files are there until the next is asked for."""
    edge = sizes.tiles * sizes.tile
    data = field((edge, edge), "float32")
    for codec in CODECS:
        path = room.written(Spec(shape=data.shape, chunks=(sizes.tile,) * 2, codec=codec), data)
        index = (edge // 3, edge // 2 + 1)
        row = (slice(index[0], index[0] + 1), slice(0, edge))
        rows: list[tuple[str, Any, Callable[[Library], Trial | None], float | None]] = [
            ("one point", "µs", _point(path, data, index), POINT_GOALS[codec]),
            ("one row", "µs", reading(path, data, row), ROW_GOALS[codec]),
            (f"{sizes.points} scattered points", "ms", _points(path, data, sizes), SCATTERED_GOALS[codec]),
            ("[::7, ::5]", "ms", _strided(path, data), STRIDED_GOALS[codec]),
        ]
        if codec in OPEN_GOALS:
            rows.append(("open and one point", "µs", _open_and_point(path, data, index), OPEN_GOALS[codec]))
        for name, unit, trial, goal in rows:
            yield Case(workload="W4", title=f"{name}, {codec}", unit=unit, trial=trial, goal=goal)
        room.clear()


def _point(path: Path, data: NDArray[Any], index: tuple[int, ...]) -> Callable[[Library], Trial]:
    def trial(library: Library) -> Trial:
        array = library.open(path)
        return Trial(
            run=lambda: library.point(array, index),
            check=lambda found: expect_equal(found, data[index]),
        )

    return trial


def _open_and_point(path: Path, data: NDArray[Any], index: tuple[int, ...]) -> Callable[[Library], Trial]:
    def trial(library: Library) -> Trial:
        return Trial(
            run=lambda: library.point(library.open(path), index),
            check=lambda found: expect_equal(found, data[index]),
        )

    return trial


def _points(path: Path, data: NDArray[Any], sizes: Sizes) -> Callable[[Library], Trial | None]:
    random = np.random.default_rng(1)
    index = tuple(random.integers(0, length, sizes.points) for length in data.shape)

    def trial(library: Library) -> Trial | None:
        if not isinstance(library, Scattered):
            return None
        array = library.open(path)
        return Trial(
            run=lambda: library.points(array, index),
            check=lambda found: expect_equal(found, data[index]),
        )

    return trial


def _strided(path: Path, data: NDArray[Any]) -> Callable[[Library], Trial | None]:
    part = (slice(None, None, 7), slice(None, None, 5))

    def trial(library: Library) -> Trial | None:
        if not isinstance(library, Strided):
            return None
        array = library.open(path)
        return Trial(
            run=lambda: library.strided(array, part),
            check=lambda found: expect_equal(found, data[part]),
        )

    return trial
