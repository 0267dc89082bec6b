"""Threads: two pools, made on first use and again after a fork.

One pool has as many threads as there are cores, for work on the processor; the other has as many as
there may be requests in flight, for stores that mostly wait.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Generic, TypeVar

T = TypeVar("T")

_pools: dict[str, ThreadPoolExecutor] = {}
_lock = threading.Lock()


def run(
    tasks: Iterable[T], work: Callable[[T], object], *, workers: int, batch: int = 1, waiting: bool = False
) -> None:
    """Call `work` on every task, by `workers` threads of which the calling one is the first.

    Tasks are handed out in batches, in their order. The first exception ends the work and is raised
    here, after what other threads have under way is done. Calls may be nested.

    Parameters
    ----------
    waiting
        Whether the work mostly waits for a network: then the larger pool is used.
    """
    if workers <= 1:
        for task in tasks:
            work(task)
        return
    shared = _Shared(iter(tasks), work, batch)
    pool = _pool("requests" if waiting else "cores", workers)
    helpers: list[Future[None]] = [pool.submit(shared.drain) for _ in range(workers - 1)]
    shared.drain()
    # A helper that has not begun is not needed any more; waiting for it could wait for this very thread.
    for helper in helpers:
        if not helper.cancel():
            helper.result()
    if shared.error is not None:
        raise shared.error


def batches(tasks: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield tasks in lists of `size`, the last one shorter."""
    rest = iter(tasks)
    while batch := list(islice(rest, size)):
        yield batch


class _Shared(Generic[T]):
    """Tasks that several threads take from."""

    def __init__(self, tasks: Iterator[T], work: Callable[[T], object], batch: int) -> None:
        self._tasks = tasks
        self._work = work
        self._batch = batch
        self._lock = threading.Lock()
        self.error: BaseException | None = None

    def drain(self) -> None:
        """Work until no task is left or one has failed."""
        work = self._work
        try:
            while self.error is None and (batch := self._take()):
                for task in batch:
                    work(task)
        except BaseException as error:
            self.error = self.error or error

    def _take(self) -> list[T]:
        with self._lock:
            return list(islice(self._tasks, self._batch))


def _pool(name: str, workers: int) -> ThreadPoolExecutor:
    with _lock:
        pool = _pools.get(name)
        if pool is None or pool._max_workers < workers:
            # A pool that is too small is left to its tasks; its idle threads end with it.
            pool = _pools[name] = ThreadPoolExecutor(workers, thread_name_prefix=f"omnizarr-{name}")
        return pool


def _forget_pools() -> None:
    """In a forked child: the parent's threads do not exist here."""
    global _lock
    _lock = threading.Lock()
    _pools.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pools)
