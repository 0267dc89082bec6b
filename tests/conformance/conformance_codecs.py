"""The codecs of Zarr v3, as levels of the matrix: each a function from what is encoded to documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance_types import Kind

Shape = tuple[int, ...]
Documents = list[dict[str, Any]]


def codec(name: str, **configuration: Any) -> dict[str, Any]:
    """Return the document of a codec; those of numcodecs have a configuration in any case."""
    if configuration or name.startswith("numcodecs."):
        return {"name": name, "configuration": configuration}
    return {"name": name}


@dataclass(frozen=True, slots=True)
class Level:
    """A codec, or several.

    Attributes
    ----------
    documents
        Given a data type and the shape of what is encoded: the codecs.
    takes
        The data types it can encode; None for all of fixed size.
    loses
        Whether values come back as others.
    """

    documents: Callable[[Kind, Shape], Documents]
    takes: Callable[[Kind], bool] | None = None
    loses: bool = False


def _fixed(*codecs: dict[str, Any]) -> Level:
    return Level(lambda kind, shape: list(codecs))


def _named(*names: str) -> Callable[[Kind], bool]:
    return lambda kind: kind.document in names


def _numpy(kind: Kind) -> str:
    return kind.dtype.newbyteorder("<").str


def _with_dtype(name: str, **configuration: Any) -> Callable[[Kind, Shape], Documents]:
    return lambda kind, shape: [codec(name, dtype=_numpy(kind), **configuration)]


FLOATS = _named("float32", "float64")
INTEGERS = _named(*(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))


# --- array → array

BEFORE: dict[str, Level] = {
    "no filter": Level(lambda kind, shape: [], takes=lambda kind: True),
    "transpose": Level(
        lambda kind, shape: [codec("transpose", order=list(range(len(shape)))[::-1])], takes=lambda kind: True
    ),
    "reshape": Level(lambda kind, shape: [codec("reshape", shape=[-1])], takes=lambda kind: True),
    "bitround": Level(lambda kind, shape: [codec("bitround", keepbits=4)], FLOATS, loses=True),
    "scale_offset": Level(lambda kind, shape: [codec("scale_offset", offset=5, scale=2)], FLOATS, loses=True),
    "cast_value": Level(
        lambda kind, shape: [codec("cast_value", data_type="float64")], _named("int16", "uint8", "float32")
    ),
    "numcodecs.delta": Level(_with_dtype("numcodecs.delta"), INTEGERS),
    "numcodecs.fixedscaleoffset": Level(
        _with_dtype("numcodecs.fixedscaleoffset", offset=3, scale=10, astype="<i4"),
        _named("float32", "float64"),
        loses=True,
    ),
    "numcodecs.quantize": Level(_with_dtype("numcodecs.quantize", digits=1), FLOATS, loses=True),
    "numcodecs.bitround": Level(
        lambda kind, shape: [codec("numcodecs.bitround", keepbits=5)], FLOATS, loses=True
    ),
    "numcodecs.astype": Level(
        lambda kind, shape: [codec("numcodecs.astype", encode_dtype="<f8", decode_dtype=_numpy(kind))],
        _named("int16", "uint8", "float32"),
    ),
}

# --- array → bytes


def _bytes(endian: str) -> Level:
    def documents(kind: Kind, shape: Shape) -> Documents:
        if kind.is_variable:
            return [codec("vlen-utf8" if kind.document == "string" else "vlen-bytes")]
        return [codec("bytes", endian=endian)]

    return Level(documents, None if endian == "big" else lambda kind: True)


LITTLE, BIG, CRC32C = codec("bytes", endian="little"), codec("bytes", endian="big"), codec("crc32c")
GZIP = codec("gzip", level=1)


def halved(shape: Shape) -> Shape:
    """Return inner chunks: half as long where that divides."""
    return tuple(length // 2 if length % 2 == 0 else length for length in shape)


def _sharding(
    inner: Callable[[Kind, Shape], Documents] | None = None,
    location: str = "end",
    index: Any = (LITTLE, CRC32C),
) -> Callable[[Kind, Shape], Documents]:
    def documents(kind: Kind, shape: Shape) -> Documents:
        chunk = halved(shape)
        codecs = inner(kind, chunk) if inner is not None else _bytes("little").documents(kind, chunk)
        return [
            codec(
                "sharding_indexed",
                chunk_shape=list(chunk),
                codecs=codecs,
                index_codecs=list(index(shape) if callable(index) else index),
                index_location=location,
            )
        ]

    return documents


def _little_then(*after: dict[str, Any]) -> Callable[[Kind, Shape], Documents]:
    return lambda kind, shape: [*_bytes("little").documents(kind, shape), *after]


def _turned(kind: Kind, shape: Shape) -> Documents:
    return [*BEFORE["transpose"].documents(kind, shape), *_little_then(GZIP)(kind, shape[::-1])]


def _turned_index(shape: Shape) -> Documents:
    return [codec("transpose", order=list(range(len(shape) + 1))[::-1]), LITTLE, CRC32C]


SERIAL: dict[str, Level] = {
    "little": _bytes("little"),
    "big": _bytes("big"),
    "sharded": Level(_sharding(), lambda kind: True),
    "sharded, index at the start": Level(_sharding(location="start"), lambda kind: True),
    "sharded, gzip and crc32c within": Level(_sharding(_little_then(GZIP, CRC32C)), lambda kind: True),
    "sharded, transpose within": Level(_sharding(_turned), lambda kind: True),
    "sharded, big index without a checksum": Level(_sharding(index=(BIG,)), lambda kind: True),
    "sharded, transpose in the index": Level(_sharding(index=_turned_index), lambda kind: True),
    "sharded twice": Level(_sharding(_sharding(location="start")), lambda kind: True),
    "packbits": Level(
        lambda kind, shape: [codec("packbits", padding_encoding="first_byte")],
        _named("bool", "int2", "int4", "uint2", "uint4", "uint8"),
    ),
    "numcodecs.packbits": Level(
        lambda kind, shape: [codec("numcodecs.packbits"), codec("bytes")], _named("bool")
    ),
    "numcodecs.pcodec": Level(
        lambda kind, shape: [codec("numcodecs.pcodec", level=8)], _named("int32", "float32", "uint64")
    ),
    "zfp": Level(
        lambda kind, shape: [codec("zfp", mode="reversible")], _named("int32", "int64", "float32", "float64")
    ),
}

# --- bytes → bytes

CNAMES = ("lz4", "lz4hc", "blosclz", "zstd", "zlib", "snappy")
SHUFFLES = ("noshuffle", "shuffle", "bitshuffle")


def blosc(cname: str, shuffle: str) -> Level:
    """Return blosc for elements of a size."""

    def documents(kind: Kind, shape: Shape) -> Documents:
        size = 1 if kind.is_variable else kind.dtype.itemsize
        return [codec("blosc", cname=cname, clevel=5, shuffle=shuffle, typesize=size, blocksize=0)]

    return Level(documents, lambda kind: True)


def _any(*codecs: dict[str, Any]) -> Level:
    return Level(lambda kind, shape: list(codecs), lambda kind: True)


AFTER: dict[str, Level] = {
    "uncompressed": _any(),
    "gzip": _any(codec("gzip", level=5)),
    "zstd": _any(codec("zstd", level=3, checksum=False)),
    "zstd with a checksum": _any(codec("zstd", level=1, checksum=True)),
    **{f"blosc {cname}": blosc(cname, "shuffle") for cname in CNAMES},
    "blosc without shuffle": blosc("lz4", "noshuffle"),
    "blosc bitshuffle": blosc("zstd", "bitshuffle"),
    "crc32c": _any(CRC32C),
    "gzip then crc32c": _any(GZIP, CRC32C),
    "numcodecs.zlib": _any(codec("numcodecs.zlib", level=2)),
    "numcodecs.gzip": _any(codec("numcodecs.gzip", level=2)),
    "numcodecs.bz2": _any(codec("numcodecs.bz2", level=2)),
    "numcodecs.lzma": _any(codec("numcodecs.lzma", preset=1)),
    "numcodecs.lz4": _any(codec("numcodecs.lz4", acceleration=1)),
    "numcodecs.zstd": _any(codec("numcodecs.zstd", level=2)),
    "numcodecs.blosc": _any(codec("numcodecs.blosc", cname="zstd", clevel=3, shuffle=2)),
    "numcodecs.shuffle": _any(codec("numcodecs.shuffle", elementsize=4)),
    "numcodecs.crc32": _any(codec("numcodecs.crc32")),
    "numcodecs.crc32c": _any(codec("numcodecs.crc32c")),
    "numcodecs.adler32": _any(codec("numcodecs.adler32")),
    "numcodecs.fletcher32": _any(codec("numcodecs.fletcher32")),
    "numcodecs.jenkins_lookup3": _any(codec("numcodecs.jenkins_lookup3")),
}
