"""Where each builder's node is in the file that is being written."""

from __future__ import annotations

from typing import Any

from hdmf.build import Builder, DatasetBuilder, GroupBuilder, LinkBuilder

from omnizarr.hdmf.backend.pointing import NodeBuilder, Pointing, is_foreign, path_of
from omnizarr.hierarchy.paths import joined


class BuilderPaths:
    """The paths of builders below a root, and of what has to be copied to where a link stands.

    A link is replaced by a copy of its target where no link can lead: to a file that is no Zarr hierarchy, or
    to what would be in this file but is not among what is written.
    """

    def __init__(self, root: GroupBuilder, pointing: Pointing) -> None:
        self._pointing = pointing
        self._paths = pointing.paths
        self._datasets: set[str] = set()
        self._known: set[str] = set()
        self._kept: list[Builder] = []  # an id is a builder's as long as that lives
        links = self._take(root, "")
        while links:
            path, link = links.pop()
            if not self.leads(link):
                links += self._take(link.builder, path)

    def has_dataset(self, path: str) -> bool:
        """Say whether a dataset is written at a path."""
        return path in self._datasets

    def leads(self, link: LinkBuilder) -> bool:
        """Say whether a link can be stored as one."""
        target = link.builder
        if id(target) in self._paths:
            return self._paths[id(target)] != path_of(link).strip("/")
        if self._pointing.is_inside(target):
            return path_of(target).strip("/") in self._known
        return not is_foreign(target.source)

    def _take(self, builder: NodeBuilder, path: str) -> list[tuple[str, LinkBuilder]]:
        """Note the paths of builders, and return the links among them."""
        waiting: list[tuple[str, Any]] = [(path, builder)]
        found: list[tuple[str, LinkBuilder]] = []
        while waiting:
            place, one = waiting.pop()
            self._paths.setdefault(id(one), place)
            self._known.add(place)
            self._kept.append(one)
            if isinstance(one, DatasetBuilder):
                self._datasets.add(place)
                continue
            for name, child in (*one.groups.items(), *one.datasets.items()):
                waiting.append((joined(place, name), child))
            found += [(joined(place, name), link) for name, link in one.links.items()]
        return found
