"""Attributes of groups and variables: Python values in and out, and netCDF4-python's ways to reach them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.netcdf.dialects.attributes import is_hidden
from omnizarr.netcdf.model import AttributeModel
from omnizarr.netcdf.types import CHAR, STRING, NcType, type_of_dtype


def to_python(attribute: AttributeModel) -> Any:
    """Return a text, a list of texts, a numpy scalar, or an array where there is not just one number."""
    if isinstance(attribute.value, str):
        return attribute.value
    if attribute.type is STRING:
        return attribute.value[0] if len(attribute.value) == 1 else list(attribute.value)
    values = np.array(attribute.value, attribute.type.dtype)
    return values[0] if len(values) == 1 else values


def from_python(name: str, value: Any, *, as_string: bool = False) -> AttributeModel:
    """Return the attribute that a Python value makes.

    One text is char where it is ASCII and string otherwise; several texts are string; numbers keep
    numpy's type, so that a plain int is int64 and a plain float is double.

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
    kind = type_of_dtype(values.dtype)
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
    if attribute.type is kind:
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
    found = f"{attribute.type} {attribute.value!r}"
    raise ConversionError(f"attribute {attribute.name!r}: expected {kind}, found {found}")


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


class Attributed:
    """What has attributes: they are read and set as Python attributes, or by name.

    Names in `_own` are the object's own and no netCDF attributes.
    """

    _own: frozenset[str] = frozenset(("_attributes", "_ncstring"))
    _attributes: dict[str, AttributeModel]
    _ncstring: bool

    def ncattrs(self) -> list[str]:
        """Return the names of the attributes."""
        return list(self._attributes)

    def getncattr(self, name: str, encoding: str = "utf-8") -> Any:
        """Return the value of an attribute.

        Raises
        ------
        AttributeError
            There is none.
        """
        found = self._attributes.get(name)
        if found is None:
            raise AttributeError(f"NetCDF: Attribute not found: {name!r}")
        return to_python(found)

    def setncattr(self, name: str, value: Any) -> None:
        """Set an attribute; its type follows from the value."""
        self._set_attribute(from_python(name, value, as_string=self._ncstring))

    def setncattr_string(self, name: str, value: Any) -> None:
        """Set an attribute of type string."""
        self._set_attribute(from_python(name, value, as_string=True))

    def setncatts(self, attributes: Mapping[str, Any]) -> None:
        """Set several attributes."""
        for name, value in attributes.items():
            self.setncattr(name, value)

    def delncattr(self, name: str) -> None:
        """Remove an attribute."""
        self._about_to_change()
        if self._attributes.pop(name, None) is None:
            raise AttributeError(f"NetCDF: Attribute not found: {name!r}")

    def renameAttribute(self, oldname: str, newname: str) -> None:  # noqa: N802
        """Rename an attribute; it keeps its place."""
        self._about_to_change()
        if oldname not in self._attributes:
            raise AttributeError(f"NetCDF: Attribute not found: {oldname!r}")
        if newname in self._attributes or is_hidden(newname):
            raise AttributeError(f"the name {newname!r} is in use")
        renamed = {newname if name == oldname else name: entry for name, entry in self._attributes.items()}
        found = renamed[newname]
        renamed[newname] = AttributeModel(newname, found.type, found.value)
        self._attributes = renamed

    def set_ncstring_attrs(self, ncstring_attrs: bool) -> None:
        """Store texts as attributes of type string from now on, ASCII or not."""
        self._ncstring = bool(ncstring_attrs)

    def _set_attribute(self, attribute: AttributeModel) -> None:
        self._about_to_change()
        if not attribute.name or is_hidden(attribute.name) or "/" in attribute.name:
            raise AttributeError(f"an attribute cannot have the name {attribute.name!r}")
        self._attributes[attribute.name] = attribute

    def _about_to_change(self) -> None:
        """Refuse where the dataset is closed or read-only, and remember to store the attributes."""
        raise AttributeError("these attributes cannot be changed")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in type(self)._own:
            raise AttributeError(name)
        return self.getncattr(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self)._own:
            object.__setattr__(self, name, value)
        elif hasattr(type(self), name):
            raise AttributeError(
                f"{name!r} is part of {type(self).__name__} and cannot be set; use setncattr"
            )
        else:
            self.setncattr(name, value)

    def __delattr__(self, name: str) -> None:
        self.delncattr(name)
