"""W8: netCDF datasets: opened, read, written, appended to, and converted from files."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.case import Case, Trial, expect_equal
from benchmarks.netcdf_peers.base import AnyArray, Appends, Converts, NetCDFLibrary, ReadsAndWrites
from benchmarks.room import Room
from benchmarks.sizes import Sizes
from benchmarks.spec import field

RECORD = (32, 64)


def cases(sizes: Sizes, room: Room, writer: ReadsAndWrites) -> Iterator[Case]:
    """Yield the rows; `writer` makes the netCDF-4 file that is converted."""
    data = field((sizes.fields, sizes.field, sizes.field), "float32")
    size = data.nbytes / 1e6
    yield Case(
        workload="W8",
        title=f"open a dataset of {sizes.variables} variables",
        trial=_opening(room, sizes.variables),
    )
    yield Case(workload="W8", title=f"read {size:.0f} MB, zlib and shuffle", trial=_reading(room, data))
    yield Case(workload="W8", title=f"write {size:.0f} MB, zlib and shuffle", trial=_writing(room, data))
    room.clear()
    records = field((sizes.records, *RECORD), "float32")
    yield Case(
        workload="W8",
        title=f"append one record of 8 KB, {sizes.records} times",
        trial=_appending(room, records),
        unit="µs",
        calls=sizes.records,
    )
    room.clear()
    big = field((sizes.converted, sizes.field, sizes.field), "float32")
    source = room.new()
    writer.write(source, big)
    title = f"convert a netCDF-4 file of {big.nbytes / 1e6:.0f} MB, chunks kept"
    yield Case(workload="W8", title=title, trial=_converting(room, source, big))
    room.clear()


def _opening(room: Room, count: int) -> Callable[[NetCDFLibrary], Trial | None]:
    def trial(library: NetCDFLibrary) -> Trial | None:
        if not isinstance(library, ReadsAndWrites):
            return None
        place = room.new()
        library.write_many(place, count)
        return Trial(run=lambda: library.open_many(place), check=lambda found: expect_equal(found, count))

    return trial


def _reading(room: Room, data: AnyArray) -> Callable[[NetCDFLibrary], Trial | None]:
    def trial(library: NetCDFLibrary) -> Trial | None:
        if not isinstance(library, ReadsAndWrites):
            return None
        place = room.new()
        library.write(place, data)
        return Trial(run=lambda: library.read(place), check=lambda found: expect_equal(found, data))

    return trial


def _writing(room: Room, data: AnyArray) -> Callable[[NetCDFLibrary], Trial | None]:
    def trial(library: NetCDFLibrary) -> Trial | None:
        if not isinstance(library, ReadsAndWrites):
            return None
        place = room.new()
        return Trial(
            run=lambda: library.write(place, data),
            check=lambda _: expect_equal(library.read(place), data),
            before=lambda: _remove(place),
        )

    return trial


def _appending(room: Room, records: AnyArray) -> Callable[[NetCDFLibrary], Trial | None]:
    def trial(library: NetCDFLibrary) -> Trial | None:
        if not isinstance(library, Appends) or not isinstance(library, ReadsAndWrites):
            return None
        place = room.new()

        def begin() -> None:
            _remove(place)
            library.write(place, records[:1])

        def check(_: None) -> None:
            expect_equal(library.read(place)[-len(records) :], records)

        return Trial(run=lambda: library.append(place, records), check=check, before=begin)

    return trial


def _converting(room: Room, source: Path, data: AnyArray) -> Callable[[NetCDFLibrary], Trial | None]:
    def trial(library: NetCDFLibrary) -> Trial | None:
        if not isinstance(library, Converts):
            return None
        place = room.new()
        return Trial(
            run=lambda: library.convert(source, place),
            check=lambda _: expect_equal(library.read_converted(place), data),
            before=lambda: _remove(place),
        )

    return trial


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
