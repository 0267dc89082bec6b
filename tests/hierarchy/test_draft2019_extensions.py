"""What extends the protocol of the draft of 2019: consolidated metadata, encodings, types; each by URI."""

from __future__ import annotations

import json
from collections.abc import Iterator

import msgpack
import numpy as np
import pytest

import omnizarr
from omnizarr import Array, Group, drafts
from omnizarr.errors import ConversionError, MetadataError, NodeExistsError, UnsupportedError
from omnizarr.hierarchy.consolidate import consolidate_nodes
from omnizarr.jsontypes import dump_json, parse_json
from omnizarr.metadata.dtype import PLAIN
from omnizarr.metadata.formats.drafts import data_types, declared, encodings
from omnizarr.store import MemoryStore
from omnizarr.store.layers.wrap import CountingStore

NAME = "3-2019"


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Forget what a test has registered."""
    known = (declared._KNOWN, encodings._KNOWN, data_types._KNOWN)
    before = [table.copy() for table in known]
    yield
    declared._KNOWN.clear()
    declared._KNOWN.update(before[0])  # type: ignore[arg-type]
    encodings._KNOWN.clear()
    encodings._KNOWN.update(before[1])  # type: ignore[arg-type]
    data_types._KNOWN[:] = before[2]  # type: ignore[assignment]


def example(store: MemoryStore | CountingStore, **arguments: str) -> Group:
    root = omnizarr.create_group(store, zarr_format=NAME, attributes={"title": "t"}, **arguments)  # type: ignore[arg-type]
    root.create_array("a/b", data=np.arange(4), attributes={"units": "m"})
    root.create_array("a/c/d", shape=2)
    return root


# --- a hierarchy and what it declares


def test_a_hierarchy_is_made_by_one_write() -> None:
    store = CountingStore(MemoryStore())
    root = drafts.create_hierarchy(store)
    assert store.counts["set_if_absent"] == 1
    assert list(store.list_prefix()) == ["zarr.json"]
    assert list(root.members()) == []
    assert omnizarr.open_group(store, mode="r").zarr_format == NAME
    with pytest.raises(NodeExistsError, match="a hierarchy of Zarr 3-2019 is there already"):
        drafts.create_hierarchy(store)


def test_it_declares_extensions() -> None:
    store = MemoryStore()
    extension = drafts.Declared("http://example.org/foo", False, {"foo": "bar"})
    root = drafts.create_hierarchy(store, extensions=[extension], attributes={"x": 1}, path="below/here")
    assert sorted(store.list_prefix()) == ["below/here/meta/root.group", "below/here/zarr.json"]
    assert drafts.bootstrap_of(root).extensions == (extension,)
    found = omnizarr.open_group(store, mode="r", path="below/here")
    assert drafts.bootstrap_of(found) == drafts.bootstrap_of(root)
    with pytest.raises(ConversionError, match="expected Zarr 3-2019, found Zarr 3"):
        drafts.bootstrap_of(omnizarr.create_group())


def test_an_extension_that_must_be_understood_has_to_be_registered() -> None:
    store = MemoryStore()
    extension = drafts.Declared("http://example.org/bar", True, {"level": 3})
    with pytest.raises(UnsupportedError, match=r"http://example\.org/bar"):
        drafts.create_hierarchy(store, extensions=[extension])
    assert list(store.list_prefix()) == []
    drafts.register_extension(extension.uri)
    drafts.create_hierarchy(store, extensions=[extension])
    assert omnizarr.open_group(store, mode="r").zarr_format == NAME
    drafts.register_extension(
        extension.uri, lambda configuration, at, problems: problems.add(f"{at}.level", "too high")
    )
    with pytest.raises(MetadataError, match=r"extensions\[0\]\.configuration\.level: too high"):
        omnizarr.open(store, mode="r")


# --- consolidated metadata


@pytest.mark.parametrize("encoding", [drafts.JSON, drafts.MSGPACK])
def test_consolidated_metadata(encoding: str) -> None:
    store = CountingStore(MemoryStore())
    root = example(store, metadata_encoding=encoding)
    before = [(path, node.metadata) for path, node in root.members(max_depth=None)]
    omnizarr.consolidate_metadata(root)
    assert json.loads(store.get("zarr.json") or b"")["extensions"] == [
        {
            "extension": "urn:omnizarr:extension:consolidated-metadata:1.0",
            "must_understand": False,
            "configuration": {"key": "meta/consolidated"},
        }
    ]
    store.reset()
    found = omnizarr.open_group(store, mode="r+")
    assert store.counts == {"get": 2}
    assert dict(found.attrs) == {"title": "t"}
    assert [(path, node.metadata) for path, node in found.members(max_depth=None)] == before
    assert found["a/b"].attrs["units"] == "m"
    assert store.counts == {"get": 2}
    assert len(omnizarr.validate(store).findings) == 0


def test_the_document() -> None:
    store = MemoryStore()
    example(store)
    omnizarr.consolidate_metadata(store)
    keys = ("meta/root.group", "meta/root/a/b.array", "meta/root/a/c/d.array")
    repeated = json.loads(store.get("meta/consolidated") or b"")["metadata"]
    own = {key: json.loads(store.get(key) or b"") for key in keys}
    assert {key: repeated[key] for key in keys} == own


def test_it_becomes_stale_and_is_written_again() -> None:
    store = MemoryStore()
    example(store)
    omnizarr.consolidate_metadata(store)
    omnizarr.open_group(store, mode="r+").create_array("new", shape=1)
    assert "new" not in omnizarr.open_group(store, mode="r")
    assert "new" in omnizarr.open_group(store, mode="r", use_consolidated=False)
    omnizarr.consolidate_metadata(store)
    assert "new" in omnizarr.open_consolidated(store)


def test_it_is_declared_and_not_there_yet() -> None:
    store = MemoryStore()
    example(store)
    omnizarr.consolidate_metadata(store)
    store.delete("meta/consolidated")
    assert "a/b" in omnizarr.open_group(store, mode="r")
    with pytest.raises(MetadataError, match="no consolidated metadata"):
        omnizarr.open_consolidated(store)


def test_what_is_wrong_in_it_is_named() -> None:
    store = MemoryStore()
    example(store)
    omnizarr.consolidate_metadata(store)
    document = json.loads(store.get("meta/consolidated") or b"")
    document["metadata"]["meta/root/a/b.array"]["shape"] = "x"
    document["metadata"]["elsewhere"] = {}
    store.set("meta/consolidated", json.dumps(document).encode())
    with pytest.raises(MetadataError) as caught:
        omnizarr.open_group(store, mode="r")
    assert 'metadata["meta/root/a/b.array"]' in str(caught.value)
    assert "shape" in str(caught.value)
    assert 'metadata["elsewhere"]' in str(caught.value)
    assert "a/b" in omnizarr.open_group(store, mode="r", use_consolidated=False)


def test_only_roots_have_it() -> None:
    store = MemoryStore()
    example(store)
    with pytest.raises(ConversionError, match="at their root alone"):
        omnizarr.consolidate_metadata(store, path="a")


# --- encodings


def test_documents_in_msgpack() -> None:
    store = MemoryStore()
    root = example(store, metadata_encoding="application/msgpack")
    assert json.loads(store.get("zarr.json") or b"")["metadata_encoding"] == "application/msgpack"
    assert msgpack.unpackb(store.get("meta/root/a/b.array"))["attributes"] == {"units": "m"}
    found = omnizarr.open_group(store, mode="r+")
    array = found["a/b"]
    assert isinstance(array, Array)
    assert array[:].tolist() == [0, 1, 2, 3]
    array.attrs["more"] = True
    array.resize((2,))
    assert msgpack.unpackb(store.get("meta/root/a/b.array"))["shape"] == [2]
    assert [path for path, _ in root.members(max_depth=None)] == ["a", "a/b", "a/c", "a/c/d"]
    assert omnizarr.create_array(store, path="new", shape=1).zarr_format == NAME
    assert msgpack.unpackb(store.get("meta/root/new.array"))["shape"] == [1]


def test_broken_msgpack_is_told_of() -> None:
    store = MemoryStore()
    example(store, metadata_encoding="application/msgpack")
    store.set("meta/root/a/b.array", b"\xdf\xff\xff\xff\xff")
    with pytest.raises(MetadataError, match="expected application/msgpack"):
        omnizarr.open(store, mode="r", path="a/b")


def test_an_encoding_of_ones_own() -> None:
    encoding = drafts.Encoding(
        "http://example.org/encoding/reversed",
        lambda document: dump_json(document)[::-1],
        lambda data: parse_json(data[::-1]),
    )
    with pytest.raises(UnsupportedError, match="reversed"):
        omnizarr.create_group(zarr_format=NAME, metadata_encoding=encoding.name)
    drafts.register_encoding(encoding)
    store = MemoryStore()
    example(store, metadata_encoding=encoding.name)
    assert (store.get("meta/root.group") or b"").strip().startswith(b"}")
    assert omnizarr.open_group(store, mode="r")["a/b"].attrs["units"] == "m"


def test_where_an_encoding_may_be_asked_for() -> None:
    store = MemoryStore()
    example(store, metadata_encoding="application/msgpack")
    omnizarr.create_group(store, path="g", metadata_encoding="application/msgpack", zarr_format=NAME)
    with pytest.raises(ConversionError, match="expected 'application/json', found 'application/msgpack'"):
        omnizarr.create_group(store, path="h", metadata_encoding="application/json", zarr_format=NAME)
    with pytest.raises(ConversionError, match="zarr_format='3-2019'"):
        omnizarr.create_group(zarr_format=3, metadata_encoding="application/msgpack")


# --- data types


def test_a_type_extension_of_ones_own() -> None:
    uri = "http://example.org/zarr/extension/raw-halves/1.0"
    extension = drafts.TypeExtension(
        uri,
        lambda name: drafts.StoredType(PLAIN["complex64"], "little") if name == "pair" else None,
        lambda data_type, order: "pair" if data_type.name == "complex64" and order == "little" else None,
        lambda data_type, order: "<f8",
    )
    with pytest.raises(ConversionError, match="complex64"):
        omnizarr.create_array(shape=2, dtype="c8", zarr_format=NAME)
    drafts.register_type_extension(extension)
    store = MemoryStore()
    array = omnizarr.create_array(store, path="z", shape=2, dtype="c8", fill_value=0, zarr_format=NAME)
    array[:] = [1 + 2j, 3]
    document = json.loads(store.get("meta/root/z.array") or b"")
    assert document["data_type"] == {"extension": uri, "type": "pair", "fallback": "<f8"}
    assert omnizarr.open_array(store, mode="r", path="z")[:].tolist() == [1 + 2j, 3]


def test_what_msgpack_cannot_hold_or_holds_beside_json() -> None:
    store = MemoryStore()
    root = example(store, metadata_encoding="application/msgpack")
    with pytest.raises(ConversionError, match="64 bits"):
        root.attrs["big"] = 2**70
    for value in (b"bytes", msgpack.Timestamp(1), msgpack.ExtType(5, b"x")):
        document = {"extensions": [], "attributes": {"x": value}}
        store.set("meta/root/a.group", msgpack.packb(document))
        with pytest.raises(MetadataError, match="expected application/msgpack: no types of JSON"):
            omnizarr.open(store, mode="r", path="a")
    store.set("meta/root/a.group", msgpack.packb({"extensions": [], "attributes": {}}) + b"\x00")
    with pytest.raises(MetadataError, match="extra data"):
        omnizarr.open(store, mode="r", path="a")


def test_what_others_have_declared_meanwhile_stays_when_metadata_are_consolidated() -> None:
    store = MemoryStore()
    root = example(store)
    extension = drafts.Declared("http://example.org/foo", False)
    bootstrap = drafts.bootstrap_of(root).with_extension(extension)
    store.set("zarr.json", bootstrap.to_bytes())
    nodes = {path: node.metadata for path, node in root.members(max_depth=None)}
    consolidate_nodes(root, nodes)
    found = omnizarr.open_consolidated(store)
    assert [one.uri for one in drafts.bootstrap_of(found).extensions] == [extension.uri, drafts.CONSOLIDATED]
    assert len(list(found.members(max_depth=None))) == 4
