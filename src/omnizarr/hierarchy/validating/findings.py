"""What was found to be wrong, one by one and together."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from omnizarr.errors import ChecksumError, CodecError, MetadataError
from omnizarr.jsontypes import JsonObject

Kind: TypeAlias = Literal[
    "metadata",
    "name",
    "formats",
    "consolidated",
    "lost",
    "orphan",
    "outside",
    "partial",
    "copy",
    "deletion",
    "store",
    "shard",
    "checksum",
    "chunk",
    "empty",
    "model",
    "more",
]
# What a repair removes or writes anew; all else is left to people.
REPAIRABLE: frozenset[Kind] = frozenset({"consolidated", "orphan", "outside", "partial"})
# In which order they are told: what is wrong with documents explains what is wrong with keys and chunks.
_ORDER: Mapping[Kind, int] = {kind: number for number, kind in enumerate(Kind.__args__)}  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong; docs/validate.md has an example of each kind, and what to do.

    Attributes
    ----------
    kind
        `metadata`: a document breaks its specification; `name`: a name that the format reserves, or that
        some file systems take for another; `formats`: documents of two formats do not agree;
        `consolidated`: consolidated metadata are stale or broken; `lost`: a document that cannot be
        reached; `orphan`: a key belongs to nothing; `outside`: a chunk beyond the array's shape;
        `partial`: a writer that was killed left it; `copy`, `deletion`: one that was never completed;
        `store`: the store is damaged; `shard`: the index of a shard is wrong; `checksum`: a checksum
        does not match; `chunk`: a chunk cannot be decoded; `empty`: a chunk holds only the fill value;
        `model`: a node is not as a model has it; `more`: there are more than were asked for.
    path
        The node.
    at
        The place in its document, or the key.
    note
        Whether it is worth knowing, but nothing is wrong.
    """

    kind: Kind
    path: str
    at: str
    message: str
    note: bool = False

    def to_json(self) -> JsonObject:
        """Return the finding as an object; `note` is there only where it is one."""
        plain: JsonObject = {
            "kind": self.kind,
            "path": f"/{self.path}",
            "at": self.at,
            "message": self.message,
        }
        return {**plain, "note": True} if self.note else plain

    def __str__(self) -> str:
        at = f"{self.at}: " if self.at else ""
        return f"/{self.path}: {at}{self.message}"


@dataclass(frozen=True, slots=True)
class Report:
    """What a check of a hierarchy found, and how much it looked at.

    Attributes
    ----------
    findings
        What is wrong: at most as many as were asked for, with one of kind `more` at the end where there
        are others. Empty where nothing is wrong.
    notes
        What is worth knowing.
    counts
        How many findings there are by kind, those that were left out included.
    nodes, keys, chunks
        How many nodes, keys, and (where values were checked) stored chunks were looked at.
    """

    findings: tuple[Finding, ...]
    notes: tuple[Finding, ...]
    counts: Mapping[str, int]
    nodes: int
    keys: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Found:
    """What a part of a check found, by itself.

    Attributes
    ----------
    counts
        How many findings there are by kind, those that are not kept included.
    looked_at
        How many chunks were looked at.
    """

    kept: tuple[Finding, ...]
    notes: tuple[Finding, ...]
    counts: Mapping[str, int]
    looked_at: int


@dataclass(slots=True)
class Findings:
    """Findings as they come, from many threads; no more than `limit` are kept, and all are counted.

    Attributes
    ----------
    tell
        Hears of each finding and note that is kept, as it comes.
    """

    limit: int | None = None
    tell: Callable[[Finding], None] | None = None
    kept: dict[Finding, None] = field(default_factory=dict)
    notes: dict[Finding, None] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, kind: Kind, path: str, at: str, message: str) -> None:
        """Keep or count a finding."""
        with self.lock:
            found = Finding(kind, path, at, message)
            if found not in self.kept:
                self.counts[kind] += 1
                self._keep(found, self.kept)

    def note(self, kind: Kind, path: str, at: str, message: str) -> None:
        """Keep a note."""
        with self.lock:
            self._keep(Finding(kind, path, at, message, note=True), self.notes)

    def refuse(self, path: str, error: MetadataError, kind: Kind = "metadata") -> None:
        """Add each fault of a document."""
        for problem in error.problems:
            self.add(kind, path, problem.at, problem.message)

    def codec(self, path: str, key: str, error: CodecError, where: str = "") -> None:
        """Add what a codec says of a chunk; `where` is the place in it."""
        kind: Kind = "checksum" if isinstance(error, ChecksumError) else "chunk"
        self.add(kind, path, key, f"{where}codec {error.codec}: {error.message}")

    def found(self, looked_at: int) -> Found:
        """Return all, for those of a whole check to take."""
        return Found(tuple(self.kept), tuple(self.notes), dict(self.counts), looked_at)

    def take(self, found: Found) -> None:
        """Take what a part of the check found."""
        for one in found.kept:
            self.add(one.kind, one.path, one.at, one.message)
        for one in found.notes:
            self.note(one.kind, one.path, one.at, one.message)
        with self.lock:
            self.counts += Counter(found.counts) - Counter[str](one.kind for one in found.kept)

    def report(self, nodes: int, keys: int, chunks: int) -> Report:
        """Return all, in order."""
        findings = sorted(self.kept, key=_place)
        left_out = sum(self.counts.values()) - len(findings)
        if left_out:
            told = ", ".join(f"{count} {kind}" for kind, count in sorted(self.counts.items()))
            findings.append(Finding("more", "", "", f"{left_out} more than are listed; in all {told}"))
        notes = tuple(sorted(self.notes, key=_place))
        return Report(tuple(findings), notes, dict(self.counts), nodes, keys, chunks)

    def _keep(self, found: Finding, among: dict[Finding, None]) -> None:
        if found not in among and (self.limit is None or len(among) < self.limit):
            among[found] = None
            if self.tell is not None:
                self.tell(found)


def _place(finding: Finding) -> tuple[int, str, str, str]:
    return _ORDER[finding.kind], finding.path, finding.at, finding.message
