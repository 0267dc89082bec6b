"""Every kind of finding, each with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from omnizarr.hierarchy.consolidate import consolidate_metadata
from omnizarr.hierarchy.copying.journal import JOURNAL, Journal
from omnizarr.hierarchy.create import create_group
from omnizarr.hierarchy.opening.formats import FORMATS
from omnizarr.hierarchy.validate import Finding, validate
from omnizarr.netcdf import Dataset
from omnizarr.store.directories.directory import DirectoryStore
from omnizarr.store.memory import MemoryStore

both = pytest.mark.parametrize("number", [2, 3])


def sample(number: int) -> MemoryStore:
    store = MemoryStore()
    root = create_group(store, zarr_format=number)
    array = root.create_array("g/a", shape=(4, 6), chunks=(2, 3), dtype="f4", fill_value=np.nan)
    array[...] = np.arange(24).reshape(4, 6)
    root.create_array("b", shape=(), dtype="i8", fill_value=1, compressors=None)[...] = 3
    return store


def found(store: Any, number: int, **options: Any) -> list[tuple[str, str, str]]:
    found = validate(store, zarr_format=number, **options).findings
    return [(f.kind, f.path, f.at) for f in found]


@both
def test_a_sound_hierarchy(number: int) -> None:
    store = sample(number)
    assert validate(store, zarr_format=number, level="data").findings == ()
    consolidate_metadata(store)
    assert validate(store, zarr_format=number, level="data").findings == ()
    assert validate(store, zarr_format=number, path="g", level="data").findings == ()
    assert validate(store, zarr_format=number, path="g/a", level="data").findings == ()


def test_a_sound_netcdf_dataset(tmp_path: Path) -> None:
    with Dataset(tmp_path / "a", "w") as made:
        made.createDimension("t", None)
        made.createVariable("v", "i2", ("t",), zlib=True)[:] = [1, 2, 3]
        made.createVariable("s", str, ())[...] = "text"
    assert validate(DirectoryStore(tmp_path / "a"), zarr_format=2, level="data").findings == ()


@both
def test_every_fault_of_every_document(number: int) -> None:
    store = sample(number)
    key = FORMATS[number].document_keys("g/a")[0]
    document = json.loads(store.get(key) or b"")
    document["shape"] = [4, -6]
    document.pop("fill_value")
    store.set(key, json.dumps(document).encode())
    at = {at.rpartition("/")[2].removeprefix(".zarray.") for _, _, at in found(store, number)}
    assert at == {"shape[1]", "fill_value"}
    store.set(key, b"{")
    findings = validate(store, zarr_format=number).findings
    assert {(finding.kind, finding.path) for finding in findings} == {("metadata", "g/a")}
    assert "expected JSON" in findings[0].message


@both
def test_unknown_codec_is_named_with_its_place(number: int) -> None:
    store = sample(number)
    key = FORMATS[number].document_keys("b")[0]
    document = json.loads(store.get(key) or b"")
    if number == 2:
        document["compressor"] = {"id": "nope"}
    else:
        document["codecs"].append({"name": "nope"})
    store.set(key, json.dumps(document).encode())
    [finding] = validate(store, zarr_format=number).findings
    assert (finding.kind, finding.path) == ("metadata", "b")
    assert "nope" in finding.message
    assert str(finding).startswith("/b: ")


@both
def test_keys_that_belong_to_nothing(number: int) -> None:
    store = sample(number)
    for key in ("notes.txt", "g/a/notes", "g/a/c/x"):
        store.set(key, b"")
    beyond = "g/a/9.9" if number == 2 else "g/a/c/9/9"
    store.set(beyond, b"")
    orphan = FORMATS[number].document_keys("far/off")[0]
    store.set(orphan, store.get(FORMATS[number].document_keys("b")[0]) or b"")
    store.set(f"far/off/{'0' if number == 2 else 'c/0'}", b"")
    assert sorted(found(store, number)) == sorted(
        [
            ("orphan", "", "notes.txt"),
            ("orphan", "g/a", "g/a/notes"),
            ("orphan", "g/a", "g/a/c/x"),
            ("outside", "g/a", beyond),
            ("lost", "far", ""),
        ]
    )
    (lost,) = [f for f in validate(store, zarr_format=number).findings if f.path == "far"]
    assert lost.message == "a group without a document; 2 keys lie below it that cannot be reached"


@both
def test_stale_consolidated_metadata(number: int) -> None:
    store = sample(number)
    consolidate_metadata(store)
    root = create_group(MemoryStore(), zarr_format=number)
    root.create_array("new", shape=(1,), dtype="i1")
    for key in root.store.list_prefix("new/"):
        store.set(key, root.store.get(key) or b"")
    store.delete_prefix("b/")
    assert found(store, number) == [("consolidated", "", "b"), ("consolidated", "", "new")]


def test_broken_consolidated_metadata() -> None:
    store = sample(2)
    store.set(".zmetadata", b"{}")
    assert {(kind, path) for kind, path, _ in found(store, 2)} == {("consolidated", "")}


@both
def test_chunks_are_decoded_on_request(number: int) -> None:
    store = sample(number)
    key = "g/a/1.1" if number == 2 else "g/a/c/1/1"
    whole = store.get(key) or b""
    store.set(key, whole[:-3])
    other = "b/0" if number == 2 else "b/c"
    store.set(other, b"123")
    assert found(store, number) == []
    told: list[tuple[int, int]] = []
    findings = found(store, number, level="data", progress=lambda done, total: told.append((done, total)))
    assert sorted(findings) == [("chunk", "b", other), ("chunk", "g/a", key)]
    assert sorted(told)[-1] == (5, 5)


def test_unfinished_copy() -> None:
    store = sample(3)
    store.set(JOURNAL, Journal("somewhere", "a", None).to_bytes())
    assert found(store, 3) == [("copy", "", JOURNAL)]
    store.set(JOURNAL, b"not ours")
    assert found(store, 3) == [("orphan", "", JOURNAL)]


def test_findings_as_json() -> None:
    finding = Finding("orphan", "g", "g/x", "belongs to no node")
    assert finding.to_json() == {"kind": "orphan", "path": "/g", "at": "g/x", "message": "belongs to no node"}


def test_a_name_that_the_format_reserves_is_told_though_it_can_be_read() -> None:
    store = MemoryStore()
    group = create_group(store)
    group.create_array("plain", shape=3, dtype="u1")
    document = store.get("plain/zarr.json")
    assert document is not None
    store.set("__xarray_dataarray_variable__/zarr.json", document)
    found = validate(store).findings
    assert [(one.path, one.kind) for one in found] == [("__xarray_dataarray_variable__", "name")]
    assert "which Zarr v3 reserves" in found[0].message
    assert group["__xarray_dataarray_variable__"].shape == (3,)  # type: ignore[union-attr]
