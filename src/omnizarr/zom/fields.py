"""The fields of models by the names that JSON has for them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

from pydantic import AliasChoices, AliasPath, BaseModel

from omnizarr.jsontypes import Json, JsonObject, Problems, as_json, same_json, shown
from omnizarr.zom.plain import DEEPEST_VALUE, is_too_deep, plain, strict_fill
from omnizarr.zom.types import of_numpy_v2, of_numpy_v3

APART = ("attributes", "members")
"""What is not of the specification's metadata: it is checked and written in ways of its own."""

TOO_DEEP = f"expected {DEEPEST_VALUE} lists and objects within one another at most, found more"
HEAD = ("zarr_format", "node_type", "attributes")
"""What stands first in a document."""

IDLE = ("storage_transformers", "dimension_names")
"""What a document leaves out where it is None."""

_VERSION_ALIAS = "zarr_version"
_MEMBERS = "members"


def by_alias(model: BaseModel) -> dict[str, Any]:
    """Return the fields of a model as they are."""
    names = aliases(type(model))
    return {names.get(name, name): value for name, value in (vars(model) | (model.model_extra or {})).items()}


@lru_cache(256)
def aliases(kind: type[BaseModel]) -> dict[str, str]:
    """Return the names that JSON has for fields, where those are others."""
    return {name: field.alias for name, field in kind.model_fields.items() if field.alias is not None}


@lru_cache(256)
def apart(kind: type[BaseModel]) -> frozenset[str]:
    """Return what of a model is not of the specification's metadata; an array's `members` would be."""
    return frozenset(APART) & kind.model_fields.keys()


@lru_cache(256)
def defaults(kind: type[BaseModel]) -> dict[str, Json]:
    """Return the values that fields have where none is given."""
    return {
        field.alias or name: plain(field.get_default(call_default_factory=True, validated_data={}))
        for name, field in kind.model_fields.items()
        if not field.is_required() and name not in APART
    }


@lru_cache(256)
def in_order(kind: type[BaseModel]) -> dict[str, Any]:
    """Return a value for each field, in the model's order: its default, or None where one is required."""
    return dict.fromkeys(kind.model_fields) | defaults(kind)


def with_defaults(kind: type[BaseModel], document: Mapping[str, Any]) -> JsonObject:
    """Return the fields of a document that are of the specification's metadata, and those it leaves out."""
    fields = {name: value for name, value in document.items() if name not in apart(kind)}
    return {**defaults(kind), **fields}


def as_document(data: Any, problems: Problems | None = None) -> dict[str, Any] | None:
    """Return what a user gives for a model as a document: JSON, but for attributes and members.

    Fields that nothing can be done with are told to `problems`, and are None.
    """
    problems = Problems() if problems is None else problems
    if isinstance(data, BaseModel):
        data = by_alias(data) | _unseen_of(data)
    if not isinstance(data, Mapping):
        return None
    document: dict[str, Any] = {}
    for name, value in data.items():
        if not isinstance(name, str):
            problems.add("", f"expected strings for names, found {shown(name)}")
        elif name != _MEMBERS and is_too_deep(value):
            problems.add(name, TOO_DEEP)
            document[name] = None
        else:
            document[name] = value if name in APART else _as_field(name, value)
    return _with_number(document, problems)


def _with_number(document: dict[str, Any], problems: Problems) -> dict[str, Any]:
    """Return a document whose `zarr_version` is called `zarr_format`."""
    if _VERSION_ALIAS not in document:
        return document
    number = document.pop(_VERSION_ALIAS)
    said = document.get("zarr_format", number)
    if not same_json(said, number):
        problems.add(_VERSION_ALIAS, f"expected {shown(said)}, as zarr_format is, found {shown(number)}")
    return {"zarr_format": number, **document}


def _as_field(name: str, value: Any) -> Any:
    try:
        return as_json(_IN_WORDS[name](value) if name in _IN_WORDS else value)
    except (TypeError, ValueError):
        return value


# What users may give in place of JSON, also where types find faults in something else.
_IN_WORDS = {"fill_value": strict_fill, "dtype": of_numpy_v2, "data_type": of_numpy_v3}


def unseen(given: Any, attributes: Any) -> JsonObject:
    """Return the attributes that were given, but that the type of `attributes` has no place for."""
    if not isinstance(given, Mapping):
        return {}
    seen = set(cast("JsonObject", plain(attributes)))
    for name, field in getattr(type(attributes), "model_fields", {}).items():
        seen |= {name, *_choices(field.validation_alias)}
    return {name: plain(value) for name, value in given.items() if name not in seen}


def _choices(alias: str | AliasPath | AliasChoices | None) -> list[str]:
    if isinstance(alias, AliasChoices):
        return [name for choice in alias.choices for name in _choices(choice)]
    if isinstance(alias, AliasPath):
        return [str(alias.path[0])]
    return [] if alias is None else [alias]


def _unseen_of(node: BaseModel) -> dict[str, Any]:
    as_json = getattr(node, "attributes_as_json", None)
    return {"attributes": as_json()} if as_json is not None and getattr(node, "_unseen", None) else {}
