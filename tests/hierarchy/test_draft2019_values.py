"""Values of the draft of 2019 through the engine: types, memory layouts, codecs, separators, fill values."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import omnizarr
from omnizarr import Array
from omnizarr.errors import UnsupportedError
from omnizarr.store import MemoryStore

NAME = "3-2019"
CODES = ["bool", "i1", "u1", *(o + k + n for o in "<>" for k in "iuf" for n in "248")]
DATETIMES = "http://purl.org/zarr/spec/protocol/extensions/datetime-dtypes/1.0"
BOOTSTRAP = {
    "zarr_format": "http://purl.org/zarr/spec/protocol/core/3.0",
    "metadata_encoding": "application/json",
    "extensions": [],
}


def stored(document: dict[str, Any], chunks: dict[str, bytes]) -> MemoryStore:
    """Return a store with an array `a` whose document has the given fields."""
    usual = {
        "shape": [4],
        "data_type": "<i4",
        "chunk_grid": {"type": "regular", "chunk_shape": [2]},
        "chunk_memory_layout": "C",
        "compressor": None,
        "fill_value": 0,
        "extensions": [],
        "attributes": {},
    }
    values = {f"data/a/{key}": value for key, value in chunks.items()}
    documents = {"zarr.json": BOOTSTRAP, "meta/root/a.array": {**usual, **document}}
    return MemoryStore({**{key: json.dumps(value).encode() for key, value in documents.items()}, **values})


def opened(document: dict[str, Any], chunks: dict[str, bytes] | None = None) -> Array:
    return omnizarr.open_array(stored(document, chunks or {}), mode="r+", path="a")


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_what_is_written_is_read_again(data: st.DataObject) -> None:
    code = data.draw(st.sampled_from(CODES))
    shape = data.draw(arrays.array_shapes(min_dims=0, max_dims=3, max_side=7))
    values = data.draw(arrays.arrays(np.dtype(code), shape))
    chunks = tuple(data.draw(st.integers(1, 8)) for _ in shape)
    store = MemoryStore()
    made = omnizarr.create_array(
        store,
        path="in/a",
        shape=shape,
        dtype=np.dtype(code),
        chunks=chunks,
        order=data.draw(st.sampled_from(["C", "F"])),
        chunk_key_encoding=data.draw(st.sampled_from([".", "/"])),
        compressors=data.draw(
            st.sampled_from([None, "auto", {"name": "zstd"}, {"name": "numcodecs.zlib"}, {"name": "blosc"}])
        ),
        fill_value=data.draw(arrays.from_dtype(np.dtype(code))),
        zarr_format=NAME,
    )
    unwritten = made[...]
    assert np.array_equal(unwritten, np.full(shape, made.fill_value), equal_nan=values.dtype.kind == "f")
    made[...] = values
    found = omnizarr.open_array(store, mode="r", path="in/a")
    assert found.metadata == made.metadata or values.dtype.kind == "f"  # NaN is not equal to itself
    assert np.array_equal(found[...], values, equal_nan=values.dtype.kind == "f")
    document = json.loads(store.get("meta/root/in/a.array") or b"")
    assert document["data_type"] == code
    for key in store.list_prefix("data/"):
        assert key.startswith("data/in/a/")


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("order", ["<", ">"])
def test_memory_layouts_and_byte_orders_on_the_disk(layout: Any, order: str) -> None:
    values = np.arange(6, dtype=f"{order}i2").reshape(2, 3)
    document = {
        "shape": [2, 3],
        "data_type": f"{order}i2",
        "chunk_memory_layout": layout,
        "chunk_grid": {"type": "regular", "chunk_shape": [2, 3]},
    }
    array = opened(document, {"0.0": values.tobytes(layout)})
    assert array[:].tolist() == values.tolist()
    array[:] = values[::-1]
    assert array.store.get("data/a/0.0") == values[::-1].tobytes(layout)


@pytest.mark.parametrize(
    "uri",
    [
        "http://purl.org/zarr/spec/codec/gzip",
        "https://purl.org/zarr/spec/codec/gzip",
        "http://purl.org/zarr/spec/codec/gzip/1.0",
        "https://purl.org/zarr/spec/codecs/gzip/1.0",
        "https://purl.org/zarr/spec/codecs/gzip/",
    ],
)
def test_codecs_by_uri_in_all_spellings(uri: str) -> None:
    value = gzip.compress(np.array([1, 2], "<i4").tobytes())
    array = opened({"compressor": {"codec": uri, "configuration": {"level": 1}}}, {"0": value})
    assert array[:].tolist() == [1, 2, 0, 0]
    array[2:] = [3, 4]
    assert gzip.decompress(array.store.get("data/a/1") or b"") == np.array([3, 4], "<i4").tobytes()
    array.attrs["x"] = 1
    document = json.loads(array.store.get("meta/root/a.array") or b"")
    assert document["compressor"] == {"codec": uri, "configuration": {"level": 1}}


def test_other_codecs_of_numcodecs() -> None:
    document = {
        "compressor": {"codec": "http://purl.org/zarr/spec/codec/zlib", "configuration": {"level": 3}}
    }
    array = opened(document, {"0": zlib.compress(np.array([1, 2], "<i4").tobytes())})
    assert array[:2].tolist() == [1, 2]


@pytest.mark.parametrize("codec", ["http://example.org/codec/other", "http://purl.org/zarr/spec/codec/none"])
def test_an_unknown_codec_is_named(codec: str) -> None:
    with pytest.raises(UnsupportedError, match=codec.rpartition("/")[2]):
        opened({"compressor": {"codec": codec, "configuration": {}}})


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("name", ["M8[ns]", "m8[D]", "M8[100us]"])
def test_datetimes_are_an_extension_with_a_fallback(order: str, name: str) -> None:
    document = {
        "data_type": {"extension": DATETIMES, "type": order + name, "fallback": f"{order}i8"},
        "fill_value": 5,
    }
    values = np.array([1, 2], f"{order}{name}")
    array = opened(document, {"0": values.tobytes()})
    assert array.dtype == np.dtype(name)
    assert array[:2].tolist() == values.tolist()
    assert array[3] == np.array(5, np.dtype(name))
    array[2:] = values
    assert array.store.get("data/a/1") == values.tobytes()


def test_datetimes_are_written_so() -> None:
    store = MemoryStore()
    values = np.array(["2019-06-19", "NaT"], "M8[s]")
    omnizarr.create_array(store, path="t", data=values, zarr_format=NAME, fill_value=np.datetime64("NaT"))
    document = json.loads(store.get("meta/root/t.array") or b"")
    assert document["data_type"] == {"extension": DATETIMES, "type": "<M8[s]", "fallback": "<i8"}
    found = omnizarr.open_array(store, mode="r", path="t")
    assert found[:].astype(str).tolist() == ["2019-06-19T00:00:00", "NaT"]
    assert np.isnat(found.fill_value)


def test_an_unknown_type_falls_back_and_says_so() -> None:
    uri = "http://example.org/zarr/extension/fixed-point"
    document = {"data_type": {"extension": uri, "type": "q7.8", "fallback": "<i2"}, "fill_value": 3}
    with pytest.warns(UserWarning, match=r"q7\.8.*fixed-point is not known here: read as int16"):
        array = opened(document, {"0": np.array([1, 2], "<i2").tobytes()})
    assert array[:].tolist() == [1, 2, 3, 3]
    del document["data_type"]["fallback"]  # type: ignore[attr-defined]
    with pytest.raises(UnsupportedError, match="names no fallback"):
        opened(document)


@pytest.mark.parametrize(
    ("field", "extension"),
    [
        ("chunk_grid", {"extension": "http://example.org/grid", "type": "irregular"}),
        ("chunk_memory_layout", {"extension": "http://example.org/layout", "type": "morton"}),
    ],
)
def test_unknown_grids_and_layouts_have_no_fallback(field: str, extension: dict[str, str]) -> None:
    with pytest.raises(UnsupportedError, match=extension["extension"]):
        opened({field: extension})


@pytest.mark.parametrize(
    ("code", "fill", "value"),
    [
        ("<f8", "NaN", np.nan),
        ("<f4", "Infinity", np.inf),
        (">f2", "-Infinity", -np.inf),
        ("<f8", 1.5, 1.5),
        ("<i8", -(2**63), -(2**63)),
        ("u1", 255, 255),
        ("bool", True, True),
        ("<i4", None, 0),
    ],
)
def test_fill_values(code: str, fill: Any, value: Any) -> None:
    array = opened({"data_type": code, "fill_value": fill})
    assert np.array_equal(array[:], np.full(4, value, array.dtype), equal_nan=array.dtype.kind == "f")


def test_chunk_separators() -> None:
    chunk = np.array([[1]], "<i4").tobytes()
    grid = {"type": "regular", "chunk_shape": [1, 1]}
    assert opened({"shape": [1, 2], "chunk_grid": grid}, {"0.1": chunk})[:].tolist() == [[0, 1]]
    slashed = {**grid, "separator": "/"}
    assert opened({"shape": [1, 2], "chunk_grid": slashed}, {"0/1": chunk})[:].tolist() == [[0, 1]]


def test_edge_chunks_are_whole() -> None:
    array = opened({"shape": [3], "compressor": None})
    array[:] = [1, 2, 3]
    assert len(array.store.get("data/a/1") or b"") == 8
