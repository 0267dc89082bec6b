"""Typed attributes as JSON, and JSON as typed attributes.

netCDF-C records the type of each attribute beside the attributes; other writers do not, and then the
type follows from the value. Appendix C of "The NetCDF NCZarr Implementation" is the convention for JSON.

https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.jsontypes import Json, JsonObject, shown
from omnizarr.netcdf.dialects.fills import double_in
from omnizarr.netcdf.model.items import from_json, to_json
from omnizarr.netcdf.model.nodes import AttributeModel, Values
from omnizarr.netcdf.model.types import (
    ATOMIC_TYPES,
    BY_CODE,
    BY_NAME,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    INT64,
    STRING,
    UBYTE,
    UINT,
    UINT64,
    AtomicType,
    Enum,
    NcType,
    UserType,
)

HIDDEN = frozenset(
    (
        "_ARRAY_DIMENSIONS",
        "_NCProperties",
        "CLASS",
        "NAME",
        "DIMENSION_LIST",
        "REFERENCE_LIST",
        "_Netcdf4Coordinates",
        "_Netcdf4Dimid",
    )
)
CHAR_CODE = ">S1"
JSON_CODE = "|J0"
JSON_CODES = (JSON_CODE, "json")
_INTEGERS = (INT, UINT, INT64, UINT64)
_BY_ZARR_NAME = {kind.dtype.name: kind for kind in ATOMIC_TYPES if kind.is_numeric}
_RAW = re.compile(r"r[0-9]+")


def is_hidden(name: str) -> bool:
    """Say whether an attribute is the library's own, which users do not see.

    `_nczarr_maxstrlen` and `_nczarr_default_maxstrlen` are the user's.
    """
    low = name.lower()
    return name in HIDDEN or (low.startswith(("_nczarr_", "_nczarr")) and not low.endswith("maxstrlen"))


def encode_attribute(attribute: AttributeModel) -> tuple[Json, str]:
    """Return the JSON value of an attribute and the code of its type."""
    value = attribute.value
    if isinstance(value, str):
        return _encode_text(value), CHAR_CODE
    if attribute.type is STRING:
        texts = [_storable(str(item)) for item in value]
        return _bare(texts), f"|S{max([1, *(len(text.encode()) for text in texts)])}"
    if isinstance(attribute.type, AtomicType | Enum):
        return _bare([to_json(attribute.type, item) for item in value]), f"<{attribute.type.code}"
    # netCDF-C shows the text of any JSON as char, and opens no dataset where a user's attribute is `|J0`.
    return [to_json(attribute.type, item) for item in value], CHAR_CODE


def encode_attributes(
    attributes: Iterable[AttributeModel], internal: Mapping[str, Json], plain: Mapping[str, Json]
) -> JsonObject:
    """Return a node's attributes with their types, as netCDF-C 4.9.3 and later lay them out.

    Types of the user are integers (enums) or JSON to netCDF-C; which they are is told beside, where it does
    not look.

    Parameters
    ----------
    internal
        Attributes of the library, whose type is JSON.
    plain
        Attributes of the library that get no type.
    """
    values: JsonObject = {}
    types: JsonObject = {}
    user_types: JsonObject = {}
    for attribute in attributes:
        values[attribute.name], types[attribute.name] = encode_attribute(attribute)
        if not isinstance(attribute.type, AtomicType):
            user_types[attribute.name] = attribute.type.path
    types |= dict.fromkeys((*internal, "_nczarr_attr"), JSON_CODE)
    noted: JsonObject = {"types": types, "user_types": user_types} if user_types else {"types": types}
    return {**values, **plain, **internal, "_nczarr_attr": noted}


def decode_attributes(
    values: Mapping[str, Json],
    types: Mapping[str, Json] | None = None,
    user_types: Mapping[str, UserType] | None = None,
    tell: Callable[[str], None] | None = None,
) -> tuple[AttributeModel, ...]:
    """Return the attributes that users see; a type that is not known follows from the value.

    Parameters
    ----------
    types
        The codes of types by the attributes' names.
    user_types
        The types of the user by their absolute paths.
    tell
        Is told of each attribute whose value is not of its type.
    """
    known = types or {}
    found = []
    for name, value in values.items():
        if not is_hidden(name):
            code = known.get(name)
            attribute = decode_attribute(name, value, code, user_types)
            found.append(attribute)
            if tell is not None and code is not None and not _has_type(attribute, code):
                tell(f"attribute {name!r}: {shown(value)} is no value of type {shown(code)}")
    return tuple(found)


def decode_attribute(
    name: str, value: Json, code: Json = None, user_types: Mapping[str, UserType] | None = None
) -> AttributeModel:
    """Return an attribute from its JSON value and the code of its type, where that is known.

    Codes are numpy's (`<i4`), Zarr v3's (`int32`) and netCDF's (`int`); `>S1` and `<U1` are char and other
    `S` string, `|J0` and `json` any JSON. That of a type of the user is its absolute path.
    """
    if isinstance(code, str) and user_types is not None and code in user_types:
        return _of_user_type(name, value, user_types[code])
    kind = _type_of_code(code) if isinstance(code, str) else None
    if kind is CHAR or code in JSON_CODES:
        return AttributeModel(name, CHAR, value if isinstance(value, str) else json_text(value))
    if kind is STRING:
        return AttributeModel(name, STRING, tuple(map(_as_text, _listed(value))))
    if kind is not None:
        numbers = _numbers(kind, _listed(value))
        if numbers is not None:
            return AttributeModel(name, kind, numbers)
    return _inferred(name, value)


def _of_user_type(name: str, value: Json, kind: UserType) -> AttributeModel:
    try:
        return AttributeModel(name, kind, tuple(from_json(kind, item) for item in _listed(value)))
    except ConversionError:
        return _inferred(name, value)


def _has_type(attribute: AttributeModel, code: Json) -> bool:
    if not isinstance(code, str):
        return False
    if isinstance(attribute.type, AtomicType):
        return attribute.type is (CHAR if code in JSON_CODES else _type_of_code(code))
    return attribute.type.path == code


def json_text(value: Json) -> str:
    """Return a JSON document as the text that netCDF-C makes of it: `{"a": 1, "b": [1,2]}`."""
    if isinstance(value, dict):
        pairs = (f"{_quoted(name)}: {json_text(item)}" for name, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(json_text, value)) + "]"
    return _quoted(value)


def _quoted(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _encode_text(text: str) -> Json:
    """Return the text; where it is just what netCDF-C makes of a JSON object or array, that one."""
    text = _storable(text)
    if text[:1] in ("{", "[") and "\\u" not in text:
        try:
            value: Json = json.loads(text, parse_constant=_refuse)
        except ValueError:
            return text
        if json_text(value) == text:
            return value
    return text


def _refuse(token: str) -> Json:
    raise ValueError(f"{token} is no JSON")


def _storable(text: str) -> str:
    """Return text that UTF-8 can hold: bytes that are not UTF-8 are taken as Latin-1."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape").decode("latin-1")
    return text


