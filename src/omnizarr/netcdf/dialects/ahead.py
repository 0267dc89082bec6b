"""What reading a dataset asks of its store, asked ahead where each request waits for a network.

A reader goes from node to node, and would wait for each. Here a level of the hierarchy is asked for at a
time, as many requests at once as pay off; the reader then finds every answer, and every failure, as if it had
asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import TypeVar

from omnizarr.errors import OmniZarrError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.requests import each
from omnizarr.jsontypes import Json
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.netcdf.dialects.notes import ArrayNotes, GroupNotes, Notes

T = TypeVar("T")


class AskedAhead:
    """Notes, and the nodes that they are about; each is asked for once."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._answers: dict[tuple[str, str], object] = {}
        self._failures: dict[tuple[str, str], OmniZarrError] = {}

    def ask(self, root: Group) -> None:
        """Ask for all that is below a group, unless its store answers at once."""
        groups = [root] if root.store.requests > 1 else []
        while groups:
            names = each(root.store, self._names_of, groups)
            wanted = [(group, name) for group, found in zip(groups, names, strict=True) for name in found]
            children = each(root.store, self._asked_child, wanted)
            groups = [child for child in children if isinstance(child, Group)]

    def names(self, node: Group) -> tuple[str, ...]:
        """Return the names of all nodes in a group, as the store has them."""
        return self._once("names", node.path, lambda: tuple(node.keys()))

    def child(self, node: Group, name: str) -> Group | Array:
        """Return the node of a name in a group; errors as those of `group[name]`."""
        return self._once("node", f"{node.path}/{name}", lambda: node[name])

    def of_group(self, node: Group) -> GroupNotes:
        """Return what is noted about a group."""
        return self._once("group", node.path, lambda: self._notes.of_group(node))

    def of_array(self, node: Array) -> ArrayNotes:
        """Return what is noted about an array."""
        return self._once("array", node.path, lambda: self._notes.of_array(node))

    def attribute_types(self, node: Group | Array) -> Mapping[str, Json]:
        """Return the types of a node's attributes."""
        return self._once("attributes", node.path, lambda: self._notes.attribute_types(node))

    def stored(self, array: Array) -> ArrayMetadata:
        """Return an array as it was stored."""
        return self._notes.stored(array)

    def _names_of(self, node: Group) -> Iterable[str]:
        notes = GroupNotes()
        with suppress(OmniZarrError):  # of which the reader will hear
            notes = self.of_group(node)
        _quietly(partial(self.attribute_types, node))
        names = dict.fromkeys((*(notes.arrays or ()), *(notes.groups or ())))
        if notes.arrays is None or notes.groups is None:
            names |= dict.fromkeys(self.names(node))
        return [name for name in names if "/" not in name]

    def _asked_child(self, place: tuple[Group, str]) -> Group | Array | None:
        try:
            child = self.child(*place)
        except OmniZarrError:
            return None
        if isinstance(child, Array):
            _quietly(partial(self.of_array, child))
            _quietly(partial(self.attribute_types, child))
        return child

    def _once(self, kind: str, path: str, ask: Callable[[], T]) -> T:
        place = kind, path
        if place in self._failures:
            raise self._failures[place]
        if place not in self._answers:
            try:
                self._answers[place] = ask()
            except OmniZarrError as error:
                self._failures[place] = error
                raise
        return self._answers[place]  # type: ignore[return-value]


def _quietly(ask: Callable[[], object]) -> None:
    with suppress(OmniZarrError):
        ask()
