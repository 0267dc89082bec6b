"""Many sources, of which only so many are open at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.workers.base import Workers
from omnizarr.netcdf.copying.reading import Source
from omnizarr.netcdf.copying.source import open_source
from omnizarr.netcdf.files import hdf5
from omnizarr.store.base import Store

# A file takes three descriptors, and a process has 1024 of them where nothing else was said.
_MOST_OPEN = 100


class Sources:
    """Sources by number, opened when they are used; those that were not used for longest are closed."""

    def __init__(self, places: Sequence[Any], storage_options: Mapping[str, Any] | None) -> None:
        self.places = places
        self._options = storage_options
        self._open: dict[int, Source] = {}
        self._users: dict[int, int] = {}
        self._lock = RLock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Sources, (self.places, self._options)

    def require(self, workers: Workers) -> None:
        """Refuse workers that cannot reach the stores among the sources."""
        for place in self.places:
            if isinstance(place, Store | Node):
                workers.require(place if isinstance(place, Store) else place.store)

    @contextmanager
    def using(self, number: int) -> Iterator[Source]:
        """Yield a source, which stays open meanwhile."""
        with self._lock:
            source = self._open.pop(number, None)
            if source is None:
                self._make_room()
                with hdf5.LOCK:
                    source = open_source(self.places[number], None, self._options)
            self._open[number] = source
            self._users[number] = self._users.get(number, 0) + 1
        try:
            yield source
        finally:
            with self._lock:
                self._users[number] -= 1

    def pinned(self, number: int) -> Source:
        """Return a source that stays open to the end."""
        with self.using(number) as source:
            self._users[number] += 1
        return source

    def _make_room(self) -> None:
        for number in [n for n in self._open if not self._users.get(n)]:
            if len(self._open) < _MOST_OPEN:
                return
            with hdf5.LOCK:
                self._open.pop(number).close()

    def close(self) -> None:
        """Close all."""
        while self._open:
            self._open.popitem()[1].close()
