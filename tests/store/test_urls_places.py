"""What places lead to: archives in archives and on networks, what is told by content, and at what cost."""

from __future__ import annotations

import builtins
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorstore
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from object_servers import KEY, SECRET, Front
from test_store_objects import options, rclone, s3, shared_front  # noqa: F401

import omnizarr
from omnizarr.errors import (
    MetadataError,
    NodeNotFoundError,
    OmniZarrError,
    ReadOnlyError,
    StoreError,
    StoreNotFoundError,
    UrlError,
)
from omnizarr.store import InnerZipStore, ZipStore, open_store
from omnizarr.store.urls import local
from omnizarr.store.urls.grammar import STEPS
from omnizarr.store.urls.local import local_place
from omnizarr.store.urls.open import OPENERS

_VALUES = [1, 2, 3, 4]


def make(store: Any, path: str = "g/a", zarr_format: int = 3) -> None:
    omnizarr.create_array(
        store, name=path, data=np.array(_VALUES, "i4"), chunks=(2,), zarr_format=zarr_format
    )


def make_archive(path: Path, inner: str | None = None) -> Path:
    with ZipStore(path, mode="w") as store:
        if inner is None:
            make(store)
        else:
            store.set(inner, (path.parent / inner).read_bytes())
    return path


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    """Return the outermost of three archives, one in another."""
    make_archive(tmp_path / "one.zip")
    make_archive(tmp_path / "two.zip", "one.zip")
    return make_archive(tmp_path / "three.zip", "two.zip")


@pytest.mark.parametrize(
    "steps",
    [
        "|zip:two.zip|zip:one.zip|zip:g/a|zarr3:",
        "|zip:two.zip|zip:one.zip|zip:g/a",
        "|zip:two.zip|zip:one.zip|zip:|zarr3:g/a",
        "|zip:two.zip|zip:one%2Ezip|zip:g/|zarr3:a",
    ],
)
def test_tensorstore_finds_the_same(steps: str, nested: Path) -> None:
    url = nested.as_uri() + steps
    assert omnizarr.open_array(url, mode="r")[:].tolist() == _VALUES
    assert tensorstore.open(url).result().read().result().tolist() == _VALUES


def test_archives_whose_entries_are_in_one_folder(tmp_path: Path) -> None:
    with ZipStore(tmp_path / "x.zip", mode="w", folder="x") as store:
        make(store)
    for steps in ("", "|zip:", "|zip:x", "|zip:|zarr3:x", "|zip:x/|zarr3:"):
        assert omnizarr.open(f"file://{tmp_path}/x.zip{steps}/g/a".replace(":/g", ":g"), mode="r").shape == (
            4,
        )


def test_the_name_of_a_store_leads_to_it(nested: Path) -> None:
    with open_store(f"{nested.as_uri()}|zip:two.zip|zip:one.zip|zip:", mode="r") as store:
        assert isinstance(store, InnerZipStore)
        with open_store(store.name, mode="r") as again:
            assert again.name == store.name and list(again.list_prefix()) == list(store.list_prefix())


def test_names_of_archives_are_encoded_in_the_names_of_stores(tmp_path: Path) -> None:
    make_archive(tmp_path / "a.zip")
    with ZipStore(tmp_path / "out.zip", mode="w") as outer:
        outer.set("d/100% é#?|.zip", (tmp_path / "a.zip").read_bytes())
    with InnerZipStore(ZipStore(tmp_path / "out.zip"), "d/100% é#?|.zip") as store:
        assert omnizarr.open(store.name)["g/a"][:].tolist() == _VALUES


def test_archives_within_stores_are_for_reading(nested: Path) -> None:
    url = f"{nested.as_uri()}|zip:two.zip|zip:"
    for mode in ("r+", "a", "w"):
        with pytest.raises(ReadOnlyError, match="an archive within a store is for reading"):
            omnizarr.open(url, mode=mode)
    assert omnizarr.open(f"{url}one.zip|zip:g").read_only


