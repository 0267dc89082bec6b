"""How the values of one variable are brought over: chunks as they are stored, or values block by block."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TypeAlias

from omnizarr.errors import ConversionError
from omnizarr.geometry.grid import RegularAxis
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.copying.rechunk import Blocks, plan_blocks
from omnizarr.hierarchy.copying.transfer import (
    Recoding,
    good_block,
    plan_recoding,
    stored_alike,
)
from omnizarr.hierarchy.workers.base import Share
from omnizarr.netcdf.copying.reading import Source
from omnizarr.netcdf.copying.target import Target
from omnizarr.netcdf.defining.chunking import default_chunks
from omnizarr.netcdf.files.chunk_store import ChunkStore
from omnizarr.netcdf.model.nodes import GroupModel, VariableModel

# A Python object beside its reference: what reading strings and sequences takes, roughly.
_OBJECT_BYTES = 120


@dataclass(frozen=True, slots=True)
class Move:
    """Chunks are moved as they are stored."""

    source: Array
    target: Array


@dataclass(frozen=True, slots=True)
class Recode:
    """Chunks are decoded and encoded again."""

    source: Array
    target: Array
    plan: Recoding


@dataclass(frozen=True, slots=True)
class Values:
    """Values are read and written as netCDF shows them, by so many threads; a scalar has no blocks."""

    blocks: Blocks | None
    threads: int
    itemsize: int


How: TypeAlias = Move | Recode | Values


@dataclass(frozen=True, slots=True)
class Task:
    """One variable, and how it is brought over.

    Attributes
    ----------
    size
        Bytes of its values, by which progress is measured.
    """

    path: str
    how: How
    size: int


def plan_task(source: Source, target: Target, root: GroupModel, path: str, share: Share) -> Task:
    """Return how a variable is brought over.

    Parameters
    ----------
    root
        The dataset as the source has it, but for chunks and filters.

    Raises
    ------
    ConversionError
        The memory is too little.
    """
    variable = _variable(root, path)
    shape = root.shape(variable)
    size = max(1, prod(shape) * variable.type.size)
    ours, theirs = source.array(path), target.array(path)
    if shape and ours is not None and theirs is not None:
        try:
            if stored_alike(ours, theirs):
                return Task(path, Move(ours, theirs), size)
            if ours.shape == theirs.shape and _same_values(ours, theirs):
                plan = plan_recoding(ours, theirs, share)
                # Chunks of a file are written once each: values cannot stop there on their way.
                plan = replace(plan, stage=None) if isinstance(theirs.store, ChunkStore) else plan
                return Task(path, Recode(ours, theirs, plan), size)
        except ConversionError as error:
            raise ConversionError(f"variable {path}: {error}") from error
    return Task(path, _values(variable, root, path, ours, theirs, share), size)


def _variable(root: GroupModel, path: str) -> VariableModel:
    parent, _, name = path.rpartition("/")
    group = next(group for where, group in root.walk() if where == (parent or "/"))
    return next(variable for variable in group.variables if variable.name == name)


def _same_values(ours: Array, theirs: Array) -> bool:
    """Say whether elements are the same but for their byte order."""
    if ours.dtype.hasobject or ours.dtype.kind in "mM":
        return False
    return ours.dtype.newbyteorder("=") == theirs.dtype.newbyteorder("=")


def _values(
    variable: VariableModel,
    root: GroupModel,
    path: str,
    ours: Array | None,
    theirs: Array | None,
    share: Share,
) -> Values:
    """Return the blocks in which values are read and written."""
    memory = share.memory
    shape, kind = root.shape(variable), variable.type
    item = max(1, kind.size) + (0 if kind.is_fixed else _OBJECT_BYTES)
    if theirs is not None:
        item = max(item, theirs.itemsize + (0 if kind.is_fixed else _OBJECT_BYTES))
    if not shape:
        return Values(None, 1, item)
    read = _chunks(ours, variable, root)
    written = theirs.layout.chain.spec.shape[: len(shape)] if theirs is not None else read
    chunk = prod(written) * item
    threads = max(1, min(share.threads, memory // 4 // max(1, chunk)))
    limit = (memory - 2 * threads * chunk) // 2
    block = min(chunk, max(1, prod(shape)) * item)
    if limit < block:
        raise ConversionError(
            f"variable {path}: {memory} bytes of memory are too little for chunks of {chunk} bytes; "
            f"expected at least {2 * block + 2 * chunk}"
        )
    sides = [[RegularAxis(n, c) for n, c in zip(shape, cut, strict=True)] for cut in (read, written)]
    return Values(
        plan_blocks(sides[0], sides[1], item, limit, good_block(prod(shape) * item, share)), threads, item
    )


def _chunks(array: Array | None, variable: VariableModel, root: GroupModel) -> tuple[int, ...]:
    """Return the chunks in which a variable is best read."""
    if array is not None and len(array.layout.chain.spec.shape) == len(variable.dimensions):
        return array.layout.chain.spec.shape
    if variable.chunks is not None:
        return variable.chunks
    dimensions = [d for d in map(root.dimension, variable.dimensions) if d is not None]
    return default_chunks(dimensions, variable.type.size)
