"""What a store is: keys to bytes.

A key is a `/`-separated path of names (see `omnizarr.store.keys`). A missing key is `None`;
every other failure raises `StoreError`.

Prefixes are directories: `""` for the root, otherwise a path that ends in `/`.
"""

from __future__ import annotations

import hashlib
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from types import TracebackType
from typing import NamedTuple, Protocol, Self, TypeAlias
from weakref import WeakSet

from omnizarr.errors import ReadOnlyError
from omnizarr.store.mapping import StoreMapping

Buffer: TypeAlias = bytes | bytearray | memoryview


class Span(NamedTuple):
    """`length` bytes from `start`; fewer where the value ends earlier."""

    start: int
    length: int


class From(NamedTuple):
    """All bytes from `start` on; none where the value ends earlier."""

    start: int


class Last(NamedTuple):
    """The last `length` bytes; the whole value where it is shorter."""

    length: int


ByteRange: TypeAlias = Span | From | Last
Change: TypeAlias = Callable[[bytes | None], Buffer | None]


class Listing(NamedTuple):
    """What lies directly below a prefix: whole keys, and prefixes that end in `/`; both sorted."""

    keys: list[str]
    prefixes: list[str]


class Facts(NamedTuple):
    """What is told of a value without its bytes: its size, and text that its successor does not share.

    `modified` is when it was written, in seconds since 1970, where that is told too.
    """

    size: int
    state: str
    modified: float | None = None

    @classmethod
    def of(cls, value: bytes) -> Self:
        """Return the facts of a value of which nothing else is known; the state is a digest."""
        return cls(len(value), hashlib.blake2b(value, digest_size=16).hexdigest())


