"""W11: xarray: a dataset of many variables opened, a time series read through many chunks, fields written."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.case import Case, Trial, expect_equal
from benchmarks.room import Room
from benchmarks.sizes import Sizes
from benchmarks.spec import CODECS, field
from benchmarks.xarray_peers.base import XarrayLibrary

DIMENSIONS = ("time", "y", "x")
ZSTD = {"compressors": CODECS["zstd"]}


def cases(sizes: Sizes, room: Room, writer: XarrayLibrary) -> Iterator[Case]:
    """Yield the rows; `writer` makes the datasets that are read."""
    import xarray

    count = sizes.variables * 5 // 2
    values = np.arange(10, dtype="f4")
    many = xarray.Dataset({f"v{number}": ("x", values, {"units": "K"}) for number in range(count)})
    place = room.new()
    writer.write(many, place, {})
    yield Case(workload="W11", title=f"open {count} variables", trial=_opening(place, count))

    records = field((sizes.records, 64, 64), "float32")
    series = xarray.Dataset({"v": (DIMENSIONS, records)})
    place = room.new()
    writer.write(series, place, {"v": {"chunks": (1, 64, 64), **ZSTD}})
    title = f"read a time series through {sizes.records} chunks"
    yield Case(workload="W11", title=title, trial=_series(place, records[:, 7, 9]))
    room.clear()

    fields = field((sizes.converted, sizes.field, sizes.field), "float32")
    data = xarray.Dataset({"v": (DIMENSIONS, fields)})
    title = f"write {fields.nbytes / 1e6:.0f} MB, zstd"
    yield Case(workload="W11", title=title, trial=_writing(room, data))


def _opening(place: Path, count: int) -> Callable[[XarrayLibrary], Trial]:
    def trial(library: XarrayLibrary) -> Trial:
        return Trial(
            run=lambda: library.open(place),
            check=lambda found: expect_equal(
                sum(v.shape == (10,) and v.attrs["units"] == "K" for v in found.data_vars.values()), count
            ),
        )

    return trial


def _series(place: Path, truth: Any) -> Callable[[XarrayLibrary], Trial]:
    def trial(library: XarrayLibrary) -> Trial:
        return Trial(
            run=lambda: library.open(place)["v"][:, 7, 9].values,
            check=lambda found: expect_equal(found, truth),
        )

    return trial


def _writing(room: Room, data: Any) -> Callable[[XarrayLibrary], Trial]:
    def trial(library: XarrayLibrary) -> Trial:
        place = room.new()
        encoding = {"v": {"chunks": (1, *data["v"].shape[1:]), **ZSTD}}
        return Trial(
            run=lambda: library.write(data, place, encoding),
            check=lambda _: expect_equal(library.open(place)["v"].values, data["v"].values),
            before=lambda: shutil.rmtree(place, ignore_errors=True),
        )

    return trial
