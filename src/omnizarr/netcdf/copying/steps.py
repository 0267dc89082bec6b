"""The tasks that bring variables over; each may be done by any worker, and more than once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, TypeAlias

import numpy as np

from omnizarr.config import config
from omnizarr.engine.pool import batches
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.copying.moves import Move as MoveChunks
from omnizarr.hierarchy.copying.moves import chunks_of, move_step
from omnizarr.hierarchy.copying.rechunk import Blocks
from omnizarr.hierarchy.copying.recodes import recode_steps
from omnizarr.hierarchy.copying.steps import Done, Route, Step
from omnizarr.hierarchy.copying.transfer import Moved, same_fill
from omnizarr.hierarchy.workers.base import Share
from omnizarr.hierarchy.workers.base import Task as Given
from omnizarr.hierarchy.workers.sent import Sent
from omnizarr.netcdf.copying.reading import Region, Source
from omnizarr.netcdf.copying.target import Target
from omnizarr.netcdf.copying.transfer import Move, Recode, Task, Values
from omnizarr.netcdf.files.chunk_store import ChunkStore
from omnizarr.netcdf.model.items import AnyArray

Read: TypeAlias = Callable[[Region], AnyArray]
Write: TypeAlias = Callable[[Region, AnyArray], None]

_FILLED_AT_ONCE = 1000


def steps_of(
    task: Task, source: Source, target: Target, share: Share, present: frozenset[str]
) -> Iterator[Step]:
    """Yield the steps in which a variable is brought over, but for chunks that are `present`."""
    match task.how:
        case Move(_, theirs):
            yield from _moving(task, Sent(source.route(task.path, theirs)), share, present)
        case Recode(_, theirs, plan):
            yield from recode_steps(Sent(source.route(task.path, theirs)), plan, present, task.size)
        case Values() as how:
            read, write = source.reading(task.path), target.writing(task.path)
            work = Sent(CopyValues(read, write, how.threads, how.itemsize))
            regions = _regions(how.blocks, target.array(task.path), present)
            yield Step(tasks=(Given(work, region) for region in regions), size=task.size)


class MoveFromFile(MoveChunks):
    """Copies chunks that may have to be encoded for it, since the file has them in another way."""

    __slots__ = ()

    def one(self, route: Sent[Route], key: str, coords: tuple[int, ...]) -> Moved:
        """Copy one chunk."""
        store = route.value.source.store
        if not isinstance(store, ChunkStore):
            return MoveChunks.one(self, route, key, coords)
        store.recoded()
        moved = MoveChunks.one(self, route, key, coords)
        size = store.recoded()
        return Moved(recoded_bytes=size) if size else moved


def _moving(task: Task, route: Sent[Route], share: Share, present: frozenset[str]) -> Iterator[Step]:
    ours, theirs = route.value.source, route.value.target
    kind = MoveFromFile if isinstance(ours.store, ChunkStore) else MoveChunks
    yield move_step([route], chunks_of(route, present), share, task.size, kind)
    if not same_fill(ours.fill_value, theirs.fill_value) or _needs_all(theirs):
        yield from _filling(route, present)


def _needs_all(array: Array) -> bool:
    """Say whether absent chunks could be read as anything: those of a file without a fill value."""
    return isinstance(array.store, ChunkStore) and array.fill_value is None


@dataclass(frozen=True, slots=True)
class FillAbsent:
    """Stores what absent chunks hold in the source, since in the target they would hold something else."""

    route: Sent[Route]
    fill: Any

    def __call__(self, places: Sequence[tuple[int, ...]]) -> Done:
        """Store those of some places."""
        ours, theirs = self.route.value.source.layout, self.route.value.target.layout
        absent = [place for place in places if not ours.store.exists(ours.key(place))]
        chain = theirs.chain
        if absent:
            data = chain.encode(np.full(chain.spec.shape, self.fill, chain.spec.dtype))
            for place in absent:
                theirs.store.set(theirs.key(place), data)
        return Done(Moved(recoded_bytes=len(absent) * chain.spec.nbytes), 0)


def _filling(route: Sent[Route], present: frozenset[str]) -> Iterator[Step]:
    ours, layout = route.value.source, route.value.target.layout
    fill: Any = 0 if ours.fill_value is None and layout.chain.spec.dtype.kind in "iuf" else ours.fill_value
    if fill is None:
        return
    places = product(*(range(axis.count) for axis in layout.axes))
    wanted = (place for place in places if not present or layout.key(place) not in present)
    work = Sent(FillAbsent(route, fill))
    yield Step(tasks=(Given(work, part) for part in batches(wanted, _FILLED_AT_ONCE)), size=0)


@dataclass(frozen=True, slots=True)
class CopyValues:
    """Reads and writes values as netCDF shows them, one region after another."""

    read: Read
    write: Write
    threads: int
    itemsize: int

    def __call__(self, region: Region) -> Done:
        """Bring a region over; a scalar for none."""
        with config.using(threads=self.threads):
            self.write(region, self.read(region))
        size = self.itemsize * prod(cut.stop - cut.start for cut in region)
        return Done(Moved(recoded_bytes=size), size)


def _regions(blocks: Blocks | None, array: Array | None, present: frozenset[str]) -> Iterator[Region]:
    """Yield regions, but for those of which every chunk is present in the target."""
    if blocks is None:
        yield ()
        return
    for region, chunks in blocks:
        keys = None if not present or array is None else map(array.layout.key, product(*chunks))
        if keys is None or not all(key in present for key in keys):
            yield region
