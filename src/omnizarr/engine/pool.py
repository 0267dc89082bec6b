"""Threads: pools, made on first use and again after a fork.

One pool has as many threads as there are cores, for work on the processor; another has as many as
there may be requests in flight, for stores that mostly wait.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from contextvars import ContextVar, copy_context
from functools import partial
from itertools import islice
from typing import Generic, TypeVar

from omnizarr.engine.daemons import Daemons

T = TypeVar("T")

_pools: dict[str, Daemons] = {}
_lock = threading.Lock()
_stop: ContextVar[threading.Event | None] = ContextVar("omnizarr.stop", default=None)


class Stopped(Exception):
    """The work was stopped between two tasks, since nobody waits for it any more."""


def run(
    tasks: Iterable[T], work: Callable[[T], object], *, workers: int, batch: int = 1, waiting: bool = False
) -> None:
    """Call `work` on every task, by `workers` threads of which the calling one is the first.

    Tasks are handed out in batches, in their order. The first exception ends the work and is raised
    here, after what other threads have under way is done. Calls may be nested. All threads work in the
    context of the caller, so with its settings.

    Parameters
    ----------
    waiting
        Whether the work mostly waits for a network: then the larger pool is used.

    Raises
    ------
    Stopped
        The event of `until_stopped` was set.
    """
    if (stop := _stop.get()) is not None:
        tasks = _until(stop, tasks)
    if workers <= 1:
        for task in tasks:
            work(task)
        return
    shared = _Shared(iter(tasks), work, batch)
    pool = pool_named("requests" if waiting else "cores")
    helpers: list[Future[None]] = []
    with suppress(RuntimeError):  # no threads to be had: then this one does it all
        helpers.extend(
            pool.submit(workers - 1, partial(copy_context().run, shared.drain)) for _ in range(workers - 1)
        )
    shared.drain()
    # A helper that has not begun is not needed any more; waiting for it could wait for this very thread.
    for helper in helpers:
        if not helper.cancel():
            helper.result()
    if shared.error is not None:
        if isinstance(shared.error, Stopped):
            _stop.set(None)  # what tidies up behind this is not stopped
        raise shared.error


def until_stopped(stop: threading.Event, work: Callable[[], T]) -> T:
    """Call `work`; once `stop` is set, its runs begin no further tasks, and the first raises `Stopped`."""
    before = _stop.set(stop)
    try:
        return work()
    finally:
        _stop.reset(before)


def _until(stop: threading.Event, tasks: Iterable[T]) -> Iterator[T]:
    for task in tasks:
        if stop.is_set():
            _stop.set(None)
            raise Stopped
        yield task


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


def pool_named(name: str) -> Daemons:
    """Return the threads of one kind."""
    with _lock:
        pool = _pools.get(name)
        if pool is None:
            pool = _pools[name] = Daemons(f"omnizarr-{name}")
        return pool


def _forget_pools() -> None:
    """In a forked child: the parent's threads do not exist here."""
    global _lock
    _lock = threading.Lock()
    _pools.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pools)
