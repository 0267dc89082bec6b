"""`_FillValue` where no type is recorded beside it: the variable's own.

https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html
"""

from __future__ import annotations

import struct
from base64 import b64decode, b64encode
from binascii import Error

from omnizarr.errors import ConversionError
from omnizarr.jsontypes import Json
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.netcdf.model.items import Item, from_json
from omnizarr.netcdf.model.nodes import FILL_VALUE, AttributeModel
from omnizarr.netcdf.model.types import CHAR, DOUBLE, FLOAT, NcType


def own_fill(metadata: ArrayMetadata, kind: NcType) -> AttributeModel | None:
    """Return the attribute `_FillValue` in the type of the values; None where there is none, or it is other.

    Floating numbers may be in base64, as xarray writes them on Zarr v3.
    """
    value = metadata.attributes.get(FILL_VALUE)
    if value is None:
        return None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return fill_attribute(kind, value)


def fill_attribute(kind: NcType, value: Json) -> AttributeModel | None:
    """Return a `_FillValue` of a type from JSON; None where it is none of this type."""
    if kind is CHAR:
        return AttributeModel(FILL_VALUE, CHAR, value) if isinstance(value, str) else None
    if kind in (FLOAT, DOUBLE) and isinstance(value, str):
        value = double_in(value)
    try:
        item: Item = from_json(kind, value)
    except ConversionError:
        return None
    return AttributeModel(FILL_VALUE, kind, (item,))


def encoded_fill(attribute: AttributeModel) -> Json:
    """Return the number of a `_FillValue` as xarray writes it on Zarr v3: floating ones in base64."""
    [value] = attribute.values[:1] or (None,)
    if isinstance(value, float):
        return b64encode(struct.pack("<d", value)).decode()
    return value if isinstance(value, int) else None


def double_in(text: str) -> Json:
    """Return the number that is in base64; a text that holds none, `NaN` among them, as it is."""
    try:
        data = b64decode(text, validate=True)
    except Error:
        return text
    return struct.unpack("<d", data)[0] if len(data) == 8 else text
