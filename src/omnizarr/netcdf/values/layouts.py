"""How numpy holds values of a type: as netCDF4-python shows them, and as the elements of Zarr arrays.

Records of fixed size are structured dtypes: shown with the gaps that a C compiler would leave, stored
without. Text in stored records has a fixed length. Values that nest sequences are objects, both ways.
"""

from __future__ import annotations

from math import prod
from typing import Any, Literal, TypeAlias

import numpy as np

from omnizarr.netcdf.model.types import (
    CHAR,
    DOUBLE,
    FLOAT,
    NATIVE,
    STRING,
    AtomicType,
    Compound,
    Endian,
    Enum,
    Field,
    NcType,
    Opaque,
    Vlen,
)

Form: TypeAlias = Literal["fixed", "sequence", "text"]

COMPLEX64 = Compound("/_Complex64_t", (Field("r", FLOAT), Field("i", FLOAT)))
COMPLEX128 = Compound("/_Complex128_t", (Field("r", DOUBLE), Field("i", DOUBLE)))
_COMPLEX = {
    (kind.name, kind.fields): np.dtype(code) for kind, code in ((COMPLEX64, "c8"), (COMPLEX128, "c16"))
}


def form_of(kind: NcType) -> Form:
    """Return what elements of a type are in a Zarr array.

    All of one size; a sequence of numbers or characters each; or text that holds JSON each, where
    sequences lie deeper.
    """
    match kind:
        case Vlen(base=AtomicType() | Enum() as base) if base.is_fixed:
            return "sequence"
        case Vlen():
            return "text"
        case Compound(fields=fields) if any(form_of(field.type) != "fixed" for field in fields):
            return "text"
        case _:
            return "fixed"


def complex_dtype(kind: NcType) -> np.dtype[Any] | None:
    """Return numpy's complex numbers for the records that stand for them, None for any other type."""
    return _COMPLEX.get((kind.name, kind.fields)) if isinstance(kind, Compound) else None


def complex_like(kind: NcType) -> np.dtype[Any] | None:
    """Return numpy's complex numbers for records of a real and an imaginary part; None for any other type.

    netCDF-C's users have many names for these: all that counts is that they begin with r and i.
    """
    if isinstance(kind, Compound) and len(kind.fields) == 2:
        real, imaginary = kind.fields
        named = real.name[:1] in ("r", "R") and imaginary.name[:1] in ("i", "I")
        plain = real.type == imaginary.type and not real.shape and not imaginary.shape
        if named and plain and real.type in (FLOAT, DOUBLE):
            return np.dtype("c8" if real.type is FLOAT else "c16")
    return None


def shown_as(kind: NcType) -> np.dtype[Any]:
    """Return the dtype in which values are shown, and given."""
    if not isinstance(kind, Compound):
        return kind.dtype
    return complex_dtype(kind) or np.dtype([_shown_field(field) for field in kind.fields], align=True)


def _shown_field(field: Field) -> tuple[str, np.dtype[Any], tuple[int, ...]]:
    return field.name, shown_as(field.type), field.shape


def with_texts(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return a dtype in whose records arrays of characters are strings: netCDF4-python's `dtype_view`."""
    if dtype.fields is None:
        return dtype
    names = list(dtype.names or ())
    return np.dtype(
        {
            "names": names,
            "formats": [_with_texts(dtype[name]) for name in names],
            "offsets": [dtype.fields[name][1] for name in names],
            "itemsize": dtype.itemsize,
        },
        align=dtype.isalignedstruct,
    )


def _with_texts(dtype: np.dtype[Any]) -> np.dtype[Any]:
    base, shape = dtype.subdtype or (dtype, ())
    if base == np.dtype("S1") and shape:
        return np.dtype((np.dtype(f"S{shape[-1]}"), shape[:-1]))
    return np.dtype((with_texts(base), shape))


def stored_as(
    kind: NcType, endian: Endian = NATIVE, string_length: int = 1, *, numbered: bool = False
) -> np.dtype[Any]:
    """Return the dtype of stored elements, where all are of one size.

    Parameters
    ----------
    string_length
        The bytes of a string.
    numbered
        Whether fields that are arrays become text (characters) and records of fields 0, 1, …: Zarr v3
        has no arrays in records. The bytes are the same.
    """
    match kind:
        case Compound(fields=fields):
            found = complex_dtype(kind)
            if found is not None:
                return found.newbyteorder(">" if endian == "big" else "<")
            return np.dtype([_stored_field(field, endian, string_length, numbered) for field in fields])
        case Opaque():
            return kind.dtype
        case AtomicType() if kind is STRING:
            return np.dtype(f"S{string_length}")
        case AtomicType() if kind is CHAR:
            return kind.dtype
        case AtomicType() | Enum():
            return kind.stored(endian)
        case Vlen():
            return kind.dtype


def _stored_field(
    field: Field, endian: Endian, string_length: int, numbered: bool
) -> tuple[str, np.dtype[Any]]:
    base = stored_as(field.type, endian, string_length, numbered=numbered)
    count = prod(field.shape)
    if not field.shape or not numbered:
        return field.name, np.dtype((base, field.shape))
    if field.type is CHAR:
        return field.name, np.dtype(f"S{count}")
    return field.name, np.dtype([(str(at), base) for at in range(count)])


def fits(kind: NcType, dtype: np.dtype[Any]) -> bool:
    """Say whether a dtype can hold the values of a type, shown or stored, in whatever byte order."""
    match kind:
        case AtomicType() if kind is STRING:
            return dtype.kind in "SO"
        case AtomicType() | Enum():
            return f"{dtype.kind}{dtype.itemsize}" == kind.code
        case Opaque(length=length):
            return dtype.kind == "V" and dtype.names is None and dtype.itemsize == length
        case Vlen():
            return dtype.kind == "O"
        case Compound(fields=fields):
            if dtype.kind == "O":
                return form_of(kind) == "text"
            if complex_dtype(kind) is not None and dtype.kind == "c":
                return dtype.itemsize == kind.size
            names = tuple(field.name for field in fields)
            return dtype.names == names and all(_field_fits(field, dtype[field.name]) for field in fields)


def _field_fits(field: Field, dtype: np.dtype[Any]) -> bool:
    base, shape = dtype.subdtype or (dtype, ())
    if shape == field.shape:
        return fits(field.type, base)
    count = prod(field.shape)
    if field.type is CHAR:
        return base.kind == "S" and base.itemsize * prod(shape) == count
    parts = [str(at) for at in range(count)]
    return not shape and list(base.names or ()) == parts and fits(field.type, base[0])


def string_room(kind: NcType, dtype: np.dtype[Any]) -> int | None:
    """Return the bytes that the shortest text in stored elements has room for; None where there is none."""
    if kind is STRING:
        return dtype.itemsize if dtype.kind == "S" else None
    if not isinstance(kind, Compound) or dtype.names is None:
        return None
    rooms = [string_room(field.type, base_of_field(dtype[field.name], field)) for field in kind.fields]
    return min((room for room in rooms if room is not None), default=None)


def holds_strings(kind: NcType) -> bool:
    """Say whether elements of one size hold text, whose length has to be chosen."""
    if isinstance(kind, Compound):
        return form_of(kind) == "fixed" and any(holds_strings(field.type) for field in kind.fields)
    return kind is STRING


def base_of_field(dtype: np.dtype[Any], field: Field) -> np.dtype[Any]:
    """Return the dtype of one element of a field."""
    base = dtype.base
    if not field.shape:
        return base
    if field.type is CHAR:
        return np.dtype("S1")
    return base if dtype.subdtype else base[0]
