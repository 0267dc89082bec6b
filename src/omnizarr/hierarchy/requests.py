"""Many requests to one store, as many at once as it says pay off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import TypeVar

from omnizarr.config import config
from omnizarr.engine.pool import batches, run
from omnizarr.store.base import Store

T = TypeVar("T")
R = TypeVar("R")


def each(store: Store, request: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Return what `request` returns for every item, in their order; the first failure is raised."""
    if store.requests <= 1 or len(items) <= 1:
        return [request(item) for item in items]
    results: dict[int, R] = {}

    def answer(number: int) -> None:
        results[number] = request(items[number])

    workers = min(len(items), store.requests, config.requests)
    run(range(len(items)), answer, workers=workers, waiting=True)
    return [results[number] for number in range(len(items))]


def in_flight(*stores: Store) -> int:
    """Return how many requests to stores pay off at once: as many as the one that waits longest says."""
    most = max(store.requests for store in stores)
    return min(most, config.requests) if most > 1 else 1


def delete_keys(store: Store, keys: Sequence[str], done: Callable[[int], None] | None = None) -> None:
    """Delete keys by as few requests as the store allows, several of them at once.

    Parameters
    ----------
    done
        Called with how many are deleted so far.
    """
    lock = Lock()
    count = 0

    def delete(page: list[str]) -> None:
        nonlocal count
        store.delete_many(page)
        with lock:
            count += len(page)
            if done is not None:
                done(count)

    run(batches(keys, store.deletes_at_once), delete, workers=in_flight(store), waiting=True)
