"""Zstandard frames: several, skippable, without sizes, damaged; decoding into memory."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numcodecs.zstd
import numpy as np
import pytest
import zstandard

from omnizarr.codecs.chain import Chain
from omnizarr.errors import CodecError

ChainOf = Callable[..., Chain]
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
NUMBERS = (np.arange(200_000, dtype="<i4") * 7 % 1000).reshape(400, 500)
RAW = NUMBERS.tobytes()


def frame(data: bytes, *, sized: bool = True, checksum: bool = False) -> bytes:
    compressor = zstandard.ZstdCompressor(write_content_size=sized, write_checksum=checksum)
    if sized:
        return compressor.compress(data)
    stream = compressor.compressobj()
    return stream.compress(data) + stream.flush()


def skippable(size: int) -> bytes:
    return struct.pack("<II", 0x184D2A53, size) + bytes(size)


@pytest.mark.parametrize(
    "data",
    [
        frame(RAW),
        frame(RAW, sized=False),
        frame(RAW, sized=False, checksum=True),
        frame(RAW[:100]) + frame(RAW[100:]),
        frame(RAW[:100], sized=False, checksum=True) + frame(RAW[100:], sized=False),
        frame(b"") + frame(RAW) + frame(b"", sized=False),
        skippable(0) + frame(RAW) + skippable(300),
        numcodecs.zstd.compress(RAW, 1),
    ],
    ids=["one", "unsized", "unsized+sum", "two", "two unsized", "empty", "skippable", "numcodecs"],
)
def test_frames(data: bytes, chain_of: ChainOf) -> None:
    chain = chain_of(NUMBERS, LITTLE, "zstd")
    for form in (data, bytearray(data), memoryview(data)):
        for out in (None, np.empty_like(NUMBERS)):
            np.testing.assert_array_equal(chain.decode(form, out), NUMBERS)
    for damaged in (data[:-1], data + b"x", data + frame(b"x"), data + skippable(9)[:-1]):
        with pytest.raises(CodecError):
            chain.decode(damaged)
        with pytest.raises(CodecError):
            chain.decode(damaged, np.empty_like(NUMBERS))


def test_every_truncation(chain_of: ChainOf) -> None:
    small = NUMBERS[:1]
    chain = chain_of(small, LITTLE, "zstd")
    for whole in (frame(small.tobytes()), frame(small.tobytes(), sized=False, checksum=True)):
        for end in range(len(whole)):
            with pytest.raises(CodecError):
                chain.decode(whole[:end])


@pytest.mark.parametrize("level", [-131072, -1, 0, 1, 22])
def test_levels(level: int, chain_of: ChainOf) -> None:
    chain = chain_of(NUMBERS[:4], LITTLE, {"name": "zstd", "configuration": {"level": level}})
    data = chain.encode(NUMBERS[:4])
    assert zstandard.decompress(data) == NUMBERS[:4].tobytes()
    np.testing.assert_array_equal(chain.decode(data), NUMBERS[:4])


def test_checksum_is_written(chain_of: ChainOf) -> None:
    for checksum in (False, True):
        chain = chain_of(NUMBERS, LITTLE, {"name": "zstd", "configuration": {"checksum": checksum}})
        assert zstandard.get_frame_parameters(chain.encode(NUMBERS)).has_checksum is checksum
