"""Shards: against zarr-python, their parts, damage, and what is left out."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import zarr
from zarr.core.buffer.cpu import Buffer

from omnizarr.codecs.chain import Chain, Shards
from omnizarr.codecs.sharding import EMPTY
from omnizarr.errors import ChecksumError, CodecError, MetadataError
from omnizarr.jsontypes import Problems
from omnizarr.store.base import Last, Span

ChainOf = Callable[..., Chain]

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
ZSTD = {"name": "zstd", "configuration": {"level": 0, "checksum": False}}
CRC = {"name": "crc32c"}


def sharding(
    chunk_shape: list[int], codecs: list[Any], index_codecs: list[Any] | None = None, location: str = "end"
) -> dict[str, Any]:
    """Return the JSON of a sharding codec."""
    return {
        "name": "sharding_indexed",
        "configuration": {
            "chunk_shape": chunk_shape,
            "codecs": codecs,
            "index_codecs": [LITTLE, CRC] if index_codecs is None else index_codecs,
            "index_location": location,
        },
    }


def some() -> np.ndarray[Any, Any]:
    """Return an array with chunks that are full, partly full and empty."""
    array = np.zeros((8, 12), "<i4")
    array[1] = np.arange(12)
    array[6, 6] = 5
    return array


def shards_of(chain: Chain) -> Shards:
    """Return a chain's shards."""
    assert chain.shards is not None
    return chain.shards


INNER = {
    "raw": [LITTLE],
    "zstd": [LITTLE, ZSTD],
    "transposed": [{"name": "transpose", "configuration": {"order": [1, 0]}}, LITTLE, ZSTD, CRC],
    "nested": [sharding([2, 2], [LITTLE, ZSTD])],
    "nested at start": [sharding([4, 1], [LITTLE], [LITTLE], "start")],
}


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("index_codecs", [[LITTLE], [LITTLE, CRC]], ids=["plain", "crc32c"])
@pytest.mark.parametrize("location", ["start", "end"])
def test_zarr_python(inner: str, index_codecs: list[Any], location: str, chain_of: ChainOf) -> None:
    array = some()
    codec = sharding([4, 4], INNER[inner], index_codecs, location)
    store = zarr.storage.MemoryStore()
    theirs = zarr.create(
        shape=(8, 12), chunks=(8, 12), dtype="i4", codecs=[codec], store=store, zarr_format=3, fill_value=0
    )
    theirs[:] = array
    chain = chain_of(array, codec)
    data = store._store_dict["c/0/0"].to_bytes()
    out = np.full_like(array, 7)
    assert chain.decode(data, out) is out
    np.testing.assert_array_equal(out, array)
    np.testing.assert_array_equal(chain.decode(data), array)
    store._store_dict["c/0/0"] = Buffer.from_bytes(bytes(chain.encode(array)))
    np.testing.assert_array_equal(theirs[:], array)


def test_parts(chain_of: ChainOf) -> None:
    array = some()
    for location in ("start", "end"):
        chain = chain_of(array, sharding([4, 4], [LITTLE], location=location))
        shards = shards_of(chain)
        assert (shards.counts, shards.index_size, shards.index_location) == ((2, 3), 100, location)
        data = bytes(chain.encode(array))
        assert len(data) == 4 * 64 + 100
        chunks = shards.split(data)
        assert [chunk is None for chunk in chunks] == [False, False, False, True, False, True]
        for (i, j), chunk in zip(itertools.product(range(2), range(3)), chunks, strict=True):
            expected = array[4 * i : 4 * i + 4, 4 * j : 4 * j + 4]
            np.testing.assert_array_equal(0 if chunk is None else shards.inner.decode(chunk), expected)
        assert bytes(shards.join(chunks)) == data
        part = shards.index_part()
        assert part == (Span(0, 100) if location == "start" else Last(100))
        index = shards.read_index(data[:100] if location == "start" else data[-100:], len(data))
        assert index.dtype == np.uint64
        assert index.tolist()[3] == [EMPTY, EMPTY]
        assert index.tolist()[0] == [100 if location == "start" else 0, 64]


def test_gaps_and_any_order(chain_of: ChainOf) -> None:
    array = np.arange(8, dtype="<i4")
    chain = chain_of(array, sharding([4], [LITTLE]))
    shards = shards_of(chain)
    index = shards.index_chain.encode(np.array([[30, 16], [3, 16]], np.uint64))
    data = b"gap" + array[4:].tobytes() + b"another gap" + array[:4].tobytes() + bytes(index)
    np.testing.assert_array_equal(chain.decode(data), array)


