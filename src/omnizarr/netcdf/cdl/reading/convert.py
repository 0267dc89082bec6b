"""A constant of CDL as a value of a type: what does not fit is unexpected, and never becomes another value.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

import numpy as np

from omnizarr.netcdf.cdl.reading.constants import (
    Character,
    Constant,
    Fill,
    Hex,
    Name,
    Nil,
    Number,
    Text,
    decoded,
    fits,
    plain_name,
)
from omnizarr.netcdf.cdl.reading.tokens import Unexpected
from omnizarr.netcdf.model.items import Item
from omnizarr.netcdf.model.types import BYTE, CHAR, STRING, UBYTE, AtomicType, Enum, NcType, Opaque


def converted(kind: NcType, found: Constant, fill: Item | None) -> Item:
    """Return a constant as an item; `_` as the fill value, where there may be one.

    Raises
    ------
    Unexpected
        The type cannot hold it.
    """
    match kind, found:
        case Enum(), Name(text=text) if (member := _member(kind, text)) is not None:
            return member
        case _, Fill():
            if fill is None:
                raise Unexpected(found.at, "expected a value, found '_': only variables have a fill value")
            return fill
        case Enum(), Number(value=int(value)) if fits(kind.base, value):
            return value
        case Opaque(), Hex():
            return _opaque(kind, found)
        case AtomicType(), Text() if kind is STRING:
            return _string(found)
        case AtomicType(), Nil() if kind is STRING:
            return ""
        case AtomicType(), Text(value=data) if kind is CHAR and len(data) < 2:
            return data or b"\0"
        case AtomicType(), Character(value=value) if kind is CHAR:
            return bytes([value])
        case AtomicType(), Number(type=given, value=int(value)) if kind is CHAR and given in (BYTE, UBYTE):
            return bytes([value & 0xFF])
        case AtomicType(), _ if kind.is_numeric:
            return _number(kind, found)
        case _:
            raise Unexpected(found.at, f"expected {_wanted(kind)}, found {described(found)}")


def described(found: Constant) -> str:
    """Return what a constant is, in words."""
    match found:
        case Number(type=kind, value=value):
            return f"the number {value} ({kind})"
        case Character(value=value):
            return f"the character {chr(value)!r}"
        case Text(value=value):
            return f"the text {decoded(value)[:40]!r}"
        case Hex(digits=digits):
            return f"the opaque value 0x{digits[:40]}"
        case Name(text=text):
            return f"the name {text[:40]!r}"
        case Fill():
            return "'_'"
        case Nil():
            return "NIL"


def _wanted(kind: NcType) -> str:
    match kind:
        case Enum(members=members):
            names = ", ".join(name for name, _ in members[:8])
            return f"a member of enum {kind} ({names}{', …' if len(members) > 8 else ''})"
        case Opaque(length=length):
            return f"0x and at most {2 * length} hexadecimal digits for type {kind}"
        case AtomicType() if kind is STRING:
            return "a text in double quotes"
        case AtomicType() if kind is CHAR:
            return "a text in double quotes or a character in single quotes"
        case AtomicType():
            return f"a number for type {kind}"
        case _:
            return f"values of type {kind} in braces"


def _member(kind: Enum, text: str) -> int | None:
    """Return the value of a member: by its name, or by `enum.name`, or by a path that ends so."""
    name = plain_name(text.rpartition("/")[2])
    members = dict(kind.members)
    return members.get(name, members.get(name.removeprefix(f"{kind.name}.")))


def _string(found: Text) -> str:
    if b"\0" in found.value:
        raise Unexpected(found.at, "a value of type string ends where its first NUL is; only char holds one")
    return decoded(found.value)


def _opaque(kind: Opaque, found: Hex) -> bytes:
    digits = found.digits + "0" * (len(found.digits) % 2)
    if len(digits) > 2 * kind.length:
        raise Unexpected(found.at, f"expected {_wanted(kind)}, found {len(found.digits)} digits")
    return bytes.fromhex(digits).ljust(kind.length, b"\0")


def _number(kind: AtomicType, found: Constant) -> int | float:
    match found:
        case Number(value=value):
            pass
        case Character(value=value):
            if kind is BYTE and value > 127:
                value -= 256
        case Hex(digits=digits) if kind.dtype.kind != "f":
            return _bits(kind, found, int(digits[-100:], 16))
        case _:
            raise Unexpected(found.at, f"expected {_wanted(kind)}, found {described(found)}")
    return _float(kind, value, found) if kind.dtype.kind == "f" else _integer(kind, value, found)


def _float(kind: AtomicType, value: int | float, found: Constant) -> float:
    number = float(value)
    with np.errstate(over="ignore"):
        stored = float(kind.dtype.type(number))
    if np.isinf(stored) and not np.isinf(number):
        raise Unexpected(found.at, f"{described(found)} is too large for type {kind}")
    return stored


def _integer(kind: AtomicType, value: int | float, found: Constant) -> int:
    if isinstance(value, float):
        if not value.is_integer():
            raise Unexpected(found.at, f"expected an integer for type {kind}, found {described(found)}")
        value = int(value)
    if kind is BYTE and 127 < value < 256:
        # As ncgen has it: the eight bits are what counts.
        value -= 256
    if not fits(kind, value):
        limits = np.iinfo(kind.dtype)
        raise Unexpected(
            found.at, f"{described(found)} does not fit type {kind}, {limits.min} to {limits.max}"
        )
    return value


def _bits(kind: AtomicType, found: Hex, value: int) -> int:
    """Return the integer whose bits are given: 0xFFFF is -1 for a short."""
    width = 8 * kind.size
    if value >> width:
        raise Unexpected(found.at, f"{described(found)} has more than the {width} bits of type {kind}")
    return value - (1 << width) if kind.dtype.kind == "i" and value >> (width - 1) else value
