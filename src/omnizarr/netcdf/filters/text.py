"""Filters as text: the special attributes `_Filter` and `_Codecs` of CDL.

https://docs.unidata.ucar.edu/netcdf-c/current/filters.html
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence

from omnizarr.errors import ConversionError
from omnizarr.jsontypes import Json, dump_json, parse_json, shown
from omnizarr.metadata.extension import Extension
from omnizarr.netcdf.filters.forms import from_codec, from_hdf5, read_filter, to_hdf5
from omnizarr.netcdf.filters.known import Filter, Fletcher32, Shuffle, Zlib

# CDL has attributes of their own for these.
_SHOWN_APART = (Zlib, Shuffle, Fletcher32)

_NUMBER = re.compile(
    r"([-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|0[xX][\da-fA-F]+))([a-zA-Z]*)"
)


def write_filter_attribute(filters: Sequence[Filter], itemsize: int = 0, chunk_bytes: int = 0) -> str:
    """Return the text of `_Filter`, as ncdump prints it: `32015,3|307,9`.

    Left out are deflate, shuffle and fletcher32, which ncdump prints as attributes of their own, and what
    HDF5 does not know. Empty where nothing is left.
    """
    written = []
    for entry in filters:
        form = None if isinstance(entry, _SHOWN_APART) else to_hdf5(entry, itemsize, chunk_bytes)
        if form is not None:
            written.append(",".join(map(str, (form[0], *form[1]))))
    return "|".join(written)


def read_filter_attribute(text: str) -> tuple[Filter, ...]:
    """Return the filters that the text of `_Filter` names, in the order of encoding.

    Raises
    ------
    ConversionError
        It is no list of numbers.
    """
    if text.strip().lower() in ("", "none"):
        return ()
    return tuple(_filter(part, text) for part in text.split("|"))


def write_codecs_attribute(filters: Sequence[Filter], itemsize: int = 0) -> str:
    """Return the text of `_Codecs`, as netCDF-C gives it: JSON, where the shuffle's item size is 0."""
    return "[" + ",".join(_spaced(entry.to_json(itemsize)) for entry in filters) + "]"


def read_codecs_attribute(text: str) -> tuple[Filter, ...]:
    """Return the filters that the text of `_Codecs` configures, as Zarr v2 or v3 does.

    Raises
    ------
    ConversionError
        It is no JSON of codecs.
    """
    try:
        found = parse_json(text.encode())
    except ValueError as error:
        raise ConversionError(f"_Codecs: expected JSON, found {shown(text)}: {error}") from error
    return tuple(map(_codec, found if isinstance(found, list) else [found]))


def _filter(part: str, text: str) -> Filter:
    number, *values = part.strip().strip("[]").split(",")
    if not number.strip().isdecimal():
        raise ConversionError(f"_Filter: expected the number of a filter, found {number!r} in {text!r}")
    return from_hdf5(int(number), [value for word in values for value in _parameters(word.strip(), text)])


def _parameters(word: str, text: str) -> tuple[int, ...]:
    """Return the unsigned integers that hold a constant: one, or two where it has 64 bits."""
    found = _NUMBER.fullmatch(word)
    if found is None:
        raise ConversionError(f"_Filter: expected a number, found {word!r} in {text!r}")
    digits, suffix = found[1], found[2].lower()
    try:
        if suffix == "f":
            return struct.unpack("<I", struct.pack("<f", float(digits)))
        if suffix == "d" or (
            not suffix and not digits.lstrip("+-").isdecimal() and "x" not in digits.lower()
        ):
            return struct.unpack("<II", struct.pack("<d", float(digits)))
        value = int(digits, 0 if "x" in digits.lower() else 10)
        if suffix in ("l", "ul", "ll", "ull"):
            return struct.unpack("<II", (value % 2**64).to_bytes(8, "little"))
    except (ValueError, OverflowError, struct.error) as error:
        raise ConversionError(f"_Filter: {word!r} in {text!r}: {error}") from error
    if suffix not in ("", "b", "ub", "s", "us", "u") or not -(2**31) <= value < 2**32:
        raise ConversionError(f"_Filter: expected a number of 32 bits, found {word!r} in {text!r}")
    return (value % 2**32,)


def _codec(value: Json) -> Filter:
    fields = value if isinstance(value, dict) else {}
    match fields.get("id"), fields.get("name"), fields.get("configuration", {}):
        case str(name), _, _:
            return read_filter(name, {key: item for key, item in fields.items() if key != "id"})
        case _, str(name), dict(options):
            return from_codec(Extension(name, options))
        case _:
            raise ConversionError(f"_Codecs: expected a codec with an id or a name, found {shown(value)}")


def _spaced(value: Json) -> str:
    """Return JSON with a space after each comma and colon, as netCDF-C prints it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_spaced(key)}: {_spaced(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_spaced, value)) + "]"
    return dump_json(value).decode()
