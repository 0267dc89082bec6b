"""W9: models of a hierarchy of 2201 nodes: read, created, written as JSON and read from it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.case import Case, Trial, expect_equal
from benchmarks.model_peers.base import Described, ModelLibrary
from benchmarks.room import Room
from benchmarks.sizes import Sizes
from benchmarks.tree import expected, write_tree

Made = Callable[[ModelLibrary], Trial]


def cases(sizes: Sizes, room: Room) -> Iterator[Case]:
    """Yield the rows; a row's files are there until the next is asked for."""
    truth = _described(sizes)
    nodes = f"{len(truth) + 1} nodes"
    for zarr_format in (2, 3):
        plain, consolidated = room.new(), room.new()
        write_tree(plain, sizes, zarr_format, consolidated=False)
        write_tree(consolidated, sizes, zarr_format, consolidated=True)
        rows: dict[str, Made] = {
            f"discover {nodes}, no models": _discovering(plain, zarr_format, len(truth)),
            f"model of {nodes} in a store": _reading(plain, zarr_format, truth),
            f"create {nodes} of a model": _creating(room, plain, zarr_format),
            f"model of {nodes} to JSON": _writing_text(plain, zarr_format, truth),
            f"model of {nodes} from JSON": _reading_text(plain, zarr_format, truth),
        }
        if zarr_format == 3:
            rows[f"open and model {nodes}, consolidated"] = _consolidated(consolidated, truth)
        for title, trial in rows.items():
            yield Case(workload="W9", title=f"{title}, v{zarr_format}", trial=trial)
        room.clear()


def _described(sizes: Sizes) -> Described:
    return {
        path: (None, None, {}) if shape is None else (shape, "float32", {"units": "m"})
        for path, shape in expected(sizes).items()
    }


def _discovering(folder: Path, zarr_format: int, count: int) -> Made:
    def trial(library: ModelLibrary) -> Trial:
        root = library.open(folder, zarr_format)
        return Trial(run=lambda: library.discover(root), check=lambda found: expect_equal(found, count))

    return trial


def _reading(folder: Path, zarr_format: int, truth: Described) -> Made:
    def trial(library: ModelLibrary) -> Trial:
        root = library.open(folder, zarr_format)
        return Trial(
            run=lambda: library.read(root),
            check=lambda model: expect_equal(library.describe(model), truth),
        )

    return trial


def _consolidated(folder: Path, truth: Described) -> Made:
    def trial(library: ModelLibrary) -> Trial:
        return Trial(
            run=lambda: library.read_consolidated(folder),
            check=lambda model: expect_equal(library.describe(model), truth),
        )

    return trial


def _creating(room: Room, source: Path, zarr_format: int) -> Made:
    """Create in a directory that is not there; the reference library reads it back."""

    def trial(library: ModelLibrary) -> Trial:
        model = library.read(library.open(source, zarr_format))
        target = room.new()

        def check(_: None) -> None:
            walk = room.reference.walk  # type: ignore[attr-defined]
            expect_equal(walk(target, zarr_format), walk(source, zarr_format))
            found = library.describe(library.read(library.open(target, zarr_format)))
            expect_equal(found, library.describe(model))

        return Trial(
            run=lambda: library.create(model, target),
            check=check,
            before=lambda: shutil.rmtree(target, ignore_errors=True),
        )

    return trial


def _writing_text(folder: Path, zarr_format: int, truth: Described) -> Made:
    def trial(library: ModelLibrary) -> Trial:
        model = library.read(library.open(folder, zarr_format))

        def check(text: str) -> None:
            expect_equal(library.describe(library.from_text(text, zarr_format)), truth)

        return Trial(run=lambda: library.to_text(model), check=check)

    return trial


def _reading_text(folder: Path, zarr_format: int, truth: Described) -> Made:
    def trial(library: ModelLibrary) -> Trial:
        text = library.to_text(library.read(library.open(folder, zarr_format)))
        return Trial(
            run=lambda: library.from_text(text, zarr_format),
            check=lambda model: expect_equal(library.describe(model), truth),
        )

    return trial
