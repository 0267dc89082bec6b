"""Types that Zarr has and netCDF lacks, as types of the user.

A boolean of Zarr v3 is an enum, complex numbers are records of two parts, structured elements records, raw
bytes opaque, byte strings and arrays of any length sequences. Types that are made for one array have a
path that begins with no slash until `declared` names them after the variable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chains import numcodecs_id
from omnizarr.metadata.dtype_bits import is_custom
from omnizarr.metadata.dtype_v2 import loose_dtype
from omnizarr.metadata.extension import Extension
from omnizarr.netcdf.model.nodes import GroupModel, VariableModel, join, parent_of
from omnizarr.netcdf.model.types import (
    BYTE,
    CHAR,
    FLOAT,
    INT64,
    STRING,
    UBYTE,
    AtomicType,
    Compound,
    Enum,
    Field,
    NcType,
    Opaque,
    UserType,
    Vlen,
    parts_of,
    type_of_dtype,
)
from omnizarr.netcdf.values.layouts import COMPLEX64, COMPLEX128

BOOL = Enum("/_bool_t", UBYTE, (("FALSE", 0), ("TRUE", 1)))


def derived_type(metadata: ArrayMetadata) -> NcType | None:
    """Return the type for an array of a data type that netCDF lacks; None where there is none."""
    is_v3 = metadata.spelling.get("zarr_format") == 3
    data_type = metadata.data_type
    if data_type.dtype.kind != "O":
        return _fixed(data_type.dtype, "", is_v3)
    if data_type.name in ("bytes", "variable_length_bytes"):
        return Vlen("", UBYTE)
    for codec in metadata.codecs:
        base = _base_of(codec)
        if base is not None:
            return Vlen("", base)
    return None


def _base_of(codec: Extension) -> NcType | None:
    """Return the type of the elements of arrays, where a codec stores arrays that netCDF can hold."""
    if numcodecs_id(codec) != "vlen-array":
        return None
    dtype = loose_dtype(codec.configuration.get("dtype"))
    if dtype is None or (dtype.kind not in "biuf" and dtype != "S1"):
        return None
    return _fixed(dtype, "", False)


def _fixed(dtype: np.dtype[Any], suffix: str, is_v3: bool) -> NcType | None:
    """Return the type of elements of one size; `suffix` tells types within one another apart."""
    if is_custom(dtype):
        return _small(dtype)
    match dtype.kind:
        case "b":
            return BOOL if is_v3 else UBYTE
        case "c":
            return {8: COMPLEX64, 16: COMPLEX128}.get(dtype.itemsize)
        case "m" | "M":
            return INT64
        case "S":
            return CHAR if dtype.itemsize == 1 else STRING
        case "U":
            return STRING
        case "f" if dtype.itemsize == 2:
            return FLOAT
        case "V" if dtype.names is not None:
            fields = [_field(name, dtype[name], f"{suffix}_{name}", is_v3) for name in dtype.names]
            known = tuple(entry for entry in fields if entry is not None)
            return Compound(suffix, known) if len(known) == len(fields) else None
        case "V":
            return Opaque(suffix, dtype.itemsize)
    return type_of_dtype(dtype)


def _small(dtype: np.dtype[Any]) -> NcType | None:
    """Return the type that holds all values of one of ml_dtypes' types; of complex numbers there is none."""
    if dtype.name.startswith(("int", "uint")):
        return UBYTE if dtype.name.startswith("u") else BYTE
    return FLOAT if dtype.name.startswith(("bfloat", "float")) else None


def _field(name: str, dtype: np.dtype[Any], suffix: str, is_v3: bool) -> Field | None:
    base, shape = dtype.subdtype or (dtype, ())
    if base.names is not None and not shape and _is_numbered(base):
        # Zarr v3 has no arrays in records: this is how they are stored.
        base, shape = base[0], (len(base.fields or ()),)
    if base.kind == "S" and base.itemsize > 1:
        return Field(name, CHAR, (*shape, base.itemsize))
    kind = _fixed(base, suffix, is_v3)
    return None if kind is None else Field(name, kind, shape)


def _is_numbered(dtype: np.dtype[Any]) -> bool:
    names = dtype.names or ()
    return list(names) == [str(at) for at in range(len(names))] and len({dtype[name] for name in names}) == 1


# --- naming and declaring


def declared(root: GroupModel) -> GroupModel:
    """Return a dataset that declares all types of its variables, those made for an array by its name."""
    kinds = (v.type for _, group in root.walk() for v in group.variables)
    if all(isinstance(kind, AtomicType) for kind in kinds):
        return root
    return _Declaring(root).run()


@dataclass(slots=True)
class _Declaring:
    """One dataset while its types are declared: what is defined, and what is to be added to which group."""

    root: GroupModel
    types: dict[str, UserType] = field(default_factory=dict)
    added: dict[str, list[UserType]] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def run(self) -> GroupModel:
        for path, group in self.root.walk():
            self.types |= {kind.path: kind for kind in group.types}
            self.added[path] = []
            self.names |= {join(path, variable.name) for variable in group.variables}
            self.names |= {join(path, inner.name) for inner in group.groups}
        variables = {path: tuple(self.typed(group, path)) for path, group in self.root.walk()}
        return self.group(self.root, "/", variables)

    def group(
        self, group: GroupModel, path: str, variables: dict[str, tuple[VariableModel, ...]]
    ) -> GroupModel:
        return replace(
            group,
            types=(*group.types, *self.added[path]),
            variables=variables[path],
            groups=tuple(self.group(inner, join(path, inner.name), variables) for inner in group.groups),
        )

    def typed(self, group: GroupModel, path: str) -> Iterator[VariableModel]:
        for variable in group.variables:
            kind = self.placed(variable.type, path, variable.name)
            attributes = tuple(
                replace(entry, type=kind) if entry.type == variable.type else entry
                for entry in variable.attributes
            )
            yield replace(variable, type=kind, attributes=attributes)

    def placed(self, kind: NcType, group: str, variable: str) -> NcType:
        """Return a type that is declared, with all types within it."""
        if isinstance(kind, AtomicType) or self.types.get(kind.path) == kind:
            return kind
        found = _with_parts(kind, [self.placed(part, group, variable) for part in parts_of(kind)])
        path = found.path if found.path.startswith("/") else join(group, f"{variable}{found.path}_t")
        found = replace(found, path=path)
        while found.path in self.names or self.types.get(found.path, found) != found:
            found = replace(found, path=f"{found.path}_")
        if found.path not in self.types:
            self.types[found.path] = found
            self.added[parent_of(found.path)].append(found)
        return found


def _with_parts(kind: UserType, parts: list[NcType]) -> UserType:
    match kind:
        case Vlen():
            return replace(kind, base=parts[0])
        case Compound(fields=fields):
            typed = zip(fields, parts, strict=True)
            return replace(kind, fields=tuple(replace(entry, type=part) for entry, part in typed))
        case _:
            return kind
