"""Where a cache keeps what it has read: what any such place does, and the one in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable
from typing import NamedTuple, Protocol


class Entry(NamedTuple):
    """What is kept under a name: bytes, and a note that says of what they are."""

    note: str
    value: bytes


class Keeper(Protocol):
    """Keeps entries within a bound of bytes: those that were used last.

    Attributes
    ----------
    max_bytes
        The bound; an entry that is larger is not kept.
    """

    max_bytes: int

    @property
    def size_kept(self) -> int:
        """Bytes that are kept."""

    def moment(self) -> Hashable:
        """Return what is another one after each `drop` and `drop_below`, whoever called them."""

    def find(self, name: str) -> Entry | None:
        """Return an entry as it was kept, or None; it counts as used."""

    def keep(self, name: str, entry: Entry, since: Hashable) -> None:
        """Keep an entry, unless something was dropped since a moment: it may be what was there before."""

    def drop(self, names: Iterable[str]) -> None:
        """Keep these no longer."""

    def drop_below(self, start: str) -> None:
        """Keep nothing whose name starts with `start`."""


class MemoryKeeper:
    """Entries in memory; their notes are not counted."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._size = 0
        self._drops = 0
        self._lock = threading.Lock()

    @property
    def size_kept(self) -> int:
        """Bytes of the values that are kept."""
        return self._size

    def moment(self) -> Hashable:
        """Return how often something was dropped."""
        return self._drops

    def find(self, name: str) -> Entry | None:
        """Return an entry, which becomes the one used last."""
        with self._lock:
            entry = self._entries.get(name)
            if entry is not None:
                self._entries.move_to_end(name)
            return entry

    def keep(self, name: str, entry: Entry, since: Hashable) -> None:
        """Keep an entry, and let go of those that were not used for longest."""
        with self._lock:
            if len(entry.value) > self.max_bytes or since != self._drops:
                return
            self._remove(name)
            self._entries[name] = entry
            self._size += len(entry.value)
            while self._size > self.max_bytes:
                self._remove(next(iter(self._entries)))

    def drop(self, names: Iterable[str]) -> None:
        """Keep these no longer."""
        with self._lock:
            self._drops += 1
            for name in names:
                self._remove(name)

    def drop_below(self, start: str) -> None:
        """Keep nothing whose name starts with `start`."""
        with self._lock:
            self._drops += 1
            for name in [name for name in self._entries if name.startswith(start)]:
                self._remove(name)

    def _remove(self, name: str) -> None:
        entry = self._entries.pop(name, None)
        if entry is not None:
            self._size -= len(entry.value)
