"""Looking for what is wrong in a hierarchy: documents, chunks, and keys that belong to nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from omnizarr.config import config
from omnizarr.engine.pool import run
from omnizarr.errors import CodecError, MetadataError, NodeNameError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.copying.sorting import KeySorter, SortedKey
from omnizarr.hierarchy.discover import walk
from omnizarr.hierarchy.documents import fetch_documents, read_documents
from omnizarr.hierarchy.paths import ancestors_of, check_new_path, joined, prefix_of
from omnizarr.jsontypes import JsonObject
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.consolidated import stale
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Store

Kind: TypeAlias = Literal["metadata", "consolidated", "chunk", "key", "copy", "model"]
Progress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    Attributes
    ----------
    kind
        `metadata`: a document breaks its specification; `consolidated`: consolidated metadata are stale;
        `chunk`: a stored chunk cannot be decoded; `key`: a key belongs to nothing; `copy`: a copy to
        here was never completed; `model`: a node is not as a model has it.
    path
        The node.
    at
        The place in its document, or the key.
    """

    kind: Kind
    path: str
    at: str
    message: str

    def to_json(self) -> JsonObject:
        """Return the finding as an object."""
        return {"kind": self.kind, "path": f"/{self.path}", "at": self.at, "message": self.message}

    def __str__(self) -> str:
        at = f"{self.at}: " if self.at else ""
        return f"/{self.path}: {at}{self.message}"


def validate(
    store: Store,
    format: Format,
    path: str = "",
    *,
    data: bool = False,
    progress: Progress | None = None,
) -> list[Finding]:
    """Return all that is wrong at and below a node.

    Parameters
    ----------
    data
        Also decode every stored chunk.
    progress
        Is told how many chunks were decoded, and how many there are.
    """
    check = _Check(store, format, path, sorted(store.list_prefix(prefix_of(path))))
    check.read_documents()
    check.compare_consolidated()
    check.sort_keys()
    if data:
        check.decode_chunks(progress or (lambda done, total: None))
    return check.findings


