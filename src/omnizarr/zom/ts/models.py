"""The JSON Schemas of a model and of all that it is made of, and the classes that they are of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pydantic.json_schema import DefsRef, GenerateJsonSchema, JsonRef, JsonSchemaValue
from pydantic_core.core_schema import ModelSchema

from omnizarr.zom.known import untyped_model
from omnizarr.zom.node import NodeSpec
from omnizarr.zom.ts.schema import Schema

Model: TypeAlias = type[NodeSpec[Any]]

BASES: tuple[Model, ...] = tuple(
    untyped_model(number, kind) for number in (2, 3) for kind in ("array", "group")
)
_MARK = "x-class"


@dataclass(slots=True)
class Schemas:
    """The schemas of a model and of all that it is made of, and the classes that they are of."""

    root: str
    bases: dict[str, Model]
    schemas: dict[str, Schema]
    classes: dict[str, type]

    @classmethod
    def of(cls, model: Model) -> Schemas:
        generator = _Generator()
        kinds = dict.fromkeys((model, *BASES))
        for kind in kinds:
            kind.model_rebuild()
        mode: Literal["validation"] = "validation"
        inputs = [(kind, mode, kind.__pydantic_core_schema__) for kind in kinds]
        references, found = generator.generate_definitions(inputs)
        places = {kind: references[kind, mode]["$ref"] for kind in kinds}
        schemas: dict[str, Schema] = {f"#/$defs/{key}": schema for key, schema in found.items()}
        classes = {
            place: generator.classes[schema[_MARK]] for place, schema in schemas.items() if _MARK in schema
        }
        return cls(places[model], {places[base]: base for base in BASES}, schemas, classes)

    def model(self, reference: str) -> Model | None:
        """Return the model of an array or group that a schema is of; None, where it is of something else."""
        kind = self.classes.get(reference)
        return kind if kind is not None and issubclass(kind, NodeSpec) else None

    def base(self, reference: str) -> str | None:
        """Return which of the specification's arrays and groups a schema is of, if of any."""
        if (model := self.model(reference)) is None:
            return None
        same = (one for one, base in self.bases.items() if _same_kind(base, model))
        return next(same, None)

    def is_generic(self, reference: str) -> bool:
        """Say whether something is an array or group of the specification, with types for its parts."""
        model = self.model(reference)
        return model is not None and model.__pydantic_generic_metadata__["origin"] in BASES

    def reached(self) -> Iterator[str]:
        """Yield the model and all that it is made of, each before its parts."""
        waiting, seen = [self.root], set()
        while waiting:
            reference = waiting.pop()
            if reference in self.schemas and reference not in seen:
                seen.add(reference)
                yield reference
                waiting += reversed(list(_references(self.schemas[reference])))


class _Generator(GenerateJsonSchema):
    """Remembers of what class a schema is; what JSON Schema cannot describe is anything.

    Of arrays and groups the types of fields count, not what their schemas say of values beyond those.
    """

    def __init__(self) -> None:
        super().__init__()
        self.classes: list[type] = []
        self.by_types: dict[type, JsonSchemaValue] = {}

    def model_schema(self, schema: ModelSchema) -> JsonSchemaValue:
        found = super().model_schema(schema)
        self.by_types[schema["cls"]] = deepcopy(found)
        return found

    def generate_inner(self, schema: Any) -> JsonSchemaValue:
        found = super().generate_inner(schema)
        while schema["type"].startswith("function-") and "schema" in schema:
            schema = schema["schema"]
        if (kind := schema.get("cls")) is not None and "$ref" in found:
            self._mark(self.json_to_defs_refs[JsonRef(found["$ref"])], kind)
        return found

    def _mark(self, place: DefsRef, kind: type) -> None:
        definition = self.definitions.get(place)
        if definition is None or _MARK in definition:
            return
        if issubclass(kind, NodeSpec):
            definition = _with_comments(self.by_types[kind], definition)
        self.definitions[place] = {**definition, _MARK: len(self.classes)}
        self.classes.append(kind)

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> JsonSchemaValue:
        return {}

    def emit_warning(self, kind: Any, detail: str) -> None:
        """Say nothing: of defaults that have no JSON nothing is written."""


def _with_comments(schema: JsonSchemaValue, told: JsonSchemaValue) -> JsonSchemaValue:
    """Return a schema with the descriptions of properties that another one has."""
    known = told.get("properties", {})
    for name, inner in schema.get("properties", {}).items():
        if "description" in known.get(name, {}):
            inner.setdefault("description", known[name]["description"])
    return schema


def _same_kind(model: Model, other: Model) -> bool:
    return (model.version.number, model.kind) == (other.version.number, other.kind)


def _references(schema: Any) -> Iterator[str]:
    waiting = [schema]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            if isinstance(item.get("$ref"), str):
                yield item["$ref"]
            waiting += reversed(list(item.values()))
        elif isinstance(item, list):
            waiting += reversed(item)
