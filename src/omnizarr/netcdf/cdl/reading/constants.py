"""The constants of CDL: what a token in a list of values stands for, before its type is known.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from omnizarr.netcdf.cdl.reading.tokens import Token, Unexpected
from omnizarr.netcdf.cdl.words import ESCAPES, FILL, NAMED_NUMBERS, NILS
from omnizarr.netcdf.model.types import (
    BY_NAME,
    BYTE,
    DOUBLE,
    FLOAT,
    INT,
    INT64,
    SHORT,
    UBYTE,
    UINT,
    UINT64,
    USHORT,
    AtomicType,
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number; `type` is what its suffix says, or its size."""

    type: AtomicType
    value: int | float
    at: int


@dataclass(frozen=True, slots=True)
class Character:
    """One byte in single quotes, which is a number of type byte as well."""

    value: int
    at: int


@dataclass(frozen=True, slots=True)
class Text:
    """Bytes in double quotes."""

    value: bytes
    at: int


@dataclass(frozen=True, slots=True)
class Hex:
    """Hexadecimal digits without a suffix: the bytes of an opaque value, or the bits of an integer."""

    digits: str
    at: int


@dataclass(frozen=True, slots=True)
class Name:
    """The name of an enum's member, as it is spelled."""

    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Fill:
    """`_`: whatever the fill value is."""

    at: int


@dataclass(frozen=True, slots=True)
class Nil:
    """`NIL`: no string."""

    at: int


Constant: TypeAlias = Number | Character | Text | Hex | Name | Fill | Nil

_INTEGER = re.compile(r"([+-]?)([0-9]+)([A-Za-z]*)")
_FLOAT = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)([fFdDlL]?)")
_HEX = re.compile(r"0[xX]([0-9A-Fa-f]+)([uU]?(?:[sS]|[lL]{0,2}))")
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|[xX][0-9A-Fa-f]{1,2}|.)", re.DOTALL)
# No integer of netCDF has as many digits, and Python refuses to read very many.
_MOST_DIGITS = 100

_SUFFIXES = {
    "b": BYTE,
    "ub": UBYTE,
    "s": SHORT,
    "us": USHORT,
    "l": INT,
    "u": UINT,
    "ul": UINT,
    "ll": INT64,
    "ull": UINT64,
}
_HEX_SUFFIXES = _SUFFIXES | {"l": UINT, "s": USHORT, "ll": UINT64}
_LIMITS = {
    code: (int(np.iinfo(code).min), int(np.iinfo(code).max))
    for code in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
}
_BY_LETTER = {letter.encode(): bytes([byte]) for byte, letter in ESCAPES.items()}
_BY_LETTER |= {b"a": b"\x07", b"?": b"\x7f"}


def constant(token: Token) -> Constant:
    """Return what a token stands for.

    Raises
    ------
    Unexpected
        It is no constant.
    """
    match token.kind:
        case "number":
            return _number(token)
        case "text":
            return Text(unescaped(token.text[1:-1]), token.at)
        case "character":
            return _character(token)
        case "name" | "path" | "signed":
            return _named(token)
        case _:
            raise Unexpected(token.at, f"expected a value, found {token}")


def plain_name(text: str) -> str:
    """Return a name without its backslashes."""
    if "\\" in text:
        text = re.sub(r"\\(.)", r"\1", text)
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def unescaped(text: str) -> bytes:
    """Return the bytes of a text in UTF-8, its escapes resolved."""
    data = text.encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(_meaning, data) if "\\" in text else data


def decoded(data: bytes) -> str:
    """Return text as the model has it: bytes that are not UTF-8 are surrogate escapes."""
    return data.decode("utf-8", "surrogateescape")


def smallest_type(value: int) -> AtomicType | None:
    """Return the type of an integer without a suffix: the first of int, uint, int64, uint64 that holds it."""
    return next((kind for kind in (INT, UINT, INT64, UINT64) if fits(kind, value)), None)


