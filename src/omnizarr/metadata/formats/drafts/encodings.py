"""How the drafts' documents are encoded: JSON, or what the bootstrap document names.

Draft of June 2019, "Bootstrap metadata": protocol extensions can define other encodings for the documents
of groups and arrays. The bootstrap document itself is always JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from omnizarr.errors import ConversionError, Problem, UnsupportedError
from omnizarr.jsontypes import Json, as_json, dump_json, parse_json

JSON = "application/json"
MSGPACK = "application/msgpack"


@dataclass(frozen=True, slots=True)
class Encoding:
    """Documents to bytes and back; `parse` raises ValueError for bytes that are none of its own."""

    name: str
    dump: Callable[[Json], bytes]
    parse: Callable[[bytes], Json]


def _msgpack() -> Any:
    try:
        return import_module("msgpack")
    except ImportError as error:
        message = f"{MSGPACK} needs the package msgpack (pip install msgpack)"
        raise UnsupportedError([Problem("metadata_encoding", message, True)]) from error


def _dump_msgpack(document: Json) -> bytes:
    try:
        packed: bytes = _msgpack().packb(document, use_bin_type=True)
    except OverflowError as error:
        raise ConversionError(f"{MSGPACK} holds integers of 64 bits: {error}") from None
    return packed


def _parse_msgpack(data: bytes) -> Json:
    """Parse one document; what it claims to hold is bounded by the bytes that there are."""
    msgpack = _msgpack()
    try:
        return as_json(msgpack.unpackb(data, raw=False, strict_map_key=True))
    except TypeError as error:
        raise ValueError(f"no types of JSON: {error}") from None
    except (msgpack.exceptions.UnpackException, RecursionError) as error:
        raise ValueError(f"no document of msgpack: {error or type(error).__name__}") from None


_KNOWN: dict[str, Encoding] = {
    JSON: Encoding(JSON, dump_json, parse_json),
    MSGPACK: Encoding(MSGPACK, _dump_msgpack, _parse_msgpack),
}


def register_encoding(encoding: Encoding) -> None:
    """Make an encoding of documents known by its name, a media type or a URI."""
    _KNOWN[encoding.name] = encoding


def encoding_named(name: str) -> Encoding:
    """Return an encoding.

    Raises
    ------
    UnsupportedError
        It is not known here.
    """
    found = _KNOWN.get(name)
    if found is None:
        known = ", ".join(_KNOWN)
        message = f"the encoding {name!r} is not known here; known are {known}"
        raise UnsupportedError([Problem("metadata_encoding", message, True)])
    return found


def is_known(name: str) -> bool:
    """Say whether there is an encoding of this name."""
    return name in _KNOWN