def test_an_archive_may_be_written_by_a_step(tmp_path: Path) -> None:
    url = f"{tmp_path}/new|zip:g|zarr2:a"
    with omnizarr.create_array(url, data=np.array(_VALUES), chunks=(2,)).store:
        pass
    with ZipStore(tmp_path / "new") as store:
        assert "g/a/.zarray" in set(store.list_prefix())
    assert omnizarr.load(url).tolist() == _VALUES


def test_a_store_has_no_path(nested: Path) -> None:
    with pytest.raises(UrlError, match=r"expected a store, found the path 'two\.zip' within it"):
        open_store(f"{nested}|zip:two.zip", mode="r")


def test_memory(tmp_path: Path) -> None:
    with pytest.raises(StoreNotFoundError, match="memory://urls-none"):
        omnizarr.open("memory://urls-none/d.zip|zip:", mode="r")
    store = open_store("memory://urls", mode="a")
    make(store)
    assert omnizarr.open("memory:urls|zarr3:g/a", mode="r")[:].tolist() == _VALUES
    store.set("d.zip", make_archive(tmp_path / "d.zip").read_bytes())
    assert omnizarr.open("memory://urls/d.zip|zip:g/a", mode="r")[:].tolist() == _VALUES


# The format and consolidated metadata


def test_urls_say_the_format_that_is_made_and_opened(tmp_path: Path) -> None:
    for number in (2, 3):
        url = f"{tmp_path}/m{number}#mode=zarr,v{number}"
        assert omnizarr.open_group(url, mode="w").zarr_format == number
        assert (
            omnizarr.create_array(f"{tmp_path}/s{number}|zarr{number}:x", shape=1, dtype="i4").zarr_format
            == number
        )
        omnizarr.save(f"{tmp_path}/v{number}#v{number}", np.arange(3))
        assert omnizarr.open(f"{tmp_path}/v{number}", mode="r").zarr_format == number
        other = 5 - number
        with pytest.raises(NodeNotFoundError, match=f"there is a group of Zarr {number}"):
            omnizarr.open(f"{tmp_path}/m{number}#v{other}", mode="r")
        assert (
            omnizarr.open(f"{tmp_path}/m{number}#v{other}", mode="r", zarr_format=number).zarr_format
            == number
        )


def test_urls_ask_for_consolidated_metadata(tmp_path: Path) -> None:
    make(tmp_path / "d", zarr_format=2)
    url = f"{tmp_path}/d#mode=zarr,v2,consolidated"
    with pytest.raises(MetadataError, match="no consolidated metadata"):
        omnizarr.open(url, mode="r")
    assert "g" in omnizarr.open(url, mode="r", use_consolidated=False)
    omnizarr.consolidate_metadata(f"{tmp_path}/d#v2")
    assert omnizarr.open(url, mode="r").metadata.consolidated is not None


