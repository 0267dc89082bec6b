"""The documents of arrays and groups in the draft of June 2019.

Draft of June 2019, "Array metadata" and "Group metadata"; all names but those below are reserved.
"""

from __future__ import annotations

import warnings

from omnizarr.errors import ConversionError
from omnizarr.geometry.grid import RegularGrid
from omnizarr.jsontypes import Json, JsonObject, Problems, inside, read_object, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chunk_keys import ChunkKeyEncoding, ChunkKeys, separator_of
from omnizarr.metadata.convert import as_v3
from omnizarr.metadata.extension import Extension
from omnizarr.metadata.fill import read_fill, same_fill, write_fill
from omnizarr.metadata.formats.drafts.compressor import read_chain, write_chain
from omnizarr.metadata.formats.drafts.data_types import read_data_type, write_data_type
from omnizarr.metadata.formats.drafts.declared import read_declared
from omnizarr.metadata.formats.v3_array import read_attributes
from omnizarr.metadata.grids import check_rank, read_lengths, read_shape
from omnizarr.metadata.group import GroupMetadata
from omnizarr.metadata.spelling import respelled

_OF_GROUP = ("extensions", "attributes")
_OF_ARRAY = (
    *("shape", "data_type", "chunk_grid", "chunk_memory_layout"),
    *("compressor", "fill_value", "extensions", "attributes"),
)
_OF_GRID = ("type", "chunk_shape")


def read_array(document: Json, problems: Problems) -> ArrayMetadata:
    """Read the parsed document of an array."""
    fields = read_object(document, "", problems, required=_OF_ARRAY)
    shape = read_shape(fields.get("shape", []), "shape", problems)
    ndim = len(shape) if isinstance(fields.get("shape"), list) else None
    before = len(problems.found)
    data_type, order, instead_of = read_data_type(fields.get("data_type", "u1"), "data_type", problems)
    typed = "data_type" in fields and len(problems.found) == before
    if instead_of:
        warnings.warn(f"data_type: {instead_of} is not known here: read as {data_type.name}", stacklevel=2)
    grid, keys = _read_grid(fields.get("chunk_grid", {}), shape, ndim, problems)
    read_declared(fields.get("extensions", []), "extensions", problems)
    codecs = read_chain(
        fields.get("compressor"),
        fields.get("chunk_memory_layout", "C"),
        order,
        data_type.dtype.itemsize,
        len(shape),
        problems,
    )
    fill = fields.get("fill_value")
    return ArrayMetadata(
        shape=shape,
        data_type=data_type,
        grid=grid,
        chunk_keys=keys,
        codecs=codecs,
        fill_value=read_fill(fill, data_type, "fill_value", problems) if typed and fill is not None else None,
        attributes=read_attributes(fields, problems),
        spelling=fields,
    )


def read_group(document: Json, problems: Problems) -> GroupMetadata:
    """Read the parsed document of a group."""
    fields = read_object(document, "", problems, required=_OF_GROUP)
    read_declared(fields.get("extensions", []), "extensions", problems)
    return GroupMetadata(attributes=read_attributes(fields, problems), spelling=fields)


def write_array(metadata: ArrayMetadata) -> JsonObject:
    """Return the document of an array.

    Raises
    ------
    ConversionError
        The draft cannot hold it; the message names why.
    """
    metadata = metadata if _is_own(metadata) else as_v3(metadata)
    if not isinstance(metadata.grid, RegularGrid):
        raise ConversionError("the draft of 2019 has chunks of one shape alone")
    if metadata.dimension_names is not None:
        raise ConversionError("the draft of 2019 has no dimension names")
    if metadata.extra:
        raise ConversionError(f"the draft of 2019 has no other names, found {', '.join(metadata.extra)}")
    compressor, layout, order = write_chain(metadata.codecs)
    fill = metadata.fill_value
    document: JsonObject = {
        "shape": list(metadata.shape),
        "data_type": write_data_type(metadata.data_type, order),
        "chunk_grid": _write_grid(metadata.grid, metadata.chunk_keys),
        "chunk_memory_layout": layout,
        "compressor": compressor,
        "fill_value": None if fill is None else write_fill(fill, metadata.data_type),
        "extensions": metadata.spelling.get("extensions", []) if _is_own(metadata) else [],
        "attributes": dict(metadata.attributes),
    }
    if not _is_own(metadata):
        return document
    return respelled(document, metadata.spelling, lambda name, value: _same(name, value, metadata))


