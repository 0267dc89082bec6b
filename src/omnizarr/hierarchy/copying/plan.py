"""What a copy of a hierarchy will do, checked before it starts, and doing it.

Chunks that would be the same on both sides are moved as they are stored; others are decoded and encoded
again, block by block within bounded memory. Chunks come first and documents after them, the root's
last, so that an interrupted copy never looks like a complete one (see `omnizarr.hierarchy.copying.journal`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from typing import TypeAlias

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.belongings import placed_key
from omnizarr.hierarchy.consolidate import in_block
from omnizarr.hierarchy.copying import journal
from omnizarr.hierarchy.copying.convert import Loss
from omnizarr.hierarchy.copying.journal import Journal
from omnizarr.hierarchy.copying.together import move_together
from omnizarr.hierarchy.copying.transfer import Moved, Recoding, move_chunks, recode
from omnizarr.hierarchy.creating.place import ensure_groups_above, ensure_hierarchy, kind_at
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.paths import joined, prefix_of
from omnizarr.hierarchy.requests import each, in_flight
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Store

Progress: TypeAlias = Callable[[int, int], None]

MEMORY = 512 * 2**20


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
        note = self._journal()
        present = journal.begin(
            self.store, self.path, note, self.format, complete=complete, overwrite=overwrite
        )
        moved = self._copy_chunks(present, progress or (lambda done, total: None))
        self._write_documents()
        journal.finish(self.store, self.path, self.format)
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
        stamp = journal.stamp(self.source.store, self.source.format, self.source.path)
        return Journal(self.source.store_path, plan, stamp)

    def _copy_chunks(self, present: frozenset[str], progress: Progress) -> Moved:
        meter = Meter(self.total_bytes, progress)
        moved = Moved()
        alone = self.tasks
        together = {task.source.path: task for task in self.tasks if task.recoding is None}
        if len(together) > 1 and in_flight(self.source.store, self.store) > 1:
            alone = tuple(task for task in self.tasks if task.recoding is not None)
            meter.begin(sum(max(1, task.source.nbytes) for task in together.values()))
            pairs = {path: (task.source, task.target) for path, task in together.items()}
            prefixes = self.source.format.owned(self.source.path).prefixes
            moved += move_together(prefixes, pairs, self.memory, present, meter.advance)
            meter.end()
        for task in alone:
            meter.begin(max(1, task.source.nbytes))
            if task.recoding is None:
                moved += move_chunks(task.source, task.target, self.memory, present, meter.advance)
            else:
                moved += recode(task.source, task.target, task.recoding, present, meter.advance)
            meter.end()
        return moved

    def _write_documents(self) -> None:
        """Store the documents, those of the root last, and then what makes it a hierarchy."""

        def bring(relative: str) -> None:
            key = placed_key(self.source.format, self.source.path, relative)
            if (value := self.source.store.get(key)) is not None:
                self.store.set(placed_key(self.format, self.path, relative), value)

        def write(relative: str) -> None:
            metadata = self._as_stored(relative)
            for key, document in self.format.write(joined(self.path, relative), metadata).items():
                self.store.set(key, document)

        waits = self.store if self.store.requests > 1 else self.source.store
        each(waits, bring, self.beside)
        ensure_groups_above(self.store, self.format, self.path)
        root, *others = self.nodes
        each(self.store, write, [relative for relative in others[::-1] if not self._is_implied(relative)])
        if not (others and self._is_implied(root)):
            write(root)
        ensure_hierarchy(self.store, self.format)

    def _is_implied(self, relative: str) -> bool:
        """Say whether a group had no document in the source, and needs none in the target."""
        node = self.nodes[relative]
        implicit = self.source.format.implicit_groups and self.format.implicit_groups
        return implicit and isinstance(node, GroupMetadata) and not (node.spelling or node.attributes)

    def _as_stored(self, relative: str) -> NodeMetadata:
        """Return a node with the metadata of those below, where they were consolidated in the source."""
        metadata = self.nodes[relative]
        if relative not in self.consolidated or not isinstance(metadata, GroupMetadata):
            return metadata
        prefix = prefix_of(relative)
        below = {
            path[len(prefix) :]: node
            for path, node in self.nodes.items()
            if path != relative and path.startswith(prefix)
        }
        return replace(metadata, consolidated=in_block(below, self.format))


class Meter:
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
