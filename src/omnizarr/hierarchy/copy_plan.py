"""What a copy of a hierarchy will do, checked before it starts, and doing it.

Chunks that would be the same on both sides are moved as they are stored; others are decoded and encoded
again, block by block within bounded memory. Chunks come first and documents after them, the root's
last, so that an interrupted copy never looks like a complete one (see `omnizarr.hierarchy.journal`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple, TypeAlias

from omnizarr.errors import ConversionError, MetadataError, NodeExistsError, NodeNameError
from omnizarr.hierarchy import journal
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.consolidate import consolidate_metadata
from omnizarr.hierarchy.discover import is_node, walk
from omnizarr.hierarchy.formats import FORMATS
from omnizarr.hierarchy.journal import Journal
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.paths import ancestors_of, check_new_path, joined, prefix_of
from omnizarr.hierarchy.placing import ensure_groups_above, kind_at
from omnizarr.hierarchy.recut import Cut, Cuts, converted, keeps, recut
from omnizarr.hierarchy.sorting import KeySorter
from omnizarr.hierarchy.transfer import Moved, Recoding, move_chunks, moves_as_stored, plan_recoding, recode
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Store

Progress: TypeAlias = Callable[[int, int], None]

MEMORY = 512 * 2**20


class Loss(NamedTuple):
    """Something of the source that the target's format cannot hold."""

    path: str
    what: str

    def __str__(self) -> str:
        return f"/{self.path}: {self.what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyReport:
    """What was copied.

    Attributes
    ----------
    moved
        Chunks that were moved as they are stored, and the bytes (in memory) of values that were
        decoded and encoded again.
    losses
        What the target cannot hold.
    resumed
        Whether an interrupted copy was continued.
    """

    arrays: int
    groups: int
    moved: Moved
    losses: tuple[Loss, ...] = ()
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """One array: from where, to where, and how. Without a recoding its chunks are moved as stored."""

    source: Array
    target: Array
    recoding: Recoding | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyPlan:
    """A copy that was checked and can be run; nothing has been written yet.

    Attributes
    ----------
    nodes
        The target's nodes by path relative to its root, a group before what it holds.
    consolidated
        The groups whose metadata were consolidated in the source, and will be in the target.
    beside
        Keys of the source that belong to no node and are copied as they are, relative to the source.
    """

    source: Node
    store: Store
    format: Format
    path: str
    memory: int
    nodes: dict[str, NodeMetadata]
    tasks: tuple[Task, ...]
    losses: tuple[Loss, ...]
    consolidated: tuple[str, ...]
    beside: tuple[str, ...] = ()

    @property
    def total_bytes(self) -> int:
        """Bytes of all arrays in memory; what progress is measured by."""
        return sum(max(1, task.source.nbytes) for task in self.tasks)

    def run(self, *, overwrite: bool = False, progress: Progress | None = None) -> CopyReport:
        """Copy, and report.

        Raises
        ------
        NodeExistsError
            There is something at the target that no interrupted copy left there, and `overwrite` is false.
        """
        complete = kind_at(self.store, self.format, self.path) is not None
        present = journal.begin(
            self.store, self.path, self._journal(), complete=complete, overwrite=overwrite
        )
        moved = self._copy_chunks(present, progress or (lambda done, total: None))
        self._write_documents()
        journal.finish(self.store, self.path)
        arrays = len(self.tasks)
        return CopyReport(
            arrays=arrays,
            groups=len(self.nodes) - arrays,
            moved=moved,
            losses=self.losses,
            resumed=bool(present),
        )

    def _journal(self) -> Journal:
        plan = journal.plan_of(self.format, self.nodes)
        stamp = journal.stamp(self.source.store, self.source.path)
        return Journal(self.source.store_path, plan, stamp)

    def _copy_chunks(self, present: frozenset[str], progress: Progress) -> Moved:
        meter = _Meter(self.total_bytes, progress)
        moved = Moved()
        for task in self.tasks:
            meter.begin(max(1, task.source.nbytes))
            if task.recoding is None:
                moved += move_chunks(task.source, task.target, self.memory, present, meter.advance)
            else:
                moved += recode(task.source, task.target, task.recoding, present, meter.advance)
            meter.end()
        return moved

    def _write_documents(self) -> None:
        """Store the documents, those of the root last."""
        for relative in self.beside:
            if (value := self.source.store.get(joined(self.source.path, relative))) is not None:
                self.store.set(joined(self.path, relative), value)
        ensure_groups_above(self.store, self.format, self.path)
        for relative, metadata in reversed(self.nodes.items()):
            for key, document in self.format.write(joined(self.path, relative), metadata).items():
                self.store.set(key, document)
        for relative in self.consolidated:
            place = joined(self.path, relative)
            consolidate_metadata(self.store, place, self.format.zarr_format)


