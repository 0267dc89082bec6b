"""The codecs of a new array, from the arguments `filters`, `serializer`, `compressors` and `shards`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias

from omnizarr.codecs.registry import canonical_name, codec_class, parse_codec
from omnizarr.jsontypes import Json, Problems
from omnizarr.metadata.chains import OBJECT_CODECS, PREFIX, SHARED_OBJECT_CODECS, chain_to_v2, reversal
from omnizarr.metadata.dtype import DataType
from omnizarr.metadata.extension import Extension

Codecs: TypeAlias = "Literal['auto'] | Any | Iterable[Any] | None"

# What zarr-python writes unless told otherwise: level 0 stands for zstd's own choice, 3.
ZSTD = Extension("zstd", {"level": 0, "checksum": False})
# The compressor that the draft of 2019 names itself, as its example has it.
GZIP = Extension("gzip", {"level": 1})
_BYTES = Extension("bytes")
_LITTLE = Extension("bytes", {"endian": "little"})
BIG = Extension("bytes", {"endian": "big"})
_SERIALIZERS = {"string": "vlen-utf8", "bytes": "vlen-bytes", "variable_length_bytes": "vlen-bytes"}


class CodecArguments(NamedTuple):
    """What the user asked for; `"auto"` chooses, None is none."""

    filters: Codecs = "auto"
    serializer: Any = "auto"
    compressors: Codecs = "auto"
    reverse: bool = False


def codecs_of_v3(arguments: CodecArguments, data_type: DataType, ndim: int) -> tuple[Extension, ...]:
    """Return a v3 chain.

    Raises
    ------
    MetadataError
        A codec's configuration is not right.
    TypeError
        Something given is no codec.
    """
    problems = Problems()
    filters = _listed(arguments.filters, (), "filters", data_type, problems)
    compressors = _listed(arguments.compressors, (ZSTD,), "compressors", data_type, problems)
    if isinstance(arguments.serializer, str) and arguments.serializer == "auto":
        # An object codec among the filters, where v2 has it, is the serializer.
        given = [codec for codec in filters if canonical_name(codec.name) in OBJECT_CODECS]
        filters = tuple(codec for codec in filters if codec not in given)
        serializer = given[0] if given else default_serializer(data_type)
    else:
        serializer = _completed(arguments.serializer, "serializer", data_type, problems)
    problems.check()
    first = (reversal(ndim),) if arguments.reverse and ndim > 1 else ()
    return (*first, *filters, serializer, *compressors)


def codecs_of_v2(arguments: CodecArguments, data_type: DataType, ndim: int) -> tuple[Extension, ...]:
    """Return a v2 chain: filters and one compressor, after `bytes` or an object codec.

    Raises
    ------
    MetadataError
        A codec's configuration is not right, there are two compressors, or Zarr v2 has no such codec.
    TypeError
        Something given is no codec.
    """
    problems = Problems()
    filters = _listed(arguments.filters, (), "filters", data_type, problems)
    compressors = _listed(arguments.compressors, (ZSTD,), "compressors", data_type, problems)
    if len(compressors) > 1:
        problems.add("compressors", f"Zarr v2 has one compressor, found {len(compressors)}")
    if not isinstance(arguments.serializer, str) and arguments.serializer is not None:
        problems.add("serializer", "Zarr v2 has no serializers; an object codec is one of the filters")
    problems.check()
    if not data_type.is_variable:
        filters = (_BYTES, *filters)
    elif not any(canonical_name(codec.name) in OBJECT_CODECS for codec in filters):
        filters = (default_serializer(data_type), *filters)
    first = (reversal(ndim),) if arguments.reverse and ndim > 1 else ()
    chain = chain_to_v2((*first, *map(_named_for_v2, filters), *compressors), data_type, ndim)
    for loss in chain.losses:
        problems.add("", loss)
    problems.check()
    return chain.codecs


def _named_for_v2(codec: Extension) -> Extension:
    name = canonical_name(codec.name)
    if name not in OBJECT_CODECS or name in SHARED_OBJECT_CODECS:
        return codec
    return replace(codec, name=PREFIX + name)


def default_serializer(data_type: DataType) -> Extension:
    """Return how elements become bytes unless the user says otherwise."""
    if data_type.is_variable:
        return Extension(_SERIALIZERS.get(data_type.name, "vlen-bytes"))
    return _BYTES if data_type.byte_order == "none" else _LITTLE


def object_type(filters: Codecs) -> str | None:
    """Return the name of the data type that an object codec among the filters means, or None."""
    for given in _items(filters):
        name = canonical_name(parse_codec(given).name)
        if name in OBJECT_CODECS:
            return {"vlen-utf8": "string", "vlen-bytes": "bytes"}.get(name, "object")
    return None


def sharded(codecs: tuple[Extension, ...], chunk_shape: tuple[int, ...], at: str = "end") -> Extension:
    """Return the codec that stores chunks, each encoded by `codecs`, in shards."""
    index: list[Json] = [_LITTLE.to_json(), {"name": "crc32c"}]
    return Extension(
        "sharding_indexed",
        {
            "chunk_shape": list(chunk_shape),
            "codecs": [codec.to_json() for codec in codecs],
            "index_codecs": index,
            "index_location": at,
        },
    )


def _listed(
    given: Codecs, default: tuple[Extension, ...], at: str, data_type: DataType, problems: Problems
) -> tuple[Extension, ...]:
    if isinstance(given, str) and given == "auto":
        return default
    items = _items(given)
    return tuple(_completed(item, f"{at}[{i}]", data_type, problems) for i, item in enumerate(items))


def _items(given: Codecs) -> list[Any]:
    if given is None or (isinstance(given, str) and given == "auto"):
        return []
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        return [given]
    return list(given)


def _completed(given: Any, at: str, data_type: DataType, problems: Problems) -> Extension:
    """Return a codec with every option written out, for readers that know other defaults."""
    codec = parse_codec(given)
    options = codec.configuration
    if codec.name == "blosc" and "typesize" not in options:
        options = {**options, "typesize": max(1, min(data_type.dtype.itemsize, 255))}
    found = codec_class(codec.name)
    if found is None:
        if codec.must_understand:
            problems.add(at, f"unknown codec {codec.name!r}", unsupported=True)
        return codec
    known = found.from_json(options, f"{at}.configuration", problems)
    return Extension(codec.name, known.to_json(), codec.must_understand)
