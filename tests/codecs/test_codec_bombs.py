"""Bytes that promise or become far more than they may, and take no memory for it."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from typing import Any

import numcodecs
import numpy as np
import pytest
import zstandard

from omnizarr.codecs.chain import Chain
from omnizarr.errors import CodecError

ChainOf = Callable[..., Chain]

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
SMALL = np.zeros(1000, "<i4")
BOMB = bytes(64 * 2**20)
MOST = 4 * 2**20


def refused(chain: Chain, data: bytes) -> None:
    """Decode to a CodecError, within little memory."""
    tracemalloc.start()
    try:
        for out in (None, np.empty(chain.spec.shape, chain.spec.dtype)):
            with pytest.raises(CodecError):
                chain.decode(data, out)
        assert tracemalloc.get_traced_memory()[1] < MOST
    finally:
        tracemalloc.stop()


def unsized(data: bytes) -> bytes:
    """Return a zstd frame that does not tell its size."""
    stream = zstandard.ZstdCompressor().compressobj()
    return stream.compress(data) + stream.flush()


BOMBS: dict[str, tuple[str, dict[str, Any], Callable[[], bytes]]] = {
    "gzip": ("gzip", {}, lambda: gzip.compress(BOMB)),
    "gzip members": ("gzip", {}, lambda: gzip.compress(bytes(4000)) * 1000),
    "zlib": ("numcodecs.zlib", {}, lambda: zlib.compress(BOMB)),
    "zstd": ("zstd", {}, lambda: zstandard.compress(BOMB)),
    "zstd without size": ("zstd", {}, lambda: unsized(BOMB)),
    "zstd frames": ("zstd", {}, lambda: zstandard.compress(bytes(1000)) * 1000),
    "zstd that lies": ("zstd", {}, lambda: b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", 2**40) + b"\x01\0\0"),
    "blosc": ("blosc", {}, lambda: numcodecs.Blosc().encode(BOMB)),
    "blosc that lies": (
        "blosc",
        {},
        lambda: struct.pack("<4B3I", 2, 1, 1, 4, 2**31 - 1, 2**31 - 1, 20) + bytes(4),
    ),
    "lz4": ("numcodecs.lz4", {}, lambda: numcodecs.LZ4().encode(BOMB)),
    "lz4 that lies": ("numcodecs.lz4", {}, lambda: struct.pack("<I", 2**31 - 1) + bytes(20)),
    "bz2": ("numcodecs.bz2", {}, lambda: bz2.compress(BOMB)),
    "lzma": ("numcodecs.lzma", {}, lambda: lzma.compress(BOMB, preset=0)),
    "base64": ("numcodecs.base64", {}, lambda: b"QUFB" * 5000),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs(name: str, chain_of: ChainOf) -> None:
    codec, configuration, make = BOMBS[name]
    refused(chain_of(SMALL, LITTLE, {"name": codec, "configuration": configuration}), make())


def test_bomb_in_a_bomb(chain_of: ChainOf) -> None:
    refused(chain_of(SMALL, LITTLE, "gzip", "gzip"), gzip.compress(gzip.compress(BOMB)))


@pytest.mark.parametrize("codec", ["vlen-utf8", "vlen-bytes", {"id": "vlen-array", "dtype": "<i4"}])
def test_counts_and_lengths_that_lie(codec: Any, chain_of: ChainOf) -> None:
    chain = chain_of(np.empty(3, object), codec, fill_value="")
    refused(chain, struct.pack("<I", 2**31))
    refused(chain, struct.pack("<II", 3, 2**31) + bytes(20))
    refused(chain, struct.pack("<IIII", 3, 0, 0, 2**32 - 1))


def test_strings_in_a_bomb(chain_of: ChainOf) -> None:
    """Nothing tells how long strings may be, but a zstd frame cannot claim more than it could hold."""
    lie = b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", 2**39) + b"\x01\0\0"
    refused(chain_of(np.empty(3, object), "vlen-utf8", "zstd", fill_value=""), lie)


def test_shapes_in_json_that_lie(chain_of: ChainOf) -> None:
    chain = chain_of(np.empty(3, object), {"id": "json2"}, fill_value="")
    for text in (
        '["a","|O",[1000000000]]',
        '["a","b","|O",[3]]',
        "[]",
        "[3]",
        '["|O",3]',
        '{"a":1}',
        "[" * 9999,
    ):
        refused(chain, text.encode())
