"""The formats: documents and keys to the model, and back."""

from __future__ import annotations

from omnizarr.errors import ConversionError
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.formats.drafts.draft2019 import Draft2019
from omnizarr.metadata.formats.drafts.later import DRAFT_2020, DRAFT_2022
from omnizarr.metadata.formats.v2 import V2
from omnizarr.metadata.formats.v3 import V3

# Those whose documents lie in the node's own place, in the order in which they are looked for.
FORMATS: dict[int | str, Format] = {format.zarr_format: format for format in (V3(), V2())}
# Those that a document at the root declares (see `drafts.detect`), as new hierarchies have them.
DRAFTS: dict[int | str, Format] = {
    format.zarr_format: format for format in (Draft2019(), DRAFT_2020, DRAFT_2022)
}


def format_of(zarr_format: int | str) -> Format:
    """Return a format by the number or name that users give.

    Raises
    ------
    ConversionError
        There is no such format.
    """
    format = FORMATS.get(zarr_format) or DRAFTS.get(zarr_format)
    if format is None:
        known = ", ".join(map(repr, (*FORMATS, *DRAFTS)))
        raise ConversionError(f"zarr_format: expected one of {known}, found {zarr_format!r}")
    return format
