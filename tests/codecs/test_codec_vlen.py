"""Elements of variable length: what is taken, what is refused."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.codecs.chain import Chain
from omnizarr.errors import CodecError
from omnizarr.store import MemoryStore

ChainOf = Callable[..., Chain]


def objects(*items: Any) -> np.ndarray[Any, Any]:
    found = np.empty(len(items), object)
    for i, item in enumerate(items):
        found[i] = item
    return found


def layout(*items: bytes) -> bytes:
    """Return items as the specification lays them out."""
    return struct.pack("<I", len(items)) + b"".join(struct.pack("<I", len(item)) + item for item in items)


def test_layout(chain_of: ChainOf) -> None:
    chain = chain_of(objects("", "ü", "abc"), "vlen-utf8")
    assert bytes(chain.encode(objects("", "ü", "abc"))) == layout(b"", "ü".encode(), b"abc")
    assert bytes(chain.encode(objects(None, np.str_("ü"), "abc"))) == layout(b"", "ü".encode(), b"abc")
    chain = chain_of(objects(b"", b"\0"), "vlen-bytes")
    assert bytes(chain.encode(objects(None, bytearray(1)))) == layout(b"", b"\0")
    chain = chain_of(objects(None, None), {"id": "vlen-array", "dtype": "<i2"}, zarr2=True)
    assert bytes(chain.encode(objects([1, 2], None))) == layout(b"\1\0\2\0", b"")


@pytest.mark.parametrize("fill", [0, 0.5, ""])
def test_what_was_never_written_is_an_empty_array(fill: object) -> None:
    store = MemoryStore()
    layout = {"zarr_format": 2, "shape": [3], "chunks": [3], "order": "C", "compressor": None}
    elements = {"dtype": "|O", "fill_value": fill, "filters": [{"id": "vlen-array", "dtype": "<i2"}]}
    document = layout | elements
    store.set(".zarray", json.dumps(document).encode())
    array = omnizarr.open_array(store, mode="r+")
    array[1:2] = objects([1, 2])
    assert [part.tolist() for part in array[:]] == [[], [1, 2], []]
    with pytest.raises(CodecError, match="expected arrays of one dimension"):
        array[0:1] = objects(7)


@pytest.mark.parametrize("data", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80"])
def test_utf8_is_strict(data: bytes, chain_of: ChainOf) -> None:
    with pytest.raises(CodecError, match=r"codec vlen-utf8: .*utf-8"):
        chain_of(objects(""), "vlen-utf8").decode(layout(data))


@pytest.mark.parametrize(
    ("codec", "item"),
    [
        ("vlen-utf8", 3),
        ("vlen-utf8", b"bytes"),
        ("vlen-utf8", "\ud800"),
        ("vlen-bytes", "text"),
        ({"id": "vlen-array", "dtype": "<i2"}, [[1], [2]]),
        ({"id": "vlen-array", "dtype": "<i2"}, objects("a")),
        ({"id": "categorize", "labels": ["a"]}, "b"),
        ({"id": "json2"}, {1, 2}),
        ({"id": "pickle"}, "a"),
    ],
)
def test_what_cannot_be_encoded(codec: Any, item: Any, chain_of: ChainOf) -> None:
    array = objects(item)
    with pytest.raises(CodecError):
        chain_of(array, codec, zarr2=True).encode(array)


def test_pickles_are_refused(chain_of: ChainOf) -> None:
    chain = chain_of(objects("a"), {"id": "pickle", "protocol": 5}, zarr2=True)
    with pytest.raises(CodecError, match="codec pickle: pickles are not read"):
        chain.decode(b"cos\nsystem\n(S'true'\ntR.")


def test_array_elements_of_part_of_an_item(chain_of: ChainOf) -> None:
    chain = chain_of(objects(None), {"id": "vlen-array", "dtype": "<i4"}, zarr2=True)
    with pytest.raises(CodecError):
        chain.decode(layout(b"abc"))


def test_categories(chain_of: ChainOf) -> None:
    chain = chain_of(objects("a", "b", ""), {"id": "categorize", "labels": ["a", "b"]}, zarr2=True)
    assert bytes(chain.encode(objects("b", None, ""))) == b"\2\0\0"
    with pytest.raises(CodecError, match="expected 0 to 2, found 0 to 3"):
        chain.decode(b"\0\1\3")


def test_categories_of_strings_of_one_size(chain_of: ChainOf) -> None:
    array = np.array(["a", "b", ""], "<U2")
    codec = {"id": "categorize", "labels": ["a", "b"], "dtype": "<U2", "astype": "u1"}
    chain = chain_of(array, "bytes", codec, zarr2=True)
    assert bytes(chain.encode(array)) == b"\1\2\0"
    np.testing.assert_array_equal(chain.decode(b"\1\2\0"), array)


def test_json_of_no_axes(chain_of: ChainOf) -> None:
    array = np.array({"a": 1}, object)
    chain = chain_of(array, {"id": "json2"}, zarr2=True)
    assert chain.decode(chain.encode(array))[()] == {"a": 1}
