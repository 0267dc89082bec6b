"""Data types as the drafts after 2019 name them, as Zarr v2 has them: numpy's type strings, lists of fields.

Codes such as `<f8` (2020), names such as `float64` (late 2022), `r16` for raw bits, and extensions with
fallbacks. zarr-python names extensions of its own, some by no URI.
"""

from __future__ import annotations

import re
import warnings

import numpy as np

from omnizarr.jsontypes import Json, JsonObject, Problems, inside, read_object, read_string, shown
from omnizarr.metadata.dtype import PLAIN
from omnizarr.metadata.dtype_v2 import read_dtype
from omnizarr.metadata.formats.drafts.data_types import extension_type

_CODE = re.compile(r"[<>](?:[iu][248]|f[248])")
_BYTE_CODES = {"bool": "|b1", "i1": "|i1", "u1": "|u1"}
_NAMED_KINDS = "biufc"
_RAW = re.compile(r"r([1-9][0-9]{0,9})")

_EXTENSION = re.compile(
    r"https?://(?:purl\.org/zarr/spec|zarr-specs\.readthedocs\.io/\S*?)/(?:protocol/)?extensions/"
    r"(?:data-types/)?(\w+?)(?:-dtypes)?/v?1\.[0-9]+(?:\.html)?/?"
)
_UNNAMED = re.compile(r"TODO: (\w+) array protocol URL")
# The kinds of numpy's types that an extension adds.
_KINDS = {
    "complex": "c",
    "datetime": "mM",
    "string": "SU",
    "struct": "V",
    "object": "O",
    "bytestring": "S",
    "unicode": "U",
    "structured": "V",
}

STAND_IN = "|u1"


def read_later_type(value: Json, at: str, problems: Problems) -> Json:
    """Return the type that Zarr v2 has for one of the core, or of an extension, or for its fallback.

    A fallback that stands in for a type of an unknown extension is told of by a warning.
    """
    if isinstance(value, str):
        if (found := _core(value)) is not None:
            return found
    elif isinstance(value, dict):
        return _read_extension(value, at, problems)
    expected = 'a type such as "<f8", "float64" or "r16", or an object with an extension'
    problems.add(at, f"expected {expected}, found {shown(value)}")
    return STAND_IN


def _core(name: str) -> str | None:
    if _CODE.fullmatch(name):
        return name
    if name in _BYTE_CODES:
        return _BYTE_CODES[name]
    raw = _RAW.fullmatch(name)
    if raw is not None:
        return None if int(raw[1]) % 8 else f"|V{int(raw[1]) // 8}"
    plain = PLAIN.get(name)
    if plain is None or plain.name != plain.dtype.name or plain.dtype.kind not in _NAMED_KINDS:
        return None
    return np.dtype(name).newbyteorder("<").str


def _read_extension(value: JsonObject, at: str, problems: Problems) -> Json:
    optional = ("fallback", "configuration")
    fields = read_object(value, at, problems, required=("extension", "type"), optional=optional)
    uri = read_string(fields.get("extension", ""), inside(at, "extension"), problems)
    code = fields.get("type")
    if _is_known(uri, code):
        return _unpacked(code)
    if isinstance(code, str) and (found := extension_type(uri, code)) is not None:
        dtype = found.data_type.with_byte_order("native" if found.order == "none" else found.order).dtype
        if _is_type_string(dtype.str):
            return dtype.str
    instead = _read_fallback(fields.get("fallback"), inside(at, "fallback"), problems)
    if instead is None:
        message = f"the type {shown(code)} of {uri} is not known here, and names no fallback that is"
        problems.add(at, message, unsupported=True)
        return STAND_IN
    message = f"{at}: the type {shown(code)} of {uri} is not known here: read as {shown(instead)}"
    warnings.warn(message, stacklevel=2)
    return instead


def _is_known(uri: str, code: Json) -> bool:
    found = _EXTENSION.fullmatch(uri) or _UNNAMED.fullmatch(uri)
    kinds = "" if found is None else _KINDS.get(found[1], "")
    if isinstance(code, list):
        return "V" in kinds
    return isinstance(code, str) and code[1:2] in tuple(kinds) and _is_type_string(code)


def _unpacked(code: Json) -> Json:
    """Return what zarr-python has for raw bytes, one field without a name, as their type."""
    match code:
        case [["", str() as raw]] if _is_type_string(raw):
            return raw
    return code


def _is_type_string(code: str) -> bool:
    problems = Problems()
    read_dtype(code, None, "", problems)
    return not problems


def _read_fallback(value: Json, at: str, problems: Problems) -> Json:
    """Return the first choice that is known, or None."""
    for choice in value if isinstance(value, list) else [value]:
        if isinstance(choice, str) and (found := _core(choice)) is not None:
            return found
        if isinstance(choice, dict) and _is_known(str(choice.get("extension")), choice.get("type")):
            return choice.get("type")
        if choice is not None and not isinstance(choice, str | dict):
            problems.add(at, f"expected a type, or a list of types, found {shown(value)}")
    return None
