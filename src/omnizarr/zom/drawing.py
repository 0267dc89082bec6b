"""Models drawn: as trees, and as texts that are no longer than one can read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from omnizarr import html
from omnizarr.errors import MetadataError
from omnizarr.hierarchy.showing.facts import attributes_html, nodes_html
from omnizarr.hierarchy.showing.pages import MOST_KNOWN, array_html
from omnizarr.hierarchy.tree import Tree, described, draw
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import NodeMetadata

if TYPE_CHECKING:
    from omnizarr.zom.group import GroupSpecBase
    from omnizarr.zom.node import NodeSpec

_WHOLE = 20  # nodes below a group that is shown whole
_SHOWN = 10  # members of others


def tree_of(model: NodeSpec[Any], level: int | None = None, *, max_nodes: int = 500) -> Tree:
    """Return a drawing of a model, `level` groups deep and of at most `max_nodes` nodes.

    Raises
    ------
    ValueError
        `level` or `max_nodes` is negative.
    """
    for name, number in (("level", level), ("max_nodes", max_nodes)):
        if number is not None and number < 0:
            raise ValueError(f"{name}: expected at least 0, found {number}")
    kind = described(model.metadata)
    return draw(f"/ {kind}" if kind else "/", _below(model, level), max_nodes)


def _below(model: NodeSpec[Any], level: int | None) -> Iterator[tuple[str, NodeMetadata]]:
    walk = getattr(model, "walk", None)  # arrays have nothing below
    for path, node in () if walk is None else walk():
        if level is None or path.count("/") < level:
            yield path, node.metadata


def page_of(model: NodeSpec[Any]) -> str:
    """Return a model as a notebook shows it, with the first nodes below."""
    metadata, what = model.metadata, type(model).__name__
    if isinstance(metadata, ArrayMetadata):
        facts = {
            "Data type": metadata.data_type.name,
            "Fill value": metadata.fill_value,
            "Shape": metadata.shape,
            "Codecs": ", ".join(codec.name for codec in metadata.codecs),
        }
        return array_html(what, facts, metadata, metadata.grid.axes(metadata.shape))
    walk = getattr(model, "walk", tuple)
    nodes = {path: _metadata(node) for path, node in islice(walk(), MOST_KNOWN)}
    above = len(getattr(model, "nodes", ())) - sum("/" not in path for path in nodes)
    room = html.Room()
    own = attributes_html(metadata.attributes, room)
    return html.page(f"<b>{html.name(what)}</b>", own, nodes_html(nodes, room, left=above))


def _metadata(node: NodeSpec[Any]) -> NodeMetadata | None:
    """Return a model as values; None where it was not checked, and is none."""
    try:
        return node.metadata
    except (MetadataError, TypeError, AttributeError):
        return None


class _Short(str):
    """A text that stands for something longer, shown as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def shortened(
    model: GroupSpecBase[Any, Any], arguments: Iterable[tuple[str | None, Any]]
) -> Iterator[tuple[str | None, Any]]:
    """Yield the fields that pydantic shows of a group; of one with many nodes, the members in short."""
    known = isinstance(getattr(model, "members", None), Mapping)  # models that were not checked are shown too
    is_large = known and next(islice(model.walk(), _WHOLE, None), None) is not None
    for name, value in arguments:
        yield name, _in_short(model) if is_large and name == "members" else value


def _in_short(model: GroupSpecBase[Any, Any]) -> _Short:
    nodes = model.nodes
    parts = [f"{name!r}: {_named(node)}" for name, node in islice(nodes.items(), _SHOWN)]
    parts += [f"… {len(nodes) - _SHOWN:,} more"] if len(nodes) > _SHOWN else []
    return _Short(f"{{{', '.join(parts)}}}")


def _named(node: NodeSpec[Any]) -> str:
    kind = type(node).__name__
    walk = getattr(node, "walk", None)
    if walk is None:
        return f"<{kind} {described(node.metadata)}>"
    count = sum(1 for _ in walk())
    return f"<{kind}, {count:,} node{'' if count == 1 else 's'} below>"
