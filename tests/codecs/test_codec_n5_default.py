"""The `n5_default` codec: blocks that tell their own shape."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import omnizarr
from omnizarr.codecs.chain import Chain
from omnizarr.codecs.zstd import Zstd
from omnizarr.errors import CodecError
from omnizarr.metadata.extension import Extension
from omnizarr.store import MemoryStore
from omnizarr.testing.codec import CodecContract

ChainOf = Callable[..., Chain]
BIG = {"name": "bytes", "configuration": {"endian": "big"}}
ZSTD = {"name": "zstd", "configuration": {"level": 0, "checksum": True}}


def n5(ndim: int, *more: Any) -> Extension:
    order: Any = {"name": "transpose", "configuration": {"order": list(reversed(range(ndim)))}}
    return Extension("n5_default", {"codecs": [order, BIG, *more]})


def block(array: np.ndarray[Any, Any]) -> bytes:
    header = struct.pack(f">HH{array.ndim}I", 0, array.ndim, *array.shape)
    return header + array.astype(array.dtype.newbyteorder(">")).tobytes(order="F")


class TestN5(CodecContract):
    codecs = (n5(2, ZSTD), Extension("crc32c"))
    dtype = "<u2"
    checksummed = True

    def shapes(self) -> st.SearchStrategy[tuple[int, ...]]:
        return st.tuples(st.integers(1, 6), st.integers(1, 6))

    def test_wrong_amount(self) -> None:
        """A block of another shape is cut, or filled up."""
        large = self.sample((16, 6))
        found = self.chain((8, 6)).decode(self.chain((16, 6)).encode(large))
        assert (found == large[:8]).all()


def test_layout(chain_of: ChainOf) -> None:
    array = np.arange(6, dtype="i4").reshape(2, 3)
    chain = chain_of(array, n5(2))
    assert bytes(chain.encode(array)) == block(array)
    assert (chain.decode(block(array)) == array).all()


@pytest.mark.parametrize("shape", [(2, 3), (4, 1), (1, 5), (6, 6), (4, 4)])
def test_blocks_at_the_end_of_an_axis(shape: tuple[int, int], chain_of: ChainOf) -> None:
    array = np.arange(np.prod(shape), dtype="f8").reshape(shape)
    expected = np.full((4, 4), -1.0)
    part = array[:4, :4]
    expected[: part.shape[0], : part.shape[1]] = part
    chain = chain_of(expected, n5(2), fill_value=np.float64(-1))
    assert (chain.decode(block(array)) == expected).all()
    out = np.empty((4, 4))
    assert (chain.decode(block(array), out) == expected).all()


def test_an_array_of_n5s_writers() -> None:
    """The example of the specification, with blocks as Java stores them: cut at the end of an axis."""
    store = MemoryStore()
    array = omnizarr.create_array(
        store,
        shape=(5, 7),
        chunks=(4, 4),
        dtype="u2",
        serializer=n5(2, ZSTD).to_json(),
        compressors=None,
        chunk_key_encoding={"name": "v2", "separator": "/"},
        fill_value=0,
    )
    values = np.arange(1, 36, dtype="u2").reshape(5, 7)
    array[:] = values
    assert sorted(store.list_prefix("")) == ["0/0", "0/1", "1/0", "1/1", "zarr.json"]
    last = values[4:, 4:]
    header = struct.pack(">HHII", 0, 2, 1, 3)
    store.set("1/1", header + bytes(Zstd().encode(block(last)[len(header) :])))
    assert (omnizarr.open_array(store)[:] == values).all()
    assert (array[3:, 5:] == values[3:, 5:]).all()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\0\0\0\2", "expected a header of 12 bytes, found 4"),
        (struct.pack(">HHII", 1, 2, 4, 4), "expected a block of mode 0 with 2 axes, found mode 1"),
        (struct.pack(">HHIII", 0, 3, 4, 4, 1), "found mode 0 with 3"),
        (struct.pack(">HHII", 0, 2, 4, 4) + bytes(31), "expected 32 bytes, found 31"),
        (struct.pack(">HHII", 0, 2, 2**32 - 1, 2**32 - 1), "max_chunk_bytes"),
        (struct.pack(">HHII", 0, 2, 2**20, 4), "expected 8388608 bytes, found 0"),
    ],
)
def test_damaged_blocks(data: bytes, message: str, chain_of: ChainOf) -> None:
    with pytest.raises(CodecError, match=message):
        chain_of(np.zeros((4, 4), "u2"), n5(2)).decode(data)


def test_faults(problems_of: Callable[..., list[str]]) -> None:
    array = np.zeros((4, 4), "u2")
    order = {"name": "transpose", "configuration": {"order": [0, 1]}}
    little = {"name": "bytes", "configuration": {"endian": "little"}}
    found = problems_of(array, Extension("n5_default", {"codecs": [order, little]}))
    assert [text.split(": ")[0] for text in found] == [
        "codecs[0].configuration.codecs[0].configuration.order",
        "codecs[0].configuration.codecs[1].configuration.endian",
    ]
    (found_one,) = problems_of(array, Extension("n5_default", {"codecs": [BIG]}))
    assert "expected transpose, bytes, and a compressor at most, found bytes" in found_one
    (found_one,) = problems_of(np.zeros((4, 4), "c8"), n5(2))
    assert "expected integers, or floating-point numbers" in found_one
