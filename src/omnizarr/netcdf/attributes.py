"""Attributes of groups and variables: Python values in and out, and netCDF4-python's ways to reach them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from omnizarr.errors import ConversionError, StoreError
from omnizarr.netcdf.defining.typemaking import type_for_dtype
from omnizarr.netcdf.dialects.attributes import is_hidden
from omnizarr.netcdf.model.items import bytes_of_text, from_numpy, to_numpy
from omnizarr.netcdf.model.names import AttributeAccessError, OutOfRangeError
from omnizarr.netcdf.model.nodes import AttributeModel
from omnizarr.netcdf.model.types import CHAR, STRING, Compound, NcType, Opaque, UserType
from omnizarr.netcdf.opened.session import Live, Session, locked
from omnizarr.netcdf.values.given import item_of
from omnizarr.netcdf.values.records import shown_items


def to_python(attribute: AttributeModel) -> Any:
    """Return a text, a list of texts, a numpy scalar, or an array where there is not just one value."""
    if isinstance(attribute.value, str):
        return attribute.value
    if attribute.type is STRING:
        return attribute.value[0] if len(attribute.value) == 1 else list(attribute.value)
    values = shown_items(attribute.type, attribute.value)
    return values[0] if len(values) == 1 else values


def from_python(
    name: str, value: Any, *, as_string: bool = False, types: Sequence[UserType] = ()
) -> AttributeModel:
    """Return the attribute that a Python value makes.

    One text is char where it is ASCII and string otherwise; several texts are string; numbers keep
    numpy's type, so that a plain int is int64 and a plain float is double. Structured values and raw bytes
    are of the first of the user's types that they fit.

    Raises
    ------
    TypeError
        netCDF has no type for the value.
    ValueError
        It has more than one dimension.
    """
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    values = np.asarray(value)
    if values.ndim > 1:
        raise ValueError(f"attribute {name!r}: expected one dimension at most, found {values.ndim}")
    if values.dtype.kind in "SU" or _are_texts(values):
        return _text_attribute(name, values, as_string)
    kind = type_for_dtype(values.dtype, types)
    if isinstance(kind, Compound | Opaque):
        return AttributeModel(name, kind, tuple(item_of(kind, item) for item in values.reshape(-1)))
    if kind is None or not kind.is_numeric:
        raise TypeError(f"attribute {name!r}: netCDF has no type for {values.dtype} values")
    return AttributeModel(name, kind, tuple(values.ravel().tolist()))


def cast_attribute(attribute: AttributeModel, kind: NcType) -> AttributeModel:
    """Return an attribute with its values in another type.

    Raises
    ------
    ConversionError
        The type cannot hold them.
    """
    if attribute.type == kind:
        return attribute
    texts = attribute.type in (CHAR, STRING)
    if texts and kind is STRING:
        return AttributeModel(attribute.name, STRING, tuple(map(str, attribute.values)))
    if texts and kind is CHAR:
        return AttributeModel(attribute.name, CHAR, "".join(map(str, attribute.values)))
    if not texts and kind.is_numeric:
        given = np.array(attribute.value, attribute.type.dtype)
        with np.errstate(all="ignore"):
            cast = given.astype(kind.dtype)
        # Rounding is what a float does; an integer is the same number or another one.
        if kind.dtype.kind == "f" or bool(np.all(cast == given)):
            return AttributeModel(attribute.name, kind, tuple(cast.tolist()))
    message = f"attribute {attribute.name!r}: expected {kind}, found {attribute.type} {attribute.value!r}"
    raise ConversionError(message) if texts or not kind.is_numeric else OutOfRangeError(message)


def length_in(attribute: AttributeModel) -> int:
    """Return the length that an attribute says.

    Raises
    ------
    ValueError
        It is no positive integer.
    """
    [value] = attribute.values if len(attribute.values) == 1 else [None]
    if not isinstance(value, int) or value < 1:
        raise ValueError(
            f"attribute {attribute.name!r}: expected a positive integer, found {attribute.value!r}"
        )
    return value


def _are_texts(values: np.ndarray[Any, Any]) -> bool:
    return values.dtype.kind == "O" and all(isinstance(item, str) for item in values.ravel().tolist())


def _text_attribute(name: str, values: np.ndarray[Any, Any], as_string: bool) -> AttributeModel:
    texts = [_text(item) for item in values.ravel().tolist()]
    if len(texts) == 1 and not as_string and _is_plain(texts[0]):
        return AttributeModel(name, CHAR, texts[0])
    return AttributeModel(name, STRING, tuple(texts))


def _text(item: Any) -> str:
    return item.decode("utf-8", "surrogateescape") if isinstance(item, bytes) else str(item)


def _is_plain(text: str) -> bool:
    # What is no UTF-8 was bytes, and only char keeps bytes.
    return text.isascii() or any("\udc80" <= character <= "\udcff" for character in text)


# What netCDF4-python keeps for itself: setting one of these is refused, any other name makes an attribute.
RESERVED = frozenset(
    (
        *("_grpid", "_grp", "_varid", "_nunlimdim", "_isprimitive", "_isvlen", "_isenum", "_iscompound"),
        *("_cmptype", "_vltype", "_enumtype", "_has_lsd", "_buffer", "_use_get_vars", "_ncstring_attrs__"),
        *(
            "groups",
            "dimensions",
            "variables",
            "dtype",
            "data_model",
            "disk_format",
            "path",
            "parent",
            "ndim",
        ),
        *("mask", "scale", "cmptypes", "vltypes", "enumtypes", "file_format", "name", "keepweakref", "ndim"),
        *("always_mask", "chartostring", "auto_complex", "__dict__", "__class__"),
    )
)


class Attributed(Live):
    """What has attributes: they are read and set as Python attributes, or by name.

    Names in `_own` are the object's own and no netCDF attributes.
    """

    _own: frozenset[str] = frozenset(("_attributes", "_ncstring", "_session"))
    _attributes: dict[str, AttributeModel]
    _ncstring: bool
    _session: Session

    def _known_types(self) -> Sequence[UserType]:
        """Return the types of the user that values may be of, the nearest first."""
        return ()

    def ncattrs(self) -> list[str]:
        """Return the names of the attributes."""
        return list(self._attributes)

    def getncattr(self, name: str, encoding: str = "utf-8") -> Any:
        """Return the value of an attribute.

        Parameters
        ----------
        encoding
            What the bytes of a text mean.

        Raises
        ------
        AttributeAccessError
            There is none; also an AttributeError.
        """
        found = self._attributes.get(name)
        if found is None:
            raise _missing(name)
        if found.type in (CHAR, STRING):
            texts = [bytes_of_text(_text(text)) for text in found.values]
            shown = [text.decode(encoding, "replace") for text in texts]
            return shown[0] if len(shown) == 1 else shown
        return to_python(found)

    def setncattr(self, name: str, value: Any) -> None:
        """Set an attribute; its type follows from the value."""
        types = self._known_types()
        self._set_attribute(from_python(name, value, as_string=self._ncstring, types=types))

    def setncattr_string(self, name: str, value: Any) -> None:
        """Set an attribute of type string."""
        if isinstance(value, bytes):
            value = _text(value)
        self._set_attribute(from_python(name, np.asarray(value).astype("U"), as_string=True))

    def setncattr_typed(self, name: str, datatype: Any, value: Any) -> None:
        """Set an attribute of a type that its value does not tell: char of any bytes, enums, records.

        Parameters
        ----------
        datatype
            One of `omnizarr.netcdf.model.types`, or a user-defined type.
        value
            A text for char; for other types a sequence of values, as `omnizarr.netcdf.model.items` has them.

        Raises
        ------
        ConversionError
            The type cannot hold the values.
        """
        kind: NcType = getattr(datatype, "nctype", datatype)
        given = value if kind is CHAR else from_numpy(kind, to_numpy(kind, value))
        self._set_attribute(AttributeModel(name, kind, given))

    def setncatts(self, attdict: Mapping[str, Any]) -> None:
        """Set several attributes."""
        for name, value in attdict.items():
            self.setncattr(name, value)

    @locked
    def delncattr(self, name: str) -> None:
        """Remove an attribute.

        Raises
        ------
        AttributeAccessError
            There is none; also a RuntimeError.
        """
        self._change_attributes()
        if self._attributes.pop(name, None) is None:
            raise _missing(name)

    @locked
    def renameAttribute(self, oldname: str, newname: str) -> None:  # noqa: N802
        """Rename an attribute; it keeps its place.

        Raises
        ------
        AttributeAccessError
            There is none, or the new name is in use or none; also a RuntimeError.
        """
        self._change_attributes()
        if oldname not in self._attributes:
            raise _missing(oldname)
        if newname in self._attributes:
            raise AttributeAccessError(f"there is an attribute {newname!r} already")
        check_attribute_name(newname)
        attributes = self._attributes.items()
        self._attributes = {
            newname if name == oldname else name: replace(entry, name=newname) if name == oldname else entry
            for name, entry in attributes
        }

    def set_ncstring_attrs(self, ncstring_attrs: bool) -> None:
        """Store texts as attributes of type string from now on, ASCII or not."""
        self._ncstring = bool(ncstring_attrs)

    @locked
    def _set_attribute(self, attribute: AttributeModel) -> None:
        self._change_attributes()
        check_attribute_name(attribute.name)
        self._attributes[attribute.name] = attribute

    def _change_attributes(self) -> None:
        try:
            self._about_to_change()
        except StoreError as error:
            raise AttributeAccessError(str(error)) from error

    def _about_to_change(self) -> None:
        """Refuse where the dataset is closed or read-only, and remember to store the attributes."""
        raise AttributeError("these attributes cannot be changed")

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """The attributes by name."""
        return {name: self.getncattr(name) for name in self.ncattrs()}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in type(self)._own:
            raise AttributeError(name)
        return self.getncattr(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in RESERVED:
            what = f"{name!r} is part of {type(self).__name__} and cannot be set"
            raise AttributeAccessError(f"{what}; setncattr sets an attribute of that name")
        if name in type(self)._own:
            object.__setattr__(self, name, value)
        else:
            self.setncattr(name, value)

    def __delattr__(self, name: str) -> None:
        self.delncattr(name)


def check_attribute_name(name: str) -> None:
    """Refuse what cannot be the name of an attribute.

    Raises
    ------
    AttributeAccessError
        It is empty, has a slash, or is one that the library uses itself.
    """
    if not name or is_hidden(name) or "/" in name:
        raise AttributeAccessError(f"an attribute cannot have the name {name!r}")


def _missing(name: str) -> AttributeAccessError:
    return AttributeAccessError(f"NetCDF: Attribute not found: {name!r}")