# What is told by content


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the looks at the file system."""
    counts: Counter[str] = Counter()

    class Counted:
        def __getattr__(self, name: str) -> Any:
            found = getattr(os, name)
            if name in ("stat", "access"):
                counts[name] += 1
            return found

    def opened(*arguments: Any, **keywords: Any) -> Any:
        counts["open"] += 1
        return builtins.open(*arguments, **keywords)

    monkeypatch.setattr(local, "os", Counted())
    monkeypatch.setattr(local, "open", opened, raising=False)
    return counts


def test_the_cost_of_telling(tmp_path: Path, looks: Counter[str]) -> None:
    pytest.importorskip("lmdb")
    (tmp_path / "d").mkdir()
    make_archive(tmp_path / "z")
    with sqlite3.connect(tmp_path / "s") as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    (tmp_path / "h").write_bytes(b"\x89HDF\r\n\x1a\n")
    for opener, name in (("lmdb", "l"), ("lmdb", "m")):
        with OPENERS[opener](f"lmdb://{tmp_path}/{name}", "a", {"subdir": name == "l"}) as store:
            store.set("k", b"1")
    kinds = {"d": "directory", "z": "zip", "s": "sqlite", "l": "lmdb", "m": "lmdb", "no/t/here": "directory"}
    costs = {}
    for name, kind in kinds.items():
        looks.clear()
        assert local_place(str(tmp_path / name)).kind == kind
        costs[name] = sum(looks.values())
    assert costs == {"d": 2, "z": 2, "s": 2, "l": 2, "m": 2, "no/t/here": 4}
    looks.clear()
    with pytest.raises(StoreError, match=r"found an HDF5 file.*`omnizarr copy` makes Zarr"):
        local_place(str(tmp_path / "h"))
    assert sum(looks.values()) == 2


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("n.zip", "zip"),
        ("n.SQLite", "sqlite"),
        ("n.sqlite3", "sqlite"),
        ("n.lmdb", "lmdb"),
        ("n.zarr", "directory"),
    ],
)
def test_the_name_decides_what_is_made(name: str, kind: str, tmp_path: Path) -> None:
    if kind == "lmdb":
        pytest.importorskip("lmdb")
    place = tmp_path / name
    with omnizarr.open_group(place, mode="w", zarr_format=3).store:
        pass
    assert local_place(str(place)).kind == kind
    assert omnizarr.open(str(place), mode="r").zarr_format == 3


def test_what_was_tried_is_told(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no store")
    with pytest.raises(
        StoreError, match=r"found a file that is no zip archive and no database \(tried: zip, SQLite"
    ):
        omnizarr.open(tmp_path / "text", mode="r")
    with pytest.raises(StoreError, match="found a file that is no zip archive"):
        omnizarr.open(f"file://{tmp_path}/text/inside", mode="r")


def test_databases_behind_paths(tmp_path: Path) -> None:
    with omnizarr.open_group(tmp_path / "x.sqlite", mode="w").store as store:
        make(store)
    (tmp_path / "x.sqlite").rename(tmp_path / "y")
    assert omnizarr.open(tmp_path / "y" / "g", mode="r")["a"][:].tolist() == _VALUES
    assert omnizarr.open(f"{tmp_path}/y|zarr3:g/a", mode="r")[:].tolist() == _VALUES


# On networks


@pytest.fixture(scope="module")
def web_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web")
    make_archive(folder / "a.zip")
    (folder / "b").write_bytes((folder / "a.zip").read_bytes())
    (folder / "one.zip").write_bytes((folder / "a.zip").read_bytes())
    make_archive(folder / "c.zip", "one.zip")
    (folder / "text").write_text("no archive")
    return folder


@pytest.fixture(scope="module")
def web_front(web_folder: Path) -> Iterator[Front]:
    pytest.importorskip("obstore")
    front = Front("http", web_folder)
    yield front
    front.close()


@pytest.fixture
def web(web_front: Front) -> Front:
    web_front.reset()
    return web_front


@pytest.mark.parametrize(
    ("place", "requests"),
    [
        ("a.zip", 1),
        ("a.zip|zip:", 1),
        ("a.zip|zip:g|zarr3:", 1),
        ("b|zip:", 1),
        ("b#mode=zarr,zip", 1),
        ("c.zip|zip:one.zip|zip:", 1),
    ],
)
def test_archives_on_the_web_cost_one_request(place: str, requests: int, web: Front) -> None:
    url = f"http://127.0.0.1:{web.port}/{place}"
    with omnizarr.store.urls.open.open_place(url, mode="r").store as store:
        assert len(web.asked) == requests
        assert isinstance(store, InnerZipStore)
    node = omnizarr.open(url)
    assert (node if "g|" in place else node["g"])["a"][:].tolist() == _VALUES


def test_an_archive_that_nothing_tells_of_is_found_after_all(web: Front) -> None:
    url = f"http://127.0.0.1:{web.port}/b"
    assert omnizarr.open(url, mode="r", zarr_format=3)["g/a"][:].tolist() == _VALUES
    assert web.asked[:3] == ["GET /b/zarr.json", "GET /b", "GET /b"]
    web.reset()
    assert omnizarr.open_array(url, mode="r", path="g/a").shape == (4,)
    with pytest.raises(
        NodeNotFoundError, match=r"there is nothing .* \(tried zarr\.json, \.zarray, \.zgroup"
    ):
        omnizarr.open(f"http://127.0.0.1:{web.port}/text", mode="r")
    with pytest.raises(NodeNotFoundError):
        omnizarr.open(f"http://127.0.0.1:{web.port}/none", mode="r")


def test_a_path_that_ends_in_a_slash_is_a_prefix(web: Front) -> None:
    with open_store(f"http://127.0.0.1:{web.port}/a.zip/", mode="r") as store:
        assert not isinstance(store, InnerZipStore)
    assert web.asked == []


def test_a_query_is_sent_along_and_never_shown(web: Front) -> None:
    url = f"http://127.0.0.1:{web.port}/a.zip?token=S3cr3t&x=%2F|zip:g|zarr3:a"
    array = omnizarr.open(url, mode="r")
    assert array[:].tolist() == _VALUES
    assert web.asked and all(line.endswith("a.zip?token=S3cr3t&x=/") for line in web.asked)
    assert "S3cr3t" not in f"{array!r} {array.store!r} {array.store.name} {array.name}"
    web.reset(always=403)
    with pytest.raises(StoreError) as caught:
        omnizarr.open(url, mode="r")
    assert "S3cr3t" not in f"{caught.value} {caught.value!r}" and caught.value.__cause__ is None


def test_archives_on_s3_in_all_its_addresses(s3: Front, web_folder: Path) -> None:  # noqa: F811
    there = options(s3.port)
    with open_store("s3://bucket/urls", mode="a", storage_options=there) as store:
        store.set("a.zip", (web_folder / "a.zip").read_bytes())
    keys = f"#mode=zarr,s3&aws.access_key_id={KEY}&aws.secret_access_key={SECRET}&aws.region=us-east-1"
    for url, asked in (
        ("s3://bucket/urls/a.zip", there),
        ("s3://bucket/urls/a.zip|zip:|zarr3:", there),
        (f"s3://127.0.0.1:{s3.port}/bucket/urls/a.zip{keys}", {}),
        (f"s3+http://127.0.0.1:{s3.port}/bucket/urls/a.zip{keys}", {}),
        (f"http://127.0.0.1:{s3.port}/bucket/urls/a.zip{keys}", {}),
    ):
        s3.reset()
        with open_store(url, mode="r", storage_options=asked) as store:
            assert s3.asked == ["GET /bucket/urls/a.zip"]
            assert SECRET not in f"{store!r} {store.name}"
        assert omnizarr.open(url, storage_options=asked)["g/a"][:].tolist() == _VALUES


# Any text


_PIECES = (
    *("file", "memory", "zip", "sqlite", "s3", "gs", "az", "http", "gs3", "s3+http", "ftp"),
    *("://", "::", ":", "/", "//", "|", "#", "?", "&", "=", "%", "%00", "@", "[", "]", "~", " "),
    *(".", "..", "a", "b.zip", "é", "\0", "\ud800"),
    *("mode=", "v3", "zarr", "consolidated", "aws.profile=no"),
)
_texts = st.text(max_size=20) | st.builds(
    "".join,
    st.lists(
        st.sampled_from((*_PIECES, *STEPS)),
        max_size=9,
    ),
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_texts)
def test_any_text_gives_a_store_or_a_clear_error_and_makes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    pytest.importorskip("obstore")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("omnizarr.store.urls.open.InnerZipStore", _refuses)  # asks no server
    try:
        with open_store(text, mode="r") as store:
            assert store.read_only
    except (OmniZarrError, ValueError):
        pass
    assert list(tmp_path.iterdir()) == []


def _refuses(store: Any, key: str) -> Any:
    raise StoreNotFoundError("no network", store=store.name, key=key)
