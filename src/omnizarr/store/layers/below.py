"""A store shown from a prefix on: its keys are those below the prefix, without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from omnizarr.store.base import Buffer, ByteRange, Change, Facts, Listing, Reader, Store
from omnizarr.store.keys import check_key, check_prefix
from omnizarr.store.layers.wrap import WrappedStore


class BelowStore(WrappedStore):
    """What lies below a path of `inner`, as a store of its own; errors name the keys of `inner`.

    Attributes
    ----------
    prefix
        What stands before every key in `inner`: a path that ends in `/`.
    """

    def __init__(self, inner: Store, path: str) -> None:
        super().__init__(inner)
        self.prefix = f"{path.strip('/')}/"
        self.name = f"{inner.name.rstrip('/')}/{path.strip('/')}"
        self.deletes_at_once = inner.deletes_at_once

    def _key(self, key: str) -> str:
        check_key(key)
        return self.prefix + key

    def _place(self, prefix: str) -> str:
        check_prefix(prefix)
        return self.prefix + prefix

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        return self.inner.get(self._key(key), part)

    def get_buffer(self, key: str) -> Buffer | None:
        return self.inner.get_buffer(self._key(key))

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        return self.inner.get_into(self._key(key), out, start)

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        return self.inner.get_ranges(self._key(key), spans)

    @contextmanager
    def reading(self, key: str) -> Iterator[Reader | None]:
        with self.inner.reading(self._key(key)) as reader:
            yield reader

    def size(self, key: str) -> int | None:
        return self.inner.size(self._key(key))

    def exists(self, key: str) -> bool:
        return self.inner.exists(self._key(key))

    def facts(self, key: str) -> Facts | None:
        return self.inner.facts(self._key(key))

    def set(self, key: str, value: Buffer) -> None:
        self.inner.set(self._key(key), value)

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        return self.inner.set_if_absent(self._key(key), value)

    def update(self, key: str, change: Change) -> None:
        self.inner.update(self._key(key), change)

    def delete(self, key: str) -> None:
        self.inner.delete(self._key(key))

    def delete_many(self, keys: Sequence[str]) -> None:
        self.inner.delete_many([self._key(key) for key in keys])

    def delete_prefix(self, prefix: str) -> None:
        self.inner.delete_prefix(self._place(prefix))

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        start = len(self.prefix)
        return (key[start:] for key in self.inner.list_prefix(self._place(prefix)))

    def list_sizes(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        start = len(self.prefix)
        return ((key[start:], size) for key, size in self.inner.list_sizes(self._place(prefix)))

    def list_dir(self, prefix: str = "") -> Listing:
        start = len(self.prefix)
        found = self.inner.list_dir(self._place(prefix))
        return Listing([key[start:] for key in found.keys], [below[start:] for below in found.prefixes])

    @property
    def identity(self) -> str:
        return f"{self.inner.identity.rstrip('/')}/{self.prefix.rstrip('/')}"


def unwrapped(store: Store) -> tuple[Store, str]:
    """Return the innermost of stores around stores, and the prefix from which on it is shown."""
    prefix = ""
    while isinstance(store, WrappedStore):
        prefix = store.prefix + prefix if isinstance(store, BelowStore) else prefix
        store = store.inner
    return store, prefix