class _Meter:
    """Progress of many threads, told by one after the other and never backwards."""

    def __init__(self, total: int, tell: Progress) -> None:
        self._total = total
        self._tell = tell
        self._lock = Lock()
        self._done = 0
        self._stop = 0

    def begin(self, size: int) -> None:
        """Begin an array of so many bytes."""
        self._stop = self._done + size

    def advance(self, count: int) -> None:
        """Count bytes; chunks at the edges reach past the end of the array."""
        with self._lock:
            self._done = min(self._done + count, self._stop)
            self._tell(self._done, self._total)

    def end(self) -> None:
        """End the array; chunks that are missing were not counted."""
        self.advance(self._stop)


def plan_copy(
    source: Node,
    store: Store,
    format: Format,
    path: str = "",
    *,
    cuts: Cuts | None = None,
    memory: int = MEMORY,
    strict: bool = False,
) -> CopyPlan:
    """Return a checked plan for copying a node, with everything below it, to `path` in a store.

    Raises
    ------
    ConversionError
        An array can not be held by the target at all; or with `strict`, something of the source cannot;
        or `memory` is too little. Everything that stands in the way is listed.
    NodeExistsError
        The target lies inside the source, or the source inside the target.
    """
    _check_apart(source, store, path)
    _check_above(store, format, path)
    found = {"": source.metadata}
    if isinstance(source.metadata, GroupMetadata):
        found |= walk(source.store, source.format, source.path)
    cuts = cuts or Cuts()
    cuts.check_paths([name for name, node in found.items() if isinstance(node, ArrayMetadata)])
    theirs = _converted(found, source.format, format, cuts)
    beside = _beside(source, found)
    left = beside if source.format.zarr_format != format.zarr_format else _larger(source, beside, memory)
    if left:
        number = (
            f"{len(left)} keys that belong to no node" if len(left) > 1 else "a key that belongs to no node"
        )
        theirs.losses.append(Loss("", f"{number}: {', '.join(left[:3])}{', …' if len(left) > 3 else ''}"))
    if theirs.failures or (strict and theirs.losses):
        raise ConversionError(_listed(theirs.failures or theirs.losses, format))
    tasks = []
    for relative, metadata in theirs.nodes.items():
        before = found[relative]
        if isinstance(before, ArrayMetadata) and isinstance(metadata, ArrayMetadata):
            old = Array(source.store, source.format, joined(source.path, relative), before)
            new = Array(store, format, joined(path, relative), metadata)
            moves = relative in theirs.same_bytes or moves_as_stored(old, new)
            tasks.append(Task(old, new, None if moves else plan_recoding(old, new, memory)))
    return CopyPlan(
        source=source,
        store=store,
        format=format,
        path=path,
        memory=memory,
        nodes=theirs.nodes,
        tasks=tuple(tasks),
        losses=tuple(theirs.losses),
        consolidated=tuple(
            name for name, n in found.items() if isinstance(n, GroupMetadata) and n.consolidated is not None
        ),
        beside=tuple(key for key in beside if key not in set(left)),
    )


