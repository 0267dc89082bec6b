"""The documents of arrays and groups in the drafts after 2019, which are read and never written.

An array's document is turned into what Zarr v2 would have, read as such, and brought into v3's idiom.

Drafts of October 2020 to late 2022, "Array metadata" and "Group metadata".
"""

from __future__ import annotations

import re
from dataclasses import replace

from omnizarr.jsontypes import Json, JsonObject, Problems, inside, read_list, read_object, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chains import chain_to_v3
from omnizarr.metadata.chunk_keys_draft import DraftChunkKeys
from omnizarr.metadata.formats.drafts.compressor import read_layout
from omnizarr.metadata.formats.drafts.declared import read_declared
from omnizarr.metadata.formats.drafts.later_codecs import read_compressor, split_filters, with_codecs
from omnizarr.metadata.formats.drafts.later_fills import read_later_fill
from omnizarr.metadata.formats.drafts.later_types import STAND_IN, read_later_type
from omnizarr.metadata.formats.drafts.sharded import with_transformers
from omnizarr.metadata.formats.v2_node import ARRAY, read_node
from omnizarr.metadata.group import GroupMetadata

_REQUIRED = ("shape", "data_type", "chunk_grid", "fill_value")
_OPTIONAL = (
    *("attributes", "extensions", "chunk_memory_layout", "compressor", "codecs"),
    *("storage_transformers", "dimension_names", "dimension_separator"),
)
_OF_GROUP = ("attributes", "extensions")
_OF_GRID = ("type", "chunk_shape")

# Where the draft has what Zarr v2 has elsewhere.
_PLACES = {
    "chunks": "chunk_grid.chunk_shape",
    "dtype": "data_type",
    "order": "chunk_memory_layout",
    "filters": "attributes.filters",
    "dimension_separator": "chunk_grid.separator",
}
_NAME = re.compile(r"\.zarray\.(\w+)")


def read_array(document: Json, problems: Problems) -> ArrayMetadata:
    """Read the parsed document of an array."""
    fields = read_object(document, "", problems, required=_REQUIRED, optional=_OPTIONAL)
    read_declared(fields.get("extensions", []), "extensions", problems)
    filters, attributes = split_filters(_read_attributes(fields, problems))
    grid = _read_grid(fields["chunk_grid"], problems) if "chunk_grid" in fields else {}
    array = _as_v2(fields, grid, filters, problems)
    keys = DraftChunkKeys("." if grid.get("separator") == "." else "/")
    chain = chain_to_v3(array.codecs, array.data_type)
    if array.data_type.byte_order == "mixed":
        message = "fields of different byte orders are not read from drafts of v3"
        problems.add("data_type", message, unsupported=True)
    itemsize = array.data_type.dtype.itemsize
    native = replace(
        array,
        data_type=chain.data_type,
        codecs=with_codecs(chain.codecs, fields.get("codecs", []), itemsize, problems),
        chunk_keys=keys,
        dimension_names=_read_names(fields.get("dimension_names"), array.ndim, problems),
        attributes=attributes,
        spelling={},
    )
    return with_transformers(native, fields.get("storage_transformers", []), problems)


def read_group(document: Json, problems: Problems) -> GroupMetadata:
    """Read the parsed document of a group."""
    fields = read_object(document, "", problems, optional=_OF_GROUP)
    read_declared(fields.get("extensions", []), "extensions", problems)
    return GroupMetadata(attributes=_read_attributes(fields, problems))


def _read_attributes(fields: JsonObject, problems: Problems) -> JsonObject:
    attributes = fields.get("attributes")
    if attributes is None:  # as zarrita writes it for groups that were made without any
        return {}
    if isinstance(attributes, dict):
        return attributes
    problems.add("attributes", f"expected an object, found {shown(attributes)}")
    return {}


def _read_grid(value: Json, problems: Problems) -> JsonObject:
    at = "chunk_grid"
    if isinstance(value, dict) and "extension" in value:
        problems.add(at, f"the grid {shown(value['extension'])} is not known here", unsupported=True)
        return {}
    fields = read_object(value, at, problems, required=_OF_GRID, optional=("separator",))
    if fields.get("type", "regular") != "regular":
        problems.add(inside(at, "type"), f'expected "regular", found {shown(fields["type"])}')
    return fields


def _as_v2(fields: JsonObject, grid: JsonObject, filters: Json, problems: Problems) -> ArrayMetadata:
    code = read_later_type(fields.get("data_type", STAND_IN[1:]), "data_type", problems)
    shape = fields.get("shape", grid.get("chunk_shape", []))
    document: JsonObject = {
        "zarr_format": 2,
        "shape": shape,
        "chunks": grid.get("chunk_shape", shape),
        "dtype": code,
        "order": read_layout(fields.get("chunk_memory_layout", "C"), problems),
        "filters": filters,
        "compressor": read_compressor(fields.get("compressor"), "compressor", problems),
        "fill_value": read_later_fill(fields.get("fill_value"), code, "fill_value", problems),
        "dimension_separator": grid.get("separator", "/"),
    }
    if document["order"] not in ("C", "F"):  # told of already
        document["order"] = "C"
    inner = Problems()
    node = read_node({ARRAY: document}, inner)
    for problem in inner.found:
        problems.add(_NAME.sub(_own_place, problem.at), problem.message, unsupported=problem.unsupported)
    assert isinstance(node, ArrayMetadata), "of a .zarray"
    return node


def _own_place(found: re.Match[str]) -> str:
    return _PLACES.get(found[1], found[1])


def _read_names(value: Json, ndim: int, problems: Problems) -> tuple[str | None, ...] | None:
    if value is None:
        return None
    names = read_list(value, "dimension_names", problems, ndim)
    for i, name in enumerate(names):
        if name is not None and not isinstance(name, str):
            problems.add(f"dimension_names[{i}]", f"expected a string or null, found {shown(name)}")
    return tuple(names)  # type: ignore[arg-type]