def fits(kind: AtomicType, value: int) -> bool:
    """Say whether an integer type holds a value."""
    lowest, highest = _LIMITS[kind.code]
    return lowest <= value <= highest


def _meaning(found: re.Match[bytes]) -> bytes:
    spelled = found[1]
    if spelled[:1].isdigit():
        return bytes([int(spelled, 8) & 0xFF]) if spelled[:1] < b"8" else spelled
    if len(spelled) > 1:
        return bytes([int(spelled[1:], 16)])
    return _BY_LETTER.get(spelled, spelled)


def _character(token: Token) -> Character:
    data = unescaped(token.text[1:-1])
    if len(data) != 1:
        raise Unexpected(token.at, f"expected a single byte, found {token} of {len(data)} bytes")
    return Character(data[0], token.at)


def _named(token: Token) -> Constant:
    if token.text == FILL:
        return Fill(token.at)
    if token.text in NILS:
        return Nil(token.at)
    sign = token.text[0] if token.kind == "signed" else ""
    found = NAMED_NUMBERS.get(token.text.removeprefix(sign))
    if found is not None:
        value = -found[1] if sign == "-" else found[1]
        return Number(BY_NAME[found[0]], value, token.at)
    if token.kind == "signed":
        raise Unexpected(token.at, f"expected a number, found {token}")
    return Name(token.text, token.at)


def _number(token: Token) -> Number | Hex:
    text = token.text
    if found := _HEX.fullmatch(text):
        return _hexadecimal(token, found[1], found[2].lower())
    if (found := _INTEGER.fullmatch(text)) and found[3].lower() not in ("f", "d"):
        return _integer(token, found[1] + found[2], found[3].lower())
    if found := _FLOAT.fullmatch(text):
        kind = FLOAT if found[2] in ("f", "F") else DOUBLE
        return Number(kind, in_range(float(found[1]), kind, token), token.at)
    raise Unexpected(token.at, f"expected a number, found {token}")


def in_range(value: float, kind: AtomicType, token: Token) -> float:
    """Return a finite number, which is too large where a type makes infinity of it."""
    with np.errstate(over="ignore"):
        if not np.isfinite(kind.dtype.type(value)):
            raise Unexpected(token.at, f"{token} is too large for type {kind}")
    return value


def _hexadecimal(token: Token, digits: str, suffix: str) -> Number | Hex:
    if not suffix:
        return Hex(digits, token.at)
    return _checked(token, int(digits[-_MOST_DIGITS:], 16), _HEX_SUFFIXES[suffix])


def _integer(token: Token, digits: str, suffix: str) -> Number:
    if suffix and suffix not in _SUFFIXES:
        raise Unexpected(token.at, f"expected a number, found {token}: there is no suffix {suffix!r}")
    if len(digits) > _MOST_DIGITS:
        raise Unexpected(
            token.at, f"{token} is too large for an integer; with a decimal point it is a double"
        )
    bare = digits.lstrip("+-")
    is_octal = len(bare) > 1 and bare[0] == "0"
    if is_octal and not set(bare) <= set("01234567"):
        raise Unexpected(token.at, f"expected octal digits behind the leading zero, found {token}")
    value = int(digits, 8 if is_octal else 10)
    kind = _SUFFIXES[suffix] if suffix else smallest_type(value)
    if suffix == "l" and not fits(INT, value):
        kind = INT64
    if kind is None:
        raise Unexpected(
            token.at, f"{token} is too large for an integer; with a decimal point it is a double"
        )
    return _checked(token, value, kind)


def _checked(token: Token, value: int, kind: AtomicType) -> Number:
    if kind is BYTE and 127 < value < 256:
        # As ncgen has it: the eight bits are what counts.
        value -= 256
    if not fits(kind, value):
        limits = np.iinfo(kind.dtype)
        raise Unexpected(token.at, f"{token} is not of type {kind}, {limits.min} to {limits.max}")
    return Number(kind, value, token.at)
