"""What NCZarr asks of a whole dataset: that what is referred to exists, and is as long as the arrays are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from omnizarr.hierarchy.paths import ancestors_of, joined, parent_of
from omnizarr.jsontypes import Json, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.zom.conventions.nczarr_reading import (
    ArrayNote,
    DimensionNote,
    GroupNote,
    dimensions_in,
    type_codes,
)
from omnizarr.zom.conventions.nczarr_types import is_user_type
from omnizarr.zom.faults import Violation
from omnizarr.zom.group import GroupSpecBase


def dataset_faults(root: GroupSpecBase[Any, Any]) -> Iterator[Violation]:
    """Yield what is wrong between the nodes of a dataset."""
    nodes = {"": root.metadata, **{path: node.metadata for path, node in root.walk()}}
    dataset = _Dataset.of(nodes)
    for path, metadata in nodes.items():
        if isinstance(metadata, ArrayMetadata):
            yield from dataset.axes(path, metadata)
        for _, code, _ in type_codes(metadata):
            yield from dataset.user_type(path, code.value, code.at)


@dataclass(frozen=True, slots=True)
class _Dataset:
    """What all groups define, by absolute path without the first `/`.

    Attributes
    ----------
    growing
        The dimensions whose growth was interrupted.
    listed
        The arrays that netCDF-C is told of; others wait for growth to end.
    """

    dimensions: Mapping[str, DimensionNote]
    types: frozenset[str]
    growing: frozenset[str]
    listed: frozenset[str]

    @classmethod
    def of(cls, nodes: Mapping[str, NodeMetadata]) -> _Dataset:
        groups = [(path, node) for path, node in nodes.items() if isinstance(node, GroupMetadata)]
        notes = {path: GroupNote.of(group) for path, group in groups}
        return cls(
            dimensions={joined(path, d.name): d for path, group in groups for d in dimensions_in(group)},
            types=frozenset(
                joined(path, name) for path, note in notes.items() for name, _ in note.types.items()
            ),
            growing=frozenset(path.removeprefix("/") for note in notes.values() for path in note.sizes),
            listed=frozenset(
                joined(path, name) for path, note in notes.items() for name, _ in note.arrays.names()
            ),
        )

    def axes(self, path: str, array: ArrayMetadata) -> Iterator[Violation]:
        """Yield an array's references to nothing, and its axes that are not as long as their dimension."""
        note, shape = ArrayNote.of(array), array.shape
        if note.references is None or note.is_scalar:
            return
        references = note.references.names()
        are_all = isinstance(note.references.value, list) and len(references) == len(note.references.value)
        for number, (reference, at) in enumerate(references):
            found = self.resolved(reference, path)
            if found is None:
                message = f"there is no dimension {shown(reference)} in this group or above"
                yield Violation(at, message, path)
            elif are_all and len(references) == len(shape) and not self.waits(path, found):
                yield from _length(self.dimensions[found], reference, shape[number], f"shape[{number}]", path)
        yield from self.user_type(path, note.type.value, note.type.at)

    def resolved(self, reference: str, path: str) -> str | None:
        """Return the path of the dimension that an array refers to; of names alone the nearest one above."""
        visible = ancestors_of(path)
        if "/" not in reference:
            return next(
                (at for group in visible if (at := joined(group, reference)) in self.dimensions), None
            )
        found = reference.removeprefix("/")
        is_there = reference.startswith("/") and found in self.dimensions
        return found if is_there and parent_of(found) in visible else None

    def waits(self, path: str, dimension: str) -> bool:
        return dimension in self.growing and path not in self.listed

    def user_type(self, path: str, code: Json, at: str) -> Iterator[Violation]:
        """Yield a reference to a type of the user that no group defines."""
        if isinstance(code, str) and is_user_type(code) and code[1:] not in self.types:
            yield Violation(at, f"there is no type {shown(code)}", path)


def _length(dimension: DimensionNote, reference: str, length: int, at: str, path: str) -> Iterator[Violation]:
    if dimension.size != length:
        message = f"expected {dimension.size}, the size of dimension {shown(reference)}, found {length}"
        yield Violation(at, message, path)
