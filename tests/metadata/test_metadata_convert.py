"""Nodes between Zarr v2 and v3: what is carried over, what is lost, and that chunk bytes stay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omnizarr.codecs.base import ChunkSpec
from omnizarr.codecs.chain import build_chain
from omnizarr.errors import ConversionError
from omnizarr.geometry.grid import RectilinearGrid, RegularGrid
from omnizarr.jsontypes import Json, Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chunk_keys import ChunkKeys
from omnizarr.metadata.convert import DIMENSIONS, to_v2, to_v3
from omnizarr.metadata.dtype_numpy import from_numpy
from omnizarr.metadata.extension import Extension
from omnizarr.metadata.fill import default_fill, same_fill
from omnizarr.metadata.formats import format_of
from omnizarr.metadata.group import GroupMetadata

BYTES = Extension("bytes")
REVERSED = Extension("transpose", {"order": [1, 0]})


def numcodec(name: str, **options: Any) -> Extension:
    return Extension(f"numcodecs.{name}", options)


def little(endian: str = "little") -> Extension:
    return Extension("bytes", {"endian": endian})


def array(dtype: Any, *codecs: Extension, **changes: Any) -> ArrayMetadata:
    """Return an array in v2's idiom, unless changed."""
    data_type = from_numpy(dtype)
    node = ArrayMetadata(
        shape=(6, 4),
        data_type=data_type,
        grid=RegularGrid((3, 2)),
        chunk_keys=ChunkKeys("v2", "."),
        codecs=codecs,
        fill_value=default_fill(data_type),
    )
    return replace(node, **changes)


def v3(node: ArrayMetadata) -> ArrayMetadata:
    converted = to_v3(node)
    assert converted.losses == ()
    assert converted.same_bytes
    assert isinstance(converted.metadata, ArrayMetadata)
    return converted.metadata


def v2(node: ArrayMetadata) -> ArrayMetadata:
    converted = to_v2(node)
    assert converted.losses == ()
    assert converted.same_bytes
    assert isinstance(converted.metadata, ArrayMetadata)
    return converted.metadata