@dataclass(slots=True)
class _Check:
    store: Store
    format: Format
    path: str
    keys: list[str]
    findings: list[Finding] = field(default_factory=list)
    nodes: dict[str, NodeMetadata] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    arrays: dict[str, Array] = field(default_factory=dict)
    chunks: list[tuple[Array, str, tuple[int, ...]]] = field(default_factory=list)

    def add(self, kind: Kind, path: str, at: str, message: str) -> None:
        self.findings.append(Finding(kind, path, at, message))

    def read_documents(self) -> None:
        """Read every node's documents, and build every array's codecs."""
        documents = fetch_documents(self.store, self.format, self.path)
        try:
            root = read_documents(self.store, self.format, self.path, documents)
        except MetadataError as error:
            self.refuse("", error)
            root = None
            with suppress(MetadataError):  # a group is one though its consolidated metadata be broken
                root = read_documents(self.store, self.format, self.path, documents, consolidated=False)
        if root is not None:
            self.nodes[""] = root
        below = walk(self.store, self.format, self.path, on_error=self.refuse, keys=self.keys)
        self.nodes.update(below)
        for relative, metadata in self.nodes.items():
            self.check_name(relative)
            if isinstance(metadata, ArrayMetadata):
                self.build(relative, metadata)

    def check_name(self, relative: str) -> None:
        """Tell of names that the format reserves; those who read them need not mind."""
        try:
            check_new_path(relative.rpartition("/")[2], self.format.zarr_format)
        except NodeNameError as error:
            self.add("metadata", joined(self.path, relative), "", str(error))

    def build(self, relative: str, metadata: ArrayMetadata) -> None:
        place = joined(self.path, relative)
        try:
            self.arrays[relative] = Array(self.store, self.format, place, metadata)
        except MetadataError as error:
            self.refuse(relative, error)

    def refuse(self, relative: str, error: MetadataError) -> None:
        self.broken.add(relative)
        for problem in error.problems:
            self.add("metadata", joined(self.path, relative), problem.at, problem.message)

    def compare_consolidated(self) -> None:
        """Compare consolidated metadata with the documents they were made from."""
        listed = set(self.keys)
        for relative, metadata in self.nodes.items():
            if not isinstance(metadata, GroupMetadata):
                continue
            consolidated = self.consolidated(relative, metadata, listed)
            for name, message in stale(consolidated, _below(relative, self.nodes)) if consolidated else ():
                if joined(relative, name) not in self.broken:
                    self.add("consolidated", joined(self.path, relative), name, message)

    def consolidated(
        self, relative: str, metadata: GroupMetadata, listed: set[str]
    ) -> Mapping[str, NodeMetadata] | None:
        """Return a group's consolidated metadata, which v2 has in a document of their own."""
        place = joined(self.path, relative)
        key = self.format.consolidated_key(place)
        value = self.store.get(key) if key in listed else None
        if key is None or value is None:
            return metadata.consolidated
        documents = fetch_documents(self.store, self.format, place)
        try:
            group = read_documents(self.store, self.format, place, {**documents, key: value})
        except MetadataError as error:
            self.refuse(relative, error)
            return None
        return group.consolidated if isinstance(group, GroupMetadata) else None

    def sort_keys(self) -> None:
        """Find the keys that belong to nothing, and the chunks."""
        sorter = KeySorter(self.store, self.format, self.path, self.nodes, self.arrays, self.broken)
        keys = list(sorter.sorted_keys(self.keys))
        lost = self.unreachable(keys)
        for found in keys:
            if found.key.startswith(lost):
                continue
            if found.kind == "chunk" and found.array is not None:
                self.chunks.append((found.array, found.key, found.coords))
            elif found.kind == "journal":
                place = found.key.rpartition("/")[0]
                self.add("copy", place, found.key, "a copy to here was begun and never completed")
            elif found.kind == "deletion":
                place = found.key.rpartition("/")[0]
                self.add("key", place, found.key, "a deletion of what is here was begun and never completed")
            elif found.kind in ("outside", "stray", "lost"):
                place = self.path if found.array is None else found.array.path
                self.add("key", place, found.key, _stray(found))

    def unreachable(self, keys: list[SortedKey]) -> tuple[str, ...]:
        """Find the groups without a document that hold nodes; return the prefixes of what lies below."""
        lost = {self.highest_lost(found.key) for found in keys if found.kind == "lost"} - {None}
        for place in sorted(filter(None, lost)):
            count = sum(found.key.startswith(prefix_of(place)) for found in keys)
            below = "a key lies below it that" if count == 1 else f"{count} keys lie below it that"
            self.add("key", place, "", f"a group without a document; {below} cannot be reached")
        return tuple(map(prefix_of, filter(None, lost)))

    def highest_lost(self, key: str) -> str | None:
        """Return the highest group above a node's document that has none itself."""
        above = reversed(ancestors_of(self.format.node_path(key[len(prefix_of(self.path)) :]) or ""))
        missing = next((name for name in above if name not in self.nodes), None)
        return None if missing is None else joined(self.path, missing)

    def decode_chunks(self, progress: Progress) -> None:
        """Decode every stored chunk."""
        done: list[None] = []

        def decode(item: tuple[Array, str, tuple[int, ...]]) -> None:
            self.decode_chunk(*item)
            done.append(None)
            progress(len(done), len(self.chunks))

        before = len(self.findings)
        run(self.chunks, decode, workers=config.settings.threads, batch=4)
        self.findings[before:] = sorted(self.findings[before:], key=lambda finding: finding.at)

    def decode_chunk(self, array: Array, key: str, coords: tuple[int, ...]) -> None:
        value = self.store.get(key)
        try:
            if value is not None:
                array.layout.chain_at(coords).decode(value)
        except CodecError as error:
            self.add("chunk", array.path, key, f"codec {error.codec}: {error.message}")


def _stray(found: SortedKey) -> str:
    if found.kind == "lost":
        return "a node's document, of no format that is read here"
    if found.array is None:
        return "belongs to no node"
    if found.kind == "outside":
        return f"a chunk outside the array's shape {found.array.shape}"
    return "is no chunk of the array it lies in"


def _below(relative: str, nodes: Mapping[str, NodeMetadata]) -> dict[str, NodeMetadata]:
    prefix = prefix_of(relative)
    return {
        name[len(prefix) :]: metadata
        for name, metadata in nodes.items()
        if name.startswith(prefix) and name != relative
    }
