"""A hierarchy drawn as a tree, as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from omnizarr import html
from omnizarr.hierarchy.paths import parent_of
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import NodeMetadata


@dataclass(frozen=True, slots=True)
class Tree:
    """A drawing of the nodes below a group: `str` of it for text; notebooks show it as nested lists.

    Attributes
    ----------
    name
        What stands at the top.
    nodes
        Metadata by path relative to the top, where a group stands before what it holds.
    cut
        Whether there are more nodes than are drawn.
    """

    name: str
    nodes: dict[str, NodeMetadata]
    cut: bool = False

    def __str__(self) -> str:
        lines = [self.name]
        self._draw("", "", self._by_parent(), lines)
        return "\n".join([*lines, "…"] if self.cut else lines)

    def __repr__(self) -> str:
        return str(self)

    def _draw(self, group: str, indent: str, children: dict[str, list[str]], lines: list[str]) -> None:
        for child in children.get(group, []):
            last = child == children[group][-1]
            lines.append(indent + ("└── " if last else "├── ") + self._label(child))
            self._draw(child, indent + ("    " if last else "│   "), children, lines)

    def _by_parent(self) -> dict[str, list[str]]:
        children: dict[str, list[str]] = {}
        for path in sorted(self.nodes, key=lambda path: path.split("/")):
            children.setdefault(parent_of(path), []).append(path)
        return children

    def _label(self, path: str) -> str:
        name, kind = path.rpartition("/")[2], described(self.nodes[path])
        return f"{name} {kind}" if kind else name

    def _repr_html_(self) -> str:
        more = "<p>…</p>" if self.cut else ""
        return html.page(html.text(self.name), self._list("", self._by_parent()), more)

    def _list(self, group: str, children: dict[str, list[str]]) -> str:
        items = [self._item(child, children) for child in children.get(group, [])]
        return f"<ul>{''.join(items)}</ul>" if items else ""

    def _item(self, path: str, children: dict[str, list[str]]) -> str:
        label, inner = html.text(self._label(path)), self._list(path, children)
        if inner:
            return f"<li><details open><summary>{label}</summary>{inner}</details></li>"
        return f"<li>{label}</li>"


def described(metadata: NodeMetadata) -> str:
    """Return an array's shape and type in few words; nothing for a group."""
    if not isinstance(metadata, ArrayMetadata):
        return ""
    kind = metadata.data_type
    return f"{metadata.shape} {kind.dtype if kind.scalars is None and not kind.is_variable else kind.name}"


def draw(name: str, nodes: Iterable[tuple[str, NodeMetadata]], max_nodes: int) -> Tree:
    """Return a drawing of the first `max_nodes` nodes below a group called `name`."""
    shown: dict[str, NodeMetadata] = {}
    for path, metadata in nodes:
        if len(shown) == max_nodes:
            return Tree(name, shown, cut=True)
        shown[path] = metadata
    return Tree(name, shown)
