"""The user's types as handles with netCDF4-python's names.

https://unidata.github.io/netcdf4-python/#netCDF4.CompoundType
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from omnizarr.netcdf.model.types import STRING, Compound, Enum, NcType, Opaque, UserType, Vlen
from omnizarr.netcdf.values.layouts import shown_as, with_texts


class _Handle:
    """What the handles share: two of them are equal where they stand for the same definition."""

    __slots__ = ("_kind",)
    _kind: NcType

    @property
    def nctype(self) -> NcType:
        """The type as a plain value."""
        return self._kind

    @property
    def name(self) -> str:
        """The name within its group."""
        return self._kind.name

    @property
    def dtype(self) -> Any:
        """The numpy dtype of the values."""
        return shown_as(self._kind)

    def __eq__(self, other: object) -> bool:
        # A dtype compares itself with what has one, as with netCDF4-python's types.
        return other._kind == self._kind if isinstance(other, _Handle) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._kind)

    def __repr__(self) -> str:
        return f"{type(self)!r}: name = {self.name!r}, numpy dtype = {self.dtype}"


class CompoundType(_Handle):
    """Records of named fields; `Group.createCompoundType` makes one."""

    __slots__ = ()
    _kind: Compound

    def __init__(self, kind: Compound) -> None:
        self._kind = kind

    @property
    def dtype_view(self) -> np.dtype[Any]:
        """The numpy dtype in which arrays of characters are strings."""
        return with_texts(self.dtype)


class VLType(_Handle):
    """Sequences of a type, each of its own length; `Group.createVLType` makes one."""

    __slots__ = ("_label",)
    _kind: Vlen | NcType
    _label: str

    def __init__(self, kind: NcType, label: str = "") -> None:
        self._kind = kind
        self._label = label

    @property
    def name(self) -> str:
        """The name within its group."""
        return self._label or self._kind.name

    @property
    def dtype(self) -> Any:
        """The numpy dtype of the values in a sequence; `str` where sequences of characters are strings."""
        return shown_as(self._kind.base) if isinstance(self._kind, Vlen) else str

    def __repr__(self) -> str:
        return super().__repr__() if self._kind is not STRING else f"{type(self)!r}: string type"


class EnumType(_Handle):
    """Integers with names; `Group.createEnumType` makes one."""

    __slots__ = ()
    _kind: Enum

    def __init__(self, kind: Enum) -> None:
        self._kind = kind

    @property
    def enum_dict(self) -> dict[str, int]:
        """The integers by name."""
        return dict(self._kind.members)

    def __repr__(self) -> str:
        return f"{super().__repr__()}, fields/values ={self.enum_dict}"


class OpaqueType(_Handle):
    """Bytes without a meaning, always as many; `Group.createOpaqueType` makes one."""

    __slots__ = ()
    _kind: Opaque

    def __init__(self, kind: Opaque) -> None:
        self._kind = kind

    @property
    def size(self) -> int:
        """The number of bytes."""
        return self._kind.length


UserTypeHandle: TypeAlias = CompoundType | VLType | EnumType | OpaqueType


def class_of(kind: NcType) -> str:
    """Return what netCDF calls the kind of a user's type: compound, vlen, enum or opaque; else nothing."""
    match kind:
        case Compound():
            return "compound"
        case Vlen():
            return "vlen"
        case Enum():
            return "enum"
        case Opaque():
            return "opaque"
        case _:
            return ""


def handle_of(kind: UserType) -> UserTypeHandle:
    """Return the handle of a type."""
    match kind:
        case Compound():
            return CompoundType(kind)
        case Vlen():
            return VLType(kind)
        case Enum():
            return EnumType(kind)
        case Opaque():
            return OpaqueType(kind)


def label_of(kind: NcType, dtype: Any) -> str:
    """Return what values are, as netCDF4-python says it: numpy's name, or the kind of a user's type."""
    return class_of(kind) or (kind.name if dtype is str else str(dtype))
