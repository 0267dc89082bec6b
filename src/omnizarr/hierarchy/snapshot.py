"""Consolidated metadata as an open hierarchy uses them."""

from __future__ import annotations

from collections.abc import Mapping

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

    __slots__ = ("nodes", "root")

    def __init__(self, root: str, nodes: Mapping[str, NodeMetadata]) -> None:
        self.root = root
        self.nodes: Mapping[str, NodeMetadata] | None = nodes

    def forget(self) -> None:
        """Use the snapshot no longer."""
        self.nodes = None