BLOSC: dict[str, Json] = {"cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
CORE_BLOSC: dict[str, Json] = BLOSC | {"shuffle": "shuffle", "typesize": 4}

# (dtype, chain of v2, chain of v3, dtype in v3)
CHAINS: dict[str, tuple[Any, list[Extension], list[Extension], Any]] = {
    "plain": ("<i4", [BYTES], [little()], "i4"),
    "big": (">i4", [BYTES], [little("big")], "i4"),
    "bytes": ("u1", [BYTES], [BYTES], "u1"),
    "Fortran": (">f8", [REVERSED, BYTES], [REVERSED, little("big")], "f8"),
    "text": (">U3", [BYTES], [little("big")], "U3"),
    "structure": ([("a", ">i2"), ("b", "S3")], [BYTES], [little("big")], [("a", "i2"), ("b", "S3")]),
    "zlib": ("<i4", [BYTES, numcodec("zlib", level=1)], [little(), numcodec("zlib", level=1)], "i4"),
    "gzip": (
        "<i4",
        [BYTES, numcodec("gzip", level=1)],
        [little(), Extension("gzip", {"level": 1})],
        "i4",
    ),
    "zstd": (
        "<i4",
        [BYTES, numcodec("zstd", level=3)],
        [little(), Extension("zstd", {"level": 3, "checksum": False})],
        "i4",
    ),
    "zstd with checksum": (
        "<i4",
        [BYTES, numcodec("zstd", level=3, checksum=True)],
        [little(), Extension("zstd", {"level": 3, "checksum": True})],
        "i4",
    ),
    "blosc": (
        "<i4",
        [BYTES, Extension("numcodecs.blosc", BLOSC)],
        [little(), Extension("blosc", CORE_BLOSC)],
        "i4",
    ),
    "crc32c": ("<i4", [BYTES, numcodec("crc32c")], [little(), Extension("crc32c")], "i4"),
    "crc32c at the start": (
        "<i4",
        [BYTES, numcodec("crc32c", location="start")],
        [little(), numcodec("crc32c", location="start")],
        "i4",
    ),
    "shuffle and zlib": (
        "<i4",
        [BYTES, numcodec("shuffle", elementsize=4), numcodec("zlib", level=1)],
        [little(), numcodec("shuffle", elementsize=4), numcodec("zlib", level=1)],
        "i4",
    ),
    "delta": (
        "<i4",
        [BYTES, numcodec("delta", dtype="<i4")],
        [numcodec("delta", dtype="<i4"), little()],
        "i4",
    ),
    "big delta": (
        ">i4",
        [BYTES, numcodec("delta", dtype=">i4", astype=">i2"), numcodec("zlib", level=1)],
        [numcodec("delta", dtype="<i4", astype="<i2"), little("big"), numcodec("zlib", level=1)],
        "i4",
    ),
    "scaled, then packed": (
        "<f8",
        [
            REVERSED,
            BYTES,
            numcodec("fixedscaleoffset", offset=0, scale=1, dtype="<f8", astype="|u1"),
            numcodec("delta", dtype="|u1"),
        ],
        [
            REVERSED,
            numcodec("fixedscaleoffset", offset=0, scale=1, dtype="<f8", astype="|u1"),
            numcodec("delta", dtype="|u1"),
            BYTES,
        ],
        "f8",
    ),
    "packbits": ("bool", [BYTES, numcodec("packbits")], [numcodec("packbits"), BYTES], "bool"),
    "strings": (
        "string",
        [Extension("vlen-utf8"), numcodec("zstd", level=1)],
        [Extension("vlen-utf8"), Extension("zstd", {"level": 1, "checksum": False})],
        "string",
    ),
    "bytes of any length": ("bytes", [Extension("vlen-bytes")], [Extension("vlen-bytes")], "bytes"),
    "unknown to us": ("<i4", [BYTES, numcodec("acme", x=1)], [little(), numcodec("acme", x=1)], "i4"),
}


@pytest.mark.parametrize(("dtype", "old", "new", "native"), CHAINS.values(), ids=CHAINS)
def test_chains(dtype: Any, old: list[Extension], new: list[Extension], native: Any) -> None:
    source = array(dtype, *old)
    target = v3(source)
    assert target.codecs == tuple(new)
    assert target.data_type == from_numpy(native)
    assert target.chunk_keys == ChunkKeys()
    assert v2(target) == source
    assert v3(target) == target
    assert v2(source) == source


def encoded(node: ArrayMetadata, values: Any, is_v2: bool) -> bytes:
    problems = Problems()
    spec = ChunkSpec((3, 2), node.data_type.dtype, node.fill_value)
    chain = build_chain(node.codecs, spec, "codecs", problems, bytes_as_in_dtype=is_v2)
    problems.check()
    assert chain is not None
    data = bytes(chain.encode(values.astype(node.data_type.dtype)))
    assert (chain.decode(data) == values).all()
    return data


@pytest.mark.parametrize("name", [name for name in CHAINS if name != "unknown to us"])
def test_chunks_hold_the_same_bytes(name: str) -> None:
    dtype, old, _, _ = CHAINS[name]
    source = array(dtype, *old)
    numbers = np.array([[1, 2], [4, 7], [11, 16]])
    if source.data_type.is_variable:
        values = np.array([str(n) if dtype == "string" else b"%d" % n for n in numbers.flat], object)
        values = values.reshape(3, 2)
    elif source.data_type.dtype.names:
        values = np.array([[(n, b"x") for n in row] for row in numbers], source.data_type.dtype)
    else:
        values = numbers.astype(source.data_type.dtype)
    assert encoded(source, values, True) == encoded(v3(source), values, False)


def test_shuffle_learns_its_item_size() -> None:
    node = v3(array("<f8", BYTES, numcodec("shuffle", elementsize=0)))
    assert node.codecs[1] == numcodec("shuffle", elementsize=8)


@pytest.mark.parametrize(
    ("itemsize", "shuffle", "expected"), [(1, -1, "bitshuffle"), (4, -1, "shuffle"), (4, 0, "noshuffle")]
)
def test_blosc_shuffles(itemsize: int, shuffle: int, expected: str) -> None:
    node = v3(array(f"u{itemsize}", BYTES, Extension("numcodecs.blosc", BLOSC | {"shuffle": shuffle})))
    assert node.codecs[1].configuration["shuffle"] == expected
    assert node.codecs[1].configuration["typesize"] == itemsize


def test_a_chain_of_v3_stays_in_v3() -> None:
    own = array("<i4", little(), numcodec("zstd", level=1), spelling={"zarr_format": 3})
    assert v3(own).codecs == own.codecs
    assert v3(array("i4", BYTES, Extension("zstd"))).codecs == (little(), Extension("zstd"))


def test_dimension_names() -> None:
    named = array("i4", little(), dimension_names=("y", "x"), attributes={"a": 1})
    there = v2(named)
    assert there.dimension_names is None
    assert there.attributes == {"a": 1, DIMENSIONS: ["y", "x"]}
    back = v3(there)
    assert back.dimension_names == ("y", "x")
    assert back.attributes == {"a": 1}
    assert v2(array("i4", little(), dimension_names=(None, None))).attributes == {}


@pytest.mark.parametrize("names", [["y"], "yx", ["y", 1], None])
def test_an_attribute_that_names_no_dimensions_stays(names: Any) -> None:
    node = v3(array("i4", BYTES, attributes={DIMENSIONS: names}))
    assert node.dimension_names is None
    assert node.attributes == {DIMENSIONS: names}


def test_undefined_fill_values_get_the_default() -> None:
    assert same_fill(v3(array("<f4", BYTES, fill_value=None)).fill_value, np.float32(0))
    assert v2(array("<f4", BYTES, fill_value=None)).fill_value is None


def test_fill_values_of_structures_change_their_byte_order() -> None:
    dtype = [("a", ">i4")]
    value = np.array((5,), dtype)[()]
    node = v3(array(dtype, BYTES, fill_value=value))
    assert node.fill_value.dtype == np.dtype([("a", "=i4")])
    assert node.fill_value["a"] == 5


def sharded(*codecs: Json, chunks: Json = None) -> Extension:
    configuration: dict[str, Json] = {
        "chunk_shape": chunks or [3, 2],
        "codecs": [*codecs],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
    }
    return Extension("sharding_indexed", configuration)


def test_shards_become_chunks() -> None:
    little_json = little().to_json()
    node = array("i4", sharded(little_json, "crc32c"), grid=RegularGrid((6, 4)))
    target, losses, same_bytes = to_v2(node)
    assert isinstance(target, ArrayMetadata)
    assert target.grid == RegularGrid((3, 2))
    assert target.codecs == (BYTES, numcodec("crc32c"))
    assert not same_bytes
    assert len(losses) == 1
    assert "no shards" in losses[0]


LOSSES_TO_V2: dict[str, tuple[ArrayMetadata, str]] = {
    "grid": (array("i4", little(), grid=RectilinearGrid(((3, 3), 2))), "chunk grid"),
    "transpose": (
        array("i4", Extension("transpose", {"order": [0, 2, 1]}), little(), shape=(1, 2, 3)),
        "codec transpose",
    ),
    "codec": (array("i4", little(), Extension("acme.zip")), "codec acme.zip"),
    "shard within": (array("i4", sharded("bytes"), Extension("crc32c")), "codec sharding_indexed"),
    "shard of other rank": (array("i4", sharded("bytes", chunks=[3])), "codec sharding_indexed"),
    "half of the names": (array("i4", little(), dimension_names=("y", None)), "dimension names"),
    "two sets of names": (
        array("i4", little(), dimension_names=("y", "x"), attributes={DIMENSIONS: ["a", "b"]}),
        "dimension names",
    ),
}


@pytest.mark.parametrize(("node", "loss"), LOSSES_TO_V2.values(), ids=LOSSES_TO_V2)
def test_losses_to_v2(node: ArrayMetadata, loss: str) -> None:
    losses = to_v2(node).losses
    assert len(losses) == 1
    assert losses[0].startswith(loss)


LOSSES_TO_V3: dict[str, tuple[ArrayMetadata, str]] = {
    "subarrays": (array([("z", "<f4", (2, 2))], BYTES), "data type"),
    "subarrays within": (array([("a", [("z", "<f4", (2,))])], BYTES), "data type"),
    "byte orders": (array([("a", "<i4"), ("b", ">i4")], BYTES), "fields of different byte orders"),
    "filter after compressor": (
        array("<i4", BYTES, numcodec("zlib"), numcodec("delta", dtype="<i4")),
        "codec numcodecs.delta",
    ),
    "field": (array("<i4", BYTES, extra={"note": 1}), "note"),
}


@pytest.mark.parametrize(("node", "loss"), LOSSES_TO_V3.values(), ids=LOSSES_TO_V3)
def test_losses_to_v3(node: ArrayMetadata, loss: str) -> None:
    losses = to_v3(node).losses
    assert len(losses) == 1
    assert losses[0].startswith(loss)
    with pytest.raises(ConversionError) as caught:
        format_of(3).write("", node)
    assert losses[0] in str(caught.value)


@pytest.mark.parametrize("codec", ["json2", "msgpack2", "pickle", "vlen-array", "categorize"])
def test_objects_have_no_type_in_v3(codec: str) -> None:
    document = (
        b'{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"|O","fill_value":0,"order":"C",'
        b'"compressor":null,"filters":[{"id":"%s"}]}' % codec.encode()
    )
    problems = Problems()
    node = format_of(2).read("", {".zarray": document}, problems)
    problems.check()
    assert node is not None
    (loss,) = to_v3(node).losses
    assert loss.startswith("data type") and codec in loss


def test_groups() -> None:
    inner = array("<i4", BYTES, extra={"note": 1})
    group = GroupMetadata(attributes={"a": 1}, consolidated={"x": inner, "g": GroupMetadata()})
    target, losses, same_bytes = to_v3(group)
    assert isinstance(target, GroupMetadata)
    assert target.consolidated is not None
    assert set(target.consolidated) == {"x", "g"}
    assert losses[0].startswith("x: note: ")
    assert same_bytes
    assert to_v2(GroupMetadata(attributes={"a": 1})).metadata == GroupMetadata(attributes={"a": 1})


def test_fields_of_v2_groups_that_v3_forbids() -> None:
    group = GroupMetadata(extra={"_NCZARR_GROUP": {"dims": {}}})
    assert to_v3(group).losses[0].startswith("_NCZARR_GROUP: ")
    with pytest.raises(ConversionError, match="_NCZARR_GROUP"):
        format_of(3).write("", group)
    assert to_v2(group).losses == ()


NAMES = st.sampled_from(["x", "y", "time"])
DTYPES = st.sampled_from(
    ["|b1", "<i4", ">i4", "|u1", "<f8", ">f2", "<c8", "<U3", ">U3", "|S4", "|V5", ">M8[s]"]
)
TAILS = st.lists(
    st.sampled_from(
        [
            numcodec("zlib", level=3),
            numcodec("gzip", level=2),
            numcodec("zstd", level=-1),
            numcodec("crc32c"),
            numcodec("lz4", acceleration=1),
            Extension("numcodecs.blosc", BLOSC),
        ]
    ),
    max_size=3,
)


@settings(max_examples=50, deadline=None)
@given(
    DTYPES, TAILS, st.booleans(), st.none() | st.lists(NAMES, min_size=2, max_size=2), st.sampled_from("./")
)
def test_there_and_back(
    dtype: str, tail: list[Extension], fortran: bool, names: list[Json] | None, separator: Any
) -> None:
    attributes = {} if names is None else {DIMENSIONS: names}
    codecs = (REVERSED, BYTES, *tail) if fortran else (BYTES, *tail)
    source = array(dtype, *codecs, attributes=attributes, chunk_keys=ChunkKeys("v2", separator))
    there = v3(source)
    assert there.dimension_names == (None if names is None else tuple(names))
    back = v2(there)
    assert replace(back, chunk_keys=source.chunk_keys, fill_value=0) == replace(source, fill_value=0)
    assert same_fill(back.fill_value, source.fill_value)
    for format, node in ((format_of(3), there), (format_of(2), back)):
        problems = Problems()
        again = format.read("n", format.write("n", node), problems)
        problems.check()
        assert isinstance(again, ArrayMetadata)
        assert same_fill(again.fill_value, node.fill_value)
        assert replace(again, fill_value=0) == replace(node, fill_value=0)
