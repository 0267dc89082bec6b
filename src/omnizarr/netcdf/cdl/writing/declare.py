"""Types, dimensions and variables as CDL declares them, and how it refers to them.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from omnizarr.netcdf.cdl.text import escaped_name, escaped_path
from omnizarr.netcdf.cdl.writing.layout import Lines
from omnizarr.netcdf.model.nodes import DimensionModel, GroupModel, VariableModel, join, parent_of
from omnizarr.netcdf.model.types import AtomicType, Compound, Enum, NcType, Opaque, UserType, Vlen


@dataclass(frozen=True, slots=True)
class Names:
    """How the types and dimensions of a dataset are called from within its groups."""

    root: GroupModel

    def dimension(self, path: str, group: str) -> str:
        """Return a dimension's name, or its path where a nearer dimension has the same name."""
        name = path.rpartition("/")[2]
        while self.root.dimension(join(group, name)) is None and group != "/":
            group = parent_of(group)
        return escaped_name(name) if join(group, name) == path else escaped_path(path)

    def type(self, kind: NcType, group: str) -> str:
        """Return a type's name, or its path where the name alone means nothing here, or another type.

        `ncdump` gives the name alone also where it means another type, so that the text is wrong.
        """
        if isinstance(kind, AtomicType):
            return kind.name
        inside = self._types_in(group)
        while kind.name not in inside and group != "/":
            group = parent_of(group)
            inside = self._types_in(group)
        return escaped_name(kind.name) if join(group, kind.name) == kind.path else escaped_path(kind.path)

    def has_dimension(self, name: str, group: str) -> bool:
        """Say whether a dimension of a name can be seen from a group."""
        while self.root.dimension(join(group, name)) is None:
            if group == "/":
                return False
            group = parent_of(group)
        return True

    def _types_in(self, path: str) -> set[str]:
        group: GroupModel | None = self.root
        for name in filter(None, path.split("/")):
            group = next((inner for inner in group.groups if inner.name == name), None) if group else None
        return {kind.name for kind in group.types} if group else set()


def declare_type(lines: Lines, kind: UserType, names: Names, group: str) -> None:
    """Add the definition of a type."""
    indent, name = lines.indent, escaped_name(kind.name)
    match kind:
        case Enum(base=base, members=members):
            lines.add(indent)
            lines.put(f"{base.name} enum {name} {{")
            for at, (member, value) in enumerate(members):
                lines.put(f"{escaped_name(member)} = {value}" + ("} ;\n" if at == len(members) - 1 else ", "))
        case Opaque(length=length):
            lines.add(f"{indent}opaque({length}) {name} ;\n")
        case Vlen(base=base):
            lines.add(f"{indent}{names.type(base, group)}(*) {name} ;\n")
        case Compound(fields=fields):
            lines.add(f"{indent}compound {name} {{\n")
            for field in fields:
                shape = f"({', '.join(map(str, field.shape))})" if field.shape else ""
                kind_name = names.type(field.type, group)
                lines.add(f"{indent}  {kind_name} {escaped_name(field.name)}{shape} ;\n")
            lines.add(f"{indent}}}; // {name}\n")


def declared_dimensions(group: GroupModel, indent: str) -> Iterator[str]:
    """Yield the lines of a group's dimensions."""
    if group.dimensions:
        yield f"{indent}dimensions:\n"
    for dimension in group.dimensions:
        yield f"{indent}\t{escaped_name(dimension.name)} = {_size(dimension)}\n"


def _size(dimension: DimensionModel) -> str:
    return f"UNLIMITED ; // ({dimension.size} currently)" if dimension.unlimited else f"{dimension.size} ;"


def declared_variable(variable: VariableModel, names: Names, group: str) -> str:
    """Return `type name(dimensions)`."""
    axes = ", ".join(names.dimension(path, group) for path in variable.dimensions)
    kind = names.type(variable.type, group)
    return f"{kind} {escaped_name(variable.name)}" + (f"({axes})" if axes else "")
