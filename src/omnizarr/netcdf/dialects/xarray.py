"""xarray's convention: dimensions by the attribute `_ARRAY_DIMENSIONS` on v2, by v3's own field on v3.

On v2 the fill value of an array is the `_FillValue` of the variable. One that has none is stored without,
unless it is floating: xarray would make floating numbers of integers, and mask empty strings. What was
never written of it is zero, or empty. On v3 `_FillValue` is an attribute, in base64 for floating numbers.

https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.convert import DIMENSIONS
from omnizarr.metadata.group import GroupMetadata
from omnizarr.netcdf.dialects.arrays import array_type, is_default_fill
from omnizarr.netcdf.dialects.base import Found, Growth
from omnizarr.netcdf.dialects.fills import encoded_fill, own_fill
from omnizarr.netcdf.dialects.pure import read_pure
from omnizarr.netcdf.dialects.pure_writing import axis_names, pure_array, pure_attributes
from omnizarr.netcdf.model.nodes import FILL_VALUE, AttributeModel, GroupModel, VariableModel
from omnizarr.netcdf.model.types import CHAR, DOUBLE, FLOAT, STRING, NcType


@dataclass(frozen=True, slots=True)
class Xarray:
    """xarray's convention on Zarr v2 or v3."""

    zarr_format: int = 2
    name: str = "xarray"

    def recognizes(self, root: Group) -> bool:
        """Say yes for any hierarchy of the format: names may be missing."""
        return root.zarr_format == self.zarr_format

    def read(self, root: Group) -> Found:
        """Return the dataset below a group; an array that cannot be shown warns and stays out."""
        return read_pure(root, (self,))

    def axis_names(self, metadata: ArrayMetadata) -> tuple[str | None, ...] | None:
        """Return the names of v3, or those of the attribute."""
        names = metadata.attributes.get(DIMENSIONS)
        if metadata.dimension_names is not None or not isinstance(names, list):
            return metadata.dimension_names
        return tuple(name if isinstance(name, str) else None for name in names)

    def type_of(self, metadata: ArrayMetadata) -> NcType | None:
        """Return the type that shows an array's values; single bytes are characters, as xarray joins them."""
        return CHAR if metadata.data_type.dtype == "S1" else array_type(metadata, has_char=False)

    def fill_attribute(self, metadata: ArrayMetadata, kind: NcType) -> AttributeModel | None:
        """Return `_FillValue`: that of the array on v2, the attribute on v3."""
        fill = metadata.fill_value
        if kind in (CHAR, STRING) and metadata.data_type.dtype.kind in "SUO":
            return _text_fill(kind, fill) or own_fill(metadata, kind)
        if self.zarr_format != 2 or fill is None or not kind.is_numeric:
            return own_fill(metadata, kind)
        if metadata.data_type.dtype.kind in "bmM" or is_default_fill(kind, fill):
            return own_fill(metadata, kind)
        return AttributeModel(FILL_VALUE, kind, (fill.item(),))

    def group_metadata(
        self, group: GroupModel, properties: str | None, growth: Growth | None = None
    ) -> GroupMetadata:
        """Return a group's node."""
        return GroupMetadata(attributes=pure_attributes(group.attributes, bare=True))

    def array_metadata(self, variable: VariableModel, shape: tuple[int, ...]) -> ArrayMetadata:
        """Return a variable's node as it is stored, with the names of its dimensions."""
        fill = next((a for a in variable.attributes if a.name == FILL_VALUE), None)
        attributes = pure_attributes((a for a in variable.attributes if a is not fill), bare=True)
        if self.zarr_format == 2:
            attributes[DIMENSIONS] = list(axis_names(variable))
            if fill is None and variable.type not in (FLOAT, DOUBLE):
                variable = replace(variable, no_fill=True)
            elif fill is not None and variable.fill_value == variable.type.default_fill:
                # The fill value alone would be taken for what variables have that say nothing.
                attributes |= pure_attributes((fill,))
        elif fill is not None and variable.type.is_numeric:
            # xarray opens no dataset where anything else has the attribute.
            attributes[FILL_VALUE] = encoded_fill(fill)
        return pure_array(variable, shape, attributes, self.zarr_format, "variable")

    def sidecars(self, model: GroupModel | VariableModel, properties: str | None) -> Mapping[str, Json]:
        """Return nothing."""
        return {}


def _text_fill(kind: NcType, fill: object) -> AttributeModel | None:
    """Return the `_FillValue` that the fill value of texts is, unless it is empty."""
    text = fill.decode("utf-8", "surrogateescape") if isinstance(fill, bytes) else fill
    if not isinstance(text, str) or not text:
        return None
    return AttributeModel(FILL_VALUE, kind, text if kind is CHAR else (text,))
