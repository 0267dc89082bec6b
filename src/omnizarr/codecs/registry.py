"""Codecs by name.

Entry points of the group `omnizarr.codecs` (name = codec name, value = `module:class`) extend the mapping;
so does `register`. Of what neither knows, numcodecs' registry is asked (`numcodecs.<id>`), which has entry
points of its own, and then the entry points that other packages have for zarr-python (`zarr.codecs`).
Modules are imported when a codec of theirs is first asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from omnizarr.codecs.base import Codec
from omnizarr.jsontypes import JsonObject, as_json, shown
from omnizarr.metadata.extension import Extension, legacy_codec_name
from omnizarr.plugins import Registry, loaded

_HERE = "omnizarr.codecs."

CODECS: dict[str, str | type[Codec]] = {
    "bytes": _HERE + "bytes:Bytes",
    "transpose": _HERE + "transpose:Transpose",
    "gzip": _HERE + "gzip:Gzip",
    "zstd": _HERE + "zstd:Zstd",
    "blosc": _HERE + "blosc:Blosc",
    "crc32c": _HERE + "crc32c:Crc32c",
    "packbits": _HERE + "packbits:PackBits",
    "bitround": _HERE + "bitround:BitRound",
    "reshape": _HERE + "reshape:Reshape",
    "cast_value": _HERE + "cast_value:CastValue",
    "scale_offset": _HERE + "scale_offset:ScaleOffset",
    "zfp": _HERE + "zfp:Zfp",
    "n5_default": _HERE + "n5_default:N5Default",
    "conditional": _HERE + "conditional:Conditional",
    "sharding_indexed": _HERE + "sharding:ShardingIndexed",
    "vlen-utf8": _HERE + "vlen:VlenUtf8",
    "vlen-bytes": _HERE + "vlen:VlenBytes",
    "vlen-array": _HERE + "vlen:VlenArray",
    "json2": _HERE + "objects:Json2",
    "msgpack2": _HERE + "objects:Msgpack2",
    "categorize": _HERE + "objects:Categorize",
    "pickle": _HERE + "objects:Pickle",
    "numcodecs.gzip": _HERE + "gzip:NumcodecsGzip",
    "numcodecs.zlib": _HERE + "gzip:Zlib",
    "numcodecs.zstd": _HERE + "zstd:NumcodecsZstd",
    "numcodecs.blosc": _HERE + "blosc:NumcodecsBlosc",
    "numcodecs.shuffle": _HERE + "shuffle:Shuffle",
    "numcodecs.lz4": _HERE + "numcodecs:Lz4",
    "numcodecs.bz2": _HERE + "numcodecs:Bz2",
    "numcodecs.lzma": _HERE + "numcodecs:Lzma",
    "numcodecs.base64": _HERE + "numcodecs:Base64",
    "numcodecs.pcodec": _HERE + "number_codecs:Pcodec",
    "numcodecs.zfpy": _HERE + "number_codecs:Zfpy",
    "numcodecs.szip": _HERE + "szip:Szip",
    "numcodecs.crc32": _HERE + "checksums:Crc32",
    "numcodecs.crc32c": _HERE + "checksums:Crc32c",
    "numcodecs.adler32": _HERE + "checksums:Adler32",
    "numcodecs.fletcher32": _HERE + "checksums:Fletcher32",
    "numcodecs.jenkins_lookup3": _HERE + "checksums:JenkinsLookup3",
    "numcodecs.delta": _HERE + "filters:Delta",
    "numcodecs.fixedscaleoffset": _HERE + "filters:FixedScaleOffset",
    "numcodecs.quantize": _HERE + "filters:Quantize",
    "numcodecs.bitround": _HERE + "filters:BitRound",
    "numcodecs.astype": _HERE + "filters:AsType",
    "numcodecs.packbits": _HERE + "filters:PackBits",
}

# Other spellings, in documents of older writers and by numcodecs' ids.
ALIASES: dict[str, str] = {
    "endian": "bytes",
    **{
        f"numcodecs.{name}": name
        for name in ("vlen-utf8", "vlen-bytes", "vlen-array", "json2", "msgpack2", "categorize", "pickle")
    },
}

REGISTRY: Registry[type[Codec]] = Registry("omnizarr.codecs", CODECS)

_CORE = ("gzip", "zstd", "blosc")


def register(name: str, codec: type[Codec]) -> None:
    """Make a codec known under a name, in place of any other."""
    REGISTRY.register(name, codec)


def codec_class(name: str) -> type[Codec] | None:
    """Return the class of a codec, or None where the name is not known."""
    name = canonical_name(name)
    found = REGISTRY.find(name)
    if found is None and name.startswith("numcodecs."):
        found = loaded(_HERE + "numcodecs:codec_class")(name)
    return found if found is not None else loaded(_HERE + "foreign:codec_class")(name)


def canonical_name(name: str) -> str:
    """Return the registered name of a codec: aliases and legacy URIs resolved."""
    name = legacy_codec_name(name) or name
    return ALIASES.get(name, name)


def parse_codec(codec: Any) -> Extension:
    """Return what a user gave as a codec: JSON, a name, a numcodecs object or one of ours.

    numcodecs' gzip, zstd and blosc become the codecs of the same name in Zarr v3; others, and what
    has no counterpart, `numcodecs.<id>`.

    Raises
    ------
    TypeError
        It is none of these.
    """
    if isinstance(codec, Extension):
        return codec
    if isinstance(codec, str):
        return Extension(codec)
    if isinstance(codec, Mapping):
        return _from_mapping(codec)
    if hasattr(codec, "get_config"):
        return _from_numcodecs(codec.get_config())
    if hasattr(codec, "to_json") and hasattr(codec, "name"):
        return Extension(codec.name, codec.to_json())
    if hasattr(codec, "to_dict"):  # zarr-python's codecs
        return _from_zarr_python(codec)
    raise TypeError(f"expected a codec, found {type(codec).__name__} {shown(codec)}")


def _from_mapping(codec: Mapping[str, Any]) -> Extension:
    if "id" in codec and "name" not in codec:
        return _from_numcodecs(codec)
    name, must_understand = codec.get("name"), codec.get("must_understand", True)
    if not isinstance(name, str) or not set(codec) <= {"name", "configuration", "must_understand"}:
        raise TypeError(f"expected a codec with a name and a configuration, found {shown(codec)}")
    configuration = as_json(dict(codec.get("configuration") or {}))
    assert isinstance(configuration, dict)
    return Extension(name, configuration, bool(must_understand))


def _from_zarr_python(codec: Any) -> Extension:
    """Leave out what stands for "as the array has it": blosc's item size and shuffle, until they are set."""
    document = codec.to_dict()
    open_still = getattr(codec, "_tunable_attrs", ())
    configuration = {k: v for k, v in document.get("configuration", {}).items() if k not in open_still}
    return _from_mapping({**document, "configuration": configuration})


def _from_numcodecs(config: Mapping[str, Any]) -> Extension:
    configuration = as_json({name: value for name, value in config.items() if name != "id"})
    assert isinstance(configuration, dict)
    name = config["id"]
    if name in _CORE:
        return Extension(name, _core_configuration(name, configuration))
    name = name if name.startswith("numcodecs.") else f"numcodecs.{name}"
    return Extension(ALIASES.get(name, name), configuration)


def _core_configuration(name: str, configuration: JsonObject) -> JsonObject:
    if name != "blosc":
        return configuration
    shuffle = configuration.get("shuffle", 1)
    names: dict[Any, str] = {0: "noshuffle", 1: "shuffle", 2: "bitshuffle"}
    # -1 lets blosc choose by the item size; v3 has no word for it.
    return {**configuration, "shuffle": names.get(shuffle, "shuffle")}
