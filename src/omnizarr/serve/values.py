"""One value of a store, held on to while it is sent, and the pieces in which it is."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import ExitStack
from dataclasses import dataclass, field

from omnizarr.serve.conditions import etag_of
from omnizarr.serve.threads import Threads
from omnizarr.store.base import Facts, Reader, Span, Store
from omnizarr.store.readers import BytesReader, facts_of

# What is read at once: of a network more, since each piece waits for one request.
PIECE = 2**20
REMOTE_PIECE = 2**23
SMALL_PIECE = 2**16
ROOM = 2**28
# Up to this size a digest of the bytes is the ETag where the store tells nothing of a value.
DIGESTED = 2**20


@dataclass(frozen=True, slots=True)
class Described:
    """What is told of a value in the header of an answer."""

    size: int
    etag: str | None
    modified: float | None = None

    @classmethod
    def of(cls, facts: Facts) -> Described:
        """Return what a store's facts come to."""
        return cls(facts.size, etag_of(facts), facts.modified)


@dataclass(frozen=True, slots=True)
class Value:
    """A value that is held on to until `close`."""

    described: Described
    reader: Reader
    piece: int
    _held: ExitStack = field(repr=False)

    def close(self) -> None:
        """Let go of it."""
        self._held.close()


def hold(store: Store, key: str) -> Value | None:
    """Hold on to a value, or return None where there is none; the caller closes it."""
    with ExitStack() as stack:
        reader = stack.enter_context(store.reading(key))
        if reader is None:
            return None
        described, reader = _described(store, key, reader)
        piece = PIECE if store.requests == 1 else REMOTE_PIECE
        return Value(described, reader, piece, stack.pop_all())


def describe(store: Store, key: str) -> Described | None:
    """Return what is told of a value, the same as of one that is held; no more is read than that takes."""
    value = hold(store, key)
    if value is None:
        return None
    value.close()
    return value.described


class Room:
    """Memory for pieces on their way to clients; where it is used up, pieces are small.

    Many clients that take little of what they asked for hold a piece each.

    Attributes
    ----------
    free
        Bytes that are left; less than none where small pieces use more.
    """

    def __init__(self, size: int = ROOM) -> None:
        self.free = size

    def take(self, wanted: int) -> int:
        """Return how many bytes may be read at once, which are counted until they are given back."""
        size = wanted if wanted <= self.free else min(wanted, SMALL_PIECE)
        self.free -= size
        return size

    def give(self, size: int) -> None:
        """Count bytes out."""
        self.free += size


async def pieces(threads: Threads, room: Room, value: Value, start: int, stop: int) -> AsyncGenerator[bytes]:
    """Yield a part of a value, and let go of it; no thread waits while a piece is sent.

    Raises
    ------
    EOFError
        The value is shorter than it was said to be.
    """
    wanted = 0
    try:
        while start < stop:
            room.give(wanted)
            wanted = room.take(min(stop - start, value.piece))
            found = await threads.run(value.reader.get, Span(start, wanted))
            if len(found) != wanted:
                raise EOFError(f"expected {wanted} bytes from {start} on, found {len(found)}")
            start += wanted
            if start == stop:
                value.close()  # so that it is not held until a slow client has the last piece
            yield found
    finally:
        room.give(wanted)
        value.close()


def _described(store: Store, key: str, reader: Reader) -> tuple[Described, Reader]:
    facts = facts_of(reader)
    if facts is not None:
        return Described.of(facts), reader
    size = store.size(key)
    if size is None or not _has_size(reader, size) or size <= DIGESTED:
        whole = BytesReader(bytes(reader.get()))
        return Described.of(whole.facts()), whole
    return Described(size, None), reader


def _has_size(reader: Reader, size: int) -> bool:
    """Say whether the value that is held is of a size that was asked for apart from it."""
    return len(reader.get(Span(max(size - 1, 0), 2))) == min(size, 1)
