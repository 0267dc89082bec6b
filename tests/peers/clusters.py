"""A cluster of worker processes on this machine, as tests use it: loopback, no dashboard, gone at the end."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import dask
from distributed import Client, LocalCluster

LOOPBACK = "127.0.0.1"


@contextmanager
def local_cluster(workers: int = 2, *, environment: Mapping[str, str] | None = None) -> Iterator[Client]:
    """Yield the client of a cluster of worker processes, each of one thread; one that dies is started anew.

    Parameters
    ----------
    environment
        What stands in the environment of the workers beside what stands in this one.
    """
    settings = {
        "distributed.worker.daemon": True,  # they end with this process, however it ends
        "distributed.worker.memory.terminate": False,
    }
    with (
        tempfile.TemporaryDirectory(prefix="omnizarr-cluster-") as folder,
        dask.config.set(settings),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host=LOOPBACK,
            dashboard_address=f"{LOOPBACK}:0",  # None would be the port that each cluster has
            worker_dashboard_address=None,
            silence_logs=logging.CRITICAL,
            local_directory=folder,
            env=dict(environment or {}),
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client
