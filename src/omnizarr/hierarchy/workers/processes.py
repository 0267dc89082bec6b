"""Processes of this machine."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import Any, ClassVar

from omnizarr.config import config
from omnizarr.hierarchy.workers.base import Share
from omnizarr.hierarchy.workers.crew import Crew, Future, Given, perform


class Processes(Crew):
    """So many processes of this machine, or as many as it has cores; each may take its share of the threads.

    They are spawned: a script that uses them does its work below `if __name__ == "__main__":`. One that is
    killed is replaced, and its tasks are done again.
    """

    lost: ClassVar[tuple[type[BaseException], ...]] = (BrokenProcessPool,)

    def __init__(self, count: int | None = None) -> None:
        super().__init__()
        if count is not None and count < 1:
            raise ValueError(f"processes: expected at least 1, found {count}")
        self.count = count or config.settings.threads
        self._pool: ProcessPoolExecutor | None = None

    @property
    def told(self) -> str:
        """How many there are."""
        return f"{self.count} processes" if self.count > 1 else "1 other process"

    @property
    def slots(self) -> int:
        """One for each process."""
        return self.count

    def share(self, memory: int) -> Share:
        """Return the memory of a process, and its part of the threads and requests."""
        settings = config.settings
        return Share(
            memory=memory,
            threads=max(1, settings.threads // self.count),
            requests=max(1, settings.requests // self.count),
            slots=self.count,
            apart=True,
        )

    def submit(self, given: Given) -> Future:
        """Have a process carry out a task; where one was killed, all are replaced."""
        try:
            return self._running().submit(perform, given.run, given.data)
        except BrokenProcessPool:
            self.end()
            return self._running().submit(perform, given.run, given.data)

    def give_up(self, futures: Iterable[Future]) -> None:
        """Begin none of these any more, and wait for those that have begun."""
        left: list[Any] = [future for future in futures if not future.cancel()]
        wait(left)

    def begin(self) -> None:
        """Do nothing: processes are started for the first task."""

    def end(self) -> None:
        """End the processes."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(cancel_futures=True)

    def _running(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # A fork would take over locks that threads hold, and obstore's threads not at all.
            context = get_context("spawn")
            self._pool = ProcessPoolExecutor(self.count, mp_context=context, initializer=_begin)
        return self._pool


def _begin() -> None:
    """Leave Ctrl-C to the process that gives out the tasks, and end where that one was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
