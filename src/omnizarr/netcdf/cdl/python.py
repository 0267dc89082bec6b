"""A dataset that CDL describes as a Python script that makes it with `omnizarr.netcdf`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from omnizarr.netcdf.attributes import from_python
from omnizarr.netcdf.cdl.generate import with_chunks
from omnizarr.netcdf.cdl.reading.parse import ParsedCDL
from omnizarr.netcdf.cdl.reading.values import Data, filled, regions
from omnizarr.netcdf.copying.source import variables_of
from omnizarr.netcdf.filters.known import Blosc, Bzip2, Filter, Fletcher32, Shuffle, Zlib, Zstd
from omnizarr.netcdf.model.items import AnyArray, from_numpy
from omnizarr.netcdf.model.nodes import (
    FILL_VALUE,
    AttributeModel,
    GroupModel,
    Loss,
    VariableModel,
    join,
)
from omnizarr.netcdf.model.types import (
    CHAR,
    NATIVE,
    STRING,
    AtomicType,
    Compound,
    Enum,
    NcType,
    Opaque,
    UserType,
    Vlen,
)

_HEAD = '''"""Makes the dataset {name}."""

import sys

from numpy import array, frombuffer, inf, nan

from omnizarr import netcdf
from omnizarr.netcdf.model.items import to_numpy
from omnizarr.netcdf.model.types import BY_NAME

target = sys.argv[1] if len(sys.argv) > 1 else {target!r}
types = {{}}
with netcdf.Dataset(target, "x"{options}) as root:
'''
_INDENT = "    "
_WIDTH = 100
# What `Variable.setncattr` gives the variable's type, whatever the value's.
_OF_VARIABLE = ("missing_value", "valid_min", "valid_max", "valid_range")


def write_python(
    parsed: ParsedCDL, target: str, *, dialect: str | None = None, zarr_format: int | None = None
) -> Iterator[str]:
    """Yield the script, piece by piece.

    Parameters
    ----------
    target
        Where the script makes the dataset, unless it is told another place.
    dialect, zarr_format
        As for `omnizarr.netcdf.Dataset`.
    """
    given = {"dialect": dialect, "zarr_format": zarr_format}
    options = "".join(f", {name}={value!r}" for name, value in given.items() if value is not None)
    yield _HEAD.format(
        name=parsed.name.replace("\\", "\\\\").replace('"', "'"), target=target, options=options
    )
    writer = _Writer(parsed)
    for path, group in parsed.model.root.walk():
        for line in writer.group(path, group):
            yield f"{_INDENT}{line}\n"


def losses_in_python(parsed: ParsedCDL) -> tuple[Loss, ...]:
    """Return what `createVariable` has no arguments for."""
    return tuple(
        Loss(join(path, variable.name), "its filters, which createVariable does not make")
        for path, group in parsed.model.root.walk()
        for variable in group.variables
        if _filters(variable.filters) is None
    )


class _Writer:
    """Writes the statements of one script."""

    def __init__(self, parsed: ParsedCDL) -> None:
        self.root = parsed.model.root
        self.chunked = variables_of(with_chunks(parsed.model).root)
        self.values = parsed.values

    def group(self, path: str, group: GroupModel) -> Iterator[str]:
        yield f"group = root.createGroup({path!r})" if path != "/" else "group = root"
        for kind in group.types:
            yield f"types[{kind.path!r}] = group.{_definition(kind)}"
        for dimension in group.dimensions:
            size = None if dimension.unlimited else dimension.size
            yield f"group.createDimension({dimension.name!r}, {size!r})"
        for attribute in group.attributes:
            yield f"group.{_attribute(attribute)}"
        for variable in group.variables:
            yield from self.variable(join(path, variable.name), variable)

    def variable(self, path: str, variable: VariableModel) -> Iterator[str]:
        arguments = [repr(variable.name), _type(variable.type)]
        if variable.dimensions:
            names = "".join(f"root{_at(name)}, " for name in variable.dimensions)
            arguments.append(f"({names.rstrip()})")
        arguments += [f"{name}={value}" for name, value in self.arguments(path, variable).items()]
        yield f"variable = group.createVariable({', '.join(arguments)})"
        for attribute in variable.attributes:
            if attribute.name != FILL_VALUE:
                yield f"variable.{_attribute(attribute, of_variable=True)}"
        data = self.values.get(path)
        if data is not None:
            yield "variable.set_auto_maskandscale(False)"
            yield "variable.set_auto_chartostring(False)"
            yield from _assignments(data)
            yield from self.last_element(variable, data)

    def arguments(self, path: str, variable: VariableModel) -> dict[str, str]:
        found = _filters(variable.filters) or {}
        if variable.contiguous:
            found["contiguous"] = "True"
        elif variable.chunks is not None or any(map(self.grows, variable.dimensions)):
            # What is usual depends on how long a dimension is by then.
            found["chunksizes"] = repr(self.chunked[path].chunks)
        if variable.endian != NATIVE:
            found["endian"] = repr(variable.endian)
        fill = next((a for a in variable.attributes if a.name == FILL_VALUE), None)
        if variable.no_fill:
            found["fill_value"] = "False"
        elif fill is not None:
            found["fill_value"] = _fill(variable.type, fill)
        return found

    def last_element(self, variable: VariableModel, data: Data) -> Iterator[str]:
        """Yield what makes unlimited dimensions long enough, where the last values are not there."""
        count = prod(data.shape)
        if any(stop == count for _, stop in data.missing()) and any(map(self.grows, variable.dimensions)):
            yield from _assigned(data, count - 1, filled(data.kind, data.fill, 1))

    def grows(self, dimension: str) -> bool:
        found = self.root.dimension(dimension)
        return found is not None and found.unlimited


def _definition(kind: UserType) -> str:
    match kind:
        case Enum(base=base, members=members):
            return f"createEnumType({base.code!r}, {kind.name!r}, {dict(members)!r})"
        case Opaque(length=length):
            return f"createOpaqueType({length}, {kind.name!r})"
        case Vlen(base=base):
            return f"createVLType({_part(base)}, {kind.name!r})"
        case Compound(fields=fields):
            listed = ", ".join(f"({f.name!r}, {_part(f.type)}, {f.shape!r})" for f in fields)
            return f"createCompoundType([{listed}], {kind.name!r})"


def _part(kind: NcType) -> str:
    return f"BY_NAME[{kind.name!r}]" if isinstance(kind, AtomicType) else f"types[{kind.path!r}]"


def _type(kind: NcType) -> str:
    if kind is STRING:
        return "str"
    return repr(kind.code) if isinstance(kind, AtomicType) else f"types[{kind.path!r}]"


def _at(path: str) -> str:
    """Return how a dimension is reached from the root."""
    *groups, name = path.strip("/").split("/")
    return "".join(f".groups[{group!r}]" for group in groups) + f".dimensions[{name!r}]"


def _attribute(attribute: AttributeModel, *, of_variable: bool = False) -> str:
    name, kind = attribute.name, attribute.type
    if kind is STRING and attribute.value:
        texts = attribute.value[0] if len(attribute.values) == 1 else list(attribute.value)
        return f"setncattr_string({name!r}, {texts!r})"
    is_plain = not (of_variable and name in _OF_VARIABLE) and isinstance(kind, AtomicType)
    if isinstance(attribute.value, str) and is_plain and from_python(name, attribute.value) == attribute:
        return f"setncattr({name!r}, {attribute.value!r})"
    if is_plain and kind.is_numeric:
        return f"setncattr({name!r}, array({_listed(kind, attribute.values)}, {kind.dtype.str!r}))"
    value = repr(attribute.value) if kind is CHAR else _listed(kind, attribute.values)
    return f"setncattr_typed({name!r}, {_part(kind)}, {value})"


def _fill(kind: NcType, fill: AttributeModel) -> str:
    if isinstance(fill.value, str):
        return repr(fill.value.encode("utf-8", "surrogateescape"))
    value = _spelled(kind, fill.values[0])
    is_plain = isinstance(kind, AtomicType | Enum)
    return value if is_plain else f"to_numpy({_part(kind)}.nctype, [{value}])[0]"


def _listed(kind: NcType, items: Sequence[Any]) -> str:
    """Return values as a list, in lines of some width."""
    lines, line = [], ""
    for item in items:
        text = _spelled(kind, item)
        if len(line) + len(text) > _WIDTH:
            lines.append(line)
            line = ""
        line += f"{text}, "
    return "[" + f"\n{_INDENT * 2}".join([*lines, line]).rstrip(", ") + "]"


def _spelled(kind: NcType, item: Any) -> str:
    """Return a value as Python spells it; floats as short as they read back the same."""
    if isinstance(kind, AtomicType) and kind.code == "f4":
        return str(np.float32(item))
    return repr(item)


def _assignments(data: Data) -> Iterator[str]:
    for start, values in data.merged():
        yield from _assigned(data, start, values)
    for start, stop in () if data.is_stored else data.missing():
        yield from _assigned(data, start, filled(data.kind, data.fill, stop - start))


def _assigned(data: Data, start: int, values: AnyArray) -> Iterator[str]:
    for region, part in regions(data.shape, start, values):
        key = ", ".join(f"{axis.start}:{axis.stop}" for axis in region) or "..."
        shape = "" if part.ndim == 1 else f".reshape({part.shape})"
        yield f"variable[{key}] = {_array(data.kind, part.ravel())}{shape}"


def _array(kind: NcType, values: AnyArray) -> str:
    match kind:
        case Opaque(length=length):
            return f"frombuffer({values.tobytes()!r}, 'V{length}')"
        case Vlen() | Compound():
            return f"to_numpy(variable.datatype.nctype, {_listed(kind, from_numpy(kind, values))})"
        case _ if kind is CHAR:
            return f"frombuffer({values.tobytes()!r}, 'S1')"
        case _:
            return f"array({_listed(kind, values.tolist())}, {kind.dtype.str!r})"


def _filters(filters: Sequence[Filter]) -> dict[str, str] | None:
    """Return the arguments that make filters; None where there are none for them."""
    found: dict[str, str] = {}
    rest = list(filters)
    if rest and isinstance(rest[-1], Fletcher32):
        rest.pop()
        found["fletcher32"] = "True"
    match rest:
        case []:
            return found
        case [Shuffle(), Zlib(level=level)] if level:
            return {"compression": "'zlib'", "complevel": str(level), **found}
        case [Zlib(level=level)] if level:
            return {"compression": "'zlib'", "complevel": str(level), "shuffle": "False", **found}
        case [Zstd(level=level)] if level:
            return {"compression": "'zstd'", "complevel": str(level), **found}
        case [Bzip2(level=level)] if level:
            return {"compression": "'bzip2'", "complevel": str(level), **found}
        case [Blosc(clevel=level, blocksize=0) as blosc] if level and blosc.cname != "snappy":
            name = "blosc_lz" if blosc.cname == "blosclz" else f"blosc_{blosc.cname}"
            shuffle = {"blosc_shuffle": str(blosc.shuffle)}
            return {"compression": repr(name), "complevel": str(level), **shuffle, **found}
        case _:
            return None
