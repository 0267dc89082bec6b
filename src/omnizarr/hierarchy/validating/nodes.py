"""Reading every node of one format, each fault of a document a finding."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from omnizarr.engine.pool import batches
from omnizarr.errors import MetadataError, StoreError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.discover import walk
from omnizarr.hierarchy.documents import fetch_documents, read_documents
from omnizarr.hierarchy.paths import ancestors_of, joined, parent_of, prefix_of
from omnizarr.hierarchy.requests import each
from omnizarr.hierarchy.validating.findings import Findings
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Store

_AT_ONCE = 1000


@dataclass(slots=True)
class Nodes:
    """The nodes of one format at and below a place; all paths are those in the store.

    Attributes
    ----------
    metadata, arrays
        The nodes that can be read.
    broken
        Those that cannot.
    stale
        Groups whose consolidated metadata are stale or broken.
    unreached
        Where a document is that makes a node, but no group leads there.
    """

    store: Store
    format: Format
    path: str
    findings: Findings
    metadata: dict[str, NodeMetadata] = field(default_factory=dict)
    arrays: dict[str, Array] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    stale: set[str] = field(default_factory=set)
    unreached: list[str] = field(default_factory=list)

    def read_listed(self, documents: Collection[str]) -> None:
        """Read the nodes that have one of these documents, all that are below the place."""
        places = {self.format.node_path(key) for key in documents} - {None}
        inside = prefix_of(self.path)
        found = sorted(
            (place for place in places if place is not None and f"{place}/".startswith(inside)),
            key=lambda place: place.split("/") if place else [],
        )
        for page in batches(found, _AT_ONCE):
            fetched = each(self.store, lambda place: self._fetch(place, documents), page)
            for place, texts in zip(page, fetched, strict=True):
                self._take(place, texts)
        if self.format.implicit_groups:
            self._imply_groups()

    def read_by_walking(self) -> None:
        """Read the nodes as the groups lead to them, and list no chunks."""
        documents = fetch_documents(self.store, self.format, self.path)
        self._take(self.path, documents)
        if isinstance(self.metadata.get(self.path), GroupMetadata):
            for relative, metadata in walk(self.store, self.format, self.path, on_error=self._refuse_walked):
                self._put(joined(self.path, relative), metadata)

    def is_there(self, place: str) -> bool:
        """Say whether a place is a node, be it one that cannot be read."""
        return place in self.metadata or place in self.broken

    def below(self, group: str) -> dict[str, NodeMetadata]:
        """Return the nodes below a group by their paths relative to it."""
        prefix = prefix_of(group)
        return {
            place[len(prefix) :]: metadata
            for place, metadata in self.metadata.items()
            if place.startswith(prefix) and place != group
        }

    def _imply_groups(self) -> None:
        """Add the groups that have no document, and need none."""
        for place in list(self.metadata):
            for up in _between(self.path, place):
                if up not in self.broken:
                    self.metadata.setdefault(up, GroupMetadata())

    def _fetch(self, place: str, listed: Collection[str]) -> dict[str, bytes] | StoreError:
        wanted = [key for key in self.format.document_keys(place) if key in listed]
        try:
            return {key: value for key in wanted if (value := self.store.get(key)) is not None}
        except StoreError as error:  # a damaged entry of an archive, say
            return error

    def _take(self, place: str, documents: Mapping[str, bytes] | StoreError) -> None:
        if not self._is_reached(place):
            self.unreached.append(place)
        elif isinstance(documents, StoreError):
            self.broken.add(place)
            self.findings.add("store", place, documents.key or "", str(documents))
        else:
            self._read(place, documents)

    def _is_reached(self, place: str) -> bool:
        if place == self.path:
            return True
        if not self.format.implicit_groups:
            return isinstance(self.metadata.get(parent_of(place)), GroupMetadata)
        above = list(_between(self.path, place))
        return not any(up in self.broken or isinstance(self.metadata.get(up), ArrayMetadata) for up in above)

    def _read(self, place: str, documents: Mapping[str, bytes]) -> None:
        try:
            metadata = read_documents(self.store, self.format, place, documents)
        except MetadataError as error:
            metadata = self._without_consolidated(place, documents)
            self._refuse(place, error, is_group=metadata is not None)
        if metadata is not None:
            self._put(place, metadata)

    def _without_consolidated(self, place: str, documents: Mapping[str, bytes]) -> NodeMetadata | None:
        with suppress(MetadataError):  # a group is one though its consolidated metadata be broken
            return read_documents(self.store, self.format, place, documents, consolidated=False)
        return None

    def _refuse(self, place: str, error: MetadataError, *, is_group: bool) -> None:
        self.findings.refuse(place, error, "consolidated" if is_group else "metadata")
        (self.stale if is_group else self.broken).add(place)

    def _refuse_walked(self, relative: str, error: MetadataError) -> None:
        place = joined(self.path, relative)
        documents = fetch_documents(self.store, self.format, place)
        self._refuse(place, error, is_group=self._without_consolidated(place, documents) is not None)

    def _put(self, place: str, metadata: NodeMetadata) -> None:
        self.metadata[place] = metadata
        if isinstance(metadata, ArrayMetadata):
            try:
                self.arrays[place] = Array(self.store, self.format, place, metadata)
            except MetadataError as error:
                self._refuse(place, error, is_group=False)


def _between(top: str, place: str) -> Iterator[str]:
    """Yield what lies above a place, down from `top`, which is left out unless it is a group itself."""
    for ancestor in ancestors_of(place):
        yield ancestor
        if ancestor == top:
            return
