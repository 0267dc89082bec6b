"""The formats: documents and keys to the model, and back."""

from __future__ import annotations

from omnizarr.errors import ConversionError
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.formats.v2 import V2
from omnizarr.metadata.formats.v3 import V3

# In the order in which they are looked for.
FORMATS: dict[int | str, Format] = {format.zarr_format: format for format in (V3(), V2())}


def format_of(zarr_format: int | str) -> Format:
    """Return a format by the number or name that users give.

    Raises
    ------
    ConversionError
        There is no such format.
    """
    format = FORMATS.get(zarr_format)
    if format is None:
        known = ", ".join(map(repr, FORMATS))
        raise ConversionError(f"zarr_format: expected one of {known}, found {zarr_format!r}")
    return format
