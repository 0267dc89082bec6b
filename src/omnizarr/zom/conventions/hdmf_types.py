"""The types that HDMF's datasets say they have, beside those of their arrays.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html#dtype-mappings
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from omnizarr.jsontypes import inside, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.dtype import DataType
from omnizarr.metadata.dtype_v2 import FIELDS, loose_dtype
from omnizarr.zom.faults import Violation

REFERENCES = ("object", "ref", "reference", "region", "object_reference")
SCALAR = "scalar"

_TEXT = (
    *("text", "utf", "utf8", "utf-8", "ascii", "str", "string", "unicode", "bytes"),
    *("isodatetime", "datetime", "date"),
)
# What the words mean: those of Python are wider than those of the specification language.
_WIDTHS = {
    "float": ("f4", "f8"),
    "double": ("f8",),
    "int": ("i4", "i8"),
    "long": ("i8",),
    "short": ("i2",),
    "uint": ("u4", "u8"),
    "bool": ("b1", "u1"),  # an enumeration of HDF5 is made bytes
    "numeric": ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"),
}


def check_type(stated: Any, metadata: ArrayMetadata, at: str) -> Iterator[Violation]:
    """Yield that an array is of another type than it says, or of another shape.

    Parameters
    ----------
    stated
        The attribute that says it, as JSON.
    at
        Its place.
    """
    if stated == SCALAR:
        if metadata.shape not in ((), (1,)):
            found = shown(list(metadata.shape))
            yield Violation("shape", f"expected one element, as the dataset is a scalar, found {found}")
    elif isinstance(stated, list):
        yield from _check_fields(stated, _fields_of(metadata.data_type), metadata.data_type, at)
    else:
        yield from _check_name(stated, metadata.data_type.dtype, at)


def _fields_of(data_type: DataType) -> dict[str, np.dtype[Any]] | None:
    """Return the fields of records; None for objects, which may be records of any fields."""
    if FIELDS in data_type.configuration and data_type.dtype.kind == "O":
        fields: Any = data_type.configuration[FIELDS]
        return {name: _field_dtype(kind) for name, kind, *_ in fields}
    names = data_type.dtype.names
    if names is None:
        return None if data_type.dtype.kind == "O" else {}
    return {name: data_type.dtype[name].base for name in names}


def _field_dtype(kind: Any) -> np.dtype[Any]:
    if isinstance(kind, list):
        return np.dtype([(name, _field_dtype(inner)) for name, inner, *_ in kind])
    return loose_dtype(kind) or np.dtype(object)


def _check_fields(
    stated: list[Any], fields: dict[str, np.dtype[Any]] | None, data_type: DataType, at: str
) -> Iterator[Violation]:
    if fields is None:
        return
    names = [field["name"] for field in stated]
    if names != list(fields):
        found = shown(list(fields)) if fields else f"elements of {data_type.name}"
        yield Violation(at, f"expected the fields of the array's type, {found}, found {shown(names)}")
        return
    for number, field in enumerate(stated):
        yield from _check_name(field["dtype"], fields[field["name"]], f"{at}[{number}].dtype")


def _check_name(stated: Any, dtype: np.dtype[Any], at: str) -> Iterator[Violation]:
    if isinstance(stated, list):
        inner = {name: dtype[name].base for name in dtype.names or ()}
        if dtype.kind != "O" and [field["name"] for field in stated] != list(inner):
            yield Violation(at, f"expected the fields of the array's type, {shown(list(inner))}")
        return
    if isinstance(stated, dict):  # a reference, as the specification language has it
        stated = stated.get("reftype", "object")
    allowed = _allowed(stated)
    if allowed is None:
        yield Violation(at, f"expected the name of a type, found {shown(stated)}")
    elif not any(_same(one, dtype) for one in allowed):
        yield Violation(at, f"expected the array's type, {_shown(dtype)}, found {shown(stated)}")


def _allowed(name: str) -> tuple[str, ...] | None:
    """Return the types of arrays that hold a type: `O`, `S` and `U` for any of their kind."""
    word = name.removesuffix("_")
    if word in REFERENCES or word in _TEXT:
        return ("O", "S", "U")
    if word in _WIDTHS:
        return _WIDTHS[word]
    found = loose_dtype(name) or loose_dtype(word)
    if found is None:
        return None
    return (found.kind,) if found.kind in "OSUV" else (found.str[1:],)


def _same(name: str, dtype: np.dtype[Any]) -> bool:
    if name in ("O", "S", "U", "V"):
        return dtype.kind == name or (name in "SU" and dtype.kind == "O")
    return dtype.str[1:] == name


def _shown(dtype: np.dtype[Any]) -> str:
    return dtype.name if dtype.names is None else inside("records of ", ", ".join(dtype.names))
