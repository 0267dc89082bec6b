"""What users give to define a type, and dtypes of numpy that mean one, as types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any, get_args

import numpy as np

from omnizarr.netcdf.model.names import DefinitionError, OutOfRangeError
from omnizarr.netcdf.model.types import (
    CHAR,
    STRING,
    Compound,
    Enum,
    Field,
    NcType,
    Opaque,
    UserType,
    Vlen,
    type_of_dtype,
)
from omnizarr.netcdf.usertypes import CompoundType, UserTypeHandle
from omnizarr.netcdf.values.layouts import fits

_MAX_BYTES = 2**31 - 1  # numpy's largest item


class UnknownTypeError(DefinitionError, KeyError):
    """A type that another cannot be made of; also a KeyError, as in netCDF4-python."""

    def __str__(self) -> str:
        return str(self.args[0])


def enum_of(path: str, datatype: Any, members: Mapping[str, Any]) -> Enum:
    """Return an enum.

    Raises
    ------
    UnknownTypeError
        The data type is no integer; also a KeyError.
    OutOfRangeError
        The data type cannot hold a member; also an OverflowError.
    DefinitionError
        There are no members, or two of one value; also a ValueError.
    """
    base = type_of_dtype(np.dtype(datatype))
    if base is None or base.dtype.kind not in "iu":
        raise UnknownTypeError(f"unsupported datatype specified for ENUM (must be integer): {datatype!r}")
    found = tuple((str(name), int(value)) for name, value in members.items())
    limits = np.iinfo(base.dtype)
    for name, value in found:
        if not limits.min <= value <= limits.max:
            raise OutOfRangeError(f"enum member {name!r}: {value} is out of bounds for {base.dtype}")
    if not found or len({value for _, value in found}) != len(found):
        raise DefinitionError(f"an enum has members, each of a value of its own; found {dict(members)!r}")
    return Enum(path, base, found)


def opaque_of(path: str, size: int) -> Opaque:
    """Return an opaque type.

    Raises
    ------
    DefinitionError
        The size is no positive number of bytes; also a ValueError.
    """
    length = int(size)
    if not 0 < length <= _MAX_BYTES:
        raise DefinitionError(f"an opaque type has bytes, 2^31 - 1 at most; found {size!r}")
    return Opaque(path, length)


def vlen_of(path: str, datatype: Any, scope: Sequence[UserType]) -> Vlen:
    """Return sequences of a type.

    Raises
    ------
    UnknownTypeError
        There is no such type; also a KeyError.
    """
    try:
        base, shape = _part_type(datatype, scope)
    except ValueError as error:
        raise UnknownTypeError(f"unsupported datatype specified for VLEN: {error}") from error
    if shape:
        raise UnknownTypeError(f"unsupported datatype specified for VLEN: an array of shape {shape}")
    return Vlen(path, base)


def compound_of(path: str, datatype: Any, scope: Sequence[UserType]) -> Compound:
    """Return records.

    Parameters
    ----------
    datatype
        A structured dtype, or a list of (name, type) and (name, type, shape), where a type may also be a
        handle, `str`, or one of `omnizarr.netcdf.model.types`.

    Raises
    ------
    DefinitionError
        A field has no type that netCDF knows; also a ValueError.
    """
    if isinstance(datatype, CompoundType):
        datatype = datatype.dtype
    fields = tuple(_field(name, part, shape, scope) for name, part, shape in _entries(datatype))
    if not fields or len({field.name for field in fields}) != len(fields):
        raise DefinitionError(f"a compound type has fields, each of a name of its own; found {datatype!r}")
    found = Compound(path, fields)
    if not 0 < found.size <= _MAX_BYTES:
        raise DefinitionError(f"values of a compound type have bytes, 2^31 - 1 at most; found {found.size}")
    return found


def _entries(datatype: Any) -> Iterable[tuple[str, Any, tuple[int, ...]]]:
    if isinstance(datatype, list | tuple) and not isinstance(datatype, str):
        for entry in datatype:
            name, part, *rest = entry
            shape = rest[0] if rest else ()
            yield name, part, (shape,) if isinstance(shape, int) else tuple(shape)
        return
    dtype = np.dtype(datatype)
    if dtype.names is None:
        raise TypeError(f"expected a structured dtype for a compound type, found {dtype}")
    for name in dtype.names:
        base, shape = dtype[name].subdtype or (dtype[name], ())
        yield name, base, shape


def _field(name: str, part: Any, shape: tuple[int, ...], scope: Sequence[UserType]) -> Field:
    kind, inner = _part_type(part, scope)
    whole = (*shape, *inner)
    if any(length < 1 for length in whole) or prod(whole) > _MAX_BYTES:
        raise DefinitionError(f"field {name!r}: expected axes of at least 1, found {whole}")
    return Field(name, kind, whole)


def _part_type(part: Any, scope: Sequence[UserType]) -> tuple[NcType, tuple[int, ...]]:
    """Return the type of a field or of a sequence's elements, and the shape that is in a dtype."""
    if isinstance(part, get_args(UserTypeHandle)):
        return part.nctype, ()
    if isinstance(part, get_args(NcType)):
        return part, ()
    if part is str:
        return STRING, ()
    base, shape = np.dtype(part).subdtype or (np.dtype(part), ())
    if base.kind == "S" and base.itemsize > 1:
        return CHAR, (*shape, base.itemsize)
    found = type_for_dtype(base, scope)
    if found is None and base.names is not None:
        raise DefinitionError("cannot find compound type in this group or parent groups")
    if found is None or found is STRING:
        raise DefinitionError(f"Unsupported compound type element: {base}")
    return found, shape


def type_for_dtype(dtype: np.dtype[Any], scope: Sequence[UserType]) -> NcType | None:
    """Return the atomic type that has a dtype, or the nearest type of the user's; None without one."""
    if dtype.kind != "V":
        return type_of_dtype(dtype)
    wanted = (Compound,) if dtype.names is not None else (Opaque,)
    return next((kind for kind in scope if isinstance(kind, wanted) and fits(kind, dtype)), None)
