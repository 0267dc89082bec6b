"""Nodes of a hierarchy by their paths, from any node of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from omnizarr.zom.faults import Violation
from omnizarr.zom.group import GroupSpecBase
from omnizarr.zom.node import NodeSpec

AnyGroup: TypeAlias = GroupSpecBase[Any, Any]


class Missing(Enum):
    """Why there is no node at a path."""

    ABSENT = "there is none"
    UNREAD = "the members of a group on the way were not read"
    OUTSIDE = "the path leads out of the hierarchy"


@dataclass(frozen=True, slots=True)
class Place:
    """A node, and its path in a hierarchy.

    Attributes
    ----------
    root
        The group that holds the hierarchy.
    path
        The path from there; empty for the root.
    node
        What is there.
    """

    root: AnyGroup
    path: str
    node: NodeSpec[Any]

    @property
    def is_group(self) -> bool:
        """Whether it is a group."""
        return isinstance(self.node, GroupSpecBase)

    def is_below(self, other: Place) -> bool:
        """Say whether it lies in a group, at any depth."""
        return self.path.startswith(f"{other.path}/" if other.path else "") and self.path != other.path

    def find(self, relative: str) -> Place | Missing:
        """Return what lies at a path relative to this node, which may have `.` and `..` in it."""
        parts = self.path.split("/") if self.path else []
        for part in relative.split("/"):
            if part == ".." and not parts:
                return Missing.OUTSIDE
            if part == "..":
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        return self._at(parts)

    def _at(self, parts: list[str]) -> Place | Missing:
        node: NodeSpec[Any] = self.root
        for part in parts:
            if not isinstance(node, GroupSpecBase):
                return Missing.ABSENT
            if node.members is None:
                return Missing.UNREAD
            inner = node.nodes.get(part)
            if inner is None:
                return Missing.ABSENT
            node = inner
        return Place(self.root, "/".join(parts), node)

    def violation(self, at: str, message: str) -> Violation:
        """Return what is wrong at a place within this node."""
        return Violation(at, message, self.path)


def places(root: AnyGroup) -> Iterator[Place]:
    """Yield every node of a hierarchy, the root first."""
    yield Place(root, "", root)
    for path, node in root.walk():
        yield Place(root, path, node)
