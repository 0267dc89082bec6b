"""The nodes of a root as the page asks for them, each known for some seconds."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from omnizarr.errors import NodeNotFoundError, NodeTypeError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import AnyNode, Group
from omnizarr.pictures.coordinates import Coordinates, coordinates_along
from omnizarr.pictures.subject import Subject, subject_of
from omnizarr.serve.roots import Root

T = TypeVar("T")

_KEPT = 256
# Coordinates that are longer are read where they are needed.
_LONGEST_AXIS = 16384


class Opened:
    """What was found out about a root, as long as `root.node()` is the same handle."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self._top: AnyNode | None = None
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()

    def node(self, path: str) -> AnyNode:
        """Return the node at a path.

        Raises
        ------
        NodeNotFoundError
            There is none.
        """
        top = self.root.node()
        with self._lock:
            if top is not self._top:
                self._top = top
                self._kept.clear()
        if not path:
            return top
        if not isinstance(top, Group):
            raise NodeNotFoundError("there is nothing below an array", store=self.root.url, path=path)
        return self._once(("node", path), lambda: self._below(top, path))

    def _below(self, top: Group, path: str) -> AnyNode:
        # `top[path]` looks for what else might be there, also under keys that are not served.
        node = top.get(path)
        if node is None:
            raise NodeNotFoundError("there is no array or group", store=self.root.url, path=path)
        return node

    def group(self, path: str) -> Group:
        """Return the group at a path; NodeTypeError where it is an array."""
        node = self.node(path)
        if not isinstance(node, Group):
            raise NodeTypeError("expected a group, found an array", store=self.root.url, path=path)
        return node

    def subject(self, path: str) -> Subject:
        """Return the array at a path as its dialect means it; NodeTypeError where it is a group."""
        node = self.node(path)
        if not isinstance(node, Array):
            raise NodeTypeError("expected an array, found a group", store=self.root.url, path=path)
        return self._once(("subject", path), lambda: subject_of(node))

    def coordinate(self, path: str, axis: int, index: int, max_bytes: int) -> Coordinates | None:
        """Return the coordinate at one place of an axis; None where there is none."""
        subject = self.subject(path)
        length = subject.array.shape[axis]
        if length > _LONGEST_AXIS:
            return coordinates_along(subject, axis, slice(index, index + 1, 1), max_bytes)
        whole = slice(0, length, 1)
        key = ("coordinates", path, axis)
        found = self._once(key, lambda: coordinates_along(subject, axis, whole, max_bytes))
        if found is None:
            return None
        return Coordinates(found.values[index : index + 1], found.units, found.long_name)

    def _once(self, key: Hashable, find: Callable[[], T]) -> T:
        """Return what was found before, or find it; two threads may find the same."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return cast(T, self._kept[key])
        found = find()
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found
