"""What the specifications say of the fields of arrays and groups, in JSON Schema.

Every fragment says no more than the specification does, so that extensions are not refused.

https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#metadata
https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#metadata
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from omnizarr.zom.schema.fill import FILL_V2, FILL_V3, TYPE_STRING

Schema: TypeAlias = dict[str, Any]

_MAX_LENGTH = 2**63 - 1


def _length(low: int) -> Schema:
    return {"type": "integer", "minimum": low, "maximum": _MAX_LENGTH}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _object(required: Mapping[str, Any], optional: Mapping[str, Any] | None = None) -> Schema:
    """Return the schema of an object with these names and no others."""
    properties = {**required, **(optional or {})}
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


def _where_named(name: str, configuration: Schema, *, needed: bool = True) -> Schema:
    """Return what has to hold where an extension has a name; it may be a name alone unless more is needed."""
    named: Schema = {"type": "object", "properties": {"name": {"const": name}}, "required": ["name"]}
    then: Schema = {"properties": {"configuration": configuration}}
    if not needed:
        return {"if": named, "then": then}
    either: Schema = {"anyOf": [{"const": name}, named]}
    return {"if": either, "then": {"type": "object", "required": ["configuration"], **then}}


# --- names

_NAME = r"(?=\.*[^.])[^/\u0000]+$"
_NAMES: dict[int, Schema] = {
    2: {
        "description": "The name of a node: no slash, not all dots, none of Zarr v2's documents.",
        "type": "string",
        "pattern": rf"^(?!\.z(array|group|attrs|metadata)$){_NAME}",
    },
    3: {
        "description": "The name of a node: no slash, not all dots, not reserved by Zarr v3.",
        "type": "string",
        "pattern": rf"^(?!__|zarr\.json$){_NAME}",
    },
}

UNKNOWN: dict[int, Schema] = {
    2: {"patternProperties": {"^_": {}}, "additionalProperties": False},
    3: {
        "additionalProperties": {
            "description": "A field that need not be understood.",
            "type": "object",
            "properties": {"must_understand": {"const": False}},
            "required": ["must_understand"],
        }
    },
}
"""What other fields a node may have: those of conventions in Zarr v2, those that may be ignored in v3."""

# --- fields

_ZARR_VERSION = "The older name of zarr_format, as the document of ZEP 6 has it."


def zarr_version(number: int) -> Schema:
    """Return the schema of the field's other name."""
    return {"title": "Zarr Version", "description": _ZARR_VERSION, "const": number, "type": "integer"}


_CODEC_V2: Schema = {
    "type": "object",
    "properties": {"id": {"type": "string", "minLength": 1}},
    "required": ["id"],
    "additionalProperties": True,
}


_FIELD: Schema = {
    "type": "array",
    "prefixItems": [
        {"type": "string", "minLength": 1},
        {"anyOf": [{"type": "string", "pattern": TYPE_STRING}, {"$ref": "Fields"}]},
        _list(_length(1)),
    ],
    "minItems": 2,
    "maxItems": 3,
}
_FIELDS: Schema = {
    "description": "Fields: of each its name, its type, and perhaps a shape.",
    **_list(_FIELD),
    "minItems": 1,
}


_V2: dict[str, Schema] = {
    "shape": {"description": "The length of each axis.", **_list(_length(0))},
    "chunks": {"description": "The length of a chunk along each axis.", **_list(_length(0))},
    "dtype": {
        "description": "A type string of numpy, such as <f8, or a list of fields.",
        "anyOf": [{"type": "string", "pattern": rf"{TYPE_STRING}|^\|O$"}, {"$ref": "Fields"}],
    },
    "compressor": {
        "description": "What compresses chunks, as numcodecs has it, or null.",
        "anyOf": [_CODEC_V2, {"type": "null"}],
    },
    "filters": {
        "description": "What chunks go through before they are compressed, or null.",
        "anyOf": [_list(_CODEC_V2), {"type": "null"}],
    },
    "fill_value": {"description": "The value of elements that were never written, or null."},
    "order": {"description": "The order of elements in a chunk: C, last axis fastest, or F, first."},
    "dimension_separator": {"description": "What stands between the numbers of a chunk's key."},
}

