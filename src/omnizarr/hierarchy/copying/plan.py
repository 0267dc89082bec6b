"""What a copy of a hierarchy will do, checked before it starts, and doing it.

Chunks that would be the same on both sides are moved as they are stored; others are decoded and encoded
again, block by block within bounded memory. Chunks come first and documents after them, the root's
last, so that an interrupted copy never looks like a complete one (see `omnizarr.hierarchy.copying.journal`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.belongings import placed_key
from omnizarr.hierarchy.consolidate import in_block
from omnizarr.hierarchy.copying import journal
from omnizarr.hierarchy.copying.convert import Loss
from omnizarr.hierarchy.copying.journal import Journal
from omnizarr.hierarchy.copying.moves import chunks_below, chunks_of, move_step
from omnizarr.hierarchy.copying.recodes import recode_steps
from omnizarr.hierarchy.copying.steps import Arrays, Progress, Route, Step, carry_out
from omnizarr.hierarchy.copying.transfer import Moved, Recoding
from omnizarr.hierarchy.creating.place import ensure_groups_above, ensure_hierarchy, kind_at
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.paths import joined, prefix_of
from omnizarr.hierarchy.requests import each, in_flight
from omnizarr.hierarchy.workers.base import Share, Workers
from omnizarr.hierarchy.workers.sent import Sent
from omnizarr.hierarchy.workers.sight import Mark, Sight, mark_of_node
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Store

_log = logging.getLogger(__name__)

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

    @property
    def size(self) -> int:
        """Bytes in memory, by which progress is measured; 1 at least."""
        return max(1, self.source.nbytes)

    @property
    def route(self) -> Sent[Route]:
        """From where to where, as it is sent to workers."""
        return Sent(Arrays(self.source, self.target))


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyPlan:
    """A copy that was checked and can be run; nothing has been written yet.

    Attributes
    ----------
    workers, share
        Who does the work, and what each task may take.
    nodes
        The target's nodes by path relative to its root, a group before what it holds.
    consolidated
        The groups whose metadata were consolidated in the source, and will be in the target.
    beside
        Keys of the source that belong to no node and are copied as they are, relative to the source.
    stamp
        Identifies the state of the source, where it was listed for the plan; see `Journal`.
    """

    source: Node
    store: Store
    format: Format
    path: str
    workers: Workers
    share: Share
    nodes: dict[str, NodeMetadata]
    tasks: tuple[Task, ...]
    losses: tuple[Loss, ...]
    consolidated: tuple[str, ...]
    beside: tuple[str, ...] = ()
    stamp: str | None = None

    @property
    def total_bytes(self) -> int:
        """Bytes of all arrays in memory; what progress is measured by."""
        return sum(task.size for task in self.tasks)

    def run(self, *, overwrite: bool = False, progress: Progress | None = None) -> CopyReport:
        """Copy, and report.

        Raises
        ------
        NodeExistsError
            There is something at the target that no interrupted copy left there, and `overwrite` is false.
        WorkersError
            Workers were lost, or do not see the source or the target.
        """
        complete = kind_at(self.store, self.format, self.path) is not None
        note = self._journal()
        present = journal.begin(
            self.store, self.path, note, self.format, complete=complete, overwrite=overwrite
        )
        begun = f"is continued, {len(present)} keys are there" if present else "begins"
        place = f"{self.store.name} /{self.path}"
        _log.info("copy to %s %s: nodes: %d, arrays: %d", place, begun, len(self.nodes), len(self.tasks))
        with self.workers as workers:
            moved = carry_out(
                self._steps(present),
                workers,
                self.total_bytes,
                progress,
                self._sight() if self.share.apart else None,
                apart=self.share.apart,
            )
        self._write_documents()
        journal.finish(self.store, self.path, self.format)
        _log.info("copy to %s is complete", place)
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
        stamp = self.stamp or journal.stamp(self.source.store, self.source.format, self.source.path)
        return Journal(self.source.store_path, plan, stamp)

    def _steps(self, present: frozenset[str]) -> Iterator[Step]:
        alone = self.tasks
        moving = [task for task in self.tasks if task.recoding is None]
        if moving and (
            self.share.apart or (len(moving) > 1 and in_flight(self.source.store, self.store) > 1)
        ):
            alone = tuple(task for task in self.tasks if task.recoding is not None)
            yield self._move_together(moving, present)
        for task in alone:
            if task.recoding is None:
                chunks = chunks_of(route := task.route, present)
                yield move_step([route], chunks, self.share, task.size)
            else:
                yield from recode_steps(task.route, task.recoding, present, task.size)

    def _move_together(self, tasks: list[Task], present: frozenset[str]) -> Step:
        """Return the step that moves the chunks of many arrays, so that requests of small ones overlap."""
        routes = [task.route for task in tasks]
        prefixes = self.source.format.owned(self.source.path).prefixes
        chunks = chunks_below(self.source.store, prefixes, routes, present)
        return move_step(routes, chunks, self.share, sum(task.size for task in tasks))

    def _sight(self) -> Sight:
        """Return what workers have to see: a document of the source, and the journal at the target."""
        journaled = Mark.of(self.store, journal.key_at(self.path, self.format))
        marks = (mark_of_node(self.source), journaled)
        return Sight(tuple(mark for mark in marks if mark is not None))

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
