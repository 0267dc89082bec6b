"""Stores around stores: reading only, counting, failing on purpose."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from omnizarr.store.base import Buffer, ByteRange, Change, Facts, Listing, Reader, Store
from omnizarr.store.readers import facts_of

Fault: TypeAlias = Callable[[str, str], BaseException | None]

_WRITES = frozenset({"set", "set_if_absent", "update", "delete", "delete_prefix"})


class WrappedStore(Store):
    """A store that passes every operation on to `inner`; wrappers derive from it.

    `before` is called with the name of the method and the key or prefix before anything is done.
    """

    def __init__(self, inner: Store) -> None:
        self.inner = inner
        self.name = inner.name
        self.requests = inner.requests
        self.listed_at_once = inner.listed_at_once
        self.lists_cheaply = inner.lists_cheaply
        self.read_only = inner.read_only

    def before(self, operation: str, key: str) -> None:
        """Look at an operation that is about to be passed on; what this raises stops it."""

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        self.before("get", key)
        return self.inner.get(key, part)

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        self.before("get_into", key)
        return self.inner.get_into(key, out, start)

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        self.before("get_ranges", key)
        return self.inner.get_ranges(key, spans)

    @contextmanager
    def reading(self, key: str) -> Iterator[Reader | None]:
        self.before("reading", key)
        with self.inner.reading(key) as reader:
            yield None if reader is None else self.wrapped(key, reader)

    def wrapped(self, key: str, reader: Reader) -> Reader:
        """Return what stands for a reader; `before` hears of its operations as of the store's."""
        return WrappedReader(self, key, reader)

    def size(self, key: str) -> int | None:
        self.before("size", key)
        return self.inner.size(key)

    def exists(self, key: str) -> bool:
        self.before("exists", key)
        return self.inner.exists(key)

    def facts(self, key: str) -> Facts | None:
        self.before("facts", key)
        return self.inner.facts(key)

    def set(self, key: str, value: Buffer) -> None:
        self.before("set", key)
        self.inner.set(key, value)

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        self.before("set_if_absent", key)
        return self.inner.set_if_absent(key, value)

    def update(self, key: str, change: Change) -> None:
        self.before("update", key)
        self.inner.update(key, change)

    def delete(self, key: str) -> None:
        self.before("delete", key)
        self.inner.delete(key)

    def delete_prefix(self, prefix: str) -> None:
        self.before("delete_prefix", prefix)
        self.inner.delete_prefix(prefix)

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        self.before("list_prefix", prefix)
        return self.inner.list_prefix(prefix)

    def list_dir(self, prefix: str = "") -> Listing:
        self.before("list_dir", prefix)
        return self.inner.list_dir(prefix)

    @property
    def identity(self) -> str:
        return self.inner.identity

    def close(self) -> None:
        self.inner.close()


@dataclass(frozen=True, slots=True)
class WrappedReader:
    """A reader that passes every operation on to `inner`."""

    store: WrappedStore
    key: str
    inner: Reader

    def get(self, part: ByteRange | None = None) -> bytes:
        """Return the value, or a part of it."""
        self.store.before("get", self.key)
        return self.inner.get(part)

    def get_into(self, out: memoryview, start: int = 0) -> int:
        """Read into `out` as `Store.get_into` does."""
        self.store.before("get_into", self.key)
        return self.inner.get_into(out, start)

    def get_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts."""
        self.store.before("get_ranges", self.key)
        return self.inner.get_ranges(spans)

    def facts(self) -> Facts | None:
        """Return the facts of the value, where `inner` knows them."""
        return facts_of(self.inner)


class ReadOnlyStore(WrappedStore):
    """A store that refuses every change with `ReadOnlyError`."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self.read_only = True

    def before(self, operation: str, key: str) -> None:
        if operation in _WRITES:
            self.require_writable(key)

    def get_buffer(self, key: str) -> Buffer | None:
        return self.inner.get_buffer(key)

    def list_sizes(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        return self.inner.list_sizes(prefix)


class CountingStore(WrappedStore):
    """A store that counts the operations it is asked for, and the bytes that pass.

    Attributes
    ----------
    counts
        How often each method was called, by its name.
    bytes_read, bytes_written
        Bytes of values that were returned, and that were given to be stored; `update` does both.
    """

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self._lock = threading.Lock()
        self.reset()

    def __reduce__(self) -> tuple[type[CountingStore], tuple[Store]]:
        return type(self), (self.inner,)  # in another process it counts from zero

    def reset(self) -> None:
        """Count from zero again."""
        self.counts: Counter[str] = Counter()
        self.bytes_read = 0
        self.bytes_written = 0

    def before(self, operation: str, key: str) -> None:
        with self._lock:
            self.counts[operation] += 1

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        value = super().get(key, part)
        self.count_bytes(read=len(value or b""))
        return value

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        found = super().get_into(key, out, start)
        self.count_bytes(read=min(found or 0, len(out)))
        return found

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        parts = super().get_ranges(key, spans)
        self.count_bytes(read=sum(map(len, parts or ())))
        return parts

    def list_sizes(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        self.before("list_sizes", prefix)
        return self.inner.list_sizes(prefix)

    def wrapped(self, key: str, reader: Reader) -> Reader:
        return _CountingReader(self, key, reader)

    def set(self, key: str, value: Buffer) -> None:
        super().set(key, value)
        self.count_bytes(written=memoryview(value).nbytes)

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        was_set = super().set_if_absent(key, value)
        self.count_bytes(written=memoryview(value).nbytes if was_set else 0)
        return was_set

    def update(self, key: str, change: Change) -> None:
        def counted(old: bytes | None) -> Buffer | None:
            new = change(old)
            self.count_bytes(read=len(old or b""), written=0 if new is None else memoryview(new).nbytes)
            return new

        super().update(key, counted)

    def count_bytes(self, *, read: int = 0, written: int = 0) -> None:
        """Count bytes that passed."""
        with self._lock:
            self.bytes_read += read
            self.bytes_written += written


class _CountingReader(WrappedReader):
    """A reader whose operations and bytes count as those of its store."""

    __slots__ = ()
    store: CountingStore

    def get(self, part: ByteRange | None = None) -> bytes:
        value = super().get(part)
        self.store.count_bytes(read=len(value))
        return value

    def get_into(self, out: memoryview, start: int = 0) -> int:
        found = super().get_into(out, start)
        self.store.count_bytes(read=min(found, len(out)))
        return found

    def get_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        parts = super().get_ranges(spans)
        self.store.count_bytes(read=sum(map(len, parts)))
        return parts


class FaultStore(WrappedStore):
    """A store that fails where it is told to; for tests of what happens then.

    Parameters
    ----------
    fault
        Called with the name of each method and the key or prefix before anything is done; an error
        that it returns is raised. Or a series of errors and None, one for each operation in turn;
        what comes after its end succeeds.
    """

    def __init__(self, inner: Store, fault: Fault | Iterable[BaseException | None]) -> None:
        super().__init__(inner)
        self._fault = fault if callable(fault) else _InTurn(fault)

    def before(self, operation: str, key: str) -> None:
        error = self._fault(operation, key)
        if error is not None:
            raise error


class _InTurn:
    """Faults of a series, one for each operation."""

    def __init__(self, faults: Iterable[BaseException | None]) -> None:
        self._waiting = iter(tuple(faults))

    def __call__(self, operation: str, key: str) -> BaseException | None:
        return next(self._waiting, None)
