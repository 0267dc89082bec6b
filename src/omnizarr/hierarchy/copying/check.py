"""Checking a copy before anything is written: what would be lost, what cannot be, what it would overwrite."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from omnizarr.errors import ConversionError, NodeExistsError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.belongings import relative_key
from omnizarr.hierarchy.copying import journal
from omnizarr.hierarchy.copying.convert import Loss, convert_nodes, listed
from omnizarr.hierarchy.copying.plan import MEMORY, CopyPlan, Task
from omnizarr.hierarchy.copying.recut import Cut, Cuts, keeps, recut
from omnizarr.hierarchy.copying.sorting import KeySorter
from omnizarr.hierarchy.copying.transfer import moves_as_stored, plan_recoding
from omnizarr.hierarchy.discover import is_node, walk
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.opening.within import hierarchies_above
from omnizarr.hierarchy.paths import ancestors_of, joined
from omnizarr.hierarchy.requests import each
from omnizarr.hierarchy.workers.base import HERE, Share, Workers
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.convert import Converted
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Store
from omnizarr.store.layers.below import unwrapped


def plan_copy(
    source: Node,
    store: Store,
    format: Format,
    path: str = "",
    *,
    cuts: Cuts | None = None,
    memory: int = MEMORY,
    strict: bool = False,
    workers: Workers = HERE,
) -> CopyPlan:
    """Return a checked plan for copying a node, with everything below it, to `path` in a store.

    Parameters
    ----------
    memory
        Bytes that a worker may hold at any time.

    Raises
    ------
    WorkersError
        The workers cannot reach the source or the target.
    ConversionError
        An array can not be held by the target at all; or with `strict`, something of the source cannot;
        or `memory` is too little. Everything that stands in the way is listed.
    NodeExistsError
        The target lies inside the source, or the source inside the target.
    """
    workers.require(source.store, store)
    check_apart(place_named(source.store, source.path), store, path)
    _check_above(store, format, path)
    found = {"": source.metadata}
    keys, stamp = journal.keys_and_stamp(source.store, source.format, source.path)
    if isinstance(source.metadata, GroupMetadata):
        found |= walk(source.store, source.format, source.path, keys=keys)
    consolidated = tuple(
        name
        for name, node in found.items()
        if isinstance(node, GroupMetadata)
        and node.consolidated is not None
        and format.consolidating(joined(path, name)) is not None
    )
    if "" in consolidated:
        format = format.consolidating(path) or format
    cuts = cuts or Cuts()
    cuts.check_paths([name for name, node in found.items() if isinstance(node, ArrayMetadata)])
    theirs = convert_nodes(found, source.format, format, partial(_cut, format=format, cuts=cuts))
    beside, left = _beside(source, found, format, memory, keys)
    if left:
        theirs.losses.append(_left_behind(left))
    if theirs.failures or (strict and theirs.losses):
        raise ConversionError(listed(theirs.failures or theirs.losses, format))
    share = workers.share(memory)
    sides = _Sides(source, store, format, path, share)
    tasks = (
        sides.task(name, found[name], metadata, name in theirs.same_bytes)
        for name, metadata in theirs.nodes.items()
    )
    return CopyPlan(
        source=source,
        store=store,
        format=format,
        path=path,
        workers=workers,
        share=share,
        stamp=stamp,
        nodes=theirs.nodes,
        tasks=tuple(task for task in tasks if task is not None),
        losses=tuple(theirs.losses),
        consolidated=consolidated,
        beside=beside,
    )


class _Sides(NamedTuple):
    """From where, to where, and what a task may take."""

    source: Node
    store: Store
    format: Format
    path: str
    share: Share

    def task(self, relative: str, before: NodeMetadata, after: NodeMetadata, same_bytes: bool) -> Task | None:
        """Return how an array is copied, or None for a group."""
        if not isinstance(before, ArrayMetadata) or not isinstance(after, ArrayMetadata):
            return None
        source = self.source
        old = Array(source.store, source.format, joined(source.path, relative), before)
        new = Array(self.store, self.format, joined(self.path, relative), after)
        moves = same_bytes or moves_as_stored(old, new)
        if moves:
            return Task(old, new, None)
        return Task(old, new, plan_recoding(old, new, self.share))


class _Beside(NamedTuple):
    """Keys below the source that belong to no node: those that are copied, and those left behind."""

    kept: tuple[str, ...]
    left: tuple[str, ...]


def _beside(
    source: Node, found: dict[str, NodeMetadata], format: Format, memory: int, listed: list[str]
) -> _Beside:
    """Sort the keys that belong to no node: another format has no use for any, others must fit the memory."""
    arrays = {
        name: Array(source.store, source.format, joined(source.path, name), metadata)
        for name, metadata in found.items()
        if isinstance(metadata, ArrayMetadata)
    }
    sorter = KeySorter(source.store, source.format, source.path, found, arrays)
    kinds = ("sidecar", "stray", "lost")
    keys = [item.key for item in sorter.sorted_keys(listed) if item.kind in kinds]
    named = {key: relative_key(source.format, source.path, key) for key in keys}
    if source.format.zarr_format != format.zarr_format:
        return _Beside((), tuple(named.values()))
    sizes = each(source.store, source.store.size, keys)
    fits = {key: (size or 0) <= memory for key, size in zip(keys, sizes, strict=True)}
    return _Beside(
        tuple(named[key] for key in keys if fits[key]),
        tuple(named[key] for key in keys if not fits[key]),
    )


def _left_behind(keys: tuple[str, ...]) -> Loss:
    number = f"{len(keys)} keys that belong" if len(keys) > 1 else "a key that belongs"
    return Loss("", f"{number} to no node: {', '.join(keys[:3])}{', …' if len(keys) > 3 else ''}")


def _cut(relative: str, converted: Converted, format: Format, cuts: Cuts) -> Converted:
    """Return a node with the chunks and codecs that the user asks for."""
    node, losses, same_bytes = converted
    if not isinstance(node, ArrayMetadata):
        return converted
    changed = recut(node, format, cuts.of(relative))
    return Converted(changed, _still_lost(losses, cuts.of(relative)), same_bytes and changed is node)


def _still_lost(losses: tuple[str, ...], cut: Cut) -> tuple[str, ...]:
    """Return the losses without those of chunks and codecs that the user has replaced."""
    replaced = tuple(
        start
        for start, asked in (("chunk grid:", cut.chunks), ("codec ", cut.chunks), ("codec ", cut.compressors))
        if not keeps(asked)
    )
    return tuple(loss for loss in losses if not loss.startswith(replaced))


def check_apart(ours: str, store: Store, path: str) -> None:
    """Refuse a copy of something, whose place is named, into itself, or over what holds it.

    Raises
    ------
    NodeExistsError
        The places are not apart.
    """
    theirs = place_named(store, path)
    if ours == theirs or ours.startswith(theirs + "/") or theirs.startswith(ours + "/"):
        what = "the source itself" if ours == theirs else "a place that holds, or lies inside, the source"
        raise NodeExistsError(f"cannot copy to {what}", store=store.name, path=path)


def _check_above(store: Store, format: Format, path: str) -> None:
    """Refuse a place inside a hierarchy of another format, where the copy would not be found."""
    drafts = () if format.implicit_groups else hierarchies_above(store, path, at_path=False)
    for place in drafts:
        message = f"{place.store.name} is Zarr {place.format.zarr_format}, which holds nothing of Zarr"
        raise ConversionError(f"{message} {format.zarr_format}: cannot copy to /{path} of {store.name}")
    for ancestor in ancestors_of(path):
        for other in FORMATS.values():
            if other != format and is_node(store, other, ancestor) and not is_node(store, format, ancestor):
                message = f"/{ancestor} is Zarr {other.zarr_format}, which holds nothing of Zarr"
                raise ConversionError(
                    f"{message} {format.zarr_format}: cannot copy to /{path} of {store.name}"
                )


def place_named(store: Store, path: str) -> str:
    """Return a name of a place that no other place has."""
    root = journal.place_of(store)
    if root is None:
        return f"{store.name}/{path}".rstrip("/")
    return f"{root}/{unwrapped(store)[1] if root.is_file() else ''}{path}".rstrip("/")
