"""Bringing the stored chunks of many arrays into others at once, where a store is on a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from omnizarr.engine.pool import run
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.copying.transfer import Done, Moved, chunk_bytes, fitting, move_chunk
from omnizarr.hierarchy.paths import ancestors_of, prefix_of
from omnizarr.hierarchy.requests import in_flight
from omnizarr.store.base import Store


def move_together(
    prefixes: Sequence[str],
    pairs: Mapping[str, tuple[Array, Array]],
    memory: int,
    present: frozenset[str],
    done: Done,
) -> Moved:
    """Copy the stored chunks of many arrays, by one listing of all keys below each prefix of the source.

    So requests of small arrays overlap too, and none waits for a listing of its own.

    Parameters
    ----------
    pairs
        Sources and targets by the path of the source.
    """
    stores = next(iter(pairs.values()))
    moved: list[int] = []

    def move(item: tuple[Array, Array, str, tuple[int, ...]]) -> None:
        source, target, key, coords = item
        if (size := move_chunk(source.layout, target.layout, key, coords, present)) is not None:
            moved.append(size)
        done(chunk_bytes(source.layout.chain))

    largest = max((source.layout for source, _ in pairs.values()), key=lambda each: chunk_bytes(each.chain))
    workers = min(in_flight(*(array.store for array in stores)), fitting(memory, largest))
    chunks = _chunks_below(stores[0].store, prefixes, pairs)
    run(chunks, move, workers=max(1, workers), waiting=True)
    return Moved(len(moved), sum(moved))


def _chunks_below(
    store: Store, prefixes: Sequence[str], pairs: Mapping[str, tuple[Array, Array]]
) -> Iterator[tuple[Array, Array, str, tuple[int, ...]]]:
    by_prefix = {source.layout.prefix: (source, target) for source, target in pairs.values()}
    for key in (key for prefix in prefixes for key in store.list_prefix(prefix)):
        above = map(prefix_of, ancestors_of(key))
        pair = next((by_prefix[place] for place in above if place in by_prefix), None)
        if pair is None:
            continue
        layout = pair[0].layout
        coords = layout.keys.coords(key[len(layout.prefix) :], len(layout.axes))
        if coords is not None and all(i < axis.count for i, axis in zip(coords, layout.axes, strict=True)):
            yield *pair, key, coords
