"""Definitions of the user's types as JSON.

An object by name: `{"class": "enum", "base": "byte", "members": {"A": 0}}`, `{"class": "opaque", "size": 3}`,
`{"class": "vlen", "base": "int"}`, `{"class": "compound", "fields": [{"name": "x", "type": "int", "shape":
[2]}]}`. A type within is an atomic one's name, or the absolute path of one of the user's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from omnizarr.errors import ConversionError
from omnizarr.jsontypes import Json, JsonObject, shown
from omnizarr.netcdf.model.nodes import FaultName, join, parent_of
from omnizarr.netcdf.model.types import (
    BY_NAME,
    AtomicType,
    Compound,
    Enum,
    Field,
    NcType,
    Opaque,
    UserType,
    Vlen,
    parts_of,
)

_MAX_SIZE = 2**31 - 1  # numpy's largest item
# Far below what Python's stack holds, and far above what anybody needs.
_MAX_DEPTH = 64


def types_to_json(types: Iterable[UserType]) -> JsonObject:
    """Return the definitions of a group's types by name."""
    return {kind.name: _to_json(kind) for kind in types}


def reference(kind: NcType) -> str:
    """Return how a type is referred to: by its name where it is atomic, else by its path."""
    return kind.name if isinstance(kind, AtomicType) else kind.path


def _to_json(kind: UserType) -> JsonObject:
    match kind:
        case Enum(base=base, members=members):
            return {"class": "enum", "base": base.name, "members": dict(members)}
        case Opaque(length=length):
            return {"class": "opaque", "size": length}
        case Vlen(base=inner):
            return {"class": "vlen", "base": reference(inner)}
        case Compound(fields=fields):
            return {"class": "compound", "fields": [_field_to_json(entry) for entry in fields]}


def _field_to_json(entry: Field) -> JsonObject:
    named: JsonObject = {"name": entry.name, "type": reference(entry.type)}
    return {**named, "shape": list(entry.shape)} if entry.shape else named


@dataclass(frozen=True, slots=True)
class TypeFault:
    """A definition that cannot be used."""

    name: FaultName
    path: str
    message: str


class DanglingTypeError(ConversionError):
    """A type is referred to that nothing defines."""


@dataclass(slots=True)
class TypeReader:
    """The types of a whole dataset, from their definitions.

    Attributes
    ----------
    definitions
        By absolute path; they may refer to each other in any order, and not to themselves.
    types
        What was read, by absolute path.
    faults
        What could not be read.
    """

    definitions: Mapping[str, Json]
    types: dict[str, UserType] = field(default_factory=dict)
    faults: list[TypeFault] = field(default_factory=list)
    _depths: dict[str, int] = field(default_factory=dict)
    _reading: set[str] = field(default_factory=set)
    _failed: set[str] = field(default_factory=set)

    def read(self) -> dict[str, UserType]:
        """Read all definitions; what is wrong with one is among the faults."""
        for path in self.definitions:
            if path not in self.types and path not in self._failed:
                self._try(path)
        return self.types

    def _try(self, path: str) -> None:
        try:
            self._type_at(path)
        except DanglingTypeError as error:
            self.faults.append(TypeFault("dangling-type", path, str(error)))
        except ConversionError as error:
            self.faults.append(TypeFault("type-mismatch", path, f"this is no type: {error}"))

    def _type_at(self, path: str) -> UserType:
        if path in self.types:
            return self.types[path]
        if path in self._reading:
            raise ConversionError(f"type {path} is a part of itself")
        if path in self._failed:
            raise DanglingTypeError(f"type {path} cannot be read")
        if len(self._reading) > _MAX_DEPTH:
            raise ConversionError(f"type {path} lies within {_MAX_DEPTH} others")
        self._reading.add(path)
        try:
            kind = self._read(path, self.definitions[path])
            self._check(kind)
        except ConversionError:
            self._failed.add(path)
            raise
        finally:
            self._reading.discard(path)
        self.types[path] = kind
        return kind

    def _check(self, kind: UserType) -> None:
        if not 0 < kind.size <= _MAX_SIZE:
            raise ConversionError(f"values of {kind.size} bytes")
        within = [self._depths[part.path] for part in parts_of(kind) if not isinstance(part, AtomicType)]
        self._depths[kind.path] = 1 + max(within, default=0)
        if self._depths[kind.path] > _MAX_DEPTH:
            raise ConversionError(f"{_MAX_DEPTH} others lie within it")

    def _read(self, path: str, definition: Json) -> UserType:
        content = definition if isinstance(definition, dict) else {}
        match content.get("class"):
            case "enum":
                return self._enum(path, content)
            case "opaque":
                return Opaque(path, _size(content.get("size")))
            case "vlen":
                return Vlen(path, self.named(parent_of(path), content.get("base")))
            case "compound":
                return self._compound(path, content.get("fields"))
        raise ConversionError(
            f"expected a definition of an enum, opaque, vlen or compound, found {shown(definition)}"
        )

    def named(self, group: str, name: Json) -> NcType:
        """Return the type that is referred to in a group; a name alone is looked for there and above.

        Raises
        ------
        DanglingTypeError
            There is none.
        """
        if isinstance(name, str) and name in BY_NAME:
            return BY_NAME[name]
        if not isinstance(name, str) or not name:
            raise ConversionError(f"expected the name of a type, found {shown(name)}")
        for path in [name] if name.startswith("/") else _places(group, name):
            if path in self.definitions:
                return self._type_at(path)
        raise DanglingTypeError(f"there is no type {shown(name)}")

    def _enum(self, path: str, content: JsonObject) -> Enum:
        base = self.named(parent_of(path), content.get("base"))
        members = content.get("members")
        if not isinstance(base, AtomicType) or base.dtype.kind not in "iu":
            raise ConversionError(f"expected an integer type as base, found {base}")
        if not isinstance(members, dict) or not members:
            raise ConversionError(f"expected members, found {shown(members)}")
        return Enum(path, base, tuple((name, _member(base, value)) for name, value in members.items()))

    def _compound(self, path: str, fields: Json) -> Compound:
        if not isinstance(fields, list) or not fields:
            raise ConversionError(f"expected fields, found {shown(fields)}")
        found = tuple(self._field(path, entry) for entry in fields)
        names = [entry.name for entry in found]
        if len(set(names)) != len(names):
            raise ConversionError(f"expected each field once, found {', '.join(names)}")
        return Compound(path, found)

    def _field(self, path: str, entry: Json) -> Field:
        content = entry if isinstance(entry, dict) else {}
        name, shape = content.get("name"), content.get("shape", [])
        if not isinstance(name, str) or not name or not isinstance(shape, list):
            raise ConversionError(f"expected a field with a name and a type, found {shown(entry)}")
        kind = self.named(parent_of(path), content.get("type"))
        return Field(name, kind, tuple(_size(length) for length in shape))


def _places(group: str, name: str) -> Iterable[str]:
    while group != "/":
        yield join(group, name)
        group = parent_of(group)
    yield join("/", name)


def _size(value: Json) -> int:
    if type(value) is not int or not 0 < value <= _MAX_SIZE:
        raise ConversionError(f"expected a positive integer, found {shown(value)}")
    return value


def _member(base: AtomicType, value: Json) -> int:
    low, high = _limits(base)
    if type(value) is not int or not low <= value <= high:
        raise ConversionError(f"expected members of type {base}, found {shown(value)}")
    return value


def _limits(base: AtomicType) -> tuple[int, int]:
    bits = 8 * base.size
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if base.dtype.kind == "i" else (0, 2**bits - 1)
