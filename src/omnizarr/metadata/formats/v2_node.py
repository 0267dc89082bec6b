"""The documents of a Zarr v2 node: `.zarray` or `.zgroup`, and `.zattrs`.

https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#metadata
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from omnizarr.geometry.grid import RegularGrid
from omnizarr.jsontypes import Json, JsonObject, Problems, inside, read_list, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chains import (
    OBJECT_CODECS,
    PREFIX,
    SHARED_OBJECT_CODECS,
    is_fortran,
    is_shaped,
    numcodecs_id,
    reversal,
)
from omnizarr.metadata.chunk_keys import ChunkKeys, separator_of
from omnizarr.metadata.convert import as_v2
from omnizarr.metadata.dtype import DataType
from omnizarr.metadata.dtype_v2 import read_dtype, write_dtype
from omnizarr.metadata.extension import UNREADABLE, Extension
from omnizarr.metadata.fill import same_fill
from omnizarr.metadata.fill_v2 import read_fill_v2, write_fill_v2
from omnizarr.metadata.grids import check_rank, read_lengths, read_shape
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.metadata.spelling import respelled

ARRAY = ".zarray"
GROUP = ".zgroup"
ATTRIBUTES = ".zattrs"

_REQUIRED = ("shape", "chunks", "dtype", "compressor", "fill_value", "order", "filters")
_OF_ARRAY = frozenset(("zarr_format", *_REQUIRED, "dimension_separator"))
_BYTES = Extension("bytes")

# Stands in for a document that is no object: one fault to tell, where nothing else can be said of it.
STAND_IN: JsonObject = {
    "zarr_format": 2,
    **dict.fromkeys(_REQUIRED),
    "shape": [],
    "chunks": [],
    "dtype": "|u1",
    "order": "C",
}

# zarr-python 3 writes this field of v3 into the groups of a `.zmetadata`, where it says nothing.
_STRAY = "consolidated_metadata"

_CODEC = re.compile(r"codecs\[([0-9]+)\]")
_PLACES = {"chunk_grid": "chunks", "codecs": "filters"}

# What stands among the filters when it is the last codec; anything else is the compressor.
_FILTERS = (
    *OBJECT_CODECS,
    *("delta", "fixedscaleoffset", "quantize", "bitround", "astype", "packbits", "shuffle"),
    *("crc32", "crc32c", "adler32", "fletcher32", "jenkins_lookup3"),
)


def read_node(documents: Mapping[str, Json], problems: Problems) -> NodeMetadata:
    """Read the parsed documents of one node, by `.zarray` or `.zgroup` and perhaps `.zattrs`.

    Where there are problems, harmless values stand in for those that are at fault, so that an array's
    codecs can be checked too.
    """
    name = ARRAY if ARRAY in documents else GROUP
    attributes, document = documents.get(ATTRIBUTES), documents[name]
    if ATTRIBUTES in documents and not isinstance(attributes, dict):
        problems.add(ATTRIBUTES, f"expected an object, found {shown(attributes)}")
    if not isinstance(attributes, dict):
        attributes = None
    if not isinstance(document, dict):
        problems.add(name, f"expected an object, found {shown(document)}")
        document = STAND_IN
    inner = Problems()
    _check_format(document, inner)
    spelling = {name: value for name, value in document.items() if name != "attributes"}
    if attributes is not None:
        spelling["attributes"] = attributes
    node = (_read_array if name == ARRAY else _read_group)(document, attributes or {}, spelling, inner)
    if inner:
        problems.include(name, inner)
    return node


def write_node(metadata: NodeMetadata) -> dict[str, JsonObject]:
    """Return the documents of a node by name, the deciding one last.

    Raises
    ------
    ConversionError
        Zarr v2 cannot express this node.
    """
    documents: dict[str, JsonObject] = {}
    if metadata.attributes or "attributes" in metadata.spelling:
        documents[ATTRIBUTES] = dict(metadata.attributes)
    if isinstance(metadata, ArrayMetadata):
        documents[ARRAY] = _write_array(as_v2(metadata))
    else:
        kept = {name: metadata.spelling[name] for name in (_STRAY,) if name in metadata.spelling}
        documents[GROUP] = {"zarr_format": 2, **metadata.extra, **kept}
    return documents


def _check_format(document: JsonObject, problems: Problems) -> None:
    found = document.get("zarr_format")
    if found != 2 or type(found) is not int:
        missing = "zarr_format" not in document
        problems.add(
            "zarr_format", "required, but missing" if missing else f"expected 2, found {shown(found)}"
        )


def document_place(metadata: ArrayMetadata, at: str) -> str:
    """Return where `.zarray` has what the model has at `at`, a codec or the chunk grid."""
    found = _CODEC.match(at)
    if found is None:
        return f"{ARRAY}.{_PLACES.get(at, at)}"
    rest = at[found.end() :].removeprefix(".configuration")
    number = int(found[1])
    codec = metadata.codecs[number]
    if codec.name == "transpose":
        return f"{ARRAY}.order"
    if codec == _BYTES:
        return f"{ARRAY}.dtype"
    number -= sum(other == _BYTES or other.name == "transpose" for other in metadata.codecs[:number])
    filters = metadata.spelling.get("filters")
    of_filters = number < len(filters) if isinstance(filters, list) else False
    return f"{ARRAY}.filters[{number}]{rest}" if of_filters else f"{ARRAY}.compressor{rest}"


# --- groups


def _read_group(
    document: JsonObject, attributes: JsonObject, spelling: JsonObject, problems: Problems
) -> GroupMetadata:
    extra = {name: value for name, value in document.items() if name not in ("zarr_format", _STRAY)}
    return GroupMetadata(attributes=attributes, extra=extra, spelling=spelling)


# --- arrays


def _read_array(
    document: JsonObject, attributes: JsonObject, spelling: JsonObject, problems: Problems
) -> ArrayMetadata:
    get = document.get
    for name in _REQUIRED:
        if name not in document:
            problems.add(name, "required, but missing")
    shape = read_shape(get("shape", []), "shape", problems)
    ndim = len(shape) if isinstance(get("shape"), list) else None
    codecs = _read_codecs(document, len(shape), problems)
    before = len(problems.found)
    data_type = read_dtype(get("dtype", "|u1"), _object_codec(codecs), "dtype", problems)
    codecs = _with_serializer(codecs, data_type, problems)
    typed = len(problems.found) == before
    return ArrayMetadata(
        shape=shape,
        data_type=data_type,
        grid=_read_chunks(get("chunks", get("shape", [])), shape, "chunks", problems, ndim),
        chunk_keys=ChunkKeys(
            "v2", _read_separator(get("dimension_separator"), "dimension_separator", problems)
        ),
        codecs=codecs,
        fill_value=read_fill_v2(get("fill_value"), data_type, "fill_value", problems) if typed else None,
        attributes=attributes,
        extra={} if document.keys() <= _OF_ARRAY else _extra(document),
        spelling=spelling,
    )


def _extra(document: JsonObject) -> JsonObject:
    return {name: value for name, value in document.items() if name not in _OF_ARRAY}


def _read_chunks(
    value: Json, shape: tuple[int, ...], at: str, problems: Problems, ndim: int | None
) -> RegularGrid:
    chunks = read_lengths(value, at, problems, 0)
    check_rank(value, ndim, at, problems)
    if 0 not in chunks:
        return RegularGrid(chunks)
    given = value if isinstance(value, list) else []
    for i, (chunk, length) in enumerate(zip(given, shape, strict=False)):
        if chunk == 0 and length > 0:
            problems.add(f"{at}[{i}]", f"expected an integer of at least 1, found 0 (the axis has {length})")
    return RegularGrid(tuple(chunk or 1 for chunk in chunks))


def _read_separator(value: Json, at: str, problems: Problems) -> Literal[".", "/"]:
    if value == "/":
        return "/"
    if value is not None and value != ".":
        problems.add(at, f'expected "." or "/", found {shown(value)}')
    return "."


def _read_codecs(document: JsonObject, ndim: int, problems: Problems) -> tuple[Extension, ...]:
    """Return the chain without `bytes`."""
    codecs: list[Extension] = []
    order = _read_order(document.get("order", "C"), problems)
    filters, compressor = document.get("filters"), document.get("compressor")
    if filters is not None:
        items = read_list(filters, "filters", problems)
        codecs += [_read_codec(item, f"filters[{i}]", problems) for i, item in enumerate(items)]
    if compressor is not None:
        codecs.append(_read_codec(compressor, "compressor", problems))
    if order == "F" and ndim > 1 and not is_shaped(codecs):
        codecs.insert(0, reversal(ndim))
    return tuple(codecs)


def _read_order(value: Json, problems: Problems) -> Json:
    if value not in ("C", "F"):
        problems.add("order", f'expected "C" or "F", found {shown(value)}')
    return value


def _read_codec(value: Json, at: str, problems: Problems) -> Extension:
    if not isinstance(value, dict):
        problems.add(at, f"expected an object, found {shown(value)}")
        return UNREADABLE
    name = value.get("id")
    if not isinstance(name, str) or not name:
        missing = "id" not in value
        message = "required, but missing" if missing else f"expected a string, found {shown(name)}"
        problems.add(inside(at, "id"), message)
        return UNREADABLE
    options = {key: item for key, item in value.items() if key != "id"}
    return Extension(name if name in SHARED_OBJECT_CODECS else f"{PREFIX}{name}", options)


def _object_codec(codecs: tuple[Extension, ...]) -> str | None:
    return next((name for codec in codecs if (name := numcodecs_id(codec)) in OBJECT_CODECS), None)


def _with_serializer(
    codecs: tuple[Extension, ...], data_type: DataType, problems: Problems
) -> tuple[Extension, ...]:
    if data_type.is_variable:
        if _object_codec(codecs) is None:
            problems.add("filters", "an object array needs a filter that encodes objects, such as vlen-utf8")
            return (*codecs, UNREADABLE)
        return codecs
    at = 1 if codecs and codecs[0].name == "transpose" else 0
    return (*codecs[:at], _BYTES, *codecs[at:])


# --- writing


def _write_array(metadata: ArrayMetadata) -> JsonObject:
    assert isinstance(metadata.grid, RegularGrid), "as_v2 lets no other through"
    document: JsonObject = {
        "zarr_format": 2,
        "shape": list(metadata.shape),
        "chunks": list(metadata.grid.chunk_shape),
        "dtype": write_dtype(metadata.data_type),
        **_write_codecs(metadata),
        "fill_value": write_fill_v2(metadata.fill_value, metadata.data_type),
        "dimension_separator": separator_of(metadata.chunk_keys),
    }
    for name, value in metadata.extra.items():
        document.setdefault(name, value)
    if not metadata.spelling:
        return document
    if "dimension_separator" not in metadata.spelling and separator_of(metadata.chunk_keys) == ".":
        del document["dimension_separator"]
    return respelled(document, metadata.spelling, lambda name, value: _same(name, value, metadata))


def _write_codecs(metadata: ArrayMetadata) -> JsonObject:
    codecs = metadata.codecs
    fortran = is_fortran(codecs)
    written = [_write_codec(codec) for codec in codecs[fortran:] if codec != _BYTES]
    compressor = written.pop() if written and written[-1]["id"] not in _FILTERS else None
    filters: Json = [*written] if written else None
    document: JsonObject = {"compressor": compressor, "filters": filters, "order": "F" if fortran else "C"}
    spelled = {name: metadata.spelling[name] for name in document if name in metadata.spelling}
    if spelled == document or len(spelled) < len(document):
        return document
    problems = Problems()
    chain = _with_serializer(_read_codecs(spelled, metadata.ndim, problems), metadata.data_type, problems)
    return spelled if chain == codecs and not problems else document


def _write_codec(codec: Extension) -> JsonObject:
    return {"id": numcodecs_id(codec), **codec.configuration}


def _same(name: str, value: Json, metadata: ArrayMetadata) -> bool:
    problems = Problems()
    return _means(name, value, metadata, problems) and not problems


def _means(name: str, value: Json, metadata: ArrayMetadata, problems: Problems) -> bool:
    match name:
        case "dtype":
            return read_dtype(value, _object_codec(metadata.codecs), "", problems) == metadata.data_type
        case "fill_value":
            return same_fill(read_fill_v2(value, metadata.data_type, "", problems), metadata.fill_value)
        case "chunks":
            return _read_chunks(value, metadata.shape, "", problems, metadata.ndim) == metadata.grid
        case "dimension_separator":
            return _read_separator(value, "", problems) == separator_of(metadata.chunk_keys)
    return False
