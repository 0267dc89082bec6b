"""Finding the nodes below a group by asking the store, with as few operations as it allows.

A store that lists cheaply answers one `list_prefix`, and one `get` for each document there is; so does one
that lists by pages, as long as enough of the keys on them are documents. Others answer one `list_dir` for
each group, and the `get`s of each directory below it: in v3 one; in v2 two for an array, and for a group one
that finds nothing and one for each document that its listing shows.
Drafts, whose listings tell what the children are, need one `get` for each document.

A listing may be ahead of the values: what is listed and cannot be read yet is asked for again, a few times,
and then told of.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import sleep
from typing import NamedTuple, TypeAlias

from omnizarr.errors import MetadataError, Problem
from omnizarr.hierarchy.documents import fetch_documents, is_implied, read_documents
from omnizarr.hierarchy.paths import ancestors_of, joined, parent_of, prefix_of
from omnizarr.hierarchy.requests import each
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Listing, Store

Found: TypeAlias = tuple[str, NodeMetadata]
OnError: TypeAlias = Callable[[str, MetadataError], None]

_log = logging.getLogger(__name__)

# Seconds to wait before what is listed and cannot be read is asked for again.
_DELAYS = (0.02, 0.1, 0.4)
# Where pages of keys hold fewer documents than one in so many, groups are listed one by one.
_MOST_PER_DOCUMENT = 8


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
    walked = _Walk(store, format, path, on_error)
    if max_depth is None and keys is None:
        keys = _all_keys(store, format, path)
    return walked.by_directories(max_depth) if keys is None else walked.by_one_listing(keys)


def _all_keys(store: Store, format: Format, path: str) -> Collection[str] | None:
    """Return all keys below a group; None where listing group by group takes less."""
    page = store.listed_at_once
    if not (store.lists_cheaply or page):
        return None
    keys: list[str] = []
    documents = 0
    for key in store.list_prefix(format.nodes_below(path)):
        keys.append(key)
        documents += format.node_path(key) is not None
        ends_page = page and len(keys) % page == 0
        if ends_page and documents * _MOST_PER_DOCUMENT < len(keys) and not store.lists_cheaply:
            return None
    return set(keys)


def child_names(store: Store, format: Format, path: str) -> list[str]:
    """Return the names of the nodes directly below a group, in order, without reading their documents."""
    children = format.children(path, *store.list_dir(format.nodes_below(path)))
    asked = [child for child, documents in children.items() if documents is None]
    found = each(store, lambda child: is_node(store, format, child), asked)
    absent = {child for child, there in zip(asked, found, strict=True) if not there}
    skipped = len(prefix_of(path))
    return [child[skipped:] for child in children if child not in absent]


def is_node(store: Store, format: Format, path: str) -> bool:
    """Say whether there is a node of this format at `path`."""
    return any(store.exists(key) for key in deciding_keys(format, path)) or is_implied(store, format, path)


def deciding_keys(format: Format, path: str) -> list[str]:
    """Return the keys of which one makes a node."""
    return [key for key in format.document_keys(path) if format.node_path(key) is not None]


class _Visit(NamedTuple):
    """What was found at a node: the keys that were listed, the documents, its own listing if it was needed.

    Where nothing was listed but what lies below, the group is implied.
    """

    listed: Sequence[str]
    documents: dict[str, bytes]
    listing: Listing | None = None
    implied: bool = False

    @property
    def is_late(self) -> bool:
        """Whether something is listed that could not be read."""
        return len(self.documents) < len(self.listed)


@dataclass(frozen=True, slots=True)
class _Walk:
    store: Store
    format: Format
    path: str
    on_error: OnError | None

    def by_one_listing(self, listed: Collection[str]) -> Iterator[Found]:
        keys = set(listed)
        prefix = prefix_of(self.path)
        nodes = {node for key in keys if (node := self.format.node_path(key)) is not None}
        paths = {node[len(prefix) :] for node in nodes if len(node) > len(prefix) and node.startswith(prefix)}
        if self.format.implicit_groups:
            paths |= {above for path in paths for above in ancestors_of(path) if above}
        found = sorted(paths, key=_parts)
        visits = each(self.store, lambda relative: self._documents_among(keys, relative), found)
        groups = {""}
        for relative, visit in self._settled(dict(zip(found, visits, strict=True))).items():
            if parent_of(relative) in groups and (metadata := self._read(relative, visit)) is not None:
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
            visits = each(self.store, visit, list(children.items()))
            for relative, found in self._settled(dict(zip(children, visits, strict=True))).items():
                if (metadata := self._read(relative, found)) is None:
                    continue
                if isinstance(metadata, GroupMetadata):
                    groups[relative] = found.listing
                yield relative, metadata
            depth += 1

    def _children(self, groups: Mapping[str, Listing | None]) -> dict[str, tuple[str, ...] | None]:
        """Return the paths of what may be children, with the keys of their documents where listed."""

        def listed(item: tuple[str, Listing | None]) -> Listing:
            return item[1] or self.store.list_dir(self.format.nodes_below(joined(self.path, item[0])))

        skipped = len(prefix_of(self.path))
        listings = each(self.store, listed, list(groups.items()))
        return {
            child[skipped:]: documents
            for group, listing in zip(groups, listings, strict=True)
            for child, documents in self.format.children(joined(self.path, group), *listing).items()
        }

    def _visit(self, child: tuple[str, tuple[str, ...] | None], deeper: bool) -> _Visit:
        relative, known = child
        if known is not None:
            return self._documents_among(known, relative)
        path = joined(self.path, relative)
        first, *others = self.format.document_keys(path)
        value = self.store.get(first)
        if value is not None:
            more = {
                key: data
                for key in others
                if self.format.node_path(key) is None and (data := self.store.get(key)) is not None
            }
            return _Visit((), {first: value, **more})
        if not others:
            return _Visit((), {})
        if not deeper:
            return _Visit((), fetch_documents(self.store, self.format, path, absent=first))
        listing = self.store.list_dir(prefix_of(path))
        return self._documents_among(set(listing.keys), relative)._replace(listing=listing)

    def _documents_among(self, keys: Collection[str], relative: str) -> _Visit:
        wanted = [key for key in self.format.document_keys(joined(self.path, relative)) if key in keys]
        if not any(self.format.node_path(key) is not None for key in wanted):
            return _Visit((), {}, implied=self.format.implicit_groups)
        if self.format.implicit_groups:  # of an array and a group at one place, the array
            wanted = wanted[:1]
        return _Visit(wanted, self._fetched(wanted))

    def _fetched(self, keys: Sequence[str]) -> dict[str, bytes]:
        return {key: value for key in keys if (value := self.store.get(key)) is not None}

    def _settled(self, visits: dict[str, _Visit]) -> dict[str, _Visit]:
        """Return what was found with what could not be read at first; what still cannot be is told of."""
        for delay in _DELAYS:
            late = [relative for relative, visit in visits.items() if visit.is_late]
            if not late:
                return visits
            what = "%s: %d nodes are listed and cannot be read yet; once more in %.2f s"
            _log.info(what, self.store.name, len(late), delay)
            sleep(delay)
            again = each(self.store, self._fetched, [visits[relative].listed for relative in late])
            for relative, documents in zip(late, again, strict=True):
                visits[relative] = visits[relative]._replace(documents=documents)
        return {relative: self._told(relative, visit) for relative, visit in visits.items()}

    def _told(self, relative: str, visit: _Visit) -> _Visit:
        """Tell of documents that are listed and cannot be read, unless they are listed no longer."""
        missing = [key for key in visit.listed if key not in visit.documents]
        if not missing:
            return visit
        still = set(self.store.list_dir(prefix_of(parent_of(missing[0]))).keys)
        path = joined(self.path, relative)
        for key in still.intersection(missing):
            problem = Problem(key, "is listed, but cannot be read")
            error = MetadataError([problem], store=self.store.name, path=path)
            if self.on_error is None:
                warnings.warn(f"/{path} is left out as it is not complete: {error}", stacklevel=2)
            else:
                self.on_error(relative, error)
        is_group = missing == [self.format.attributes_key(path, GroupMetadata)]
        return visit._replace(implied=self.format.implicit_groups and is_group)

    def _read(self, relative: str, visit: _Visit) -> NodeMetadata | None:
        documents = visit.documents
        if not documents:
            return GroupMetadata() if visit.implied else None
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
