"""Who does the work of a command: `--scheduler` and `--workers`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from omnizarr.hierarchy.workers.base import Threads, Workers
from omnizarr.hierarchy.workers.processes import Processes
from omnizarr.integrations.distributed import Cluster

F = TypeVar("F", bound=Callable[..., Any])


def worker_options(function: F) -> F:
    """Give a command the options that `workers_for` takes."""
    workers = click.option(
        "--workers",
        type=click.IntRange(1),
        metavar="N",
        help="So many threads or processes; of a cluster, wait for so many workers.",
    )
    scheduler = click.option(
        "--scheduler",
        default="threads",
        show_default=True,
        metavar="WHERE",
        help="Who does the work: threads, processes, or a dask cluster by the address of its scheduler "
        "(tcp://host:8786, tls://…) or by its scheduler file.",
    )
    return scheduler(workers(function))


def workers_for(scheduler: str, workers: int | None) -> Workers:
    """Return the workers that options ask for."""
    if scheduler == "threads":
        return Threads(workers)
    return Processes(workers) if scheduler == "processes" else Cluster(scheduler, workers)


def told_by(doing: str, workers: Workers) -> str:
    """Return what stands before a progress bar: what is done, and by how many."""
    return doing if isinstance(workers, Threads) else f"{doing} by {workers.told}"
