"""W13: copies by threads, by processes and by the workers of a dask cluster.

What is compared are ways of working, not libraries: `python -m benchmarks.w13_workers` prints a table of
seconds, each the best of some runs, taken in turn.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

import omnizarr
from benchmarks.object_peers.base import BUCKET, Service
from benchmarks.object_server import serving
from omnizarr.hierarchy.workers.base import Threads, Workers
from omnizarr.hierarchy.workers.processes import Processes
from omnizarr.integrations.distributed import Cluster
from omnizarr.store import ObjectStore, Store

CHUNK = 2**20
ZSTD = {"name": "zstd", "configuration": {"level": 1}}
ZSTD_9 = {"name": "zstd", "configuration": {"level": 9}}
RUNS = 3


def sources(folder: Path, count: int) -> dict[str, Path]:
    """Make an array of 4 MB chunks, one of chunks of 16 KB, and return where they are."""
    rng = np.random.default_rng(0)
    made = {"large": folder / "large", "small": folder / "small"}
    large = omnizarr.create_array(
        made["large"], shape=(count, CHUNK), chunks=(1, CHUNK), dtype="f4", compressors=ZSTD
    )
    for row in range(count):
        large[row] = rng.integers(0, 1000, CHUNK)
    small = omnizarr.create_array(
        made["small"], shape=(count * 64, 4096), chunks=(1, 4096), dtype="f4", compressors=None
    )
    small[...] = rng.integers(0, 1000, small.shape)
    return made


def jobs(made: dict[str, Path]) -> dict[str, Callable[[Any, Workers], object]]:
    """Return what is measured, by title."""
    large, small = made["large"], made["small"]
    return {
        "4 MB chunks as stored": lambda to, by: omnizarr.copy(large, to, workers=by),
        "16 KB chunks as stored": lambda to, by: omnizarr.copy(small, to, workers=by),
        "recoded: zstd 1 to 9": lambda to, by: omnizarr.copy(large, to, compressors=ZSTD_9, workers=by),
        "rechunked": lambda to, by: omnizarr.copy(large, to, chunks=(8, CHUNK // 16), workers=by),
    }


def crews(stack: ExitStack) -> dict[str, Workers]:
    """Return those that work, each of them ready."""
    from dask.distributed import LocalCluster

    found: dict[str, Workers] = {"1 thread": Threads(1), "2 threads": Threads(2)}
    for count in (1, 2):
        found[f"{count} process{'es' if count > 1 else ''}"] = stack.enter_context(Processes(count))
    for count in (1, 2):
        cluster = LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            local_directory=tempfile.gettempdir(),
        )
        address = stack.enter_context(cluster).scheduler_address
        found[f"{count} dask worker{'s' if count > 1 else ''}"] = stack.enter_context(Cluster(address))
    return found


def targets(folder: Path, service: Service) -> dict[str, Iterator[Path | Store]]:
    """Return places that are new each time, by what they are."""
    return {"a directory": _directories(folder), "S3": _objects(service)}


def _directories(folder: Path) -> Iterator[Path]:
    number = 0
    while True:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            yield Path(place) / str(number)
        number += 1


def _objects(service: Service) -> Iterator[Store]:
    options = {
        "endpoint": service.endpoint,
        "access_key_id": service.key,
        "secret_access_key": service.secret,
        "region": "us-east-1",
        "allow_http": True,
    }
    number = 0
    while True:
        store = ObjectStore(f"s3://{BUCKET}/{number}", storage_options=options)
        yield store
        store.delete_prefix("")
        number += 1


def main(count: int = 64) -> None:
    """Measure, and print a table."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        made = sources(Path(folder), count)
        service = stack.enter_context(serving(Path(folder) / "s3"))
        workers = crews(stack)
        print("| copy of", f"{count * 4} MB | to | {' | '.join(workers)} |")
        print("|---|---|" + "---:|" * len(workers))
        for where, places in targets(Path(folder), service).items():
            for title, job in jobs(made).items():
                best = _best(job, workers, places)
                print(
                    f"| {title} | {where} | {' | '.join(f'{best[name]:.2f}' for name in workers)} |",
                    flush=True,
                )


def _best(
    job: Callable[[Any, Workers], object], workers: dict[str, Workers], places: Iterator[Any]
) -> dict[str, float]:
    """Return the seconds of the best run of each, taken in turn."""
    best = dict.fromkeys(workers, float("inf"))
    for _ in range(RUNS):
        for name, by in workers.items():
            place = next(places)
            start = time.perf_counter()
            job(place, by)
            best[name] = min(best[name], time.perf_counter() - start)
    return best


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
