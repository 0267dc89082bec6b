"""Formats in which a node, with all that lies below it, has a directory of its own."""

from __future__ import annotations

from collections.abc import Sequence

from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats.base import Owned


class InDirectories:
    """What Zarr v2 and v3 share of `Format`."""

    __slots__ = ()

    def data_prefix(self, path: str, metadata: ArrayMetadata) -> str:
        """Return the path, with a `/` at its end."""
        return f"{path}/" if path else ""

    @property
    def implicit_groups(self) -> bool:
        """False: each group has a document."""
        return False

    def nodes_below(self, path: str) -> str:
        """Return the path, with a `/` at its end."""
        return f"{path}/" if path else ""

    def children(
        self, path: str, found: Sequence[str], prefixes: Sequence[str]
    ) -> dict[str, tuple[str, ...] | None]:
        """Return what has a directory of its own."""
        return {prefix[:-1]: None for prefix in prefixes}

    def owned(self, path: str) -> Owned:
        """Return what lies in the node's directory."""
        return Owned((), (f"{path}/" if path else "",))

    def moved_key(self, key: str, old: str, new: str) -> str:
        """Return the key below the new path."""
        return (f"{new}/" if new else "") + key[len(old) + 1 if old else 0 :]

    def root_documents(self) -> dict[str, bytes]:
        """Return none."""
        return {}
