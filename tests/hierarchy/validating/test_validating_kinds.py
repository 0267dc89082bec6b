"""Names, lost nodes, two formats at once, checksums, sizes, levels, limits."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import NodeNotFoundError, StoreError
from omnizarr.hierarchy.validate import Report
from omnizarr.store import CountingStore, FaultStore, MemoryStore

both = pytest.mark.parametrize("number", [2, 3])


def told(report: Report) -> list[tuple[str, str, str]]:
    return [(finding.kind, finding.path, finding.at) for finding in report.findings]


def with_arrays(number: int, *names: str) -> MemoryStore:
    store = MemoryStore()
    root = omnizarr.create_group(store, zarr_format=number)
    for name in names:
        root.create_array(name, shape=(4,), chunks=(2,), dtype="u1", compressors=None)[:] = 7
    return store


@both
def test_names_that_a_file_system_takes_for_one(number: int) -> None:
    report = omnizarr.validate(with_arrays(number, "Temp", "temp", "g/temp"))
    assert told(report) == [("name", "temp", "")]
    assert "does not tell upper from lower case takes it for 'Temp'" in report.findings[0].message


@both
def test_names_in_two_normal_forms(number: int) -> None:
    composed, decomposed = (unicodedata.normalize(form, "é") for form in ("NFC", "NFD"))
    (finding,) = omnizarr.validate(with_arrays(number, composed, decomposed)).findings
    assert finding.kind == "name" and "in another Unicode normal form" in finding.message
    assert omnizarr.validate(with_arrays(number, decomposed)).findings == ()


def test_names_that_windows_cannot_hold_are_noted() -> None:
    report = omnizarr.validate(with_arrays(3, "a:b", "ok"))
    assert report.findings == ()
    assert [(note.kind, note.path) for note in report.notes] == [("name", "a:b")]


@both
def test_a_node_below_an_array_is_lost_and_stays(number: int) -> None:
    store = with_arrays(number, "a", "b")
    for key in list(store.list_prefix("b/")):
        store.set(f"a/{key}", store.get(key) or b"")
    keys = set(store.list_prefix())
    assert told(omnizarr.validate(store)) == [("lost", "a/b", "")]
    assert omnizarr.repair(store).removed == 0
    assert set(store.list_prefix()) == keys


@pytest.mark.parametrize("key", ["0/1", "c/0/1", "c.0.1", "0.1.2", "5"])
def test_chunks_by_another_encoding_are_lost_and_stay(key: str) -> None:
    """Nested directories that zarr-python once wrote have no `dimension_separator`."""
    store = MemoryStore()
    data = np.ones((2, 2), "u1")
    omnizarr.create_array(store, path="a", data=data, chunks=(1, 1), zarr_format=2)
    store.set(f"a/{key}", b"1")
    assert told(omnizarr.validate(store)) == [("lost", "a", f"a/{key}")]
    assert omnizarr.repair(store).removed == 0
    assert store.exists(f"a/{key}")


def test_attributes_without_a_node_are_lost_and_stay() -> None:
    store = with_arrays(2, "a")
    store.set("x/.zattrs", b"{}")
    store.set("x/0.0", b"1")
    assert told(omnizarr.validate(store)) == [("lost", "x", "x/.zattrs")]
    assert omnizarr.repair(store).removed == 0
    assert store.exists("x/0.0")


def test_what_lies_below_a_broken_node_stays() -> None:
    store = with_arrays(3, "a")
    store.set("a/zarr.json", b"{")
    store.set("a/c/99", b"1")
    assert [kind for kind, _, _ in told(omnizarr.validate(store))] == ["metadata"]
    assert omnizarr.repair(store).removed == 0


def test_a_document_of_the_other_format_within() -> None:
    store = with_arrays(2, "a")
    store.set("b/zarr.json", with_arrays(3, "b").get("b/zarr.json") or b"")
    store.set("b/c/0", b"12")
    assert told(omnizarr.validate(store)) == [("lost", "b", "b/zarr.json")]
    assert omnizarr.repair(store).removed == 0


def dual() -> MemoryStore:
    """Two formats that describe the same chunks."""
    store = with_arrays(2, "a")
    root = omnizarr.create_group(MemoryStore())
    keys = {"name": "v2", "separator": "."}
    root.create_array("a", shape=(4,), chunks=(2,), dtype="u1", chunk_key_encoding=keys, compressors=None)
    for key in root.store.list_prefix():
        store.set(key, root.store.get(key) or b"")
    return store


def test_two_formats_in_one_directory() -> None:
    store = dual()
    report = omnizarr.validate(store, level="data")
    assert report.findings == ()
    assert {(note.kind, note.path) for note in report.notes} == {("formats", ""), ("formats", "a")}
    for number in (2, 3):  # the documents of the other are no strangers, nor are its chunks
        assert omnizarr.validate(store, zarr_format=number).findings == ()
    document = json.loads(store.get("a/zarr.json") or b"")
    store.set("a/zarr.json", json.dumps({**document, "shape": [2]}).encode())
    assert told(omnizarr.validate(store)) == [("formats", "a", "")]
    assert omnizarr.repair(store).removed == 0
    assert omnizarr.repair(store, zarr_format=3).removed == 0
    assert store.exists("a/1")


def test_a_node_that_one_of_two_formats_cannot_read() -> None:
    store = dual()
    store.set("a/.zarray", b"{")
    store.set("a/1", b"?")
    store.set("a/9", b"12")
    report = omnizarr.validate(store, level="data")
    assert told(report) == [("metadata", "a", ".zarray"), ("chunk", "a", "a/1")]
    assert omnizarr.repair(store).removed == 0


def test_consolidated_metadata_of_a_format_that_a_node_has_left() -> None:
    store = dual()
    omnizarr.consolidate_metadata(store, zarr_format=2)
    store.delete("a/.zarray")
    report = omnizarr.validate(store, level="data")
    assert told(report) == [("consolidated", "", "a")] and report.chunks == 2
    omnizarr.repair(store)
    assert told(omnizarr.validate(store, level="data")) == []


def v2_array(data: Any, **fields: Any) -> MemoryStore:
    store = MemoryStore()
    omnizarr.create_array(store, data=data, chunks=data.shape, zarr_format=2, **fields)
    return store


CHECKSUMS = ["crc32", "crc32c", "adler32", "fletcher32", "jenkins_lookup3"]


@pytest.mark.parametrize("name", CHECKSUMS)
def test_checksums(name: str) -> None:
    fields = {"initval": 0} if name == "jenkins_lookup3" else {}
    store = v2_array(np.arange(1, 9, dtype="u1"), compressors=None, filters=[{"id": name, **fields}])
    assert omnizarr.validate(store, level="data").findings == ()
    value = bytearray(store.get("0") or b"")
    value[5] ^= 4
    store.set("0", bytes(value))
    assert told(omnizarr.validate(store, level="data")) == [("checksum", "", "0")]


@pytest.mark.parametrize("codec", [None, "zlib", "gzip", "zstd", "lz4", "bz2", "blosc", "lzma"])
@pytest.mark.parametrize("change", ["cut", "longer"])
def test_missing_and_trailing_bytes(codec: str | None, change: str) -> None:
    store = v2_array(np.arange(1, 99, dtype="<u4"), compressors=codec and {"id": codec}, filters=None)
    assert omnizarr.validate(store, level="data").findings == ()
    value = store.get("0") or b""
    store.set("0", value[:-3] if change == "cut" else value + b"abc")
    found = told(omnizarr.validate(store, level="data"))
    assert found == [("chunk", "", "0")], found


def test_edge_chunks_are_whole_chunks_in_a_regular_grid() -> None:
    store = MemoryStore()
    omnizarr.create_array(store, shape=(5,), chunks=(3,), dtype="u1", compressors=None)[:] = 1
    assert omnizarr.validate(store, level="data").findings == ()
    store.set("c/1", b"12")
    (finding,) = omnizarr.validate(store, level="data").findings
    assert (finding.kind, finding.message) == ("chunk", "codec bytes: expected 3 bytes, found 2")


def test_a_chunk_of_fill_values_is_noted() -> None:
    store = with_arrays(3, "a")
    store.set("a/c/1", bytes(2))
    report = omnizarr.validate(store, level="data")
    assert report.findings == ()
    assert [(note.kind, note.path, note.at) for note in report.notes] == [("empty", "a", "a/c/1")]


def test_a_chunk_that_the_store_cannot_read_is_a_finding() -> None:
    def fault(operation: str, key: str) -> Exception | None:
        return StoreError("bad sector", key=key) if key == "a/c/1" and "get" in operation else None

    report = omnizarr.validate(FaultStore(with_arrays(3, "a"), fault), level="data")
    assert told(report) == [("store", "a", "a/c/1")]
    assert "bad sector" in report.findings[0].message


def test_a_document_that_the_store_cannot_read_is_a_finding() -> None:
    def fault(operation: str, key: str) -> Exception | None:
        return StoreError("bad sector", key=key) if key == "a/zarr.json" and operation == "get" else None

    store = with_arrays(3, "a", "b")
    assert told(omnizarr.validate(FaultStore(store, fault), level="data")) == [("store", "a", "a/zarr.json")]
    assert omnizarr.repair(FaultStore(store, fault)).removed == 0


@both
def test_levels_ask_for_no_more_than_they_look_at(number: int) -> None:
    store = CountingStore(with_arrays(number, *(f"g{i}/a" for i in range(3))))
    node = omnizarr.open_group(store, mode="r")
    store.reset()
    assert omnizarr.validate(node, level="keys").findings == ()
    documents = 1 + 3 + 3
    assert store.counts == {"list_prefix": 1, "get": documents}
    store.reset()
    report = omnizarr.validate(node, level="data")
    assert store.counts["list_prefix"] == 1 and store.counts["get"] == documents + report.chunks
    assert (report.nodes, report.chunks) == (7, 6)


def test_documents_alone_list_no_chunks() -> None:
    inner = with_arrays(3, "g/a")
    inner.set("g/a/c/99", b"1")
    inner.lists_cheaply = False
    store = CountingStore(inner)
    node = omnizarr.open_group(store, mode="r")
    store.reset()
    assert omnizarr.validate(node, level="documents").findings == ()
    assert store.counts == {"list_dir": 2, "get": 3}


def test_more_findings_than_are_kept_are_counted() -> None:
    store = with_arrays(3, "a")
    for number in range(50):
        store.set(f"a/c/{number + 10}", b"12")
    heard: list[Any] = []
    report = omnizarr.validate(store, max_findings=7, tell=heard.append)
    assert len(report.findings) == 8 and len(heard) == 7
    assert str(report.findings[-1]) == "/: 43 more than are listed; in all 50 outside"
    assert report.counts == {"outside": 50}
    assert len(omnizarr.validate(store, max_findings=None).findings) == 50
    assert omnizarr.repair(store, max_findings=7).removed == 50


def test_arguments_that_make_no_sense() -> None:
    store = with_arrays(3, "a")
    with pytest.raises(ValueError, match="level: expected one of documents, keys, data, found 'all'"):
        omnizarr.validate(store, level="all")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="workers: expected at least 1, found 0"):
        omnizarr.validate(store, workers=0)
    with pytest.raises(NodeNotFoundError):
        omnizarr.validate(store, path="none")


def test_what_people_and_conventions_put_beside_data_is_no_stranger() -> None:
    store = with_arrays(3, "a")
    for key in ("README.md", "LICENSE", "OME/METADATA.ome.xml", "ro-crate-metadata.json", "a/.nczarray"):
        store.set(key, b"text")
    assert omnizarr.validate(store).findings == ()


@pytest.mark.parametrize("path", ["", "a"])
def test_the_document_of_a_group_beside_that_of_an_array(path: str) -> None:
    store = MemoryStore()
    omnizarr.create_array(store, path=path, data=np.arange(4), zarr_format=2)
    key = f"{path}/.zgroup".lstrip("/")
    store.set(key, b'{"zarr_format": 2}')
    assert told(omnizarr.validate(store)) == [("lost", path, key)]
    assert omnizarr.repair(store).removed == 0
