"""The documents and keys of the draft of June 2019."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from omnizarr import create_array
from omnizarr.errors import ConversionError, MetadataError, UnsupportedError
from omnizarr.jsontypes import Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.convert import to_v2, to_v3
from omnizarr.metadata.formats.drafts.bootstrap import Bootstrap, bootstrap_document, read_bootstrap
from omnizarr.metadata.formats.drafts.declared import Declared, register_extension
from omnizarr.metadata.formats.drafts.draft2019 import Draft2019
from omnizarr.metadata.group import GroupMetadata
from omnizarr.store import MemoryStore

# The example of the design document.
ARRAY: dict[str, Any] = {
    "shape": [10000, 1000],
    "data_type": "<f8",
    "chunk_grid": {"type": "regular", "chunk_shape": [1000, 100]},
    "chunk_memory_layout": "C",
    "compressor": {"codec": "http://purl.org/zarr/spec/codec/gzip", "configuration": {"level": 1}},
    "fill_value": "NaN",
    "extensions": [],
    "attributes": {"foo": 42, "bar": "apples", "baz": [1, 2, 3, 4]},
}
BOOTSTRAP: dict[str, Any] = {
    "zarr_format": "http://purl.org/zarr/spec/protocol/core/3.0",
    "metadata_encoding": "application/json",
    "extensions": [
        {
            "extension": "http://example.org/zarr/extension/foo",
            "must_understand": False,
            "configuration": {"foo": "bar"},
        }
    ],
}
FORMAT = Draft2019()
DATETIMES = "http://purl.org/zarr/spec/protocol/extensions/datetime-dtypes/1.0"


def read(document: Any, path: str = "foo/baz") -> ArrayMetadata:
    problems = Problems()
    [key] = [key for key in FORMAT.document_keys(path) if key.endswith(".array")]
    found = FORMAT.read(path, {key: json.dumps(document).encode()}, problems)
    problems.check()
    assert isinstance(found, ArrayMetadata)
    return found


def written(metadata: Any, path: str = "foo/baz") -> Any:
    [data] = FORMAT.write(path, metadata).values()
    return json.loads(data)


def test_the_example_of_the_document_is_read_and_written_back() -> None:
    array = read(ARRAY)
    assert array.shape == (10000, 1000)
    assert array.data_type.dtype == np.dtype("f8")
    assert [codec.name for codec in array.codecs] == ["bytes", "gzip"]
    assert np.isnan(array.fill_value)
    assert array.chunk_keys.key((0, 3)) == "0.3"
    assert written(array) == ARRAY


@pytest.mark.parametrize(
    "code", ["bool", "i1", "u1", *(o + k + n for o in "<>" for k in "iuf" for n in "248")]
)
def test_every_core_type_in_both_byte_orders_and_layouts(code: str) -> None:
    for layout in "CF":
        document = {
            **ARRAY,
            "data_type": code,
            "chunk_memory_layout": layout,
            "fill_value": 0,
            "compressor": None,
        }
        if code == "bool":
            document["fill_value"] = False
        array = read(document)
        assert array.data_type.dtype == np.dtype(code).newbyteorder("=")
        assert written(array) == document
        endian = array.codecs[-1].configuration.get("endian", "none")
        assert endian == {"<": "little", ">": "big"}.get(code[0], "none")
        assert (array.codecs[0].name == "transpose") == (layout == "F")


def test_dates_are_an_extension_type() -> None:
    data_type = {"extension": DATETIMES, "type": "<M8[ns]", "fallback": "<i8"}
    document = {**ARRAY, "data_type": data_type, "fill_value": "NaT"}
    array = read(document)
    assert array.data_type.dtype == np.dtype("M8[ns]")
    assert np.isnat(array.fill_value)
    assert written(array) == document


def test_an_unknown_extension_type_falls_back_says_so_and_is_written_back() -> None:
    data_type = {"extension": "http://example.org/quantities", "type": "<metres", "fallback": "<f4"}
    document = {**ARRAY, "data_type": data_type}
    with pytest.warns(UserWarning, match=r'"<metres" of http://example\.org/quantities .* read as float32'):
        array = read(document)
    assert array.data_type.name == "float32"
    assert written(array) == document
    assert written(array.with_attributes({"more": 1}))["data_type"] == data_type
    del data_type["fallback"]
    with pytest.raises(UnsupportedError, match="names no fallback"):
        read(document)


@pytest.mark.parametrize(
    "uri",
    [
        "http://purl.org/zarr/spec/codec/gzip",
        "https://purl.org/zarr/spec/codec/gzip",
        "https://purl.org/zarr/spec/codec/gzip/1.0",
        "https://purl.org/zarr/spec/codecs/gzip/1.0",
    ],
)
def test_every_spelling_of_a_codec_is_read_and_kept(uri: str) -> None:
    document = {**ARRAY, "compressor": {"codec": uri, "configuration": {"level": 5}}}
    array = read(document)
    assert array.codecs[-1].name == "gzip"
    assert written(array) == document


@pytest.mark.parametrize("separator", [".", "/"])
def test_separators(separator: str) -> None:
    grid = {"type": "regular", "chunk_shape": [1000, 100], "separator": separator}
    document = {**ARRAY, "chunk_grid": grid}
    array = read(document)
    assert array.chunk_keys.key((1, 2)) == f"1{separator}2"
    assert written(array) == document


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"zarr_format": 3}, "zarr_format: unknown name"),
        ({"shape": [10]}, r"chunk_grid.chunk_shape: expected 1 lengths"),
        ({"data_type": "<c8"}, "data_type: expected a type"),
        ({"chunk_memory_layout": "K"}, 'chunk_memory_layout: expected "C" or "F"'),
        ({"chunk_grid": {"type": "regular", "chunk_shape": [0, 1]}}, r"chunk_grid.chunk_shape\[0\]"),
        ({"chunk_grid": {"extension": "http://x.org/g", "type": "odd"}}, "http://x.org/g"),
        ({"compressor": {"codec": "http://x.org/c", "configuration": {}}}, "http://x.org/c"),
        (
            {"extensions": [{"extension": "http://x.org/e", "must_understand": True}]},
            "http://x.org/e must be",
        ),
        ({"extensions": [{"extension": "http://x.org/e"}]}, r"extensions\[0\].must_understand: required"),
        ({"fill_value": "zero"}, "fill_value"),
        ({"attributes": []}, "attributes: expected an object"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(MetadataError, match=said):
        read({**ARRAY, **change})


def test_every_name_is_mandatory() -> None:
    for name in ARRAY:
        with pytest.raises(MetadataError, match=f"(^|  - ){name}: required, but missing"):
            read({key: value for key, value in ARRAY.items() if key != name})


def test_keys() -> None:
    assert FORMAT.document_keys("foo/bar") == ("meta/root/foo/bar.array", "meta/root/foo/bar.group")
    assert FORMAT.document_keys("") == ("meta/root.array", "meta/root.group")
    array = read(ARRAY)
    assert FORMAT.data_prefix("foo/baz", array) + array.chunk_keys.key((0, 0)) == "data/foo/baz/0.0"
    assert FORMAT.data_prefix("", array) == "data/"
    for path in ("", "a", "a/b.c"):
        assert [FORMAT.node_path(key) for key in FORMAT.document_keys(path)] == [path, path]
    for key in (
        "zarr.json",
        "meta/root",
        "meta/root/.array",
        "data/a.array",
        "meta/roots.array",
        "meta/a.group",
    ):
        assert FORMAT.node_path(key) is None


def test_children_of_a_listing() -> None:
    listing = ["meta/root/a/x.array", "meta/root/a/y.group", "meta/root/a/z.txt"]
    found = FORMAT.children("a", listing, ["meta/root/a/y/", "meta/root/a/w/"])
    assert found == {"a/w": (), "a/x": ("meta/root/a/x.array",), "a/y": ("meta/root/a/y.group",)}


def test_bootstrap() -> None:
    problems = Problems()
    found = read_bootstrap(BOOTSTRAP, problems)
    problems.check()
    assert found.extensions == (Declared("http://example.org/zarr/extension/foo", False, {"foo": "bar"}),)
    assert json.loads(found.to_bytes()) == BOOTSTRAP
    assert json.loads(Bootstrap().to_bytes()) == {**BOOTSTRAP, "extensions": []}
    assert bootstrap_document(found.to_bytes()) == BOOTSTRAP
    assert bootstrap_document(b'{"zarr_format": 3, "node_type": "group"}') is None
    assert bootstrap_document(b"{") is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"zarr_format": "http://purl.org/zarr/spec/protocol/core/4.0"}, "version 4"),
        ({"zarr_format": "http://example.org"}, "expected the URI of a core protocol"),
        ({"metadata_encoding": "text/x-toml"}, "text/x-toml"),
        ({"extensions": None}, "extensions: expected a list"),
        (
            {"extensions": [{"extension": "http://x.org/e", "must_understand": True}]},
            "http://x.org/e must be",
        ),
    ],
)
def test_a_wrong_bootstrap_is_named(change: dict[str, Any], said: str) -> None:
    problems = Problems()
    read_bootstrap({**BOOTSTRAP, **change}, problems)
    with pytest.raises(MetadataError, match=said):
        problems.check()


def test_a_registered_extension_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    uri = "http://example.org/known/1.0"
    monkeypatch.setattr("omnizarr.metadata.formats.drafts.declared._KNOWN", {})
    document = {**ARRAY, "extensions": [{"extension": uri, "must_understand": True}]}
    with pytest.raises(UnsupportedError, match=uri):
        read(document)
    register_extension(uri)
    assert written(read(document)) == document


def test_documents_in_msgpack() -> None:
    packed = Draft2019(Bootstrap(metadata_encoding="application/msgpack"))
    documents = packed.write("a", read(ARRAY))
    problems = Problems()
    found = packed.read("a", documents, problems)
    assert not problems
    assert written(found) == ARRAY
    for broken in (b"", b"\xc1", documents["meta/root/a.array"][:-3], documents["meta/root/a.array"] + b"\0"):
        problems = Problems()
        assert packed.read("a", {"meta/root/a.array": broken}, problems) is None
        with pytest.raises(MetadataError, match="expected application/msgpack"):
            problems.check()


def test_groups() -> None:
    problems = Problems()
    document = {"extensions": [], "attributes": {"spam": "ham", "eggs": 42}}
    group = FORMAT.read("g", {"meta/root/g.group": json.dumps(document).encode()}, problems)
    assert isinstance(group, GroupMetadata)
    assert not problems
    assert written(group) == document


def test_arrays_of_other_formats() -> None:
    array = to_v3(read(ARRAY)).metadata
    assert isinstance(array, ArrayMetadata)
    assert array.chunk_keys.key((0, 0)) == "c/0/0"
    assert to_v2(read(ARRAY)).same_bytes
    assert not to_v2(read(ARRAY)).losses
    back = written(to_v2(read(ARRAY)).metadata)
    assert back == {**ARRAY, "compressor": back["compressor"]}
    assert back["compressor"]["codec"] == "http://purl.org/zarr/spec/codec/gzip"


def test_what_the_draft_cannot_hold_is_refused() -> None:
    for arguments, said in (
        ({"dtype": "c8"}, "complex64"),
        ({"dtype": "str"}, "vlen-utf8"),
        ({"dtype": "f4", "dimension_names": ["x"]}, "dimension names"),
        ({"dtype": "f4", "shards": (4,), "chunks": (2,)}, "sharding_indexed"),
        ({"dtype": "f4", "compressors": [{"name": "gzip"}, {"name": "crc32c"}]}, "crc32c"),
    ):
        made = create_array(MemoryStore(), shape=(4,), **arguments)  # type: ignore[arg-type]
        with pytest.raises(ConversionError, match=said):
            FORMAT.write("a", made.metadata)
