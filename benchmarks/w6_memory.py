"""W6: a small array in a memory store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from numpy.typing import NDArray

from benchmarks.case import Case, Trial, expect_equal
from benchmarks.peers.base import InMemory, Library
from benchmarks.room import Room
from benchmarks.sizes import Sizes
from benchmarks.spec import Spec, field

SPEC = Spec(shape=(100, 10), chunks=(100, 10))
WRITE_GOAL = 1656 / 7
READ_GOAL = 820 / 7


def cases(sizes: Sizes, room: Room) -> Iterator[Case]:
    """Yield the rows."""
    data = field(SPEC.shape, SPEC.dtype)
    yield Case(
        workload="W6",
        title="memory store: create and write one chunk of 4 KB",
        unit="µs",
        trial=_create_and_write(data),
        goal=WRITE_GOAL,
    )
    yield Case(
        workload="W6",
        title="memory store: open and read it",
        unit="µs",
        trial=_open_and_read(data),
        goal=READ_GOAL,
    )


def _create_and_write(data: NDArray[Any]) -> Callable[[Library], Trial | None]:
    def trial(library: Library) -> Trial | None:
        if not isinstance(library, InMemory):
            return None
        return Trial(
            run=lambda: library.memory_write(SPEC, data),
            check=lambda store: expect_equal(library.memory_read(store), data),
        )

    return trial


def _open_and_read(data: NDArray[Any]) -> Callable[[Library], Trial | None]:
    def trial(library: Library) -> Trial | None:
        if not isinstance(library, InMemory):
            return None
        store = library.memory_write(SPEC, data)
        return Trial(
            run=lambda: library.memory_read(store),
            check=lambda found: expect_equal(found, data),
        )

    return trial
