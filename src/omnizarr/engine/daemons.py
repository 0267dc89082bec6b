"""Threads that end with the program, whatever they wait for.

Those of `concurrent.futures` are joined when the program ends: one that waits for a server which never
answers would keep it from ending.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
_Task: TypeAlias = tuple[Future[Any], Callable[[], Any]]


class Daemons:
    """Daemon threads, made as they are needed, and kept."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._tasks: SimpleQueue[_Task] = SimpleQueue()
        self._count = 0
        self._free = 0  # threads that wait for a task; below zero: tasks that wait for a thread

    def submit(self, most: int, work: Callable[[], T]) -> Future[T]:
        """Call `work` in a thread, which is made unless one is free or there are `most` of them.

        Raises
        ------
        RuntimeError
            There is no thread, and none can be started.
        """
        future: Future[T] = Future()
        with self._lock:
            if self._free > 0 or not self._grown(most):
                self._free -= 1
        self._tasks.put((future, work))
        return future

    def _grown(self, most: int) -> bool:
        """Start a thread if there may be one more; say whether there is."""
        if self._count >= most:
            return False
        thread = threading.Thread(target=self._serve, name=f"{self._name}_{self._count}", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # too many for the system, or the program is ending
            if not self._count:
                raise
            return False
        self._count += 1
        return True

    def _serve(self) -> None:
        while True:
            _carry_out(*self._tasks.get())
            with self._lock:
                self._free += 1


def _carry_out(future: Future[Any], work: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
