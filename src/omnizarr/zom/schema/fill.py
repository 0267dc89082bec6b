"""Fill values of each data type, in JSON Schema.

https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#fill-value-encoding
https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html#permitted-fill-values
"""

from __future__ import annotations

from typing import Any, TypeAlias

from omnizarr.metadata.small_names import COMPLEX, FLOATS
from omnizarr.metadata.small_names import INTEGERS as SMALL_INTEGERS

Schema: TypeAlias = dict[str, Any]

_UNIT = r"\[(?:[1-9][0-9]{0,8})?(?:Y|M|W|D|h|m|s|ms|us|μs|ns|ps|fs|as|generic)\]"
_KINDS = rf"b1|[iu][1248]|f[248]|c(?:8|16)|[SUV][1-9][0-9]{{0,9}}|[mM]8?(?:{_UNIT})?"
TYPE_STRING = rf"^[<>|](?:{_KINDS})$"
"""The type strings of Zarr v2, but for that of objects."""

_BASE64: Schema = {"type": "string", "pattern": "^[A-Za-z0-9+/]*={0,2}$"}
_BYTES: Schema = {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}}
_FLOAT: Schema = {
    "anyOf": [
        {"type": "number"},
        {"enum": ["NaN", "Infinity", "-Infinity"]},
        {"type": "string", "pattern": "^0x[0-9a-fA-F]+$"},
    ]
}
_COMPLEX: Schema = {"type": "array", "items": _FLOAT, "minItems": 2, "maxItems": 2}
_TIME: Schema = {"anyOf": [{"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}, {"const": "NaT"}]}
_RAW: Schema = {"anyOf": [_BASE64, _BYTES]}
_TEXT: Schema = {"type": "string"}


def _integer(kind: str, size: int) -> Schema:
    low, high = (-(2 ** (8 * size - 1)), 2 ** (8 * size - 1)) if kind == "i" else (0, 2 ** (8 * size))
    return {"type": "integer", "minimum": low, "maximum": high - 1}


def _small_integer(name: str) -> Schema:
    bits = int(name[-1])
    low, high = (0, 2**bits - 1) if name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return {"type": "integer", "minimum": low, "maximum": high}


# --- v3

_SIZES = (1, 2, 4, 8)
_INTEGERS = {f"{name}{8 * size}": _integer(name[0], size) for name in ("int", "uint") for size in _SIZES}


def _where_v3(names: list[str] | str, fill: Schema) -> Schema:
    """Return what has to hold of the fill value where the data type has one of these names, or a pattern."""
    name: Schema = {"pattern": names, "type": "string"} if isinstance(names, str) else {"enum": names}
    named: Schema = {"type": "object", "properties": {"name": name}, "required": ["name"]}
    type_is: Schema = {"properties": {"data_type": {"anyOf": [name, named]}}, "required": ["data_type"]}
    return {"if": type_is, "then": {"properties": {"fill_value": fill}}}


FILL_V3: list[Schema] = [
    _where_v3(["bool"], {"type": "boolean"}),
    *(_where_v3([name], fill) for name, fill in _INTEGERS.items()),
    *(_where_v3([name], _small_integer(name)) for name in SMALL_INTEGERS),
    _where_v3(["float16", "float32", "float64", *FLOATS], _FLOAT),
    _where_v3(["complex64", "complex128", "complex_float32", "complex_float64", *COMPLEX], _COMPLEX),
    _where_v3(["numpy.datetime64", "numpy.timedelta64"], _TIME),
    _where_v3(["string", "fixed_length_utf32"], _TEXT),
    _where_v3(["bytes", "variable_length_bytes", "null_terminated_bytes", "raw_bytes"], _RAW),
    _where_v3("^r[1-9][0-9]*$", _RAW),
    _where_v3(["struct", "structured"], {"anyOf": [{"type": "object"}, _BASE64]}),
]
"""What fill values may be, by data type."""

# --- v2


def _where_v2(pattern: str, fill: Schema) -> Schema:
    """Return what has to hold of the fill value, if it is not null; a list of one value counts as that."""
    type_is: Schema = {
        "properties": {"dtype": {"type": "string", "pattern": f"^[<>|]{pattern}"}},
        "required": ["dtype"],
    }
    one: Schema = {"type": "array", "items": fill, "minItems": 1, "maxItems": 1}
    return {"if": type_is, "then": {"properties": {"fill_value": {"anyOf": [fill, {"type": "null"}, one]}}}}


_ZERO: Schema = {"const": 0}

FILL_V2: list[Schema] = [
    _where_v2("b1$", {"anyOf": [{"type": "boolean"}, {"enum": [0, 1]}]}),
    *(_where_v2(f"{kind}{size}$", _integer(kind, size)) for kind in "iu" for size in _SIZES),
    _where_v2("f", _FLOAT),
    _where_v2("c", _COMPLEX),
    _where_v2("[mM]", _TIME),
    _where_v2("U", {"anyOf": [_TEXT, _ZERO]}),
    _where_v2("S", {"anyOf": [_TEXT, _BYTES, _ZERO]}),
    _where_v2("V", {"anyOf": [_BASE64, _BYTES, _ZERO]}),
]
"""What fill values may be, by data type."""
