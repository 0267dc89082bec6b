"""W10: NWB files: many small objects opened and written, a long series written and read."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.case import Case, Trial, expect_equal
from benchmarks.nwb_peers.base import NWBLibrary
from benchmarks.nwb_peers.content import RATE, described_samples, objects_of, samples
from benchmarks.room import Room
from benchmarks.sizes import Sizes

Made = Callable[[NWBLibrary], Trial]


def cases(sizes: Sizes, room: Room) -> Iterator[Case]:
    """Yield the rows; each library reads files that it wrote itself, in its own default compression."""
    objects = f"an NWB file of {sizes.objects} objects"
    yield Case(workload="W10", title=f"open {objects}", trial=_opening(room, sizes.objects))
    yield Case(workload="W10", title=f"write {objects}", trial=_writing_objects(room, sizes.objects))
    room.clear()
    shape = sizes.samples, sizes.channels
    size = f"a series of {sizes.samples * sizes.channels * 2 / 1e6:.0f} MB"
    yield Case(workload="W10", title=f"write {size}", trial=_writing(room, shape, iterated=False))
    room.clear()
    yield Case(workload="W10", title=f"write {size} in pieces", trial=_writing(room, shape, iterated=True))
    room.clear()
    yield Case(workload="W10", title=f"open and read {size}", trial=_reading(room, shape))
    room.clear()


def _opening(room: Room, count: int) -> Made:
    def trial(library: NWBLibrary) -> Trial:
        place = str(room.new().with_suffix(".nwb"))
        library.make_objects(count)
        library.write(place)
        return Trial(
            run=lambda: library.open(place),
            check=lambda _: expect_equal(library.describe_objects(), objects_of(count)),
            before=library.close,
        )

    return trial


def _writing_objects(room: Room, count: int) -> Made:
    def trial(library: NWBLibrary) -> Trial:
        place = room.new().with_suffix(".nwb")

        def before() -> None:
            _remove(place)
            library.make_objects(count)

        def check(_: None) -> None:
            library.close()
            library.open(str(place))
            expect_equal(library.describe_objects(), objects_of(count))

        return Trial(run=lambda: library.write(str(place)), check=check, before=before)

    return trial


def _writing(room: Room, shape: tuple[int, int], *, iterated: bool) -> Made:
    truth = described_samples(samples(*shape), RATE)

    def trial(library: NWBLibrary) -> Trial:
        place = room.new().with_suffix(".nwb")

        def before() -> None:
            _remove(place)
            library.make_recording(*shape, iterated)

        def check(_: None) -> None:
            library.close()
            library.read(str(place))
            expect_equal(library.describe_recording(), truth)

        return Trial(run=lambda: library.write(str(place)), check=check, before=before)

    return trial


def _reading(room: Room, shape: tuple[int, int]) -> Made:
    truth = described_samples(samples(*shape), RATE)

    def trial(library: NWBLibrary) -> Trial:
        place = str(room.new().with_suffix(".nwb"))
        library.make_recording(*shape, False)
        library.write(place)
        return Trial(
            run=lambda: library.read(place),
            check=lambda _: expect_equal(library.describe_recording(), truth),
            before=library.close,
        )

    return trial


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
