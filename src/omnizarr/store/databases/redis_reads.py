"""Reading parts of a value of a Redis server, all of one value.

https://redis.io/docs/latest/develop/using-commands/transactions/
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from omnizarr.errors import StoreError
from omnizarr.store.base import ByteRange, From, Last, Span
from omnizarr.store.databases.redis_place import RedisPlace, ask, failure, lost_in
from omnizarr.store.ranges import bounds, check_part, check_spans, check_start

# Farther than any value reaches, and within the numbers that the server can read.
_FAR = 2**50


class WatchingReader:
    """A value of which the last bytes are here; more is read of it only while it is still the same.

    One connection watches the value (WATCH) until a read, and another one from before that read on.
    """

    def __init__(self, place: RedisPlace, key: str, end: tuple[int, bytes], watch: Any) -> None:
        self._place, self._key = place, key
        self._size, self._end = end
        self._watch = watch
        self._lock = threading.Lock()
        self._ended: StoreError | None = None

    def get(self, part: ByteRange | None = None) -> bytes:
        """Return the value, or a part of it."""
        if part is not None:
            check_part(part)
        start, stop = bounds(part, self._size)
        return self.get_ranges([(start, stop - start)])[0]

    def get_into(self, out: memoryview, start: int = 0) -> int:
        """Read into `out` as `Store.get_into` does."""
        check_start(start)
        part = self.get(Span(start, len(out)))
        out[: len(part)] = part
        return max(self._size - start, 0)

    def get_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts."""
        check_spans(spans)
        inside = [bounds(Span(*span), self._size) for span in spans]
        begin = self._size - len(self._end)
        if all(start == stop or start >= begin for start, stop in inside):
            return [
                self._end[start - begin : stop - begin] if start < stop else b"" for start, stop in inside
            ]
        return self._read([Span(start, stop - start) for start, stop in inside])

    def _read(self, parts: Sequence[Span]) -> list[bytes]:
        import redis

        with self._lock:
            if self._ended is not None:
                raise self._ended
            try:
                return in_place(parts, self._watched(parts))
            except StoreError as error:
                self._ended = error
                raise
            except redis.RedisError as error:
                self._ended = self._failure(error)
                raise self._ended from None

    def _watched(self, parts: Sequence[Span]) -> list[bytes]:
        name = self._place.prefix + self._key
        following = ask(self._place, "read", self._key, lambda client: watching(client, name))
        watch, self._watch = self._watch, following
        with watch:
            watch.multi()
            ask_parts(watch, name, parts)
            found: list[bytes] = watch.execute()
        return found

    def _failure(self, error: Exception) -> StoreError:
        import redis

        lost = lost_in(error)
        if lost is None and isinstance(error, redis.WatchError):
            message = "the value was replaced while parts of it were read"
            return StoreError(message, store=self._place.name, key=self._key)
        return failure(self._place, "read", self._key, lost or error)

    def close(self) -> None:
        """Watch no longer."""
        self._watch.reset()


def watching(client: Any, name: str) -> Any:
    """Return a transaction on a connection that watches a value from now on."""
    pipe = client.pipeline()
    try:
        pipe.watch(name)
    except BaseException:
        pipe.reset()
        raise
    return pipe


def ask_parts(pipe: Any, name: str, parts: Sequence[ByteRange]) -> None:
    """Add the reading of parts to a transaction."""
    for part in parts:
        pipe.getrange(name, *_first_and_last(part))


def _first_and_last(part: ByteRange) -> tuple[int, int]:
    match part:
        case Span(start, length):
            first = min(start, _FAR)
            return first, first + min(max(length, 1), _FAR) - 1
        case From(start):
            return min(start, _FAR), -1
        case Last(length):
            return -min(max(length, 1), _FAR), -1


def in_place(parts: Sequence[ByteRange], found: Sequence[bytes]) -> list[bytes]:
    """Return what was found; Redis knows no ranges of no length, for which one byte was asked."""
    pairs = zip(parts, found, strict=True)
    return [value if isinstance(part, From) or part.length else b"" for part, value in pairs]
