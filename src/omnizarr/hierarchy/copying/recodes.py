"""Arrays decoded and encoded again, block by block, and on the way through a stage where that is quicker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import prod
from typing import Any, TypeAlias

import numpy as np

from omnizarr.codecs.base import AnyArray
from omnizarr.config import config
from omnizarr.engine.layout import Layout
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.copying.rechunk import Blocks
from omnizarr.hierarchy.copying.staging import remains
from omnizarr.hierarchy.copying.steps import Arrays, Done, Route, Step
from omnizarr.hierarchy.copying.transfer import Moved, Recoding
from omnizarr.hierarchy.workers.base import Task
from omnizarr.hierarchy.workers.sent import Sent

Slices: TypeAlias = tuple[slice, ...]


class Recode:
    """Decodes and encodes again one block of an array after another.

    Parameters
    ----------
    threads
        How many work on a block.
    largest
        Elements of the largest block: blocks that are done one after another share a buffer. 0 for none.
    is_half
        Whether each value comes by twice, since it stops on its way.
    is_first
        Whether it stops after this.
    """

    def __init__(
        self,
        route: Sent[Route],
        threads: int,
        *,
        largest: int = 0,
        is_half: bool = False,
        is_first: bool = False,
    ) -> None:
        self._route = route
        self._threads = threads
        self._largest = largest
        self._is_half = is_half
        self._is_first = is_first
        self._buffer: AnyArray | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # Elsewhere several threads may use what arrives there once.
        return _recode, (self._route, self._threads, self._is_half, self._is_first)

    def __call__(self, region: Slices) -> Done:
        """Bring one block over."""
        source, target = self._route.value.source, self._route.value.target
        shape = tuple(cut.stop - cut.start for cut in region)
        with config.using(threads=self._threads):
            values: Any = source.get_basic_selection((*region, ...), out=self._out(source, shape))
            target.set_basic_selection((*region, ...), values)
        size = prod(shape) * source.itemsize
        moved = Moved() if self._is_first else Moved(recoded_bytes=size)
        return Done(moved, size // 2 if self._is_half else size)

    def _out(self, source: Array, shape: tuple[int, ...]) -> AnyArray | None:
        if not self._largest or source.dtype.hasobject:
            return None
        if self._buffer is None:
            self._buffer = np.empty(self._largest, source.dtype)
        return self._buffer[: prod(shape)].reshape(shape)


def _recode(route: Sent[Route], threads: int, is_half: bool, is_first: bool) -> Recode:
    return Recode(route, threads, is_half=is_half, is_first=is_first)


def recode_steps(route: Sent[Route], plan: Recoding, present: frozenset[str], size: int) -> Iterator[Step]:
    """Yield the steps in which an array is copied, but for blocks of which every chunk is `present`."""
    target = route.value.target
    for key in remains(target, present, plan.stage):
        target.store.delete(key)
    if plan.stage is None:
        work = Recode(route, plan.threads, largest=plan.blocks.largest())
        yield Step(tasks=_tasks(work, target.layout, plan.blocks, present), size=size)
        return
    stage = plan.stage
    there = Sent(route.value.to(stage.array))
    work = Recode(there, plan.threads, largest=stage.first.largest(), is_half=True, is_first=True)
    yield Step(tasks=_tasks(work, stage.array.layout, stage.first, present), size=size // 2)
    on: Sent[Route] = Sent(Arrays(stage.array, target))
    work = Recode(on, plan.threads, largest=stage.second.largest(), is_half=True)
    yield Step(
        tasks=_tasks(work, target.layout, stage.second, present),
        size=size - size // 2,
        is_second=True,
        after=stage.remove,
    )


def _tasks(work: Recode, layout: Layout, blocks: Blocks, present: frozenset[str]) -> Iterator[Task]:
    sent = Sent(work)
    for region, chunks in blocks:
        if not present or not _all_present(layout, product(*chunks), present):
            yield Task(sent, region)


def _all_present(layout: Layout, chunks: Iterable[tuple[int, ...]], present: frozenset[str]) -> bool:
    return all(layout.key(coords) in present for coords in chunks)
