"""Following paths through links, to whatever file they lead."""

from __future__ import annotations

from dataclasses import dataclass

from omnizarr.errors import MetadataError, NodeNotFoundError, Problem, StoreError
from omnizarr.hierarchy.linking.files import File, Files
from omnizarr.hierarchy.linking.links import links_in
from omnizarr.hierarchy.linking.reference import Link, Reference
from omnizarr.hierarchy.opening.diagnose import absent
from omnizarr.hierarchy.paths import joined
from omnizarr.metadata.group import GroupMetadata, NodeMetadata

MOST_LINKS = 40  # on the way to one node, as file systems have it


@dataclass(frozen=True, slots=True)
class Spot:
    """A node that was found: its file, its path from the root of it, and its metadata."""

    file: File
    path: str
    metadata: NodeMetadata

    @property
    def place(self) -> str:
        """The node's path in its store."""
        return joined(self.file.root, self.path)

    @property
    def name(self) -> str:
        """The file and the path, as one URL."""
        return joined(self.file.name.rstrip("/"), self.path)


class Way:
    """The way to one node, over as many links as there are on it.

    Parameters
    ----------
    files
        The files that are open, and those that will be.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._under_way: list[str] = []
        self._count = 0

    def find(self, file: File, path: str) -> Spot | None:
        """Return the node at a path from the root of a file, or None; the path may lead through links."""
        metadata = file.find(path)
        if metadata is not None:
            return Spot(file, path, metadata)
        parts = path.split("/") if path else []
        for cut in reversed(range(len(parts))):
            above = "/".join(parts[:cut])
            metadata = file.find(above)
            if metadata is not None:
                return self._beyond(Spot(file, above, metadata), parts[cut], "/".join(parts[cut + 1 :]))
        return None

    def _beyond(self, above: Spot, name: str, rest: str) -> Spot | None:
        if not isinstance(above.metadata, GroupMetadata):
            return None
        link = links_of(above).get(name)
        if link is None:
            return None
        spot = self.follow(link, above)
        return self.find(spot.file, joined(spot.path, rest)) if rest else spot

    def follow(self, link: Link, above: Spot) -> Spot:
        """Return what a link in a group points at; errors as those of `target`.

        Raises
        ------
        MetadataError
            The link leads back to itself.
        """
        place = joined(above.name, link.name)
        self._count += 1
        if place in self._under_way or self._count > MOST_LINKS:
            chain = " → ".join([*self._under_way, place])
            what = "links in a circle" if place in self._under_way else f"more than {MOST_LINKS} links"
            raise MetadataError(
                [Problem("", f"{what}: {chain}")], store=above.file.store.name, path=above.place
            )
        self._under_way.append(place)
        spot = self.target(link.reference, above.file, above.place, f"the link {link.name!r}")
        self._under_way.pop()
        return spot

    def target(self, reference: Reference, file: File, at: str, what: str) -> Spot:
        """Return what a reference points at.

        Parameters
        ----------
        file, at
            Where the reference stands: its file, and the path of its node in the store.
        what
            The reference, as an error names it.

        Raises
        ------
        NodeNotFoundError
            There is nothing, or not the file.
        StoreError
            The file cannot be opened.
        """
        what = f"{what} points at {reference}"
        place = reference.place
        try:
            other = self._files.other(file, reference.source)
        except NodeNotFoundError as error:
            raise NodeNotFoundError(f"{what}: {error}", store=file.store.name, path=at) from error
        except StoreError as error:
            raise StoreError(f"{what}: {error}", store=file.store.name, errno=error.errno) from error
        spot = self.find(other, place)
        if spot is None:
            why = absent(other.store, other.format, joined(other.root, place))
            raise NodeNotFoundError(f"{what}: {why}", store=file.store.name, path=at)
        return spot


def links_of(spot: Spot) -> dict[str, Link]:
    """Return the links in a group that was found."""
    return links_in(spot.metadata.attributes, store=spot.file.store.name, path=spot.place)
