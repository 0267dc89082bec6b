"""W7: arrays and hierarchies on an S3 server on loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from numpy.typing import NDArray

from benchmarks.case import Case, Trial, expect_equal
from benchmarks.object_peers.base import BUCKET, Consolidated, ObjectLibrary, Service, Walking
from benchmarks.object_server import serving
from benchmarks.peers.base import Tree
from benchmarks.room import Room
from benchmarks.sizes import Sizes
from benchmarks.spec import Spec, field
from benchmarks.tree import expected, write_tree

Made = Callable[[ObjectLibrary], Trial | None]
CHUNK = 256  # by 256 float32: 256 KB
_numbers = count()


def cases(sizes: Sizes, room: Room, reference: ObjectLibrary) -> Iterator[Case]:
    """Yield the rows; `reference` writes what is read, and reads what others write."""
    folder, truth = room.new(), expected(sizes)
    for name, consolidated in (("gathered", True), ("scattered", False)):
        write_tree(folder / BUCKET / name, sizes, 3, consolidated=consolidated)
    nodes = f"{len(truth) + 1} nodes"
    with serving(folder) as service:
        for codec in ("none", "zstd"):
            spec = Spec(
                shape=(CHUNK * sizes.objects_down, CHUNK * sizes.objects_across),
                chunks=(CHUNK, CHUNK),
                codec=codec,
            )
            data = field(spec.shape, spec.dtype)
            chunks = f"{sizes.objects_down * sizes.objects_across} chunks of 256 KB"
            reference.write(reference.create(service, f"to-read-{codec}", spec), data)
            yield Case(
                workload="W7",
                title=f"read {chunks}, {codec}",
                trial=_reading(service, f"to-read-{codec}", data),
            )
            yield Case(
                workload="W7",
                title=f"write {chunks}, {codec}",
                trial=_writing(service, spec, data, reference),
            )
        yield Case(
            workload="W7",
            title="open, and read one element",
            trial=_element(service, "to-read-zstd", data[0, 0]),
        )
        yield Case(
            workload="W7", title=f"open and list {nodes}, consolidated", trial=_listing(service, truth)
        )
        yield Case(workload="W7", title=f"walk {nodes}", trial=_walking(service, truth))
    room.clear()


def _reading(service: Service, name: str, data: NDArray[Any]) -> Made:
    def trial(library: ObjectLibrary) -> Trial:
        array = library.open(service, name)
        return Trial(run=lambda: library.read(array), check=lambda found: expect_equal(found, data))

    return trial


def _writing(service: Service, spec: Spec, data: NDArray[Any], reference: ObjectLibrary) -> Made:
    def trial(library: ObjectLibrary) -> Trial:
        name = f"written-{next(_numbers)}"
        array = library.create(service, name, spec)

        def check(_: None) -> None:
            expect_equal(reference.read(reference.open(service, name)), data)

        return Trial(run=lambda: library.write(array, data), check=check)

    return trial


def _element(service: Service, name: str, value: Any) -> Made:
    def trial(library: ObjectLibrary) -> Trial:
        return Trial(
            run=lambda: library.open_and_read(service, name), check=lambda found: expect_equal(found, value)
        )

    return trial


def _listing(service: Service, truth: Tree) -> Made:
    def trial(library: ObjectLibrary) -> Trial | None:
        if not isinstance(library, Consolidated):
            return None
        return Trial(
            run=lambda: library.listing(service, "gathered"), check=lambda found: expect_equal(found, truth)
        )

    return trial


def _walking(service: Service, truth: Tree) -> Made:
    def trial(library: ObjectLibrary) -> Trial | None:
        if not isinstance(library, Walking):
            return None
        return Trial(
            run=lambda: library.walk(service, "scattered"), check=lambda found: expect_equal(found, truth)
        )

    return trial
