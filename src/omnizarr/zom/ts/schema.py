"""JSON Schema as types of TypeScript, as near as those come.

https://json-schema.org/draft/2020-12/json-schema-core
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any, TypeAlias

from omnizarr.zom.ts.types import (
    BOOLEAN,
    NEVER,
    NULL,
    UNKNOWN,
    Field,
    Fixed,
    Index,
    Items,
    Object,
    Type,
    Word,
    both_of,
    quoted,
    union_of,
)

Schema: TypeAlias = Mapping[str, Any]
Use: TypeAlias = Callable[[str], Type]
"""Returns the type that a reference (`$ref`) names."""

OPEN = Object(others=(Index("string", UNKNOWN),))
"""An object of which nothing is known."""

_LONGEST_TUPLE = 16
_OF_OBJECTS = ("properties", "patternProperties")
_OF_ARRAYS = ("items", "prefixItems")
_SIMPLE = {
    "string": Word("string"),
    "number": Word("number"),
    "integer": Word("number"),
    "boolean": BOOLEAN,
    "null": NULL,
}
_PREFIX = re.compile(r"\^([\w:/ -]+)(\.\*\$?)?")


def type_of(schema: Any, use: Use) -> Type:
    """Return the type of what a schema describes.

    What types cannot say (patterns, bounds, `not`, names that only some cases require) is left out.
    """
    if not isinstance(schema, Mapping):
        return NEVER if schema is False else UNKNOWN
    if "const" in schema:
        return _literal(schema["const"])
    if "enum" in schema:
        return union_of(map(_literal, schema["enum"]))
    named = both_of(_named(schema, use))
    if named != UNKNOWN and not any(word in schema for word in (*_OF_OBJECTS, *_OF_ARRAYS)):
        return named
    return both_of([_own(schema, use), named])


def _named(schema: Schema, use: Use) -> Iterator[Type]:
    """Yield what a schema says by other schemas."""
    if "$ref" in schema:
        yield use(schema["$ref"])
    for part in schema.get("allOf", ()):
        yield type_of(part, use)
    for word in ("anyOf", "oneOf"):
        if word in schema:
            yield union_of(type_of(option, use) for option in schema[word])


def _own(schema: Schema, use: Use) -> Type:
    kinds = schema.get("type")
    if kinds is None and any(word in schema for word in _OF_OBJECTS):
        kinds = "object"
    if kinds is None and any(word in schema for word in _OF_ARRAYS):
        kinds = "array"
    if kinds is None:
        return UNKNOWN
    return union_of(_of_kind(kind, schema, use) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _of_kind(kind: str, schema: Schema, use: Use) -> Type:
    if kind == "object":
        return object_of(schema, use)
    return _array(schema, use) if kind == "array" else _SIMPLE.get(kind, UNKNOWN)


def _literal(value: Any) -> Type:
    """Return the type of one JSON value."""
    match value:
        case None:
            return NULL
        case bool():
            return Word("true" if value else "false")
        case str():
            return Word(quoted(value))
        case float() if not isfinite(value):
            return Word("number")
        case int() | float():
            return Word(repr(value))
        case Mapping():
            return Object(tuple(Field(name, _literal(item)) for name, item in value.items()))
        case list() | tuple():
            return Fixed(tuple(map(_literal, value)), len(value))
    return UNKNOWN


# --- objects


def object_of(schema: Schema, use: Use) -> Object:
    """Return the type of objects that a schema describes."""
    found = dict(_fields(schema, use))
    return Object(tuple(found.values()), tuple(_others(schema, found, use)))


def _fields(schema: Schema, use: Use) -> Iterator[tuple[str, Field]]:
    required = schema.get("required", ())
    names: Any = schema.get("propertyNames", {})
    known = schema.get("properties", {})
    for name, inner in known.items():
        about = inner.get("description", "") if isinstance(inner, Mapping) else ""
        yield name, Field(name, type_of(inner, use), name not in required, about)
    for name in required:
        if name not in known:
            yield name, Field(name, type_of(schema.get("additionalProperties"), use))
    for name in names.get("enum", ()) if isinstance(names, Mapping) else ():
        if name not in known and name not in required:
            yield name, Field(name, type_of(schema.get("additionalProperties"), use), optional=True)


def _others(schema: Schema, fields: Mapping[str, Field], use: Use) -> Iterator[Index]:
    """Yield what is said of names that are not named; `unknown`, where named ones need not agree with it.

    Where there are patterns for names, names that match none are not expected, as pydantic means it.
    """
    names = schema.get("propertyNames")
    rest = schema.get("additionalProperties", "patternProperties" not in schema)
    if isinstance(names, Mapping) and "enum" in names:
        rest = False
    loose = [] if rest is False else [type_of(rest, use)]
    for pattern, inner in schema.get("patternProperties", {}).items():
        if (prefix := _PREFIX.fullmatch(pattern)) and not loose:
            clash = any(name.startswith(prefix[1]) for name in fields)
            yield Index(f"`{prefix[1]}${{string}}`", UNKNOWN if clash else type_of(inner, use))
        else:
            loose.append(type_of(inner, use))
    if loose:
        yield Index("string", UNKNOWN if fields else union_of(loose))


# --- arrays


def _array(schema: Schema, use: Use) -> Type:
    first = [type_of(item, use) for item in schema.get("prefixItems", ())]
    rest = type_of(schema.get("items"), use)
    least = max(schema.get("minItems", 0), 0)
    most = schema.get("maxItems")
    if first and rest == NEVER:
        most = len(first) if most is None else min(most, len(first))
    if (not first and not least and most is None) or max(least, most or 0, len(first)) > _LONGEST_TUPLE:
        return Items(union_of([*first, rest]))
    length = max(least, len(first)) if most is None else most
    items = (*first, *[rest] * (length - len(first)))[:length]
    return Fixed(items, min(least, length), rest if most is None else None)
