"""Values of models as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from math import isfinite, isnan
from typing import Any

import orjson
from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_jsonable_python

from omnizarr.jsontypes import Json, JsonObject, Problems, as_json, inside, shown

DEEPEST_VALUE = 200
"""How many lists and objects may lie within one another in a field of a node, its attributes among them."""

NOTHING_SPECIAL = (
    orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
)
_LEAVES = frozenset({str, int, float, bool, type(None)})


def is_too_deep(value: Any) -> bool:
    """Say whether lists and objects lie deeper within one another than is allowed, or in themselves."""
    level = [value]
    for _ in range(DEEPEST_VALUE):
        level = [
            below
            for item in level
            for below in (item.values() if type(item) is dict else _inner(item))
            if type(below) not in _LEAVES
        ]
        if not level:
            return False
        # What is there more than once is looked at once: it may be there twice in itself.
        level = list({id(item): item for item in level}.values())
    return True


def _inner(value: Any) -> Iterable[Any]:
    if isinstance(value, dict | list | tuple):  # looking for a mapping takes 0.5 µs
        return value.values() if isinstance(value, dict) else value
    return value.values() if isinstance(value, Mapping) else ()


def plain(value: Any) -> Json:
    """Return the JSON of a value: of pydantic's models and of dataclasses too.

    A field that a user's model has, but was not given, and that is None by default is left out.

    Raises
    ------
    TypeError
        The value has no JSON.
    """
    if type(value) in _LEAVES:
        return value  # type: ignore[no-any-return]
    if (copy := _copied(value)) is not None:
        return copy
    try:
        return as_json(value)
    except TypeError:
        pass
    try:
        full = to_jsonable_python(value, by_alias=True, inf_nan_mode="constants", serialize_unknown=False)
        return as_json(_without_unset_nulls(full, value))
    except (PydanticSerializationError, RecursionError, ValueError) as error:
        raise TypeError(f"expected a JSON value, found {type(value).__name__}: {error}") from error


def _copied(value: Any) -> Json:
    """Return a copy of what is JSON already, or None where it may not be: 2 µs, where `as_json` takes 6.

    NaN would become null, so what has a null is left to others.
    """
    try:
        text = orjson.dumps(value, option=NOTHING_SPECIAL)
    except TypeError:
        return None
    return None if b"null" in text else orjson.loads(text)


def _without_unset_nulls(dumped: Any, value: Any) -> Any:
    match value:
        case BaseModel():
            names = {field.serialization_alias or field.alias or name: name for name, field in _fields(value)}
            return {
                key: _without_unset_nulls(item, getattr(value, names.get(key, key), None))
                for key, item in dumped.items()
                if item is not None or names.get(key, key) in value.model_fields_set
            }
        case Mapping():
            return {key: _without_unset_nulls(dumped[str(key)], item) for key, item in value.items()}
        case set() | frozenset():
            return sorted(dumped, key=lambda item: (type(item).__name__, shown(item, 1000)))
        case list() | tuple() if isinstance(dumped, list):
            return [_without_unset_nulls(*pair) for pair in zip(dumped, value, strict=True)]
        case _ if is_dataclass(value) and isinstance(dumped, dict):
            return {
                key: _without_unset_nulls(item, getattr(value, key, None)) for key, item in dumped.items()
            }
    return dumped


def _fields(value: BaseModel) -> Any:
    return type(value).model_fields.items()


def within(at: str, name: str) -> str:
    """Return the place of what has a name; one that could be taken for an index, or is empty, is quoted."""
    return f"{at}[{shown(name)}]" if not name or name[0] == "[" else inside(at, name)


def strict_fill(value: Any) -> Any:
    """Return a fill value as JSON has it: `"NaN"` and infinities by their names, complex numbers as two."""
    match value:
        case float() if not isfinite(value):
            return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case complex():
            return [strict_fill(value.real), strict_fill(value.imag)]
        case list() | tuple():
            return [strict_fill(item) for item in value]
    return strict_fill(value.tolist()) if hasattr(value, "tolist") else value


def read_attributes(value: Any, problems: Problems) -> JsonObject:
    """Narrow a user's attributes to a JSON object with strings for keys, every fault with its place."""
    try:
        found = plain(value)
    except (TypeError, ValueError) as error:
        before = len(problems.found)
        _find_faults(value, "attributes", problems)
        if len(problems.found) == before:
            problems.add("attributes", str(error))
        return {}
    if not isinstance(found, dict):
        problems.add("attributes", f"expected an object, found {shown(found)}")
        return {}
    _find_faults(value, "attributes", problems)
    return found


def _find_faults(value: Any, at: str, problems: Problems) -> None:
    """Find keys that are no strings and values that are no JSON."""
    waiting: list[tuple[Any, str]] = [(value, at)]
    while waiting:
        item, place = waiting.pop()
        if isinstance(item, Mapping):
            for key in item:
                if not isinstance(key, str):
                    problems.add(place, f"expected strings for keys, found {shown(key)}")
            waiting += reversed([(inner, within(place, str(key))) for key, inner in item.items()])
        elif isinstance(item, list | tuple):
            waiting += reversed([(inner, f"{place}[{number}]") for number, inner in enumerate(item)])
        elif type(item) not in _LEAVES and not _is_json(item):
            problems.add(place, f"expected a JSON value, found {type(item).__name__} {shown(item)}")


def _is_json(value: Any) -> bool:
    """Say whether a value has a JSON that means the same; iterators would be empty the second time."""
    if isinstance(value, Iterator | bytes | bytearray | complex):
        return False
    if getattr(getattr(value, "dtype", None), "kind", "") in ("m", "M"):
        return False  # numpy makes integers of some of them
    try:
        plain(value)
    except TypeError:
        return False
    return True
