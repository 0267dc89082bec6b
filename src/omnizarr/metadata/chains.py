"""Codec chains between the idioms of Zarr v2 and v3.

A v2 chain: perhaps `transpose` (order F), then `bytes` that takes the byte order from the data type, or
an object codec, then `numcodecs.*` filters and compressor. A v3 chain: array to array codecs, one that
turns the array into bytes and knows their order, bytes to bytes codecs.

https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#metadata
https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#id23
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from omnizarr.jsontypes import Json, JsonObject, shown
from omnizarr.metadata.dtype import DataType
from omnizarr.metadata.dtype_v2 import loose_dtype
from omnizarr.metadata.extension import Extension

PREFIX = "numcodecs."

# Codecs that turn objects into bytes; those that v3 has too keep their names.
SHARED_OBJECT_CODECS = ("vlen-utf8", "vlen-bytes")
OBJECT_CODECS = (*SHARED_OBJECT_CODECS, "vlen-array", "json2", "msgpack2", "pickle", "categorize")

# Those that store the shape beside the elements, in C order whatever the `order` of the array says.
SHAPED_OBJECT_CODECS = ("json2", "msgpack2")

_ARRAY_FILTERS = ("delta", "fixedscaleoffset", "quantize", "bitround", "astype", "packbits")
_ARRAY_SERIALIZERS = ("pcodec", "zfpy")
# The configuration of a filter that names a data type: what goes in, and what comes out.
_TYPE_FIELDS = ("dtype", "decode_dtype", "astype", "encode_dtype")
_SHUFFLES = ("noshuffle", "shuffle", "bitshuffle")


class Chain(NamedTuple):
    """A converted chain; `same_bytes` where chunks hold the same bytes as before."""

    codecs: tuple[Extension, ...]
    data_type: DataType
    losses: tuple[str, ...] = ()
    same_bytes: bool = True


def numcodecs_id(codec: Extension) -> str | None:
    """Return the id that numcodecs knows a codec by, or None where it is none of theirs."""
    if codec.name in SHARED_OBJECT_CODECS:
        return codec.name
    return codec.name[len(PREFIX) :] if codec.name.startswith(PREFIX) else None


def reversal(ndim: int) -> Extension:
    """Return the codec that stores a chunk in Fortran order."""
    return Extension("transpose", {"order": list(range(ndim - 1, -1, -1))})


def is_v2_chain(codecs: tuple[Extension, ...]) -> bool:
    """Return whether a chain is in v2's idiom, so that v2 can hold it as it is."""
    fortran = is_fortran(codecs)
    rest = codecs[1:] if fortran else codecs
    if rest[:1] == (_BYTES,):
        rest = rest[1:]
    elif not any(numcodecs_id(codec) in OBJECT_CODECS for codec in rest) or (fortran and is_shaped(rest)):
        return False
    return all(codec.must_understand and numcodecs_id(codec) is not None for codec in rest)


def is_shaped(codecs: Iterable[Extension]) -> bool:
    """Return whether a chain stores shapes beside the elements, so that v2's `order` says nothing."""
    return any(numcodecs_id(codec) in SHAPED_OBJECT_CODECS for codec in codecs)


def is_fortran(codecs: tuple[Extension, ...]) -> bool:
    """Return whether a chain begins with the codec that stores a chunk in Fortran order."""
    if not codecs or codecs[0].name != "transpose":
        return False
    order = codecs[0].configuration.get("order")
    return isinstance(order, list) and len(order) > 1 and codecs[0] == reversal(len(order))


_BYTES = Extension("bytes")


# --- v2 to v3


