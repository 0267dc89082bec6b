"""Groups: what lies at the paths below one, and how that changes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeAlias, overload

from omnizarr import html
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.creating.in_group import GroupCreation
from omnizarr.hierarchy.creating.like import likeness
from omnizarr.hierarchy.discover import OnError, child_names, deciding_keys, is_node, walk
from omnizarr.hierarchy.documents import fetch_metadata
from omnizarr.hierarchy.info import Info
from omnizarr.hierarchy.linking.files import Files
from omnizarr.hierarchy.linking.following import Spot, Way
from omnizarr.hierarchy.linking.members import members_over_links
from omnizarr.hierarchy.moving import move_node
from omnizarr.hierarchy.opening.diagnose import absent
from omnizarr.hierarchy.paths import joined, normal_path
from omnizarr.hierarchy.showing.pages import group_html
from omnizarr.hierarchy.snapshot import Snapshot
from omnizarr.hierarchy.tree import Tree, draw
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Store

AnyNode: TypeAlias = "Array | Group"


class Group(GroupCreation):
    """A group; a mapping from the paths below it to arrays and groups.

    Where the group's metadata were consolidated, the nodes below come from there without asking the store
    again, until something is changed through this handle or one that came from it (see `Snapshot`).
    """

    __slots__ = ()

    metadata: GroupMetadata

    def __init__(self, store: Store, format: Format, path: str, metadata: GroupMetadata) -> None:
        super().__init__(store, format, path, metadata)
        if metadata.consolidated is not None:
            self._snapshot = Snapshot(path, metadata.consolidated)

    # --- a mapping by path

    def __getitem__(self, path: str) -> AnyNode:
        """Return the array or group at a path below this group.

        Raises
        ------
        NodeNotFoundError
            There is none; also a KeyError.
        """
        relative = normal_path(path)
        metadata = self._find(relative)
        if metadata is None:
            raise absent(self.store, self.format, joined(self.path, relative))
        return self._child(relative, metadata)

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str):
            return False
        place = joined(self.path, normal_path(path))
        if (snapshot := self._known) is not None:
            return place == self.path or snapshot.get(place) is not None
        return is_node(self.store, self.format, place)

    def __iter__(self) -> Iterator[str]:
        return self.keys()

    def __len__(self) -> int:
        return self.nmembers()

    def __bool__(self) -> bool:
        return True

    def __setitem__(self, path: str, value: Any) -> None:
        """Store an array-like under a path, in chunks like its own, in place of what is there."""
        like = likeness(value, self.zarr_format)
        self.create_array(path, **{**like, "data": value, "overwrite": True})

    def __delitem__(self, path: str) -> None:
        """Delete a node with everything below.

        Raises
        ------
        NodeNotFoundError
            There is none; also a KeyError.
        """
        place = joined(self.path, normal_path(path))
        if place == self.path or not is_node(self.store, self.format, place):
            raise absent(self.store, self.format, place)
        # The documents first: what is deleted by half is no node any more, rather than a broken one.
        gathered = self.format.consolidated_key(place)
        for key in (*deciding_keys(self.format, place), *(() if gathered is None else (gathered,))):
            self.store.delete(key)
        for prefix in self.format.owned(place).prefixes:
            self.store.delete_prefix(prefix)
        self._forget_snapshot()

    @overload
    def get(self, path: str, *, follow_links: bool = False) -> AnyNode | None: ...
    @overload
    def get(self, path: str, default: AnyNode, *, follow_links: bool = False) -> AnyNode: ...
    def get(self, path: str, default: Any = None, *, follow_links: bool = False) -> Any:
        """Return the array or group at a path, or a default.

        Parameters
        ----------
        follow_links
            Whether the path may lead through links, as HDMF has them; errors as those of `members`.
        """
        relative = normal_path(path)
        if follow_links:
            files = Files()
            file = files.of(self)
            spot = Way(files).find(file, file.relative(joined(self.path, relative)))
            return default if spot is None else node_at(spot)
        metadata = self._find(relative)
        return default if metadata is None else self._child(relative, metadata)

    def keys(self) -> Iterator[str]:
        """Yield the names of the children."""
        if (snapshot := self._known) is not None:
            yield from (name for name, _ in snapshot.below(self.path, 0))
        else:
            yield from child_names(self.store, self.format, self.path)

    def values(self) -> Iterator[AnyNode]:
        """Yield the children."""
        return (node for _, node in self.items())

    def items(self) -> Iterator[tuple[str, AnyNode]]:
        """Yield the names and the children."""
        return iter(self.members())

    # --- members

    def members(
        self, max_depth: int | None = 0, *, follow_links: bool = False
    ) -> tuple[tuple[str, AnyNode], ...]:
        """Return the nodes below this group, each with its path relative to it.

        Parameters
        ----------
        max_depth
            0 for the children only, 1 for theirs too; None for all.
        follow_links
            Whether what links point at is among them, under the names of the links; as HDMF has links.

        Raises
        ------
        NodeNotFoundError, StoreError
            A link leads to nothing, or to a file that cannot be opened.
        MetadataError
            Links are broken, have the names of members, or lead round in a circle.
        """
        if follow_links:
            return tuple((path, node_at(spot)) for path, spot in members_over_links(self, max_depth))
        return tuple((path, self._child(path, metadata)) for path, metadata in self.walk(max_depth))

    def walk(
        self,
        max_depth: int | None = None,
        *,
        on_error: OnError | None = None,
        keys: Collection[str] | None = None,
    ) -> Iterator[tuple[str, NodeMetadata]]:
        """Yield the path and the metadata of each node below, a group before what it holds.

        Parameters
        ----------
        on_error
            Receives the path and the error of each node whose documents are broken, and the walk goes on.
        keys
            All keys below this group, where they were listed already.
        """
        if max_depth is not None and max_depth < 0:
            raise ValueError(f"max_depth: expected at least 0 or None, found {max_depth}")
        if (snapshot := self._known) is not None:
            return snapshot.below(self.path, max_depth)
        return walk(self.store, self.format, self.path, max_depth=max_depth, on_error=on_error, keys=keys)

    def nmembers(self, max_depth: int | None = 0) -> int:
        """Return how many nodes there are below this group; `max_depth` as in `members`."""
        return sum(1 for _ in (self.keys() if max_depth == 0 else self.walk(max_depth)))

    def groups(self) -> Iterator[tuple[str, Group]]:
        """Yield the names and the groups among the children."""
        for name, node in self.members():
            if isinstance(node, Group):
                yield name, node

    def arrays(self) -> Iterator[tuple[str, Array]]:
        """Yield the names and the arrays among the children."""
        for name, node in self.members():
            if isinstance(node, Array):
                yield name, node

    def group_keys(self) -> Iterator[str]:
        """Yield the names of the groups among the children."""
        return (name for name, metadata in self.walk(0) if isinstance(metadata, GroupMetadata))

    def array_keys(self) -> Iterator[str]:
        """Yield the names of the arrays among the children."""
        return (name for name, metadata in self.walk(0) if isinstance(metadata, ArrayMetadata))

    def group_values(self) -> Iterator[Group]:
        """Yield the groups among the children."""
        return (group for _, group in self.groups())

    def array_values(self) -> Iterator[Array]:
        """Yield the arrays among the children."""
        return (array for _, array in self.arrays())

    # --- the whole

    def move(self, source: str, dest: str) -> None:
        """Move a node below this group, with everything below it, to another path below this group.

        Groups above the new place are made. The node appears there complete, before it goes from its old
        place: one that is stopped halfway leaves the old one as it was.

        Raises
        ------
        NodeNotFoundError, NodeExistsError
            There is nothing at `source`, or something at `dest`.
        """
        old, new = (joined(self.path, normal_path(path)) for path in (source, dest))
        move_node(self.store, self.format, old, new)
        self._forget_snapshot()

    def tree(self, level: int | None = None, *, max_nodes: int = 500) -> Tree:
        """Return a drawing of the hierarchy below, `level` groups deep and of at most `max_nodes` nodes."""
        depth = None if level is None else level - 1
        nodes = iter(()) if level == 0 else self.walk(depth)
        return draw(self.name, nodes, max_nodes)

    @property
    def info(self) -> Info:
        """What this group is, as a table."""
        return Info(
            {
                "Name": self.name,
                "Type": "Group",
                "Zarr format": str(self.zarr_format),
                "Read-only": str(self.read_only),
                "Store": f"{type(self.store).__name__} {self.store.name}",
                "Consolidated": "no" if self._known is None else "yes",
                "Attributes": str(len(self.attrs)),
            }
        )

    def _repr_html_(self) -> str:
        """The group in a notebook: its attributes, and its members by one listing of the store."""

        def draw() -> str:
            known = None if self._known is None else dict(self.walk())
            return group_html(self, self.info.items, known)

        return html.safely(draw, self)

    # --- inside

    @property
    def _known(self) -> Snapshot | None:
        snapshot = self._snapshot
        return snapshot if snapshot is not None and snapshot.nodes is not None else None

    def _find(self, relative: str) -> NodeMetadata | None:
        if not relative:
            return self.metadata
        place = joined(self.path, relative)
        if (snapshot := self._known) is not None:
            return snapshot.get(place)
        return fetch_metadata(self.store, self.format, place)

    def _child(self, relative: str, metadata: NodeMetadata) -> AnyNode:
        node = node_of(self.store, self.format, joined(self.path, relative), metadata)
        if self._known is not None:
            node._snapshot = self._snapshot
        return node


def node_of(store: Store, format: Format, path: str, metadata: NodeMetadata) -> AnyNode:
    """Return the handle on a node whose metadata are known."""
    if isinstance(metadata, ArrayMetadata):
        return Array(store, format, path, metadata)
    return Group(store, format, path, metadata)


def knowing(group: Group, nodes: Mapping[str, NodeMetadata]) -> Group:
    """Return a handle on a group that knows the nodes below, which were just read, until it changes any."""
    known = Group(group.store, group.format, group.path, group.metadata)
    known._snapshot = Snapshot(group.path, nodes)
    return known


def node_at(spot: Spot) -> AnyNode:
    """Return the handle on a node that links led to."""
    node = node_of(spot.file.store, spot.file.format, spot.place, spot.metadata)
    if (known := spot.file.known(spot.place)) is not None:
        node._snapshot = known
    return node
