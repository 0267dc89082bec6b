"""A store that keeps values it has read in memory, the ones used last."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from omnizarr.config import config
from omnizarr.store.base import Buffer, ByteRange, Change, Reader, Store
from omnizarr.store.layers.wrap import WrappedReader, WrappedStore
from omnizarr.store.ranges import check_spans, cut
from omnizarr.store.readers import BytesReader


class CachedStore(WrappedStore):
    """A store that asks `inner` for a value once, as long as there is room for it.

    What is written through this store is seen at once. What others write is not seen while the old value
    is kept: for data that does not change, or with `forget`. That there is no value is not kept.

    Parameters
    ----------
    max_bytes
        Bytes of values to keep at most; `config.cache_bytes` unless given. A larger value is not kept.
    """

    def __init__(self, inner: Store, max_bytes: int | None = None) -> None:
        super().__init__(inner)
        self.max_bytes = config.settings.cache_bytes if max_bytes is None else max_bytes
        self._values: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        self._changes = 0
        self._lock = threading.Lock()

    @property
    def size_kept(self) -> int:
        """Bytes of the values that are kept."""
        return self._size

    def forget(self, prefix: str = "") -> None:
        """Keep no value whose key starts with `prefix`."""
        with self._lock:
            self._changes += 1
            for key in [key for key in self._values if key.startswith(prefix)]:
                self._drop(key)

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        value = self._kept(key)
        if value is not None:
            return cut(value, part)
        if part is not None:
            return super().get(key, part)
        changes = self._changes
        value = super().get(key)
        if value is not None:
            self.keep(key, value, changes)
        return value

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        value = self._kept(key)
        return super().get_into(key, out, start) if value is None else BytesReader(value).get_into(out, start)

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        value = self._kept(key)
        if value is None:
            return super().get_ranges(key, spans)
        check_spans(spans)
        return BytesReader(value).get_ranges(spans)

    @contextmanager
    def reading(self, key: str) -> Iterator[Reader | None]:
        value = self._kept(key)
        if value is not None:
            yield BytesReader(value)
            return
        with super().reading(key) as reader:
            yield reader

    def wrapped(self, key: str, reader: Reader) -> Reader:
        return _KeepingReader(self, key, reader, self._changes)

    def size(self, key: str) -> int | None:
        value = self._kept(key)
        return super().size(key) if value is None else len(value)

    def exists(self, key: str) -> bool:
        return self._kept(key) is not None or super().exists(key)

    def set(self, key: str, value: Buffer) -> None:
        with self._changing(key):
            super().set(key, value)

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        with self._changing(key):
            return super().set_if_absent(key, value)

    def update(self, key: str, change: Change) -> None:
        with self._changing(key):
            super().update(key, change)

    def delete(self, key: str) -> None:
        with self._changing(key):
            super().delete(key)

    def delete_prefix(self, prefix: str) -> None:
        try:
            super().delete_prefix(prefix)
        finally:
            self.forget(prefix)

    def _kept(self, key: str) -> bytes | None:
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def keep(self, key: str, value: bytes, changes: int) -> None:
        """Keep a value, unless something was written since there had been this many changes."""
        with self._lock:
            if len(value) > self.max_bytes or changes != self._changes:
                return  # it may be what was there before another thread wrote
            self._drop(key)
            self._values[key] = value
            self._size += len(value)
            while self._size > self.max_bytes:
                self._drop(next(iter(self._values)))

    def _drop(self, key: str) -> None:
        value = self._values.pop(key, None)
        if value is not None:
            self._size -= len(value)

    @contextmanager
    def _changing(self, key: str) -> Iterator[None]:
        try:
            yield
        finally:
            with self._lock:
                self._changes += 1
                self._drop(key)


@dataclass(frozen=True, slots=True)
class _KeepingReader(WrappedReader):
    """A reader that has a value kept which it reads whole."""

    store: CachedStore
    changes: int

    def get(self, part: ByteRange | None = None) -> bytes:
        value = self.inner.get(part)
        if part is None:
            self.store.keep(self.key, value, self.changes)
        return value
