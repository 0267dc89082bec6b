"""One check of a hierarchy, step by step: documents, keys, values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Self, TypeAlias

from omnizarr.engine.pool import batches
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.copying.journal import DELETION, JOURNAL, is_journal
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.hierarchy.requests import in_flight
from omnizarr.hierarchy.validating.chunks import CheckChunks, Chunk
from omnizarr.hierarchy.validating.findings import Findings, Found, Kind
from omnizarr.hierarchy.validating.formats import compare_formats
from omnizarr.hierarchy.validating.gathered import compare_consolidated
from omnizarr.hierarchy.validating.listing import UNFINISHED, KeyFile, Listed
from omnizarr.hierarchy.validating.lost import find_lost, tell_of_doubles, tell_of_groups
from omnizarr.hierarchy.validating.names import check_names
from omnizarr.hierarchy.validating.nodes import Nodes
from omnizarr.hierarchy.validating.stores import check_store, drafts_below
from omnizarr.hierarchy.validating.territory import Sorted, Territory
from omnizarr.hierarchy.workers.base import Task, Workers
from omnizarr.hierarchy.workers.sent import Sent
from omnizarr.hierarchy.workers.sight import Mark, Sight
from omnizarr.metadata.formats.base import Format
from omnizarr.store.base import Store

Progress: TypeAlias = Callable[[int, int], None]

# How many chunks make a task: enough to be worth it, and enough tasks for all.
_BATCH = 16
# 256 chunks of 1 MB take a worker some 0.3 s, where to send and to await a task takes 5 ms.
_FAR_BATCH = 256
_MARKED: dict[str, tuple[Kind, str]] = {
    JOURNAL: ("copy", "a copy to here was begun and never completed"),
    DELETION: ("deletion", "a deletion of what is here was begun and never completed"),
    UNFINISHED: ("copy", "a file here was begun and never completed"),
}


@dataclass(slots=True)
class Check:
    """What is known of a hierarchy while it is checked.

    Attributes
    ----------
    removable
        The keys that belong to nothing.
    drafts
        The files of a directory store that writers left behind.
    ghosts
        For each format and group the nodes that its consolidated metadata alone have, though keys of them
        are left.
    """

    store: Store
    path: str
    findings: Findings
    read: list[Nodes]
    territory: Territory
    listed: Listed = field(default_factory=Listed)
    removable: KeyFile = field(default_factory=KeyFile)
    drafts: list[str] = field(default_factory=list)
    ghosts: dict[tuple[int | str, str], set[str]] = field(default_factory=dict)
    chunks: int = 0

    @classmethod
    def of(cls, store: Store, path: str, formats: list[Format], findings: Findings) -> Self:
        """Return a check that has not begun."""
        read = [Nodes(store, format, path, findings) for format in formats]
        return cls(store, path, findings, read, Territory(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.listed.others.close()
        self.removable.close()

    def check_documents(self) -> None:
        """Read every node, and list nothing but groups."""
        for nodes in self.read:
            nodes.read_by_walking()
            compare_consolidated(nodes, None)
        self._check_nodes()

    def check_keys(self, *, data: bool = False) -> None:
        """List all keys, read every node, and find the keys that belong to nothing."""
        check_store(self.store, data=data, findings=self.findings)
        self.listed.take(self.store, [nodes.format for nodes in self.read], self.path)
        for nodes in self.read:
            nodes.read_listed(self.listed.documents)
            tell_of_doubles(nodes, self.listed.documents, self.findings)
        for nodes in self.read:
            ghosts = compare_consolidated(nodes, self.listed.documents)
            self._close_ghosts(nodes.format, ghosts)
        self._check_nodes()
        self._check_marks()
        groups = find_lost(self.read, self.listed.documents, self.territory, self.findings)
        self._sort_keys()
        tell_of_groups(groups, self.territory, self.findings)
        self._tell_of_ghosts()
        for draft in drafts_below(self.store, prefix_of(self.path)):
            self.drafts.append(draft)
            self.findings.add("partial", self.path, draft, "left by a writer that was killed")

    def check_values(self, workers: Workers, progress: Progress | None) -> None:
        """Decode every stored chunk; `check_keys` comes first."""
        share, waits = workers.share(0), self.store.requests > 1
        flight = min(in_flight(self.store), share.requests) if waits else share.threads
        inside = flight if share.apart else 1
        work = Sent(CheckChunks(self.findings.limit, inside, waits))
        most, many = (_FAR_BATCH, share.slots) if share.apart else (_BATCH, flight)
        size = 1 if waits and not share.apart else max(1, min(most, self.chunks // (4 * many)))
        done = 0

        def take(found: Found) -> None:
            nonlocal done
            self.findings.take(found)
            done += found.looked_at
            if progress is not None:
                progress(done, self.chunks)

        tasks = (Task(work, part) for part in batches(self._stored_chunks(), size))
        sight = Sent(Sight(tuple(self._marks()))) if share.apart else None
        workers.run(tasks, take, at_once=flight, waiting=waits, sight=sight)

    def _marks(self) -> Iterator[Mark]:
        """Yield one key of those that were listed."""
        for key in self.listed.documents:
            if (mark := Mark.of(self.store, key)) is not None:
                yield mark
                return

    def _stored_chunks(self) -> Iterator[Chunk]:
        sent: dict[int, Sent[Array]] = {}
        for key in self.listed.others:
            for array, coords in self.territory.sorted(key).arrays:
                yield sent.setdefault(id(array), Sent(array)), key, coords

    def _check_nodes(self) -> None:
        for nodes in self.read:
            check_names(self.path, nodes.metadata, nodes.format.zarr_format, self.findings)
            self.territory.add_arrays(nodes.arrays.values())
        compare_formats(self.read, self.findings)

    def _close_ghosts(self, format: Format, ghosts: dict[str, set[str]]) -> None:
        for group, places in ghosts.items():
            gone = {place for place in places if not any(nodes.is_there(place) for nodes in self.read)}
            self.ghosts[format.zarr_format, group] = gone
            for place in gone:
                self.territory.close(place, format)

    def _tell_of_ghosts(self) -> None:
        """Tell of nodes of which there are keys, but no document other than the consolidated one."""
        for owner, places in list(self.ghosts.items()):
            left = {place for place in places if self.territory.counts[place]}
            self.ghosts[owner] = left
            for place in sorted(left):
                count = self.territory.counts[place]
                keys = "a key lies" if count == 1 else f"{count} keys lie"
                message = f"{keys} here, and consolidated metadata alone have the node's document"
                self.findings.add("lost", place, "", message)

    def _check_marks(self) -> None:
        for key in self.listed.marks:
            place, _, name = key.rpartition("/")
            kind, message = _MARKED[name]
            if name == JOURNAL and not is_journal(self.store.get(key) or b""):
                self.findings.add("orphan", place, key, "belongs to no node")
                self.removable.add(key)
                continue
            self.findings.add(kind, place, key, message)
            self.territory.guarded.add(prefix_of(place))

    def _sort_keys(self) -> None:
        for key in self.listed.documents:
            self.territory.count(key)
        for key in self.listed.others:
            self._note(key, self.territory.sorted(key))

    def _note(self, key: str, found: Sorted) -> None:
        if found.sort == "closed":
            self.territory.count(key)
        elif found.sort == "chunk":
            self.chunks += len(found.arrays)
        elif found.sort == "lost":
            self.findings.add("lost", found.place, key, found.message)
        elif found.sort == "outside" or found.sort == "orphan" or found.sort == "partial":
            self.findings.add(found.sort, found.place, key, found.message)
            self.removable.add(key)
