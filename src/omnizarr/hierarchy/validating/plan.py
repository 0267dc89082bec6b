"""What a repair would do, and doing it.

Keys that belong to nothing go, consolidated metadata are written anew, and nothing else is touched. Each key
is removed for itself, so a repair that was interrupted has done a part of it, and the next does the rest.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from omnizarr.engine.pool import batches
from omnizarr.errors import MetadataError
from omnizarr.hierarchy.consolidate import consolidate_metadata
from omnizarr.hierarchy.discover import is_node
from omnizarr.hierarchy.documents import fetch_metadata
from omnizarr.hierarchy.paths import ancestors_of, prefix_of
from omnizarr.hierarchy.requests import delete_keys
from omnizarr.hierarchy.validating.check import Check
from omnizarr.hierarchy.validating.nodes import Nodes
from omnizarr.hierarchy.validating.stores import draft_path
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats import FORMATS
from omnizarr.store.directories.draft import remove_stale

_PAGE = 1000
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Refresh:
    """Consolidated metadata of a group that would be written anew; `refusal` says why they are not."""

    zarr_format: int | str
    group: str
    refusal: str = ""


@dataclass(slots=True)
class RepairPlan:
    """What a repair of a hierarchy that was checked would do.

    Attributes
    ----------
    keep
        Patterns, as shells have them, of keys that stay.
    """

    check: Check
    keep: Sequence[str] = ()
    _nodes_at: dict[str, bool] = field(default_factory=dict)

    def removals(self) -> Iterator[str]:
        """Yield the keys that would be removed."""
        return (key for key in self.check.removable if not self._is_kept(key))

    def drafts(self) -> list[str]:
        """Return the hidden files of a directory that would be removed."""
        return [name for name in self.check.drafts if not self._is_kept(name)]

    def refreshes(self) -> list[Refresh]:
        """Return the groups whose consolidated metadata are stale, with those that are left as they are."""
        return [
            Refresh(nodes.format.zarr_format, group, self._refusal(nodes, group))
            for nodes in self.check.read
            for group in sorted(nodes.stale)
        ]

    def run(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Carry it out; return how many keys and files were removed.

        What became part of a node since it was looked at stays.

        Raises
        ------
        StoreError
            The store failed; what was not done is done by the next repair.
        """
        store = self.check.store
        store.require_writable()
        removed = 0
        for page in batches(self.removals(), _PAGE):
            still = [key for key in page if self._is_still_nothing(key)]
            delete_keys(store, still)
            removed += len(still)
            _log.info("%s: repair removed %d keys, %s to %s", store.name, len(still), still[:1], still[-1:])
            if progress is not None:
                progress(removed, len(self.check.removable))
        for name in self.drafts():
            path = draft_path(store, name)
            removed += path is not None and remove_stale(path)
        for one in self.refreshes():
            if not one.refusal:
                consolidate_metadata(store, one.group, one.zarr_format)
        return removed

    def _is_kept(self, key: str) -> bool:
        return any(fnmatchcase(key, pattern) for pattern in self.keep)

    def _refusal(self, nodes: Nodes, group: str) -> str:
        prefix = prefix_of(group)
        broken = sorted(place for place in nodes.broken if place.startswith(prefix))
        if broken:
            return f"the node /{broken[0]} below it cannot be read"
        ghosts = sorted(self.check.ghosts.get((nodes.format.zarr_format, group), ()))
        return f"they alone have the document of /{ghosts[0]}, of which there are keys" if ghosts else ""

    def _is_still_nothing(self, key: str) -> bool:
        """Look again for what may have been made since the keys were listed: nodes above, a larger shape."""
        top, read = self.check.path, self.check.read
        above = (up for up in ancestors_of(key) if len(up) >= len(top))
        new = any(self._is_node(up) for up in above if not any(up in nodes.metadata for nodes in read))
        return not new and not self._is_changed(key)

    def _is_node(self, place: str) -> bool:
        if place not in self._nodes_at:
            formats = [*FORMATS.values(), *(nodes.format for nodes in self.check.read)]
            self._nodes_at[place] = any(is_node(self.check.store, format, place) for format in formats)
        return self._nodes_at[place]

    def _is_changed(self, key: str) -> bool:
        """Say whether an array that a key lies in is another one by now."""
        place = self.check.territory.sorted(key).place
        name = f"array {place}"
        if name not in self._nodes_at:
            self._nodes_at[name] = any(
                place in nodes.arrays and not self._is_as_it_was(nodes, place) for nodes in self.check.read
            )
        return self._nodes_at[name]

    def _is_as_it_was(self, nodes: Nodes, place: str) -> bool:
        try:
            now = fetch_metadata(nodes.store, nodes.format, place)
        except MetadataError:
            return False
        was = nodes.arrays[place].metadata
        same = isinstance(now, ArrayMetadata) and (now.shape, now.grid) == (was.shape, was.grid)
        return same and isinstance(now, ArrayMetadata) and now.chunk_keys == was.chunk_keys
