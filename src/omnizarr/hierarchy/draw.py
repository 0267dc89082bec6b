"""A hierarchy as a tree, from wherever it is."""

from __future__ import annotations

from typing import Any

from omnizarr.errors import NodeTypeError
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.open import open as open_node
from omnizarr.hierarchy.tree import Tree


def tree(node: Any, level: int | None = None, *, max_nodes: int = 500, **arguments: Any) -> Tree:
    """Return a drawing of a group and what lies below: text by `str`, nested lists in notebooks.

    Parameters
    ----------
    node
        A group, or whatever `open` takes.
    level
        How many groups deep.
    max_nodes
        How many nodes are drawn.
    **arguments
        As in `open`.

    Raises
    ------
    NodeTypeError
        There is an array.
    """
    group = node if isinstance(node, Group) and not arguments else open_node(node, mode="r", **arguments)
    if not isinstance(group, Group):
        message = "expected a group to draw, found an array"
        raise NodeTypeError(message, store=group.store.name, path=group.path)
    return group.tree(level, max_nodes=max_nodes)
