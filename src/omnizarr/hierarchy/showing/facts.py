"""What attributes and the nodes of a tree look like, as pieces of HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np

from omnizarr import html
from omnizarr.hierarchy.tree import described
from omnizarr.jsontypes import shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.convert import DIMENSIONS
from omnizarr.metadata.group import NodeMetadata

MOST_ATTRIBUTES = 50


def attributes_html(attributes: Mapping[str, object], room: html.Room, *, is_open: bool = False) -> str:
    """Return attributes that open; nothing where there are none."""
    if not attributes:
        return ""
    some = islice(attributes.items(), MOST_ATTRIBUTES)
    table = html.rows(((key, _value(value)) for key, value in some), room, count=len(attributes))
    said = f"{len(attributes)} attribute{'s' * (len(attributes) != 1)}"
    return html.fold(html.small(said), table, is_open=is_open)


def _value(value: object) -> str:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    return value if isinstance(value, str) else shown(value, html.LONGEST_TEXT)


def label_of(path: str, metadata: NodeMetadata | None) -> str:
    """Return the name of a node and what it is, in few words."""
    own = html.name(path.rpartition("/")[2])
    if metadata is None:
        return f"{own} {html.small('cannot be read')}"
    if not isinstance(metadata, ArrayMetadata):
        return f"<b>{own}/</b>"
    names = dimensions_of(metadata)
    return f"{own} {html.small(' '.join(filter(None, (names, described(metadata)))), 160)}"


def dimensions_of(metadata: ArrayMetadata) -> str:
    """Return the names of an array's axes, as far as they have some."""
    names: object = metadata.dimension_names or metadata.attributes.get(DIMENSIONS)
    if not isinstance(names, list | tuple) or not any(names):
        return ""
    return f"({', '.join('·' if part is None else str(part) for part in names)})"


def nodes_html(
    nodes: Mapping[str, NodeMetadata | None], room: html.Room, *, left: int = 0, with_attributes: bool = True
) -> str:
    """Return nodes by path as nested lists that open; those of the first level are seen at once.

    Parameters
    ----------
    left
        How many there are on the first level beside these.
    """
    children: dict[str, list[str]] = {}
    for path in nodes:
        children.setdefault(path.rpartition("/")[0], []).append(path)

    def listed(paths: Sequence[str], left: int) -> str:
        found = []
        for at, path in enumerate(paths):
            label = label_of(path, nodes[path])
            if not room.takes(label):
                left += len(paths) - at
                break
            found.append(item(path, label))
        return html.items([*found, html.small(f"… {left} more")] if left else found)

    def item(path: str, label: str) -> str:
        metadata = nodes[path]
        has_attributes = with_attributes and metadata is not None
        own = attributes_html(metadata.attributes, room) if has_attributes and metadata else ""
        below = own + listed(children.get(path, ()), 0)
        return html.fold(label, below) if below else label

    return listed(children.get("", ()), left)