def chain_to_v3(codecs: tuple[Extension, ...], data_type: DataType) -> Chain:
    """Return a chain in v3's idiom, and the data type in native byte order.

    A chain that is not in v2's idiom stays as it is, but for a byte order that `bytes` has to name.
    """
    native = data_type.with_byte_order("native")
    if not is_v2_chain(codecs):
        return Chain(_with_endian(codecs, data_type), native, tuple(_type_losses_to_v3(native)))
    at = next((i for i, codec in enumerate(codecs) if codec == _BYTES), None)
    if at is None:
        return _object_chain_to_v3(codecs, native)
    before, after = list(codecs[:at]), list(codecs[at + 1 :])
    stored = data_type
    while after and numcodecs_id(after[0]) in _ARRAY_FILTERS:
        stored = _filtered(after[0], stored)
        before.append(_with_order(after.pop(0), "native"))
    losses = _losses_to_v3(after, native)
    order = stored.byte_order
    if order == "mixed":
        losses.append("fields of different byte orders: all are written in one")
    serializer = _serializer(order)
    if after and numcodecs_id(after[0]) in _ARRAY_SERIALIZERS:
        serializer = after.pop(0)
    tail = [codec_to_v3(codec, stored.dtype.itemsize) for codec in after]
    return Chain((*before, serializer, *tail), native, tuple(losses), order != "mixed")


def _with_endian(codecs: tuple[Extension, ...], data_type: DataType) -> tuple[Extension, ...]:
    stored, result = data_type, []
    for codec in codecs:
        if numcodecs_id(codec) in _ARRAY_FILTERS:
            stored = _filtered(codec, stored)
        result.append(_serializer(stored.byte_order) if codec == _BYTES else codec)
    return tuple(result)


def _serializer(order: str) -> Extension:
    if order == "none":
        return _BYTES
    return Extension("bytes", {"endian": "big" if order == "big" else "little"})


def _object_chain_to_v3(codecs: tuple[Extension, ...], data_type: DataType) -> Chain:
    losses: list[str] = []
    if data_type.name == "object":
        losses.append("data type: Zarr v3 has no type for objects such as " + _ids(codecs))
    return Chain(tuple(codec_to_v3(codec, 1) for codec in codecs), data_type, tuple(losses))


def _ids(codecs: tuple[Extension, ...]) -> str:
    return ", ".join(shown(numcodecs_id(codec)) for codec in codecs if numcodecs_id(codec) in OBJECT_CODECS)


def _losses_to_v3(after: list[Extension], data_type: DataType) -> list[str]:
    misplaced = [codec for codec in after if numcodecs_id(codec) in _ARRAY_FILTERS]
    losses = [f"codec {codec.name}: it filters what another codec has made bytes" for codec in misplaced]
    return losses + _type_losses_to_v3(data_type)


def _type_losses_to_v3(data_type: DataType) -> list[str]:
    fields: Any = data_type.configuration.get("fields", [])
    has_arrays = any(isinstance(field, dict) and "shape" in field for field in _all_fields(fields))
    return ["data type: Zarr v3 has no fields that are arrays"] if has_arrays else []


def _all_fields(fields: list[Any]) -> list[Any]:
    inner = [f["data_type"]["configuration"]["fields"] for f in fields if _is_nested(f)]
    return [*fields, *(field for group in inner for field in _all_fields(group))]


def _is_nested(field: Any) -> bool:
    kind = field["data_type"] if isinstance(field, dict) else field[1]
    return isinstance(field, dict) and isinstance(kind, dict) and "fields" in kind.get("configuration", {})


def _filtered(codec: Extension, data_type: DataType) -> DataType:
    """Return what stands after a filter, as far as the order and the size of its items go."""
    if numcodecs_id(codec) == "packbits":
        return DataType("uint8", np.dtype("u1"))
    given = [codec.configuration[name] for name in _TYPE_FIELDS if name in codec.configuration]
    dtype = loose_dtype(given[-1]) if given else None
    return data_type if dtype is None else DataType(dtype.name, dtype)


def _with_order(codec: Extension, order: str) -> Extension:
    configuration = {
        name: _type_with_order(value, order) if name in _TYPE_FIELDS else value
        for name, value in codec.configuration.items()
    }
    return Extension(codec.name, configuration, codec.must_understand)


def _type_with_order(value: Json, order: str) -> Json:
    dtype = loose_dtype(value)
    if dtype is None:
        return value
    return DataType("", dtype).with_byte_order(order).dtype.str


