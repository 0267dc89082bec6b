"""What carries out tasks, and what a task is.

A copy or a check comes apart into tasks that may be run anywhere, in any order and more than once: chunks to
move, blocks to encode anew, chunks to look at. What has to come first or last is done by who gave them out.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self, TypeVar, runtime_checkable

from omnizarr.config import config
from omnizarr.engine.pool import run
from omnizarr.hierarchy.workers.sent import Sent
from omnizarr.hierarchy.workers.sight import Sight
from omnizarr.store.base import Store

R = TypeVar("R")


class Task(NamedTuple):
    """What is done, and with what; both can be pickled, and to do it again changes nothing."""

    work: Sent[Callable[[Any], Any]]
    item: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one task may take of the worker that it runs on.

    Attributes
    ----------
    memory
        Bytes.
    threads
        For work on the processor.
    requests
        In flight to a store on a network.
    slots
        How many tasks run at once, by all workers.
    apart
        Whether tasks go to other processes, so that few large ones are better than many small ones.
    """

    memory: int
    threads: int
    requests: int
    slots: int = 1
    apart: bool = False


@runtime_checkable
class Workers(Protocol):
    """Who carries out the tasks of a copy or a check; in a `with` block as long as they are needed."""

    @property
    def told(self) -> str:
        """Who they are, for people: `2 processes`."""

    def share(self, memory: int) -> Share:
        """Return what a task may take, where each worker may hold so many bytes."""

    def require(self, *stores: Store) -> None:
        """Raise WorkersError where the workers cannot use a store; others are only found out by `Sight`."""

    def run(
        self,
        tasks: Iterable[Task],
        took: Callable[[Any], None],
        *,
        at_once: int = 1,
        waiting: bool = False,
        sight: Sent[Sight] | None = None,
    ) -> None:
        """Carry out tasks in no particular order, and have `took` take each result, one after another.

        The first failure is raised here, after no more tasks are begun. A task whose worker was lost is
        given to another one.

        Parameters
        ----------
        at_once
            How many may run at once, where workers are threads of this process.
        waiting
            Whether they mostly wait for a network.
        sight
            What a worker has to see before it begins.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Threads:
    """Threads of this process: `count` of them for work on the processor, or as `omnizarr.config` says."""

    def __init__(self, count: int | None = None) -> None:
        self.count = count

    @property
    def told(self) -> str:
        """How many there are."""
        count = self.count or config.settings.threads
        return f"{count} threads" if count > 1 else "1 thread"

    def share(self, memory: int) -> Share:
        """Return all there is: tasks share it by `at_once`."""
        settings = config.settings
        threads = self.count or settings.threads
        return Share(memory=memory, threads=threads, requests=self.count or settings.requests)

    def require(self, *stores: Store) -> None:
        """Accept all."""

    def run(
        self,
        tasks: Iterable[Task],
        took: Callable[[Any], None],
        *,
        at_once: int = 1,
        waiting: bool = False,
        sight: Sent[Sight] | None = None,
    ) -> None:
        """Carry out tasks; see `Workers.run`."""
        lock = threading.Lock()

        def carry_out(task: Task) -> None:
            result = task.work.value(task.item)
            with lock:
                took(result)

        run(tasks, carry_out, workers=at_once, waiting=waiting)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: threads end by themselves."""


HERE = Threads()


def workers_of(workers: int | Workers | None) -> Workers:
    """Return the workers that an argument stands for: a number is one of threads.

    Raises
    ------
    ValueError
        It is less than 1.
    TypeError
        It is something else.
    """
    if workers is None:
        return HERE
    if isinstance(workers, int) and not isinstance(workers, bool):
        if workers < 1:
            raise ValueError(f"workers: expected at least 1, found {workers}")
        return Threads(workers)
    if not isinstance(workers, Workers):
        raise TypeError(f"workers: expected a number of threads, or workers, found {workers!r}")
    return workers
