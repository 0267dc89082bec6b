"""What datasets of an open file that have grown leave to be done until it is written or closed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from omnizarr.hdmf.backend.datasets import StoredDataset
from omnizarr.hierarchy.consolidate import consolidate_metadata, is_consolidated
from omnizarr.hierarchy.group import Group
from omnizarr.store.base import Store


@dataclass(eq=False, slots=True)
class Growth:
    """What is left to be done.

    Attributes
    ----------
    grown
        Whether datasets have grown since the file was consolidated.
    left
        Chunks that their arrays need no more, but consolidated metadata may still speak of.
    waiting
        Elements that were added before the containers were written to which they refer: the dataset, the
        place along its first axis, and the element.
    """

    grown: bool = False
    left: list[tuple[Store, str]] = field(default_factory=list)
    waiting: list[tuple[StoredDataset, int, Any]] = field(default_factory=list)

    def refer(self) -> None:
        """Store the references that waited for containers to be written."""
        waiting, self.waiting = self.waiting, []
        for dataset, place, value in waiting:
            dataset.replace(place, value)

    def settle(self, root: Group) -> None:
        """Bring consolidated metadata up to date; chunks that nobody needs then go."""
        if self.grown and is_consolidated(root):
            consolidate_metadata(root)
        self.done()

    def done(self) -> None:
        """Remove the chunks that nobody needs, now that the file is consolidated."""
        left, self.left, self.grown = self.left, [], False
        for store, key in left:
            store.delete(key)
