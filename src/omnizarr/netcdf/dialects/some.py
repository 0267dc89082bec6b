"""Some variables of an annotated dataset, read without the others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.netcdf.dialects.base import Found
from omnizarr.netcdf.dialects.nczarr import NCZarr
from omnizarr.netcdf.dialects.nczarr1 import NCZarr1
from omnizarr.netcdf.dialects.nczarr2 import NCZarr2
from omnizarr.netcdf.dialects.nczarr3 import NCZarr3
from omnizarr.netcdf.dialects.notes import Annotated, ArrayNotes, GroupNotes, Notes
from omnizarr.netcdf.dialects.proposal2018 import Proposal2018
from omnizarr.netcdf.dialects.reading import read_annotated
from omnizarr.netcdf.model.nodes import parent_of

_ANNOTATED: tuple[Annotated, ...] = (NCZarr(), NCZarr3(), NCZarr2(), NCZarr1(), Proposal2018())


def annotated(root: Group) -> Annotated | None:
    """Return the dialect whose notes are at a group; None where there are none."""
    return next((dialect for dialect in _ANNOTATED if dialect.recognizes(root)), None)


def read_some(root: Group, dialect: Annotated, wanted: Collection[str]) -> Found:
    """Return the dataset below a group as if it held no other arrays than some; others are not asked for.

    Parameters
    ----------
    wanted
        The absolute paths of arrays within the dataset.
    """
    node, notes = dialect.noted(root)
    return read_annotated(node, dialect.name, _Some(notes, node.path, frozenset(wanted)))


class _Some:
    """Notes that list some arrays only, and the groups above them."""

    def __init__(self, notes: Notes, root: str, wanted: frozenset[str]) -> None:
        self._notes = notes
        self._root = root
        self._arrays = wanted
        self._groups = {above for path in wanted for above in _above(path)}

    def of_group(self, node: Group) -> GroupNotes:
        """Return what is noted about a group, of its members those that are wanted."""
        found = self._notes.of_group(node)
        path = f"/{node.path[len(self._root) :].strip('/')}"
        return replace(
            found,
            arrays=_chosen(node, path, found.arrays, self._arrays),
            groups=_chosen(node, path, found.groups, self._groups),
        )

    def of_array(self, node: Array) -> ArrayNotes:
        """Return what is noted about an array."""
        return self._notes.of_array(node)

    def attribute_types(self, node: Group | Array) -> Mapping[str, Json]:
        """Return the types of a node's attributes."""
        return self._notes.attribute_types(node)

    def stored(self, array: Array) -> ArrayMetadata:
        """Return an array as it was stored."""
        return self._notes.stored(array)


def _chosen(
    node: Group, path: str, names: tuple[str, ...] | None, wanted: Collection[str]
) -> tuple[str, ...]:
    """Return the names in a group that are wanted: of those that are listed, or else that are there."""
    below = [place.rpartition("/")[2] for place in wanted if place != "/" and parent_of(place) == path]
    return tuple(name for name in below if (name in node if names is None else name in names))


def _above(path: str) -> list[str]:
    found = []
    while path != "/":
        path = parent_of(path)
        found.append(path)
    return found
