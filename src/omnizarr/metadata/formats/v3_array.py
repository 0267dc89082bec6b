"""The document of a Zarr v3 array.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#array-metadata
"""

from __future__ import annotations

from typing import Any

from omnizarr.jsontypes import Json, JsonObject, Problems, read_list, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chunk_keys import read_chunk_keys
from omnizarr.metadata.convert import as_v3
from omnizarr.metadata.dtype_v3 import read_data_type, write_data_type
from omnizarr.metadata.extension import UNREADABLE, Extension, read_extension, read_extensions
from omnizarr.metadata.fill import read_fill, same_fill, write_fill
from omnizarr.metadata.grids import read_grid, read_shape, write_grid
from omnizarr.metadata.spelling import respelled

_REQUIRED = ("shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs")
_OPTIONAL = ("attributes", "dimension_names", "storage_transformers")
_KNOWN = frozenset(("zarr_format", "node_type", *_REQUIRED, *_OPTIONAL))
_IDLE = ("storage_transformers", "dimension_names")


def read_array(document: JsonObject, problems: Problems) -> ArrayMetadata:
    """Read an array; harmless values stand in for those at fault."""
    get = document.get
    for name in _REQUIRED:
        if name not in document:
            problems.add(name, "required, but missing")
    shape = read_shape(get("shape", []), "shape", problems)
    before = len(problems.found)
    data_type = read_data_type(get("data_type", "uint8"), "data_type", problems)
    typed = "fill_value" in document and len(problems.found) == before
    grid = document["chunk_grid"] if "chunk_grid" in document else _one_chunk(shape)
    names = get("dimension_names")
    ndim = len(shape) if isinstance(get("shape"), list) else None
    if get("storage_transformers"):
        _refuse_transformers(document["storage_transformers"], problems)
    return ArrayMetadata(
        shape=shape,
        data_type=data_type,
        grid=read_grid(grid, shape, "chunk_grid", problems, ndim),
        chunk_keys=read_chunk_keys(
            get("chunk_key_encoding", "default"), "chunk_key_encoding", problems, ndim
        ),
        codecs=_read_codecs(get("codecs", ["bytes"]), problems),
        fill_value=read_fill(document["fill_value"], data_type, "fill_value", problems) if typed else None,
        dimension_names=None if names is None else _read_names(names, ndim, problems),
        attributes=read_attributes(document, problems),
        extra=read_extra(document, _KNOWN, problems),
        spelling=document,
    )


def _one_chunk(shape: tuple[int, ...]) -> Json:
    return {"name": "regular", "configuration": {"chunk_shape": [max(1, length) for length in shape]}}


def _read_codecs(value: Json, problems: Problems) -> tuple[Extension, ...]:
    codecs = read_extensions(value, "codecs", problems)
    if not codecs and isinstance(value, list):
        problems.add("codecs", "expected one codec at least, which turns the array into bytes")
        return (UNREADABLE,)
    return codecs


def _refuse_transformers(value: Json, problems: Problems) -> None:
    for i, item in enumerate(read_list(value, "storage_transformers", problems)):
        at = f"storage_transformers[{i}]"
        found = read_extension(item, at, problems)
        if found is not UNREADABLE:
            problems.add(
                at, f"the storage transformer {shown(found.name)} is not known here", unsupported=True
            )


def _read_names(value: Json, ndim: int | None, problems: Problems) -> tuple[str | None, ...]:
    items = read_list(value, "dimension_names", problems, ndim)
    for i, item in enumerate(items):
        if item is not None and not isinstance(item, str):
            problems.add(f"dimension_names[{i}]", f"expected a string or null, found {shown(item)}")
    return tuple(items)  # type: ignore[arg-type]


def read_attributes(document: JsonObject, problems: Problems) -> JsonObject:
    """Read the attributes of an array or a group."""
    attributes = document.get("attributes", {})
    if isinstance(attributes, dict):
        return attributes
    problems.add("attributes", f"expected an object, found {shown(attributes)}")
    return {}


def read_extra(document: JsonObject, known: frozenset[str], problems: Problems) -> JsonObject:
    """Return the fields that are not known; each has to say that it need not be understood."""
    if document.keys() <= known:
        return {}
    extra = {name: value for name, value in document.items() if name not in known}
    for name, value in extra.items():
        if not (isinstance(value, dict) and value.get("must_understand") is False):
            problems.add(name, "unknown name, and no object with must_understand: false", unsupported=True)
    return extra


def write_array(metadata: ArrayMetadata) -> JsonObject:
    """Return the document of an array.

    Raises
    ------
    ConversionError
        Zarr v3 cannot express this array.
    """
    metadata = as_v3(metadata)
    document: JsonObject = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(metadata.shape),
        "data_type": write_data_type(metadata.data_type),
        "chunk_grid": write_grid(metadata.grid),
        "chunk_key_encoding": metadata.chunk_keys.to_json(),
        "fill_value": write_fill(metadata.fill_value, metadata.data_type),
        "codecs": [codec.to_json() for codec in metadata.codecs],
        "attributes": dict(metadata.attributes),
    }
    if metadata.dimension_names is not None:
        document["dimension_names"] = list(metadata.dimension_names)
    return finished(document, metadata, lambda name, value: _same(name, value, metadata), _IDLE)


def finished(document: JsonObject, metadata: Any, same: Any, idle: tuple[str, ...]) -> JsonObject:
    """Add the fields that were not understood, and spell the document as it was read."""
    for name, value in metadata.extra.items():
        document.setdefault(name, value)
    spelling = metadata.spelling
    if not spelling:
        return document
    if "attributes" not in spelling and not metadata.attributes:
        del document["attributes"]
    return respelled(document, spelling, same, idle)


def _same(name: str, value: Json, metadata: ArrayMetadata) -> bool:
    problems = Problems()
    return _means(name, value, metadata, problems) and not problems


def _means(name: str, value: Json, metadata: ArrayMetadata, problems: Problems) -> bool:
    match name:
        case "data_type":
            return read_data_type(value, "", problems) == metadata.data_type
        case "chunk_grid":
            return read_grid(value, metadata.shape, "", problems, metadata.ndim) == metadata.grid
        case "chunk_key_encoding":
            return read_chunk_keys(value, "", problems, metadata.ndim) == metadata.chunk_keys
        case "fill_value":
            return same_fill(read_fill(value, metadata.data_type, "", problems), metadata.fill_value)
        case "codecs":
            return read_extensions(value, "", problems) == metadata.codecs
    return False
