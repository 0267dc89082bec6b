"""The bytes of chunks, through every codec: the first byte of an input says which."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from fuzz.hierarchies import bounded
from fuzz.targets.v3_documents import named
from omnizarr.codecs.base import ChunkSpec
from omnizarr.codecs.chain import Chain, build_chain
from omnizarr.codecs.registry import parse_codec
from omnizarr.errors import OmniZarrError
from omnizarr.jsontypes import Problems

_LITTLE = named("bytes", endian="little")
_COMPRESSORS = (
    "gzip",
    "zstd",
    named("blosc", cname="zstd", clevel=5, shuffle="bitshuffle", typesize=4, blocksize=0),
    named("blosc", cname="lz4", clevel=5, shuffle="shuffle", typesize=4, blocksize=0),
    "crc32c",
    *(f"numcodecs.{name}" for name in ("gzip", "zlib", "zstd", "blosc", "lz4", "bz2", "lzma", "base64")),
    *(f"numcodecs.{name}" for name in ("crc32", "crc32c", "adler32", "fletcher32", "jenkins_lookup3")),
    {"id": "shuffle", "elementsize": 4},
    {"id": "szip", "mask": 141, "pixels_per_block": 16, "bits_per_pixel": 32, "pixels_per_scanline": 16},
    named("conditional", codecs=[named("gzip", level=1), named("zstd", level=1, checksum=False)]),
)
_OF_OBJECTS = (
    "vlen-utf8",
    "vlen-bytes",
    {"id": "vlen-array", "dtype": "<i4"},
    {"id": "json2"},
    {"id": "msgpack2"},
    {"id": "categorize", "labels": ["a", "b"], "dtype": "|O", "astype": "|u1"},
)
_OF_ARRAYS: tuple[Any, ...] = (
    named(
        "n5_default",
        codecs=[named("transpose", order=[1, 0]), named("bytes", endian="big"), named("gzip", level=1)],
    ),
    named("packbits", padding_encoding="last_byte"),
    "numcodecs.pcodec",
    {"id": "zfpy", "mode": 4, "tolerance": 0.5},
)


class _Kind(NamedTuple):
    codecs: tuple[Any, ...]
    dtype: str
    fill: Any
    is_v2: bool = False


_KINDS = (
    *(_Kind((_LITTLE, codec), "<i4", 0) for codec in _COMPRESSORS),
    *(_Kind((codec,), "O", "") for codec in _OF_OBJECTS),
    *(_Kind((codec, "gzip"), "O", "") for codec in _OF_OBJECTS),
    *(_Kind((codec,), "<f4" if "zfpy" in str(codec) else "<i4", 0) for codec in _OF_ARRAYS),
    _Kind(({"id": "delta", "dtype": "<i4"}, _LITTLE), "<i4", 0),
    _Kind((_LITTLE,), "?", False),
    _Kind((_LITTLE,), "<U3", ""),
)


@cache
def _chain(number: int) -> Chain | None:
    kind = _KINDS[number]
    problems = Problems()
    spec = ChunkSpec((4, 5), np.dtype(kind.dtype), kind.fill)
    # None where a package is not installed
    return build_chain([parse_codec(codec) for codec in kind.codecs], spec, "codecs", problems)


def seeds() -> Iterator[bytes]:
    """Yield a chunk of each chain."""
    items: dict[str, Any] = {"O": [f"text {i}" for i in range(20)], "?": [True, False] * 10}
    for number, kind in enumerate(_KINDS):
        chain = _chain(number)
        values = items.get(kind.dtype, range(20))
        if "categorize" in json.dumps(kind.codecs):
            values = ["a", "b"] * 10
        if "vlen-array" in json.dumps(kind.codecs):
            values = [np.arange(i, dtype="<i4") for i in range(20)]
        if "vlen-bytes" in json.dumps(kind.codecs):
            values = [b"bytes"] * 20
        array = np.empty(20, kind.dtype)
        array[:] = values
        with suppress(OmniZarrError):
            if chain is not None:
                yield bytes([number]) + bytes(chain.encode(array.reshape(4, 5)))


def run(data: bytes) -> None:
    """Decode a chunk, into memory of its own and into an array."""
    chain = _chain(data[0] % len(_KINDS)) if data else None
    if chain is None:
        return
    spec = chain.spec
    for out in (None, np.empty(spec.shape, spec.dtype)):
        with bounded(), suppress(OmniZarrError):
            found = chain.decode(data[1:], out)
            assert found.shape == spec.shape and found.dtype == spec.dtype, (found.shape, found.dtype)
