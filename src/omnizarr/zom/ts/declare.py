"""Declarations of types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from typing_extensions import is_typeddict

from omnizarr.zom.node import Attributes
from omnizarr.zom.ts.models import Schemas
from omnizarr.zom.ts.names import ANY_ATTRIBUTES, node_key
from omnizarr.zom.ts.schema import OPEN, Use, object_of, type_of
from omnizarr.zom.ts.types import (
    NULL,
    UNKNOWN,
    Applied,
    Field,
    Index,
    Object,
    Type,
    Union,
    Word,
    comment,
    properties,
    union_of,
    written,
)
from omnizarr.zom.version import ATTRIBUTES

_MEMBERS, _FORMAT, _ALIAS = "members", "zarr_format", "zarr_version"
_FIRST = (_FORMAT, "node_type", ATTRIBUTES)
_ALWAYS = (*_FIRST, _MEMBERS)  # what the JSON of each model has
_SECTION = re.compile(r"\n+[^\n]+\n-{3,}\n")


@dataclass(slots=True)
class Declarations:
    """Declarations, each after those of what it is made of."""

    schemas: Schemas
    names: Mapping[str, str]
    texts: list[str] = field(default_factory=list)
    declared: set[str] = field(default_factory=set)

    def use(self, reference: str) -> Type:
        """Return what stands for the type that a reference names, and see that it is declared.

        Arrays and groups of the specification with types for their parts need no name of their own.
        """
        reference = self._unaliased(reference)
        if reference in self.schemas.schemas and self.schemas.is_generic(reference):
            return self._applied(reference) or self.declare(reference)
        return self.declare(reference) if reference in self.names else UNKNOWN

    def declare(self, reference: str) -> Word:
        """Declare the type that a reference names, and return its name."""
        name = self.names[reference]
        if name not in self.declared:
            self.declared.add(name)
            self._declare(reference, name)
        return Word(name)

    def _unaliased(self, reference: str) -> str:
        return ANY_ATTRIBUTES if self.schemas.classes.get(reference) is Attributes else reference

    def _declare(self, reference: str, name: str) -> None:
        if reference == ANY_ATTRIBUTES:
            self._add(name, OPEN, "Attributes of which nothing is known.")
        elif reference in self.schemas.bases:
            self._add_generic(reference, name)
        elif reference in self.schemas.schemas:
            body = self._applied(reference) or self._in_full(reference)
            self._add(name, body, self._about(reference))
        else:
            nodes = [one for one, base in self.schemas.bases.items() if node_key(base) == reference]
            self._add(name, union_of(map(self.use, nodes)), "Any node of a hierarchy.")

    def _about(self, reference: str) -> str:
        """Return what is told of a type, without the sections of a docstring."""
        return _SECTION.split(str(self.schemas.schemas[reference].get("description", "")))[0]

    def _add(self, name: str, body: Type, about: str) -> None:
        if isinstance(body, Object) and body.fields:
            text = "{\n" + properties(body, "  ") + "}"
        else:
            text = written(body, used=len(f"export type {name} = ;"))
        equals = "=" if text.startswith("\n") else "= "
        self.texts.append(f"{comment(about)}export type {name} {equals}{text};\n")

    def _add_generic(self, reference: str, name: str) -> None:
        """Declare the arrays or groups of a version, whatever their attributes and members.

        As interfaces, since these alone may be given themselves as arguments.
        """
        node = self._node(reference, self.use)
        parameters = f"TAttributes = {written(self.use(ANY_ATTRIBUTES))}"
        replaced: dict[str, Type] = {ATTRIBUTES: Word("TAttributes")}
        if _member(node) is not None:
            parameters += f", TMember = {written(self.use(node_key(self.schemas.bases[reference])))}"
            replaced[_MEMBERS] = Union((Object(others=(Index("string", Word("TMember")),)), NULL))
        fields = [replace(one, type=replaced.get(one.name, one.type)) for one in node.fields]
        inner = properties(Object(tuple(fields), node.others), "  ")
        self.texts.append(
            f"{comment(self._about(reference))}export interface {name}<{parameters}> {{\n{inner}}}\n"
        )

    # --- bodies

    def _in_full(self, reference: str) -> Type:
        schema, kind = self.schemas.schemas[reference], self.schemas.classes.get(reference)
        if self.schemas.model(reference) is not None:
            return self._node(reference, self.use)
        if "properties" in schema and "additionalProperties" not in schema:
            schema = {**schema, "additionalProperties": False}
        elif is_typeddict(kind) and not hasattr(kind, "__pydantic_config__"):
            # The model that holds it keeps other names too, but as in Python none are expected.
            schema = {**schema, "properties": schema.get("properties", {}), "additionalProperties": False}
        return type_of(schema, self.use)

    def _node(self, reference: str, use: Use) -> Object:
        """Return the type of an array or group, with all its fields."""
        found = object_of({**self.schemas.schemas[reference], "additionalProperties": False}, use)
        fields = {one.name: one for one in found.fields if one.name != _ALIAS}
        for name in _ALWAYS:
            if name in fields:
                fields[name] = replace(fields[name], optional=False)
        if fields[ATTRIBUTES].type in (UNKNOWN, OPEN):
            fields[ATTRIBUTES] = replace(fields[ATTRIBUTES], type=use(ANY_ATTRIBUTES))
        own = sorted(fields.keys() - _ALWAYS, key=list(fields).index)
        ordered = [fields[name] for name in (*_FIRST, *own, _MEMBERS) if name in fields]
        return Object(tuple(ordered), _UNNAMED if fields[_FORMAT].type == Word("2") else ())

    def _applied(self, reference: str) -> Type | None:
        """Return a node's type as a generic one with arguments; None where it is no such node."""
        base = self.schemas.base(reference)
        if base is None or base == reference:
            return None
        own, plain = self._node(reference, self._by_name), self._node(base, self._by_name)
        if _others(own) != _others(plain) or (_member(own) is None) != (_member(plain) is None):
            return None
        full = self._node(reference, self.use)
        arguments = [one.type for one in full.fields if one.name == ATTRIBUTES]
        if (member := _member(full)) is not None and _member(own) not in (_member(plain), UNKNOWN):
            arguments.append(member)
        if arguments == [self._by_name(ANY_ATTRIBUTES)]:
            arguments = []
        name = self.declare(base)
        return Applied(name.text, tuple(arguments)) if arguments else name

    def _by_name(self, reference: str) -> Type:
        """Return what a type is called, without declaring it: to find out whether two are the same."""
        return Word(self.names.get(self._unaliased(reference), reference))


# In Zarr v2, names that conventions add to those of the specification start with an underscore.
_UNNAMED = (Index("`_${string}`", UNKNOWN),)


def _others(node: Object) -> list[Field]:
    """Return all fields but attributes and members, in order, without what is told of them."""
    found = [replace(one, comment="") for one in node.fields if one.name not in (ATTRIBUTES, _MEMBERS)]
    return sorted(found, key=lambda one: one.name)


def _member(node: Object) -> Type | None:
    """Return the type of each member of a group, where all have one type and may not have been read."""
    match node.fields[-1]:
        case Field("members", Union((Object((), (Index("string", member),)), Word("null")))):
            return member
    return None
