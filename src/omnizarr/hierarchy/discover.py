"""Finding the nodes below a group by asking the store, with as few operations as it allows.

A store that lists cheaply answers one `list_prefix`, and one `get` for each document there is. Others
answer one `list_dir` for each group, and the `get`s of each directory below it: in v3 one; in v2 two
for an array, and for a group one that finds nothing and one for each document that its listing shows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from omnizarr.errors import MetadataError
from omnizarr.hierarchy.documents import fetch_documents, read_documents
from omnizarr.hierarchy.paths import joined, parent_of, prefix_of
from omnizarr.hierarchy.requests import each
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Listing, Store

Found: TypeAlias = tuple[str, NodeMetadata]
OnError: TypeAlias = Callable[[str, MetadataError], None]


def walk(
    store: Store,
    format: Format,
    path: str = "",
    *,
    max_depth: int | None = None,
    on_error: OnError | None = None,
    keys: Collection[str] | None = None,
) -> Iterator[Found]:
    """Yield every node below the group at `path`: its path relative to that group, and its metadata.

    A group comes before what it holds, and names within a group come in order. What is no node is
    passed over.

    Parameters
    ----------
    max_depth
        0 for the group's own children only, 1 for theirs too; None for all.
    on_error
        Receives the path and the error of each node whose documents are broken, and the walk goes on.
    keys
        All keys below the group, where they were listed already.

    Raises
    ------
    MetadataError
        Documents of a node are broken, and there is no `on_error`.
    """
    if max_depth is None and (keys is not None or store.lists_cheaply):
        return _Walk(store, format, path, on_error).by_one_listing(keys)
    return _Walk(store, format, path, on_error).by_directories(max_depth)


def child_names(store: Store, format: Format, path: str) -> list[str]:
    """Return the names of the nodes directly below a group, in order, without reading their documents."""
    prefix = prefix_of(path)
    names = [child[len(prefix) : -1] for child in store.list_dir(prefix).prefixes]
    are_nodes = each(store, lambda name: is_node(store, format, prefix + name), names)
    return [name for name, there in zip(names, are_nodes, strict=True) if there]


def is_node(store: Store, format: Format, path: str) -> bool:
    """Say whether there is a node of this format at `path`."""
    return any(store.exists(key) for key in deciding_keys(format, path))


def deciding_keys(format: Format, path: str) -> list[str]:
    """Return the keys of which one makes a node."""
    return [key for key in format.document_keys(path) if format.node_path(key) is not None]


@dataclass(frozen=True, slots=True)
class _Walk:
    store: Store
    format: Format
    path: str
    on_error: OnError | None

    def by_one_listing(self, listed: Collection[str] | None) -> Iterator[Found]:
        keys = set(self.store.list_prefix(prefix_of(self.path)) if listed is None else listed)
        skipped = len(prefix_of(self.path))
        nodes = {node for key in keys if (node := self.format.node_path(key)) is not None}
        found = sorted((node[skipped:] for node in nodes if len(node) > skipped), key=_parts)
        documents = each(self.store, lambda relative: self._documents_among(keys, relative), found)
        groups = {""}
        for relative, texts in zip(found, documents, strict=True):
            if parent_of(relative) in groups and (metadata := self._read(relative, texts)) is not None:
                if isinstance(metadata, GroupMetadata):
                    groups.add(relative)
                yield relative, metadata

    def by_directories(self, max_depth: int | None) -> Iterator[Found]:
        groups: dict[str, Listing | None] = {"": None}
        depth = 0
        while groups and (max_depth is None or depth <= max_depth):
            children = self._children(groups)
            visit = partial(self._visit, deeper=max_depth is None or depth < max_depth)
            groups = {}
            for relative, (documents, listing) in zip(
                children, each(self.store, visit, children), strict=True
            ):
                if (metadata := self._read(relative, documents)) is None:
                    continue
                if isinstance(metadata, GroupMetadata):
                    groups[relative] = listing
                yield relative, metadata
            depth += 1

    def _children(self, groups: Mapping[str, Listing | None]) -> list[str]:
        def listed(item: tuple[str, Listing | None]) -> Listing:
            return item[1] or self.store.list_dir(prefix_of(joined(self.path, item[0])))

        skipped = len(prefix_of(self.path))
        listings = each(self.store, listed, list(groups.items()))
        return [prefix[skipped:-1] for listing in listings for prefix in listing.prefixes]

    def _visit(self, relative: str, deeper: bool) -> tuple[dict[str, bytes], Listing | None]:
        """Return a node's documents, and the listing of its directory where one was needed."""
        path = joined(self.path, relative)
        first, *others = self.format.document_keys(path)
        value = self.store.get(first)
        if value is not None:
            more = {
                key: data
                for key in others
                if self.format.node_path(key) is None and (data := self.store.get(key)) is not None
            }
            return {first: value, **more}, None
        if not others:
            return {}, None
        if not deeper:
            return fetch_documents(self.store, self.format, path, absent=first), None
        listing = self.store.list_dir(prefix_of(path))
        return self._documents_among(set(listing.keys), relative), listing

    def _documents_among(self, keys: set[str], relative: str) -> dict[str, bytes]:
        wanted = [key for key in self.format.document_keys(joined(self.path, relative)) if key in keys]
        if not any(self.format.node_path(key) is not None for key in wanted):
            return {}
        return {key: value for key in wanted if (value := self.store.get(key)) is not None}

    def _read(self, relative: str, documents: Mapping[str, bytes]) -> NodeMetadata | None:
        if not documents:
            return None
        try:
            return read_documents(self.store, self.format, joined(self.path, relative), documents)
        except MetadataError as error:
            if self.on_error is None:
                raise
            self.on_error(relative, error)
        with suppress(MetadataError):  # a group is one though its consolidated metadata be broken
            place = joined(self.path, relative)
            return read_documents(self.store, self.format, place, documents, consolidated=False)
        return None


def _parts(path: str) -> list[str]:
    return path.split("/")
