"""Stores from paths, URLs, mappings and stores."""

from __future__ import annotations

import re
import sys
from collections import UserDict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omnizarr.errors import ReadOnlyError, StoreError, StoreNotFoundError
from omnizarr.store import (
    DirectoryStore,
    MemoryStore,
    ReadOnlyStore,
    Store,
    ZipStore,
    open_store,
    split_fragment,
)

MODES = ["r", "r+", "a", "w", "w-"]
MAKING = ["a", "w", "w-"]


@pytest.mark.parametrize("kind", [str, Path, lambda path: path.as_uri(), lambda path: f"file:{path}"])
@pytest.mark.parametrize(("name", "store_type"), [("data é#1", DirectoryStore), ("data.zip", ZipStore)])
def test_paths_and_file_urls(tmp_path: Path, kind, name: str, store_type: type[Store]) -> None:
    target = kind(tmp_path / name)
    if str(target).startswith("file:/") and "#" in str(target):
        target = target.replace("#", "%23")
    for mode in ("r", "r+"):
        with pytest.raises(StoreNotFoundError):
            open_store(target, mode=mode)
    with open_store(target, mode="a") as store:
        assert isinstance(store, store_type)
        store.set("a", b"1")
    assert (tmp_path / name).exists()
    for mode in ("r+", "a", "w", "w-"):
        with open_store(target, mode=mode) as store:
            assert store.get("a") == b"1"
            store.set("b", b"2")
    with open_store(target, mode="r") as store:
        assert store.get("b") == b"2"
        with pytest.raises(ReadOnlyError):
            store.set("a", b"3")


@pytest.mark.parametrize("make", [DirectoryStore, lambda path: ZipStore(path, mode="w")])
def test_the_name_of_a_store_leads_back_to_it(tmp_path: Path, make) -> None:
    with make(tmp_path / "a b%20#é.zip") as store:
        store.set("a", b"1")
    with open_store(store.name, mode="r") as again:
        assert type(again) is type(store)
        assert again.get("a") == b"1"
        assert again.name == store.name


def test_what_there_is_decides_and_not_the_name(tmp_path: Path) -> None:
    DirectoryStore(tmp_path / "directory.zip").set("a", b"1")
    with ZipStore(tmp_path / "archive.zarr", mode="w") as archive:
        archive.set("a", b"1")
    assert isinstance(open_store(tmp_path / "directory.zip", mode="r"), DirectoryStore)
    assert isinstance(open_store(tmp_path / "archive.zarr", mode="r"), ZipStore)
    (tmp_path / "text").write_text("no store")
    with pytest.raises(StoreError, match="no zip archive"):
        open_store(tmp_path / "text", mode="r")
    assert (tmp_path / "text").read_text() == "no store"


def test_a_fragment_says_that_it_is_an_archive(tmp_path: Path) -> None:
    url = f"{(tmp_path / 'data').as_uri()}#mode=nczarr,zip"
    with open_store(url, mode="w") as store:
        assert isinstance(store, ZipStore)
    assert (tmp_path / "data").is_file()


@pytest.mark.parametrize("values", [{}, UserDict()])
def test_mappings(values) -> None:
    open_store(values, mode="w").set("a", b"1")
    assert values["a"] == b"1"
    reader = open_store(values, mode="r")
    assert reader.get("a") == b"1"
    assert reader.read_only


def test_stores() -> None:
    store = MemoryStore()
    for mode in MODES[1:]:
        assert open_store(store, mode=mode) is store
        assert open_store(store.mapping(), mode=mode) is store
    reader = open_store(store, mode="r")
    assert isinstance(reader, ReadOnlyStore)
    assert open_store(reader, mode="r") is reader
    for mode in MODES[1:]:
        with pytest.raises(ReadOnlyError, match=re.escape(f"not in mode '{mode}'")):
            open_store(reader, mode=mode)


def test_named_stores_in_memory() -> None:
    with pytest.raises(StoreNotFoundError, match="memory://test-url"):
        open_store("memory://test-url", mode="r")
    store = open_store("memory://test-url", mode="a")
    store.set("a", b"1")
    assert open_store("memory://test-url/", mode="r+") is store
    assert open_store("memory://test-url", mode="r").get("a") == b"1"
    assert open_store("memory://test-url-2", mode="w").get("a") is None
    assert store.name == "memory://test-url"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("gopher://example.org", r"unknown scheme gopher://; expected abfs, .*file, .*memory, .*s3"),
        ("file://example.org/a", "found the host 'example.org'"),
    ],
)
def test_schemes_that_are_not_here(url: str, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        open_store(url, mode="r")


def test_without_the_extra_schemes_of_fsspec_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ["fsspec", *(name for name in sys.modules if name.startswith("fsspec."))]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(StoreError, match=r"unknown scheme ftp://.* \(pip install 'omnizarr\[fsspec\]'\)"):
        open_store("ftp://example.org/a", mode="r")


def test_without_the_extra_urls_of_object_stores_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    for url in ("s3://bucket/key", "https://example.org/a.zarr"):
        with pytest.raises(StoreError, match=r"extra 'cloud' \(pip install 'omnizarr\[cloud\]'\)"):
            open_store(url, mode="r")


@pytest.mark.parametrize("target", ["somewhere", "memory://somewhere"])
def test_local_stores_have_no_options(target: str) -> None:
    with pytest.raises(StoreError, match="expected none for a local store, found region"):
        open_store(target, mode="a", storage_options={"region": "here"})


def test_other_targets_and_modes() -> None:
    with pytest.raises(TypeError, match="expected a path, URL, mapping or store, found int"):
        open_store(5, mode="r")
    with pytest.raises(ValueError, match="mode: expected one of r, r\\+, a, w, w-, found 'x'"):
        open_store({}, mode="x")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("file:///a/b", ("file:///a/b", {})),
        ("file:///a#", ("file:///a", {})),
        ("file:///a#mode=nczarr,file", ("file:///a", {"mode": ["nczarr", "file"]})),
        ("s3://b/k#mode=zarr&mode=s3&x=%20y", ("s3://b/k", {"mode": ["zarr", "s3"], "x": [" y"]})),
        ("file:///a#zarr", ("file:///a", {"zarr": []})),
        ("file:///a#bytes&mode=", ("file:///a", {"bytes": [], "mode": []})),
        ("plain/path", ("plain/path", {})),
    ],
)
def test_fragments(url: str, expected: tuple[str, dict[str, list[str]]]) -> None:
    assert split_fragment(url) == expected


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=30))
def test_any_text_can_be_split(url: str) -> None:
    place, said = split_fragment(url)
    assert url.startswith(place)
    assert all(isinstance(values, list) for values in said.values())
