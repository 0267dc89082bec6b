"""W2: an array of 67 MB in 4096 chunks of 16 KB, read and written whole."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.case import Case
from benchmarks.room import Room
from benchmarks.sizes import Sizes
from benchmarks.spec import CODECS, Spec, field
from benchmarks.trials import reading, writing

READ_GOALS = {"none": 609 / 47, "blosc": 837 / 67, "zstd": 1012 / 158}
WRITE_GOALS = {"none": 1110 / 100, "blosc": 1541 / 144, "zstd": 1917 / 393}


def cases(sizes: Sizes, room: Room) -> Iterator[Case]:
    """Yield the rows; a row's files are there until the next is asked for."""
    shape = (sizes.small_chunks * 64,) * 2
    data = field(shape, "float32")
    many = f"{sizes.small_chunks**2} chunks of 16 KB"
    for codec in CODECS:
        spec = Spec(shape=shape, chunks=(64, 64), codec=codec)
        path = room.written(spec, data)
        yield Case(
            workload="W2", title=f"read {many}, {codec}", trial=reading(path, data), goal=READ_GOALS[codec]
        )
        yield Case(
            workload="W2",
            title=f"write {many}, {codec}",
            trial=writing(room, spec, data),
            goal=WRITE_GOALS[codec],
        )
        room.clear()
