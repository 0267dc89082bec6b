"""Many requests to one store, as many at once as it says pay off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from omnizarr.config import config
from omnizarr.engine.pool import run
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
