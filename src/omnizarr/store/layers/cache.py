"""A store that keeps what it has read, in memory or in a directory.

What is kept, for how long, and what the inner store is asked for: docs/storage/cache.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, TypeVar

from omnizarr.config import config
from omnizarr.store.base import Buffer, ByteRange, Change, Facts, Reader, Store
from omnizarr.store.keys import check_key
from omnizarr.store.layers.keepers import Entry, Keeper, MemoryKeeper
from omnizarr.store.layers.kept_files import DirectoryKeeper
from omnizarr.store.layers.parts import ABSENT, HEAD, WHOLE, GoneError, Head, PartsReader, Place
from omnizarr.store.layers.wrap import WrappedStore
from omnizarr.store.ranges import check_part, check_spans, check_start
from omnizarr.store.readers import BytesReader, facts_of

T = TypeVar("T")
# What stands for "there is no value": of some length, so that absent keys are within the bound as well.
_ABSENT = Entry("", bytes(64))


class CachedStore(WrappedStore):
    """A store that asks `inner` for a value once, as long as there is room for it.

    Whole values are kept as they are, and parts of values as blocks of 256 KiB. What is written through this
    store, or through another one that keeps in the same directory, is seen at once. What others write is
    not seen while the old value is kept: for data that does not change, with `forget`, or with `check`.

    Parameters
    ----------
    max_bytes
        Bytes to keep at most; `config.cache_bytes` unless given. A larger value is not kept.
    directory
        Where to keep, so that it outlives the process and other processes have it too; made unless it exists.
        In memory unless given.
    check
        Ask `inner` before each use whether the value is still the same (`Store.facts`).
    keep_absent
        Keep also that there is no value.

    Raises
    ------
    StoreError
        The directory cannot be made, or its file system has no locks.
    """

    def __init__(
        self,
        inner: Store,
        max_bytes: int | None = None,
        *,
        directory: str | os.PathLike[str] | None = None,
        check: bool = False,
        keep_absent: bool = False,
    ) -> None:
        super().__init__(inner)
        self.deletes_at_once = inner.deletes_at_once
        bound = config.settings.cache_bytes if max_bytes is None else max_bytes
        place = None if directory is None else os.path.abspath(os.fspath(directory))
        self.keeper: Keeper = MemoryKeeper(bound) if place is None else DirectoryKeeper(place, bound)
        self._options = {"directory": place, "check": check, "keep_absent": keep_absent}
        self._check = check
        self._keeps_absent = keep_absent

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), self.inner, self.max_bytes, self._options)

    @property
    def max_bytes(self) -> int:
        """Bytes that are kept at most."""
        return self.keeper.max_bytes

    @property
    def size_kept(self) -> int:
        """Bytes that are kept."""
        return self.keeper.size_kept

    def forget(self, prefix: str = "") -> None:
        """Keep no value whose key starts with `prefix`."""
        self.keeper.drop_below(f"{self.identity}\n{prefix}")

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        if part is not None:
            check_part(part)
            return self._partly(key, lambda reader: reader.get(part))
        place = self._place(key)
        state = self._state_now(key)
        kept = _of_state(place.find(WHOLE), state)
        if kept is not None:
            return kept.value
        if state is None or self._is_known_absent(place):
            return None
        since = self.keeper.moment()
        value = super().get(key)
        self._keep_whole(place, value, state, since)
        return value

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        check_start(start)
        return self._partly(key, lambda reader: reader.get_into(out, start))

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        check_spans(spans)
        return self._partly(key, lambda reader: reader.get_ranges(spans))

    @contextmanager
    def reading(self, key: str) -> Iterator[Reader | None]:
        with ExitStack() as held:
            yield self._reader(key, held)

    def size(self, key: str) -> int | None:
        found = self._known(key)
        return super().size(key) if found is None else found

    def exists(self, key: str) -> bool:
        return self._known(key) is not None or super().exists(key)

    def list_sizes(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        return self.inner.list_sizes(prefix)

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

    def delete_many(self, keys: Sequence[str]) -> None:
        with self._changing(*keys):
            self.inner.delete_many(keys)

    def delete_prefix(self, prefix: str) -> None:
        self.forget(prefix)
        try:
            super().delete_prefix(prefix)
        finally:
            self.forget(prefix)

    # Reading

    def _partly(self, key: str, read: Callable[[Reader], T]) -> T | None:
        try:
            with self.reading(key) as reader:
                return None if reader is None else read(reader)
        except GoneError:
            self._drop(key)  # so that it is what there is now
            with self.reading(key) as reader:
                return None if reader is None else read(reader)

    def _reader(self, key: str, held: ExitStack) -> Reader | None:
        place = self._place(key, held)
        since = self.keeper.moment()
        state = self._state_now(key)
        whole = _of_state(place.find(WHOLE), state)
        if whole is not None:
            return BytesReader(whole.value)
        if state is None or self._is_known_absent(place):
            return None
        head = _of_state(place.find(HEAD), state)
        reader = PartsReader(place, None if head is None else Head.of_entry(head), since)
        if head is None and not reader.open():
            self._keep_absence(place, since)
            return None
        return reader

    def _place(self, key: str, held: ExitStack | None = None) -> Place:
        check_key(key)
        stack = ExitStack() if held is None else held
        inside, facts = partial(self._inside, key, stack), partial(self._facts_of, key)
        return Place(self.keeper, f"{self.identity}\n{key}", self.name, key, inside, facts)

    def _inside(self, key: str, held: ExitStack) -> Reader | None:
        return held.enter_context(super().reading(key))

    def _facts_of(self, key: str, reader: Reader) -> Facts | None:
        """Return the facts of what was opened; without a state where the inner store tells none of it."""
        found = facts_of(reader)
        if found is None:
            size = super().size(key)
            found = None if size is None else Facts(size, "")
        return found

    def _state_now(self, key: str) -> str | None:
        """Return the state that a value has to be in: "" for any, None where there is no value."""
        if not self._check:
            return ""
        found = super().facts(key)
        return None if found is None else found.state

    def _keep_whole(self, place: Place, value: bytes | None, state: str, since: object) -> None:
        if value is None:
            self._keep_absence(place, since)
        elif not self._check:
            place.keep(WHOLE, Entry("", value), since)
        elif self._state_now(place.key) == state:  # before and after, so it was while the value was read
            place.keep(WHOLE, Entry(state, value), since)

    def _keep_absence(self, place: Place, since: object) -> None:
        if self._keeps_absent and not self._check:
            place.keep(ABSENT, _ABSENT, since)

    def _is_known_absent(self, place: Place) -> bool:
        return self._keeps_absent and not self._check and place.find(ABSENT) is not None

    def _known(self, key: str) -> int | None:
        """Return the size of a value of which something is kept."""
        place = self._place(key)
        if self._check:
            return None
        whole = place.find(WHOLE)
        if whole is not None:
            return len(whole.value)
        head = place.find(HEAD)
        return None if head is None else Head.of_entry(head).size

    # Writing

    @contextmanager
    def _changing(self, *keys: str) -> Iterator[None]:
        """Drop what is kept of keys, before they are written: where that fails, nothing is; and after."""
        self._drop(*keys)
        try:
            yield
        finally:
            self._drop(*keys)

    def _drop(self, *keys: str) -> None:
        for key in keys:
            check_key(key)
        kinds = (WHOLE, HEAD, ABSENT)
        self.keeper.drop([f"{self.identity}\n{key}\n{kind}" for key in keys for kind in kinds])


def _of_state(entry: Entry | None, state: str | None) -> Entry | None:
    return entry if entry is not None and state in ("", entry.note) else None


def _made(kind: type[CachedStore], inner: Store, max_bytes: int, options: dict[str, Any]) -> CachedStore:
    return kind(inner, max_bytes, **options)
