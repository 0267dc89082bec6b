"""A store that logs what it is asked for.

Places are opened with one where the logger `omnizarr.store` is on for debugging: docs/logging.md.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import TypeVar

from omnizarr.store.base import Buffer, ByteRange, Change, Facts, Listing, Reader, Store
from omnizarr.store.layers.wrap import WrappedReader, WrappedStore

T = TypeVar("T")

log = logging.getLogger("omnizarr.store")


def logged(store: Store) -> Store:
    """Return a store that logs its requests, where the logger is on for that now; else the store itself."""
    return LoggedStore(store) if log.isEnabledFor(logging.DEBUG) else store


class LoggedStore(WrappedStore):
    """A store that logs each request to `inner`: what for, how much came, how long it took, what failed."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self.deletes_at_once = inner.deletes_at_once

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        what = "get" if part is None else f"get {part}"
        return self.asked(what, key, lambda: self.inner.get(key, part), _bytes)

    def get_buffer(self, key: str) -> Buffer | None:
        return self.asked("get", key, lambda: self.inner.get_buffer(key), _bytes)

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        what = f"get {len(out)} from {start}"
        return self.asked(what, key, lambda: self.inner.get_into(key, out, start), _size)

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        what = f"get {len(spans)} parts"
        return self.asked(what, key, lambda: self.inner.get_ranges(key, spans), _parts)

    @contextmanager
    def reading(self, key: str) -> Iterator[Reader | None]:
        held = self.inner.reading(key)
        reader = self.asked("open", key, held.__enter__, lambda found: "absent" if found is None else "")
        try:
            yield None if reader is None else LoggedReader(self, key, reader)
        except BaseException as error:
            if not held.__exit__(type(error), error, error.__traceback__):
                raise
        else:
            held.__exit__(None, None, None)

    def size(self, key: str) -> int | None:
        return self.asked("size", key, lambda: self.inner.size(key), _size)

    def exists(self, key: str) -> bool:
        return self.asked("exists", key, lambda: self.inner.exists(key), str)

    def facts(self, key: str) -> Facts | None:
        return self.asked("facts", key, lambda: self.inner.facts(key), _facts)

    def set(self, key: str, value: Buffer) -> None:
        self.asked(f"set {memoryview(value).nbytes} bytes", key, lambda: self.inner.set(key, value))

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        what = f"set if absent {memoryview(value).nbytes} bytes"
        return self.asked(what, key, lambda: self.inner.set_if_absent(key, value), str)

    def update(self, key: str, change: Change) -> None:
        self.asked("update", key, lambda: self.inner.update(key, change))

    def delete(self, key: str) -> None:
        self.asked("delete", key, lambda: self.inner.delete(key))

    def delete_many(self, keys: Sequence[str]) -> None:
        self.asked(f"delete {len(keys)} keys", "", lambda: self.inner.delete_many(keys))

    def delete_prefix(self, prefix: str) -> None:
        self.asked("delete below", prefix, lambda: self.inner.delete_prefix(prefix))

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        return self._counted("list all below", prefix, self.inner.list_prefix(prefix))

    def list_sizes(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        return self._counted("list sizes below", prefix, self.inner.list_sizes(prefix))

    def list_dir(self, prefix: str = "") -> Listing:
        return self.asked("list", prefix, lambda: self.inner.list_dir(prefix), _listing)

    def asked(self, what: str, key: str, ask: Callable[[], T], told: Callable[[T], str] | None = None) -> T:
        """Return what `ask` does, and log it."""
        began = perf_counter()
        try:
            found = ask()
        except BaseException as error:
            self._log(what, key, type(error).__name__, began)
            raise
        self._log(what, key, "" if told is None else told(found), began)
        return found

    def _counted(self, what: str, prefix: str, items: Iterator[T]) -> Iterator[T]:
        """Yield what a listing does, and log it at its end, or where it is left."""
        began, count = perf_counter(), 0
        try:
            for item in items:
                count += 1
                yield item
        finally:
            self._log(what, prefix, f"{count} keys", began)

    def _log(self, what: str, key: str, told: str, began: float) -> None:
        milliseconds = 1000 * (perf_counter() - began)
        log.debug("%s %s/%s%s (%.1f ms)", what, self.name, key, told and f": {told}", milliseconds)


class LoggedReader(WrappedReader):
    """A reader whose requests are logged as those of its store."""

    __slots__ = ()
    store: LoggedStore

    def get(self, part: ByteRange | None = None) -> bytes:
        what = "read" if part is None else f"read {part}"
        return self.store.asked(what, self.key, lambda: self.inner.get(part), _bytes)

    def get_into(self, out: memoryview, start: int = 0) -> int:
        what = f"read {len(out)} from {start}"
        return self.store.asked(what, self.key, lambda: self.inner.get_into(out, start), _size)

    def get_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        what = f"read {len(spans)} parts"
        return self.store.asked(what, self.key, lambda: self.inner.get_ranges(spans), _parts)


def _bytes(found: Buffer | None) -> str:
    return "absent" if found is None else f"{memoryview(found).nbytes} bytes"


def _parts(found: list[bytes] | None) -> str:
    return "absent" if found is None else f"{sum(map(len, found))} bytes"


def _size(found: int | None) -> str:
    return "absent" if found is None else f"{found} bytes"


def _facts(found: Facts | None) -> str:
    return _size(None if found is None else found.size)


def _listing(found: Listing) -> str:
    return f"{len(found.keys)} keys, {len(found.prefixes)} prefixes"
