"""The steps of a copy: tasks that may be done in any order, one step after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from threading import Lock
from typing import Protocol, TypeAlias

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.copying.transfer import Moved
from omnizarr.hierarchy.workers.base import Task, Workers
from omnizarr.hierarchy.workers.sent import Sent
from omnizarr.hierarchy.workers.sight import Sight

Progress: TypeAlias = Callable[[int, int], None]


def nothing() -> None:
    """Do nothing."""


class Route(Protocol):
    """From which array to which one; it can be pickled, and the arrays then be opened elsewhere."""

    @property
    def source(self) -> Array:
        """The array that is read."""

    @property
    def target(self) -> Array:
        """The array that is written."""

    def to(self, target: Array) -> Route:
        """Return the way from the same source to another target."""


@dataclass(frozen=True, slots=True)
class Arrays:
    """A route between arrays in stores."""

    source: Array
    target: Array

    def to(self, target: Array) -> Route:
        """Return the way from the same source to another target."""
        return Arrays(self.source, target)


@dataclass(frozen=True, slots=True)
class Done:
    """What comes of a task: what was brought over, and the bytes in memory by which progress is measured."""

    moved: Moved
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Tasks that may be done in any order.

    Attributes
    ----------
    size
        Bytes in memory of all that they bring over; progress is measured by that.
    at_once, waiting
        How many threads of this process would work on them, and whether they would wait for a network.
    is_second
        Whether tasks of a step before this one have to be done first.
    after
        What is done once they are done.
    """

    tasks: Iterable[Task]
    size: int
    at_once: int = 1
    waiting: bool = False
    is_second: bool = False
    after: Callable[[], None] = nothing


def together(steps: Iterable[Step]) -> Iterator[Step]:
    """Return all steps as two at most, so that workers elsewhere need not wait for the last of each array."""
    found = list(steps)
    for is_second in (False, True):
        part = [step for step in found if step.is_second == is_second]
        if part:
            yield Step(
                tasks=chain.from_iterable(step.tasks for step in part),
                size=sum(step.size for step in part),
                after=partial(_finish, part),
            )


def _finish(steps: Iterable[Step]) -> None:
    for step in steps:
        step.after()


class Meter:
    """Progress of many threads, told by one after the other and never backwards."""

    def __init__(self, total: int, tell: Progress) -> None:
        self._total = total
        self._tell = tell
        self._lock = Lock()
        self._done = 0
        self._stop = 0

    def begin(self, size: int) -> None:
        """Begin a step of so many bytes."""
        self._stop = self._done + size

    def advance(self, count: int) -> None:
        """Count bytes; chunks at the edges reach past the end of the array."""
        with self._lock:
            self._done = min(self._done + count, self._stop)
            self._tell(self._done, self._total)

    def end(self) -> None:
        """End the step; chunks that are missing were not counted."""
        self.advance(self._stop)


def carry_out(
    steps: Iterable[Step],
    workers: Workers,
    total: int,
    progress: Progress | None,
    sight: Sight | None,
    *,
    apart: bool,
) -> Moved:
    """Have the steps done, and return what was brought over."""
    moved = Moved()
    meter = Meter(total, progress or (lambda done, total: None))
    sent = None if sight is None else Sent(sight)

    def take(done: Done) -> None:
        nonlocal moved
        moved += done.moved
        meter.advance(done.size)

    for step in together(steps) if apart else steps:
        meter.begin(step.size)
        workers.run(step.tasks, take, at_once=step.at_once, waiting=step.waiting, sight=sent)
        step.after()
        meter.end()
    return moved
