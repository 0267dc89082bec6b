"""What a node is, as JSON for the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from omnizarr.errors import ConversionError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json, JsonObject, shown
from omnizarr.metadata.extension import as_called
from omnizarr.metadata.fill import write_fill
from omnizarr.metadata.group import GroupMetadata
from omnizarr.netcdf.dialects.some import annotated
from omnizarr.pictures.coordinates import source_of
from omnizarr.pictures.subject import Subject
from omnizarr.serve.linked import links_of
from omnizarr.serve.members import dtype_of
from omnizarr.serve.opened import Opened
from omnizarr.serve.spelling import Spelling, brief, number

# Characters of one attribute, of all of them, of one document; and how many attributes are shown.
LONGEST_ATTRIBUTE = 20_000
ALL_ATTRIBUTES = 500_000
LONGEST_DOCUMENT = 50_000
MOST_ATTRIBUTES = 500
_MOST_FIELDS = 1000
_LONGEST_GRID = 200


def describe(opened: Opened, path: str) -> JsonObject:
    """Return what is known of the node at a path without reading its values."""
    node = opened.node(path)
    common = {
        "path": node.path,
        "place": f"{opened.root.url.rstrip('/')}/{node.path}" if node.path else opened.root.url,
        "format": f"Zarr {node.zarr_format}",
        **attributes_of(node.metadata.attributes),
        "documents": _documents(node),
    }
    if isinstance(node, Array):
        return {"kind": "array", **common, **_of_array(opened.subject(path), opened)}
    return {
        "kind": "group",
        **common,
        "dialect": _dialect_of_group(node, opened),
        "consolidated": _is_known(node),
        "links": links_of(node, opened),
    }


def attributes_of(attributes: Mapping[str, Json]) -> JsonObject:
    """Return attributes as a list of names, values and kinds; what is long is cut, and that is noted."""
    found: list[Json] = []
    left = ALL_ATTRIBUTES
    for name, value in attributes.items():
        if len(found) == MOST_ATTRIBUTES or left <= 0:
            break
        spelling = Spelling(min(LONGEST_ATTRIBUTE, left))
        item: JsonObject = {"name": name[:1000], "value": spelling.of(value), "kind": _kind(value)}
        if spelling.is_cut:
            item["note"] = f"only the beginning is shown{_size(value)}"
        left -= min(LONGEST_ATTRIBUTE, left) - spelling.room + len(name)
        found.append(item)
    return {"attributes": found, "attributes_left_out": len(attributes) - len(found)}


def _kind(value: Json) -> str:
    if isinstance(value, str):
        return "text"
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else "json"


def _size(value: Json) -> str:
    if isinstance(value, str):
        return f", of {len(value)} characters in all"
    return f", of {len(value)} items in all" if isinstance(value, list | dict) else ""


def _documents(node: Array | Group) -> list[Json]:
    metadata: Any = node.metadata
    if isinstance(metadata, GroupMetadata):
        metadata = metadata.with_consolidated(None)
    try:
        written = node.format.write(node.path, metadata)
    except ConversionError:
        return []
    return [{"key": key, "text": _cut(data.decode("utf-8", "replace"))} for key, data in written.items()]


def _cut(text: str) -> str:
    return (
        text
        if len(text) <= LONGEST_DOCUMENT
        else f"{text[:LONGEST_DOCUMENT]}\n… {len(text)} characters in all"
    )


# Arrays


def _of_array(subject: Subject, opened: Opened) -> JsonObject:
    array = subject.array
    variable = array.metadata.data_type.is_variable
    return {
        "name": array.basename or opened.root.name,
        "long_name": None if subject.long_name is None else brief(subject.long_name),
        "units": None if subject.units is None else brief(subject.units),
        "shape": [number(length) for length in array.shape],
        "dimensions": [_dimension(subject, axis) for axis in range(array.ndim)],
        "dtype": dtype_of(array),
        "data_type": array.metadata.data_type.name,
        "byte_order": array.metadata.data_type.byte_order,
        "fields": fields_of(array),
        "chunks": _lengths(array.chunks),
        "shards": None if array.shards is None else _lengths(array.shards),
        "codecs": [as_called(codec.to_json(), 300) for codec in array.metadata.codecs],
        "fill_value": _fill(array),
        "nbytes": None if variable else number(array.nbytes),
        "nchunks": number(array.nchunks),
        "dialect": _dialect_of_array(subject, opened),
        "shows": _shows(subject),
    }


def fields_of(array: Array) -> list[Json] | None:
    """Return the names of the fields of records; the first of them where they are very many."""
    names = array.dtype.names
    return None if names is None else list(map(brief, names[:_MOST_FIELDS]))


def _dimension(subject: Subject, axis: int) -> JsonObject:
    return {
        "name": brief(subject.label(axis)),
        "named": subject.names[axis] is not None,
        "size": number(subject.array.shape[axis]),
        "coordinates": source_of(subject, axis) is not None or subject.pixels is not None,
    }


def _lengths(shape: tuple[Any, ...]) -> list[Json]:
    return [list(map(number, n[:_LONGEST_GRID])) if isinstance(n, tuple) else number(n) for n in shape]


def _fill(array: Array) -> str:
    """Return the fill value as Zarr v3 would write it, whatever the format."""
    if array.fill_value is None:
        return "undefined"
    if array.dtype.kind in "mM":
        return str(array.fill_value)
    try:
        return shown(write_fill(array.fill_value, array.metadata.data_type), 500)
    except (TypeError, ValueError, ConversionError):
        return shown(repr(array.fill_value), 500)


def _shows(subject: Subject) -> str:
    """Return what a picture of an array shows: numbers, text, one field of records, or nothing."""
    dtype, custom = subject.array.dtype, subject.array.metadata.data_type.scalars is not None
    if not subject.array.size:
        return "nothing"
    if dtype.names is not None:
        return "records"
    if dtype.kind in "biufcmM" or (dtype.kind == "V" and custom):
        return "numbers"
    return "text"


# Dialects


def _dialect_of_array(subject: Subject, opened: Opened) -> str | None:
    if (dataset := subject.surroundings.dataset) is not None:
        return _annotated_name(dataset.dialect.name)
    if subject.pixels is not None:
        return "OME-Zarr"
    if _is_hdmf(opened):
        return "HDMF"
    array = subject.array
    if "_ARRAY_DIMENSIONS" in array.metadata.attributes:
        return "xarray"
    return None


def _dialect_of_group(group: Group, opened: Opened) -> str | None:
    attributes = group.metadata.attributes
    if (found := annotated(group)) is not None:
        return _annotated_name(found.name)
    if "multiscales" in attributes or "ome" in attributes:
        return "OME-Zarr"
    return "HDMF" if _is_hdmf(opened) else None


def _annotated_name(name: str) -> str:
    return name.replace("nczarr", "NCZarr")


def _is_hdmf(opened: Opened) -> bool:
    attributes = opened.root.node().metadata.attributes
    return ".specloc" in attributes or ("neurodata_type" in attributes and "namespace" in attributes)


def _is_known(group: Group) -> bool:
    return group._snapshot is not None and group._snapshot.nodes is not None
