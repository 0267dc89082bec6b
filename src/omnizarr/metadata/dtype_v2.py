"""Data types as Zarr v2 documents name them: numpy's type strings, and lists of fields.

https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#data-type-encoding
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from omnizarr.errors import ConversionError, MetadataError
from omnizarr.jsontypes import Json, Problems, as_json, read_ints, read_string, shown
from omnizarr.metadata.dtype import OBJECT, PLAIN, DataType, check_size
from omnizarr.metadata.dtype_bits import has_custom
from omnizarr.metadata.dtype_numpy import data_type_of

_UNIT = r"\[(?:[1-9][0-9]{0,8})?[a-zA-Zμ]+\]"
_TYPE_STRING = re.compile(rf"[<>|](?:[biufcSUV][1-9][0-9]{{0,9}}|[mM]8?(?:{_UNIT})?)")
_LOOSE_TYPE_STRING = re.compile(rf"(?:[<>|=]?[a-zA-Z?][0-9]{{0,9}}|[a-z]+[0-9]*)(?:{_UNIT})?")
_EXTENDED = re.compile(r"[<>](?:f(?:10|12|16)|c(?:20|24|32)|g|G)")
_UNKNOWN = PLAIN["uint8"]

FIELDS = "fields"
"""Where the type of records with objects in them, which hdmf-zarr writes, keeps the list of its fields."""

# The object codecs that give objects a type of their own.
_OBJECT_TYPES = {"vlen-utf8": PLAIN["string"], "vlen-bytes": PLAIN["bytes"]}


def read_dtype(value: Json, object_codec: str | None, at: str, problems: Problems) -> DataType:
    """Read a type string or a list of fields; the object codec's id says what `|O` holds."""
    if value == "|O":
        return _OBJECT_TYPES.get(object_codec or "", OBJECT)
    if isinstance(value, str):
        found = _simple(value)
        if found is None and _EXTENDED.fullmatch(value):
            message = (
                f"{shown(value)} is numpy's long double, whose bytes mean other numbers on other machines"
            )
            problems.add(at, message, unsupported=True)
        elif found is None:
            problems.add(at, f'expected a numpy type string such as "<f8", found {shown(value)}')
        return found if found and check_size(found.dtype.itemsize, at, problems) else _UNKNOWN
    if not isinstance(value, list):
        problems.add(at, f"expected a type string or a list of fields, found {shown(value)}")
        return _UNKNOWN
    dtype = _read_fields(value, at, problems)
    if dtype is not None and dtype.hasobject:
        # Such records are objects as a whole, which a codec makes: memory is never taken for them.
        return DataType(OBJECT.name, OBJECT.dtype, {FIELDS: value})
    return _UNKNOWN if dtype is None else data_type_of(dtype)


def loose_dtype(value: Json) -> np.dtype[Any] | None:
    """Return the dtype of elements that a string spells as numpy takes it, or None.

    Numpy itself is asked only about what looks like a type: a unit of no length (`M8[0s]`) ends the process.
    """
    if not isinstance(value, str) or not _LOOSE_TYPE_STRING.fullmatch(value):
        return None
    try:
        return np.dtype(value.replace("μ", "u"))
    except (TypeError, ValueError):
        return None


def write_dtype(data_type: DataType) -> Json:
    """Return a type string, or a list of fields.

    Raises
    ------
    ConversionError
        Zarr v2 has no such type.
    """
    if data_type.is_variable:
        return data_type.configuration.get(FIELDS, "|O")
    if data_type.scalars is not None or has_custom(data_type.dtype):
        raise ConversionError(f"Zarr v2 has no data type {_named(data_type)}")
    if data_type.dtype.names is not None:
        return _write_fields(data_type.dtype)
    text = data_type.dtype.str
    if _simple(text) is None or (data_type.dtype.kind == "V" and not _is_raw(data_type)):
        raise ConversionError(f"Zarr v2 has no data type {data_type.name}")
    return text


def _named(data_type: DataType) -> str:
    inner = data_type.dtype.fields if data_type.scalars is None else None
    strange = [field[0].name for field in (inner or {}).values() if has_custom(field[0])]
    return f"{data_type.name} of {', '.join(strange)}" if strange else data_type.name


def _is_raw(data_type: DataType) -> bool:
    return data_type.name == "raw_bytes" or (data_type.name[:1] == "r" and data_type.name[1:].isdigit())


@lru_cache(1024)
def _simple(text: str) -> DataType | None:
    if not _TYPE_STRING.fullmatch(text):
        return None
    try:
        return data_type_of(np.dtype(text.replace("μ", "u")))
    except (TypeError, ValueError, MetadataError):
        return None


def _read_fields(items: list[Json], at: str, problems: Problems) -> np.dtype[Any] | None:
    if not items:
        problems.add(at, "expected one field at least")
    before = len(problems.found)
    fields = [_read_field(item, f"{at}[{i}]", problems) for i, item in enumerate(items)]
    names: set[str] = set()
    for i, (name, _) in enumerate(fields):
        if name in names:
            problems.add(f"{at}[{i}][0]", f"the name {shown(name)} is taken by another field")
        names.add(name)
    # Of a size that does not fit its 32 bits numpy makes a negative one.
    check_size(sum(dtype.itemsize for _, dtype in fields), at, problems)
    return np.dtype(fields) if fields and len(problems.found) == before else None


def _read_field(item: Json, at: str, problems: Problems) -> tuple[str, np.dtype[Any]]:
    if not isinstance(item, list) or len(item) not in (2, 3):
        problems.add(at, f"expected a name, a type and perhaps a shape, found {shown(item)}")
        return at, _UNKNOWN.dtype
    name = read_string(item[0], f"{at}[0]", problems)
    if not name:
        problems.add(f"{at}[0]", "expected a name that is not empty")
    dtype = _read_field_type(item[1], f"{at}[1]", problems)
    shape = read_ints(item[2], f"{at}[2]", problems, 1) if len(item) == 3 else ()
    if not shape or not check_size(dtype.itemsize * prod(shape), at, problems):
        return name, dtype
    return name, np.dtype((dtype, shape))


def _read_field_type(value: Json, at: str, problems: Problems) -> np.dtype[Any]:
    if isinstance(value, list):
        return _read_fields(value, at, problems) or _UNKNOWN.dtype
    if value == "|O":
        return OBJECT.dtype
    return read_dtype(value, None, at, problems).dtype


def _write_fields(dtype: np.dtype[Any]) -> list[Json]:
    return [_write_field(name, dtype[name]) for name in dtype.names or ()]


def _write_field(name: str, dtype: np.dtype[Any]) -> Json:
    base, shape = dtype.subdtype or (dtype, ())
    kind: Json = base.str if base.names is None else _write_fields(base)
    return [name, kind, as_json(shape)] if shape else [name, kind]
