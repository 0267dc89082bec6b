"""Groups as what defines types: those of a group are known in it and below."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, get_args

import numpy as np

from omnizarr.netcdf.defining.typemaking import compound_of, enum_of, opaque_of, type_for_dtype, vlen_of
from omnizarr.netcdf.dialects.stored import is_stored_specially
from omnizarr.netcdf.model.names import DefinitionError, NameInUseError, check_name
from omnizarr.netcdf.model.nodes import join, parent_of
from omnizarr.netcdf.model.types import STRING, AtomicType, Compound, Enum, NcType, Opaque, UserType, Vlen
from omnizarr.netcdf.opened.session import Session, locked
from omnizarr.netcdf.usertypes import (
    CompoundType,
    EnumType,
    OpaqueType,
    UserTypeHandle,
    VLType,
    handle_of,
)
from omnizarr.netcdf.values.layouts import COMPLEX64, COMPLEX128

T = TypeVar("T", Compound, Enum, Opaque, Vlen)
H = TypeVar("H", CompoundType, VLType, EnumType, OpaqueType)


class DefinesTypes(ABC):
    """Types of the user, by name."""

    _types: dict[str, UserType]
    _session: Session

    @property
    def cmptypes(self) -> dict[str, CompoundType]:
        """The compound types that this group defines, by name."""
        return self._handles(CompoundType)

    @property
    def vltypes(self) -> dict[str, VLType]:
        """The variable-length types that this group defines, by name."""
        return self._handles(VLType)

    @property
    def enumtypes(self) -> dict[str, EnumType]:
        """The enum types that this group defines, by name."""
        return self._handles(EnumType)

    @property
    def opaquetypes(self) -> dict[str, OpaqueType]:
        """The opaque types that this group defines, by name."""
        return self._handles(OpaqueType)

    def _handles(self, wanted: type[H]) -> dict[str, H]:
        handles = {name: handle_of(kind) for name, kind in self._types.items()}
        return {name: handle for name, handle in handles.items() if isinstance(handle, wanted)}

    @locked
    def createCompoundType(self, datatype: Any, datatype_name: str) -> CompoundType:  # noqa: N802
        """Define records.

        Parameters
        ----------
        datatype
            A structured dtype; or a list of (name, type) and (name, type, shape), where a type may also be
            one of the user's, or `str`. Structured dtypes within stand for the compound types that they fit.

        Raises
        ------
        DefinitionError
            A field has no type that netCDF knows; also a ValueError.
        NameInUseError
            The group has something of this name; also a RuntimeError.
        """
        kind = compound_of(self._new_path(datatype_name), datatype, list(self._scope()))
        return CompoundType(self._define_type(kind))

    @locked
    def createVLType(self, datatype: Any, datatype_name: str) -> VLType:  # noqa: N802
        """Define sequences of a type, each of its own length.

        Parameters
        ----------
        datatype
            A dtype, or a type of the user; `str` defines nothing and stands for netCDF's own string.

        Raises
        ------
        UnknownTypeError
            There is no such type; also a KeyError.
        NameInUseError
            The group has something of this name; also a RuntimeError.
        """
        path = self._new_path(datatype_name)
        if datatype is str:
            return VLType(STRING, datatype_name)
        return VLType(self._define_type(vlen_of(path, datatype, list(self._scope()))))

    @locked
    def createEnumType(  # noqa: N802
        self, datatype: Any, datatype_name: str, enum_dict: Mapping[str, int]
    ) -> EnumType:
        """Define integers with names.

        Raises
        ------
        UnknownTypeError
            The data type is no integer; also a KeyError.
        OutOfRangeError
            The data type cannot hold a value; also an OverflowError.
        NameInUseError
            The group has something of this name; also a RuntimeError.
        """
        found = enum_of(join(self.path, datatype_name), datatype, enum_dict)
        self._new_path(datatype_name)
        return EnumType(self._define_type(found))

    @locked
    def createOpaqueType(self, size: int, name: str) -> OpaqueType:  # noqa: N802
        """Define values of so many bytes without a meaning.

        Raises
        ------
        DefinitionError
            The size is no positive number; also a ValueError.
        NameInUseError
            The group has something of this name; also a RuntimeError.
        """
        return OpaqueType(self._define_type(opaque_of(self._new_path(name), size)))

    # --- for the groups that inherit this

    @property
    @abstractmethod
    def path(self) -> str:
        """The absolute path."""

    @abstractmethod
    def _group_at(self, path: str) -> Any:
        """Return the group at an absolute path; None where there is none."""

    @abstractmethod
    def _about_to_change(self) -> None:
        """Refuse where the dataset is closed or read-only, and remember to store the group."""

    @abstractmethod
    def _is_taken(self, name: str) -> bool:
        """Say whether the group has something of a name."""

    # --- places

    def _new_path(self, name: str) -> str:
        check_name(name)
        if self._is_taken(name):
            raise NameInUseError(f"the name {name!r} is in use", path=self.path)
        return join(self.path, name)

    def _define_type(self, kind: T) -> T:
        self._about_to_change()
        self._types[kind.name] = kind
        return kind

    def _scope(self) -> Iterator[UserType]:
        """Yield the types that are known here: the group's own, then those of the groups above."""
        path = self.path
        while True:
            yield from self._group_at(path)._types.values()
            if path == "/":
                return
            path = parent_of(path)

    def _resolved(self, datatype: Any) -> Any:
        """Return a type for a handle or a dtype that means a type of the user; anything else as it is.

        Raises
        ------
        TypeError
            A structured dtype fits no type that is known here.
        DefinitionError
            The type belongs to another dataset, or numbers are complex without `auto_complex`.
        """
        if isinstance(datatype, get_args(UserTypeHandle)):
            return self._checked(datatype.nctype)
        if isinstance(datatype, get_args(NcType)):
            return self._checked(datatype)
        dtype = _dtype(datatype)
        if dtype is None or dtype.kind not in "cV":
            return datatype
        if dtype.kind == "c":
            return self._complex(dtype)
        found = type_for_dtype(dtype, list(self._scope()))
        if found is None:
            raise TypeError(f"illegal primitive data type: no type here or above fits {dtype}")
        return found

    def _checked(self, kind: NcType) -> NcType:
        if isinstance(kind, AtomicType):
            return kind
        group = self._group_at(parent_of(kind.path))
        if group is None or group._types.get(kind.name) != kind:
            raise DefinitionError(f"type {kind.path} is not defined in this dataset")
        return kind

    def _complex(self, dtype: np.dtype[Any]) -> NcType:
        if not self._session.auto_complex:
            raise DefinitionError(
                f"complex datatypes ({dtype.name}) are only supported with `auto_complex=True`"
            )
        kind = {8: COMPLEX64, 16: COMPLEX128}.get(dtype.itemsize)
        if kind is None:
            raise TypeError(f"illegal primitive data type: netCDF has no type for {dtype}")
        root = self._group_at("/")
        if root._types.get(kind.name) != kind:
            root._new_path(kind.name)
            root._define_type(kind)
        return kind

    def _warn_unseen(self, name: str, kind: NcType) -> None:
        """Tell once that netCDF-C, which could read the rest of the dataset, does not see a variable."""
        session = self._session
        is_read = session.dialect.name == "nczarr" and getattr(session.dialect, "zarr_format", 2) == 2
        if session.warned_unseen or not is_read or not is_stored_specially(kind):
            return
        session.warned_unseen = True
        message = f"netCDF-C does not see variable {name!r}, nor others of types like {kind}"
        warnings.warn(f"{message}: its NCZarr has numbers and text only", stacklevel=4)


def _dtype(datatype: Any) -> np.dtype[Any] | None:
    try:
        found: np.dtype[Any] = np.dtype(datatype)
    except TypeError:
        return None
    return found
