"""Workers elsewhere: tasks are pickled, only so many are under way, and those of a lost worker done again."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from queue import SimpleQueue
from types import TracebackType
from typing import Any, ClassVar, NamedTuple, Protocol, Self
from uuid import uuid4

from omnizarr.config import Settings, config
from omnizarr.errors import WorkersError
from omnizarr.hierarchy.workers.base import Share, Task
from omnizarr.hierarchy.workers.sent import Sent, received
from omnizarr.hierarchy.workers.sight import Sight
from omnizarr.store.base import Store
from omnizarr.store.layers.below import unwrapped
from omnizarr.store.memory import MemoryStore

# How often a task is given out whose worker is lost each time: it may be the task that ends workers.
_TRIES = 4


class Future(Protocol):
    """What `concurrent.futures` and dask return for a task."""

    def result(self) -> Any: ...

    def cancel(self) -> Any: ...

    def add_done_callback(self, call: Callable[[Any], None]) -> Any: ...


@dataclass(slots=True)
class Given:
    """A task that was given out: what people see of it, and what `perform` is called with."""

    name: str
    run: str
    data: bytes
    tries: int = 1


class _Order(NamedTuple):
    """A task as it is sent."""

    sight: Sent[Sight] | None
    task: Task
    settings: Settings


def perform(run: str, data: bytes) -> Any:
    """Carry out a task that was sent to this process, one of those of a run."""
    order: _Order = received(run, data)
    if order.sight is not None:
        order.sight.value.check()
    with config.using(**asdict(order.settings)):
        return order.task.work.value(order.task.item)


class Crew(ABC):
    """Workers in other processes; the first `with` block around them has them come, and the last one go."""

    lost: ClassVar[tuple[type[BaseException], ...]] = ()

    def __init__(self) -> None:
        self._users = 0

    @property
    @abstractmethod
    def told(self) -> str:
        """Who they are, for people."""

    @property
    @abstractmethod
    def slots(self) -> int:
        """How many tasks run at once."""

    @abstractmethod
    def share(self, memory: int) -> Share:
        """Return what a task may take, where each worker may hold so many bytes."""

    @abstractmethod
    def submit(self, given: Given) -> Future:
        """Have `perform` called somewhere."""

    @abstractmethod
    def give_up(self, futures: Iterable[Future]) -> None:
        """Begin none of these any more; where that can be known, wait for those that have begun."""

    @abstractmethod
    def begin(self) -> None:
        """Have the workers come.

        Raises
        ------
        WorkersError
            They do not.
        """

    @abstractmethod
    def end(self) -> None:
        """Have the workers go."""

    def explained(self, error: Exception) -> Exception:
        """Return what users are told of a failure."""
        return error

    def require(self, *stores: Store) -> None:
        """Refuse stores of this process alone.

        Raises
        ------
        WorkersError
            There is one.
        """
        for store in stores:
            if isinstance(unwrapped(store)[0], MemoryStore):
                why = "it is in the memory of one process"
                raise WorkersError(f"{self.told} cannot reach {store.name}: {why}")
            try:
                pickle.dumps(store)
            except Exception as error:  # whatever classes raise that cannot be pickled
                raise WorkersError(f"{self.told} cannot reach {store.name}: {error}") from error

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
        ended: SimpleQueue[Any] = SimpleQueue()
        share, run = self.share(0), uuid4().hex
        settings = replace(config.settings, threads=share.threads, requests=share.requests)
        under_way: dict[Any, Given] = {}
        try:
            for task in tasks:
                # One that waits beside each that runs: no worker is idle until the next one arrives.
                while len(under_way) >= 2 * self.slots:
                    self._take(under_way, ended, took)
                data = pickle.dumps(_Order(sight, task, settings), protocol=5)
                self._give(Given(type(task.work.value).__name__, run, data), under_way, ended)
            while under_way:
                self._take(under_way, ended, took)
        except BaseException:
            self.give_up(list(under_way))
            raise

    def _give(self, given: Given, under_way: dict[Any, Given], ended: SimpleQueue[Any]) -> None:
        future = self.submit(given)
        under_way[future] = given
        future.add_done_callback(ended.put)

    def _take(
        self, under_way: dict[Any, Given], ended: SimpleQueue[Any], took: Callable[[Any], None]
    ) -> None:
        future = ended.get()
        given = under_way.pop(future)
        try:
            result = future.result()
        except self.lost as error:
            if given.tries >= _TRIES:
                raise WorkersError(f"{given.tries} workers were lost with the same task: {error}") from error
            given.tries += 1
            self._give(given, under_way, ended)
        except Exception as error:
            if (explained := self.explained(error)) is error:
                raise
            raise explained from error
        else:
            took(result)

    def __enter__(self) -> Self:
        if not self._users:
            self.begin()
        self._users += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._users -= 1
        if not self._users:
            self.end()
