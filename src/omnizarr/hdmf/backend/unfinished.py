"""A store that keeps a new file from being one before it is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from omnizarr.store.base import Buffer, ByteRange, Change, Listing, Reader, Store
from omnizarr.store.layers.wrap import WrappedStore
from omnizarr.store.memory import MemoryStore

MARK = ".omnizarr-unfinished"


class UnfinishedStore(WrappedStore):
    """A store that holds some keys back, those of the root's documents, until it is told to `release` them.

    Whoever opens `inner` meanwhile, or after a crash, finds no hierarchy there, but a mark that says why. In
    another process it is `inner`: what is written there is chunks.

    Parameters
    ----------
    prefix
        What stands before the keys of the file.
    keys
        The keys to hold back, in the order in which to store them in the end: the deciding one last.
    """

    def __init__(self, inner: Store, prefix: str, keys: Sequence[str]) -> None:
        super().__init__(inner)
        self._mark = prefix + MARK
        self._keys = tuple(keys)
        self._held = MemoryStore()

    def begin(self) -> None:
        """Leave the mark."""
        self.inner.set(self._mark, b"")

    def release(self) -> None:
        """Store what was held back, and hold back nothing any more."""
        keys, self._keys = self._keys, ()
        for key in keys:
            if (value := self._held.get(key)) is not None:
                self.inner.set(key, value)
        if keys:
            self.inner.delete(self._mark)

    def _of(self, key: str) -> Store:
        return self._held if key in self._keys and self._held.exists(key) else self.inner

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        return self._of(key).get(key, part)

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        return self._of(key).get_into(key, out, start)

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        return self._of(key).get_ranges(key, spans)

    def reading(self, key: str) -> AbstractContextManager[Reader | None]:  # type: ignore[override]
        return self._of(key).reading(key)

    def size(self, key: str) -> int | None:
        return self._of(key).size(key)

    def exists(self, key: str) -> bool:
        return self._of(key).exists(key)

    def set(self, key: str, value: Buffer) -> None:
        (self._held if key in self._keys else self.inner).set(key, value)

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        if key not in self._keys:
            return self.inner.set_if_absent(key, value)
        return not self.inner.exists(key) and self._held.set_if_absent(key, value)

    def update(self, key: str, change: Change) -> None:
        if key not in self._keys:
            self.inner.update(key, change)
            return
        stored = None if self._held.exists(key) else self.inner.get(key)
        self._held.update(key, lambda old: change(stored if old is None else old))

    def delete(self, key: str) -> None:
        self._held.delete(key)
        self.inner.delete(key)

    def delete_prefix(self, prefix: str) -> None:
        self._held.delete_prefix(prefix)
        for key in reversed(self._keys):  # what is gone by half is no file any more, rather than a broken one
            if key.startswith(prefix):
                self.inner.delete(key)
        self._delete_below(prefix)

    def _delete_below(self, prefix: str) -> None:
        """Remove every key below a prefix but the mark, which says until the end whose remains these are."""
        if not (self._keys and self._mark.startswith(prefix)):
            self.inner.delete_prefix(prefix)
            return
        found = self.inner.list_dir(prefix)
        for below in found.prefixes:
            self._delete_below(below)
        for key in found.keys:
            if key != self._mark:
                self.inner.delete(key)

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        held = {key for key in self._held.list_prefix(prefix) if key in self._keys}
        yield from held
        yield from (key for key in self.inner.list_prefix(prefix) if key not in held and key != self._mark)

    def list_dir(self, prefix: str = "") -> Listing:
        held, stored = self._held.list_dir(prefix), self.inner.list_dir(prefix)
        keys = {key for key in held.keys if key in self._keys}.union(stored.keys) - {self._mark}
        below = {one for one in held.prefixes if any(key.startswith(one) for key in self._keys)}
        return Listing(sorted(keys), sorted(below.union(stored.prefixes)))

    def __reduce__(self) -> tuple[Callable[[Store], Store], tuple[Any, ...]]:
        return _inner, (self.inner,)


def _inner(store: Store) -> Store:
    return store
