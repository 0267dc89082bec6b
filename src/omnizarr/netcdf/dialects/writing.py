"""Variables as arrays: the Zarr v2 document of a new array, just as netCDF-C writes it.

https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from omnizarr.errors import ConversionError
from omnizarr.jsontypes import Json, JsonObject, Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats.v2_node import ARRAY, ATTRIBUTES, read_node
from omnizarr.netcdf.dialects.stored import StoredType, stored_dtype, v2_type
from omnizarr.netcdf.filters.known import Filter, OtherFilter, Szip, is_storable, with_scanline
from omnizarr.netcdf.model.items import to_json
from omnizarr.netcdf.model.nodes import VariableModel
from omnizarr.netcdf.model.types import CHAR, AtomicType


def new_array(
    variable: VariableModel,
    shape: tuple[int, ...],
    attributes: Mapping[str, Json],
    changes: Mapping[str, Json] | None = None,
) -> ArrayMetadata:
    """Return the array of a new variable as it is stored; `with_fill` makes it exact for a handle.

    Parameters
    ----------
    changes
        Fields of `.zarray` that a dialect has otherwise than netCDF-C, or beside its own.

    Raises
    ------
    ConversionError
        The variable has a filter that Zarr lacks.
    """
    problems = Problems()
    document = {**_document(variable, shape), **(changes or {})}
    documents: dict[str, Json] = {ARRAY: document, ATTRIBUTES: dict(attributes)}
    metadata = read_node(documents, problems)
    problems.check(path=variable.name)
    if not isinstance(metadata, ArrayMetadata):
        raise ConversionError(f"variable {variable.name!r} makes no array")
    return metadata


def stored_itemsize(variable: VariableModel) -> int:
    """Return the bytes of one stored element."""
    return stored_dtype(variable).itemsize


def _document(variable: VariableModel, shape: tuple[int, ...]) -> JsonObject:
    codecs: list[Json] = [
        _stored(entry, variable, shape).to_json(stored_itemsize(variable)) for entry in variable.filters
    ]
    compressor = codecs.pop() if codecs else None
    stored = _atomic(variable) if isinstance(variable.type, AtomicType) else v2_type(variable)
    filters = [stored.codec, *codecs] if stored.codec else codecs
    return {
        "zarr_format": 2,
        # Zarr v2 as netCDF-C has it knows no scalars.
        "shape": list(shape) if variable.dimensions else [1],
        "dtype": stored.dtype,
        "chunks": list(_chunks(variable, shape)),
        "fill_value": stored.fill_value,
        "order": "C",
        "compressor": compressor,
        "filters": filters or None,
    }


def _stored(entry: Filter, variable: VariableModel, shape: tuple[int, ...]) -> Filter:
    if isinstance(entry, OtherFilter) and entry.hdf5_id is not None:
        raise ConversionError(f"variable {variable.name!r}: there is no codec for HDF5's filter {entry.name}")
    if not isinstance(entry, Szip):
        return entry
    if not is_storable(entry):
        message = f"variable {variable.name!r}: szip needs the package imagecodecs, of the extra 'szip'"
        raise ConversionError(f"{message} (pip install 'omnizarr[szip]')")
    length = shape[-1] if shape else 1
    return entry if entry.pixels_per_scanline else with_scanline(entry, length, _chunks(variable, shape))


def _atomic(variable: VariableModel) -> StoredType:
    return StoredType(">S1" if variable.type is CHAR else stored_dtype(variable).str, _fill(variable))


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


def chunk_bytes(variable: VariableModel, shape: tuple[int, ...]) -> int:
    """Return the bytes of one decoded chunk."""
    return prod(_chunks(variable, shape)) * stored_itemsize(variable)
