"""Models of NCZarr as netCDF-C wrote it before 4.9.3: notes inside `.zgroup`, `.zarray` and `.zattrs`.

Their names are in capitals up to 4.9.0. Zarr has them for unknown fields, so that they are among the
`model_extra` of the models. Of the generation before, the documents beside those of Zarr are no part of any
model.

https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeAlias, cast

from pydantic import BaseModel, Discriminator, StrictStr, Tag, ValidationError

from omnizarr.zom import v2
from omnizarr.zom.conventions.nczarr_checks import array_faults, group_faults
from omnizarr.zom.conventions.nczarr_notes import (
    ARRAY,
    GROUP,
    SUPERBLOCK,
    TYPES_V2,
    DimensionSize,
    Flag,
    Superblock,
)
from omnizarr.zom.conventions.nczarr_reading import noted
from omnizarr.zom.conventions.nczarr_tree import dataset_faults
from omnizarr.zom.faults import Violation, findings
from omnizarr.zom.node import Attributes, NodeSpec
from omnizarr.zom.types import Items
from omnizarr.zom.version import kind_of_value

__all__ = ["MODELS", "Array", "Dataset", "Group"]

_UNSET = cast("Any", None)


class GroupNotes(Attributes):
    """The dimensions of a group, and the names of what is in it."""

    dims: dict[str, DimensionSize]
    vars: Items[StrictStr]
    groups: Items[StrictStr]


class ArrayNotes(Attributes):
    """The absolute path of the dimension of each axis, and how netCDF has the array stored."""

    dimrefs: Items[StrictStr]
    storage: Literal["chunked", "contiguous", "compact", "scalar"]
    scalar: Flag = _UNSET


class Types(Attributes):
    """The types of attributes by name."""

    types: dict[str, StrictStr] = _UNSET


class Array(v2.ArraySpec[dict[str, Any]]):
    """A variable."""

    def check(self) -> Iterator[Violation]:
        """Yield what is wrong with what is noted of it."""
        yield from _of_type(self, ARRAY, ArrayNotes)
        yield from _of_type(self, TYPES_V2, Types, is_required=False)
        yield from array_faults(self)


Member: TypeAlias = Annotated[
    Annotated[Array, Tag("array")] | Annotated["Group", Tag("group")], Discriminator(kind_of_value)
]


class Group(v2.GroupSpec[dict[str, Any], Member]):
    """A group of a dataset, but the root."""

    def check(self) -> Iterator[Violation]:
        """Yield what is wrong with what is noted of it."""
        yield from _of_type(self, GROUP, GroupNotes)
        yield from _of_type(self, TYPES_V2, Types, is_required=False)
        if (superblock := noted(self.metadata, SUPERBLOCK)) is not None:
            yield Violation(superblock.at, "only the root of a dataset has one")
        yield from group_faults(self)


class Dataset(v2.GroupSpec[dict[str, Any], Member]):
    """A dataset, as netCDF-C 4.8.1 to 4.9.2 wrote it."""

    def check(self) -> Iterator[Violation]:
        """Yield what is wrong with what is noted of the root, and of all nodes together."""
        yield from _of_type(self, SUPERBLOCK, Superblock)
        yield from _of_type(self, GROUP, GroupNotes)
        yield from _of_type(self, TYPES_V2, Types, is_required=False)
        yield from group_faults(self)
        yield from dataset_faults(self)


MODELS: dict[int, type[NodeSpec[Any]]] = {2: Dataset}
"""The model of a whole store, for Zarr v2 alone."""


def _of_type(
    node: NodeSpec[Any], name: str, model: type[BaseModel], *, is_required: bool = True
) -> Iterator[Violation]:
    """Yield why one of a node's notes is not as a model has it."""
    found = noted(node.metadata, name)
    if found is None:
        if is_required:
            yield Violation(name, "required, but missing")
        return
    try:
        model.model_validate(found.value)
    except ValidationError as error:
        for fault in findings(error, found.value):
            yield Violation(f"{found.at}.{fault.at}".rstrip("."), fault.message)