def test_shared_inner_chunks(chain_of: ChainOf) -> None:
    array = np.tile(np.arange(4, dtype="<i4"), 2)
    chain = chain_of(array, sharding([4], [LITTLE]))
    index = shards_of(chain).index_chain.encode(np.array([[0, 16], [0, 16]], np.uint64))
    np.testing.assert_array_equal(chain.decode(array[:4].tobytes() + bytes(index)), array)


@pytest.mark.parametrize(
    "place",
    [
        [16, 16],
        [0, 17],
        [2**63, 16],
        [2**64 - 8, 16],
        [0, 2**63],
        [2**64 - 1, 16],
        [0, 2**64 - 1],
        [2**62, 2**62],
        [2**64 - 1, 2**64 - 2],
    ],
)
def test_places_outside(place: list[int], chain_of: ChainOf) -> None:
    array = np.arange(4, dtype="<i4")
    chain = chain_of(array, sharding([4], [LITTLE], [LITTLE]))
    data = np.array([place], np.uint64).tobytes()
    shards = shards_of(chain)
    with pytest.raises(CodecError, match="sharding_indexed"):
        shards.split(data)
    with pytest.raises(CodecError):
        chain.decode(data)
    if place[1] > 2**20 or place[0] > 2**62:
        with pytest.raises(CodecError, match="inner chunk 0"):
            shards.read_index(data, None)


def test_index_checksum(chain_of: ChainOf) -> None:
    chain = chain_of(some(), sharding([4, 4], [LITTLE]))
    data = bytearray(chain.encode(some()))
    data[-50] ^= 1
    with pytest.raises(ChecksumError, match="crc32c"):
        chain.decode(data)


def test_index_of_wrong_size(chain_of: ChainOf) -> None:
    shards = shards_of(chain_of(some(), sharding([4, 4], [LITTLE])))
    for data in (b"", bytes(99), bytes(101)):
        with pytest.raises(CodecError, match="expected an index of 100 bytes"):
            shards.read_index(data, None)


@pytest.mark.parametrize(
    ("fill", "written", "left_out"),
    [
        (np.nan, np.nan, True),
        (0.0, -0.0, False),
        (-0.0, -0.0, True),
        (0.0, 0.0, True),
        (None, 0.0, False),
    ],
)
def test_empty_inner_chunks(fill: Any, written: float, left_out: bool, chain_of: ChainOf) -> None:
    array = np.full(8, written, "<f8")
    chain = chain_of(array, sharding([4], [LITTLE]), fill_value=None if fill is None else np.float64(fill))
    shards = shards_of(chain)
    data = chain.encode(array)
    assert [chunk is None for chunk in shards.split(data)] == [left_out] * 2
    assert chain.decode(data).tobytes() == array.tobytes()


def test_strings(chain_of: ChainOf) -> None:
    array = np.array(["", "a", "", "", "zwölf", ""], object)
    chain = chain_of(array, sharding([2], ["vlen-utf8", ZSTD]), fill_value="")
    data = chain.encode(array)
    assert [chunk is None for chunk in shards_of(chain).split(data)] == [False, True, False]
    assert chain.decode(data).tolist() == array.tolist()


def test_no_axes(chain_of: ChainOf) -> None:
    array = np.array(7, "<i4")
    chain = chain_of(array, sharding([], [LITTLE]))
    assert shards_of(chain).counts == ()
    assert chain.decode(chain.encode(array)) == array


def test_nested_shards_are_offered(chain_of: ChainOf) -> None:
    chain = chain_of(some(), sharding([4, 4], INNER["nested"]))
    assert shards_of(shards_of(chain).inner).counts == (2, 2)


def test_not_alone(chain_of: ChainOf) -> None:
    array = some()
    turned = {"name": "transpose", "configuration": {"order": [1, 0]}}
    for codecs in ([turned, sharding([4, 4], [LITTLE])], [sharding([4, 4], [LITTLE]), CRC]):
        chain = chain_of(array, *codecs)
        assert chain.shards is None
        np.testing.assert_array_equal(chain.decode(chain.encode(array)), array)


def test_value_codecs_before(chain_of: ChainOf) -> None:
    """Chunks of a shard are left out where they equal the *encoded* fill value."""
    array = np.array([3, 3, 3, 4], "<i4")
    scaled = {"name": "numcodecs.fixedscaleoffset", "configuration": {"offset": 1, "scale": 2}}
    chain = chain_of(array, scaled, sharding([2], [LITTLE]), fill_value=np.int32(3))
    data = bytes(chain.encode(array))
    assert len(data) == 8 + 36
    np.testing.assert_array_equal(chain.decode(data), array)
    delta = {"name": "numcodecs.delta", "configuration": {"dtype": "<i4"}}
    chain = chain_of(array, delta, sharding([2], [LITTLE]), fill_value=np.int32(0))
    np.testing.assert_array_equal(chain.decode(chain.encode(np.zeros(4, "<i4"))), np.zeros(4))


