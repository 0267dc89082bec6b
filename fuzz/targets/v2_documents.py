"""Documents of Zarr v2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fuzz.hierarchies import joined, stored, visit

_KEYS = (".zarray", ".zattrs", ".zgroup", "0", "a/.zarray")


def array(dtype: Any = "<i4", fill: Any = 7, **changes: Any) -> dict[str, Any]:
    """Return the document of an array."""
    return {
        "zarr_format": 2,
        "shape": [4],
        "chunks": [2],
        "dtype": dtype,
        "compressor": None,
        "fill_value": fill,
        "order": "C",
        "filters": None,
    } | changes


def seeds() -> Iterator[bytes]:
    """Yield documents that have all there is."""
    yield joined(array(compressor={"id": "zlib", "level": 1}, dimension_separator="/"), {"units": "K"})
    yield joined(array(">f8", "NaN", shape=[4, 4], chunks=[2, 2], order="F"))
    yield joined(
        array("<c8", [1, "NaN"], compressor={"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1})
    )
    yield joined(array([["z", "<f4", [2, 2]], ["n", [["a", "|b1"]]]], None))
    yield joined(array("|S3", "YWJj"))
    yield joined(array("<U3", "abc"))
    yield joined(array("<M8[10ns]", 5))
    for filter_ in (
        {"id": "vlen-utf8"},
        {"id": "vlen-array", "dtype": "<i4"},
        {"id": "json2", "encoding": "utf-8"},
        {"id": "msgpack2"},
        {"id": "pickle", "protocol": 5},
        {"id": "categorize", "labels": ["a", "b"], "dtype": "|O", "astype": "|u1"},
    ):
        yield joined(array("|O", 0, filters=[filter_]))
    for filter_ in (
        {"id": "delta", "dtype": "<i4"},
        {"id": "fixedscaleoffset", "offset": 1, "scale": 10, "dtype": "<i4", "astype": "<i2"},
        {"id": "packbits"},
        {"id": "shuffle", "elementsize": 4},
        {"id": "fletcher32"},
    ):
        yield joined(array("|b1" if filter_["id"] == "packbits" else "<i4", 0, filters=[filter_]))
    yield joined(None, {"a": [1, {"b": None}]}, {"zarr_format": 2}, None, array())
    yield joined(array(compressor={"id": "lzma", "preset": 1}), None, None, bytes(range(40)))


def run(data: bytes) -> None:
    """Open what the input stores."""
    visit(stored(data, _KEYS))