def write_group(metadata: GroupMetadata) -> JsonObject:
    """Return the document of a group.

    Raises
    ------
    ConversionError
        It has fields that the draft does not know.
    """
    if metadata.extra:
        raise ConversionError(f"the draft of 2019 has no other names, found {', '.join(metadata.extra)}")
    extensions = metadata.spelling.get("extensions", [])
    return {"extensions": extensions, "attributes": dict(metadata.attributes)}


def _is_own(metadata: ArrayMetadata) -> bool:
    """Say whether an array was read from a document of a draft, and is in the words of one."""
    return "chunk_memory_layout" in metadata.spelling


# --- chunk grids


def _read_grid(
    value: Json, shape: tuple[int, ...], ndim: int | None, problems: Problems
) -> tuple[RegularGrid, ChunkKeys]:
    at = "chunk_grid"
    usual = RegularGrid(tuple(max(1, length) for length in shape)), ChunkKeys("v2", ".")
    if isinstance(value, dict) and "extension" in value:
        problems.add(at, f"the grid {shown(value['extension'])} is not known here", unsupported=True)
        return usual
    fields = read_object(value, at, problems, required=_OF_GRID, optional=("separator",))
    if not fields:
        return usual
    if fields.get("type", "regular") != "regular":
        problems.add(inside(at, "type"), f'expected "regular", found {shown(fields["type"])}')
    chunks = fields.get("chunk_shape", list(usual[0].chunk_shape))
    place = inside(at, "chunk_shape")
    lengths = read_lengths(chunks, place, problems, 1)
    check_rank(chunks, ndim, place, problems)
    separator = fields.get("separator", ".")
    if separator not in (".", "/"):
        problems.add(inside(at, "separator"), f'expected "." or "/", found {shown(separator)}')
    return RegularGrid(lengths), ChunkKeys("v2", "/" if separator == "/" else ".")


def _write_grid(grid: RegularGrid, keys: ChunkKeyEncoding) -> JsonObject:
    document: JsonObject = {"type": "regular", "chunk_shape": list(grid.chunk_shape)}
    if separator_of(keys) != ".":
        document["separator"] = separator_of(keys)
    return document


def _same(name: str, value: Json, metadata: ArrayMetadata) -> bool:
    problems = Problems()
    return _means(name, value, metadata, problems) and not problems


def _means(name: str, value: Json, metadata: ArrayMetadata, problems: Problems) -> bool:
    match name:
        case "data_type":
            found = read_data_type(value, "", problems)
            return found[:2] == (metadata.data_type, _order(metadata))
        case "compressor":
            return _chain(value, metadata, problems) == metadata.codecs
        case "chunk_grid":
            grid = _read_grid(value, metadata.shape, metadata.ndim, problems)
            return grid == (metadata.grid, metadata.chunk_keys)
        case "fill_value":
            return value is not None and same_fill(
                read_fill(value, metadata.data_type, "", problems), metadata.fill_value
            )
    return False


def _order(metadata: ArrayMetadata) -> str:
    return write_chain(metadata.codecs)[2]


def _chain(compressor: Json, metadata: ArrayMetadata, problems: Problems) -> tuple[Extension, ...]:
    _, layout, order = write_chain(metadata.codecs)
    itemsize = metadata.data_type.dtype.itemsize
    return read_chain(compressor, layout, order, itemsize, metadata.ndim, problems)
