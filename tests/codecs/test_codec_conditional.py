"""The `conditional` codec: chunks that say which codecs were used on them."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from omnizarr.codecs.chain import Chain
from omnizarr.errors import CodecError
from omnizarr.metadata.extension import Extension
from omnizarr.testing.codec import CodecContract

ChainOf = Callable[..., Chain]
LITTLE = Extension("bytes", {"endian": "little"})
SHUFFLE = {"name": "numcodecs.shuffle", "configuration": {"elementsize": 4}}
ZSTD = {"name": "zstd", "configuration": {"level": 5, "checksum": False}}
CRC = {"name": "crc32c"}
ZLIB = {"name": "numcodecs.zlib", "configuration": {"level": 1}}


def conditional(*codecs: Any, **more: Any) -> Extension:
    return Extension("conditional", {"codecs": list(codecs), **more})


class TestConditional(CodecContract):
    codecs = (LITTLE, conditional(SHUFFLE, ZSTD), Extension("crc32c"))
    checksummed = True


class TestWideHeader(CodecContract):
    codecs = (LITTLE, conditional(ZLIB, CRC, header_bits=24))


def test_what_makes_nothing_smaller_is_skipped(chain_of: ChainOf) -> None:
    noise = np.random.default_rng(1).integers(0, 2**31, 100, "i4")
    chain = chain_of(noise, LITTLE, conditional(ZSTD, CRC))
    assert bytes(chain.encode(noise))[:1] == b"\2"
    assert (chain.decode(chain.encode(noise)) == noise).all()
    zeros = np.zeros_like(noise)
    assert bytes(chain.encode(zeros))[:1] == b"\3"
    assert len(bytes(chain.encode(zeros))) < 40


def test_every_set_of_codecs_is_read(chain_of: ChainOf) -> None:
    array = np.arange(50, dtype="i4")
    chain = chain_of(array, LITTLE, conditional(ZLIB, CRC))
    crc = bytes(chain_of(array, LITTLE, "crc32c").encode(array))[-4:]
    compressed = zlib.compress(array.tobytes())
    sealed = bytes(
        chain_of(np.frombuffer(compressed, "u1"), "bytes", "crc32c").encode(np.frombuffer(compressed, "u1"))
    )
    for header, body in [(0, array.tobytes()), (1, compressed), (2, array.tobytes() + crc), (3, sealed)]:
        assert (chain.decode(bytes([header]) + body) == array).all()


def test_bits_of_codecs_that_are_not_there(chain_of: ChainOf) -> None:
    array = np.arange(50, dtype="i4")
    chain = chain_of(array, LITTLE, conditional(ZSTD, header_bits=16))
    with pytest.raises(CodecError, match="expected a header of 1 codecs, found 0x100"):
        chain.decode(b"\0\1" + array.tobytes())
    with pytest.raises(CodecError, match="expected a header of 2 bytes, found 1"):
        chain.decode(b"\0")


def test_no_more_is_decoded_than_a_chunk_has(chain_of: ChainOf) -> None:
    array = np.arange(50, dtype="i4")
    chain = chain_of(array, LITTLE, conditional(ZLIB, ZLIB))
    bomb = zlib.compress(zlib.compress(bytes(10**7)))
    with pytest.raises(CodecError):
        chain.decode(b"\3" + bomb)


def test_faults(problems_of: Callable[..., list[str]]) -> None:
    array = np.zeros(4, "i4")
    found = problems_of(
        array,
        LITTLE,
        conditional(
            {"name": "gzip", "configuration": {"level": 99}},
            LITTLE.to_json(),
            {"name": "no-such-codec"},
            header_bits=12,
        ),
    )
    assert [text.split(": ")[0] for text in found] == [
        "codecs[1].configuration.codecs[0].configuration.level",
        "codecs[1].configuration.codecs[1]",
        "codecs[1].configuration.codecs[2]",
        "codecs[1].configuration.header_bits",
    ]
    (found_one,) = problems_of(array, LITTLE, conditional(*[CRC] * 9, header_bits=8))
    assert "configuration.header_bits" in found_one
