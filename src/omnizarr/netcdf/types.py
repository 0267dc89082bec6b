"""The types of netCDF-4.

https://docs.unidata.ucar.edu/netcdf-c/current/data_type.html
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np

Endian: TypeAlias = Literal["little", "big"]
NATIVE: Endian = "little" if np.little_endian else "big"


@dataclass(frozen=True, slots=True)
class AtomicType:
    """One of the twelve atomic types.

    Attributes
    ----------
    name
        The name in CDL: `byte`, `char`, …, `string`.
    number
        The number that netCDF-C gives the type (`NC_BYTE` is 1).
    code
        numpy's kind and size in bytes: `i1`; `S1` for char; `O` for string, whose values are `str`.
    default_fill
        What elements hold that were never written, where the variable says nothing else.
    """

    name: str
    number: int
    code: str
    default_fill: int | float | bytes | str

    @property
    def dtype(self) -> np.dtype[Any]:
        """What numpy holds, in native byte order."""
        return np.dtype(self.code)

    @property
    def is_numeric(self) -> bool:
        """Whether values are numbers: neither char nor string."""
        return self.code not in ("S1", "O")

    @property
    def size(self) -> int:
        """Bytes of one value; for string, those of a reference."""
        return self.dtype.itemsize

    def stored(self, endian: Endian = NATIVE) -> np.dtype[Any]:
        """Return the dtype of a number in the byte order of a variable."""
        return self.dtype.newbyteorder(">" if endian == "big" else "<")

    def __str__(self) -> str:
        return self.name


_FLOAT_FILL = 9.969209968386869e36

BYTE = AtomicType("byte", 1, "i1", -127)
CHAR = AtomicType("char", 2, "S1", b"\x00")
SHORT = AtomicType("short", 3, "i2", -32767)
INT = AtomicType("int", 4, "i4", -2147483647)
FLOAT = AtomicType("float", 5, "f4", _FLOAT_FILL)
DOUBLE = AtomicType("double", 6, "f8", _FLOAT_FILL)
UBYTE = AtomicType("ubyte", 7, "u1", 255)
USHORT = AtomicType("ushort", 8, "u2", 65535)
UINT = AtomicType("uint", 9, "u4", 4294967295)
INT64 = AtomicType("int64", 10, "i8", -9223372036854775806)
UINT64 = AtomicType("uint64", 11, "u8", 18446744073709551614)
STRING = AtomicType("string", 12, "O", "")

# A closed union: user-defined types (enum, compound, vlen, opaque) join it as dataclasses of their own.
NcType: TypeAlias = AtomicType

ATOMIC_TYPES = (BYTE, CHAR, SHORT, INT, FLOAT, DOUBLE, UBYTE, USHORT, UINT, INT64, UINT64, STRING)
BY_NAME = MappingProxyType({kind.name: kind for kind in ATOMIC_TYPES})
BY_CODE = MappingProxyType({kind.code: kind for kind in ATOMIC_TYPES if kind is not STRING})

# netCDF4-python's table, by numpy's kind and size.
default_fillvals: dict[str, Any] = {
    kind.code: kind.default_fill if kind is not CHAR else "\x00"
    for kind in ATOMIC_TYPES
    if kind is not STRING
}


def type_of_dtype(dtype: np.dtype[Any]) -> AtomicType | None:
    """Return the type whose values numpy holds with this dtype, or None where there is none.

    `S1` is char; longer bytes, `U` and objects are string.
    """
    found = BY_CODE.get(f"{dtype.kind}{dtype.itemsize}")
    if found is None and dtype.kind in "SUOT":
        return STRING
    return found
