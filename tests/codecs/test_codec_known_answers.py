"""What numcodecs and zarr-python write is read, and the reverse."""

from __future__ import annotations

import gzip
import warnings
import zlib
from collections.abc import Callable
from typing import Any

import numcodecs
import numpy as np
import pytest
import zarr
from zarr.core.buffer.cpu import Buffer

from omnizarr.codecs.blosc import Blosc
from omnizarr.codecs.chain import Chain

ChainOf = Callable[..., Chain]

NUMBERS = np.arange(0, 200, 2, dtype="<i4").reshape(10, 10)
FLOATS = (np.sin(np.arange(100)) * 100).astype("<f4").reshape(10, 10)
FLAGS = NUMBERS % 3 == 0

# Codecs of numcodecs, what they take, and whether our bytes equal theirs (deflate encoders differ).
V2: list[tuple[Any, np.ndarray[Any, Any], bool]] = [
    (numcodecs.LZ4(acceleration=3), NUMBERS, True),
    (numcodecs.BZ2(level=2), NUMBERS, True),
    (numcodecs.LZMA(preset=2), NUMBERS, True),
    (numcodecs.LZMA(format=2), NUMBERS, True),
    (numcodecs.LZMA(format=3, filters=[{"id": 0x21, "preset": 1}]), NUMBERS, True),
    (numcodecs.get_codec({"id": "base64"}), NUMBERS, True),
    (numcodecs.CRC32(), NUMBERS, True),
    (numcodecs.CRC32(location="end"), NUMBERS, True),
    (numcodecs.get_codec({"id": "crc32c"}), NUMBERS, True),
    (numcodecs.Adler32(), NUMBERS, True),
    (numcodecs.Fletcher32(), NUMBERS, True),
    (numcodecs.JenkinsLookup3(initval=3), NUMBERS, True),
    (numcodecs.Delta("<i4"), NUMBERS, True),
    (numcodecs.Delta("<i4", "i1"), NUMBERS, True),
    (numcodecs.Delta("<f4"), FLOATS, True),
    (numcodecs.FixedScaleOffset(offset=5, scale=10, dtype="<f4", astype="<i4"), FLOATS, True),
    (numcodecs.FixedScaleOffset(offset=-7, scale=0.5, dtype="<i4"), NUMBERS, True),
    (numcodecs.Quantize(2, "<f4"), FLOATS, True),
    (numcodecs.Quantize(0, "<f4", "<f8"), FLOATS, True),
    (numcodecs.Quantize(-1, "<f4"), FLOATS, True),
    (numcodecs.BitRound(5), FLOATS, True),
    (numcodecs.BitRound(23), FLOATS, True),
    (numcodecs.BitRound(0), FLOATS, True),
    (numcodecs.AsType("<i8", "<i4"), NUMBERS, True),
    (numcodecs.PackBits(), FLAGS, True),
    (numcodecs.PackBits(), FLAGS[:2, :8], True),
    (numcodecs.Shuffle(4), NUMBERS, True),
    (numcodecs.Shuffle(0), NUMBERS.astype("u1"), True),
    (numcodecs.Blosc("zstd", 3, 2), NUMBERS, True),
    (numcodecs.Blosc("lz4", 9, 0, 64), NUMBERS, True),
    (numcodecs.Blosc("zlib", 1, -1), FLAGS, True),
    (numcodecs.Zstd(level=5, checksum=True), NUMBERS, True),
    (numcodecs.Zlib(level=1), NUMBERS, False),
    (numcodecs.GZip(level=9), NUMBERS, False),
]


@pytest.mark.parametrize(("codec", "array", "equal"), V2, ids=lambda x: getattr(x, "codec_id", ""))
def test_numcodecs(codec: Any, array: np.ndarray[Any, Any], equal: bool, chain_of: ChainOf) -> None:
    config = codec.get_config()
    chain = chain_of(
        array, "bytes", {"name": f"numcodecs.{config.pop('id')}", "configuration": config}, zarr2=True
    )
    theirs = np.asarray(bytearray(memoryview(codec.encode(array)).tobytes()), "u1").tobytes()
    decoded = np.frombuffer(np.asarray(codec.decode(theirs)).tobytes(), array.dtype).reshape(array.shape)
    np.testing.assert_array_equal(chain.decode(theirs), decoded)
    ours = bytes(chain.encode(array))
    assert not equal or ours == theirs
    again = np.frombuffer(np.asarray(codec.decode(ours)).tobytes(), array.dtype).reshape(array.shape)
    np.testing.assert_array_equal(again, decoded)


STRINGS = np.array([["", "a"], ["zwölf", "x" * 300]], object)


