"""Codecs as the drafts after 2019 write them: a compressor, filters among the attributes, a list of codecs.

Drafts of October 2020 ("compressor") and of late 2022 ("codecs"); zarr-python 2 keeps filters in the
attribute `filters`, as Zarr v2 writes them.
"""

from __future__ import annotations

from collections.abc import Iterable

from omnizarr.jsontypes import Json, JsonObject, Problems, inside, read_list, read_object, read_string, shown
from omnizarr.metadata.chains import PREFIX, codec_to_v3
from omnizarr.metadata.extension import Extension, legacy_codec_name
from omnizarr.metadata.formats.drafts.compressor import as_numcodecs

FILTERS = "filters"


def read_compressor(value: Json, at: str, problems: Problems, named: str = "codec") -> JsonObject | None:
    """Return a compressor as Zarr v2 writes it: the name among the configuration, as `id`.

    Parameters
    ----------
    named
        The field with the URI of the codec.
    """
    if value is None:
        return None
    fields = read_object(value, at, problems, required=(named,), optional=("configuration",))
    uri = read_string(fields.get(named, ""), inside(at, named), problems)
    options = fields.get("configuration", {})
    if not isinstance(options, dict):
        problems.add(inside(at, "configuration"), f"expected an object, found {shown(options)}")
        options = {}
    name = legacy_codec_name(uri)
    if name is None:
        problems.add(inside(at, named), f"the codec {shown(uri)} is not known here", unsupported=True)
        return None
    return {"id": name, **as_numcodecs(name, options)}


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
        found = read_compressor(item, at, problems, "type")
        if found is None:
            continue
        name, options = str(found.pop("id")), found
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
