"""The chain of codecs as the drafts of v3 have it: a memory layout, a byte order, one compressor.

Draft of June 2019, "Chunks - memory layouts" and "Chunks - encoding".
"""

from __future__ import annotations

from omnizarr.errors import ConversionError
from omnizarr.jsontypes import Json, JsonObject, Problems, inside, read_object, read_string, shown
from omnizarr.metadata.chains import (
    PREFIX,
    codec_to_v2,
    codec_to_v3,
    is_fortran,
    numcodecs_id,
    reversal,
)
from omnizarr.metadata.extension import Extension, legacy_codec_name
from omnizarr.metadata.formats.drafts.uris import codec_uri

Chain = tuple[Extension, ...]


def read_chain(
    compressor: Json, layout: Json, order: str, itemsize: int, ndim: int, problems: Problems
) -> Chain:
    """Return the chain, in v3's idiom, of a `compressor` and a `chunk_memory_layout`."""
    codecs: list[Extension] = []
    if read_layout(layout, problems) == "F" and ndim > 1:
        codecs.append(reversal(ndim))
    codecs.append(Extension("bytes") if order == "none" else Extension("bytes", {"endian": order}))
    if compressor is not None and (read := read_codec(compressor, "compressor", problems)) is not None:
        name, options = read
        codecs.append(codec_to_v3(Extension(PREFIX + name, options), itemsize))
    return tuple(codecs)


def read_layout(value: Json, problems: Problems) -> Json:
    """Narrow to `"C"` or `"F"`; others are extensions, of which none is known here."""
    at = "chunk_memory_layout"
    if isinstance(value, dict) and isinstance(value.get("extension"), str):
        problems.add(at, f"the memory layout {shown(value['extension'])} is not known here", unsupported=True)
    elif value not in ("C", "F"):
        problems.add(at, f'expected "C" or "F", found {shown(value)}')
    return value


def read_codec(
    value: Json, at: str, problems: Problems, named: str = "codec"
) -> tuple[str, JsonObject] | None:
    """Return the name of a codec and its configuration, both as numcodecs has them; None where not known.

    Parameters
    ----------
    named
        The field with the URI of the codec.
    """
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
    return name, _as_numcodecs(name, options)


def _as_numcodecs(name: str, options: JsonObject) -> JsonObject:
    """Return a configuration as numcodecs has it: blosc's shuffle a number, without the item size."""
    if name != "blosc":
        return options
    shuffles: dict[Json, Json] = {"noshuffle": 0, "shuffle": 1, "bitshuffle": 2}
    shuffle = options.get("shuffle", 1)
    known = isinstance(shuffle, str) and shuffle in shuffles
    plain = {key: value for key, value in options.items() if key != "typesize"}
    return {**plain, "shuffle": shuffles[shuffle] if known else shuffle}


def write_chain(codecs: Chain) -> tuple[JsonObject | None, str, str]:
    """Return `compressor`, `chunk_memory_layout`, and the byte order.

    Raises
    ------
    ConversionError
        The draft has no such chain: it knows filters by an extension alone.
    """
    fortran = is_fortran(codecs)
    rest = codecs[1:] if fortran else codecs
    serializer, others = rest[:1], rest[1:]
    if not serializer or serializer[0].name != "bytes" or len(others) > 1:
        names = ", ".join(codec.name for codec in codecs)
        message = "a memory layout, a byte order and one compressor, found the codecs"
        raise ConversionError(f"the draft of 2019 holds {message} {names}")
    order = str(serializer[0].configuration.get("endian", "none"))
    compressor = _write_compressor(others[0]) if others else None
    return compressor, "F" if fortran else "C", order


def _write_compressor(codec: Extension) -> JsonObject:
    converted = codec_to_v2(codec)
    name = None if converted is None else numcodecs_id(converted)
    if converted is None or name is None or codec.name == "transpose":
        raise ConversionError(f"the draft of 2019 has no compressor {codec.name}")
    return {"codec": codec_uri(name), "configuration": converted.configuration}
