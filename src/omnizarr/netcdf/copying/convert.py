"""Conversion of netCDF datasets: between files and Zarr, between dialects, and between kinds of files.

Everything is planned and checked before anything is written. Chunks that are stored alike on both sides are
moved without decoding, edges included; other values are read and written again, block by block within
bounded memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from omnizarr.config import config
from omnizarr.errors import ConversionError
from omnizarr.geometry.grid import RegularAxis
from omnizarr.hierarchy.copying.plan import MEMORY
from omnizarr.hierarchy.copying.rechunk import plan_blocks
from omnizarr.hierarchy.copying.recut import KEEP, PerArray
from omnizarr.hierarchy.copying.steps import Progress, carry_out
from omnizarr.hierarchy.copying.transfer import Moved
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.opening.locate import locate
from omnizarr.hierarchy.workers.base import HERE, Share, Workers, workers_of
from omnizarr.hierarchy.workers.sight import Sight
from omnizarr.netcdf.copying.join import joined_sources
from omnizarr.netcdf.copying.options import Chunks, Options, chosen
from omnizarr.netcdf.copying.reading import Source
from omnizarr.netcdf.copying.source import open_source, variables_of
from omnizarr.netcdf.copying.steps import steps_of
from omnizarr.netcdf.copying.target import Target
from omnizarr.netcdf.copying.target_file import FileTarget
from omnizarr.netcdf.copying.target_zarr import ZarrTarget
from omnizarr.netcdf.copying.transfer import Task, plan_task
from omnizarr.netcdf.dialects.detect import dialect_for
from omnizarr.netcdf.dialects.modes import asked_of
from omnizarr.netcdf.files.kinds import KINDS, kind_of
from omnizarr.netcdf.files.magic import SUFFIXES, netcdf_file
from omnizarr.netcdf.model.nodes import GroupModel, Loss
from omnizarr.netcdf.values.storage import longest_text
from omnizarr.store.base import Store
from omnizarr.store.urls.both import options_of_both
from omnizarr.store.urls.grammar import shown_place

# A Python string beside its text, roughly.
_STRING_BYTES = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionReport:
    """What was converted.

    Attributes
    ----------
    moved
        Chunks that were moved as they are stored, and the bytes of values that were encoded again.
    losses
        What the target cannot hold.
    resumed
        Whether an interrupted conversion was continued.
    """

    groups: int
    variables: int
    moved: Moved
    losses: tuple[Loss, ...] = ()
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class Conversion:
    """A conversion that was checked and can be run; nothing has been written yet.

    Attributes
    ----------
    losses
        What the target cannot hold.
    workers, share
        Who does the work, and what each task may take.
    """

    source: Source
    target: Target
    tasks: tuple[Task, ...]
    losses: tuple[Loss, ...]
    workers: Workers
    share: Share

    def run(self, *, overwrite: bool = False, progress: Progress | None = None) -> ConversionReport:
        """Convert, and report.

        Raises
        ------
        NodeExistsError
            There is something at the target that no interrupted conversion left there.
        WorkersError
            Workers were lost, or do not see the source or the target.
        """
        present = self.target.begin(self.source, overwrite=overwrite)
        steps = (
            step
            for task in self.tasks
            for step in steps_of(task, self.source, self.target, self.share, present)
        )
        total, apart = sum(task.size for task in self.tasks), self.share.apart
        sight = self._sight() if apart else None
        with self.workers as workers:
            moved = carry_out(steps, workers, total, progress, sight, apart=apart)
        self.target.finish()
        return ConversionReport(
            groups=sum(1 for _ in self.target.root.walk()),
            variables=len(self.tasks),
            moved=moved,
            losses=self.losses,
            resumed=bool(present),
        )

    def _sight(self) -> Sight:
        marks = (self.source.sight(), self.target.sight())
        return Sight(tuple(mark for mark in marks if mark is not None))


def convert(
    source: Any,
    target: Any,
    *,
    dialect: str | None = None,
    zarr_format: int | None = None,
    kind: str | None = None,
    join: str | None = None,
    chunks: Chunks = KEEP,
    filters: PerArray = KEEP,
    compressors: PerArray = KEEP,
    endian: Any = None,
    variables: Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
    memory: int = MEMORY,
    workers: int | Workers | None = None,
    progress: Progress | None = None,
    strict: bool = False,
    overwrite: bool = False,
    path: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> ConversionReport:
    """Convert a netCDF file of any kind, or a dataset in Zarr, to another one.

    Parameters
    ----------
    source
        A path, a URL, a store or a group; with `join` a list of these.
    target
        A path, a URL or a store. A path that ends in `.nc` becomes a netCDF file.
    dialect, zarr_format
        How a Zarr dataset is kept, as for `Dataset`; NCZarr unless given.
    kind
        The kind of a netCDF file: NETCDF4, NETCDF4_CLASSIC, NETCDF3_CLASSIC, NETCDF3_64BIT_OFFSET or
        NETCDF3_64BIT_DATA, or nccopy's names of them. That of the source, or NETCDF4, unless given.
    join
        The dimension along which several sources become one.
    chunks
        `"keep"`; `"contiguous"`; None: netCDF-C's choice; lengths for all variables; or a mapping from
        dimensions to a length (0: all of it), and from variables to any of these.
    filters, compressors
        As in `omnizarr.copy`; by default those of the source.
    endian
        `"little"` or `"big"` for all numbers; by default as in the source.
    variables, groups
        The names, or absolute paths, of what is converted, rather than everything.
    memory
        Bytes that the conversion may hold at any time; with workers elsewhere, that each of them may.
    workers
        Who does the work: a number of threads, by default as `omnizarr.config` says; `omnizarr.Processes`;
        or `omnizarr.integrations.distributed.Cluster`. A netCDF file is written by threads alone.
    progress
        Called with (bytes done, bytes in all).
    strict
        Refuse a source that the target cannot hold whole, rather than report it.
    overwrite
        Replace what is at the target.
    path
        The path of the dataset within the target's store.
    storage_options
        Options of the stores, for URLs; not of what is on this machine.

    Raises
    ------
    StoreNotFoundError, NodeNotFoundError
        There is no such source.
    ConversionError
        It cannot be read; or `strict`, and something would be lost; or sources cannot be joined; or
        `memory` is too little; or a variable cannot have the chunks or filters that were asked for.
    NodeExistsError
        There is something at the target that no interrupted conversion left there.
    WorkersError
        The workers cannot reach the source or the target, or were lost.
    """
    options = Options(
        chunks=chunks,
        filters=filters,
        compressors=compressors,
        endian=endian,
        variables=variables,
        groups=groups,
    )
    aim = Aim(target, dialect, zarr_format, kind, path)
    with (
        workers_of(workers) as crew,
        config.using(threads=crew.share(memory).threads),
        planned(source, aim, options, join, memory, storage_options, workers=crew) as conversion,
    ):
        if strict:
            refuse(source, conversion.losses)
        return conversion.run(overwrite=overwrite, progress=progress)


def losses_of(
    source: Any, *, dialect: str = "nczarr", zarr_format: int | None = None, kind: str | None = None
) -> tuple[Loss, ...]:
    """Return what a source has that a dialect, or with `kind` a kind of netCDF file, cannot hold."""
    place: Any = {} if kind is None else Path("losses.nc")
    with planned(source, Aim(place, None if kind else dialect, zarr_format, kind), Options()) as conversion:
        return conversion.losses


@dataclass(frozen=True, slots=True)
class Aim:
    """Where a conversion goes to, and as what."""

    target: Any
    dialect: str | None = None
    zarr_format: int | None = None
    kind: str | None = None
    path: str | None = None


@contextmanager
def planned(
    source: Any,
    aim: Aim,
    options: Options,
    join: str | None = None,
    memory: int = MEMORY,
    storage_options: Mapping[str, Any] | None = None,
    workers: Workers = HERE,
) -> Iterator[Conversion]:
    """Yield a conversion that was checked; what it holds is released afterwards."""
    theirs, ours = options_of_both(source, aim.target, storage_options)
    with ExitStack() as held:
        found: Source
        if join is not None:
            found = joined_sources(source, join, theirs)
        else:
            found = open_source(source, None, theirs)
        held.callback(found.close)
        goal = open_target(aim, found.kind, ours)
        held.callback(goal.close)
        for side in (found, goal):
            side.require(workers)
        yield _planned(found, goal, options, memory, workers)


def _planned(source: Source, target: Target, options: Options, memory: int, workers: Workers) -> Conversion:
    known = isinstance(target, ZarrTarget) and target.dialect.name.startswith("nczarr")
    root = chosen(source.model.root, options, source.array, known_filters=known)
    losses = target.plan(source, root, lambda path: _longest(source, path, memory))
    share = workers.share(memory)
    tasks = tuple(plan_task(source, target, root, path, share) for path in variables_of(target.root))
    return Conversion(source, target, tasks, (*source.losses, *losses), workers, share)


def refuse(source: Any, losses: tuple[Loss, ...]) -> None:
    """Raise a ConversionError where there are losses; what only some readers do not see is none."""
    lost = [loss for loss in losses if loss.reader is None]
    if lost:
        listed = "\n".join(f"  - {loss.path}: {loss.what}" for loss in lost)
        things = "1 thing" if len(lost) == 1 else f"{len(lost)} things"
        message = f"{shown_place(source)} holds {things} that the target cannot"
        raise ConversionError(f"{message}:\n{listed}")


def open_target(aim: Aim, kind: str | None, storage_options: Mapping[str, Any] | None) -> Target:
    """Return the target of a conversion; `kind` is that of the source, where it is a file."""
    file = netcdf_file(aim.target) if aim.path is None else None
    if aim.kind is not None or (file is not None and aim.dialect is None):
        if aim.dialect is not None or aim.zarr_format is not None:
            message = "a netCDF file has no Zarr dialect and no Zarr format"
            raise ConversionError(f"{shown_place(aim.target)}: {message}")
        if not isinstance(aim.target, str | Path):
            raise ConversionError(f"a netCDF file is written to a path, found {aim.target!r}")
        made = kind_of(aim.kind or (kind if kind in KINDS else "NETCDF4"))
        return FileTarget(file or Path(aim.target), made)
    if isinstance(aim.target, str) and "://" in aim.target and aim.target.lower().endswith(SUFFIXES):
        message = "netCDF files are written to the file system, and then uploaded"
        raise ConversionError(f"{shown_place(aim.target)}: {message}")
    asked = asked_of(aim.target)
    dialect = dialect_for(aim.dialect or asked.dialect or "nczarr", aim.zarr_format or asked.zarr_format)
    store, place = locate(asked.place, aim.path, "a", storage_options)
    is_owned = not isinstance(aim.target, Store | Node)
    return ZarrTarget(store, place, dialect, store.close if is_owned else lambda: None)


def _longest(source: Source, path: str, memory: int) -> int:
    """Return the bytes of the longest string of a variable."""
    root: GroupModel = source.model.root
    variable = variables_of(root)[path]
    shape = root.shape(variable)
    if not shape:
        return longest_text(np.asarray(source.read(path, ()), object))
    if not prod(shape):
        return 0
    source.begin(path)
    axes = [RegularAxis(n, c) for n, c in zip(shape, variable.chunks or shape, strict=True)]
    blocks = plan_blocks(axes, axes, _STRING_BYTES, memory)
    return max(longest_text(np.asarray(source.read(path, region), object)) for region, _ in blocks)
