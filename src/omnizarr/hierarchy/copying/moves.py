"""Stored chunks, brought into other arrays as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from omnizarr.engine.pool import batches, run
from omnizarr.hierarchy.arrays.resize import stored_chunks
from omnizarr.hierarchy.copying.steps import Done, Route, Step
from omnizarr.hierarchy.copying.transfer import Moved, chunk_bytes, move_chunk
from omnizarr.hierarchy.paths import ancestors_of, prefix_of
from omnizarr.hierarchy.requests import in_flight
from omnizarr.hierarchy.workers.base import Share, Task
from omnizarr.hierarchy.workers.sent import Sent
from omnizarr.store.base import Store

Chunk: TypeAlias = tuple[Sent[Route], str, tuple[int, ...]]

# 16384 chunks of 16 kB took 0.7 s by one thread, 0.85 s by two; those of 4 MB as long by either.
_WORTH_A_THREAD = 2**20
# What a thread takes at a time, and what a worker elsewhere does: 512 chunks of 16 kB take it 50 ms, where
# to send and to await a task takes 5.
_BATCH, _BATCH_BYTES = 16, 2**24
_FAR_BATCH, _FAR_BATCH_BYTES = 512, 2**26


@dataclass(frozen=True, slots=True)
class Move:
    """Copies chunks as they are stored, so many at once.

    Raises
    ------
    CodecError
        A chunk has not the size that every chunk of its array has.
    """

    at_once: int = 1
    waiting: bool = False

    def __call__(self, chunks: Sequence[Chunk]) -> Done:
        """Copy chunks."""
        moved: list[Moved] = []
        workers = min(self.at_once, len(chunks))
        run(chunks, lambda chunk: moved.append(self.one(*chunk)), workers=workers, waiting=self.waiting)
        # What is missing was taken away meanwhile; it counts as done.
        size = sum(chunk_bytes(route.value.source.layout.chain) for route, _, _ in chunks)
        return Done(sum(moved, Moved()), size)

    def one(self, route: Sent[Route], key: str, coords: tuple[int, ...]) -> Moved:
        """Copy one chunk."""
        size = move_chunk(route.value.source.layout, route.value.target.layout, key, coords)
        return Moved() if size is None else Moved(1, size)


def move_step(
    routes: Sequence[Sent[Route]],
    chunks: Iterator[Chunk],
    share: Share,
    size: int,
    kind: type[Move] = Move,
) -> Step:
    """Return the step that moves chunks along some routes, all between two stores."""
    first = routes[0].value
    flight = in_flight(first.source.store, first.target.store)
    largest = max(1, *(chunk_bytes(held.value.source.layout.chain) for held in routes))
    fits = max(1, share.memory // largest)
    if share.apart:
        at_once = min(share.requests, flight) if flight > 1 else _threads(share, largest)
        work = Sent(kind(min(at_once, fits), flight > 1))
        batch = _far_batch(routes, largest, share.slots)
        return Step(tasks=(Task(work, part) for part in batches(chunks, batch)), size=size)
    batch = 1 if flight > 1 else max(1, min(_BATCH, _BATCH_BYTES // largest))
    work = Sent(kind())
    return Step(
        tasks=(Task(work, part) for part in batches(chunks, batch)),
        size=size,
        at_once=min(flight if flight > 1 else _threads(share, largest), fits),
        waiting=flight > 1,
    )


def _threads(share: Share, largest: int) -> int:
    return share.threads if largest >= _WORTH_A_THREAD else 1


def _far_batch(routes: Sequence[Sent[Route]], largest: int, slots: int) -> int:
    """Return how many chunks make a task: worth the sending, and enough tasks for all workers."""
    count = sum(held.value.source.nchunks for held in routes)
    return max(1, min(_FAR_BATCH, _FAR_BATCH_BYTES // largest, count // (4 * slots)))


def chunks_of(route: Sent[Route], present: frozenset[str]) -> Iterator[Chunk]:
    """Yield the stored chunks of the source, but for those whose key is `present` in the target."""
    found = ((route, key, coords) for key, coords in stored_chunks(route.value.source.layout))
    return _absent(found, present)


def chunks_below(
    store: Store, prefixes: Iterable[str], routes: Iterable[Sent[Route]], present: frozenset[str]
) -> Iterator[Chunk]:
    """Yield the stored chunks of many sources by one listing of all keys below each prefix.

    So none of them waits for a listing of its own.
    """
    by_prefix = {route.value.source.layout.prefix: route for route in routes}
    found = _below((key for prefix in prefixes for key in store.list_prefix(prefix)), by_prefix)
    return _absent(found, present)


def _below(keys: Iterable[str], by_prefix: dict[str, Sent[Route]]) -> Iterator[Chunk]:
    for key in keys:
        above = map(prefix_of, ancestors_of(key))
        route = next((by_prefix[place] for place in above if place in by_prefix), None)
        if route is None:
            continue
        layout = route.value.source.layout
        coords = layout.keys.coords(key[len(layout.prefix) :], len(layout.axes))
        if coords is not None and all(i < axis.count for i, axis in zip(coords, layout.axes, strict=True)):
            yield route, key, coords


def _absent(chunks: Iterator[Chunk], present: frozenset[str]) -> Iterator[Chunk]:
    if not present:
        return chunks
    return (chunk for chunk in chunks if chunk[0].value.target.layout.key(chunk[2]) not in present)
