"""Copying nodes and whole hierarchies: between stores, formats, chunkings and codecs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from omnizarr.hierarchy.copying.check import plan_copy
from omnizarr.hierarchy.copying.plan import MEMORY, CopyReport
from omnizarr.hierarchy.copying.recut import KEEP, Cuts, PerArray
from omnizarr.hierarchy.copying.steps import Progress
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.open import open
from omnizarr.hierarchy.opening.formats import format_of
from omnizarr.hierarchy.opening.locate import locate
from omnizarr.hierarchy.opening.unwritable import writable
from omnizarr.hierarchy.opening.within import Within, draft_for_new
from omnizarr.hierarchy.workers.base import Workers, workers_of
from omnizarr.metadata.formats.drafts.draft2019 import Draft2019
from omnizarr.metadata.formats.drafts.gathered import undeclaring
from omnizarr.store.base import Store
from omnizarr.store.urls.both import options_of_both
from omnizarr.store.urls.modes import Mode


def copy(
    source: Any,
    target: Any,
    *,
    zarr_format: int | str | None = None,
    chunks: PerArray = KEEP,
    shards: PerArray = KEEP,
    filters: PerArray = KEEP,
    compressors: PerArray = KEEP,
    memory: int = MEMORY,
    workers: int | Workers | None = None,
    overwrite: bool = False,
    strict: bool = False,
    path: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> CopyReport:
    """Copy an array, or a group with everything below it.

    Chunks that would be stored the same way are moved without decoding. An interrupted copy is continued by
    the same call where the source, in a directory, file or object store, is unchanged; else it starts anew.

    Parameters
    ----------
    source, target
        A path, a URL, a store, an array or a group.
    zarr_format
        The format of the copy; the source's unless given.
    chunks, shards, filters, compressors
        What `create_array` takes, for every array; or a mapping from paths to that. `"keep"` leaves them
        as they are. New chunks without `shards` are not in shards. New `compressors` take the place of
        all bytes-to-bytes codecs, new `filters` of all array-to-array codecs.
    memory
        Bytes that the copy may hold at any time; with workers elsewhere, that each of them may.
    workers
        Who does the work: a number of threads, by default as `omnizarr.config` says; `omnizarr.Processes`;
        or `omnizarr.integrations.distributed.Cluster`.
    overwrite
        Replace what is at the target.
    strict
        Refuse the copy if the target cannot hold everything, rather than report it.
    path
        The path of the copy within the target's store.
    storage_options
        Options of both stores, for URLs; of one where the other is on this machine.
    progress
        Called with (bytes done, bytes in all).

    Raises
    ------
    NodeExistsError
        There is something at the target, or it overlaps the source.
    ConversionError
        The target cannot hold the source, or `memory` is too little.
    WorkersError
        The workers cannot reach the source or the target, or were lost.
    """
    with ExitStack() as held:
        crew = held.enter_context(workers_of(workers))
        theirs, ours = options_of_both(source, target, storage_options)
        node = source if isinstance(source, Node) else opened(source, held, theirs)
        store, place = target_of(target, path, held, ours)
        where = place_of_copy(node, store, place, zarr_format, overwrite)
        cuts = Cuts(chunks=chunks, shards=shards, filters=filters, compressors=compressors)
        plan = plan_copy(node, *where, cuts=cuts, memory=memory, strict=strict, workers=crew)
        return plan.run(overwrite=overwrite, progress=progress)


def opened(
    source: Any, held: ExitStack, storage_options: Mapping[str, Any] | None = None, mode: Mode = "r"
) -> Node:
    """Return the node at a path or URL, or of a store; what had to be opened is closed with `held`."""
    node = open(source, mode=mode, storage_options=storage_options)
    if not isinstance(source, Store):
        held.callback(node.store.close)
    return node


def place_of_copy(
    node: Node, store: Store, path: str, zarr_format: int | str | None = None, overwrite: bool = False
) -> Within:
    """Return where a copy is to be, and in which format: the source's unless another is named.

    Raises
    ------
    NodeExistsError
        A draft is asked for, and there is a hierarchy of another format.
    ConversionError
        There is no such format.
    """
    format = writable(node.format) if zarr_format is None else format_of(zarr_format)
    if not format.implicit_groups:
        return Within(store, format, path)
    new = format_of(format.zarr_format)
    where = draft_for_new(store, path, new, overwrite)
    if where.format is new and isinstance(node.format, Draft2019) and isinstance(new, Draft2019):
        return where._replace(format=Draft2019(undeclaring(node.format.bootstrap)))
    return where


def target_of(
    target: Any, path: str | None, held: ExitStack, storage_options: Mapping[str, Any] | None = None
) -> tuple[Store, str]:
    """Return the store and the path of a target; what had to be opened is closed with `held`."""
    store, place = locate(target, path, "a", storage_options)
    if not isinstance(target, Store | Node):
        held.callback(store.close)
    return store, place
