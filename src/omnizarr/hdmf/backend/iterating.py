"""Writing data that come piece by piece, in memory that does not grow with them.

What fills stored chunks goes to the array at once, and what is left over waits for the next piece, so that no
stored chunk is read, decoded and encoded again for every row that is added to it.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any, TypeAlias

import numpy as np
from hdmf.data_utils import AbstractDataChunkIterator, GenericDataChunkIterator

from omnizarr.config import config
from omnizarr.geometry.grid import RegularGrid
from omnizarr.hdmf.backend.gathering import Gathered, Piece
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.workers.sent import Sent
from omnizarr.store.memory import MemoryStore

Done: TypeAlias = "Callable[[Array], None]"


@dataclass(frozen=True, slots=True)
class Workers:
    """How many write at once, and what they are.

    Attributes
    ----------
    jobs
        Pieces that are encoded and stored at the same time.
    threads
        Threads within each of them; None for one.
    context
        `"spawn"`, `"fork"` or `"forkserver"`: data are read and written by processes that are started so,
        where an iterator can be sent to them; None: data are read by the caller, and stored by threads.

    Raises
    ------
    ValueError
        A number is less than 1, or there is no such way to start processes.
    """

    jobs: int = 1
    threads: int | None = None
    context: str | None = None

    def __post_init__(self) -> None:
        for name, number in (("number_of_jobs", self.jobs), ("max_threads_per_process", self.threads)):
            if number is not None and number < 1:
                raise ValueError(f"{name}: expected at least 1, found {number}")
        if self.context is not None:
            get_context(self.context)


ALONE = Workers()


class ChunkQueue:
    """Arrays that are being filled, in turn: one piece of each after another."""

    def __init__(self, workers: Workers = ALONE) -> None:
        self._workers = workers
        self._fillings: list[_Filling] = []

    def add(self, array: Array, source: AbstractDataChunkIterator, done: Done) -> None:
        """Add an array whose documents are not stored yet; `done` receives it with its final shape."""
        self._fillings.append(_Filling(array, source, done))

    def exhaust(self) -> None:
        """Write all that is left of the data, and forget the arrays."""
        fillings, self._fillings = self._fillings, []
        if self._workers.jobs <= 1:
            _take_turns(fillings, _write)
            return
        if self._workers.context is not None:
            sent = [filling for filling in fillings if _can_be_sent(filling)]
            _fill_by_processes(sent, self._workers)
            fillings = [filling for filling in fillings if filling not in sent]
        with ThreadPoolExecutor(self._workers.jobs, "omnizarr-hdmf") as pool:
            _take_turns(fillings, _Hands(pool, self._workers))


@dataclass(eq=False, slots=True)
class _Filling:
    """An array, where its data come from, and who is told when it is complete."""

    array: Array
    source: AbstractDataChunkIterator
    done: Done
    gathered: Gathered = field(init=False)

    def __post_init__(self) -> None:
        grid = self.array.metadata.grid
        lengths = grid.chunk_shape if isinstance(grid, RegularGrid) else (1,) * self.array.ndim
        self.gathered = Gathered(lengths)

    def next_pieces(self) -> list[Piece] | None:
        """Return what is to be written now of the next piece of data, or None where there is no more."""
        try:
            chunk = next(self.source)
        except StopIteration:
            return None
        return [] if chunk.data is None else list(self.gathered.add(chunk.selection, chunk.data))

    def grow(self, piece: Piece) -> None:
        """Make room for a piece; handles that others hold stay as they are."""
        needed = _bounds(piece, self.array.shape)
        if needed != self.array.shape:
            old = self.array
            self.array = Array(old.store, old.format, old.path, old.metadata.with_shape(needed))


def _bounds(piece: Piece, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that holds a piece too; masks and index arrays do not make an array grow."""
    selection, data = piece
    given = selection if isinstance(selection, tuple) else (selection,)
    needed = list(shape)
    lengths = iter(data.shape)
    for i, part in enumerate(given[: len(shape)]):
        if isinstance(part, slice):
            length = next(lengths, 0)
            end = (part.start or 0) + length if part.stop is None else part.stop
            needed[i] = max(needed[i], end)
        elif isinstance(part, int | np.integer):
            needed[i] = max(needed[i], int(part) + 1)
    return tuple(needed)


def _take_turns(fillings: Iterable[_Filling], write: Callable[[Array, Piece], None]) -> None:
    waiting = deque(fillings)
    while waiting:
        filling = waiting.popleft()
        pieces = filling.next_pieces()
        if pieces is not None:
            waiting.append(filling)
        for piece in filling.gathered.rest() if pieces is None else pieces:
            filling.grow(piece)
            write(filling.array, piece)
        if pieces is None:
            if isinstance(write, _Hands):
                write.finish()
            filling.done(filling.array)


def _write(array: Array, piece: Piece) -> None:
    selection, data = piece
    array[selection] = data


class _Hands:
    """Threads that write; of what waits for them there is never more than one piece for each."""

    def __init__(self, pool: ThreadPoolExecutor, workers: Workers) -> None:
        self._pool = pool
        self._workers = workers
        self._busy: set[Future[None]] = set()

    def __call__(self, array: Array, piece: Piece) -> None:
        if len(self._busy) >= self._workers.jobs:
            self._collect(wait(self._busy, return_when=FIRST_COMPLETED).done)
        self._busy.add(self._pool.submit(self._write, array, piece))

    def finish(self) -> None:
        """Wait until all is written; the first failure is raised."""
        self._collect(wait(self._busy).done)

    def _collect(self, futures: Iterable[Future[None]]) -> None:
        for future in futures:
            self._busy.discard(future)
            future.result()

    def _write(self, array: Array, piece: Piece) -> None:
        with config.using(threads=self._workers.threads or 1):
            _write(array, piece)


# --- processes

_here: list[tuple[Array, GenericDataChunkIterator]] = []  # in a worker: what it was sent when it started


def _can_be_sent(filling: _Filling) -> bool:
    """Say whether another process can read the data, and write where this one reads."""
    if not isinstance(filling.source, GenericDataChunkIterator):
        return False
    store: Any = filling.array.store
    while hasattr(store, "inner"):
        store = store.inner
    if isinstance(store, MemoryStore):
        return False
    with suppress(Exception):  # whatever user's classes raise where they cannot be pickled
        pickle.dumps((filling.array, filling.source))
        return True
    return False


def _fill_by_processes(fillings: list[_Filling], workers: Workers) -> None:
    if not fillings:
        return
    # The arrays have no documents yet, which come last.
    sent = pickle.dumps(Sent([(filling.array, filling.source) for filling in fillings]))
    pool = ProcessPoolExecutor(
        workers.jobs, get_context(workers.context), _start_worker, (sent, workers.threads)
    )
    with pool:
        for number, filling in enumerate(fillings):
            selections = list(filling.source.buffer_selection_generator)
            for _ in pool.map(_fill_part, [number] * len(selections), selections):
                if filling.source.display_progress:
                    filling.source.progress_bar.update(n=1)
            filling.done(filling.array)


def _start_worker(sent: bytes, threads: int | None) -> None:
    config.set(threads=threads or 1)
    _here[:] = pickle.loads(sent).value


def _fill_part(number: int, selection: tuple[slice, ...]) -> None:
    array, source = _here[number]
    array[selection] = source._get_data(selection=selection)
