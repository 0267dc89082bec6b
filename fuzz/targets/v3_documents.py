"""Documents of Zarr v3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fuzz.hierarchies import joined, stored, visit

_LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
_KEYS = ("zarr.json", "c/0", "a/zarr.json", "a/c/0/0")


def array(
    data_type: Any = "int32", fill: Any = 7, codecs: Any = (_LITTLE,), **changes: Any
) -> dict[str, Any]:
    """Return the document of an array."""
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": fill,
        "codecs": list(codecs),
        "attributes": {"units": "K"},
    } | changes


def named(name: str, **configuration: Any) -> dict[str, Any]:
    """Return an extension."""
    return {"name": name, "configuration": configuration}


def documents() -> Iterator[dict[str, Any]]:
    """Yield documents that have all there is."""
    fields = [{"name": "a", "data_type": "int32"}, {"name": "b", "data_type": "float64"}]
    yield array(dimension_names=["x"])
    yield array("float32", "NaN", [named("transpose", order=[0]), _LITTLE, named("gzip", level=1)])
    yield array("complex64", ["0x7fc00000", "-Infinity"], [_LITTLE, named("zstd", level=1, checksum=True)])
    yield array("string", "x", [{"name": "vlen-utf8"}])
    yield array("bytes", "YWI=", [{"name": "vlen-bytes"}])
    yield array("r16", [1, 2], ["bytes", "crc32c"])
    yield array(named("numpy.datetime64", unit="s", scale_factor=10), "NaT")
    yield array(named("fixed_length_utf32", length_bytes=8), "ab")
    yield array(named("struct", fields=fields), {"a": 1, "b": 2.5})
    yield array(named("structured", fields=[["a", "int32"]]), "AAAAAA==")
    for small, fill in (
        ("bfloat16", "NaN"),
        ("int4", -3),
        ("float8_e4m3fn", 1.5),
        ("complex_bfloat16", [1, 2]),
    ):
        yield array(small, fill)
    yield array("bool", True, [named("packbits", padding_encoding="first_byte")])
    yield array(codecs=[named("reshape", shape=[[0]]), _LITTLE])
    yield array("float64", 1.5, [named("bitround", keepbits=3), _LITTLE])
    yield array("float64", 1, [named("cast_value", data_type="uint8", rounding="towards-zero"), "bytes"])
    yield array("float64", 1, [named("scale_offset", scale=2, offset=5), _LITTLE])
    yield array(codecs=[_LITTLE, named("conditional", codecs=[named("gzip", level=1)])])
    big = named("bytes", endian="big")
    yield array(codecs=[named("n5_default", codecs=[named("transpose", order=[0]), big])])
    blosc = named("blosc", cname="lz4", clevel=5, shuffle="shuffle", typesize=4, blocksize=0)
    inner = named(
        "sharding_indexed", chunk_shape=[1], codecs=[_LITTLE, blosc], index_codecs=[_LITTLE, "crc32c"]
    )
    yield array(codecs=[inner])
    outer = named(
        "sharding_indexed", chunk_shape=[2], codecs=[inner], index_codecs=[_LITTLE], index_location="start"
    )
    yield array(codecs=[outer], chunk_grid=named("regular", chunk_shape=[4]))
    yield array(chunk_grid=named("rectilinear", kind="inline", chunk_shapes=[[1, [3, 2]]]))
    yield array(chunk_key_encoding=named("prefix", prefix="p/", base_encoding=named("v2", separator=".")))
    yield array(chunk_key_encoding=named("suffix", suffix=".x", base_encoding="default"))
    yield array(chunk_key_encoding=named("template", format="c{0:03}.z"))
    yield array(chunk_key_encoding=named("fanout", max_children=11))
    for codec in ("zlib", "bz2", "lz4", "lzma", "shuffle", "fletcher32", "crc32", "adler32"):
        yield array(codecs=[_LITTLE, named(f"numcodecs.{codec}")])
    for codec in (
        named("numcodecs.delta", dtype="<i4"),
        named("numcodecs.fixedscaleoffset", offset=1, scale=10, dtype="<i4", astype="<i2"),
        named("numcodecs.astype", encode_dtype="<i2", decode_dtype="<i4"),
        named("numcodecs.quantize", digits=2, dtype="<f4"),
    ):
        yield array(codecs=[codec, _LITTLE])
    group = {"zarr_format": 3, "node_type": "group", "attributes": {"a": [1, None, {"b": "c"}]}}
    yield group
    block = {"kind": "inline", "must_understand": False, "metadata": {"a": array(), "a/b": group}}
    yield group | {"consolidated_metadata": block}


def seeds() -> Iterator[bytes]:
    """Yield each document, alone and with a chunk."""
    for document in documents():
        yield json.dumps(document).encode()
    yield joined(array(), bytes(range(8)))


def run(data: bytes) -> None:
    """Open what the input stores."""
    visit(stored(data, _KEYS))
