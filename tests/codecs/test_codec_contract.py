"""Every codec passes the contract suite."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from omnizarr.metadata.extension import Extension
from omnizarr.testing.codec import CodecContract

LITTLE = Extension("bytes", {"endian": "little"})
OWN = Extension("bytes")
CRC = Extension("crc32c")


def objects(array: np.ndarray[Any, Any], items: list[Any]) -> np.ndarray[Any, Any]:
    """Return an object array of a shape with items repeated."""
    found = np.empty(array.shape, object)
    for i in range(found.size):
        found.reshape(-1)[i] = items[i % len(items)]
    return found


class TestBytesLittle(CodecContract):
    codecs = (LITTLE,)


class TestBytesBig(CodecContract):
    codecs = (Extension("bytes", {"endian": "big"}),)
    dtype = "<f8"


class TestBytesOfOneByte(CodecContract):
    codecs = (OWN,)
    dtype = "u1"


class TestBytesBool(CodecContract):
    codecs = (OWN,)
    dtype = "?"


class TestBytesOwnOrder(CodecContract):
    codecs = (OWN,)
    dtype = ">i2"
    zarr2 = True


class TestTranspose(CodecContract):
    codecs = (Extension("transpose", {"order": [1, 0]}), LITTLE)
    dtype = "<c8"

    def shapes(self) -> st.SearchStrategy[tuple[int, ...]]:
        return st.tuples(st.integers(1, 6), st.integers(1, 6))


class TestTransposeF(CodecContract):
    codecs = (Extension("transpose", {"order": "F"}), LITTLE)


class TestCrc32c(CodecContract):
    codecs = (LITTLE, CRC)
    checksummed = True


class TestGzip(CodecContract):
    codecs = (LITTLE, Extension("gzip", {"level": 1}))
    checksummed = True


class TestGzip9(CodecContract):
    codecs = (LITTLE, Extension("gzip", {"level": 9}))
    checksummed = True


class TestGzipStored(CodecContract):
    codecs = (LITTLE, Extension("gzip", {"level": 0}))
    checksummed = True


class TestGzipTwice(CodecContract):
    codecs = (LITTLE, Extension("gzip"), CRC, Extension("gzip"))
    checksummed = True


class TestZlib(CodecContract):
    codecs = (OWN, Extension("numcodecs.zlib", {"level": 4}))
    dtype = ">u4"
    zarr2 = True
    checksummed = True


class TestZstd(CodecContract):
    codecs = (LITTLE, Extension("zstd", {"level": 3}))


class TestZstdChecksum(CodecContract):
    codecs = (LITTLE, Extension("zstd", {"level": -7, "checksum": True}))
    checksummed = True


class TestZstdOfBool(CodecContract):
    codecs = (OWN, Extension("zstd"))
    dtype = "?"


class TestBlosc(CodecContract):
    codecs = (LITTLE, Extension("blosc", {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 4}))


class TestBloscZstdBits(CodecContract):
    codecs = (LITTLE, Extension("blosc", {"cname": "zstd", "shuffle": "bitshuffle"}))
    dtype = "<f8"


class TestBloscNumcodecs(CodecContract):
    codecs = (OWN, Extension("numcodecs.blosc", {"cname": "blosclz", "clevel": 9, "shuffle": -1}))
    dtype = "u1"
    zarr2 = True


class TestShuffle(CodecContract):
    codecs = (OWN, Extension("numcodecs.shuffle", {"elementsize": 0}), Extension("numcodecs.zlib"))
    dtype = "<f8"
    zarr2 = True
    checksummed = True


class TestShuffleAlone(CodecContract):
    codecs = (LITTLE, Extension("numcodecs.shuffle", {"elementsize": 4}))


class TestLz4(CodecContract):
    codecs = (LITTLE, Extension("numcodecs.lz4"))


class TestBz2(CodecContract):
    codecs = (LITTLE, Extension("numcodecs.bz2", {"level": 1}))
    checksummed = True


class TestLzma(CodecContract):
    codecs = (LITTLE, Extension("numcodecs.lzma", {"preset": 1}))
    checksummed = True


class TestBase64(CodecContract):
    codecs = (LITTLE, Extension("numcodecs.base64"))


class TestCrc32(CodecContract):
    codecs = (LITTLE, Extension("numcodecs.crc32"))
    checksummed = True


class TestCrc32AtEnd(CodecContract):
    codecs = (LITTLE, Extension("numcodecs.crc32", {"location": "end"}))
    checksummed = True


class TestNumcodecsCrc32c(CodecContract):
    codecs = (LITTLE, Extension("numcodecs.crc32c", {"location": "start"}))
    checksummed = True


class TestAdler32(CodecContract):
    codecs = (LITTLE, Extension("numcodecs.adler32"))
    checksummed = True


class TestFletcher32(CodecContract):
    codecs = (LITTLE, Extension("numcodecs.fletcher32"))


class TestJenkins(CodecContract):
    codecs = (LITTLE, Extension("numcodecs.jenkins_lookup3", {"initval": 7, "prefix": [1, 2]}))
    checksummed = True


class TestDelta(CodecContract):
    codecs = (Extension("numcodecs.delta", {"dtype": "<i4"}), LITTLE)


class TestDeltaOnMemory(CodecContract):
    codecs = (OWN, Extension("numcodecs.delta", {"dtype": ">i8"}), Extension("numcodecs.zlib"))
    dtype = ">i8"
    zarr2 = True
    checksummed = True


class TestAsType(CodecContract):
    codecs = (Extension("numcodecs.astype", {"encode_dtype": "<i2"}), LITTLE)

    def arrays(self, shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
        return arrays(np.dtype(self.dtype), shape, elements=st.integers(-(2**15), 2**15 - 1))


class TestFixedScaleOffset(CodecContract):
    codecs = (
        Extension("numcodecs.fixedscaleoffset", {"offset": 10, "scale": 4, "astype": "<i2"}),
        LITTLE,
    )
    dtype = "<f8"

    def arrays(self, shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
        return arrays(np.dtype(self.dtype), shape, elements=st.integers(-100, 100).map(lambda n: n / 4))


class TestBitRound(CodecContract):
    codecs = (Extension("numcodecs.bitround", {"keepbits": 10}), LITTLE)
    dtype = "<f4"

    def arrays(self, shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
        return arrays(np.dtype(self.dtype), shape, elements=st.integers(-1000, 1000))


class TestQuantize(CodecContract):
    codecs = (Extension("numcodecs.quantize", {"digits": 2}), LITTLE)
    dtype = "<f4"

    def arrays(self, shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
        return arrays(np.dtype(self.dtype), shape, elements=st.integers(-1000, 1000))


class TestPackBits(CodecContract):
    codecs = (Extension("numcodecs.packbits"), LITTLE)
    dtype = "?"


class TestPackBitsOnMemory(CodecContract):
    codecs = (OWN, Extension("numcodecs.packbits"), Extension("numcodecs.crc32"))
    dtype = "?"
    zarr2 = True
    checksummed = True


class _Strings(CodecContract):
    dtype = "O"
    fill_value = ""

    def arrays(self, shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
        return arrays(object, shape, elements=st.text(max_size=9), fill=st.nothing())

    def sample(self, shape: tuple[int, ...] = (8, 6)) -> np.ndarray[Any, Any]:
        return objects(np.empty(shape), ["", "a", "zwölf", "x" * 20])


class TestVlenUtf8(_Strings):
    codecs = (Extension("vlen-utf8"),)


class TestVlenUtf8Compressed(_Strings):
    codecs = (Extension("vlen-utf8"), Extension("zstd"), CRC)
    checksummed = True


class TestVlenBytes(_Strings):
    codecs = (Extension("vlen-bytes"), Extension("gzip"))
    fill_value = b""
    checksummed = True

    def arrays(self, shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
        return arrays(object, shape, elements=st.binary(max_size=9), fill=st.nothing())

    def sample(self, shape: tuple[int, ...] = (8, 6)) -> np.ndarray[Any, Any]:
        return objects(np.empty(shape), [b"", b"a", b"\0\xff"])


class TestVlenArray(_Strings):
    codecs = (Extension("vlen-array", {"dtype": "<i2"}),)
    fill_value = None
    zarr2 = True

    def arrays(self, shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
        lists = st.lists(st.integers(-9, 9), max_size=4)
        counts = st.lists(lists, min_size=1, max_size=5)
        return counts.map(lambda found: objects(np.empty(shape), [np.array(x, "<i2") for x in found]))

    def sample(self, shape: tuple[int, ...] = (8, 6)) -> np.ndarray[Any, Any]:
        return objects(np.empty(shape), [np.array(x, "<i2") for x in ([], [1], [2, 3, 4])])


class TestJson2(_Strings):
    codecs = (Extension("json2", {"encoding": "utf-8"}),)
    zarr2 = True

    def arrays(self, shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
        plain = st.none() | st.booleans() | st.integers() | st.text(max_size=4)
        items = st.lists(st.recursive(plain, st.lists, max_leaves=4), min_size=1, max_size=5)
        return items.map(lambda found: objects(np.empty(shape), found))


@pytest.mark.skipif(find_spec("msgpack") is None, reason="the package msgpack is not installed")
class TestMsgpack2(_Strings):
    codecs = (Extension("msgpack2", {"use_bin_type": True}),)
    zarr2 = True


class TestCategorize(_Strings):
    codecs = (Extension("categorize", {"labels": ["a", "bb", "ccc"]}),)
    zarr2 = True

    def arrays(self, shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
        labels = st.sampled_from(["", "a", "bb", "ccc"])
        return arrays(object, shape, elements=labels, fill=st.nothing())

    def sample(self, shape: tuple[int, ...] = (8, 6)) -> np.ndarray[Any, Any]:
        return objects(np.empty(shape), ["", "a", "bb"])


def sharded(chunk_shape: list[int], *codecs: Extension, location: str = "end") -> Extension:
    """Return a sharding codec with checksums."""
    return Extension(
        "sharding_indexed",
        {
            "chunk_shape": chunk_shape,
            "codecs": [codec.to_json() for codec in codecs],
            "index_codecs": [LITTLE.to_json(), CRC.to_json()],
            "index_location": location,
        },
    )


@pytest.mark.skipif(find_spec("imagecodecs") is None, reason="needs imagecodecs")
class TestSzip(CodecContract):
    codecs = (LITTLE, Extension("numcodecs.szip", {"mask": 32, "pixels-per-block": 4}))


@pytest.mark.skipif(find_spec("imagecodecs") is None, reason="needs imagecodecs")
class TestSzipOfAScanline(CodecContract):
    codecs = (
        OWN,
        Extension("numcodecs.szip", {"mask": 4, "pixels-per-block": 8, "pixels-per-scanline": 20}),
    )
    zarr2 = True
    dtype = ">i2"


class _Shards(CodecContract):
    checksummed = True

    def shapes(self) -> st.SearchStrategy[tuple[int, ...]]:
        return st.tuples(st.sampled_from([2, 4, 6]), st.sampled_from([3, 6]))

    def arrays(self, shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
        return arrays(np.dtype(self.dtype), shape, elements=st.integers(0, 1))


class TestSharding(_Shards):
    codecs = (sharded([2, 3], LITTLE, CRC),)


class TestShardingIndexAtStart(_Shards):
    codecs = (sharded([2, 3], LITTLE, Extension("zstd"), CRC, location="start"),)


class TestShardingNested(_Shards):
    codecs = (sharded([2, 3], sharded([1, 3], LITTLE, CRC)),)


class TestShardingTransposed(_Shards):
    codecs = (Extension("transpose", {"order": [1, 0]}), sharded([3, 2], LITTLE, CRC), CRC)
