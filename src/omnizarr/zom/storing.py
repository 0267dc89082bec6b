"""Creating hierarchies in stores from models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from omnizarr.errors import MetadataError, NodeExistsError, NodeTypeError
from omnizarr.hierarchy.consolidate import consolidate_metadata
from omnizarr.hierarchy.creating.many import Placed, place_all
from omnizarr.hierarchy.discover import is_node
from omnizarr.hierarchy.documents import fetch_documents, read_documents
from omnizarr.hierarchy.group import AnyNode, Group, node_of
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.opening.locate import locate
from omnizarr.hierarchy.paths import joined, prefix_of
from omnizarr.hierarchy.requests import each
from omnizarr.jsontypes import Json, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.group import NodeMetadata
from omnizarr.store.base import Store
from omnizarr.zom.consolidated import consolidated_root, nodes_of
from omnizarr.zom.difference import Missing, differing
from omnizarr.zom.version import Version

if TYPE_CHECKING:
    from omnizarr.zom.node import NodeSpec

_DOCUMENTS = frozenset(
    key
    for format in FORMATS.values()
    for key in (*format.document_keys(""), format.consolidated_key(""))
    if key is not None
)


def create(
    spec: NodeSpec[Any],
    store: Any,
    path: str | None,
    *,
    overwrite: bool,
    exist_ok: bool,
    consolidated: bool,
    storage_options: Mapping[str, Any] | None,
) -> AnyNode:
    """Create the array or hierarchy of a model, and return it opened; see `NodeSpec.to_store`."""
    options = {"overwrite": overwrite, "exist_ok": exist_ok, "consolidated": consolidated}
    return store_model(spec, store, path, storage_options=storage_options, **options).handle


class Stored(NamedTuple):
    """The handle on a model's root in a store, and the nodes that were not there before, by path below it."""

    handle: AnyNode
    created: dict[str, NodeMetadata]


def store_model(
    spec: NodeSpec[Any],
    store: Any,
    path: str | None = None,
    *,
    overwrite: bool = False,
    exist_ok: bool = False,
    consolidated: bool = False,
    storage_options: Mapping[str, Any] | None = None,
) -> Stored:
    """Create the array or hierarchy of a model, and tell what of it was made; see `NodeSpec.to_store`."""
    if overwrite and exist_ok:
        raise ValueError("expected overwrite or exist_ok, found both")
    if consolidated and spec.kind == "array":
        raise NodeTypeError("consolidated: expected the model of a group, found that of an array")
    nodes = nodes_of(spec)
    place = locate(store, path, "a", storage_options)
    parent = _parent(store, place.path, spec.version)
    creation = _Creation(*place, spec.version, nodes, consolidated, parent)
    try:
        return creation.merged() if exist_ok else creation.fresh(overwrite)
    finally:
        if isinstance(store, Node):
            store._forget_snapshot()


def _parent(store: Any, path: str, version: Version) -> str | None:
    """Return the path of the group that is given as a place, where a node below it may be at `path`."""
    if isinstance(store, Group) and path != store.path and store.zarr_format == version.number:
        return store.path
    return None  # so that it is looked what is there


