"""Names and values as CDL spells them.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

_SPECIAL = frozenset(" !\"#$&'()*,:;<=>?[]\\^`{|}~")
_ESCAPES = {
    0x08: "\\b",
    0x09: "\\t",
    0x0A: "\\n",
    0x0B: "\\v",
    0x0C: "\\f",
    0x0D: "\\r",
    0x22: '\\"',
    0x27: "\\'",
    0x5C: "\\\\",
}
_SUFFIXES = {
    "byte": "b",
    "ubyte": "UB",
    "short": "s",
    "ushort": "US",
    "int": "",
    "uint": "U",
    "int64": "LL",
    "uint64": "ULL",
}


def escaped_name(name: str) -> str:
    """Return a name with what CDL would misread escaped: a leading digit, punctuation, control characters."""
    text = "".join(map(_escaped_letter, name))
    return f"\\{text}" if name[:1].isascii() and name[:1].isdigit() else text


def _escaped_letter(letter: str) -> str:
    if letter in _SPECIAL:
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
    return '"' + "".join(map(_PLAIN.__getitem__, value.rstrip(b"\0"))) + '"'


def _decoded(latin: str) -> str:
    # Bytes that are no UTF-8 survive as surrogates, so that writing the text gives them back.
    return latin.encode("latin-1").decode("utf-8", "surrogateescape")


def _octal(byte: int) -> str:
    return f"\\{byte:03o}"


def _kept(byte: int) -> str:
    return _ESCAPES.get(byte) or (_octal(byte) if byte < 0x20 or byte == 0x7F else chr(byte))


def _plain(byte: int) -> str:
    if byte == 0x0A:
        return '\\n",\n    "'
    return _octal(byte) if byte >= 0x80 else _kept(byte)


_KEPT: Mapping[str, str] = {chr(byte): _kept(byte) for byte in range(256)}
_PLAIN = [_plain(byte) for byte in range(256)]


def attribute_number(type_name: str) -> Callable[[float], str]:
    """Return how numbers of an atomic type are spelled in attributes, where the suffix tells the type."""
    if type_name == "float":
        return lambda value: _pointed(value, 7, "f")
    if type_name == "double":
        return lambda value: _pointed(value, 15, "")
    suffix = _SUFFIXES[type_name]
    return lambda value: f"{value}{suffix}"


def data_number(type_name: str) -> Callable[[float], str]:
    """Return how numbers of an atomic type are spelled in the data section, where the type is known."""
    if type_name == "float":
        return lambda value: f"{value:.7g}" if math.isfinite(value) else _unbounded(value, "f")
    if type_name == "double":
        return lambda value: f"{value:.15g}" if math.isfinite(value) else _unbounded(value, "")
    return str


def _pointed(value: float, digits: int, suffix: str) -> str:
    if not math.isfinite(value):
        return _unbounded(value, suffix)
    number, e, exponent = f"{value:#.{digits}g}".partition("e")
    return number.rstrip("0") + e + exponent + suffix


def _unbounded(value: float, suffix: str) -> str:
    if math.isnan(value):
        return f"NaN{suffix}"
    return f"{'-' if value < 0 else ''}Infinity{suffix}"
