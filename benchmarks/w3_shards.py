"""W3: uint16 in zstd shards of 256³: all, one inner chunk, one plane."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.case import Case
from benchmarks.peers.base import Part
from benchmarks.room import Room
from benchmarks.sizes import Sizes
from benchmarks.spec import Spec, field
from benchmarks.trials import reading, writing

ALL_GOALS = {32: 2542 / 304, 64: 1288 / 244}
WRITE_GOALS = {32: 4164 / 920, 64: 1194 / 640}
INNER_GOALS = {32: 1137 / 93, 64: 2526 / 820}


def cases(sizes: Sizes, room: Room) -> Iterator[Case]:
    """Yield the rows; a row's files are there until the next is asked for."""
    shape = tuple(count * sizes.shard for count in sizes.shards)
    data = field(shape, "uint16")
    for inner in (32, 64):
        spec = Spec(shape=shape, chunks=(inner,) * 3, shards=(sizes.shard,) * 3, dtype="uint16", codec="zstd")
        path = room.written(spec, data)
        what = f"shards of {sizes.shard}³, inner {inner}³"
        for part, name, unit, goal in (
            (None, "read all", "ms", ALL_GOALS[inner]),
            (_inner_chunk(inner), "read one inner chunk", "µs", INNER_GOALS[inner]),
            (_plane(shape, 0), "read one plane, axis 0", "ms", 107 / 26 if inner == 32 else None),
            (_plane(shape, 2), "read one plane, axis 2", "ms", 100 / 24 if inner == 32 else None),
        ):
            yield Case(
                workload="W3",
                title=f"{name}, {what}",
                unit="ms" if unit == "ms" else "µs",
                trial=reading(path, data, part),
                goal=goal,
            )
        yield Case(
            workload="W3",
            title=f"write all, {what}",
            trial=writing(room, spec, data),
            goal=WRITE_GOALS[inner],
        )
        room.clear()


def _inner_chunk(inner: int) -> Part:
    return (slice(inner, 2 * inner),) * 3


def _plane(shape: tuple[int, ...], axis: int) -> Part:
    middle = shape[axis] // 2 + 1
    return tuple(
        slice(middle, middle + 1) if index == axis else slice(0, length) for index, length in enumerate(shape)
    )
