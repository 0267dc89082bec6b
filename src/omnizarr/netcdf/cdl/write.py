"""CDL, the text form of a netCDF dataset, as `ncdump` writes it.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from omnizarr.errors import NodeNotFoundError
from omnizarr.netcdf.cdl.data import AnyArray, write_values
from omnizarr.netcdf.cdl.text import attribute_number, escaped_name, quoted, quoted_string
from omnizarr.netcdf.model import AttributeModel, DimensionModel, GroupModel, VariableModel, join, parent_of
from omnizarr.netcdf.types import CHAR, STRING

Read: TypeAlias = Callable[[str, slice], AnyArray]

# A variable of such a name is set off from the colon of its attributes, so that readers are not misled.
_KEYWORDS = frozenset({"variable", "dimension", "data", "group", "types"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Which variables' values are shown.

    Attributes
    ----------
    names
        Names, found in every group, or paths; None for all variables.
    coordinates
        Only variables that are named like a dimension in sight.
    """

    names: Collection[str] | None = None
    coordinates: bool = False


def write_cdl(
    root: GroupModel,
    name: str,
    *,
    read: Read | None = None,
    shown: Shown | None = None,
    classic: bool = False,
) -> Iterator[str]:
    """Yield a dataset as CDL, piece by piece.

    Parameters
    ----------
    name
        What stands behind `netcdf`.
    read
        Returns a variable's values (by its absolute path) at a slice of its first axis; without it the
        header alone is written.
    shown
        Which values are written, by default all.
    classic
        Whether the text of attributes is broken after each newline, as in datasets of the classic model.

    Raises
    ------
    NodeNotFoundError
        `shown` names a variable that does not exist; nothing was yielded yet.
    """
    writer = _Writer(root, read, shown or Shown(), classic)
    writer.check_names()
    return writer.dataset(name)


@dataclass(frozen=True, slots=True)
class _Writer:
    root: GroupModel
    read: Read | None
    shown: Shown
    classic: bool

    def check_names(self) -> None:
        known = {
            text
            for path, group in self.root.walk()
            for variable in group.variables
            for text in (variable.name, join(path, variable.name), join(path, variable.name)[1:])
        }
        for name in self.shown.names or ():
            if name not in known:
                raise NodeNotFoundError(f"no variable {name!r}", path=name)

    def dataset(self, name: str) -> Iterator[str]:
        yield f"netcdf {escaped_name(name)} {{\n"
        yield from self.group(self.root, "/", "")
        yield "}\n"

    def group(self, group: GroupModel, path: str, indent: str) -> Iterator[str]:
        yield from _dimensions(group, indent)
        yield from self.variables(group, path, indent)
        yield from self.group_attributes(group, path, indent)
        if self.read is not None:
            yield from self.data(group, path, indent)
        for inner in group.groups:
            name = escaped_name(inner.name)
            yield f"\n{indent}group: {name} {{\n"
            yield from self.group(inner, join(path, inner.name), indent + "  ")
            yield f"{indent}  }} // group {name}\n"

    def variables(self, group: GroupModel, path: str, indent: str) -> Iterator[str]:
        if group.variables:
            yield f"{indent}variables:\n"
        for variable in group.variables:
            names = ", ".join(self.dimension_name(dimension, path) for dimension in variable.dimensions)
            axes = f"({names})" if names else ""
            yield f"{indent}\t{variable.type.name} {escaped_name(variable.name)}{axes} ;\n"
            owner = escaped_name(variable.name) + (" " if variable.name in _KEYWORDS else "")
            for attribute in variable.attributes:
                yield self.attribute(attribute, owner, indent)

    def dimension_name(self, dimension: str, path: str) -> str:
        """Return a dimension's name, or its path where a nearer dimension has the same name."""
        name = dimension.rpartition("/")[2]
        while self.root.dimension(join(path, name)) is None and path != "/":
            path = parent_of(path)
        return escaped_name(name if join(path, name) == dimension else dimension)

    def group_attributes(self, group: GroupModel, path: str, indent: str) -> Iterator[str]:
        if group.attributes:
            yield f"\n{indent}// {'global' if path == '/' else 'group'} attributes:\n"
        for attribute in group.attributes:
            yield self.attribute(attribute, "", indent)

    def attribute(self, attribute: AttributeModel, owner: str, indent: str) -> str:
        prefix = "string " if attribute.type is STRING else ""
        values = self.attribute_values(attribute)
        return f"{indent}\t\t{prefix}{owner}:{escaped_name(attribute.name)} = {values} ;\n"

    def attribute_values(self, attribute: AttributeModel) -> str:
        if not attribute.values:
            return '""'
        if attribute.type in (CHAR, STRING):
            return ", ".join(self.text(str(value), attribute.type is CHAR) for value in attribute.values)
        spell = attribute_number(attribute.type.name)
        return ", ".join(spell(value) for value in attribute.values if isinstance(value, int | float))

    def text(self, value: str, is_char: bool) -> str:
        data = value.encode("utf-8", "surrogateescape")
        if not is_char:
            return quoted_string(data)
        if not self.classic:
            return quoted(data)
        lines = [quoted(line)[1:-1] for line in data.rstrip(b"\0").split(b"\n")]
        return '"' + '\\n",\n\t\t\t"'.join(lines) + '"'

    def data(self, group: GroupModel, path: str, indent: str) -> Iterator[str]:
        if group.variables:
            yield f"{indent}data:\n"
        for variable in group.variables:
            if self.is_shown(variable, path):
                yield from self.values(variable, join(path, variable.name), indent)

    def is_shown(self, variable: VariableModel, path: str) -> bool:
        whole = join(path, variable.name)
        if self.shown.names is not None and not {variable.name, whole, whole[1:]} & set(self.shown.names):
            return False
        return not self.shown.coordinates or self.names_dimension(variable.name, path)

    def names_dimension(self, name: str, path: str) -> bool:
        while self.root.dimension(join(path, name)) is None:
            if path == "/":
                return False
            path = parent_of(path)
        return True

    def values(self, variable: VariableModel, path: str, indent: str) -> Iterator[str]:
        shape = self.root.shape(variable)
        unlimited = [_is_unlimited(self.root.dimension(name)) for name in variable.dimensions]
        read = self.read
        if read is not None:
            yield from write_values(variable, shape, unlimited, lambda rows: read(path, rows), indent)


def _dimensions(group: GroupModel, indent: str) -> Iterator[str]:
    if group.dimensions:
        yield f"{indent}dimensions:\n"
    for dimension in group.dimensions:
        size = (
            f"UNLIMITED ; // ({dimension.size} currently)" if dimension.unlimited else f"{dimension.size} ;"
        )
        yield f"{indent}\t{escaped_name(dimension.name)} = {size}\n"


def _is_unlimited(dimension: DimensionModel | None) -> bool:
    return dimension is not None and dimension.unlimited
