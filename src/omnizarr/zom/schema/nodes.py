"""The JSON Schemas of arrays and groups: what pydantic says of their fields, and what the specification does.

ZEP 6, "Zarr Object Models in JSON schema".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

from pydantic import GetJsonSchemaHandler
from pydantic_core import CoreSchema
from pydantic_core.core_schema import any_schema, definition_reference_schema, definitions_schema

from omnizarr.zom.schema.parts import FIELDS, SHARED, TOGETHER, UNKNOWN, Schema, zarr_version
from omnizarr.zom.version import Kind

if TYPE_CHECKING:
    from omnizarr.zom.node import NodeSpec

_CONSOLIDATED = "consolidated_metadata"
_NO_PART = {"title": "Consolidated Metadata", "description": "No part of a model.", "not": {}}


def node_schema(
    model: type[NodeSpec[Any]],
    bases: Mapping[Kind, type[NodeSpec[Any]]],
    core_schema: CoreSchema,
    handler: GetJsonSchemaHandler,
) -> Schema:
    """Return a model's JSON Schema: what pydantic says of it, and what the specification says of such nodes.

    Parameters
    ----------
    bases
        The models of the same version that say nothing of attributes and members.
    """
    found = handler(core_schema)
    _Nodes(model, bases, handler).say(handler.resolve_ref_schema(found))
    return found


@dataclass(frozen=True, slots=True)
class _Nodes:
    """What is said of the nodes of a model, in a schema that pydantic made."""

    model: type[NodeSpec[Any]]
    bases: Mapping[Kind, type[NodeSpec[Any]]]
    handler: GetJsonSchemaHandler

    @property
    def number(self) -> int:
        return self.model.version.number

    def say(self, schema: Schema) -> None:
        properties = schema["properties"]
        schema["description"] = _first_paragraph(self.model)
        if self.model.kind == "array":
            self.say_of_fields(properties)
            schema["allOf"] = self.linked(TOGETHER[self.number])
        else:
            self.say_of_members(properties["members"])
            properties.setdefault(_CONSOLIDATED, dict(_NO_PART))
        self.say_of_attributes(schema)
        if schema.get("additionalProperties") is True:
            schema.update(self.linked(UNKNOWN[self.number]))
        properties["zarr_version"] = zarr_version(self.number)

    def say_of_fields(self, properties: Schema) -> None:
        base = self.bases[self.model.kind]
        for name, part in FIELDS[self.number].items():
            if name in properties:
                _say(properties, name, self.linked(part), as_in_base=_is_same(self.model, base, name))

    def say_of_attributes(self, schema: Schema) -> None:
        attributes = schema["properties"]["attributes"]
        if attributes.get("type") == "object":
            attributes.setdefault("description", "What users say of the node.")
        if all(one.get("required") for one in self.branches(attributes)):
            _require(schema, "attributes")

    def say_of_members(self, members: Schema) -> None:
        members["description"] = "The nodes in the group by name; null where they were not read."
        for one in self.branches(members):
            if one.get("type") != "object":
                continue
            one["propertyNames"] = self.linked({"$ref": "NodeName"})
            inner = one.get("additionalProperties", True)
            if inner is True:
                one["additionalProperties"] = self.any_node()
            elif isinstance(inner, dict) and "discriminator" not in inner and "oneOf" in inner:
                inner["anyOf"] = inner.pop("oneOf")  # which says the same, and takes half the time

    def any_node(self) -> Schema:
        return {"anyOf": [self.handler(base.__pydantic_core_schema__) for base in self.bases.values()]}

    def branches(self, schema: Schema) -> Iterator[Schema]:
        """Yield what a schema may stand for: itself, or what it refers to, or each of several."""
        waiting = [schema]
        while waiting:
            one = waiting.pop()
            if "$ref" in one:
                waiting.append(self.handler.resolve_ref_schema(one))
            elif "anyOf" in one or "oneOf" in one:
                waiting += one.get("anyOf", ()) or one.get("oneOf", ())
            else:
                yield one

    def linked(self, part: Any, within: str = "") -> Any:
        """Return a copy of what is said, in which references are those of the schema that is made."""
        if isinstance(part, list | tuple):
            return [self.linked(one, within) for one in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return self.shared(part["$ref"], within)
        return {name: self.linked(one, within) for name, one in part.items()}

    def shared(self, name: str, within: str) -> Schema:
        """Return a reference to what is said once for all; within itself it is not defined again."""
        place = f"{__name__}.{name}:{self.number}"
        reference = definition_reference_schema(place)
        if name == within:
            return self.handler(reference)

        def make(core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> Schema:
            made: Schema = self.linked(SHARED[self.number][name], name)
            return made

        definition = any_schema(ref=place, metadata={"pydantic_js_functions": [make]})
        return self.handler(definitions_schema(reference, [definition]))


def _first_paragraph(model: type[NodeSpec[Any]]) -> str:
    return " ".join(cleandoc(model.__doc__ or "").partition("\n\n")[0].split())


def _is_same(model: type[NodeSpec[Any]], base: type[NodeSpec[Any]], name: str) -> bool:
    ours, theirs = model.model_fields[name], base.model_fields[name]
    return ours.annotation == theirs.annotation and ours.metadata == theirs.metadata


def _say(properties: Schema, name: str, part: Schema, *, as_in_base: bool) -> None:
    """Add what the specification says of a field; what a user's type says of it has to hold as well."""
    if not as_in_base:
        properties[name] = {**properties[name], "allOf": [*properties[name].get("allOf", ()), part]}
        return
    if "anyOf" in part or "items" in part:
        for other in ("anyOf", "items", "type"):
            properties[name].pop(other, None)
    properties[name].update(part)


def _require(schema: Schema, name: str) -> None:
    required = schema.setdefault("required", [])
    if name not in required:
        required.append(name)