@dataclass(frozen=True, slots=True)
class _Creation:
    """What is to be where; `nodes` by path below `path`, `parent` the path of a group that is there."""

    store: Store
    path: str
    version: Version
    nodes: Mapping[str, NodeMetadata]
    consolidated: bool
    parent: str | None

    def fresh(self, overwrite: bool) -> Stored:
        """Store all nodes, where there is nothing, or what is there may be deleted."""
        if not overwrite and (key := self.key_there()) is not None:
            raise self.occupied(key)
        return self.stored(overwrite=overwrite)

    def stored(self, *, overwrite: bool = False, exist_ok: bool = False) -> Stored:
        root = consolidated_root(self.nodes, self.version) if self.consolidated else self.nodes[""]
        handle = self.handle(root)  # what cannot be opened is told before anything is stored
        self.place({**self.nodes, "": root}, overwrite=overwrite, exist_ok=exist_ok)
        return Stored(handle, dict(self.nodes))

    def merged(self) -> Stored:
        """Store the nodes that are missing; those that are there have to be the same."""
        if self.key_there() is not None:
            return self.completed()
        try:
            return self.stored(exist_ok=True)
        except NodeExistsError:  # another writer came in between, of nodes that may be the same
            return self.completed()

    def completed(self, attempts: int = 3) -> Stored:
        there = self.compared()
        handle = self.handle(there.get("", self.nodes[""]))
        missing = {path: metadata for path, metadata in self.nodes.items() if path not in there}
        try:
            placed = self.place(missing, exist_ok=True)
        except NodeExistsError:
            if attempts < 2:
                raise
            return self.completed(attempts - 1)
        if not self.consolidated:
            return Stored(handle, missing)
        try:  # of what is there, not only of what the model names
            handle = consolidate_metadata(self.store, self.path, self.version.number)
        except BaseException as error:
            placed.undo(error)
            raise
        return Stored(handle, missing)

    def handle(self, root: NodeMetadata) -> AnyNode:
        return node_of(self.store, self.version.format, self.path, root)

    def place(
        self, nodes: Mapping[str, NodeMetadata], *, overwrite: bool = False, exist_ok: bool = False
    ) -> Placed:
        """Store nodes at whose places nothing is that may stay."""
        return place_all(
            self.store,
            self.version.format,
            {joined(self.path, path): metadata for path, metadata in nodes.items()},
            overwrite=overwrite,
            exist_ok=exist_ok,
            vacant=True,
            parent=self.parent,
        )

    # --- what is there

    def key_there(self) -> str | None:
        """Return a key at or below the place, or None where there is none."""
        return next(iter(self.store.list_prefix(prefix_of(self.path))), None)

    def occupied(self, key: str) -> NodeExistsError:
        format = next((one for one in FORMATS.values() if is_node(self.store, one, self.path)), None)
        what = (
            f"the key {key!r}, but no array or group"
            if format is None
            else f"a node of Zarr {format.zarr_format}"
        )
        message = f"something is there already ({what}); overwrite=True replaces it"
        if format == self.version.format:
            message += ", exist_ok=True leaves what is the same and adds what is missing"
        return NodeExistsError(message, store=self.store.name, path=self.path)

    def compared(self) -> dict[str, NodeMetadata]:
        """Return the nodes of the model that are there, by path below the place.

        Raises
        ------
        NodeExistsError
            Some of them are not the same, or something else is where one is missing; all of it is listed.
        """
        names = list(self.nodes)
        answers = each(self.store, self.look, names)
        faults = [
            f"/{path}: {fault}" for path, answer in zip(names, answers, strict=True) for fault in answer[1]
        ]
        if faults:
            listed = "\n".join(f"  - {fault}" for fault in faults)
            message = f"what is there is not the same; overwrite=True replaces it:\n{listed}\n"
            raise NodeExistsError(message, store=self.store.name, path=self.path)
        return {path: found for path, (found, _) in zip(names, answers, strict=True) if found is not None}

    def look(self, path: str) -> tuple[NodeMetadata | None, list[str]]:
        """Return the node that is at a path, or None, and what is wrong with what is there."""
        place, format = joined(self.path, path), self.version.format
        documents = fetch_documents(self.store, format, place)
        if not documents:
            return None, list(self.in_the_way(path))
        try:
            found = read_documents(self.store, format, place, documents, consolidated=False)
        except MetadataError as error:
            return None, list(map(str, error.problems))
        if found is None:
            return None, ["expected a node of Zarr 3, found one of a draft"]
        return found, list(self.different(self.nodes[path], found))

    def different(self, wanted: NodeMetadata, found: NodeMetadata) -> Iterator[str]:
        """Yield the differences of two nodes, however they are spelled."""
        if type(wanted) is not type(found):
            kinds = ["an array" if isinstance(one, ArrayMetadata) else "a group" for one in (wanted, found)]
            yield f"expected {kinds[0]}, found {kinds[1]}"
            return
        documents = (self.version.write(one, as_spelled=False) for one in (wanted, found))
        for at, *values in differing("", *documents):
            expected, actual = map(_shown, values)
            yield f"{at}: expected {expected}, found {actual}"

    def in_the_way(self, path: str) -> Iterator[str]:
        """Yield what is where a node is missing: anything in an array, documents of nodes in a group.

        A part of the node itself is not: somebody stores it just now, or was stopped then.
        """
        place = joined(self.path, path)
        prefix, listing = prefix_of(place), self.store.list_dir(prefix_of(place))
        keys = [key for key in listing.keys if key[len(prefix) :] in _DOCUMENTS]
        if isinstance(self.nodes[path], ArrayMetadata):
            keys = [*listing.keys, *listing.prefixes]
        own: dict[str, bytes] = self.version.format.write(place, self.nodes[path]) if keys else {}
        keys = [key for key in keys if key not in own or self.store.get(key) != own[key]]
        if keys:
            more = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
            yield f"expected a node of Zarr {self.version.number} or nothing, found the key {keys[0]!r}{more}"


def _shown(value: Json | Missing) -> str:
    return "nothing" if isinstance(value, Missing) else shown(value)
