"""Models of NCZarr: whole netCDF-4 datasets as netCDF-C writes them on Zarr v2, and is to on Zarr v3.

What these models accept, netCDF-C opens (on Zarr v2, with the types it knows). Of values that were never
read they say nothing: neither of chunks, nor of the values of attributes of types that users defined.

https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Tag

from omnizarr.zom import v2, v3
from omnizarr.zom.conventions.nczarr_checks import array_faults, group_faults, inner_group_faults
from omnizarr.zom.conventions.nczarr_notes import (
    SUPERBLOCK,
    ArrayAttributesV2,
    ArrayAttributesV3,
    DatasetAttributesV2,
    DatasetAttributesV3,
    GroupAttributesV2,
    GroupAttributesV3,
)
from omnizarr.zom.conventions.nczarr_tree import dataset_faults
from omnizarr.zom.faults import Violation
from omnizarr.zom.node import NodeSpec
from omnizarr.zom.version import kind_of_value

__all__ = ["MODELS", "ArrayV2", "ArrayV3", "DatasetV2", "DatasetV3", "GroupV2", "GroupV3"]


class ArrayV2(v2.ArraySpec[ArrayAttributesV2]):
    """A variable on Zarr v2."""

    def check(self) -> Iterator[Violation]:
        """Yield what is wrong with what is noted of it."""
        return array_faults(self)


class ArrayV3(v3.ArraySpec[ArrayAttributesV3]):
    """A variable on Zarr v3."""

    def check(self) -> Iterator[Violation]:
        """Yield what is wrong with what is noted of it."""
        return array_faults(self)


MemberV2: TypeAlias = Annotated[
    Annotated[ArrayV2, Tag("array")] | Annotated["GroupV2", Tag("group")], Discriminator(kind_of_value)
]
MemberV3: TypeAlias = Annotated[
    Annotated[ArrayV3, Tag("array")] | Annotated["GroupV3", Tag("group")], Discriminator(kind_of_value)
]


class GroupV2(v2.GroupSpec[GroupAttributesV2, MemberV2]):
    """A group of a dataset on Zarr v2, but the root."""

    def check(self) -> Iterator[Violation]:
        """Yield what is wrong with what is noted of it."""
        return inner_group_faults(self)


class GroupV3(v3.GroupSpec[GroupAttributesV3, MemberV3]):
    """A group of a dataset on Zarr v3, but the root."""

    def check(self) -> Iterator[Violation]:
        """Yield what is wrong with what is noted of it."""
        return inner_group_faults(self)


class DatasetV2(v2.GroupSpec[DatasetAttributesV2, MemberV2]):
    """A dataset on Zarr v2, as netCDF-C 4.9.3 and later write it."""

    def check(self) -> Iterator[Violation]:
        """Yield what is wrong with what is noted of the root, and of all nodes together."""
        yield from group_faults(self)
        yield from dataset_faults(self)

    @classmethod
    def _refused(cls, document: Mapping[str, Any]) -> str | None:
        return super()._refused(document) or _older(document)


class DatasetV3(v3.GroupSpec[DatasetAttributesV3, MemberV3]):
    """A dataset on Zarr v3, as appendix E of "The NetCDF NCZarr Implementation" has it."""

    def check(self) -> Iterator[Violation]:
        """Yield what is wrong with what is noted of the root, and of all nodes together."""
        yield from group_faults(self)
        yield from dataset_faults(self)


MODELS: dict[int, type[NodeSpec[Any]]] = {2: DatasetV2, 3: DatasetV3}
"""The model of a whole store for each version of Zarr."""


def _older(document: Mapping[str, Any]) -> str | None:
    """Return who wrote a dataset whose notes are not among the attributes; None of any other."""
    for name, writer in ((SUPERBLOCK, "4.9.1 to 4.9.3-development"), (SUPERBLOCK.upper(), "4.8.1 to 4.9.0")):
        if name in document:
            message = f"found {name} beside the attributes: netCDF-C {writer} wrote this"
            return f"expected {SUPERBLOCK} among the attributes, {message}, which is the convention 'nczarr2'"
    return None
