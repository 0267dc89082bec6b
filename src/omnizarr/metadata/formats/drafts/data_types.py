"""Data types as the draft of 2019 names them: codes of the core, and extensions with a fallback.

Draft of June 2019, "Core protocol - data types" and "Extension data types - fallback".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.jsontypes import Json, JsonObject, Problems, inside, read_object, read_string, shown
from omnizarr.metadata.dtype import PLAIN, DataType
from omnizarr.metadata.dtype_numpy import data_type_of
from omnizarr.metadata.dtype_v2 import read_dtype
from omnizarr.metadata.formats.drafts.uris import DATETIMES, same_extension

_CORE = re.compile(r"bool|[iu]1|[<>](?:[iu][248]|f[248])")
_FALLBACKS = ("extension", "type")


class StoredType(NamedTuple):
    """A data type in native byte order, and how chunks have it.

    Attributes
    ----------
    order
        `little`, `big` or `none`.
    instead_of
        The type of an unknown extension for which this one stands in; empty otherwise.
    """

    data_type: DataType
    order: str
    instead_of: str = ""


ReadType: TypeAlias = Callable[[str], StoredType | None]
WriteType: TypeAlias = Callable[[DataType, str], str | None]


@dataclass(frozen=True, slots=True)
class TypeExtension:
    """Types that an extension adds; each function returns None for what is none of them.

    Attributes
    ----------
    read
        From the `type` of a document.
    write
        From a data type and its byte order to that `type`.
    fallback
        The core type of the same size that readers without the extension use.
    """

    uri: str
    read: ReadType
    write: WriteType
    fallback: Callable[[DataType, str], str]


def read_data_type(value: Json, at: str, problems: Problems) -> StoredType:
    """Read a code of the core, or an extension; the result says where one that is not known fell back."""
    if isinstance(value, str) and _CORE.fullmatch(value):
        return _core(value)
    if not isinstance(value, dict):
        problems.add(
            at, f'expected a type such as "<f8", or an object with an extension, found {shown(value)}'
        )
        return StoredType(PLAIN["uint8"], "none")
    return _read_extension(value, at, problems)


def write_data_type(data_type: DataType, order: str) -> Json:
    """Return a code of the core, or an object with an extension.

    Raises
    ------
    ConversionError
        The draft has no such type.
    """
    code = _code(data_type.dtype.newbyteorder(">" if order == "big" else "<"))
    if PLAIN.get(data_type.name) is not None and _CORE.fullmatch(code):
        return code
    for extension in _KNOWN:
        if (written := extension.write(data_type, order)) is not None:
            fallback = extension.fallback(data_type, order)
            return {"extension": extension.uri, "type": written, "fallback": fallback}
    raise ConversionError(f"the draft of 2019 has no data type {data_type.name}")


def extension_type(uri: str, name: str) -> StoredType | None:
    """Return the type that a known extension gives a name, or None."""
    for extension in _KNOWN:
        if same_extension(extension.uri, uri) and (found := extension.read(name)) is not None:
            return found
    return None


def register_type_extension(extension: TypeExtension) -> None:
    """Make the types of an extension known, before those that are known already."""
    _KNOWN.insert(0, extension)


def _core(code: str) -> StoredType:
    dtype = np.dtype(code)
    order = {"<": "little", ">": "big"}.get(code[0], "none")
    return StoredType(data_type_of(dtype.newbyteorder("=")), order)


def _code(dtype: np.dtype[np.generic]) -> str:
    return "bool" if dtype.kind == "b" else dtype.str.removeprefix("|")


def _read_extension(value: JsonObject, at: str, problems: Problems) -> StoredType:
    fields = read_object(value, at, problems, required=_FALLBACKS, optional=("fallback", "configuration"))
    uri = read_string(fields.get("extension", ""), inside(at, "extension"), problems)
    name = read_string(fields.get("type", ""), inside(at, "type"), problems)
    fallback = _read_fallback(fields.get("fallback"), inside(at, "fallback"), problems)
    if (found := extension_type(uri, name)) is not None:
        if fallback is not None and fallback.data_type.dtype.itemsize != found.data_type.dtype.itemsize:
            problems.add(inside(at, "fallback"), f"expected a type of the size of {name}")
        return found
    if fallback is None:
        message = f"the type {shown(name)} of {uri} is not known here, and names no fallback"
        problems.add(at, message, unsupported=True)
        return StoredType(PLAIN["uint8"], "none")
    return fallback._replace(instead_of=f"the type {shown(name)} of {uri}")


def _read_fallback(value: Json, at: str, problems: Problems) -> StoredType | None:
    """Return the first type of the core that is named; later drafts name several, or null."""
    for choice in value if isinstance(value, list) else [value]:
        if isinstance(choice, str) and _CORE.fullmatch(choice):
            return _core(choice)
    if value is not None:
        problems.add(at, f'expected a type of the core such as "<i8", found {shown(value)}')
    return None


# --- dates and times


def _read_time(name: str) -> StoredType | None:
    if name[1:3] not in ("M8", "m8"):
        return None
    problems = Problems()
    found = read_dtype(name, None, "", problems)
    if problems or found.dtype.kind not in "mM":
        return None
    return StoredType(found.with_byte_order("native"), "big" if name[0] == ">" else "little")


def _write_time(data_type: DataType, order: str) -> str | None:
    if data_type.dtype.kind not in "mM":
        return None
    return data_type.dtype.newbyteorder(">" if order == "big" else "<").str


_KNOWN: list[TypeExtension] = [
    TypeExtension(
        DATETIMES, _read_time, _write_time, lambda data_type, order: ">i8" if order == "big" else "<i8"
    )
]
