"""CDL, the text form of a netCDF dataset, as `ncdump` writes it.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from omnizarr.errors import OmniZarrError
from omnizarr.netcdf.cdl.text import attribute_number, escaped_name, quoted, quoted_string
from omnizarr.netcdf.cdl.writing.chosen import Chosen
from omnizarr.netcdf.cdl.writing.data import write_values
from omnizarr.netcdf.cdl.writing.declare import Names, declare_type, declared_dimensions, declared_variable
from omnizarr.netcdf.cdl.writing.layout import Lines
from omnizarr.netcdf.cdl.writing.options import Shown
from omnizarr.netcdf.cdl.writing.special import Storage
from omnizarr.netcdf.cdl.writing.spell import spelled_item
from omnizarr.netcdf.cdl.writing.timed import Times
from omnizarr.netcdf.model.items import AnyArray, bytes_of_text
from omnizarr.netcdf.model.nodes import AttributeModel, DimensionModel, GroupModel, VariableModel, join
from omnizarr.netcdf.model.types import CHAR, STRING, AtomicType, Compound, Vlen

Read: TypeAlias = Callable[[str, slice], AnyArray]

# A variable of such a name is set off from the colon of its attributes, so that readers are not misled.
_KEYWORDS = frozenset({"variable", "dimension", "data", "group", "types"})


def write_cdl(
    root: GroupModel,
    name: str,
    *,
    read: Read | None = None,
    shown: Shown | None = None,
    storage: Storage | None = None,
    on_error: Callable[[OmniZarrError], None] | None = None,
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
        Which values are written, by default all, and how.
    storage
        How the dataset is stored, by default in Zarr. In datasets of the classic model the text of
        attributes is broken after each newline.
    on_error
        Receives why the values of a variable cannot be read; a comment says so in place of those, which
        makes no dataset again, and the others follow. Without it the error is raised.

    Raises
    ------
    NodeNotFoundError
        `shown` names a variable or group that does not exist; nothing was yielded yet.
    """
    shown = shown or Shown()
    writer = _Writer(root, read, shown, storage or Storage(), Chosen.of(root, shown))
    writer.on_error = on_error
    return writer.dataset(name)