_CHUNK_SHAPE = {**_list(_length(1)), "description": "The length of a chunk along each axis."}
_EDGES = {
    "anyOf": [_length(1), {"type": "array", "prefixItems": [_length(1)] * 2, "minItems": 2, "maxItems": 2}]
}
_RECTILINEAR = _object(
    {"kind": {"const": "inline"}, "chunk_shapes": _list({"anyOf": [_length(1), _list(_EDGES)]})}
)
_SEPARATOR = _object({}, {"separator": {"enum": ["/", "."]}})
_ENCODING: Schema = {"type": ["string", "object"]}
_AFFIXED = {
    "prefix": _object({"prefix": {"type": "string", "minLength": 1}, "base_encoding": _ENCODING}),
    "suffix": _object(
        {"suffix": {"type": "string"}}, {"base_encoding": _ENCODING, "base-encoding": _ENCODING}
    ),
}
_UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "μs", "ns", "ps", "fs", "as", "generic")
_SIZE: Schema = {"type": "integer", "minimum": 1, "maximum": 2**31 - 1}
_TIME = _object({"unit": {"enum": list(_UNITS)}, "scale_factor": _SIZE})
_BYTES = _object({"length_bytes": _SIZE})
_STRUCT = _object({"fields": {"type": "array", "minItems": 1}})

_V3: dict[str, Schema] = {
    "shape": {"description": "The length of each axis.", **_list(_length(0))},
    "data_type": {
        "description": "The type of elements: a name, or an object with a name and a configuration.",
        "allOf": [
            *(_where_named(f"numpy.{name}64", _TIME) for name in ("datetime", "timedelta")),
            *(
                _where_named(name, _BYTES)
                for name in ("fixed_length_utf32", "null_terminated_bytes", "raw_bytes")
            ),
            *(_where_named(name, _STRUCT) for name in ("struct", "structured")),
        ],
    },
    "chunk_grid": {
        "description": "How the array is cut into chunks.",
        "allOf": [
            _where_named("regular", _object({"chunk_shape": _CHUNK_SHAPE})),
            _where_named("rectilinear", _RECTILINEAR),
        ],
    },
    "chunk_key_encoding": {
        "description": "How the numbers of a chunk become a key.",
        "allOf": [
            *(_where_named(name, _SEPARATOR, needed=False) for name in ("default", "v2")),
            *(_where_named(name, schema) for name, schema in _AFFIXED.items()),
            _where_named("fanout", _object({}, {"max_children": _length(3)}), needed=False),
        ],
    },
    "fill_value": {"description": "The value of elements that were never written."},
    "codecs": {"description": "What turns a chunk into bytes, in order.", "minItems": 1},
    "storage_transformers": {"description": "None are known so far.", "maxItems": 0},
    "dimension_names": {"description": "A name or null for each axis."},
}

FIELDS: dict[int, dict[str, Schema]] = {2: _V2, 3: _V3}
"""What is said of each field, beside its type."""

_NO_AXIS_OF_0: Schema = {"properties": {"shape": {"not": {"contains": {"const": 0}}}}, "required": ["shape"]}
_CHUNKS_OF_1: Schema = {"properties": {"chunks": {"items": {"minimum": 1}}}}

TOGETHER: dict[int, list[Schema]] = {
    # Along an axis of length 0, chunks may have length 0 too.
    2: [{"if": _NO_AXIS_OF_0, "then": _CHUNKS_OF_1}, {"$ref": "FillValue"}],
    3: [{"$ref": "FillValue"}],
}
"""What has to hold of the fields of an array together."""

_FILL = {"description": "What fill values may be, by data type."}

SHARED: dict[int, dict[str, Schema]] = {
    2: {"NodeName": _NAMES[2], "Fields": _FIELDS, "FillValue": {**_FILL, "allOf": FILL_V2}},
    3: {"NodeName": _NAMES[3], "FillValue": {**_FILL, "allOf": FILL_V3}},
}
"""What others refer to, by name."""
