"""The members of a group, with those that links lead to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from omnizarr.errors import MetadataError, Problem
from omnizarr.hierarchy.discover import walk
from omnizarr.hierarchy.linking.files import Files
from omnizarr.hierarchy.linking.following import Spot, Way, links_of
from omnizarr.hierarchy.linking.reference import Link
from omnizarr.hierarchy.paths import ancestors_of, joined, prefix_of
from omnizarr.metadata.group import GroupMetadata, NodeMetadata

if TYPE_CHECKING:
    from omnizarr.hierarchy.group import Group

MOST_MEMBERS = 1_000_000  # links to groups full of links make more of them than there are atoms


def members_over_links(group: Group, max_depth: int | None) -> list[tuple[str, Spot]]:
    """Return the nodes below a group and those that links below it lead to, by the paths that lead there.

    Parameters
    ----------
    max_depth
        0 for the children only, 1 for theirs too; None for all.

    Raises
    ------
    NodeNotFoundError, StoreError
        A link leads to nothing, or to a file that cannot be opened.
    MetadataError
        A link has the name of a member; or it leads to a group that it lies in, and there is no `max_depth`.
    """
    files = Files()
    file = files.of(group)
    start = Spot(file, file.relative(group.path), group.metadata)
    return sorted(_Listing(files, max_depth).below(start), key=lambda member: member[0].split("/"))


@dataclass(frozen=True, slots=True)
class _Branch:
    """A group to be listed: where it appears, and the groups that it appears within, by their names."""

    prefix: str
    spot: Spot
    within: frozenset[str] = frozenset()


class _Listing:
    def __init__(self, files: Files, max_depth: int | None) -> None:
        self._files = files
        self._max_depth = max_depth

    def below(self, start: Spot) -> Iterator[tuple[str, Spot]]:
        waiting = [_Branch("", start)]
        count = 0
        while waiting:
            branch = waiting.pop()
            found, further = self._branch(branch)
            waiting += further
            count += len(found)
            if count > MOST_MEMBERS:
                message = f"more than {MOST_MEMBERS} members, as links lead to groups with links"
                raise MetadataError([Problem("", message)], store=start.file.store.name, path=start.place)
            yield from found

    def _branch(self, branch: _Branch) -> tuple[list[tuple[str, Spot]], list[_Branch]]:
        """Return the members of a group, of its links too, and the groups that links lead to."""
        spot = branch.spot
        depth = None if self._max_depth is None else self._max_depth - branch.prefix.count("/")
        nodes = dict(_walk(spot, depth))
        found = {path: Spot(spot.file, joined(spot.path, path), node) for path, node in nodes.items()}
        groups = {path: one for path, one in found.items() if isinstance(one.metadata, GroupMetadata)}
        further = []
        for path, one in [("", spot), *groups.items()]:
            if depth is not None and path and path.count("/") >= depth:
                continue
            for name, link in links_of(one).items():
                place = joined(path, name)
                if place in found:
                    raise _clash(one, name)
                target = Way(self._files).follow(link, one)
                found[place] = target
                if isinstance(target.metadata, GroupMetadata) and (depth is None or place.count("/") < depth):
                    within = branch.within | {spot.name, one.name}
                    within |= {joined(spot.name, above) for above in ancestors_of(path)}
                    if self._max_depth is None and target.name in within:
                        raise _circle(one, link)
                    further.append(_Branch(prefix_of(branch.prefix + place), target, within))
        return [(branch.prefix + path, one) for path, one in found.items()], further


def _walk(spot: Spot, depth: int | None) -> Iterator[tuple[str, NodeMetadata]]:
    file = spot.file
    if (known := file.known(spot.place)) is not None:
        return known.below(spot.place, depth)
    return walk(file.store, file.format, spot.place, max_depth=depth)


def _clash(group: Spot, name: str) -> MetadataError:
    problem = Problem("attributes", f"expected another name for a link than {name!r}, which a member has")
    return MetadataError([problem], store=group.file.store.name, path=group.place)


def _circle(group: Spot, link: Link) -> MetadataError:
    message = f"the link {link.name!r} points at {link.reference}, in which it lies: there is no end to it"
    return MetadataError(
        [Problem("", f"{message}; max_depth sets one")], store=group.file.store.name, path=group.place
    )
