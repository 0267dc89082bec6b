"""Comparing models: what differs, and where.

Nodes are compared by what they mean, however they are spelled (`NodeSpec.canonical`), field by field and down
to the single value in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from omnizarr.errors import ConversionError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import AnyNode, Group
from omnizarr.hierarchy.paths import joined
from omnizarr.jsontypes import Json, JsonObject, same_json, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.zom.difference import MEMBERS, MISSING, Change, Difference, Missing, differing
from omnizarr.zom.reading import read_model
from omnizarr.zom.version import DEEPEST, Kind, Version, kind_of

if TYPE_CHECKING:
    from omnizarr.zom.node import NodeSpec

FIELDS = (
    *("zarr_format", "node_type", "attributes", MEMBERS),
    *("shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs"),
    *("storage_transformers", "dimension_names"),
    *("chunks", "dtype", "compressor", "order", "filters", "dimension_separator"),
)
"""The fields that nodes of either version have."""


def diff(
    one: NodeSpec[Any] | AnyNode,
    other: NodeSpec[Any] | AnyNode,
    *,
    include: Collection[str] = (),
    exclude: Collection[str] = (),
) -> list[Difference]:
    """Return every difference between two models, or arrays or groups that are open.

    `"\\n".join(map(str, …))` of them is a text to read, a line for each.

    Parameters
    ----------
    include
        Names of the only fields to compare, of every node; all, where empty. Nodes that are on one side only
        are told in any case.
    exclude
        Names of fields not to compare. Without `members`, only the nodes themselves are compared.

    Raises
    ------
    ValueError
        A field is named that no node has; those that there are are listed.
    MetadataError
        Documents of an open group are broken.
    """
    return differences(one, other, include=include, exclude=exclude)


def differences(
    one: NodeSpec[Any] | AnyNode,
    other: NodeSpec[Any] | AnyNode,
    *,
    include: Collection[str] = (),
    exclude: Collection[str] = (),
    first: bool = False,
) -> list[Difference]:
    """Return what differs between two models, or open nodes; with `first`, one difference at most.

    Where one is a model with groups that were not read, an open node is not looked into at those either.
    Of nodes of different kinds or versions nothing else is told.
    """
    include, exclude = _names(include), _names(exclude)
    sides = _sides(one, other, MEMBERS in exclude)
    _check_names((*include, *exclude), sides)
    comparison = _Comparison(include, exclude, lenient=isinstance(one, _OPEN) != isinstance(other, _OPEN))
    return list(islice(comparison.of(*sides), 1 if first else None))


_OPEN = (Array, Group)


def _names(given: Collection[str]) -> frozenset[str]:
    return frozenset([given] if isinstance(given, str) else given)


@dataclass(frozen=True, slots=True)
class _Side:
    """A node of either side: a model, or the metadata of a node that is open."""

    version: Version
    kind: Kind
    node: NodeSpec[Any] | NodeMetadata
    members: Mapping[str, Any] | None = None

    @property
    def is_model(self) -> bool:
        return not isinstance(self.node, ArrayMetadata | GroupMetadata)

    def canonical(self) -> JsonObject:
        """Return the document, in one spelling of all that mean the same."""
        if isinstance(self.node, ArrayMetadata | GroupMetadata):
            return self.version.write(self.node, as_spelled=False)
        return self.node.canonical()

    def document(self) -> JsonObject:
        """Return the document with members, as a difference holds it."""
        found = self.canonical()
        if self.kind == "group":
            members = self.members
            inner: JsonObject = {name: _side(node).document() for name, node in (members or {}).items()}
            found[MEMBERS] = None if members is None else inner
        return found


def _side(node: Any) -> _Side:
    if isinstance(node, _Side):
        return node
    if not hasattr(node, "canonical"):
        raise TypeError(f"expected a model, or an array or group that is open, found {shown(node)}")
    return _Side(node.version, node.kind, node, node.nodes if _is_read(node) else None)


def _is_read(node: NodeSpec[Any]) -> bool:
    return getattr(node, MEMBERS, None) is not None


def _sides(one: Any, other: Any, alone: bool) -> tuple[_Side, _Side]:
    """Return both sides; nodes that are open are read as deep as the other one reaches."""
    depths = [0 if alone else _depth(model) for model in (other, one)]
    first, second = (
        _opened(side, depth) if isinstance(side, _OPEN) else _side(side)
        for side, depth in zip((one, other), depths, strict=True)
    )
    return first, second


def _depth(model: Any) -> int | None:
    """Return down to which level the groups of a model were read; None of what is no model."""
    if isinstance(model, _OPEN):
        return None
    depth, level = 0, [model]
    while any(_is_read(node) for node in level) and depth <= DEEPEST:
        level = [below for node in level if node.kind == "group" for below in node.nodes.values()]
        depth += 1
    return depth


def _opened(node: AnyNode, depth: int | None) -> _Side:
    if node.zarr_format not in (2, 3):
        raise ConversionError(f"expected Zarr 2 or 3, found {node.zarr_format!r}: {node.store_path}")
    version = Version(2 if node.zarr_format == 2 else 3)

    def made(document: dict[str, Any], metadata: NodeMetadata) -> _Side:
        return _Side(version, kind_of(document), metadata, document.get(MEMBERS))

    return read_model(node, version, depth, made)


def _check_names(names: Collection[str], sides: tuple[_Side, _Side]) -> None:
    """Refuse names of fields that nothing has; those of extensions are looked for in both models."""
    unknown = set(names).difference(FIELDS)
    waiting = list(sides) if unknown else []
    while waiting and unknown:
        side = waiting.pop()
        unknown.difference_update(side.canonical())
        waiting += map(_side, (side.members or {}).values())
    if unknown:
        found = ", ".join(map(repr, sorted(unknown)))
        raise ValueError(f"expected names of fields ({', '.join(FIELDS)}), found {found}")


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What is compared, and the way through both trees; `lenient` where None is no members to compare."""

    include: frozenset[str]
    exclude: frozenset[str]
    lenient: bool = False

    def of(self, one: _Side, other: _Side) -> Iterator[Difference]:
        """Yield the differences of two nodes and of all below them, a group's before those of its members."""
        waiting: list[tuple[str, _Side | None, _Side | None]] = [("", one, other)]
        while waiting:
            path, first, second = waiting.pop()
            if first is None or second is None:
                yield _of_one_side(path, first, second)
                continue
            if first.node is second.node and first.is_model:
                continue
            found = _at_all(path, first, second, self.is_compared("zarr_format"))
            if found:
                yield from found
                continue
            yield from self.of_fields(path, first, second)
            if MEMBERS in self.exclude or first.kind == "array":
                continue
            if first.members is None or second.members is None:
                yield from self.of_unread(path, first, second)
            else:
                waiting += reversed(list(_pairs(path, first.members, second.members)))

    def is_compared(self, name: str) -> bool:
        return name not in self.exclude and (not self.include or name in self.include)

    def of_fields(self, path: str, one: _Side, other: _Side) -> Iterator[Difference]:
        """Yield the differences of two nodes' documents."""
        before, after = (
            {name: value for name, value in side.canonical().items() if self.is_compared(name)}
            for side in (one, other)
        )
        if not same_json(before, after):
            for at, *values in differing("", before, after):
                yield _difference(path, at, *values)

    def of_unread(self, path: str, one: _Side, other: _Side) -> Iterator[Difference]:
        """Yield a difference where the members of one group were not read."""
        if one.members is other.members or self.lenient:
            return
        before, after = (None if side.members is None else side.document()[MEMBERS] for side in (one, other))
        yield Difference(path, MEMBERS, "changed", before, after)


def _pairs(
    path: str, one: Mapping[str, Any], other: Mapping[str, Any]
) -> Iterator[tuple[str, _Side | None, _Side | None]]:
    """Yield the nodes of two groups by name, in the order of the first, then those that it has not."""
    for name in dict.fromkeys((*one, *other)):
        sides = [_side(members[name]) if name in members else None for members in (one, other)]
        yield joined(path, name), sides[0], sides[1]


def _of_one_side(path: str, one: _Side | None, other: _Side | None) -> Difference:
    before, after = (MISSING if side is None else side.document() for side in (one, other))
    return _difference(path, "", before, after)


def _at_all(path: str, one: _Side, other: _Side, versions: bool) -> list[Difference]:
    """Return the differences after which there is nothing else to compare."""
    found = []
    if versions and one.version != other.version:
        numbers = one.version.number, other.version.number
        found.append(Difference(path, "zarr_format", "changed", *numbers))
    if one.kind != other.kind:
        found.append(Difference(path, "node_type", "changed", one.kind, other.kind))
    return found


def _difference(path: str, at: str, before: Json | Missing, after: Json | Missing) -> Difference:
    kind: Change = "added" if before is MISSING else "removed" if after is MISSING else "changed"
    return Difference(path, at, kind, before, after)
