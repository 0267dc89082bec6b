"""Zarr as it comes: v3's names of dimensions, which are its own, and no others.

https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html
https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import GroupMetadata
from omnizarr.netcdf.dialects.arrays import array_type
from omnizarr.netcdf.dialects.base import Found, Growth
from omnizarr.netcdf.dialects.fills import encoded_fill, own_fill
from omnizarr.netcdf.dialects.pure import read_pure
from omnizarr.netcdf.dialects.pure_writing import Strings, pure_array, pure_attributes
from omnizarr.netcdf.model.nodes import FILL_VALUE, AttributeModel, GroupModel, VariableModel
from omnizarr.netcdf.model.types import NcType


@dataclass(frozen=True, slots=True)
class Plain:
    """Zarr v2 or v3; dimensions by name on v3 where they have names, else by length."""

    zarr_format: int = 2
    name: str = "plain"

    def recognizes(self, root: Group) -> bool:
        """Say yes: any hierarchy of the format can be read like this."""
        return root.zarr_format == self.zarr_format

    def read(self, root: Group) -> Found:
        """Return the dataset below a group; an array that cannot be shown warns and stays out."""
        return read_pure(root, (self,))

    def axis_names(self, metadata: ArrayMetadata) -> tuple[str | None, ...] | None:
        """Return the names of v3."""
        return metadata.dimension_names

    def type_of(self, metadata: ArrayMetadata) -> NcType | None:
        """Return the type that shows an array's values; Zarr has no characters, only strings."""
        return array_type(metadata, has_char=False)

    def fill_attribute(self, metadata: ArrayMetadata, kind: NcType) -> AttributeModel | None:
        """Return `_FillValue` where it is an attribute; Zarr's own fill value masks nothing."""
        return own_fill(metadata, kind)

    def group_metadata(
        self, group: GroupModel, properties: str | None, growth: Growth | None = None
    ) -> GroupMetadata:
        """Return a group's node."""
        return GroupMetadata(attributes=pure_attributes(group.attributes))

    def array_metadata(self, variable: VariableModel, shape: tuple[int, ...]) -> ArrayMetadata:
        """Return a variable's node as it is stored; strings on v2 so that netCDF-C reads them too."""
        attributes = pure_attributes(variable.attributes)
        fill = next((a for a in variable.attributes if a.name == FILL_VALUE), None)
        if self.zarr_format == 3 and fill is not None and variable.type.is_numeric:
            # As xarray writes it, which opens no dataset where anything else has the attribute.
            attributes[FILL_VALUE] = encoded_fill(fill)
        strings: Strings = "fixed" if self.zarr_format == 2 else "variable"
        return pure_array(variable, shape, attributes, self.zarr_format, strings)

    def sidecars(self, model: GroupModel | VariableModel, properties: str | None) -> Mapping[str, Json]:
        """Return nothing."""
        return {}
