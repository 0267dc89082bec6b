"""Names, texts and numbers as CDL spells them.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from omnizarr.netcdf.cdl.words import ESCAPES, SPECIAL_IN_NAMES, SUFFIXES

FLOAT_DIGITS, DOUBLE_DIGITS = 7, 15

# Rows of characters that need no escape are most of them; finding that out first is ten times as fast.
_ODD = re.compile(rb"[^ !#-&(-\[\]-~]")


def escaped_name(name: str) -> str:
    """Return a name with what CDL would misread escaped: a leading digit, punctuation, control characters."""
    text = "".join(map(_escaped_letter, name))
    return f"\\{text}" if name[:1].isascii() and name[:1].isdigit() else text


def escaped_path(path: str) -> str:
    """Return an absolute path with each name in it escaped."""
    return "/".join(map(escaped_name, path.split("/")))


def _escaped_letter(letter: str) -> str:
    if letter in SPECIAL_IN_NAMES:
        return "\\" + letter
    return f"\\%{ord(letter):02x}" if ord(letter) < 0x20 or ord(letter) == 0x7F else letter


def quoted(value: bytes) -> str:
    """Return text in quotes, without its trailing NULs; UTF-8 stays as it is."""
    return '"' + _decoded("".join(map(_KEPT.__getitem__, value.rstrip(b"\0").decode("latin-1")))) + '"'


def quoted_string(value: bytes) -> str:
    """Return one value of type `string`, which ends at its first NUL."""
    return quoted(value.split(b"\0", 1)[0])


def quoted_chars(value: bytes) -> str:
    """Return a row of characters in quotes: no trailing NULs, a new line after each newline, plain ASCII."""
    value = value.rstrip(b"\0")
    if _ODD.search(value) is None:
        return f'"{value.decode("ascii")}"'
    return '"' + "".join(map(_BROKEN.__getitem__, value)) + '"'


def quoted_field(value: bytes) -> str:
    """Return characters within a record in quotes, on one line: no trailing NULs, plain ASCII."""
    return '"' + "".join(map(_PLAIN.__getitem__, value.rstrip(b"\0"))) + '"'


def _decoded(latin: str) -> str:
    # Bytes that are no UTF-8 survive as surrogates, so that writing the text gives them back.
    return latin.encode("latin-1").decode("utf-8", "surrogateescape")


def _octal(byte: int) -> str:
    return f"\\{byte:03o}"


def _kept(byte: int) -> str:
    if byte in ESCAPES:
        return "\\" + ESCAPES[byte]
    return _octal(byte) if byte < 0x20 or byte == 0x7F else chr(byte)


def _plain(byte: int) -> str:
    return _octal(byte) if byte >= 0x80 else _kept(byte)


_KEPT: Mapping[str, str] = {chr(byte): _kept(byte) for byte in range(256)}
_PLAIN = [_plain(byte) for byte in range(256)]
_BROKEN = [text if byte != 0x0A else '\\n",\n    "' for byte, text in enumerate(_PLAIN)]


def attribute_number(
    type_name: str, float_digits: int = FLOAT_DIGITS, double_digits: int = DOUBLE_DIGITS
) -> Callable[[float], str]:
    """Return how numbers of an atomic type are spelled in attributes, where the suffix tells the type."""
    if type_name == "float":
        return lambda value: pointed(value, float_digits, "f") or unbounded(value, "f")
    if type_name == "double":
        return lambda value: pointed(value, double_digits, "") or unbounded(value, "")
    suffix = SUFFIXES[type_name]
    return lambda value: f"{value}{suffix}"


def pointed(value: float, digits: int, suffix: str) -> str:
    """Return a number with a point and no zeros behind its last digit; nothing where it is not finite."""
    if not math.isfinite(value):
        return ""
    number, e, exponent = f"{value:#.{digits}g}".partition("e")
    return number.rstrip("0") + e + exponent + suffix


def unbounded(value: float, suffix: str) -> str:
    """Return how NaN and infinities are spelled; the suffix tells float from double."""
    if math.isnan(value):
        return f"NaN{suffix}"
    return f"{'-' if value < 0 else ''}Infinity{suffix}"