class Reader(Protocol):
    """One value. What is read is of this value, also where the key gets another one meanwhile."""

    def get(self, part: ByteRange | None = None) -> bytes:
        """Return the value, or a part of it."""

    def get_into(self, out: memoryview, start: int = 0) -> int:
        """Read into `out` as `Store.get_into` does."""

    def get_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts."""


class Store(ABC):
    """Keys to bytes.

    A store is safe to use from many threads. `set`, `update`, `set_if_absent` and `delete` of one key
    exclude one another; a reader sees the value before or after, never a part.

    Attributes
    ----------
    name
        A URL-like name for error messages.
    requests
        How many requests in flight pay off: 1 where a call is mostly work for the processor,
        about 32 where it mostly waits for a network.
    deletes_at_once
        How many keys `delete_many` removes by one request.
    listed_at_once
        How many keys one request of `list_prefix` lists, whatever lies where; 0 where it goes from
        directory to directory.
    lists_cheaply
        Whether `list_prefix("")` costs about as much as one `list_dir` (memory, zip, databases).
    """

    name: str
    requests: int = 1
    deletes_at_once: int = 1
    listed_at_once: int = 0
    lists_cheaply: bool = False
    read_only: bool = False

    @abstractmethod
    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        """Return the value of `key` or a part of it, or None where there is no such key."""

    def get_buffer(self, key: str) -> Buffer | None:
        """Return the value as `get` does, but in whatever buffer the store has it, so that none is copied."""
        return self.get(key)

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        """Read the bytes from `start` on into `out` (writable, contiguous bytes).

        Returns
        -------
        int or None
            How many bytes there were to read, which is more than `len(out)` where the value is
            longer (then `out` is full, and the count is only known to be larger); None where there
            is no such key.
        """
        value = self.get(key, Span(start, len(out) + 1))
        if value is None:
            return None
        count = min(len(value), len(out))
        out[:count] = value[:count]
        return len(value)

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        """Return several (start, length) parts of one value, or None where there is no such key."""
        parts = []
        for start, length in spans:
            part = self.get(key, Span(start, length))
            if part is None:
                return None
            parts.append(part)
        return parts

    @abstractmethod
    def reading(self, key: str) -> AbstractContextManager[Reader | None]:
        """Hold on to the value of `key` while several parts of it are read; None where there is no such key.

        Parts read one after the other by `get` may be of two values, where the key is written in between.
        """

    @abstractmethod
    def size(self, key: str) -> int | None:
        """Return the number of bytes of a value, or None where there is no such key."""

    def exists(self, key: str) -> bool:
        """Say whether there is a value."""
        return self.size(key) is not None

    def facts(self, key: str) -> Facts | None:
        """Return what tells a value from the one that replaces it, or None where there is no such key.

        An ETag or a time of change where the store has one; else a digest, for which the value is read.
        """
        value = self.get(key)
        return None if value is None else Facts.of(value)

    @abstractmethod
    def set(self, key: str, value: Buffer) -> None:
        """Replace the value of `key`, atomically."""

    @abstractmethod
    def set_if_absent(self, key: str, value: Buffer) -> bool:
        """Set the value unless there is one; say whether it was set. Of several callers one wins."""

    @abstractmethod
    def update(self, key: str, change: Change) -> None:
        """Replace a value by `change(value)`, alone: no other write of `key` comes in between.

        `change` receives None where there is no value; where it returns None the key is deleted.
        Where it raises, the value stays as it was. It must not write to the store itself.
        """

    @abstractmethod
    def delete(self, key: str) -> None:
        """Remove a key; it need not exist."""

    def delete_many(self, keys: Sequence[str]) -> None:
        """Remove keys, which need not exist; one after another, or by fewer requests than there are keys."""
        for key in keys:
            self.delete(key)

    @abstractmethod
    def delete_prefix(self, prefix: str) -> None:
        """Remove every key below a prefix."""

    @abstractmethod
    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        """Yield every key below a prefix, in no particular order."""

    def list_sizes(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        """Yield every key below a prefix with the bytes of its value; what goes meanwhile is left out."""
        for key in self.list_prefix(prefix):
            if (size := self.size(key)) is not None:
                yield key, size

    @abstractmethod
    def list_dir(self, prefix: str = "") -> Listing:
        """Return the keys and the prefixes directly below a prefix."""

    @property
    def identity(self) -> str:
        """What tells the values of this store from those of any other: the name, unless that does not."""
        return self.name

    def __dask_tokenize__(self) -> object:
        """Return what tells this place from any other, in every process; a digest, which shows nothing."""
        return "omnizarr.Store", hashlib.blake2b(self.identity.encode(), digest_size=16).hexdigest()

    def mapping(self) -> StoreMapping:
        """Return the keys and values as a mutable mapping; changes to it go straight to the store."""
        return StoreMapping(self)

    def require_writable(self, key: str | None = None) -> None:
        """Raise `ReadOnlyError` where this store was opened for reading."""
        if self.read_only:
            raise ReadOnlyError("cannot write: it was opened for reading", store=self.name, key=key)

    def close(self) -> None:  # noqa: B027 (most stores hold nothing)
        """Finish what is under way and release what is held; a closed store may not be used again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class KeyLocks:
    """One lock for each of many keys, drawn from a fixed set; for stores that lock in process."""

    __slots__ = ("__weakref__", "_locks")

    def __init__(self, count: int = 16) -> None:
        self._locks = tuple(threading.RLock() for _ in range(count))
        _every_lock.add(self)

    def renew(self) -> None:
        """Have new locks: in a forked process nobody is left who could release those that were held."""
        self._locks = tuple(threading.RLock() for _ in self._locks)

    def of(self, key: str) -> AbstractContextManager[object]:
        """Return the lock of a key; distinct keys seldom share one."""
        return self._locks[hash(key) % len(self._locks)]

    @contextmanager
    def all(self) -> Iterator[None]:
        """Hold the locks of all keys."""
        with ExitStack() as held:
            for lock in self._locks:
                held.enter_context(lock)
            yield


_every_lock: WeakSet[KeyLocks] = WeakSet()


def _forked() -> None:
    for locks in _every_lock:
        locks.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
