"""netCDF files to NCZarr: chunks that need not change are moved as they are stored.

HDF5's chunks, edges included, are those of a Zarr v2 array with the same filters, byte for byte. Other
values are read and encoded again, block by block within bounded memory. Chunks come first, documents
after them, and the root's last; a journal at the root stands for a conversion under way. So one that was
interrupted opens as nothing, and the same call continues it, or starts anew where the file has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from omnizarr.config import config
from omnizarr.engine.pool import run
from omnizarr.errors import ConversionError, MetadataError
from omnizarr.geometry.grid import RegularAxis, RegularGrid
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.copying import journal
from omnizarr.hierarchy.copying.journal import Journal
from omnizarr.hierarchy.copying.rechunk import Blocks, plan_blocks
from omnizarr.hierarchy.copying.recut import KEEP, Cuts, PerArray, keeps, recut
from omnizarr.hierarchy.copying.transfer import Moved
from omnizarr.hierarchy.creating.place import ensure_groups_above, kind_at
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.opening.formats import format_of
from omnizarr.hierarchy.opening.locate import locate
from omnizarr.hierarchy.paths import joined
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chains import numcodecs_id
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import NodeMetadata
from omnizarr.netcdf.dataset import PROPERTIES
from omnizarr.netcdf.dialects.arrays import with_fill
from omnizarr.netcdf.dialects.nczarr import NCZarr
from omnizarr.netcdf.dialects.writing import DEFAULT_STRING_LENGTH, chunk_bytes
from omnizarr.netcdf.files import hdf5
from omnizarr.netcdf.files.read import FileModel, NetCDFFile, with_string_length
from omnizarr.netcdf.filters import FILTERS, OtherFilter, read_filter
from omnizarr.netcdf.model import GroupModel, Loss, VariableModel, join
from omnizarr.netcdf.types import STRING
from omnizarr.netcdf.values.storage import longest_text, to_storage
from omnizarr.store.base import Store

Progress: TypeAlias = Callable[[int, int], None]

MEMORY = 512 * 2**20
_DIALECT = NCZarr()
# A Python string beside its text: what reading strings takes, roughly.
_STRING_BYTES = 120
# Chunks are moved so many at a time, between which progress is told.
_BATCH = 256


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


def losses_of(source: str | Path) -> tuple[Loss, ...]:
    """Return what a netCDF file has that a Zarr dataset cannot hold, without converting anything."""
    with NetCDFFile(source) as file:
        return tuple(file.model().losses)


def convert_netcdf(
    source: str | Path,
    target: Any,
    *,
    chunks: PerArray = KEEP,
    filters: PerArray = KEEP,
    compressors: PerArray = KEEP,
    memory: int = MEMORY,
    progress: Progress | None = None,
    strict: bool = False,
    overwrite: bool = False,
    path: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> ConversionReport:
    """Convert a netCDF file, classic or netCDF-4, to an NCZarr dataset.

    Parameters
    ----------
    target
        A path, a URL or a store.
    chunks, filters, compressors
        As in `omnizarr.copy`; by default those of the file.
    memory
        Bytes that the conversion may hold at any time.
    progress
        Called with (bytes done, bytes in all).
    strict
        Refuse a file that the target cannot hold whole, rather than report it.
    overwrite
        Replace what is at the target.
    path
        The path of the dataset within the target's store.

    Raises
    ------
    StoreNotFoundError
        There is no such file.
    ConversionError
        It is no netCDF file; or `strict`, and something would be lost; or `memory` is too little; or a
        variable cannot have the chunks or codecs that were asked for.
    NodeExistsError
        There is something at the target that no interrupted conversion left there.
    """
    with ExitStack() as held:
        file = held.enter_context(NetCDFFile(source))
        found = file.model()
        if strict and found.losses:
            listed = "\n".join(f"  - {loss}" for loss in found.losses)
            raise ConversionError(
                f"{source} holds {len(found.losses)} things that the target cannot:\n{listed}"
            )
        store, place = locate(target, path, "a", storage_options)
        if not isinstance(target, Store | Node):
            held.callback(store.close)
        cuts = Cuts(chunks=chunks, filters=filters, compressors=compressors)
        return _Conversion(file, found, store, place, memory, cuts).run(overwrite, progress)


@dataclass(frozen=True, slots=True)
class _Task:
    """One variable: the array that it becomes, and the HDF5 dataset whose chunks are kept, if they are."""

    path: str
    variable: VariableModel
    array: Array
    dataset: Any
    blocks: Blocks | None
    threads: int

    @property
    def size(self) -> int:
        return max(1, self.array.nbytes)


class _Conversion:
    """One conversion; everything is planned and checked before anything is written."""

    def __init__(
        self, file: NetCDFFile, found: FileModel, store: Store, place: str, memory: int, cuts: Cuts
    ) -> None:
        self.file = file
        self.found = found
        self.store = store
        self.place = place
        self.memory = memory
        self.cuts = cuts
        self.format: Format = format_of(2)
        self.nodes: dict[str, NodeMetadata] = {}
        self.tasks: list[_Task] = []
        self.plan(found.dataset.root, "/")
        cuts.check_paths([task.path.strip("/") for task in self.tasks])

    def plan(self, group: GroupModel, path: str) -> None:
        variables = tuple(self.sized(variable, join(path, variable.name)) for variable in group.variables)
        properties = PROPERTIES if path == "/" else None
        self.nodes[path.strip("/")] = _DIALECT.group_metadata(replace(group, variables=variables), properties)
        for variable in variables:
            where = join(path, variable.name)
            task = self.task(variable, where)
            self.tasks.append(task)
        for inner in group.groups:
            self.plan(inner, join(path, inner.name))

    def sized(self, variable: VariableModel, path: str) -> VariableModel:
        """Return a string variable with room for its longest text, and for later ones where it can grow."""
        if variable.type is not STRING:
            return variable
        root = self.found.dataset.root
        longest = max(
            (longest_text(np.asarray(values, object)) for values in self.strings(variable, path)), default=0
        )
        grows = any(d is not None and d.unlimited for d in map(root.dimension, variable.dimensions))
        return with_string_length(variable, max(longest, DEFAULT_STRING_LENGTH if grows else 1))

    def strings(self, variable: VariableModel, path: str) -> Iterator[Any]:
        shape = self.found.dataset.root.shape(variable)
        source = self.file.variable(path)
        if not shape:
            yield source[...]
            return
        axes = [RegularAxis(n, c) for n, c in zip(shape, variable.chunks or shape, strict=True)]
        for region, _ in plan_blocks(axes, axes, _STRING_BYTES, self.memory):
            yield source[region]

    def task(self, variable: VariableModel, path: str) -> _Task:
        shape = self.found.dataset.root.shape(variable)
        asked = _DIALECT.array_metadata(variable, shape)
        variable, metadata = self.recut(variable, asked, path)
        dataset = self.found.datasets.get(path)
        kept = metadata is asked and path in self.found.kept and _same_element(dataset, metadata)
        if kept and not variable.no_fill:
            metadata = _with_fill_of(dataset, metadata)
        self.nodes[path.strip("/")] = metadata
        where = joined(self.place, path.strip("/"))
        array = Array(self.store, self.format, where, with_fill(metadata, variable))
        array.write_empty_chunks = False
        if kept:
            return _Task(path, variable, array, dataset, None, config.settings.threads)
        return self.recoding(_Task(path, variable, array, dataset, None, 1))

    def recut(
        self, variable: VariableModel, metadata: ArrayMetadata, path: str
    ) -> tuple[VariableModel, ArrayMetadata]:
        """Return a variable and its array with the chunks and codecs that were asked for."""
        cut = self.cuts.of(path.strip("/"))
        try:
            changed = recut(metadata, self.format, cut)
            if changed is not metadata:
                _check_filters(changed)
        except (ConversionError, MetadataError, TypeError, ValueError) as error:
            raise ConversionError(f"variable {path}: {error}") from error
        if keeps(cut.chunks) or not isinstance(changed.grid, RegularGrid):
            return variable, changed
        return replace(variable, chunks=changed.grid.chunk_shape or None), changed

    def recoding(self, task: _Task) -> _Task:
        """Return a task with the blocks in which its values are read and written."""
        shape, array = self.found.dataset.root.shape(task.variable), task.array
        if not shape:
            return task
        item = array.dtype.itemsize + (_STRING_BYTES if task.variable.type is STRING else 0)
        chunk = max(1, chunk_bytes(task.variable, shape) * item // array.dtype.itemsize)
        threads = max(1, min(config.settings.threads, self.memory // 4 // chunk))
        limit = (self.memory - 2 * threads * chunk) // 2
        block = min(chunk, max(1, array.size) * item)
        if limit < block:
            raise ConversionError(
                f"variable {task.path}: {self.memory} bytes of memory are too little for chunks of {chunk} "
                f"bytes; expected at least {2 * block + 2 * chunk}"
            )
        chunks = task.dataset.chunks if task.dataset is not None else None
        source = [
            RegularAxis(n, c) for n, c in zip(shape, chunks or task.variable.chunks or shape, strict=True)
        ]
        return replace(task, blocks=plan_blocks(source, array.layout.axes, item, limit), threads=threads)

    # --- running

    def run(self, overwrite: bool, progress: Progress | None) -> ConversionReport:
        complete = kind_at(self.store, self.format, self.place) is not None
        present = journal.begin(
            self.store, self.place, self.journal(), complete=complete, overwrite=overwrite
        )
        moved = self.copy(present, progress or (lambda done, total: None))
        ensure_groups_above(self.store, self.format, self.place)
        for relative, metadata in reversed(self.nodes.items()):
            for key, document in self.format.write(joined(self.place, relative), metadata).items():
                self.store.set(key, document)
        journal.finish(self.store, self.place)
        return ConversionReport(
            groups=len(self.nodes) - len(self.tasks),
            variables=len(self.tasks),
            moved=moved,
            losses=tuple(self.found.losses),
            resumed=bool(present),
        )

    def journal(self) -> Journal:
        plan = journal.plan_of(self.format, self.nodes)
        file = Path(self.file.path).resolve()
        state = file.stat()
        return Journal(str(file), plan, f"{state.st_size} {state.st_mtime_ns}")

    def copy(self, present: frozenset[str], progress: Progress) -> Moved:
        total, done, moved = sum(task.size for task in self.tasks), 0, Moved()
        with ExitStack() as held:
            reader = None
            if self.file.hdf5 is not None:
                reader = hdf5.ChunkReader(self.file.hdf5, self.file.path)
                held.callback(reader.close)
            for task in self.tasks:
                begun = done

                def tell(count: int, begun: int = begun, size: int = task.size) -> None:
                    progress(begun + min(count, size), total)

                if task.blocks is None and task.dataset is not None and task.variable.dimensions:
                    assert reader is not None
                    moved += self.move(task, reader, present, tell)
                else:
                    moved += self.recode(task, tell, present)
                done += task.size
                progress(done, total)
        return moved

    def move(
        self, task: _Task, reader: hdf5.ChunkReader, present: frozenset[str], tell: Callable[[int], None]
    ) -> Moved:
        """Move the chunks of one variable as they are stored; those that lack a filter are encoded again."""
        layout = task.array.layout
        sizes = layout.grid.extent((0,) * task.array.ndim)
        moved: list[int] = []
        recoded: list[hdf5.Chunk] = []

        def set_chunk(chunk: hdf5.Chunk) -> None:
            key = layout.key(tuple(at // size for at, size in zip(chunk.start, sizes, strict=True)))
            if key in present:
                return
            data = reader.read(task.dataset, chunk)
            if len(data) != chunk.size:
                found = f"{len(data)} of the {chunk.size} bytes of the chunk at {chunk.start}"
                raise ConversionError(f"variable {task.path}: the file ends early; there are {found}")
            self.store.set(key, data)
            moved.append(chunk.size)

        chunks = hdf5.chunks_of(task.dataset)
        expected = layout.chain.encoded_size
        for at in range(0, len(chunks), _BATCH):
            batch = chunks[at : at + _BATCH]
            whole = [c for c in batch if c.is_whole and (expected is None or expected == c.size)]
            recoded += [c for c in batch if not (c.is_whole and (expected is None or expected == c.size))]
            # More threads than fit would hold more chunks than memory has room for.
            largest = max((chunk.size for chunk in whole), default=1)
            workers = max(1, min(task.threads, self.memory // largest))
            run(whole, set_chunk, workers=workers, batch=16)
            tell(task.size * (at + len(batch)) // max(1, len(chunks)))
        for chunk in recoded:
            self.write(task, _region(chunk, sizes, task.array.shape))
        return Moved(len(moved), sum(moved), sum(layout.chain.spec.nbytes for _ in recoded))

    def recode(self, task: _Task, tell: Callable[[int], None], present: frozenset[str]) -> Moved:
        """Read and write the values of one variable, block by block."""
        if not task.variable.dimensions:
            self.write(task, ())
            return Moved(recoded_bytes=task.array.nbytes)
        done = 0
        layout = task.array.layout
        self.file.read_uncached(task.path)
        with config.using(threads=task.threads):
            for region, chunks in task.blocks or ():
                if not present or not _all_present(layout.key, chunks, present):
                    self.write(task, region)
                done += task.array.itemsize * _elements(region)
                tell(done)
        return Moved(recoded_bytes=done)

    def write(self, task: _Task, region: tuple[slice, ...]) -> None:
        values = np.asarray(self.file.variable(task.path)[region or ...])
        stored = to_storage(task.variable.type, values, task.array.dtype)
        task.array[(*region, ...)] = stored if region else stored.reshape(task.array.shape)


def _check_filters(metadata: ArrayMetadata) -> None:
    """Refuse codecs that netCDF-C does not know."""
    for codec in metadata.codecs:
        name = numcodecs_id(codec)
        if name is not None and isinstance(read_filter(name, codec.configuration), OtherFilter):
            raise ConversionError(f"netCDF-C has no filter {name!r}; expected one of {', '.join(FILTERS)}")


def _same_element(dataset: Any, metadata: ArrayMetadata) -> bool:
    """Say whether the elements of an HDF5 dataset are those of an array, byte order included."""
    ours = metadata.data_type.dtype
    return bool(np.dtype(dataset.dtype.str) == ours)


def _with_fill_of(dataset: Any, metadata: ArrayMetadata) -> ArrayMetadata:
    """Return an array whose absent chunks hold what those of the dataset do, by whatever library."""
    if metadata.data_type.dtype.kind == "S":
        return metadata
    fill = np.asarray(dataset.fillvalue, metadata.data_type.dtype.newbyteorder("="))[()]
    if fill.tobytes() == np.asarray(metadata.fill_value, fill.dtype).tobytes():
        return metadata
    return replace(metadata, fill_value=fill)


def _region(chunk: hdf5.Chunk, sizes: tuple[int, ...], shape: tuple[int, ...]) -> tuple[slice, ...]:
    return tuple(
        slice(at, min(at + size, length)) for at, size, length in zip(chunk.start, sizes, shape, strict=True)
    )


def _all_present(
    key: Callable[[tuple[int, ...]], str], chunks: tuple[range, ...], present: frozenset[str]
) -> bool:
    return all(key(coords) in present for coords in product(*chunks))


def _elements(region: tuple[slice, ...]) -> int:
    return prod(cut.stop - cut.start for cut in region)
