"""Consolidated metadata as an open hierarchy uses them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping

from omnizarr.hierarchy.paths import prefix_of
from omnizarr.metadata.group import NodeMetadata


class Snapshot:
    """The nodes below a group as they were when its metadata were consolidated.

    Every handle that was reached through a consolidated group shares one snapshot. The first change made
    through any of them forgets it, for all of them: from then on they ask the store, and what they
    say is right. The consolidated document itself stays as it was, stale, until it is written again.

    Attributes
    ----------
    root
        Path of the consolidated group in its store.
    nodes
        Metadata by path relative to `root`; None once it was forgotten.
    """

    __slots__ = ("_order", "nodes", "root")

    def __init__(self, root: str, nodes: Mapping[str, NodeMetadata]) -> None:
        self.root = root
        self.nodes: Mapping[str, NodeMetadata] | None = nodes
        self._order: list[str] | None = None

    def forget(self) -> None:
        """Use the snapshot no longer."""
        self.nodes = self._order = None

    def get(self, path: str) -> NodeMetadata | None:
        """Return the node at a path of the store, or None where there was none."""
        return (self.nodes or {}).get(path[len(prefix_of(self.root)) :])

    def below(self, path: str, max_depth: int | None = None) -> Iterator[tuple[str, NodeMetadata]]:
        """Yield the nodes below a path of the store by their paths relative to it; 0 is its children only."""
        prefix = prefix_of(path)[len(prefix_of(self.root)) :]
        nodes = self.nodes or {}
        names = self._ordered(nodes)
        for place in range(bisect_left(names, _parts(prefix), key=_parts), len(names)):
            name = names[place]
            if not name.startswith(prefix):
                return
            relative = name[len(prefix) :]
            if max_depth is None or relative.count("/") <= max_depth:
                yield relative, nodes[name]

    def _ordered(self, nodes: Mapping[str, NodeMetadata]) -> list[str]:
        """Return the paths, each before those below it, which come before all others."""
        order = self._order
        if order is None:
            self._order = order = sorted(nodes, key=_parts)
        return order


def _parts(path: str) -> list[str]:
    return path.split("/")
