"""What a JSON Schema finds wrong with a model, in the words of this library.

https://json-schema.org/draft/2020-12/json-schema-validation
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from omnizarr.jsontypes import inside, shown

_MEMBERS = "members"
_UNIONS = ("anyOf", "oneOf")
_TELLING = "const"  # by which the branches of a union are told apart
_TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}


class SchemaError(Protocol):
    """An error of jsonschema, which is not needed for anything else and may be absent."""

    validator: Any
    validator_value: Any
    instance: Any
    schema: Any
    message: str
    context: Any
    path: Any
    schema_path: Any

    @property
    def absolute_path(self) -> Any:
        """The way from the root of the document."""

    @property
    def absolute_schema_path(self) -> Any:
        """The way from the root of the schema."""


class SchemaFault(NamedTuple):
    """One thing that a schema finds wrong.

    Attributes
    ----------
    location
        The names and numbers that lead to it from the root of the document.
    message
        What was found, and what was expected.
    expected
        What was expected, where that can be said of the value alone.
    """

    location: tuple[str | int, ...]
    message: str
    expected: str = ""

    @property
    def path(self) -> str:
        """The path of its node."""
        return "/".join(self.location[1 : 2 * self._depth : 2])  # type: ignore[arg-type]

    @property
    def at(self) -> str:
        """The place within the node."""
        return as_place(self.location[2 * self._depth :])

    @property
    def _depth(self) -> int:
        """How many names of nodes are in the location."""
        names = self.location[::2]
        found = next((i for i, name in enumerate(names) if name != _MEMBERS), len(names))
        return min(found, len(self.location) // 2)


def as_place(location: Iterable[str | int]) -> str:
    """Return names and numbers as a place: `codecs[1].configuration`."""
    at = ""
    for part in location:
        at = f"{at}[{part}]" if isinstance(part, int) else inside(at, part)
    return at


def told(errors: Iterable[SchemaError]) -> list[SchemaFault]:
    """Return what errors of jsonschema tell, each fault once; of a union, what its nearest branch says."""
    return list(dict.fromkeys(fault for error in errors for fault in _faults(error)))


def _faults(error: SchemaError) -> list[SchemaFault]:
    location = tuple(error.absolute_path)
    if error.context and error.validator in _UNIONS:
        return _of_union(error, location)
    if error.validator == "required" and isinstance(error.instance, Mapping):
        missing = [name for name in error.validator_value if name not in error.instance]
        return [SchemaFault((*location, name), "required, but missing") for name in missing]
    if error.validator == "additionalProperties" and isinstance(error.instance, Mapping):
        return [SchemaFault((*location, name), "unknown name") for name in _strangers(error)]
    found = shown(error.instance)
    expected = _expected(error)
    if "propertyNames" in error.absolute_schema_path and isinstance(error.instance, str):
        expected = _described(error) or expected or "another name"
        return [SchemaFault(location, f"expected {expected}, found the name {found}")]
    if expected:
        return [SchemaFault(location, f"expected {expected}, found {found}", expected)]
    return [SchemaFault(location, _other(error))]


def _described(error: SchemaError) -> str:
    """Return what a schema's description says is expected: of names, patterns say little to a reader."""
    text = error.schema.get("description", "") if isinstance(error.schema, Mapping) else ""
    return f"{text[:1].lower()}{text[1:].rstrip('.')}"


def _strangers(error: SchemaError) -> list[str]:
    """Return the names that neither `properties` nor `patternProperties` know."""
    schema: Mapping[str, Any] = error.schema
    patterns = schema.get("patternProperties", {})
    return [
        name
        for name in error.instance
        if name not in schema.get("properties", {}) and not any(re.search(each, name) for each in patterns)
    ]


# --- unions


def _of_union(error: SchemaError, location: tuple[str | int, ...]) -> list[SchemaFault]:
    branches: dict[str | int, list[SchemaError]] = {}
    for inner in error.context:
        branches.setdefault(inner.schema_path[0], []).append(inner)
    found = {branch: told(inner) for branch, inner in branches.items()}
    if all(len(faults) == 1 and _is_of(faults[0], location) for faults in found.values()):
        expected = " or ".join(dict.fromkeys(faults[0].expected for faults in found.values()))
        return [SchemaFault(location, f"expected {expected}, found {shown(error.instance)}", expected)]

    def distance(branch: str | int) -> tuple[int, int, int]:
        """What is at fault deeper down says little of whether this is the branch that was meant."""
        own = sum(len(fault.location) <= len(location) + 1 for fault in found[branch])
        return _strangeness(branches[branch]), own, len(found[branch])

    return found[min(branches, key=distance)]


def _is_of(fault: SchemaFault, location: tuple[str | int, ...]) -> bool:
    return fault.location == location and fault.expected != ""


def _strangeness(errors: list[SchemaError]) -> int:
    """Return 2 for a branch that is for another type of JSON, 1 for one that says so itself."""
    if any(error.validator == "type" and not error.path for error in errors):
        return 2
    return int(any(error.validator == _TELLING and len(error.path) <= 1 for error in errors))


# --- messages


def _expected(error: SchemaError) -> str:
    tell = _EXPECTED.get(str(error.validator))
    return tell(error.validator_value) if tell is not None else ""


def _of_type(value: Any) -> str:
    names = [value] if isinstance(value, str) else value
    return " or ".join(_TYPES.get(name, str(name)) for name in names)


def _one_of(values: Any) -> str:
    return "one of " + ", ".join(map(shown, values)) if len(values) > 1 else shown(values[0])


_EXPECTED: dict[str, Callable[[Any], str]] = {
    "type": _of_type,
    "const": shown,
    "enum": _one_of,
    "pattern": lambda value: f"text that matches {value}",
    "minimum": lambda value: f"{value} at least",
    "exclusiveMinimum": lambda value: f"more than {value}",
    "maximum": lambda value: f"{value} at most",
    "exclusiveMaximum": lambda value: f"less than {value}",
    "multipleOf": lambda value: f"a multiple of {value}",
    "minLength": lambda value: f"{value} characters at least",
    "maxLength": lambda value: f"{value} characters at most",
    "minItems": lambda value: f"a list of {value} at least",
    "maxItems": lambda value: f"a list of {value} at most",
    "uniqueItems": lambda value: "items that differ",
    "minProperties": lambda value: f"an object of {value} names at least",
    "maxProperties": lambda value: f"an object of {value} names at most",
    "not": lambda value: f"nothing that fits {shown(value)}" if value not in ({}, True) else "nothing here",
    "contains": lambda value: f"an item that fits {shown(value)}",
}


def _other(error: SchemaError) -> str:
    if error.validator is None:
        return f"expected nothing here, found {shown(error.instance)}"
    if error.validator == "oneOf":
        return f"expected one alternative alone to fit, several do: {shown(error.instance)}"
    return error.message
