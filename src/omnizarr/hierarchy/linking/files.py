"""The files that links lead through: hierarchies from their roots, each opened once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from omnizarr.errors import NodeNotFoundError, StoreNotFoundError
from omnizarr.hierarchy.discover import is_node
from omnizarr.hierarchy.documents import fetch_metadata
from omnizarr.hierarchy.linking.reference import HERE
from omnizarr.hierarchy.linking.sources import inner_place, options_for, outer_places
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.opening.diagnose import absent
from omnizarr.hierarchy.opening.find import find_metadata
from omnizarr.hierarchy.opening.locate import Place, locate
from omnizarr.hierarchy.paths import ancestors_of, joined, prefix_of
from omnizarr.hierarchy.snapshot import Snapshot
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Store
from omnizarr.store.urls.grammar import shown_place


@dataclass(frozen=True, slots=True)
class File:
    """A hierarchy from its root, which paths in links are relative to.

    Attributes
    ----------
    root
        The root's path in the store; `""` but where one store holds several files.
    snapshot
        The nodes as they were consolidated, where they were.
    """

    store: Store
    format: Format
    root: str = ""
    snapshot: Snapshot | None = None

    @property
    def name(self) -> str:
        """The store, and the path in it, as a URL."""
        return joined(self.store.name.rstrip("/"), self.root) if self.root else self.store.name

    def known(self, place: str) -> Snapshot | None:
        """Return the snapshot where it has what lies below a path of the store."""
        known = self.snapshot
        if known is None or known.nodes is None or not f"{place}/".startswith(prefix_of(known.root)):
            return None
        return known

    def find(self, path: str) -> NodeMetadata | None:
        """Return the metadata of the node at a path from the file's root, or None."""
        place = joined(self.root, path)
        known = self.known(place)
        if known is not None and place != known.root:
            return known.get(place)
        return fetch_metadata(self.store, self.format, place)

    def relative(self, place: str) -> str:
        """Return the path from the file's root of what lies at a path of the store."""
        return place[len(prefix_of(self.root)) :]


class Files:
    """The files of one task, each opened once, for reading.

    Parameters
    ----------
    storage_options
        For stores on a network.
    """

    def __init__(self, storage_options: Mapping[str, Any] | None = None) -> None:
        self._options = storage_options
        self._opened: dict[str, File] = {}
        self._whole: set[str] = set()  # stores that are one file each

    def of(self, node: Node) -> File:
        """Return the file that holds a node: its root is the outermost group above the node."""
        snapshot = node._snapshot
        if snapshot is not None and snapshot.nodes is None:
            snapshot = None
        if (snapshot is not None and not snapshot.root) or node.store.name in self._whole:
            return File(node.store, node.format, "", snapshot)
        way = [*reversed(ancestors_of(node.path)), node.path] if node.path else [""]
        root = next((path for path in way if is_node(node.store, node.format, path)), node.path)
        if not root:
            self._whole.add(node.store.name)
        return File(node.store, node.format, root, snapshot)

    def other(self, file: File, source: str) -> File:
        """Return the file that a source of a link in `file` means.

        Raises
        ------
        NodeNotFoundError
            There is none, or nothing in it.
        StoreError
            It cannot be opened.
        """
        if source == HERE:
            return file
        key = f"{file.name}\0{source}"
        if key not in self._opened:
            self._opened[key] = self._in_the_store(file, source) or self._elsewhere(file, source)
        return self._opened[key]

    def _in_the_store(self, file: File, source: str) -> File | None:
        place = inner_place(file.root, source)
        if place is None or place == file.root:
            return file if place is not None else None
        return self._known_by_name(Place(file.store, place))

    def _elsewhere(self, file: File, source: str) -> File:
        failure: Exception | None = None
        for target in outer_places(file.store, file.root, source):
            try:
                place = locate(target, None, "r", options_for(target, file.store, self._options))
            except StoreNotFoundError as error:
                failure = failure or error
                continue
            if place.store.name == file.store.name and place.path == file.root:
                return file
            found = self._known_by_name(place)
            if found is not None:
                return found
            failure = failure or absent(place.store, None, place.path)
        raise NodeNotFoundError(f"there is no file {shown_place(source)!r}: {failure}") from failure

    def _known_by_name(self, place: Place) -> File | None:
        name = f"{place.store.name}\0\0{place.path}"
        if name not in self._opened:
            found = find_metadata(*place)
            if found is None:
                return None
            store, format, path, metadata = found
            nodes = metadata.consolidated if isinstance(metadata, GroupMetadata) else None
            snapshot = None if nodes is None else Snapshot(path, nodes)
            self._opened[name] = File(store, format, path, snapshot)
        return self._opened[name]
