"""The declarations of CDL: types, dimensions, variables and attributes.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

import re
from math import prod

from omnizarr.netcdf.cdl.reading.attributes import read_attribute, read_fill_value
from omnizarr.netcdf.cdl.reading.constants import Hex, Number, constant
from omnizarr.netcdf.cdl.reading.convert import converted
from omnizarr.netcdf.cdl.reading.lists import Lists
from omnizarr.netcdf.cdl.reading.scope import (
    DimensionDraft,
    Scope,
    Special,
    VariableDraft,
    new_attribute,
    new_name,
)
from omnizarr.netcdf.cdl.reading.tokens import Token, Tokens, Unexpected
from omnizarr.netcdf.cdl.words import SPECIAL_OF_DATASETS, SPECIAL_OF_VARIABLES
from omnizarr.netcdf.model.nodes import FILL_VALUE, join
from omnizarr.netcdf.model.types import AtomicType, Compound, Enum, Field, NcType, Opaque, UserType, Vlen

_COMPOUND = ("compound", "struct", "structure")
_UNLIMITED = ("unlimited", "UNLIMITED")
_NOTED = re.compile(r"\s*;\s*//\s*\(([0-9]{1,18}) currently\)")
# numpy's, and deep enough for anybody.
_MOST_AXES = 64
_DEEPEST_TYPE = 64
_LARGEST_VALUE = 2**24
_LONGEST_DIMENSION = 2**63 - 1


class Declarations:
    """Reads one declaration at a time into the scope's group."""

    def __init__(self, tokens: Tokens, lists: Lists, scope: Scope) -> None:
        self.tokens = tokens
        self.lists = lists
        self.scope = scope
        self._depths: dict[str, int] = {}

    # --- attributes

    def is_attribute(self) -> bool:
        """Say whether an attribute comes next: `:a`, `name:a` or `type name:a`."""
        return any(self.tokens.is_next(":", ahead) for ahead in range(3) if self._are_names(ahead))

    def attribute(self) -> None:
        """Read an attribute of the group or of a variable."""
        kind, variable = self._owner()
        self.tokens.expect(":")
        token = self.tokens.take()
        self.tokens.expect("=", f" behind the name {token.text!r}")
        if variable is None:
            self._attribute_of_group(token, kind)
        else:
            self._attribute_of_variable(variable, token, kind)

    def _owner(self) -> tuple[NcType | None, VariableDraft | None]:
        """Read what stands before the colon: a type, a variable, both or nothing."""
        if self.tokens.is_next(":"):
            return None, None
        token = self.tokens.take()
        if not self.tokens.is_next(":"):
            return self.scope.type(token), self.scope.variable(self.tokens.take())
        variable = self.scope.find_variable(token)
        kind = None if variable else self.scope.find_type(token)
        if variable is None and kind is None:
            raise Unexpected(token.at, f"there is no variable or type {token.text!r} to have an attribute")
        return kind, variable

    def _are_names(self, count: int) -> bool:
        return all(self.tokens.peek(ahead).kind in ("name", "path") for ahead in range(count))

    def _attribute_of_group(self, token: Token, kind: NcType | None) -> None:
        group = self.scope.group
        if token.text in SPECIAL_OF_DATASETS and group.parent is None:
            self.lists.constants()
            return
        if token.text in (*SPECIAL_OF_VARIABLES, FILL_VALUE):
            raise Unexpected(token.at, f"{token.text} is of a variable: VARIABLE:{token.text} = …")
        name = new_attribute(token)
        group.attributes[name] = read_attribute(self.lists, name, kind)

    def _attribute_of_variable(self, variable: VariableDraft, token: Token, kind: NcType | None) -> None:
        if token.text in SPECIAL_OF_VARIABLES:
            read = read_attribute(self.lists, token.text, None)
            variable.special[token.text] = Special(read.values, token.at)
        elif token.text == FILL_VALUE:
            variable.attributes[FILL_VALUE] = read_fill_value(self.lists, variable.type)
        else:
            name = new_attribute(token)
            variable.attributes[name] = read_attribute(self.lists, name, kind)

    # --- dimensions

    def dimensions(self) -> None:
        """Read dimensions up to `;`: `x = 3, t = UNLIMITED`."""
        while True:
            token = self.tokens.take()
            name = new_name(token)
            if name in self.scope.group.dimensions:
                raise Unexpected(
                    token.at, f"there is a dimension {name!r} already in {self.scope.group.path}"
                )
            self.tokens.expect("=", f" behind dimension {name!r}")
            self.scope.group.dimensions[name] = self._dimension(name)
            if not self.tokens.skip(","):
                return

    def _dimension(self, name: str) -> DimensionDraft:
        path = join(self.scope.group.path, name)
        token = self.tokens.take()
        if token.kind == "name" and token.text in _UNLIMITED:
            noted = _NOTED.match(self.tokens.text, self.tokens.position)
            return DimensionDraft(name, path, 0, True, int(noted[1]) if noted else None)
        size = self._integer(token, "a size or UNLIMITED")
        if not 0 <= size <= _LONGEST_DIMENSION:
            raise Unexpected(token.at, f"expected a size of at least 0, found {token}")
        # netCDF's own number for an unlimited dimension is 0.
        return DimensionDraft(name, path, size, not size)

    def _integer(self, token: Token, wanted: str) -> int:
        found = constant(token) if token.kind == "number" else None
        if isinstance(found, Number) and isinstance(found.value, int):
            return found.value
        if isinstance(found, Hex):
            return int(found.digits[-100:], 16)
        raise Unexpected(token.at, f"expected {wanted}, found {token}")

    # --- variables

    def variables(self) -> None:
        """Read variables of one type up to `;`: `float heat(time, x), wind(time, x)`."""
        kind = self.scope.type(self._type_token())
        while True:
            token = self.tokens.take()
            self._declare(token, kind)
            if not self.tokens.skip(","):
                return

    def _declare(self, token: Token, kind: NcType) -> None:
        group, name = self.scope.group, new_name(token)
        group.check_free(name, token.at)
        dimensions: list[DimensionDraft] = []
        if self.tokens.skip("("):
            while True:
                dimensions.append(self.scope.dimension(self._named("a dimension")))
                if not self.tokens.skip(","):
                    break
            self.tokens.expect(")", f" behind the dimensions of {name!r}")
        if len(dimensions) > _MOST_AXES:
            raise Unexpected(token.at, f"expected at most {_MOST_AXES} dimensions, found {len(dimensions)}")
        group.variables[name] = VariableDraft(name, join(group.path, name), kind, tuple(dimensions), token.at)

    def _type_token(self) -> Token:
        return self._named("a type")

    def _named(self, wanted: str) -> Token:
        token = self.tokens.take()
        if token.kind not in ("name", "path"):
            raise Unexpected(token.at, f"expected {wanted}, found {token}")
        return token

    # --- types

    def type(self) -> None:
        """Read a type; the `;` behind it may be missing."""
        token = self._type_token()
        if token.text in _COMPOUND:
            kind: UserType = self._compound()
        elif token.text == "opaque" and self.tokens.is_next("("):
            kind = self._opaque()
        elif self.tokens.is_next("("):
            kind = self._vlen(self.scope.type(token))
        else:
            kind = self._enum(self.scope.type(token), token)
        self.tokens.skip(";")
        self.scope.add_type(kind)

    def _new_type(self) -> tuple[Token, str]:
        token = self.tokens.take()
        name = new_name(token)
        self.scope.group.check_free(name, token.at)
        return token, join(self.scope.group.path, name)

    def _enum(self, base: NcType, start: Token) -> Enum:
        word = self._named("'enum'")
        if word.text != "enum":
            raise Unexpected(word.at, f"expected 'enum' or '(*)' behind type {start.text}, found {word}")
        if not isinstance(base, AtomicType) or base.dtype.kind not in "iu":
            raise Unexpected(start.at, f"expected an integer type for an enum, found {start}")
        _, path = self._new_type()
        self.tokens.expect("{", " in front of the members of the enum")
        members: dict[str, int] = {}
        while True:
            token = self.tokens.take()
            name = new_name(token)
            self.tokens.expect("=", f" behind member {name!r}")
            value = converted(base, constant(self.tokens.take()), None)
            if name in members or value in members.values():
                raise Unexpected(token.at, f"there is a member of name {name!r} or value {value!r} already")
            members[name] = value  # type: ignore[assignment]
            if not self.tokens.skip(","):
                break
        self.tokens.expect("}", " behind the members of the enum")
        return Enum(path, base, tuple(members.items()))

    def _opaque(self) -> Opaque:
        self.tokens.expect("(")
        token = self.tokens.take()
        length = self._integer(token, "a number of bytes")
        self.tokens.expect(")")
        if not 0 < length <= _LARGEST_VALUE:
            raise Unexpected(token.at, f"expected from 1 to {_LARGEST_VALUE} bytes, found {length}")
        return Opaque(self._new_type()[1], length)

    def _vlen(self, base: NcType) -> Vlen:
        self.tokens.expect("(")
        self.tokens.expect("*")
        self.tokens.expect(")")
        token, path = self._new_type()
        self._check_depth(token, path, [base])
        return Vlen(path, base)

    def _compound(self) -> Compound:
        token, path = self._new_type()
        self.tokens.expect("{", f" in front of the fields of {token.text}")
        fields: dict[str, Field] = {}
        while not self.tokens.is_next("}"):
            kind = self.scope.type(self._type_token())
            while True:
                field = self._field(kind, fields)
                fields[field.name] = field
                if not self.tokens.skip(","):
                    break
            self.tokens.expect(";", f" behind field {field.name!r}")
        end = self.tokens.take()
        if not fields:
            raise Unexpected(end.at, f"expected the fields of {token.text}, found {end}")
        self._check_depth(token, path, [field.type for field in fields.values()])
        found = Compound(path, tuple(fields.values()))
        if found.size > _LARGEST_VALUE:
            raise Unexpected(token.at, f"a value of type {token.text} has more than {_LARGEST_VALUE} bytes")
        return found

    def _field(self, kind: NcType, fields: dict[str, Field]) -> Field:
        token = self.tokens.take()
        name = new_name(token)
        if name in fields:
            raise Unexpected(token.at, f"there is a field {name!r} already")
        shape: list[int] = []
        if self.tokens.skip("("):
            while True:
                size = self.tokens.take()
                shape.append(self._integer(size, "the size of a field"))
                if not 0 < shape[-1] <= _LARGEST_VALUE:
                    raise Unexpected(size.at, f"expected a size from 1 to {_LARGEST_VALUE}, found {size}")
                if not self.tokens.skip(","):
                    break
            self.tokens.expect(")", f" behind the sizes of field {name!r}")
        if len(shape) > _MOST_AXES or prod(shape) > _LARGEST_VALUE:
            raise Unexpected(token.at, f"field {name!r} is larger than {_LARGEST_VALUE} values")
        return Field(name, kind, tuple(shape))

    def _check_depth(self, token: Token, path: str, inner: list[NcType]) -> None:
        """Refuse types within types without end: what handles them goes down into each."""
        depth = 1 + max(self._depths.get(getattr(kind, "path", ""), 0) for kind in inner)
        if depth > _DEEPEST_TYPE:
            raise Unexpected(token.at, f"types within types go deeper than {_DEEPEST_TYPE}")
        self._depths[path] = depth
