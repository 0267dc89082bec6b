"""Parts of values that are kept: as blocks, so that the same part, or one near it, is there the next time."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple, Self

from omnizarr.errors import StoreError
from omnizarr.store.base import ByteRange, Facts, Reader, Span
from omnizarr.store.layers.keepers import Entry, Keeper
from omnizarr.store.ranges import bounds, check_part, check_spans, check_start

# As much as is read along when two parts of an object lie near one another.
BLOCK = 256 * 1024
HEAD, WHOLE, ABSENT = "head", "whole", "absent"


class GoneError(StoreError):
    """A value of which parts are kept is not there any more, or is another one."""


class Head(NamedTuple):
    """What blocks are of: a value of a size and a state; `id` is in the names of its blocks."""

    size: int
    state: str
    id: str

    @classmethod
    def of(cls, facts: Facts, moment: Hashable) -> Self:
        """Return the head of a value that was found at a moment."""
        told = f"{facts.size} {moment!r} {facts.state}"
        return cls(facts.size, facts.state, hashlib.blake2b(told.encode(), digest_size=8).hexdigest())

    @classmethod
    def of_entry(cls, entry: Entry) -> Self:
        """Return the head that was kept."""
        size, identifier = entry.value.decode().split()
        return cls(int(size), entry.note, identifier)

    @property
    def entry(self) -> Entry:
        """The head as it is kept."""
        return Entry(self.state, f"{self.size} {self.id}".encode())


@dataclass(frozen=True, slots=True)
class Place:
    """Where the entries of one key are kept.

    `inside` opens the value in the inner store, which stays open; `facts` tells of what was opened.
    """

    keeper: Keeper
    name: str
    store: str
    key: str
    inside: Callable[[], Reader | None]
    facts: Callable[[Reader], Facts | None]

    def find(self, kind: str) -> Entry | None:
        """Return an entry of this key."""
        return self.keeper.find(f"{self.name}\n{kind}")

    def keep(self, kind: str, entry: Entry, since: Hashable) -> None:
        """Keep an entry of this key, unless something was dropped since."""
        self.keeper.keep(f"{self.name}\n{kind}", entry, since)

    def gone(self) -> GoneError:
        """Return the error for a value that was replaced while parts of it were read."""
        message = "the value was replaced while parts of it were read"
        return GoneError(message, store=self.store, key=self.key)


class PartsReader:
    """A value of which blocks are kept; the inner store is asked for those that are not, once for all.

    All that is read is of one value. Where it was replaced meanwhile and is not held, reading raises.
    """

    def __init__(self, place: Place, head: Head | None, since: Hashable) -> None:
        self._place = place
        self._head = head
        self._since = since
        self._inside: Reader | None = None
        self._served = False
        self._opening = threading.Lock()

    def open(self) -> bool:
        """Open the value in the inner store, unless it is open; say whether there is one."""
        with self._opening:
            if self._inside is not None:
                return True
            since = self._place.keeper.moment()
            self._inside = self._place.inside()
            if self._inside is None:
                return False
            facts = self._place.facts(self._inside)
            if facts is None:
                return False
            self._adopt(Head.of(facts, since), since)
            return True

    def _adopt(self, found: Head, since: Hashable) -> None:
        held = self._head
        if held is not None and held[:2] == found[:2] and (found.state or self._is_untouched(since)):
            return
        if self._served:
            raise self._place.gone()
        self._head, self._since = found, since
        self._place.keep(HEAD, found.entry, since)

    def _is_untouched(self, since: Hashable) -> bool:
        """Say whether nobody wrote through a cache since; where the inner store tells no states."""
        return since == self._since

    def get(self, part: ByteRange | None = None) -> bytes:
        """Return the value, or a part of it."""
        if part is not None:
            check_part(part)
        elif self._inside is not None:
            return self._whole(self._inside)
        return b"".join(self._read(lambda size: [bounds(part, size)]))

    def get_into(self, out: memoryview, start: int = 0) -> int:
        """Read into `out` as `Store.get_into` does."""
        check_start(start)
        (value,) = self._read(lambda size: [bounds(Span(start, len(out)), size)])
        out[: len(value)] = value
        return max(self._known.size - start, 0)

    def get_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts."""
        check_spans(spans)
        return self._read(lambda size: [bounds(Span(*span), size) for span in spans])

    def facts(self) -> Facts | None:
        """Return the facts of the value, where they are known."""
        return Facts(*self._known[:2]) if self._known.state else None

    @property
    def _known(self) -> Head:
        assert self._head is not None, "it was opened, or its head was kept"
        return self._head

    def _whole(self, inside: Reader) -> bytes:
        value = inside.get()
        self._served = True
        self._place.keep(WHOLE, Entry(self._known.state, value), self._since)
        return value

    def _read(self, within: Callable[[int], list[tuple[int, int]]]) -> list[bytes]:
        """Return parts, given by where they start and stop in a value of a size."""
        while True:
            head = self._known
            wanted = within(head.size)
            numbers = sorted({number for part in wanted for number in _blocks_of(*part)})
            blocks = {number: found for number in numbers if (found := self._kept(head, number)) is not None}
            missing = [number for number in numbers if number not in blocks]
            if not missing or (self._opened() and head is self._head):
                blocks.update(self._fetched(missing))
                self._served = True
                return [_joined(blocks, *part) for part in wanted]

    def _opened(self) -> bool:
        if not self.open():
            raise self._place.gone()
        return True

    def _kept(self, head: Head, number: int) -> bytes | None:
        found = self._place.find(f"{head.id} {number}")
        return found.value if found is not None and len(found.value) == _length(head, number) else None

    def _fetched(self, missing: list[int]) -> Iterator[tuple[int, bytes]]:
        if not missing:
            return
        assert self._inside is not None, "it was opened for them"
        head = self._known
        runs = list(_runs(missing))
        spans = [(run[0] * BLOCK, sum(_length(head, number) for number in run)) for run in runs]
        for run, (_, length), read in zip(runs, spans, self._inside.get_ranges(spans), strict=True):
            if len(read) != length:
                raise self._place.gone()
            for at, number in enumerate(run):
                block = read[at * BLOCK : (at + 1) * BLOCK]
                self._place.keep(f"{head.id} {number}", Entry("", block), self._since)
                yield number, block


def _blocks_of(start: int, stop: int) -> range:
    return range(start // BLOCK, -(-stop // BLOCK)) if start < stop else range(0)


def _length(head: Head, number: int) -> int:
    return min(head.size - number * BLOCK, BLOCK)


def _runs(numbers: Iterable[int]) -> Iterator[list[int]]:
    """Yield numbers that follow one another, together."""
    for _, run in groupby(enumerate(numbers), lambda each: each[1] - each[0]):
        yield [number for _, number in run]


def _joined(blocks: dict[int, bytes], start: int, stop: int) -> bytes:
    numbers = _blocks_of(start, stop)
    if not numbers:
        return b""
    first = numbers[0] * BLOCK
    around = blocks[numbers[0]] if len(numbers) == 1 else b"".join(blocks[number] for number in numbers)
    return around[start - first : stop - first]
