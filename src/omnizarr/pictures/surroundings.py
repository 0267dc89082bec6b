"""The groups above an array, as far as they say something about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from omnizarr.errors import KeyNameError, MetadataError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.documents import fetch_metadata
from omnizarr.hierarchy.group import Group, knowing
from omnizarr.hierarchy.paths import ancestors_of, parent_of
from omnizarr.jsontypes import Json
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.netcdf.dialects.notes import Annotated
from omnizarr.netcdf.dialects.some import annotated


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset that netCDF wrote: its root, and how it keeps its notes."""

    root: Group
    dialect: Annotated


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is above an array and beside it, asked for once.

    Attributes
    ----------
    nodes
        Metadata by path in the store, as far as they were asked for; None where there is no readable node.
    dataset
        The dataset that the array belongs to, where it is one with notes.
    """

    array: Array = field(repr=False)
    nodes: dict[str, NodeMetadata | None] = field(default_factory=dict, repr=False)
    dataset: Dataset | None = None

    @classmethod
    def of(cls, array: Array) -> Surroundings:
        """Return what is above an array; the documents of all groups there are read."""
        found = cls(array)
        found.nodes[array.path] = array.metadata
        above = [(path, found.metadata(path)) for path in reversed(ancestors_of(array.path))]
        for path, metadata in above:
            if isinstance(metadata, GroupMetadata):
                root = Group(array.store, array.format, path, metadata)
                if (dialect := annotated(root)) is not None:
                    return cls(array, found.nodes, Dataset(root, dialect))
        return found

    def metadata(self, path: str) -> NodeMetadata | None:
        """Return a node's metadata; None where there is none, no key could have it, or it is broken."""
        if path not in self.nodes:
            self.nodes[path] = self._asked(path)
        return self.nodes[path]

    def parent_attributes(self, path: str) -> Mapping[str, Json]:
        """Return the attributes of the group that holds a node; none for a root."""
        metadata = self.metadata(parent_of(path)) if path else None
        return metadata.attributes if isinstance(metadata, GroupMetadata) else {}

    def known(self) -> Dataset | None:
        """Return the dataset with a root that knows the nodes which were asked for."""
        if self.dataset is None:
            return None
        top = self.dataset.root.path
        prefix = f"{top}/" if top else ""
        below = {
            path[len(prefix) :]: metadata
            for path, metadata in self.nodes.items()
            if metadata is not None and path != top and path.startswith(prefix)
        }
        return Dataset(knowing(self.dataset.root, below), self.dataset.dialect)

    def _asked(self, path: str) -> NodeMetadata | None:
        snapshot = self.array._snapshot
        if snapshot is not None and snapshot.nodes is not None and (found := snapshot.get(path)) is not None:
            return found
        try:
            return fetch_metadata(self.array.store, self.array.format, path)
        except (MetadataError, KeyNameError):
            return None
