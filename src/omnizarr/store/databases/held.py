"""A value that a transaction holds on to while several parts of it are read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from omnizarr.store.base import ByteRange
from omnizarr.store.ranges import bounds, check_part, check_spans, check_start


class Snapshot(Protocol):
    """A value as a transaction sees it, as long as that is open."""

    @property
    def size(self) -> int:
        """How many bytes the value has."""

    def read(self, start: int, stop: int) -> bytes | memoryview:
        """Return a part of it; a view is of use only until `close`."""

    def close(self) -> None:
        """End the transaction."""


class HeldReader:
    """Reads parts of a snapshot; where its transaction has to end earlier, what is left is in memory."""

    def __init__(self, snapshot: Snapshot, failing: Callable[[], AbstractContextManager[None]]) -> None:
        self._snapshot: Snapshot | None = snapshot
        self._failing = failing
        self._value = b""
        self._size = snapshot.size
        self._alone = threading.Lock()

    def get(self, part: ByteRange | None = None) -> bytes:
        """Return the value, or a part of it."""
        if part is not None:
            check_part(part)
        start, stop = bounds(part, self._size)
        with self._alone, self._failing():
            return bytes(self._read(start, stop))

    def get_into(self, out: memoryview, start: int = 0) -> int:
        """Read into `out` as `Store.get_into` does."""
        check_start(start)
        first = min(start, self._size)
        stop = min(first + len(out), self._size)
        with self._alone, self._failing():
            out[: stop - first] = self._read(first, stop)
        return self._size - first

    def get_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts."""
        check_spans(spans)
        with self._alone, self._failing():
            return [
                bytes(self._read(min(start, self._size), min(start + length, self._size)))
                for start, length in spans
            ]

    def detach(self) -> None:
        """Read the whole value and end the transaction; reading goes on from memory."""
        with self._alone:
            if self._snapshot is not None:
                with self._failing():
                    self._value = bytes(self._snapshot.read(0, self._size))
                self._end()

    def after_fork(self) -> None:
        """Do without a lock that a thread of the parent may have held."""
        self._alone = threading.Lock()

    def close(self) -> None:
        """End the transaction."""
        with self._alone:
            self._end()

    def _read(self, start: int, stop: int) -> bytes | memoryview:
        if self._snapshot is None:
            return memoryview(self._value)[start:stop]
        return self._snapshot.read(start, stop)

    def _end(self) -> None:
        snapshot, self._snapshot = self._snapshot, None
        if snapshot is not None:
            snapshot.close()
