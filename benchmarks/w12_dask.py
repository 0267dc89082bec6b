"""W12: dask: an array read and stored by its chunks, on two threads and on two worker processes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.case import Case, Trial, expect_equal
from benchmarks.dask_peers.base import DaskLibrary
from benchmarks.room import Room
from benchmarks.sizes import Sizes
from benchmarks.spec import CODECS, field

WORKERS = 2
ZSTD = CODECS["zstd"]


def cases(sizes: Sizes, room: Room, writer: DaskLibrary) -> Iterator[Case]:
    """Yield the rows; `writer` makes the array that is read."""
    import dask
    import dask.array as da

    values = field((sizes.converted, sizes.field, sizes.field), "float32")
    source = da.from_array(values, chunks=(1, sizes.field, sizes.field), name=False)
    place = room.new()
    writer.store(source, place, ZSTD)
    size = f"{values.nbytes / 1e6:.0f} MB"
    with dask.config.set(scheduler="threads", num_workers=WORKERS):
        yield _case(f"read {size}, two threads", _reading(place, values))
        yield _case(f"store {size}, zstd, two threads", _storing(room, source, values))
    with _cluster():
        yield _case(f"read {size}, two processes", _reading(place, values))
        yield _case(f"read, add 1, store {size}, two processes", _copying(room, place, values + 1))


def _case(title: str, trial: Callable[[DaskLibrary], Trial]) -> Case:
    return Case(workload="W12", title=title, trial=trial)


@contextmanager
def _cluster() -> Iterator[None]:
    """Run what dask computes on worker processes of this machine, of one thread each."""
    from distributed import Client, LocalCluster

    cluster: Any = LocalCluster(
        n_workers=WORKERS,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",  # None would be the port that each cluster has
        worker_dashboard_address=None,
    )
    with cluster, Client(cluster):
        yield


def _reading(place: Path, truth: Any) -> Callable[[DaskLibrary], Trial]:
    """The largest element: every chunk is read, and next to nothing has to be brought together."""

    def trial(library: DaskLibrary) -> Trial:
        def check(found: Any) -> None:
            expect_equal(found, truth.max())
            expect_equal(library.lazy(place).compute(scheduler="threads"), truth)

        return Trial(run=lambda: library.lazy(place).max().compute(), check=check)

    return trial


def _storing(room: Room, source: Any, truth: Any) -> Callable[[DaskLibrary], Trial]:
    def trial(library: DaskLibrary) -> Trial:
        return _stored(room, library, lambda: source, truth)

    return trial


def _copying(room: Room, place: Path, truth: Any) -> Callable[[DaskLibrary], Trial]:
    def trial(library: DaskLibrary) -> Trial:
        return _stored(room, library, lambda: library.lazy(place) + np.float32(1), truth)

    return trial


def _stored(room: Room, library: DaskLibrary, source: Callable[[], Any], truth: Any) -> Trial:
    place = room.new()
    return Trial(
        run=lambda: library.store(source(), place, ZSTD),
        check=lambda _: expect_equal(library.lazy(place).compute(scheduler="threads"), truth),
        before=lambda: shutil.rmtree(place, ignore_errors=True),
    )
