"""Blocks, one for each task that reads or writes, against the chunks in which an array is stored.

An axis is cut into blocks of given sizes; a part of it, a range, says where they lie. Two tasks that write
one stored chunk each read it and write it back: slow everywhere, and a lost write where a store cannot
change a value atomically.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple, TypeAlias

from omnizarr.geometry.grid import Axis, RegularAxis

Blocks: TypeAlias = tuple[tuple[int, ...], ...]


class Shared(NamedTuple):
    """A chunk in which one block ends and the next begins; the blocks as parts of what is written."""

    chunk: int
    before: slice
    after: slice


def chunk_sizes(axis: Axis) -> tuple[int, ...]:
    """Return how much of the axis each chunk holds; of an empty axis one block of length zero."""
    spans = map(axis.span, range(axis.count))
    return tuple(span.stop - span.start for span in spans) or (0,)


def edges_of(sizes: Sequence[int]) -> list[int]:
    """Return where blocks begin, and the end of the last one; each place once."""
    return list(dict.fromkeys(accumulate(sizes, initial=0)))


def sizes_between(edges: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes of the blocks between edges; one of length zero where there is but one edge."""
    return tuple(after - before for before, after in pairwise(edges)) or (0,)


def is_edge(place: int, axis: Axis) -> bool:
    """Say whether a chunk begins at a place of the axis, or the axis ends."""
    return place == 0 or place >= axis.length or axis.start(axis.chunk_of(place)) == place


def shared_chunk(sizes: Sequence[int], axis: Axis, part: range) -> Shared | None:
    """Return the first chunk that holds elements of two blocks, which lie one after another in `part`."""
    edges = edges_of(sizes)
    for number, place in enumerate(edges[1:-1], 1):
        chunk = axis.chunk_of(part[place])
        if axis.chunk_of(part[place - 1]) == chunk:
            return Shared(chunk, slice(edges[number - 1], place), slice(place, edges[number + 1]))
    return None


def aligned_sizes(sizes: Sequence[int], axis: Axis, part: range) -> tuple[int, ...]:
    """Return blocks of which no two share a chunk: edges move down to where the chunk begins."""
    edges = edges_of(sizes)
    moved = {_first_in_chunk(place, axis, part) for place in edges[1:-1]}
    return sizes_between(sorted({0, *moved, edges[-1]}))


def _first_in_chunk(place: int, axis: Axis, part: range) -> int:
    """Return the first place of `part` that lies in the same chunk as a later one."""
    chunk = axis.chunk_of(part[place])
    first, last = axis.start(chunk), axis.start(chunk) + axis.extent(chunk) - 1
    if part.step > 0:
        return max(0, -((part.start - first) // part.step))
    return max(0, -((last - part.start) // -part.step))


def touched_chunks(axis: Axis, part: range) -> Sequence[int]:
    """Return the chunks that hold elements of a part, without others, in ascending order."""
    if not part:
        return ()
    low, high = sorted((part[0], part[-1]))
    between = range(axis.chunk_of(low), axis.chunk_of(high) + 1)
    if abs(part.step) == 1 or (isinstance(axis, RegularAxis) and abs(part.step) <= axis.size):
        return between
    return sorted({axis.chunk_of(index) for index in part})


def meet(first: Sequence[int], second: Sequence[int]) -> int | None:
    """Return the lowest number that two ascending sequences share, or None."""
    if not first or not second or first[0] > second[-1] or second[0] > first[-1]:
        return None
    if isinstance(first, range) and isinstance(second, range):
        return max(first[0], second[0])
    return min(set(first).intersection(second), default=None)
