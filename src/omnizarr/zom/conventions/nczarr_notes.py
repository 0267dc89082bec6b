"""What NCZarr notes among the attributes of groups and arrays, as models.

Of version 2 as netCDF-C 4.9.3 and later write it; of version 3 as appendix E of "The NetCDF NCZarr
Implementation" has it. `types`, `user_types`, `typed_arrays`, `growing`, `type` and `no_fill` are additions
of this library, which netCDF-C passes over, as it does with all names that it does not know.

https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, cast

from pydantic import BaseModel, Discriminator, Field, StrictInt, StrictStr, Tag

from omnizarr.zom.node import Attributes
from omnizarr.zom.types import Items

SUPERBLOCK = "_nczarr_superblock"
GROUP = "_nczarr_group"
ARRAY = "_nczarr_array"
TYPES_V2 = "_nczarr_attr"
TYPES_V3 = "_nczarr_attrs"

_UNSET = cast("Any", None)  # None is left out where it was not given, and is none of the values
Size: TypeAlias = Annotated[StrictInt, Field(ge=0)]
Flag: TypeAlias = Literal[0, 1] | bool


def _size_kind(value: Any) -> str:
    return "object" if isinstance(value, Mapping | BaseModel) else "size"


class Superblock(Attributes):
    """What makes a hierarchy an NCZarr dataset; at its root only."""

    version: StrictStr
    format: Literal[2, 3] = _UNSET


class DimensionV2(Attributes):
    """A dimension that may be unlimited: its size now, and whether it may grow."""

    size: Size
    unlimited: Flag = _UNSET


class DimensionV3(Attributes):
    """A dimension of a group."""

    name: StrictStr
    size: Size
    unlimited: Flag = _UNSET


DimensionSize: TypeAlias = Annotated[
    Annotated[Size, Tag("size")] | Annotated[DimensionV2, Tag("object")], Discriminator(_size_kind)
]
"""A size; with whether it may grow, an object."""


class Growing(Attributes):
    """A note that dimensions are about to grow: all variables of the group, and the sizes to be."""

    arrays: Items[StrictStr]
    sizes: dict[str, Size]


class GroupNotes(Attributes):
    """What both versions note of a group."""

    arrays: Items[StrictStr]
    types: dict[str, dict[str, Any]] = _UNSET
    typed_arrays: dict[str, Size] = _UNSET
    growing: Growing = _UNSET


class GroupNotesV2(GroupNotes):
    """The dimensions of a group, and the names of what is in it."""

    dimensions: dict[str, DimensionSize]
    groups: Items[StrictStr]


class GroupNotesV3(GroupNotes):
    """The dimensions of a group, and the names of what is in it."""

    dimensions: Items[DimensionV3]
    subgroups: Items[StrictStr]


class ArrayNotes(Attributes):
    """The absolute path of the dimension of each axis; what both versions note of an array."""

    dimension_references: Items[StrictStr]
    scalar: Flag = _UNSET
    storage: Literal["chunked", "contiguous", "compact", "scalar"] = _UNSET
    type: StrictStr = _UNSET
    no_fill: Flag = _UNSET


class ArrayNotesV3(ArrayNotes):
    """The absolute path of the dimension of each axis, and the type where Zarr has it not."""

    type_alias: Literal["char", "string", "json"] = _UNSET


class TypesV2(Attributes):
    """The types of attributes by name: numpy's codes (`<i4`), `>S1` for char, `|J0` for JSON."""

    types: dict[str, StrictStr]
    user_types: dict[str, StrictStr] = _UNSET


class TypeConfiguration(Attributes):
    """A type: the name that Zarr v3 has for it, `char`, `string` or `json`."""

    type: StrictStr


class TypeEntry(Attributes):
    """The type of one attribute."""

    name: StrictStr
    configuration: TypeConfiguration


class TypesV3(Attributes):
    """The types of attributes, one entry for each."""

    attribute_types: Items[TypeEntry]


# --- where they are


class ArrayAttributesV2(Attributes):
    """The attributes of an array on Zarr v2."""

    nczarr_array: ArrayNotes = Field(alias="_nczarr_array")
    nczarr_attr: TypesV2 = Field(default=_UNSET, alias="_nczarr_attr")
    array_dimensions: Items[StrictStr] = Field(default=_UNSET, alias="_ARRAY_DIMENSIONS")


class ArrayAttributesV3(Attributes):
    """The attributes of an array on Zarr v3."""

    nczarr_array: ArrayNotesV3 = Field(alias="_nczarr_array")
    nczarr_attrs: TypesV3 = Field(default=_UNSET, alias="_nczarr_attrs")


class GroupAttributesV2(Attributes):
    """The attributes of a group on Zarr v2."""

    nczarr_group: GroupNotesV2 = Field(alias="_nczarr_group")
    nczarr_attr: TypesV2 = Field(default=_UNSET, alias="_nczarr_attr")


class GroupAttributesV3(Attributes):
    """The attributes of a group on Zarr v3."""

    nczarr_group: GroupNotesV3 = Field(alias="_nczarr_group")
    nczarr_attrs: TypesV3 = Field(default=_UNSET, alias="_nczarr_attrs")


class DatasetAttributesV2(GroupAttributesV2):
    """The attributes of the root on Zarr v2."""

    nczarr_superblock: Superblock = Field(alias="_nczarr_superblock")
    nc_properties: StrictStr = Field(default=_UNSET, alias="_NCProperties")


class DatasetAttributesV3(GroupAttributesV3):
    """The attributes of the root on Zarr v3."""

    nczarr_superblock: Superblock = Field(alias="_nczarr_superblock")
    nc_properties: StrictStr = Field(default=_UNSET, alias="_NCProperties")
