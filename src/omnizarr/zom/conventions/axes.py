"""Axes by the names of their dimensions: how long each dimension is in the arrays of a group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from omnizarr.jsontypes import shown
from omnizarr.zom.array import ArraySpecBase
from omnizarr.zom.faults import Violation
from omnizarr.zom.group import GroupSpecBase

Name: TypeAlias = str | None
Naming: TypeAlias = Callable[[ArraySpecBase[Any]], tuple[Name, ...] | None]
"""Returns the name of each axis of an array; None where the array does not say them rightly."""


class Axis(NamedTuple):
    """One axis of an array in a group."""

    array: str
    number: int
    length: int

    @property
    def at(self) -> str:
        """The place of its length within the array."""
        return f"shape[{self.number}]"


class Dimension(NamedTuple):
    """A dimension of a group, as its arrays have it.

    Attributes
    ----------
    size
        The length of most axes of this name; of the first, where there are as many others.
    """

    name: Name
    size: int
    axes: tuple[Axis, ...]

    @property
    def told(self) -> str:
        """What arrays say of the size: `3 in a, b`."""
        return f"{self.size} in {told_arrays(axis for axis in self.axes if axis.length == self.size)}"


def dimensions_of(group: GroupSpecBase[Any, Any], naming: Naming) -> Mapping[Name, Dimension]:
    """Return the dimensions that the arrays of a group name; those of groups within are not among them."""
    found: dict[Name, list[Axis]] = {}
    for array, node in group.nodes.items():
        if isinstance(node, ArraySpecBase):
            for number, (name, length) in enumerate(
                zip(naming(node) or (), node.metadata.shape, strict=False)
            ):
                found.setdefault(name, []).append(Axis(array, number, length))
    return {name: Dimension(name, _usual(axes), tuple(axes)) for name, axes in found.items()}


def conflicts(dimensions: Mapping[Name, Dimension]) -> Iterator[Violation]:
    """Yield the axes that are not as long as others of the same dimension in their group."""
    for dimension in dimensions.values():
        for axis in dimension.axes:
            if axis.length != dimension.size:
                name = shown(dimension.name)
                message = f"dimension {name} has size {axis.length} here, and {dimension.told}"
                yield Violation(axis.at, message, axis.array)


def told_arrays(axes: Iterator[Axis], limit: int = 5) -> str:
    """Return the names of the arrays that axes are of, not all of many."""
    names = list(dict.fromkeys(axis.array for axis in axes))
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def _usual(axes: list[Axis]) -> int:
    return Counter(axis.length for axis in axes).most_common(1)[0][0]
