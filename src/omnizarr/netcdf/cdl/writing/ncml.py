"""NcML, the XML form of a dataset's metadata, as `ncdump -x` writes it for the classic model.

What that has not (groups, the user's types) is written as NcML 2.2 has it; `ncdump` refuses such datasets.

https://docs.unidata.ucar.edu/netcdf-java/current/userguide/ncml_overview.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite, isnan

from omnizarr.netcdf.cdl.text import pointed
from omnizarr.netcdf.cdl.writing.options import Precision
from omnizarr.netcdf.cdl.writing.spell import spelled_item
from omnizarr.netcdf.model.items import Item
from omnizarr.netcdf.model.nodes import AttributeModel, DimensionModel, GroupModel, VariableModel, join
from omnizarr.netcdf.model.types import CHAR, STRING, AtomicType, Compound, Enum, NcType, Opaque, UserType

_NAMESPACE = "https://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2"
_ESCAPES = {
    '"': "&quot;",
    "<": "&lt;",
    ">": "&gt;",
    "&": "&amp;",
    "\n": "&#xA;",
    "\r": "&#xD;",
    "\t": "&#x9;",
}

_DEFAULT = Precision()

HasValues = Callable[[VariableModel, str], bool]


def write_ncml(
    root: GroupModel, location: str, has_values: HasValues, precision: Precision = _DEFAULT
) -> Iterator[str]:
    """Yield a dataset as NcML, line by line, without values.

    Parameters
    ----------
    location
        Where the dataset is, as the user says it.
    has_values
        Says whether a variable's values were asked for (with the absolute path of its group), which NcML
        has no room for: it decides on the form of an empty element, as in `ncdump`.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<netcdf xmlns="{_NAMESPACE}" location="{_escaped(location)}">\n'
    yield from _Writer(has_values, precision).group(root, "/", "  ")
    yield "</netcdf>\n"


class _Writer:
    def __init__(self, has_values: HasValues, precision: Precision) -> None:
        self.has_values = has_values
        self.precision = precision

    def group(self, group: GroupModel, path: str, indent: str) -> Iterator[str]:
        for kind in group.types:
            yield from _enum(kind, indent)
        for dimension in group.dimensions:
            yield f"{indent}<dimension {_dimension(dimension)} />\n"
        for attribute in group.attributes:
            yield self.attribute(attribute, indent)
        for variable in group.variables:
            yield from self.variable(variable, path, indent)
        for inner in group.groups:
            yield f'{indent}<group name="{_escaped(inner.name)}">\n'
            yield from self.group(inner, join(path, inner.name), indent + "  ")
            yield f"{indent}</group>\n"

    def variable(self, variable: VariableModel, path: str, indent: str) -> Iterator[str]:
        names = " ".join(dimension.rpartition("/")[2] for dimension in variable.dimensions)
        shape = f' shape="{_escaped(names)}"' if names else ""
        head = f'{indent}<variable name="{_escaped(variable.name)}"{shape} {_type(variable.type)}'
        if not variable.attributes and not self.has_values(variable, path):
            yield f"{head} />\n"
            return
        yield f"{head}>\n"
        for attribute in variable.attributes:
            yield self.attribute(attribute, indent + "  ")
        yield f"{indent}</variable>\n"

    def attribute(self, attribute: AttributeModel, indent: str) -> str:
        name = f'{indent}<attribute name="{_escaped(attribute.name)}"'
        if attribute.type is CHAR:
            return f'{name} value="{_escaped(str(attribute.value).rstrip(chr(0)))}" />\n'
        texts = [self.value(attribute.type, value) for value in attribute.values]
        # Strings may hold spaces; NcML lets another separator be named.
        separator = "|" if attribute.type is STRING else " "
        named = f' separator="{separator}"' if attribute.type is STRING and len(texts) > 1 else ""
        return f'{name} {_type(attribute.type)}{named} value="{_escaped(separator.join(texts))}" />\n'

    def value(self, kind: NcType, value: Item) -> str:
        if isinstance(value, str):
            return value
        if isinstance(kind, AtomicType) and isinstance(value, float):
            if isfinite(value):
                return pointed(value, self.precision.digits(kind.name), "")
            return "nan" if isnan(value) else "inf" if value > 0 else "-inf"
        return spelled_item(kind, value, self.precision)


def _enum(kind: UserType, indent: str) -> Iterator[str]:
    if isinstance(kind, Enum):
        yield f'{indent}<enumTypedef name="{_escaped(kind.name)}" type="enum{kind.size}">\n'
        for name, value in kind.members:
            yield f'{indent}  <enum key="{value}">{_escaped(name)}</enum>\n'
        yield f"{indent}</enumTypedef>\n"


def _dimension(dimension: DimensionModel) -> str:
    growing = ' isUnlimited="true"' if dimension.unlimited else ""
    return f'name="{_escaped(dimension.name)}" length="{dimension.size}"{growing}'


def _type(kind: NcType) -> str:
    match kind:
        case Enum():
            return f'type="enum{kind.size}" typedef="{_escaped(kind.name)}"'
        case Opaque():
            return 'type="opaque"'
        case Compound():
            return f'type="Structure" typedef="{_escaped(kind.name)}"'
        case AtomicType(name=name):
            return f'type="{name}"'
    return f'type="sequence" typedef="{_escaped(kind.name)}"'


def _escaped(text: str) -> str:
    return "".join(map(_letter, text))


def _letter(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    return f"&#{ord(letter)};" if ord(letter) < 0x20 or ord(letter) == 0x7F else letter