def codec_to_v3(codec: Extension, itemsize: int) -> Extension:
    """Return a codec of bytes in v3's idiom, for elements of so many bytes."""
    options = codec.configuration
    match numcodecs_id(codec):
        case "zstd":
            checksum = bool(options.get("checksum", False))
            return Extension("zstd", {"level": options.get("level", 0), "checksum": checksum})
        case "gzip" if options.get("level", 1) in range(10):
            return Extension("gzip", {"level": options.get("level", 1)})
        case "crc32c" if options.get("location", "end") == "end":
            return Extension("crc32c")
        case "blosc":
            return _blosc_to_v3(options, itemsize) or codec
        case "shuffle" if options.get("elementsize", 4) == 0:
            return Extension(codec.name, {**options, "elementsize": itemsize})
    return codec


def _blosc_to_v3(options: JsonObject, itemsize: int) -> Extension | None:
    shuffle = options.get("shuffle", 1)
    if shuffle == -1:  # shuffle bits where items are bytes, else bytes
        shuffle = 2 if itemsize == 1 else 1
    if not isinstance(shuffle, int) or not 0 <= shuffle < len(_SHUFFLES):
        return None
    configuration: JsonObject = {
        "cname": options.get("cname", "lz4"),
        "clevel": options.get("clevel", 5),
        "shuffle": _SHUFFLES[shuffle],
        "typesize": max(1, min(itemsize, 255)),
        "blocksize": options.get("blocksize", 0),
    }
    return Extension("blosc", configuration)


# --- v3 to v2


def chain_to_v2(codecs: tuple[Extension, ...], data_type: DataType, ndim: int) -> Chain:
    """Return a chain in v2's idiom, and the data type in the byte order in which it is stored."""
    losses: list[str] = []
    head: list[Extension] = []
    rest = list(codecs)
    while rest and rest[0].name == "transpose":
        head, same = _merged(head, rest.pop(0), ndim)
        losses += [] if same else ["codec transpose: Zarr v2 has the orders C and F alone"]
    at = next((i for i, codec in enumerate(rest) if codec.name == "bytes"), None)
    order = "native" if at is None else str(rest[at].configuration.get("endian", "native"))
    tail: list[Extension] = []
    for i, codec in enumerate(rest):
        if i == at:
            continue
        converted = codec_to_v2(codec)
        if converted is None:
            losses.append(f"codec {codec.name}: Zarr v2 has no such codec")
        else:
            tail.append(converted if order == "native" else _with_order(converted, order))
    serializer = [] if data_type.is_variable else [_BYTES]
    stored = data_type if order == "native" else data_type.with_byte_order(order)
    reordered = bool(head) and data_type.is_variable and is_shaped(tail)
    chain = (*(() if reordered else head), *serializer, *tail)
    return Chain(chain, stored, tuple(losses), not losses and not reordered)


def _merged(head: list[Extension], codec: Extension, ndim: int) -> tuple[list[Extension], bool]:
    backwards = reversal(ndim)
    order = codec.configuration.get("order")
    if order in (list(range(ndim)), "C"):
        return head, True
    if order in (backwards.configuration["order"], "F"):
        return ([] if head else [backwards]), True
    return head, False


def codec_to_v2(codec: Extension) -> Extension | None:
    """Return a codec of bytes in v2's idiom, or None where v2 has none."""
    options = codec.configuration
    if numcodecs_id(codec) is not None:
        return codec
    match codec.name:
        case "gzip":
            return Extension(f"{PREFIX}gzip", {"level": options.get("level", 5)})
        case "zstd":
            checksum: JsonObject = {"checksum": True} if options.get("checksum") else {}
            return Extension(f"{PREFIX}zstd", {"level": options.get("level", 0), **checksum})
        case "crc32c":
            return Extension(f"{PREFIX}crc32c")
        case "blosc":
            return _blosc_to_v2(options)
    return None


def _blosc_to_v2(options: JsonObject) -> Extension:
    shuffle = options.get("shuffle", "noshuffle")
    configuration: JsonObject = {
        "cname": options.get("cname", "lz4"),
        "clevel": options.get("clevel", 5),
        "shuffle": _SHUFFLES.index(shuffle) if shuffle in _SHUFFLES else shuffle,
        "blocksize": options.get("blocksize", 0),
    }
    return Extension(f"{PREFIX}blosc", configuration)
