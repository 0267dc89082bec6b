"""Chains: what is refused and where, what is skipped, sizes, and the element types of `bytes`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from omnizarr.codecs.base import ChunkSpec
from omnizarr.codecs.chain import Chain, build_chain
from omnizarr.config import config
from omnizarr.errors import ChecksumError, CodecError, UnsupportedError
from omnizarr.jsontypes import Problems
from omnizarr.metadata.extension import Extension

ChainOf = Callable[..., Chain]
ProblemsOf = Callable[..., list[str]]

INTS = np.arange(12, dtype="<i4").reshape(3, 4)
COMPRESSORS = '"lz4", "lz4hc", "blosclz", "zstd", "snappy", "zlib"'
SHUFFLES = '"noshuffle", "shuffle", "bitshuffle"'
ROUNDABLE = "floating-point numbers with 3 bits of mantissa or more"
LITTLE = Extension("bytes", {"endian": "little"})


def codec(name: str, **configuration: Any) -> Extension:
    return Extension(name, configuration)


@pytest.mark.parametrize(
    ("codecs", "faults"),
    [
        ([], ["codecs: expected one codec that turns the array into bytes, found none"]),
        (
            [codec("transpose", order=[1, 0])],
            ["codecs: expected one codec that turns the array into bytes, found none"],
        ),
        (
            [codec("gzip")],
            ["codecs[0]: codec gzip: expected a codec that turns the array into bytes before it"],
        ),
        (
            [LITTLE, codec("gzip", level=12)],
            ["codecs[1].configuration.level: expected 0 to 9, found 12"],
        ),
        (
            [LITTLE, codec("zstd", level=23, checksum=1)],
            [
                "codecs[1].configuration.level: expected -131072 to 22, found 23",
                "codecs[1].configuration.checksum: expected true or false, found 1",
            ],
        ),
        (
            [LITTLE, codec("blosc", cname="lz5", clevel=10, shuffle="some", typesize=-1, blocksize=-1)],
            [
                f'codecs[1].configuration.cname: expected one of {COMPRESSORS}, found "lz5"',
                "codecs[1].configuration.clevel: expected 0 to 9, found 10",
                f'codecs[1].configuration.shuffle: expected one of {SHUFFLES}, found "some"',
                "codecs[1].configuration.typesize: expected an integer of at least 1, found -1",
                "codecs[1].configuration.blocksize: expected an integer of at least 0, found -1",
            ],
        ),
        (
            [codec("bytes", endian="middle")],
            ['codecs[0].configuration.endian: expected one of "little", "big", found "middle"'],
        ),
        (
            [codec("bytes")],
            ["codecs[0].configuration.endian: required for elements of int32, but missing"],
        ),
        (
            [codec("transpose", order=[1, 1]), LITTLE],
            ["codecs[0].configuration.order: expected a permutation of 0 to 1, found [1, 1]"],
        ),
        (
            [codec("transpose", order=[0, 1, 2]), LITTLE],
            ["codecs[0]: codec transpose: expected an order of 2 axes, found [0, 1, 2]"],
        ),
        (
            [codec("transpose", order="A"), LITTLE],
            ['codecs[0].configuration.order: expected one of "C", "F", found "A"'],
        ),
        (
            [LITTLE, codec("transpose", order=[1, 0])],
            ["codecs[1]: codec transpose: found an array codec after bytes"],
        ),
        (
            [codec("vlen-utf8")],
            ["codecs[0]: codec vlen-utf8: expected elements of variable length, found int32"],
        ),
        (
            [codec("numcodecs.delta", dtype="|O"), LITTLE],
            ['codecs[0].configuration.dtype: expected a type of elements of one size, found "|O"'],
        ),
        (
            [codec("numcodecs.bitround", keepbits=3), LITTLE],
            [f"codecs[0]: codec numcodecs.bitround: expected {ROUNDABLE}, found int32"],
        ),
        (
            [codec("numcodecs.packbits"), LITTLE],
            ["codecs[0]: codec numcodecs.packbits: expected booleans, found int32"],
        ),
        (
            [codec("numcodecs.fixedscaleoffset", scale=0), LITTLE],
            [
                "codecs[0].configuration.offset: required, but missing",
                "codecs[0].configuration.scale: expected a number other than 0, found 0",
            ],
        ),
    ],
)
def test_faults(codecs: list[Extension], faults: list[str], problems_of: ProblemsOf) -> None:
    assert problems_of(INTS, *codecs) == faults


def test_unknown_codec(problems_of: ProblemsOf, chain_of: ChainOf) -> None:
    assert problems_of(INTS, LITTLE, codec("zstandard")) == ["codecs[1]: unknown codec 'zstandard'"]
    assert problems_of(INTS, LITTLE, codec("numcodecs.no-such")) == [
        "codecs[1]: unknown codec 'numcodecs.no-such'"
    ]
    with pytest.raises(UnsupportedError, match="zstandard"):
        chain_of(INTS, LITTLE, codec("zstandard"))


def test_unknown_codec_that_may_be_skipped(chain_of: ChainOf) -> None:
    with pytest.warns(UserWarning, match=r"codecs\[1\]: unknown codec 'hint' is skipped"):
        chain = chain_of(INTS, LITTLE, Extension("hint", {}, must_understand=False))
    assert bytes(chain.encode(INTS)) == INTS.tobytes()


def test_object_arrays_need_an_object_codec(problems_of: ProblemsOf) -> None:
    strings = np.array(["a"], object)
    assert problems_of(strings, codec("bytes")) == [
        "codecs[0]: codec bytes: expected elements of one size, found data type object"
    ]


def test_a_short_chunk_says_so(chain_of: ChainOf) -> None:
    chain = chain_of(INTS, LITTLE)
    with pytest.raises(CodecError, match=r"^codec bytes: expected 48 bytes, found 44$"):
        chain.decode(INTS.tobytes()[:-4])
    with pytest.raises(CodecError, match=r"^codec bytes: expected 48 bytes, found 52$"):
        chain.decode(INTS.tobytes() + bytes(4))


def test_errors_name_key_and_node(chain_of: ChainOf) -> None:
    with pytest.raises(ChecksumError) as caught:
        chain_of(INTS, LITTLE, codec("crc32c")).decode(bytes(52))
    error = caught.value.located("a/c/0/0", "a")
    assert str(error) == (
        "codec crc32c: expected checksum 00000000, found a26bc567 (node '/a', key 'a/c/0/0')"
    ).replace("a26bc567", str(error).split("found ")[1][:8])
    assert isinstance(error, ValueError)


def test_the_largest_chunk_is_a_setting(chain_of: ChainOf) -> None:
    chain = chain_of(INTS, LITTLE)
    with config.using(max_chunk_bytes=47), pytest.raises(CodecError, match="max_chunk_bytes"):
        chain.decode(INTS.tobytes())
    with config.using(max_chunk_bytes=48):
        np.testing.assert_array_equal(chain.decode(INTS.tobytes()), INTS)


def test_raw(chain_of: ChainOf) -> None:
    native, other = ("<i4", ">i4") if sys.byteorder == "little" else (">i4", "<i4")
    assert chain_of(INTS.astype(native), codec("bytes"), zarr2=True).is_raw
    assert chain_of(INTS.astype(other), codec("bytes"), zarr2=True).is_raw
    assert chain_of(INTS.astype(native), codec("bytes", endian=sys.byteorder)).is_raw
    assert not chain_of(INTS.astype(other), codec("bytes", endian=sys.byteorder)).is_raw
    assert not chain_of(INTS, LITTLE, codec("crc32c")).is_raw
    assert not chain_of(INTS, codec("transpose", order=[1, 0]), LITTLE).is_raw
    assert not chain_of(INTS > 3, codec("bytes")).is_raw


def test_raw_memory_is_not_copied(chain_of: ChainOf) -> None:
    chain = chain_of(INTS, LITTLE)
    assert np.shares_memory(np.frombuffer(chain.encode(INTS), "<i4"), INTS)
    data = INTS.tobytes()
    assert np.shares_memory(chain.decode(data), np.frombuffer(data, "<i4"))


def test_any_byte_but_0_is_true(chain_of: ChainOf) -> None:
    flags = np.zeros(4, bool)
    data = bytes([0, 1, 2, 255])
    for codecs in ([codec("bytes")], [codec("bytes"), codec("zstd")], [codec("bytes"), codec("blosc")]):
        chain = chain_of(flags, *codecs)
        stored = data
        for one in chain.bytes_codecs:
            stored = bytes(one.encode(stored))
        for out in (None, np.empty(4, bool)):
            assert chain.decode(stored, out).view("u1").tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize(
    "dtype",
    [
        *("?", "u1", "<i2", ">f8", "<c16", "<f2", "S3", "V5", "<U4", "<M8[ns]", "<m8[10s]"),
        np.dtype([("a", ">i2"), ("b", "<f8", (2, 3)), ("c", [("d", "S3"), ("e", "?")])]),
        np.dtype(ml_dtypes.bfloat16),
        np.dtype(ml_dtypes.float8_e5m2),
        np.dtype(ml_dtypes.int4),
    ],
    ids=str,
)
@pytest.mark.parametrize("shape", [(), (1,), (3, 2)])
@pytest.mark.parametrize("endian", ["little", "big", None])
def test_bytes(dtype: Any, shape: tuple[int, ...], endian: str | None, chain_of: ChainOf) -> None:
    array = np.zeros(shape, dtype)
    array.reshape(-1).view("u1")[:] = 1
    if array.dtype.kind == "U":
        array[...] = "ab☃"
    given = {} if endian is None else {"endian": endian}
    chain = chain_of(array, codec("bytes", **given), fill_value=None, zarr2=True)
    data = bytes(chain.encode(array))
    assert len(data) == array.nbytes == chain.encoded_size
    out = np.zeros(shape, dtype)
    for found in (chain.decode(data), chain.decode(data, out), out):
        assert found.dtype == array.dtype
        assert found.tobytes() == array.tobytes()


def test_byte_order_of_stored_elements(chain_of: ChainOf) -> None:
    for name, dtype in (
        ("i4", "i4"),
        ("bfloat16", ml_dtypes.bfloat16),
        ("struct", [("a", "i2"), ("b", "f4")]),
    ):
        array = np.ones(2, dtype)
        little = bytes(chain_of(array, codec("bytes", endian="little")).encode(array))
        big = bytes(chain_of(array, codec("bytes", endian="big")).encode(array))
        assert little != big, name
        if array.dtype.names is None:
            size = array.itemsize
            assert big == b"".join(little[i : i + size][::-1] for i in range(0, len(little), size))
        else:
            assert big == array.astype([("a", ">i2"), ("b", ">f4")]).tobytes()


def test_structures_are_packed(chain_of: ChainOf) -> None:
    aligned = np.zeros(3, np.dtype([("a", "u1"), ("b", "<f8")], align=True))
    aligned["a"], aligned["b"] = 1, [1, 2, 3]
    spec = ChunkSpec((3,), aligned.dtype)
    assert spec.nbytes == 48
    packed = aligned.astype([("a", "u1"), ("b", "<f8")])
    chain = chain_of(packed, LITTLE)
    assert len(chain.encode(packed)) == 27
    np.testing.assert_array_equal(chain.decode(chain.encode(aligned)), packed)


def test_which_types_need_endian() -> None:
    wanted = {"i2": True, "u1": False, "?": False, "S9": False, "V9": False, "U1": True, "M8[s]": True}
    found = {}
    for dtype in wanted:
        problems = Problems()
        build_chain([codec("bytes")], ChunkSpec((2,), np.dtype(dtype)), "codecs", problems)
        found[dtype] = bool(problems)
    assert found == wanted


def test_structures_without_endian_are_little() -> None:
    """zarr-python writes no `endian` for structures."""
    spec = ChunkSpec((2,), np.dtype([("a", "u1"), ("b", "=i2", (2,))]))
    problems = Problems()
    chain = build_chain([codec("bytes")], spec, "codecs", problems)
    assert chain is not None and not problems
    found = chain.decode(bytes([1, 2, 0, 3, 0, 4, 5, 0, 6, 0]))
    assert found["a"].tolist() == [1, 4] and found["b"].tolist() == [[2, 3], [5, 6]]
    assert bytes(chain.encode(found)) == bytes([1, 2, 0, 3, 0, 4, 5, 0, 6, 0])


def test_v2_filters_see_what_the_one_before_made(chain_of: ChainOf) -> None:
    """AsType makes f4 of f8; bitround and shuffle then work on f4."""
    array = np.arange(6, dtype="<f8")
    chain = chain_of(
        array,
        codec("bytes"),
        codec("numcodecs.astype", encode_dtype="<f4", decode_dtype="<f8"),
        codec("numcodecs.bitround", keepbits=20),
        codec("numcodecs.shuffle", elementsize=0),
        zarr2=True,
    )
    data = bytes(chain.encode(array))
    assert data == np.ascontiguousarray(array.astype("<f4").view("u1").reshape(6, 4).T).tobytes()
    assert chain.encoded_size == 24
    np.testing.assert_array_equal(chain.decode(data), array)


def test_v2_filters_of_another_item_size(chain_of: ChainOf, problems_of: ProblemsOf) -> None:
    array = np.zeros(4, [("a", "<i2"), ("b", "<i2")])
    array["a"] = np.arange(4)
    chain = chain_of(
        array, codec("bytes"), codec("numcodecs.delta", dtype="<i2"), fill_value=None, zarr2=True
    )
    np.testing.assert_array_equal(chain.decode(chain.encode(array)), array)
    assert problems_of(np.zeros(3, "u1"), codec("bytes"), codec("numcodecs.delta", dtype="<i2"), zarr2=True)


def test_v2_filters_after_variable_lengths(problems_of: ProblemsOf) -> None:
    strings = np.array(["a"], object)
    assert problems_of(strings, codec("vlen-utf8"), codec("numcodecs.delta", dtype="u1"), zarr2=True) == [
        "codecs[1]: codec numcodecs.delta: expected elements of one size before it"
    ]


@pytest.mark.parametrize(
    ("filter_", "values"),
    [
        (codec("numcodecs.astype", encode_dtype="i1"), [1.0, 200.0]),
        (codec("numcodecs.astype", encode_dtype="i1"), [1.0, np.nan]),
        (codec("numcodecs.fixedscaleoffset", offset=0, scale=100, astype="i2"), [1.0, 400.0]),
        (codec("numcodecs.fixedscaleoffset", offset=0, scale=100, astype="i2"), [1.0, np.inf]),
        (codec("numcodecs.delta", astype="i1"), [1.0, 300.0]),
    ],
)
def test_numbers_that_do_not_fit(filter_: Extension, values: list[float], chain_of: ChainOf) -> None:
    array = np.array(values)
    with pytest.raises(CodecError, match="fit"):
        chain_of(array, filter_, LITTLE).encode(array)


def test_extensions_are_complete(chain_of: ChainOf) -> None:
    chain = chain_of(INTS, LITTLE, "blosc")
    assert chain.extensions[1] == codec(
        "blosc", cname="zstd", clevel=5, shuffle="shuffle", blocksize=0, typesize=4
    )
    chain = chain_of(INTS.astype("u1"), "bytes", "blosc")
    assert chain.extensions[1].configuration["shuffle"] == "bitshuffle"


def test_a_strangers_failure_becomes_ours(chain_of: ChainOf, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = chain_of(INTS, LITTLE, "gzip")

    def fail(*_: object) -> bytes:
        raise KeyError("deep inside")

    monkeypatch.setattr(type(chain.bytes_codecs[0]), "decode", fail)
    monkeypatch.setattr(type(chain.bytes_codecs[0]), "encode", fail)
    with pytest.raises(CodecError, match="codec gzip: cannot decode: 'deep inside'") as caught:
        chain.decode(b"")
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(CodecError, match="codec gzip: cannot encode: 'deep inside'"):
        chain.encode(INTS)
