"""CDL, the text form of a netCDF dataset, as values of the model.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType

from omnizarr.jsontypes import Problems
from omnizarr.netcdf.cdl.reading.blocks import data_of, read_blocks
from omnizarr.netcdf.cdl.reading.constants import plain_name
from omnizarr.netcdf.cdl.reading.declare import Declarations
from omnizarr.netcdf.cdl.reading.lists import Lists
from omnizarr.netcdf.cdl.reading.scope import GroupDraft, Scope, VariableDraft, new_name
from omnizarr.netcdf.cdl.reading.special import with_storage
from omnizarr.netcdf.cdl.reading.tokens import Tokens, Unexpected, place
from omnizarr.netcdf.cdl.reading.values import Data
from omnizarr.netcdf.model.nodes import DatasetModel, GroupModel, VariableModel, join

_MOST_PROBLEMS = 20
_DEEPEST_GROUP = 64


@dataclass(frozen=True, slots=True)
class ParsedCDL:
    """A dataset that CDL describes.

    Attributes
    ----------
    name
        What stands behind `netcdf`.
    values
        What is given of the values of variables, by their absolute paths.
    """

    name: str
    model: DatasetModel
    values: Mapping[str, Data] = field(default_factory=lambda: MappingProxyType({}))


def parse_cdl(text: str, source: str = "") -> ParsedCDL:
    """Return the dataset that a CDL text describes.

    Parameters
    ----------
    source
        The name of the file, for messages.

    Raises
    ------
    MetadataError
        The text is no CDL, or values do not fit; each problem has its line and its column.
    """
    return _Parser(text.removeprefix("\ufeff"), source).run()


class _TooMany(Exception):
    """There are so many problems that more of them help nobody."""


class _Parser:
    """One reading of a text."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source
        self.tokens = Tokens(text)
        self.lists = Lists(self.tokens)
        self.scope = Scope()
        self.declarations = Declarations(self.tokens, self.lists, self.scope)
        self.problems = Problems()
        self.section = ""

    def run(self) -> ParsedCDL:
        name = ""
        try:
            name = plain_name("".join(self.tokens.heading().split()))
            self.tokens.expect("{", " behind the name of the dataset")
            self.groups()
            self.end()
        except Unexpected as error:
            with suppress(_TooMany):
                self.note(error)
        except _TooMany:
            pass
        self.problems.check()
        values: dict[str, Data] = {}
        with suppress(_TooMany):
            root = self.group_model(self.scope.root, values)
        self.problems.check()
        return ParsedCDL(name, DatasetModel(root=root, dialect="netcdf"), MappingProxyType(values))

    def note(self, error: Unexpected) -> None:
        at = place(self.text, error.at)
        self.problems.add(f"{self.source}, {at}" if self.source else at, error.message)
        if len(self.problems.found) >= _MOST_PROBLEMS:
            raise _TooMany

    # --- groups and their sections

    def groups(self) -> None:
        """Read what is in the braces of the root, and of the groups below, which stand within each other."""
        depth = 1
        while depth:
            start = self.tokens.position
            try:
                depth += self.item(depth)
            except Unexpected as error:
                self.note(error)
                if self.tokens.position >= len(self.text):
                    return
                self.recover(start, error.at)

    def item(self, depth: int) -> int:
        """Read a heading, a brace or a declaration; return how many more groups are open then."""
        token = self.tokens.peek()
        if token.kind == "section":
            self.tokens.take()
            self.section = token.text.removesuffix(":")
            if self.section == "group":
                self.open_group(depth)
                return 1
            return 0
        if token.kind == "punctuation" and token.text == "}":
            self.tokens.take()
            self.section = ""
            self.scope.group = self.scope.group.parent or self.scope.root
            return -1
        if token.kind == "end":
            raise Unexpected(token.at, f"expected '}}' behind group {self.scope.group.path}, found {token}")
        self.declaration()
        return 0

    def open_group(self, depth: int) -> None:
        token = self.tokens.take()
        name, above = new_name(token), self.scope.group
        self.section = ""
        above.check_free(name, token.at)
        if depth >= _DEEPEST_GROUP:
            raise Unexpected(token.at, f"groups within groups go deeper than {_DEEPEST_GROUP}")
        self.tokens.expect("{", f" behind group {name!r}")
        above.groups[name] = self.scope.group = GroupDraft(name, join(above.path, name), above)

    def declaration(self) -> None:
        """Read a declaration up to its `;`."""
        if self.section == "data":
            self.values()
        elif self.declarations.is_attribute():
            self.declarations.attribute()
        elif self.section == "types":
            self.declarations.type()
            return
        elif self.section == "dimensions":
            self.declarations.dimensions()
        elif self.section == "variables":
            self.declarations.variables()
        else:
            token = self.tokens.peek()
            sections = "'types:', 'dimensions:', 'variables:', 'data:', 'group:'"
            raise Unexpected(token.at, f"expected {sections}, an attribute or '}}', found {token}")
        self.tokens.expect(";")

    def values(self) -> None:
        token = self.tokens.take()
        if token.kind not in ("name", "path"):
            raise Unexpected(token.at, f"expected the name of a variable, found {token}")
        variable = self.scope.variable(token)
        self.tokens.expect("=", f" behind variable {token.text!r}")
        variable.blocks = read_blocks(self.lists, variable)

    def end(self) -> None:
        token = self.tokens.peek()
        if token.kind != "end":
            raise Unexpected(token.at, f"expected the end of the text, found {token}")

    # --- going on after a problem

    def recover(self, start: int, at: int) -> None:
        """Go on behind the declaration that starts at a place, and has a problem at another."""
        self.tokens.seek(start)
        depth = count = 0
        ends = (";", "}") if self.section == "types" else (";",)
        while True:
            count += 1
            try:
                token = self.tokens.peek()
            except Unexpected:
                continue
            if token.kind == "end" or (token.kind == "section" and count > 1):
                return
            if token.kind == "punctuation":
                if token.text == "}" and not depth and count > 1:
                    return
                depth += {"{": 1, "}": -1}.get(token.text, 0)
            self.tokens.take()
            if token.at >= at and not depth and token.text in ends:
                # The `;` behind a type belongs to it.
                self.tokens.skip(";")
                return

    # --- the model

    def group_model(self, group: GroupDraft, values: dict[str, Data]) -> GroupModel:
        return GroupModel(
            name=group.name,
            types=tuple(group.types.values()),
            dimensions=tuple(dimension.model for dimension in group.dimensions.values()),
            attributes=tuple(group.attributes.values()),
            variables=tuple(self.variable_model(draft, values) for draft in group.variables.values()),
            groups=tuple(self.group_model(inner, values) for inner in group.groups.values()),
        )

    def variable_model(self, draft: VariableDraft, values: dict[str, Data]) -> VariableModel:
        model = VariableModel(
            name=draft.name,
            type=draft.type,
            dimensions=tuple(dimension.path for dimension in draft.dimensions),
            attributes=tuple(draft.attributes.values()),
        )
        data = data_of(draft)
        if data is not None:
            values[draft.path] = data
        try:
            return with_storage(model, draft)
        except Unexpected as error:
            self.note(error)
            return model
