"""Codecs as the drafts after 2019 write them: a compressor, filters among the attributes, a list of codecs.

Drafts of October 2020 ("compressor") and of late 2022 ("codecs"); zarr-python 2 keeps filters in the
attribute `filters`, as Zarr v2 writes them.
"""

from __future__ import annotations

from collections.abc import Iterable

from omnizarr.jsontypes import Json, JsonObject, Problems, read_list
from omnizarr.metadata.chains import PREFIX, codec_to_v3
from omnizarr.metadata.extension import Extension
from omnizarr.metadata.formats.drafts.compressor import read_codec

FILTERS = "filters"


def read_compressor(value: Json, at: str, problems: Problems) -> JsonObject | None:
    """Return a compressor as Zarr v2 writes it: the name among the configuration, as `id`."""
    if value is None or (read := read_codec(value, at, problems)) is None:
        return None
    name, options = read
    return {"id": name, **options}


def split_filters(attributes: JsonObject) -> tuple[Json, JsonObject]:
    """Return the filters and the user's own attributes; what is no list of codecs is an attribute."""
    filters = attributes.get(FILTERS)
    if not isinstance(filters, list) or not filters:
        return None, attributes
    if not all(isinstance(item, dict) and isinstance(item.get("id"), str) for item in filters):
        return None, attributes
    return filters, {name: value for name, value in attributes.items() if name != FILTERS}


def with_codecs(
    chain: tuple[Extension, ...], codecs: Json, itemsize: int, problems: Problems
) -> tuple[Extension, ...]:
    """Return a chain in v3's idiom with a list of codecs added to it.

    `endian` says the byte order of numbers, little unless told otherwise; `transpose` comes before it.
    """
    result = list(chain)
    for i, item in enumerate(read_list(codecs, "codecs", problems)):
        at = f"codecs[{i}]"
        found = read_codec(item, at, problems, "type")
        if found is None:
            continue
        name, options = found
        serializer = next((place for place, codec in enumerate(result) if codec.name == "bytes"), len(result))
        if name == "transpose":
            result.insert(serializer, _transposition(options, chain, at, problems))
        elif name in ("endian", "bytes"):
            result[serializer : serializer + 1] = [Extension("bytes", options)]
        else:
            result.append(codec_to_v3(Extension(PREFIX + name, options), itemsize))
    return tuple(result)


def _transposition(options: JsonObject, chain: Iterable[Extension], at: str, problems: Problems) -> Extension:
    if any(codec.name == "transpose" for codec in chain):
        problems.add(at, "expected no transposition where chunk_memory_layout is F")
    return Extension("transpose", options)
