"""The workers of a dask cluster, for what `omnizarr.copy`, `netcdf.convert` and `validate` take as `workers`.

How to run that on Kubernetes, Slurm and Coiled, and what limits what: docs/distributed.md.
https://distributed.dask.org/en/stable/client.html
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from omnizarr._version import __version__
from omnizarr.config import config
from omnizarr.errors import WorkersError
from omnizarr.hierarchy.workers.base import Share
from omnizarr.hierarchy.workers.crew import Crew, Future, Given, perform
from omnizarr.hierarchy.workers.sent import forget

# Clusters come and go while a copy runs; how many threads there are is asked once in so many seconds.
_LOOK_AGAIN = 2.0
# dask pauses a worker at 80 % of its memory, and half of it may be other people's.
_PART_OF_MEMORY = 0.5
_SCHEMES = ("tcp://", "tls://", "ucx://", "ucxx://", "ws://", "wss://", "inproc://")


class Cluster(Crew):
    """The workers of a dask scheduler; each of their threads does one task at a time.

    Tasks of a worker that dies are given to others, by dask, as often as
    `distributed.scheduler.allowed-failures` says.

    Parameters
    ----------
    scheduler
        Its address, `tcp://host:8786` or `tls://…`; the path of a scheduler file; or a `distributed.Client`,
        which stays open.
    workers
        How many workers to wait for before anything is begun, and for how many there are tasks under way;
        by default for one, and for all that there are.
    timeout
        How many seconds to wait for the scheduler, and for the workers.
    """

    def __init__(self, scheduler: Any, workers: int | None = None, *, timeout: float = 300.0) -> None:
        super().__init__()
        if workers is not None and workers < 1:
            raise ValueError(f"workers: expected at least 1, found {workers}")
        self._scheduler = scheduler
        self._wanted = workers
        self._timeout = timeout
        self._client: Any = None
        self._threads: dict[str, int] = {}
        self._looked = 0.0

    @property
    def told(self) -> str:
        """How many there are."""
        count = len(self._workers())
        return f"{count} workers of a cluster" if count != 1 else "1 worker of a cluster"

    @property
    def slots(self) -> int:
        """One for each thread of each worker."""
        counts = sorted(self._workers().values(), reverse=True)
        return max(1, sum(counts[: self._wanted]))

    def share(self, memory: int) -> Share:
        """Return the part of a worker that one of its threads has: no more than half of its memory in all."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        threads = max((worker["nthreads"] for worker in workers), default=1)
        limits = [worker["memory_limit"] * _PART_OF_MEMORY for worker in workers if worker["memory_limit"]]
        return Share(
            memory=int(min(memory, *limits, memory)) // threads,
            threads=1,
            requests=max(1, config.settings.requests // threads),
            slots=self.slots,
            apart=True,
        )

    def submit(self, given: Given) -> Future:
        """Have some worker carry out a task."""
        key = f"omnizarr-{given.name}-{uuid4().hex}"
        future: Future = self._client.submit(perform, given.run, given.data, key=key, pure=False)
        return future

    def give_up(self, futures: Iterable[Future]) -> None:
        """Begin none of these any more; those that have begun are ended by their workers."""
        self._client.cancel(list(futures))

    def explained(self, error: Exception) -> Exception:
        """Return failures of the cluster as such."""
        from dask.distributed import CancelledError, KilledWorker

        if isinstance(error, KilledWorker):
            return WorkersError(f"workers were lost with the same task, again and again: {error}")
        if isinstance(error, CancelledError):
            return WorkersError(f"the scheduler dropped a task, or was lost: {error}")
        if isinstance(error, ImportError):
            return WorkersError(f"a worker lacks a package that is needed: {error}")
        return error

    def begin(self) -> None:
        """Connect to the scheduler, and wait for the workers."""
        self._client = self._connected()
        try:
            self._wait()
            self._check_versions()
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """Have the workers let go of what they opened."""
        client, self._client = self._client, None
        # What went wrong before, a scheduler that was lost among it, is told rather than what goes wrong now.
        with suppress(Exception):
            if client.status == "running":
                client.run(forget, on_error="ignore")
        if client is not self._scheduler:
            client.close()

    def _connected(self) -> Any:
        given = self._scheduler
        if not isinstance(given, str | Path):
            if given.status != "running":
                raise WorkersError(f"expected a client that is connected, found one that is {given.status}")
            return given
        client = _distributed().Client
        options: dict[str, Any] = {"timeout": self._timeout, "set_as_default": False}
        try:
            if str(given).startswith(_SCHEMES):
                return client(str(given), **options)
            if not Path(given).is_file():
                message = (
                    f"expected the address of a scheduler ({', '.join(_SCHEMES[:3])}…) or a scheduler file"
                )
                raise WorkersError(f"{message}, found {str(given)!r}")
            _check_scheduler_file(Path(given))
            return client(scheduler_file=str(given), **options)
        except (OSError, ValueError) as error:
            raise WorkersError(f"no dask scheduler answers at {given}: {error}") from error

    def _wait(self) -> None:
        wanted = self._wanted or 1
        try:
            self._client.wait_for_workers(wanted, timeout=self._timeout)
        except TimeoutError as error:
            found = len(self._workers())
            message = f"expected {wanted} workers within {self._timeout:g} s, found {found}"
            raise WorkersError(f"{message}; they may still be starting") from error

    def _check_versions(self) -> None:
        def version() -> str | None:  # sent as it is: a worker may not have this module
            try:
                from omnizarr._version import __version__ as there
            except ImportError:
                return None
            return there

        for worker, found in self._client.run(version).items():
            if found != __version__:
                has = "no omnizarr" if found is None else f"omnizarr {found}"
                raise WorkersError(f"the worker {worker} has {has}, expected {__version__} as here")

    def _workers(self) -> dict[str, int]:
        """Return how many threads each worker has."""
        if self._client is not None and time.monotonic() > self._looked + _LOOK_AGAIN:
            self._threads = dict(self._client.nthreads())
            self._looked = time.monotonic()
        return self._threads


def _check_scheduler_file(path: Path) -> None:
    """Check that a file is what a scheduler writes: the client takes another one for a scheduler to come.

    Raises
    ------
    WorkersError
        It is not.
    """
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("address"), str):
        raise WorkersError(f"expected a scheduler file, which names the address of a scheduler, found {path}")


def _distributed() -> Any:
    try:
        from dask import distributed
    except ImportError as error:
        raise ImportError(
            "dask clusters belong to the extra 'dask' (pip install 'omnizarr[dask]')"
        ) from error
    return distributed
