"""What arrays and groups share: a place in a store, and the metadata found there."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Self

from omnizarr.errors import NodeNotFoundError
from omnizarr.hierarchy.attributes import Attributes
from omnizarr.hierarchy.documents import change_document, fetch_metadata
from omnizarr.hierarchy.snapshot import Snapshot
from omnizarr.jsontypes import Json
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import NodeMetadata
from omnizarr.store.base import Store


class Node:
    """A handle on an array or a group.

    Attributes
    ----------
    store, format, path
        Where the node is, and how its documents are written; `path` has no `/` at either end.
    metadata
        The node as this handle last saw or wrote it.
    """

    __slots__ = ("__weakref__", "_snapshot", "format", "metadata", "path", "store")

    def __init__(self, store: Store, format: Format, path: str, metadata: NodeMetadata) -> None:
        self.store = store
        self.format = format
        self.path = path
        self.metadata = metadata
        self._snapshot: Snapshot | None = None

    @property
    def zarr_format(self) -> int | str:
        """The format: 2, 3 or the name of a draft."""
        return self.format.zarr_format

    @property
    def name(self) -> str:
        """The path from the root of the store, `/` first."""
        return "/" + self.path

    @property
    def basename(self) -> str:
        """The last part of the path; empty for the root."""
        return self.path.rpartition("/")[2]

    @property
    def read_only(self) -> bool:
        """Whether the store refuses writes."""
        return self.store.read_only

    @property
    def store_path(self) -> str:
        """The store and the path as one URL-like name."""
        return f"{self.store.name.rstrip('/')}/{self.path}" if self.path else self.store.name

    @property
    def attrs(self) -> Attributes:
        """The user's attributes; changes are stored at once."""
        return Attributes(self)

    def update_attributes(self, new_attributes: Mapping[str, Any]) -> Self:
        """Set several attributes by one write; others stay."""
        self.attrs.update(new_attributes)
        return self

    def refresh(self) -> None:
        """Read the metadata from the store again.

        Raises
        ------
        NodeNotFoundError
            There is no node of this kind any more.
        """
        metadata = fetch_metadata(self.store, self.format, self.path)
        if type(metadata) is not type(self.metadata):
            message = "the node was deleted meanwhile" if metadata is None else "now a node of another kind"
            raise NodeNotFoundError(message, store=self.store.name, path=self.path)
        self._forget_snapshot()
        self.metadata = metadata

    def _replace_metadata(self, change: Callable[[Any], NodeMetadata], key: str | None = None) -> None:
        """Change one document (the deciding one unless `key` is given), and see the result.

        `change` receives the metadata as stored now, so that writers of different things lose nothing.
        """
        self.metadata = change_document(self.store, self.format, self.path, self.metadata, change, key)
        self._forget_snapshot()

    def _replace_attributes(self, change: Callable[[Mapping[str, Json]], Mapping[str, Json]]) -> None:
        """Change the attributes as stored now, by one write."""
        key = self.format.attributes_key(self.path, type(self.metadata))
        self._replace_metadata(lambda node: node.with_attributes(change(node.attributes)), key)

    def _forget_snapshot(self) -> None:
        if self._snapshot is not None:
            self._snapshot.forget()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        # By name: a place that was opened twice, or once for reading only, is one place.
        return self.path == other.path and self.store.name == other.store.name

    def __hash__(self) -> int:
        return hash((self.path, self.store.name))

    def __reduce__(self) -> tuple[Any, ...]:
        state = (None, {"_snapshot": self._snapshot})
        return type(self), (self.store, self.format, self.path, self.metadata), state

    def __dask_tokenize__(self) -> object:
        """Return what tells this node, as it was seen, from any other: its place and its documents."""
        documents = self.format.write(self.path, self.metadata)
        said = b"\0".join(item for key in sorted(documents) for item in (key.encode(), documents[key]))
        kind = f"omnizarr.{type(self).__name__}"
        return kind, self.store.__dask_tokenize__(), hashlib.blake2b(said, digest_size=16).hexdigest()

    def __str__(self) -> str:
        return self.store_path

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.store_path}>"