def test_faults(problems_of: Callable[..., list[str]]) -> None:
    array = some()
    at = "codecs[0].configuration"
    gzip = {"name": "gzip", "configuration": {"level": 1}}
    assert problems_of(array, sharding([3, 4], [LITTLE])) == [
        f"{at}.chunk_shape[0]: expected a divisor of the shard's 8, found 3"
    ]
    assert problems_of(array, sharding([4], [LITTLE])) == [f"{at}.chunk_shape: expected 2 axes, found 1"]
    assert problems_of(array, sharding([4, 0], [LITTLE])) == [
        f"{at}.chunk_shape[1]: expected an integer of at least 1, found 0"
    ]
    assert problems_of(array, sharding([4, 4], [LITTLE], [LITTLE, gzip])) == [
        f"{at}.index_codecs: expected codecs of a fixed size, found gzip"
    ]
    assert problems_of(array, sharding([4, 4], [ZSTD, "unheard-of"], location="middle")) == [
        f'{at}.index_location: expected one of "end", "start", found "middle"',
        f"{at}.codecs[1]: unknown codec 'unheard-of'",
    ]
    gzip12 = {"name": "gzip", "configuration": {"level": 12}}
    low = "configuration.level: expected 0 to 9, found 12"
    assert problems_of(array, sharding([3, 4], [LITTLE, gzip12], [{"name": "bytes"}]), gzip12) == [
        f"codecs[1].{low}",
        f"{at}.chunk_shape[0]: expected a divisor of the shard's 8, found 3",
        f"{at}.codecs[1].{low}",
        f"{at}.index_codecs[0].configuration.endian: required for elements of uint64, but missing",
    ]
    nested = sharding([4, 4], [sharding([2, 2], [LITTLE, gzip12])], location=1)
    assert problems_of(array, nested, "unheard-of") == [
        f'{at}.index_location: expected one of "end", "start", found 1',
        "codecs[1]: unknown codec 'unheard-of'",
        f"{at}.codecs[0].configuration.codecs[1].{low}",
    ]
    second = "found a second codec that turns arrays into bytes after bytes"
    assert problems_of(array, sharding([4, 4], ["bytes", sharding([2, 2], [])])) == [
        f"{at}.codecs[0].configuration.endian: required for elements of int32, but missing",
        f"{at}.codecs[1]: codec sharding_indexed: {second}",
    ]
    assert problems_of(array, sharding([4, 4], [sharding([2, 3], [LITTLE])])) == [
        f"{at}.codecs[0].configuration.chunk_shape[1]: expected a divisor of the shard's 4, found 3"
    ]
    assert problems_of(array, {"name": "sharding_indexed"}) == [
        f"{at}.{name}: required, but missing" for name in ("chunk_shape", "codecs", "index_codecs")
    ]


def test_another_shape(chain_of: ChainOf) -> None:
    chain = chain_of(some(), sharding([4, 4], [LITTLE]))
    assert shards_of(chain.for_shape((4, 8))).counts == (1, 2)
    with pytest.raises(MetadataError, match="divisor of the shard's 7"):
        chain.for_shape((7, 8))


def test_used_without_a_chain(chain_of: ChainOf) -> None:
    """The codec itself keeps the contract of serializers."""
    array = some()
    chain = chain_of(array, sharding([4, 4], [LITTLE]))
    codec = type(chain.serializer).from_json(chain.serializer.to_json(), "", Problems())
    np.testing.assert_array_equal(codec.decode(codec.encode(array, chain.spec), chain.spec), array)


@pytest.mark.parametrize("location", ["start", "end"])
def test_inner_chunks_do_not_reach_into_the_index(chain_of: ChainOf, location: str) -> None:
    """A shard that lost bytes in front still ends in an index that is right in itself."""
    shards = shards_of(chain_of(some(), sharding([4, 4], [LITTLE], location=location)))
    count = len(shards.split(shards.join([None] * 6)))
    damaged = shards.join([bytes(64)] * count)[8:]
    if location == "start":
        index = np.full((count, 2), EMPTY, np.uint64)
        index[0] = 8, 64
        encoded = shards.index_chain.encode(index.reshape(shards.index_chain.spec.shape))
        damaged = bytes(encoded) + bytes(64)
    with pytest.raises(CodecError, match=r"inner chunk [05]: expected a place in bytes"):
        shards.split(damaged)
