"""An array or a group as a notebook shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from omnizarr import html
from omnizarr.errors import OmniZarrError
from omnizarr.geometry.grid import Axis
from omnizarr.hierarchy.documents import fetch_metadata
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.hierarchy.requests import each
from omnizarr.hierarchy.showing.chunks import drawn
from omnizarr.hierarchy.showing.facts import attributes_html, dimensions_of, nodes_html
from omnizarr.hierarchy.tree import described
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import NodeMetadata

if TYPE_CHECKING:
    from omnizarr.hierarchy.node import Node

# Members of a group that are read and shown; of one whose metadata are at hand, nodes below.
MOST_MEMBERS = 40
MOST_KNOWN = 300


def array_html(place: str, facts: Mapping[str, Any], metadata: ArrayMetadata, axes: Sequence[Axis]) -> str:
    """Return what an array is, a drawing of its chunks, and its attributes."""
    room = html.Room()
    names = dimensions_of(metadata)
    said = html.small(f"{names} {described(metadata)}".strip())
    title = f"<b>{html.name(place.rpartition('/')[2])}</b> {said}"
    table = html.rows(facts.items(), room)
    return html.page(title, html.beside(table, drawn(axes)), attributes_html(metadata.attributes, room))


def group_html(group: Node, facts: Mapping[str, Any], known: Mapping[str, NodeMetadata] | None) -> str:
    """Return what a group holds, its attributes, and what it is."""
    room = html.Room()
    try:
        members = members_of(group, known)
    except OmniZarrError as error:
        members = f"<p>{html.small(f'members cannot be listed: {error}')}</p>"
    title = f"<b>{html.name(group.name)}</b> {html.small(group.store.name)}"
    about = html.fold(html.small("about"), html.rows(facts.items(), room))
    attributes = attributes_html(group.metadata.attributes, room)
    return html.page(title, members, attributes, about)


def members_of(group: Node, known: Mapping[str, NodeMetadata] | None) -> str:
    """Return the members of a group, by one listing and their documents; where known, all nodes below."""
    room = html.Room()
    if known is not None:
        some: dict[str, NodeMetadata | None] = dict(islice(known.items(), MOST_KNOWN))
        left = sum("/" not in path for path in known) - sum("/" not in path for path in some)
        return nodes_html(some, room, left=left)
    listing = group.store.list_dir(group.format.nodes_below(group.path))
    paths = list(group.format.children(group.path, *listing))
    answers = each(group.store, partial(_asked, group), paths[:MOST_MEMBERS])
    found = {path: metadata for answer in answers for path, metadata in answer}
    return nodes_html(found, room, left=len(paths) - len(answers))


def _asked(group: Node, path: str) -> list[tuple[str, NodeMetadata | None]]:
    """Return a member's name and its metadata, None where they cannot be read; nothing where it is none."""
    name = path[len(prefix_of(group.path)) :]
    try:
        metadata = fetch_metadata(group.store, group.format, path)
    except OmniZarrError:
        return [(name, None)]
    return [] if metadata is None else [(name, metadata)]
