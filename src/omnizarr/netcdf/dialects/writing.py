"""Variables as arrays: the Zarr v2 document of a new array, just as netCDF-C writes it.

https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from math import prod

from omnizarr.errors import ConversionError
from omnizarr.jsontypes import Json, JsonObject, Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats.v2_node import ARRAY, ATTRIBUTES, read_node
from omnizarr.netcdf.filters import Szip
from omnizarr.netcdf.items import to_json
from omnizarr.netcdf.model import VariableModel
from omnizarr.netcdf.types import CHAR, STRING, AtomicType, Enum

DEFAULT_STRING_LENGTH = 128


def new_array(
    variable: VariableModel, shape: tuple[int, ...], attributes: Mapping[str, Json], *, plain: bool = False
) -> ArrayMetadata:
    """Return the array of a new variable as it is stored; `with_fill` makes it exact for a handle.

    Parameters
    ----------
    plain
        Whether text is spelled as Zarr v2 has it, which netCDF-C does not understand, rather than as
        netCDF-C has it, which zarr-python does not understand: `>S1` for char, fill values without base64.

    Raises
    ------
    ConversionError
        The variable has a filter that Zarr lacks.
    """
    problems = Problems()
    document = _document(variable, shape)
    if plain and not variable.type.is_numeric:
        document |= {"dtype": f"|S{stored_itemsize(variable)}", "fill_value": _plain_fill(variable)}
    documents: dict[str, Json] = {ARRAY: document, ATTRIBUTES: dict(attributes)}
    metadata = read_node(documents, problems)
    problems.check(path=variable.name)
    if not isinstance(metadata, ArrayMetadata):
        raise ConversionError(f"variable {variable.name!r} makes no array")
    return metadata


def stored_itemsize(variable: VariableModel) -> int:
    """Return the bytes of one stored element."""
    if variable.type is STRING:
        return variable.max_string_length or DEFAULT_STRING_LENGTH
    return variable.type.size


def _document(variable: VariableModel, shape: tuple[int, ...]) -> JsonObject:
    for entry in variable.filters:
        if isinstance(entry, Szip):
            raise ConversionError(f"variable {variable.name!r}: there is no szip for Zarr")
    codecs: list[Json] = [entry.to_json(stored_itemsize(variable)) for entry in variable.filters]
    return {
        "zarr_format": 2,
        # Zarr v2 as netCDF-C has it knows no scalars.
        "shape": list(shape) if variable.dimensions else [1],
        "dtype": _dtype(variable),
        "chunks": list(_chunks(variable, shape)),
        "fill_value": _fill(variable),
        "order": "C",
        "compressor": codecs.pop() if codecs else None,
        "filters": codecs or None,
    }


def _dtype(variable: VariableModel) -> str:
    if variable.type is CHAR:
        return ">S1"
    if variable.type is STRING:
        return f"|S{stored_itemsize(variable)}"
    if isinstance(variable.type, AtomicType | Enum):
        return variable.type.stored(variable.endian).str
    raise ConversionError(f"variable {variable.name!r}: type {variable.type} is not stored yet")


def _chunks(variable: VariableModel, shape: tuple[int, ...]) -> tuple[int, ...]:
    if not variable.dimensions:
        return (1,)
    return variable.chunks or tuple(max(1, size) for size in shape)


def _fill(variable: VariableModel) -> Json:
    fill = variable.fill_value
    if fill is None:
        return None
    if isinstance(fill, bytes):
        return fill.rstrip(b"\x00").decode("latin-1")
    return fill if isinstance(fill, str) else to_json(variable.type, fill)


def _plain_fill(variable: VariableModel) -> Json:
    fill = variable.fill_value
    data = fill.encode() if isinstance(fill, str) else fill
    return b64encode(data).decode() if isinstance(data, bytes) else None


def chunk_bytes(variable: VariableModel, shape: tuple[int, ...]) -> int:
    """Return the bytes of one decoded chunk."""
    return prod(_chunks(variable, shape)) * stored_itemsize(variable)