def _beside(source: Node, found: dict[str, NodeMetadata]) -> tuple[str, ...]:
    """Return the keys below the source that belong to no node, but for what copies left."""
    arrays = {
        name: Array(source.store, source.format, joined(source.path, name), metadata)
        for name, metadata in found.items()
        if isinstance(metadata, ArrayMetadata)
    }
    sorter = KeySorter(source.store, source.format, source.path, found, arrays)
    kept = ("sidecar", "stray", "lost")
    skipped = len(prefix_of(source.path))
    return tuple(item.key[skipped:] for item in sorter.sorted_keys() if item.kind in kept)


def _larger(source: Node, keys: tuple[str, ...], memory: int) -> tuple[str, ...]:
    """Return the keys whose values do not fit the memory."""
    return tuple(key for key in keys if (source.store.size(joined(source.path, key)) or 0) > memory)


class _Nodes(NamedTuple):
    """The target's nodes, which of the arrays keep their chunks' bytes, and what stands in the way."""

    nodes: dict[str, NodeMetadata]
    same_bytes: set[str]
    losses: list[Loss]
    failures: list[Loss]


def _converted(found: dict[str, NodeMetadata], ours: Format, theirs: Format, cuts: Cuts) -> _Nodes:
    result = _Nodes({}, set(), [], [])
    for relative, metadata in found.items():
        try:
            check_new_path(relative, theirs.zarr_format)
            if isinstance(metadata, GroupMetadata):
                metadata = metadata.with_consolidated(None)
            node, losses, same_bytes = converted(metadata, ours, theirs)
            if isinstance(node, ArrayMetadata):
                old, node = node, recut(node, theirs, cuts.of(relative))
                losses = _still_lost(losses, cuts.of(relative))
                same_bytes = same_bytes and old is node
            theirs.write(relative, node)
        except (ConversionError, NodeNameError, MetadataError, TypeError, ValueError) as error:
            result.failures.append(Loss(relative, str(error)))
            continue
        result.nodes[relative] = node
        result.losses.extend(Loss(relative, what) for what in losses)
        if same_bytes:
            result.same_bytes.add(relative)
    return result


def _still_lost(losses: tuple[str, ...], cut: Cut) -> tuple[str, ...]:
    """Return the losses without those of chunks and codecs that the user has replaced."""
    replaced = tuple(
        start
        for start, asked in (("chunk grid:", cut.chunks), ("codec ", cut.chunks), ("codec ", cut.compressors))
        if not keeps(asked)
    )
    return tuple(loss for loss in losses if not loss.startswith(replaced))


def _listed(losses: list[Loss], format: Format) -> str:
    head = f"Zarr {format.zarr_format} cannot hold "
    if len(losses) == 1:
        return head + str(losses[0])
    return f"{head}{len(losses)} things of the source:\n" + "\n".join(f"  - {loss}" for loss in losses)


def _check_apart(source: Node, store: Store, path: str) -> None:
    """Refuse a copy of something into itself, or over what holds it."""
    ours, theirs = _place(source.store, source.path), _place(store, path)
    if ours == theirs or ours.startswith(theirs + "/") or theirs.startswith(ours + "/"):
        what = "the source itself" if ours == theirs else "a place that holds, or lies inside, the source"
        raise NodeExistsError(f"cannot copy to {what}", store=store.name, path=path)


def _check_above(store: Store, format: Format, path: str) -> None:
    """Refuse a place inside a hierarchy of another format, where the copy would not be found."""
    for ancestor in ancestors_of(path):
        for other in FORMATS.values():
            if other != format and is_node(store, other, ancestor) and not is_node(store, format, ancestor):
                message = f"/{ancestor} is Zarr {other.zarr_format}, which holds nothing of Zarr"
                raise ConversionError(
                    f"{message} {format.zarr_format}: cannot copy to /{path} of {store.name}"
                )


def _place(store: Store, path: str) -> str:
    root = journal.place_of(store)
    return f"{store.name if root is None else root}/{path}".rstrip("/")
