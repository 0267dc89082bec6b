"""The types of HDMF's datasets: as specifications name them, as Zarr arrays state them, as numpy has them.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html#dtype-mappings
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.jsontypes import Json, shown
from omnizarr.metadata.dtype_v2 import loose_dtype


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers or booleans."""

    dtype: np.dtype[Any]


@dataclass(frozen=True, slots=True)
class Text:
    """Text of any length; `ascii` and `isodatetime` are bytes where they are stored."""

    kind: Literal["utf8", "ascii", "isodatetime"] = "utf8"

    @property
    def is_bytes(self) -> bool:
        """Whether the elements are stored as bytes."""
        return self.kind != "utf8"


@dataclass(frozen=True, slots=True)
class References:
    """References to nodes, or to regions of datasets."""

    to_regions: bool = False


@dataclass(frozen=True, slots=True)
class Records:
    """Records of fields, each with a name and a type."""

    fields: tuple[tuple[str, ElementType], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(name for name, _ in self.fields)

    @property
    def references(self) -> tuple[str, ...]:
        """The names of the fields that are references."""
        return tuple(name for name, element in self.fields if isinstance(element, References))

    @property
    def is_plain(self) -> bool:
        """Whether every field is of one size: numbers, or records of such."""
        return all(
            isinstance(element, Numbers) or (isinstance(element, Records) and element.is_plain)
            for _, element in self.fields
        )


ElementType: TypeAlias = Numbers | Text | References | Records
"""What the elements of a dataset are."""

UTF8, ASCII, ISODATETIME = Text(), Text("ascii"), Text("isodatetime")
REFERENCES, REGIONS = References(), References(to_regions=True)

# What the words of the specification language and the names of Python's types stand for.
_NUMBERS = {
    "float": "f4",
    "double": "f8",
    "long": "i8",
    "int": "i4",
    "short": "i2",
    "uint": "u4",
    "bool": "b1",
}
_WORDS: dict[str, ElementType] = {
    **{name: Numbers(np.dtype(code)) for name, code in _NUMBERS.items()},
    **dict.fromkeys(("text", "utf", "utf8", "utf-8", "str", "string", "unicode"), UTF8),
    "object_": UTF8,  # as hdmf-zarr names numpy's objects, which are text where they are no references
    **dict.fromkeys(("ascii", "bytes", "string_"), ASCII),
    **dict.fromkeys(("isodatetime", "datetime", "date"), ISODATETIME),
    **dict.fromkeys(("ref", "reference", "object", "object_reference"), REFERENCES),
    **dict.fromkeys(("region", "region_reference"), REGIONS),
}
_PYTHON: dict[type, ElementType] = {
    bool: Numbers(np.dtype(np.bool_)),
    int: Numbers(np.dtype(np.int64)),
    float: Numbers(np.dtype(np.float64)),
    complex: Numbers(np.dtype(np.complex128)),
    str: UTF8,
    bytes: ASCII,
}
_KINDS: dict[str, ElementType] = {"U": UTF8, "T": UTF8, "S": ASCII}


def element_type(stated: Any) -> ElementType:
    """Return the type that any of HDMF's or numpy's spellings names.

    Parameters
    ----------
    stated
        A word of the specification language (`"text"`, `"float"`), a numpy type or its name, a type of
        Python, `{"reftype": "object"}`, or a list of fields with `name` and `dtype`.

    Raises
    ------
    ConversionError
        It names no type.
    """
    if isinstance(stated, Numbers | Text | References | Records):
        return stated
    if isinstance(stated, type) and stated in _PYTHON:
        return _PYTHON[stated]
    if isinstance(stated, str):
        return _of_name(stated)
    if isinstance(stated, Mapping) and "reftype" in stated:
        return _of_name(str(stated["reftype"]))
    reftype = getattr(stated, "reftype", None)  # hdmf's RefSpec is a mapping in some versions only
    if isinstance(reftype, str):
        return _of_name(reftype)
    if isinstance(stated, Sequence) and stated:
        return Records(tuple(map(_field, stated)))
    if isinstance(stated, np.dtype) or (isinstance(stated, type) and issubclass(stated, np.generic)):
        return of_numpy(np.dtype(stated))
    raise ConversionError(f"expected the name of a type or a list of fields, found {shown(stated)}")


def of_numpy(dtype: np.dtype[Any]) -> ElementType:
    """Return the type of arrays of `dtype`; objects are taken for text.

    Raises
    ------
    ConversionError
        HDMF has no such type.
    """
    if dtype.names is not None:
        return Records(tuple((name, of_numpy(dtype[name])) for name in dtype.names))
    if dtype.kind in "biufc":
        return Numbers(dtype)
    if dtype.kind == "O":
        return UTF8
    if dtype.kind not in _KINDS:
        raise ConversionError(f"HDMF has no type for numpy's {dtype}")
    return _KINDS[dtype.kind]


def numpy_dtype(element: ElementType) -> np.dtype[Any]:
    """Return what numpy holds elements of a type in; text and references are objects."""
    match element:
        case Numbers(dtype):
            return dtype
        case Records(fields):
            return np.dtype([(name, numpy_dtype(one)) for name, one in fields])
    return np.dtype(object)


def type_name(element: ElementType) -> Json:
    """Return a type as the attributes of a dataset state it: a name, or a list of fields."""
    match element:
        case Numbers(dtype):
            return dtype.name
        case Text():
            return "bytes" if element.is_bytes else "str"
        case References(to_regions):
            return "region" if to_regions else "object"
        case Records(fields):
            return [{"name": name, "dtype": type_name(one)} for name, one in fields]


def hdmf_name(element: ElementType) -> Any:
    """Return a type as HDMF's specification language names it; records are a list of fields."""
    match element:
        case Numbers(dtype):
            return dtype.name
        case Text(kind):
            return kind
        case References(to_regions):
            return "region" if to_regions else "object"
        case Records(fields):
            return [{"name": name, "dtype": hdmf_name(one)} for name, one in fields]


def reconciled(stated: ElementType, dtype: np.dtype[Any]) -> ElementType:
    """Return the type of an array of `dtype` whose attributes state a type.

    The array decides on numbers: the names that are stated are sometimes those of Python, whose `float`
    and `int` are wider than those of the specification language.
    """
    if isinstance(stated, Records):
        if dtype.names is None:
            return stated
        given = dict(stated.fields)
        return Records(tuple((name, _reconciled_field(given.get(name), dtype[name])) for name in dtype.names))
    if dtype.kind == "O" or (dtype.kind in "UST" and not isinstance(stated, Numbers)):
        return stated
    return of_numpy(dtype)


def _reconciled_field(stated: ElementType | None, dtype: np.dtype[Any]) -> ElementType:
    return of_numpy(dtype) if stated is None else reconciled(stated, dtype)


def _of_name(name: str) -> ElementType:
    found = _WORDS.get(name) or _WORDS.get(name.removesuffix("_"))
    if found is not None:
        return found
    dtype = loose_dtype(name) or loose_dtype(name.removesuffix("_"))
    if dtype is None or dtype.kind == "O":
        raise ConversionError(f"expected the name of a type, found {shown(name)}")
    return of_numpy(dtype)


def _field(field: Any) -> tuple[str, ElementType]:
    if isinstance(field, Mapping) and isinstance(field.get("name"), str) and "dtype" in field:
        return field["name"], element_type(field["dtype"])
    if hasattr(field, "name") and hasattr(field, "dtype"):
        return str(field.name), element_type(field.dtype)
    raise ConversionError(f"expected a field with a name and a dtype, found {shown(field)}")