def _bare(values: Sequence[Json]) -> Json:
    return values[0] if len(values) == 1 else list(values)


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else json_text(value)


def _type_of_code(code: str) -> AtomicType | None:
    if code in (CHAR_CODE, "<U1", ">U1"):
        return CHAR
    if code[1:2] in ("S", "U") or _RAW.fullmatch(code):
        return STRING
    return BY_CODE.get(code[1:]) or BY_NAME.get(code) or _BY_ZARR_NAME.get(code)


def _numbers(kind: NcType, values: list[Json]) -> Values | None:
    """Return the values as numbers of a type, or None where they are not."""
    try:
        if kind in (FLOAT, DOUBLE):
            return tuple(float(kind.dtype.type(_real(value))) for value in values)
        return tuple(int(kind.dtype.type(_integer(value))) for value in values)
    except (TypeError, ValueError, OverflowError):
        return None


def _number(value: Json) -> int | float:
    if isinstance(value, str):
        return float(value)
    if isinstance(value, bool | int | float):
        return value
    raise TypeError("not a number")


def _integer(value: Json) -> int:
    number = int(value) if isinstance(value, str) else _number(value)
    if number != int(number):
        raise ValueError("not an integer")
    return int(number)


def _real(value: Json) -> int | float:
    """Return a floating number, which xarray has in base64 on Zarr v3."""
    found = double_in(value) if isinstance(value, str) else value
    return _number(found)


def _inferred(name: str, value: Json) -> AttributeModel:
    if isinstance(value, str):
        return AttributeModel(name, CHAR, value)
    items = _listed(value)
    if not items:
        return AttributeModel(name, DOUBLE, ())
    if all(isinstance(item, str) for item in items):
        return AttributeModel(name, STRING, tuple(map(str, items)))
    kind = _number_type(items)
    numbers = _numbers(kind, items) if kind else None
    if kind is None or numbers is None:
        return AttributeModel(name, CHAR, json_text(value))
    return AttributeModel(name, kind, numbers)


def _number_type(items: list[Json]) -> NcType | None:
    if all(isinstance(item, bool) for item in items):
        return UBYTE
    if any(isinstance(item, bool) or not isinstance(item, int | float) for item in items):
        return None
    if all(isinstance(item, int) for item in items):
        return next((kind for kind in _INTEGERS if _fits(kind, items)), DOUBLE)
    return DOUBLE


def _fits(kind: NcType, items: list[Json]) -> bool:
    limits = np.iinfo(kind.dtype)
    return all(isinstance(item, int) and limits.min <= item <= limits.max for item in items)
