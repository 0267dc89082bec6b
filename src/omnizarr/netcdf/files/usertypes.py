"""The user's types of a netCDF-4 file, and values of them: read by h5py, since netCDF4 knows but some.

https://docs.unidata.ucar.edu/netcdf-c/current/user_defined_types.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.netcdf.extras import optional
from omnizarr.netcdf.model.items import AnyArray
from omnizarr.netcdf.model.nodes import join
from omnizarr.netcdf.model.types import (
    CHAR,
    STRING,
    AtomicType,
    Compound,
    Enum,
    Field,
    NcType,
    Opaque,
    UserType,
    Vlen,
    type_of_dtype,
)


class UserTypes:
    """The types that a file defines, by the paths of their groups, and which of them a value has.

    HDF5 knows the type of a variable by its place in the file; the types within types it keeps as copies,
    which are recognized by what they are made of.
    """

    def __init__(self, file: Any) -> None:
        self._h5t = optional("h5py").h5t
        self._defined = [
            (join(path, name), group[name].id)
            for path, group in _groups(file["/"])
            for name in ordered_names(group)
            if _class_name(group, name) == "Datatype"
        ]
        self._known: dict[str, UserType | None] = {}

    def in_group(self, path: str) -> list[tuple[str, UserType | None]]:
        """Return the types that a group defines, by name; None for one that netCDF has not."""
        parts = ((*where.rpartition("/")[::2], node) for where, node in self._defined)
        return [
            (name, self._type_at(join(path, name), node))
            for group, name, node in parts
            if group == path.rstrip("/")
        ]

    def type_of(self, node: Any) -> NcType | None:
        """Return the type of what HDF5 has typed so, or None where netCDF has none."""
        match type(node).__name__:
            case "TypeStringID":
                return STRING if node.is_variable_str() else CHAR
            case "TypeIntegerID" | "TypeFloatID":
                found = type_of_dtype(node.dtype)
                return None if found is STRING else found
        for path, defined in self._candidates(node):
            if defined.equal(node):
                return self._type_at(path, defined)
        return None

    def _candidates(self, node: Any) -> Iterator[tuple[str, Any]]:
        """Yield the types that a value's may be, the one at its place in the file first."""
        if node.committed():
            address = optional("h5py").h5o.get_info(node).addr
            for path, defined in self._defined:
                if optional("h5py").h5o.get_info(defined).addr == address:
                    yield path, defined
        yield from self._defined

    def _type_at(self, path: str, node: Any) -> UserType | None:
        if path not in self._known:
            self._known[path] = self._described(path, node)
        return self._known[path]

    def _described(self, path: str, node: Any) -> UserType | None:
        match type(node).__name__:
            case "TypeEnumID":
                base = self.type_of(node.get_super())
                names = [node.get_member_name(at) for at in range(node.get_nmembers())]
                members = tuple((_text(name), node.get_member_value(at)) for at, name in enumerate(names))
                return Enum(path, base, members) if isinstance(base, AtomicType) else None
            case "TypeOpaqueID":
                return Opaque(path, node.get_size())
            case "TypeVlenID":
                inner = self.type_of(node.get_super())
                return None if inner is None else Vlen(path, inner)
            case "TypeCompoundID":
                fields = [self._field(node, at) for at in range(node.get_nmembers())]
                known = tuple(field for field in fields if field is not None)
                return Compound(path, known) if len(known) == len(fields) else None
        return None

    def _field(self, node: Any, at: int) -> Field | None:
        kind = node.get_member_type(at)
        shape: tuple[int, ...] = ()
        if type(kind).__name__ == "TypeArrayID":
            kind, shape = kind.get_super(), tuple(kind.get_array_dims())
        found = self.type_of(kind)
        if found is CHAR and kind.get_size() > 1:
            shape = (*shape, kind.get_size())
        return None if found is None else Field(_text(node.get_member_name(at)), found, shape)


def read_values(dataset: Any, kind: NcType, key: Any = ...) -> AnyArray:
    """Return values of a dataset as `kind.dtype` has them; a scalar whatever the key.

    Raises
    ------
    ConversionError
        h5py cannot read them: sequences of records that hold sequences or strings.
    """
    try:
        if dataset.shape:
            return as_kind(kind, np.asarray(dataset[key]))
        found = np.empty((), dataset.dtype)
        dataset.id.read(*(optional("h5py").h5s.ALL,) * 2, found)
    except TypeError as error:
        raise ConversionError(f"{dataset.name}: h5py cannot read values of type {kind}: {error}") from error
    return as_kind(kind, found)


def read_attribute(node: Any, kind: NcType, name: str) -> AnyArray:
    """Return the values of an HDF5 attribute as `kind.dtype` has them, in one dimension."""
    attribute = node.attrs.get_id(name)
    found = np.empty(attribute.shape or (), attribute.dtype)
    if attribute.get_storage_size():
        attribute.read(found)
        return as_kind(kind, found).reshape(-1)
    return np.empty(0, kind.dtype)


def as_kind(kind: NcType, values: AnyArray) -> AnyArray:
    """Return values as h5py reads them in the dtype of a type: packed, native, complex numbers as records."""
    match kind:
        case Compound(fields=fields):
            records = _as_records(values)
            found = np.empty(values.shape, kind.dtype)
            for field, name in zip(fields, records.dtype.names or (), strict=True):
                found[field.name] = as_kind(field.type, records[name])
            return found
        case Vlen(base=base):
            return _each(lambda value: as_kind(base, np.asarray(value).reshape(-1)), values)
        case Opaque():
            return values
        case _ if kind is STRING:
            return _each(_string, values)
        case _ if kind is CHAR:
            return _characters(values)
        case _:
            return values.astype(kind.dtype, copy=False)


def _as_records(values: AnyArray) -> AnyArray:
    if values.dtype.kind != "c":
        return values
    part = values.real.dtype
    return np.ascontiguousarray(values).view([("r", part), ("i", part)]).reshape(values.shape)


def _characters(values: AnyArray) -> AnyArray:
    size = values.dtype.itemsize
    if size == 1:
        return values.astype("S1", copy=False)
    return np.ascontiguousarray(values).view("S1").reshape(*values.shape, size)


def _each(change: Any, values: AnyArray) -> AnyArray:
    found = np.empty(values.shape, object)
    flat = found.reshape(-1)
    for at, value in enumerate(values.reshape(-1)):
        flat[at] = change(value)
    return found


def _string(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return value if isinstance(value, str) else ""


def ordered_names(group: Any) -> list[str]:
    """Return the names in an HDF5 group in the order of their making, or by name where it keeps none."""
    h5 = optional("h5py")
    tracked = group.id.get_create_plist().get_link_creation_order() & h5.h5p.CRT_ORDER_TRACKED
    names: list[str] = []
    order = h5.h5.INDEX_CRT_ORDER if tracked else h5.h5.INDEX_NAME
    group.id.links.iterate(lambda name: names.append(_text(name)), idx_type=order)
    return names


def _groups(group: Any, path: str = "/") -> Iterator[tuple[str, Any]]:
    yield path, group
    for name in ordered_names(group):
        if _class_name(group, name) == "Group":
            yield from _groups(group[name], join(path, name))


def _class_name(group: Any, name: str) -> str:
    kind = group.get(name, getclass=True)
    return "" if kind is None else kind.__name__


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
