"""W1: an array of 537 MB in chunks of 16 MB, read and written whole."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.case import Case
from benchmarks.room import Room
from benchmarks.sizes import Sizes
from benchmarks.spec import CODECS, Spec, field
from benchmarks.trials import reading, writing

READ_GOALS = {"none": 153 / 64, "blosc": 144 / 110, "zstd": 455 / 637}
WRITE_GOALS = {"none": 791 / 132, "blosc": 722 / 228, "zstd": 1532 / 975}


def spec(sizes: Sizes, codec: str) -> Spec:
    """Return a stack of images, one image a chunk."""
    image = (sizes.image, sizes.image)
    return Spec(shape=(sizes.images, *image), chunks=(1, *image), codec=codec)


def cases(sizes: Sizes, room: Room) -> Iterator[Case]:
    """Yield the rows; a row's files are there until the next is asked for."""
    data = field(spec(sizes, "none").shape, "float32")
    size = f"{data.nbytes / 1e6:.0f} MB"
    for codec in CODECS:
        made = spec(sizes, codec)
        path = room.written(made, data)
        yield Case(
            workload="W1",
            title=f"read {size} in large chunks, {codec}",
            trial=reading(path, data),
            goal=READ_GOALS[codec],
        )
        yield Case(
            workload="W1",
            title=f"write {size} in large chunks, {codec}",
            trial=writing(room, made, data),
            goal=WRITE_GOALS[codec],
        )
        room.clear()
