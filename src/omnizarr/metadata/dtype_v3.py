"""Data types as Zarr v3 documents name them.

https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html
https://github.com/zarr-developers/zarr-extensions/tree/main/data-types
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from omnizarr.jsontypes import (
    Json,
    JsonObject,
    Problems,
    inside,
    read_int,
    read_list,
    read_object,
    read_string,
    shown,
)
from omnizarr.metadata.dtype import LARGEST, PLAIN, DataType, check_size
from omnizarr.metadata.extension import UNREADABLE, Extension, read_extension
from omnizarr.metadata.small_names import COMPLEX, FLOATS, INTEGERS
from omnizarr.plugins import Registry

_RAW = re.compile(r"r([1-9][0-9]{0,19})")
_MAX_LENGTH = 2**31 - 1  # numpy's largest item
_UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "μs", "ns", "ps", "fs", "as", "generic")

# What stands in for a type that could not be read, so that reading can go on.
_UNKNOWN = PLAIN["uint8"]


def read_data_type(value: Json, at: str, problems: Problems) -> DataType:
    """Read a name, or an object with a name and a configuration."""
    if type(value) is str:
        found = PLAIN.get(value)
        if found is not None:
            return found
    extension = read_extension(value, at, problems)
    if extension is UNREADABLE:
        return _UNKNOWN
    if extension.name in PLAIN:
        read_object(extension.configuration, inside(at, "configuration"), problems)
        return PLAIN[extension.name]
    return _configured(extension, at, problems)


def write_data_type(data_type: DataType) -> Json:
    """Return a name, or an object where there is a configuration."""
    if not data_type.configuration:
        return data_type.name
    return {"name": data_type.name, "configuration": data_type.configuration}


def _configured(extension: Extension, at: str, problems: Problems) -> DataType:
    name, configuration = extension.name, extension.configuration
    place = inside(at, "configuration")
    raw = _RAW.fullmatch(name)
    if raw:
        read_object(configuration, place, problems)
        return _read_raw(int(raw[1]), at, problems)
    reader = DATA_TYPES.find(name)
    if reader is None:
        problems.add(at, f"the data type {shown(name)} is not known here", unsupported=True)
        return _UNKNOWN
    return reader(name, configuration, place, problems)


def _read_raw(bits: int, at: str, problems: Problems) -> DataType:
    if bits % 8:
        problems.add(at, f"expected r and a multiple of 8 bits, found r{bits}")
        return _UNKNOWN
    if not check_size(bits // 8, at, problems):
        return _UNKNOWN
    return DataType(f"r{bits}", np.dtype((np.void, bits // 8)))


def _read_time(name: str, configuration: JsonObject, at: str, problems: Problems) -> DataType:
    fields = read_object(configuration, at, problems, required=("unit", "scale_factor"))
    unit = read_string(fields.get("unit", "s"), inside(at, "unit"), problems, _UNITS)
    factor = read_int(fields.get("scale_factor", 1), inside(at, "scale_factor"), problems, 1, _MAX_LENGTH)
    unit = "us" if unit == "μs" else unit
    name = name if name.startswith("numpy.") else f"numpy.{name}"
    code = "M8" if name == "numpy.datetime64" else "m8"
    dtype = np.dtype(code if unit == "generic" else f"{code}[{factor}{unit}]")
    return DataType(name, dtype, {"unit": unit, "scale_factor": factor})


def _read_length(configuration: JsonObject, at: str, problems: Problems) -> int:
    fields = read_object(configuration, at, problems, required=("length_bytes",))
    return read_int(fields.get("length_bytes", 4), inside(at, "length_bytes"), problems, 1, LARGEST)


def _read_text(name: str, configuration: JsonObject, at: str, problems: Problems) -> DataType:
    length = _read_length(configuration, at, problems)
    if length % 4 and not problems:
        problems.add(inside(at, "length_bytes"), f"expected a multiple of 4, found {length}")
    return DataType(name, np.dtype(f"U{max(1, length // 4)}"), {"length_bytes": length})


def _read_bytes(name: str, configuration: JsonObject, at: str, problems: Problems) -> DataType:
    length = _read_length(configuration, at, problems)
    return DataType(name, np.dtype(f"S{length}"), {"length_bytes": length})


def _read_void(name: str, configuration: JsonObject, at: str, problems: Problems) -> DataType:
    length = _read_length(configuration, at, problems)
    return DataType(name, np.dtype((np.void, length)), {"length_bytes": length})


def _read_struct(name: str, configuration: JsonObject, at: str, problems: Problems) -> DataType:
    document = read_object(configuration, at, problems, required=("fields",))
    place = inside(at, "fields")
    items = read_list(document.get("fields", []), place, problems)
    if not items:
        problems.add(place, "expected one field at least")
    fields = [_read_field(item, f"{place}[{i}]", problems) for i, item in enumerate(items)]
    names: set[str] = set()
    for i, (field_name, _) in enumerate(fields):
        if field_name in names:
            problems.add(f"{place}[{i}]", f"the name {shown(field_name)} is taken by another field")
            return _UNKNOWN
        names.add(field_name)
    # Of a size that does not fit its 32 bits numpy makes a negative one.
    if not check_size(sum(kind.dtype.itemsize for _, kind in fields), place, problems):
        return _UNKNOWN
    dtype: np.dtype[Any] = np.dtype([(field_name, kind.dtype) for field_name, kind in fields])
    written: list[Json] = [_write_field(name, *field) for field in fields]
    return DataType(name, dtype, {"fields": written}) if written else _UNKNOWN


def _read_field(value: Json, at: str, problems: Problems) -> tuple[str, DataType]:
    if isinstance(value, list):  # the older form: a pair
        if len(value) != 2:
            problems.add(at, f"expected a name and a data type, found {shown(value)}")
            return at, _UNKNOWN
        name_at, type_at, document = f"{at}[0]", f"{at}[1]", {"name": value[0], "data_type": value[1]}
    else:
        document = read_object(value, at, problems, required=("name", "data_type"))
        name_at, type_at = inside(at, "name"), inside(at, "data_type")
    name = read_string(document.get("name", at), name_at, problems)
    if not name:
        problems.add(name_at, "expected a name that is not empty")
    kind = read_data_type(document.get("data_type", "uint8"), type_at, problems)
    if kind.is_variable:
        problems.add(type_at, f"expected a type of fixed size, found {kind.name}")
        kind = _UNKNOWN
    return name or at, kind


def _write_field(struct: str, name: str, kind: DataType) -> Json:
    written = write_data_type(kind)
    return [name, written] if struct == "structured" else {"name": name, "data_type": written}


def _read_in_bits(name: str, configuration: JsonObject, at: str, problems: Problems) -> DataType:
    """Read a type as it was first proposed: its length in bits."""
    fields = read_object(configuration, at, problems, required=("length_bits",))
    place = inside(at, "length_bits")
    bits = read_int(fields.get("length_bits", 32), place, problems, 1, 8 * LARGEST)
    if bits % 8:
        problems.add(place, f"expected a multiple of 8, found {bits}")
        return _UNKNOWN
    now, reader = _IN_BITS[name]
    return reader(now, {"length_bytes": bits // 8}, at, problems)


Reader: TypeAlias = Callable[[str, JsonObject, str, Problems], DataType]

_IN_BITS: dict[str, tuple[str, Reader]] = {
    "fixed-length-ascii": ("null_terminated_bytes", _read_bytes),
    "fixed-length-bytes": ("raw_bytes", _read_void),
    "fixed-length-ucs4": ("fixed_length_utf32", _read_text),
}

_OTHER_NAMES = {"complex_float32": "complex64", "complex_float64": "complex128"}


def _read_other_name(name: str, configuration: JsonObject, at: str, problems: Problems) -> DataType:
    read_object(configuration, at, problems)
    return PLAIN[_OTHER_NAMES[name]]


_SMALL = "omnizarr.metadata.dtype_small:read_small"

# Every type but those of `PLAIN` and `r<bits>`, by name.
_READERS: dict[str, str | Reader] = {
    "fixed_length_utf32": _read_text,
    "null_terminated_bytes": _read_bytes,
    "raw_bytes": _read_void,
    "numpy.datetime64": _read_time,
    "numpy.timedelta64": _read_time,
    "datetime64": _read_time,  # as they were first proposed
    "timedelta64": _read_time,
    **dict.fromkeys(_IN_BITS, _read_in_bits),
    **dict.fromkeys(_OTHER_NAMES, _read_other_name),
    "struct": _read_struct,
    "structured": _read_struct,
    **dict.fromkeys((*INTEGERS, *FLOATS, *COMPLEX), _SMALL),
}

DATA_TYPES: Registry[Reader] = Registry("omnizarr.data_types", _READERS)


def register_data_type(name: str, reader: Reader) -> None:
    """Make a data type known: `reader(name, configuration, at, problems)` returns it.

    Faults of the configuration go to `problems`, with locations that start with `at`. Entry points of
    the group `omnizarr.data_types` do the same.
    """
    DATA_TYPES.register(name, reader)
