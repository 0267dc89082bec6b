"""A store whose values are strings of a Redis server.

What each operation asks of the server, and what it promises: docs/storage/redis.md.
https://redis.io/docs/latest/commands/
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import chain
from typing import Any

from omnizarr.errors import StoreError
from omnizarr.store.base import Buffer, ByteRange, Change, KeyLocks, Listing, Reader, Span, Store
from omnizarr.store.databases.redis_place import ask, connect, lost_in
from omnizarr.store.databases.redis_reads import WatchingReader, ask_parts, in_place, watching
from omnizarr.store.keys import check_key, check_prefix, is_legal
from omnizarr.store.listing import listing_of
from omnizarr.store.ranges import check_part, check_spans, check_start
from omnizarr.store.readers import BytesReader
from omnizarr.store.urls.modes import Mode, Options

# What a string of Redis may hold.
MOST_BYTES = 512 * 2**20
# Of larger values a reader holds the end only.
_HELD = 256 * 1024
# Names that SCAN looks at in one go: a million of them took 0.6 s, by 1,000 at a time 0.8 to 1.3.
_PAGE = 5000
_TRIES = 100
_LONGEST_WAIT = 0.25

# Of all stores of this process, since two may be of one place.
_locks = KeyLocks(4096)
_UNSENT = object()


class RedisStore(Store):
    """Values as strings of a Redis server, each under the prefix and its key.

    Nothing is asked of the server until a value is.

    Parameters
    ----------
    url
        `redis://user:password@host:port/db/prefix`, `rediss://…` with TLS, or
        `unix:///path/of/socket?db=0&prefix=…`. A prefix that ends in `:` is used as it is, as zarr-python 2
        writes it; after any other comes a `/`.
    storage_options
        redis-py's: `password`, `socket_timeout`, `ssl_ca_certs`, `max_connections`, …. `max_retries` is
        ours: how often a request is made again where the connection was lost; 5.

    Raises
    ------
    StoreError
        The URL or an option is not one there is, or the extra `kv` is not installed.
    """

    requests = 16
    deletes_at_once = 1000
    lists_cheaply = True

    def __init__(
        self, url: str, *, read_only: bool = False, storage_options: Mapping[str, object] | None = None
    ) -> None:
        self._made_of = (url, read_only, dict(storage_options or {}))
        self.place = connect(url, storage_options or {})
        self.name = self.place.name
        self.read_only = read_only

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, self._made_of

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        name = self._named(key)
        if part is None:
            whole: bytes | None = ask(self.place, "read", key, lambda client: client.get(name))
            return whole
        check_part(part)
        parts = self._parts(key, [part])
        return None if parts is None else parts[0]

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        check_start(start)
        return super().get_into(key, out, start)

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        self._named(key)
        check_spans(spans)
        return self._parts(key, [Span(*span) for span in spans])

    def _parts(self, key: str, parts: Sequence[ByteRange]) -> list[bytes] | None:
        """Return parts of one value; GETRANGE alone cannot tell an absent one from an empty one."""
        name = self._named(key)

        def request(client: Any) -> Any:
            with client.pipeline() as pipe:
                pipe.exists(name)
                ask_parts(pipe, name, parts)
                return pipe.execute()

        there, *found = ask(self.place, "read", key, request)
        return in_place(parts, found) if there else None

    @contextmanager
    def reading(self, key: str) -> Iterator[Reader | None]:
        reader = self._reader(key)
        try:
            yield reader
        finally:
            if isinstance(reader, WatchingReader):
                reader.close()

    def _reader(self, key: str) -> BytesReader | WatchingReader | None:
        found = self._end(key)
        if found is None or found[0] <= _HELD:
            return None if found is None else BytesReader(found[1])
        watch = ask(self.place, "read", key, lambda client: watching(client, self._named(key)))
        found = self._end(key)  # of the value that is watched now
        if found is None or found[0] <= _HELD:
            watch.reset()
            return None if found is None else BytesReader(found[1])
        return WatchingReader(self.place, key, found, watch)

    def _end(self, key: str) -> tuple[int, bytes] | None:
        """Return the size of a value and its last bytes."""
        name = self._named(key)

        def request(client: Any) -> Any:
            with client.pipeline() as pipe:
                return pipe.exists(name).strlen(name).getrange(name, -_HELD, -1).execute()

        there, size, end = ask(self.place, "read", key, request)
        return (size, end) if there else None

    def size(self, key: str) -> int | None:
        name = self._named(key)

        def request(client: Any) -> Any:
            with client.pipeline() as pipe:
                return pipe.exists(name).strlen(name).execute()

        there, size = ask(self.place, "read", key, request)
        return size if there else None

    # Writing

    def set(self, key: str, value: Buffer) -> None:
        name = self._named(key, writing=True)
        held = self._flat(key, value)
        with self._alone(key):
            ask(self.place, "write", key, lambda client: client.set(name, held))

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        name = self._named(key, writing=True)
        held = self._flat(key, value)
        tries = 0

        def request(client: Any) -> bool:
            nonlocal tries
            tries += 1
            return bool(client.set(name, held, nx=True))

        with self._alone(key):
            was_set = ask(self.place, "write", key, request)
        if not was_set and tries > 1:
            message = "there is a value, and since the connection was lost meanwhile, it may be this one"
            raise StoreError(f"cannot write: {message}", store=self.name, key=key)
        return was_set

    def update(self, key: str, change: Change) -> None:
        name = self._named(key, writing=True)
        attempt = _Attempt(name, lambda old: self._changed(key, change(old)))
        with self._alone(key):
            longest = 0.002
            for _ in range(_TRIES):
                if ask(self.place, "write", key, attempt):
                    return
                time.sleep(random.uniform(0, longest))
                longest = min(2 * longest, _LONGEST_WAIT)
        message = f"cannot write: others wrote between each of {_TRIES} tries"
        raise StoreError(message, store=self.name, key=key)

    def _changed(self, key: str, value: Buffer | None) -> bytes | memoryview | None:
        return None if value is None else self._flat(key, value)

    def delete(self, key: str) -> None:
        name = self._named(key, writing=True)
        with self._alone(key):
            ask(self.place, "delete", key, lambda client: client.unlink(name))

    def delete_many(self, keys: Sequence[str]) -> None:
        names = [self._named(key, writing=True) for key in keys]
        for start in range(0, len(names), self.deletes_at_once):
            page = names[start : start + self.deletes_at_once]
            ask(self.place, "delete", None, partial(_unlink, page))

    def delete_prefix(self, prefix: str) -> None:
        check_prefix(prefix)
        self.require_writable()
        for keys in self._pages(prefix):
            self.delete_many(keys)

    # Listing

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        check_prefix(prefix)
        return chain.from_iterable(self._pages(prefix))

    def list_sizes(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        check_prefix(prefix)
        for keys in self._pages(prefix):
            said = ask(self.place, "list", None, partial(_sizes, [self._named(key) for key in keys]))
            yield from ((key, size) for key, (there, size) in zip(keys, said, strict=True) if there)

    def _pages(self, prefix: str) -> Iterator[list[str]]:
        pattern = _literal(self.place.prefix + prefix) + "*"
        seen: set[bytes] = set()
        cursor = -1
        while cursor != 0:
            cursor, names = self._scanned(max(cursor, 0), pattern)
            new = dict.fromkeys(name for name in names if name not in seen)  # SCAN may tell a name twice
            seen.update(new)
            yield [key for name in new if (key := self._key_of(name)) is not None]

    def _scanned(self, cursor: int, pattern: str) -> tuple[int, list[bytes]]:
        def request(client: Any) -> Any:
            return client.scan(cursor, match=pattern, count=_PAGE, _type="string")

        following, names = ask(self.place, "list", None, request)
        return int(following), names

    def _key_of(self, name: bytes) -> str | None:
        try:
            key = name.decode()[len(self.place.prefix) :]
        except UnicodeDecodeError:
            return None  # a name of someone else's
        return key if is_legal(key) else None

    def list_dir(self, prefix: str = "") -> Listing:
        return listing_of(self.list_prefix(prefix), prefix)

    def close(self) -> None:
        self.place.client.close()
        self.place.client.connection_pool.disconnect()

    # Keys and values

    def _named(self, key: str, *, writing: bool = False) -> str:
        check_key(key)
        if writing:
            self.require_writable(key)
        return self.place.prefix + key

    def _alone(self, key: str) -> AbstractContextManager[object]:
        """Return the lock of a key: within a process, writes wait for one another."""
        return _locks.of(f"{self.name}/{key}")

    def _flat(self, key: str, value: Buffer) -> bytes | memoryview:
        """Return the bytes of a buffer as redis-py takes them, unless they are too many."""
        view = memoryview(value)
        if view.nbytes > MOST_BYTES:
            message = f"cannot write: expected at most {MOST_BYTES} bytes, found {view.nbytes}"
            raise StoreError(message, store=self.name, key=key)
        if isinstance(value, bytes):
            return value
        return view.cast("B") if view.c_contiguous and view.nbytes else view.tobytes()


class _Attempt:
    """One update, tried until nobody else writes between its read and its write."""

    def __init__(self, name: str, change: Any) -> None:
        self.name = name
        self.change = change
        self._sent: object = _UNSENT

    def __call__(self, client: Any) -> bool:
        import redis

        with client.pipeline() as pipe:
            pipe.watch(self.name)
            old = pipe.get(self.name)
            if self._sent is not _UNSENT and old == self._sent:
                return True  # the write arrived, and the connection was lost before the answer
            self._sent = _UNSENT
            new = self.change(old)
            if old is None and new is None:
                return True
            pipe.multi()
            pipe.unlink(self.name) if new is None else pipe.set(self.name, new)
            try:
                pipe.execute()
            except redis.WatchError as error:
                lost = lost_in(error)
                if lost is None:
                    return False
                self._sent = new if new is None else bytes(new)
                raise lost from None
            return True


def open_redis(url: str, mode: Mode, options: Options) -> Store:
    """Return the store of a `redis://`, `rediss://` or `unix://` URL."""
    return RedisStore(url, read_only=mode == "r", storage_options=options)


def _made(url: str, read_only: bool, storage_options: dict[str, object]) -> RedisStore:
    return RedisStore(url, read_only=read_only, storage_options=storage_options)


def _unlink(names: list[str], client: Any) -> None:
    client.unlink(*names)


def _sizes(names: list[str], client: Any) -> list[tuple[int, int]]:
    """Return of each name whether it is there, and its size."""
    with client.pipeline() as pipe:
        for name in names:
            pipe.exists(name).strlen(name)
        said = pipe.execute()
    return list(zip(said[::2], said[1::2], strict=True))


def _literal(name: str) -> str:
    """Return a pattern of SCAN that matches a name and nothing else."""
    return re.sub(r"([\\*?\[\]^])", r"\\\1", name)
