"""A store over another one: what is written goes to the upper, what is not there is read from the lower.

How deletions are stored, and what is atomic: docs/storage/overlay.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from omnizarr.store.base import Buffer, ByteRange, Change, Facts, Listing, Reader, Store
from omnizarr.store.layers.whiteouts import (
    MARKS,
    Marks,
    check_user_key,
    check_user_prefix,
    is_mark,
    mark_of,
    mark_of_prefix,
    marks_below,
    prefixes_over,
)

T = TypeVar("T")


class OverlayStore(Store):
    """A store whose changes lie in `upper`, while `lower` stays as it is.

    `lower` is only read, and taken not to change. `upper` holds the values that were written, and marks for
    what was deleted (see `omnizarr.store.layers.whiteouts`), so that both together are the store, the next
    time too. Keys below `.overlay/` are refused.

    Overlays associate: an overlay as `upper` is taken apart, since what is written goes to its own upper.
    """

    upper: Store
    lower: Store

    def __init__(self, upper: Store, lower: Store) -> None:
        if isinstance(upper, OverlayStore):
            self.upper, self.lower = upper.upper, OverlayStore(upper.lower, lower)
        else:
            self.upper, self.lower = upper, lower
        upper, lower = self.upper, self.lower
        self.name = f"{upper.name} over {lower.name}"
        self.requests = max(upper.requests, lower.requests)
        self.lists_cheaply = upper.lists_cheaply and lower.lists_cheaply
        self.read_only = upper.read_only

    @property
    def identity(self) -> str:
        return f"{self.upper.identity} over {self.lower.identity}"

    # Reading

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        return self._first(key, lambda store: store.get(key, part))

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        return self._first(key, lambda store: store.get_into(key, out, start))

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        return self._first(key, lambda store: store.get_ranges(key, spans))

    def size(self, key: str) -> int | None:
        return self._first(key, lambda store: store.size(key))

    def exists(self, key: str) -> bool:
        return bool(self._first(key, lambda store: store.exists(key) or None))

    def facts(self, key: str) -> Facts | None:
        return self._first(key, lambda store: store.facts(key))

    @contextmanager
    def reading(self, key: str) -> Iterator[Reader | None]:
        check_user_key(key)
        with self.upper.reading(key) as reader:
            if reader is not None:
                yield reader
                return
        with (self.upper if self._hides(key) else self.lower).reading(key) as reader:
            yield reader

    def _first(self, key: str, read: Callable[[Store], T | None]) -> T | None:
        check_user_key(key)
        found = read(self.upper)
        if found is not None:
            return found
        # What is hidden may have been written since the upper store was asked, and is then there.
        return read(self.upper if self._hides(key) else self.lower)

    def _hides(self, key: str) -> bool:
        """Say whether the lower store's value is hidden.

        From the key upwards: a mark goes only after one above it has come.
        """
        return self.upper.exists(mark_of(key)) or self._hides_all(key)

    def _hides_all(self, key: str) -> bool:
        """Say whether a prefix is hidden that a key, or a prefix, lies below."""
        return any(self.upper.exists(mark_of_prefix(prefix)) for prefix in prefixes_over(key))

    def _shows_lower(self, key: str) -> bool:
        return self.lower.exists(key) and not self._hides(key)

    # Writing

    def set(self, key: str, value: Buffer) -> None:
        check_user_key(key)
        self.upper.set(key, value)

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        check_user_key(key)
        self.require_writable(key)
        # Marks do not go again, so the lower value does not come back before the next line.
        return not self._shows_lower(key) and self.upper.set_if_absent(key, value)

    def update(self, key: str, change: Change) -> None:
        check_user_key(key)

        def changed(old: bytes | None) -> Buffer | None:
            new = change(self._lower_value(key) if old is None else old)
            if new is None and self._shows_lower(key):
                raise _HideFirst
            return new

        try:
            self.upper.update(key, changed)
        except _HideFirst:
            self._hide(key)
            self.upper.update(key, changed)

    def _hide(self, key: str) -> None:
        """Hide the lower value where nobody sees a difference: the upper store has it, or another one."""
        self.upper.update(key, lambda old: self._lower_value(key) if old is None else old)
        self.upper.set(mark_of(key), b"")

    def _lower_value(self, key: str) -> bytes | None:
        return None if self._hides(key) else self.lower.get(key)

    def delete(self, key: str) -> None:
        check_user_key(key)
        self.require_writable(key)
        if self._shows_lower(key):
            self.upper.set(mark_of(key), b"")
        self.upper.delete(key)

    def delete_prefix(self, prefix: str) -> None:
        check_user_prefix(prefix)
        self.require_writable()
        mark = mark_of_prefix(prefix)
        if next(self.lower.list_prefix(prefix), None) is not None:
            self.upper.set(mark, b"")
        if prefix:
            self.upper.delete_prefix(prefix)
        else:
            self._delete_all_above()
        below = marks_below(prefix)  # which the mark above them makes needless
        self.upper.delete_many([each for each in self.upper.list_prefix(below) if each != mark])

    def _delete_all_above(self) -> None:
        above = self.upper.list_dir()
        for prefix in above.prefixes:
            if prefix != MARKS:
                self.upper.delete_prefix(prefix)
        self.upper.delete_many(above.keys)

    # Listing

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        check_user_prefix(prefix)
        return self._listed(prefix)

    def list_sizes(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        check_user_prefix(prefix)
        return self._merged(prefix, lambda store: store.list_sizes(prefix))

    def _listed(self, prefix: str) -> Iterator[str]:
        keys = self._merged(prefix, lambda store: ((key, 0) for key in store.list_prefix(prefix)))
        return (key for key, _ in keys)

    def _merged(
        self, prefix: str, listed: Callable[[Store], Iterator[tuple[str, int]]]
    ) -> Iterator[tuple[str, int]]:
        """Yield the keys below a prefix, each with what a listing of its store has beside it."""
        # Marks first: what gets a mark in order to get a value, or while it has one, is always there.
        hides_all = self._hides_all(f"{prefix}*")
        marks = Marks.of(self.upper.list_prefix(marks_below(prefix)))
        values = {key: size for key, size in listed(self.upper) if not is_mark(key)}
        yield from values.items()
        if not hides_all:
            lower = listed(self.lower)
            yield from ((key, size) for key, size in lower if key not in values and not marks.hide(key))

    def list_dir(self, prefix: str = "") -> Listing:
        check_user_prefix(prefix)
        hides_all = self._hides_all(f"{prefix}*")
        found = self.upper.list_dir(marks_below(prefix))
        marks, deeper = Marks.of(found.keys), set(found.prefixes)
        upper = self.upper.list_dir(prefix)
        lower = Listing([], []) if hides_all else self.lower.list_dir(prefix)
        keys = {key for key in lower.keys if not marks.hide(key)}.union(upper.keys)
        prefixes = {below for below in upper.prefixes if below != MARKS}
        prefixes.update(
            below
            for below in lower.prefixes
            if below not in prefixes
            and not marks.hide_all(f"{below}*")
            and not is_mark(below)
            and (marks_below(below) not in deeper or next(self._listed(below), None) is not None)
        )
        return Listing(sorted(keys), sorted(prefixes))

    # Ending

    def commit(self, target: Store | None = None) -> None:
        """Do to `target`, the lower store unless given, what was done to this one; deletions first.

        The upper store stays as it is: what was interrupted is done by the same call again.
        """
        target = self.lower if target is None else target
        target.require_writable()
        marks = Marks.of(self.upper.list_prefix(MARKS))
        for prefix in sorted(marks.prefixes):
            target.delete_prefix(prefix)
        target.delete_many(sorted(marks.keys))
        for key in self.upper.list_prefix():
            value = None if is_mark(key) else self.upper.get(key)
            if value is not None:
                target.set(key, value)

    def close(self) -> None:
        self.upper.close()
        self.lower.close()


class _HideFirst(Exception):
    """The lower value has to be hidden before the upper one goes."""
