"""The types of netCDF-4.

https://docs.unidata.ucar.edu/netcdf-c/current/data_type.html
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
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
    def is_fixed(self) -> bool:
        """Whether every value takes the same bytes: it is no string."""
        return self.code != "O"

    @property
    def size(self) -> int:
        """Bytes of one value; for string, those of a reference."""
        return self.dtype.itemsize

    def stored(self, endian: Endian = NATIVE) -> np.dtype[Any]:
        """Return the dtype of a number in the byte order of a variable."""
        return self.dtype.newbyteorder(">" if endian == "big" else "<")

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        # There is one of each name, and that also in the process that it is sent to.
        return _atomic, (self.name,)


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


class _Named:
    """A type of the user: `path` is absolute, `/g1/cloud_t`."""

    __slots__ = ()
    path: str

    @property
    def name(self) -> str:
        """The name within its group."""
        return self.path.rpartition("/")[2]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Enum(_Named):
    """Integers with names.

    Attributes
    ----------
    path
        The absolute path, `/g1/cloud_t`; so it is for all types of the user.
    base
        An integer type.
    members
        (name, value), in the order of the definition.
    """

    path: str
    base: AtomicType
    members: tuple[tuple[str, int], ...]

    number = 15
    is_numeric = True
    is_fixed = True

    @property
    def code(self) -> str:
        """numpy's kind and size of the integers."""
        return self.base.code

    @property
    def dtype(self) -> np.dtype[Any]:
        """What numpy holds: the integers."""
        return self.base.dtype

    @property
    def size(self) -> int:
        """Bytes of one value."""
        return self.base.size

    @property
    def default_fill(self) -> int | float | bytes | str:
        """What elements hold that were never written: what those of the base type do, as in netCDF-C."""
        return self.base.default_fill

    def stored(self, endian: Endian = NATIVE) -> np.dtype[Any]:
        """Return the dtype of the integers in the byte order of a variable."""
        return self.base.stored(endian)


@dataclass(frozen=True, slots=True)
class Opaque(_Named):
    """Bytes without a meaning, always as many (`length`)."""

    path: str
    length: int

    number = 14
    is_numeric = False
    is_fixed = True

    @property
    def dtype(self) -> np.dtype[Any]:
        """What numpy holds: `V` and the number of bytes."""
        return np.dtype(f"V{self.length}")

    @property
    def size(self) -> int:
        """Bytes of one value."""
        return self.length

    @property
    def default_fill(self) -> bytes:
        """What elements hold that were never written: zeros."""
        return bytes(self.length)


@dataclass(frozen=True, slots=True)
class Vlen(_Named):
    """Sequences of a type, each of its own length."""

    path: str
    base: NcType

    number = 13
    is_numeric = False
    is_fixed = False

    @property
    def dtype(self) -> np.dtype[Any]:
        """What numpy holds: objects, each an array of the base type."""
        return np.dtype(object)

    @property
    def size(self) -> int:
        """Bytes of a length and a reference, as netCDF-C counts them."""
        return 16

    @property
    def default_fill(self) -> tuple[()]:
        """What elements hold that were never written: nothing."""
        return ()


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a compound type: one value, or an array of a fixed shape."""

    name: str
    type: NcType
    shape: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Compound(_Named):
    """Records of named fields."""

    path: str
    fields: tuple[Field, ...]

    number = 16
    is_numeric = False

    @property
    def is_fixed(self) -> bool:
        """Whether every value takes the same bytes: there are no strings and no sequences in it."""
        return all(field.type.is_fixed for field in self.fields)

    @property
    def dtype(self) -> np.dtype[Any]:
        """What numpy holds, packed; strings and sequences as objects."""
        return np.dtype([(field.name, field.type.dtype, field.shape) for field in self.fields])

    @property
    def size(self) -> int:
        """Bytes of one value, packed."""
        return sum(field.type.size * prod(field.shape) for field in self.fields)

    @property
    def default_fill(self) -> tuple[Any, ...]:
        """What elements hold that were never written: zeros, and nothing where there are sequences."""
        return tuple(map(_zero_of_field, self.fields))


UserType: TypeAlias = Enum | Opaque | Vlen | Compound
NcType: TypeAlias = AtomicType | Enum | Opaque | Vlen | Compound


def parts_of(kind: NcType) -> tuple[NcType, ...]:
    """Return the types that a type is made of: of a vlen's elements, of a compound's fields."""
    match kind:
        case Vlen(base=base):
            return (base,)
        case Compound(fields=fields):
            return tuple(field.type for field in fields)
        case _:
            return ()


def _zero_of_field(field: Field) -> Any:
    zero = _zero_of(field.type)
    return (zero,) * prod(field.shape) if field.shape else zero


def _zero_of(kind: NcType) -> Any:
    if isinstance(kind, Enum):
        return 0
    if not isinstance(kind, AtomicType):
        return kind.default_fill
    if kind is CHAR:
        return b"\x00"
    return "" if kind is STRING else kind.dtype.type(0).item()


ATOMIC_TYPES = (BYTE, CHAR, SHORT, INT, FLOAT, DOUBLE, UBYTE, USHORT, UINT, INT64, UINT64, STRING)
BY_NAME = MappingProxyType({kind.name: kind for kind in ATOMIC_TYPES})
BY_CODE = MappingProxyType({kind.code: kind for kind in ATOMIC_TYPES if kind is not STRING})

# netCDF4-python's table, by numpy's kind and size.
default_fillvals: dict[str, Any] = {
    kind.code: kind.default_fill if kind is not CHAR else "\x00"
    for kind in ATOMIC_TYPES
    if kind is not STRING
} | {"c8": _FLOAT_FILL, "c16": _FLOAT_FILL}


def _atomic(name: str) -> AtomicType:
    return BY_NAME[name]


def type_of_dtype(dtype: np.dtype[Any]) -> AtomicType | None:
    """Return the type whose values numpy holds with this dtype, or None where there is none.

    `S1` is char; longer bytes, `U` and objects are string.
    """
    found = BY_CODE.get(f"{dtype.kind}{dtype.itemsize}")
    if found is None and dtype.kind in "SUOT":
        return STRING
    return found
