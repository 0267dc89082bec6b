"""Closing, at the end of the program, what nobody closed."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from typing import Any, Protocol
from weakref import WeakSet


class Closable(Protocol):
    """A dataset."""

    def close(self) -> Any:
        """Store everything that has changed."""


_OPEN: WeakSet[Closable] = WeakSet()


def close_at_exit(dataset: Closable) -> None:
    """Have a dataset closed while modules can still be imported, which is before `__del__` runs."""
    _OPEN.add(dataset)


@atexit.register
def _close_all() -> None:
    with ExitStack() as stack:
        for dataset in list(_OPEN):
            stack.callback(dataset.close)
