"""Several parts of one state of a value: by few requests, which run at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from omnizarr.store.base import ByteRange, Facts, Last, Span
from omnizarr.store.objects.places import Place
from omnizarr.store.objects.reads import (
    Absent,
    Piece,
    State,
    facts_of_state,
    failures,
    fetch,
    fetch_at_least,
    head,
    read_into,
)
from omnizarr.store.ranges import bounds, check_part, check_spans, check_start

# A gap that is read along: about what a connection carries while a request would wait.
_GAP = 256 * 1024
_TAIL = 64 * 1024
_AT_ONCE = 16


def fetch_spans(
    place: Place, key: str, spans: Sequence[tuple[int, int]], held: State | None = None
) -> list[bytes] | None:
    """Return several (start, length) parts of one state of a value, or None where there is none.

    Parts that lie near one another are read by one request, and requests run at the same time.
    """
    wanted = coalesced(spans)
    if not wanted:
        return [b""] * len(spans) if held is not None or _is_there(place, key) else None
    pieces: list[Piece] = []
    if held is None:
        first = fetch(place, key, wanted[0])
        if first is None:
            return None
        held, pieces = first.state, [first]

    def further(span: Span) -> Piece:
        piece = fetch(place, key, span, held)
        assert piece is not None, "a state that is held is there, or raises"
        return piece

    rest = wanted[len(pieces) :]
    if len(rest) > 1:
        with ThreadPoolExecutor(min(len(rest), _AT_ONCE)) as pool:
            pieces += pool.map(further, rest)
    else:
        pieces += map(further, rest)
    return [_within(wanted, pieces, Span(*span)) for span in spans]


def _is_there(place: Place, key: str) -> bool:
    try:
        with failures(place, "read", key):
            head(place, key)
    except Absent:
        return False
    return True


def coalesced(spans: Sequence[tuple[int, int]], gap: int = _GAP) -> list[Span]:
    """Return the spans to read so that all that are given are read; one where they are no `gap` apart."""
    merged: list[Span] = []
    for start, length in sorted((start, length) for start, length in spans if length):
        if merged and start <= merged[-1].start + merged[-1].length + gap:
            begin, had = merged[-1]
            merged[-1] = Span(begin, max(had, start + length - begin))
        else:
            merged.append(Span(start, length))
    return merged


def _within(wanted: list[Span], pieces: list[Piece], span: Span) -> bytes:
    for around, piece in zip(wanted, pieces, strict=True):
        if around.start <= span.start and span.start + span.length <= around.start + around.length:
            offset = span.start - around.start
            return bytes(memoryview(piece.data)[offset : offset + span.length])
    return b""  # of no length


@dataclass(frozen=True, slots=True)
class ObjectReader:
    """A value of which the last bytes are here already, as an index at its end would be.

    All bytes are here where they are few, or where the server gives no parts of a value.

    All that is read is of this state; where another one has come in between, it raises.
    """

    place: Place
    key: str
    tail: Piece

    def get(self, part: ByteRange | None = None) -> bytes:
        """Return the value, or a part of it."""
        if part is not None:
            check_part(part)
        start, stop = bounds(part, self.tail.state.size)
        return bytes(self._piece(start, stop).data)

    def get_into(self, out: memoryview, start: int = 0) -> int:
        """Read into `out` as `Store.get_into` does."""
        check_start(start)
        begin, stop = bounds(Span(start, len(out)), self.tail.state.size)
        return read_into(self._piece(begin, stop), out, start)

    def get_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts."""
        check_spans(spans)
        inside = [bounds(Span(*span), self.tail.state.size) for span in spans]
        if all(start == stop or start >= self.tail.start for start, stop in inside):
            return [bytes(self._piece(start, stop).data) for start, stop in inside]
        wanted = [(start, stop - start) for start, stop in inside]
        return fetch_spans(self.place, self.key, wanted, self.tail.state) or []

    def facts(self) -> Facts:
        """Return the facts of the value."""
        return facts_of_state(self.tail.state)

    def _piece(self, start: int, stop: int) -> Piece:
        state = self.tail.state
        if start == stop:
            return Piece(b"", start, state)
        if start >= self.tail.start:
            begin = self.tail.start
            return Piece(memoryview(self.tail.data)[start - begin : stop - begin], start, state)
        piece = fetch(self.place, self.key, Span(start, stop - start), state)
        assert piece is not None, "a state that is held is there, or raises"
        return piece


def reader_of(place: Place, key: str) -> ObjectReader | None:
    """Return a reader of the value as it is now, or None; one request, and small values come whole."""
    tail = fetch_at_least(place, key, Last(_TAIL), None)
    return None if tail is None else ObjectReader(place, key, tail)