class _Writer:
    """One text; what was written before has an effect on where lines break, and on what is a time."""

    on_error: Callable[[OmniZarrError], None] | None = None

    def __init__(
        self, root: GroupModel, read: Read | None, shown: Shown, storage: Storage, chosen: Chosen
    ) -> None:
        self.root = root
        self.read = read
        self.shown = shown
        self.storage = storage
        self.chosen = chosen
        self.names = Names(root)
        self.lines = Lines(shown.width)
        self.times = Times(shown.times, shown.width)

    def dataset(self, name: str) -> Iterator[str]:
        yield f"netcdf {escaped_name(name)} {{\n"
        yield from self.group(self.root, "/", "")
        yield "}\n"

    def group(self, group: GroupModel, path: str, indent: str) -> Iterator[str]:
        self.lines.indent = indent
        self.types(group, path)
        for line in declared_dimensions(group, indent):
            self.lines.add(line)
        self.variables(group, path)
        self.group_attributes(group, path)
        yield self.lines.take()
        if self.read is not None and self.chosen.has_group(path):
            yield from self.data(group, path)
        for inner in group.groups:
            name = escaped_name(inner.name)
            yield f"\n{indent}group: {name} {{\n"
            yield from self.group(inner, join(path, inner.name), indent + "  ")
            self.lines.indent = indent
            yield f"{indent}  }} // group {name}\n"

    def types(self, group: GroupModel, path: str) -> None:
        indent = self.lines.indent
        if group.types:
            self.lines.add(f"{indent}types:\n")
        self.lines.indent = indent + "  "
        for kind in group.types:
            declare_type(self.lines, kind, self.names, path)
        self.lines.indent = indent

    def variables(self, group: GroupModel, path: str) -> None:
        indent = self.lines.indent
        if group.variables:
            self.lines.add(f"{indent}variables:\n")
        for variable in group.variables:
            self.lines.add(f"{indent}\t{declared_variable(variable, self.names, path)} ;\n")
            name = escaped_name(variable.name)
            owner = name + " " if variable.name in _KEYWORDS else name
            for attribute in variable.attributes:
                self.attribute(attribute, owner, path)
                self.attribute_end(variable.attributes, attribute)
            if self.shown.special:
                self.specials(variable, name, path)

    def specials(self, variable: VariableModel, name: str, path: str) -> None:
        where, shape = join(path, variable.name), self.root.shape(variable)
        found = self.storage.of_variable(variable, where, shape, all_filters=self.shown.all_filters)
        for special, value in found:
            self.lines.add(f"{self.lines.indent}\t\t{name}:{special} = {value} ;\n")

    def group_attributes(self, group: GroupModel, path: str) -> None:
        indent, is_root = self.lines.indent, path == "/"
        if group.attributes or self.shown.special:
            self.lines.add(f"\n{indent}// {'global' if is_root else 'group'} attributes:\n")
        for attribute in group.attributes:
            self.attribute(attribute, "", path)
            self.lines.add(" ;\n")
        if is_root and self.shown.special:
            for special, value in self.storage.of_dataset():
                self.lines.add(f"{indent}\t\t:{special} = {value} ;\n")

    # --- attributes

    def attribute(self, attribute: AttributeModel, owner: str, path: str) -> None:
        kind = attribute.type
        is_plain = isinstance(kind, AtomicType) and kind is not STRING
        prefix = "" if is_plain else f"{self.names.type(kind, path)} "
        self.lines.add(f"{self.lines.indent}\t\t{prefix}{owner}:{escaped_name(attribute.name)} = ")
        if isinstance(kind, Vlen | Compound) and attribute.values:
            *others, last = (spelled_item(kind, item, self.shown.precision) for item in attribute.values)
            for text in others:
                self.lines.put(text + ", ")
            self.lines.put(last)
        else:
            self.lines.add(self.attribute_values(attribute))

    def attribute_end(self, owner: Sequence[AttributeModel], attribute: AttributeModel) -> None:
        self.lines.add(f" ;{self.times.comment(owner, attribute, self.lines.indent)}\n")
        if self.times.separator is not None:
            self.times.note(owner, attribute)

    def attribute_values(self, attribute: AttributeModel) -> str:
        kind, precision = attribute.type, self.shown.precision
        if not attribute.values:
            return '""'
        if kind is CHAR or kind is STRING:
            return ", ".join(self.text(str(value), kind is CHAR) for value in attribute.values)
        if not isinstance(kind, AtomicType):
            return ", ".join(spelled_item(kind, item, precision) for item in attribute.values)
        spell = attribute_number(kind.name, precision.digits("float"), precision.digits("double"))
        return ", ".join(spell(value) for value in attribute.values if isinstance(value, int | float))

    def text(self, value: str, is_char: bool) -> str:
        data = bytes_of_text(value)
        if not is_char:
            return quoted_string(data)
        if not self.storage.is_classic_model:
            return quoted(data)
        lines = [quoted(line)[1:-1] for line in data.rstrip(b"\0").split(b"\n")]
        return '"' + '\\n",\n\t\t\t"'.join(lines) + '"'

    # --- values

    def data(self, group: GroupModel, path: str) -> Iterator[str]:
        if group.variables:
            yield f"{self.lines.indent}data:\n"
        for variable in group.variables:
            if self.chosen.has_variable(variable, path):
                yield from self.readable_values(variable, join(path, variable.name))

    def readable_values(self, variable: VariableModel, path: str) -> Iterator[str]:
        try:
            yield from self.values(variable, path)
        except OmniZarrError as error:
            if self.on_error is None:
                raise
            self.on_error(error)
            yield f"{self.lines.take()}\n// not readable: {' '.join(str(error).split())}\n"

    def values(self, variable: VariableModel, path: str) -> Iterator[str]:
        shape = self.root.shape(variable)
        unlimited = [_is_unlimited(self.root.dimension(name)) for name in variable.dimensions]
        unit, read = self.times.unit(variable), self.read
        if read is not None:
            rows = lambda part: read(path, part)  # noqa: E731
            yield from write_values(self.lines, variable, shape, unlimited, rows, self.shown, unit)


def _is_unlimited(dimension: DimensionModel | None) -> bool:
    return dimension is not None and dimension.unlimited
