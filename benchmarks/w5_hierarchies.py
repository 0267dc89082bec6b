"""W5: a hierarchy of 2201 nodes, walked and listed; and the creation of an array."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.case import Case, Trial, expect_equal
from benchmarks.peers.base import Consolidated, Library, Tree, Walking
from benchmarks.room import Room
from benchmarks.sizes import Sizes
from benchmarks.spec import Spec
from benchmarks.tree import expected, write_tree

WALK_GOALS = {2: 860 / 44, 3: 778 / 28}
CONSOLIDATED_GOALS = {2: 243 / 10, 3: 198 / 17}
CREATE_GOAL = 1725 / 23
CREATED = 50


def cases(sizes: Sizes, room: Room) -> Iterator[Case]:
    """Yield the rows; a row's files are there until the next is asked for."""
    truth = expected(sizes)
    nodes = f"{len(truth) + 1} nodes"
    for zarr_format in (2, 3):
        plain, consolidated = room.new(), room.new()
        write_tree(plain, sizes, zarr_format, consolidated=False)
        write_tree(consolidated, sizes, zarr_format, consolidated=True)
        yield Case(
            workload="W5",
            title=f"walk {nodes}, v{zarr_format}",
            trial=_walk(plain, zarr_format, truth),
            goal=WALK_GOALS[zarr_format],
        )
        yield Case(
            workload="W5",
            title=f"open and list {nodes}, consolidated, v{zarr_format}",
            trial=_listing(consolidated, zarr_format, truth),
            goal=CONSOLIDATED_GOALS[zarr_format],
        )
        room.clear()
    yield Case(
        workload="W5",
        title="create an array",
        unit="µs",
        trial=_creation(room),
        goal=CREATE_GOAL,
        calls=CREATED,
    )
    room.clear()


def _walk(path: Path, zarr_format: int, truth: Tree) -> Callable[[Library], Trial | None]:
    def trial(library: Library) -> Trial | None:
        if not isinstance(library, Walking) or zarr_format not in library.walked_formats:
            return None
        return Trial(
            run=lambda: library.walk(path, zarr_format),
            check=lambda found: expect_equal(found, truth),
        )

    return trial


def _listing(path: Path, zarr_format: int, truth: Tree) -> Callable[[Library], Trial | None]:
    def trial(library: Library) -> Trial | None:
        if not isinstance(library, Consolidated):
            return None
        return Trial(
            run=lambda: library.listing(path, zarr_format),
            check=lambda found: expect_equal(found, truth),
        )

    return trial


def _creation(room: Room) -> Callable[[Library], Trial]:
    spec = Spec(shape=(100, 100), chunks=(10, 10), codec="zstd")

    def trial(library: Library) -> Trial:
        folder = room.new()

        def before() -> None:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()

        def run() -> None:
            for number in range(CREATED):
                library.create(folder / f"{number}", spec)

        def check(_: Any) -> None:
            shapes = {path.name: room.reference.open(path).shape for path in folder.iterdir()}
            expect_equal(shapes, {f"{number}": spec.shape for number in range(CREATED)})

        return Trial(run=run, check=check, before=before)

    return trial