@pytest.mark.parametrize(
    ("codec", "array"),
    [
        (numcodecs.VLenUTF8(), STRINGS),
        (numcodecs.VLenBytes(), np.array([[b"", b"a"], [b"\0\xff", b"x" * 300]], object)),
        (numcodecs.JSON(), STRINGS),
        (numcodecs.JSON(), np.array([1, None, {"a": [True, 2.5]}], object)),
        (numcodecs.Categorize(["a", "zwölf", "x" * 300], object), STRINGS),
    ],
    ids=["vlen-utf8", "vlen-bytes", "json2", "json2-objects", "categorize"],
)
def test_object_codecs(codec: Any, array: np.ndarray[Any, Any], chain_of: ChainOf) -> None:
    chain = chain_of(array, codec, zarr2=True)
    theirs = bytes(codec.encode(array))
    assert chain.decode(theirs).tolist() == array.tolist()
    assert bytes(chain.encode(array)) == theirs


def test_vlen_array(chain_of: ChainOf) -> None:
    array = np.empty(3, object)
    array[:] = [np.array([1, 2], "<i4"), np.array([], "<i4"), np.array([3, 4], "<i4")]
    codec = numcodecs.VLenArray("<i4")
    chain = chain_of(array, codec, zarr2=True)
    assert bytes(chain.encode(array)) == bytes(codec.encode(array))
    assert [item.tolist() for item in chain.decode(codec.encode(array))] == [[1, 2], [], [3, 4]]


def test_streams_of_the_standard_library(chain_of: ChainOf) -> None:
    raw = NUMBERS.tobytes()
    little = {"name": "bytes", "configuration": {"endian": "little"}}
    parts = gzip.compress(raw[:100]) + gzip.compress(raw[100:])
    for level in range(10):
        chain = chain_of(NUMBERS, little, {"name": "gzip", "configuration": {"level": level}})
        assert gzip.decompress(chain.encode(NUMBERS)) == raw
        for data in (gzip.compress(raw, level), parts):
            np.testing.assert_array_equal(chain.decode(data), NUMBERS)
    for level in range(-1, 10):
        chain = chain_of(NUMBERS, little, {"name": "numcodecs.zlib", "configuration": {"level": level}})
        assert zlib.decompress(chain.encode(NUMBERS)) == raw
        np.testing.assert_array_equal(chain.decode(zlib.compress(raw, level)), NUMBERS)


LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
V3: list[tuple[list[Any], np.ndarray[Any, Any]]] = [
    ([LITTLE], NUMBERS),
    ([{"name": "bytes", "configuration": {"endian": "big"}}], FLOATS),
    ([{"name": "bytes"}], FLAGS),
    ([{"name": "transpose", "configuration": {"order": [1, 0]}}, LITTLE], NUMBERS),
    ([LITTLE, {"name": "gzip", "configuration": {"level": 5}}], NUMBERS),
    ([LITTLE, {"name": "zstd", "configuration": {"level": 0, "checksum": True}}], NUMBERS),
    ([LITTLE, {"name": "crc32c"}], NUMBERS),
    (
        [
            LITTLE,
            {
                "name": "blosc",
                "configuration": {
                    "cname": "zstd",
                    "clevel": 5,
                    "shuffle": "bitshuffle",
                    "typesize": 4,
                    "blocksize": 0,
                },
            },
        ],
        NUMBERS,
    ),
    ([{"name": "numcodecs.delta", "configuration": {"dtype": "<i4"}}, LITTLE], NUMBERS),
    ([{"name": "numcodecs.bitround", "configuration": {"keepbits": 3}}, LITTLE], FLOATS),
    ([{"name": "numcodecs.packbits", "configuration": {}}, {"name": "bytes"}], FLAGS),
    (
        [{"name": "numcodecs.fixedscaleoffset", "configuration": {"offset": 0, "scale": 10}}, LITTLE],
        FLOATS.astype("<f8").round(1),
    ),
    ([LITTLE, {"name": "numcodecs.shuffle", "configuration": {"elementsize": 4}}], NUMBERS),
    ([LITTLE, {"name": "numcodecs.lz4", "configuration": {"acceleration": 1}}], NUMBERS),
    ([LITTLE, {"name": "numcodecs.fletcher32", "configuration": {}}], NUMBERS),
    ([LITTLE, {"name": "numcodecs.crc32", "configuration": {}}], NUMBERS),
]


@pytest.mark.parametrize(
    ("codecs", "array"), V3, ids=lambda x: x[0]["name"] + x[-1]["name"] if isinstance(x, list) else ""
)
def test_zarr_python(codecs: list[Any], array: np.ndarray[Any, Any], chain_of: ChainOf) -> None:
    store = zarr.storage.MemoryStore()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = zarr.create(
            shape=array.shape,
            chunks=array.shape,
            dtype=array.dtype,
            codecs=codecs,
            store=store,
            zarr_format=3,
        )
        theirs[:] = array
    chain = chain_of(array, *codecs)
    key = "c/" + "/".join("0" * array.ndim)
    decoded = chain.decode(store._store_dict[key].to_bytes())
    np.testing.assert_array_equal(decoded, theirs[:])
    store._store_dict[key] = Buffer.from_bytes(bytes(chain.encode(array)))
    np.testing.assert_array_equal(theirs[:], decoded)


@pytest.mark.parametrize("typesize", [1, 4])
def test_blosc_of_nothing(typesize: int) -> None:
    codec = Blosc(typesize=typesize)
    assert bytes(codec.decode(codec.encode(b""), 100)) == b""
