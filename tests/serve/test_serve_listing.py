"""Listings: as JSON, page after page, and as WebDAV has them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from serving import Answer, Asking, asking

from omnizarr.serve import webdav
from omnizarr.serve.listing import page_of
from omnizarr.store import CountingStore, DirectoryStore, LMDBStore, MemoryStore, SQLiteStore, Store, ZipStore

KEYS = [
    "a",
    "a-b",
    "a.b",
    "a0",
    "b/c/0/0",
    "b/c/0/10",
    "b/c/0/2",
    "b/c/1",
    "b/zarr.json",
    "ü/x y",
    "zarr.json",
]


@pytest.fixture(params=["memory", "directory", "zip", "sqlite", "lmdb"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    made = {
        "memory": MemoryStore,
        "directory": lambda: DirectoryStore(tmp_path / "d"),
        "zip": lambda: ZipStore(tmp_path / "d.zip", mode="a"),
        "sqlite": lambda: SQLiteStore(tmp_path / "d.sqlite"),
        "lmdb": lambda: LMDBStore(tmp_path / "d.lmdb"),
    }
    with made[request.param]() as store:
        for key in KEYS:
            store.set(key, key.encode())
        yield store


def sizes(found: Answer) -> dict[str, int]:
    assert (found.status, found.headers["content-type"]) == (200, "application/vnd.omnizarr.listing+json")
    return {entry["key"]: entry["size"] for entry in found.json()["keys"]}


def test_a_prefix_lists_what_is_directly_below(store: Store) -> None:
    ask = asking(store)
    found = ask.get("/data/d/")
    assert sizes(found) == {key: len(key.encode()) for key in KEYS if "/" not in key}
    assert [entry["prefix"] for entry in found.json()["prefixes"]] == ["b/", "ü/"]
    assert (found.json()["root"], found.json()["prefix"], found.json()["next"]) == ("d", "", None)
    found = ask.get("/data/d/b/c/")
    assert sizes(found) == {"b/c/1": 5}
    assert [entry["prefix"] for entry in found.json()["prefixes"]] == ["b/c/0/"]
    assert found.json()["prefix"] == "b/c/"


def test_all_below_a_prefix_is_listed_where_that_is_asked_for(store: Store) -> None:
    found = asking(store).get("/data/d/?recursive=1")
    assert sizes(found) == {key: len(key.encode()) for key in KEYS}
    assert list(sizes(found)) == sorted(KEYS)
    assert found.json()["prefixes"] == []
    assert list(sizes(asking(store).get("/data/d/b/?recursive=true"))) == sorted(KEYS)[4:9]


@pytest.mark.parametrize("recursive", [0, 1])
@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_pages_together_are_the_whole(store: Store, recursive: int, limit: int) -> None:
    ask = asking(store)
    whole = ask.get(f"/data/d/?recursive={recursive}").json()
    keys, prefixes, after = [], [], ""
    for _ in range(50):
        page = ask.get(f"/data/d/?recursive={recursive}&limit={limit}&after={after}").json()
        assert len(page["keys"]) + len(page["prefixes"]) <= limit
        keys += page["keys"]
        prefixes += page["prefixes"]
        after = page["next"]
        if after is None:
            break
    assert (keys, prefixes) == (whole["keys"], whole["prefixes"])


def test_what_is_listed_can_be_asked_for(store: Store) -> None:
    ask = asking(store)
    for entry in ask.get("/data/d/?recursive=1").json()["keys"]:
        assert entry["url"].startswith("http://localhost/data/d/")
        assert ask.get(entry["url"].removeprefix("http://localhost")).body == entry["key"].encode()
    for entry in ask.get("/data/d/").json()["prefixes"]:
        assert ask.get(entry["url"].removeprefix("http://localhost")).json()["prefix"] == entry["prefix"]


def test_addresses_are_those_that_users_see() -> None:
    store = MemoryStore()
    store.set("v", b"")
    found = asking(store, public_url="https://example.org/zarr/").get("/data/d/")
    assert found.json()["keys"][0]["url"] == "https://example.org/zarr/data/d/v"


def test_nothing_below_is_an_empty_listing(store: Store) -> None:
    found = asking(store).get("/data/d/none/")
    assert (found.status, sizes(found), found.json()["prefixes"]) == (200, {}, [])


def test_the_name_of_a_root_leads_to_its_listing(store: Store) -> None:
    found = asking(store).get("/data/d?recursive=1")
    assert (found.status, found.headers["location"]) == (307, "./d/?recursive=1")


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=-1", "limit=x", "limit=", "limit=1e3", "recursive=maybe", "after=../x", "after=/"],
)
def test_questions_that_make_no_sense_are_400(store: Store, query: str) -> None:
    assert asking(store).get(f"/data/d/?{query}").status == 400


def test_limits_have_a_limit(store: Store) -> None:
    assert asking(store).get("/data/d/?limit=999999999").status == 200


def test_a_page_looks_at_no_more_than_it_has(tmp_path: Path) -> None:
    inner = DirectoryStore(tmp_path)
    for i in range(20):
        for j in range(20):
            inner.set(f"c/{i:02}/{j:02}", b"")
    store = CountingStore(inner)
    page = page_of(store, "", True, "c/10/05", 10)
    assert page.entries[0].key == "c/10/06"
    assert store.counts == Counter({"list_dir": 3, "size": 10})  # of the root, c/ and c/10/


# WebDAV


def hrefs(found: Answer) -> dict[str, str | None]:
    assert (found.status, found.headers["content-type"]) == (207, "application/xml")
    space = {"D": "DAV:"}
    responses = ElementTree.fromstring(found.body).findall("D:response", space)
    assert all(item.findtext(".//D:status", "", space) == "HTTP/1.1 200 OK" for item in responses)
    return {
        item.findtext("D:href", "", space): item.findtext(".//D:getcontentlength", None, space)
        for item in responses
    }


def test_propfind_lists_what_is_directly_below(store: Store) -> None:
    ask = asking(store)
    for target in ("/data/d/b/c/", "/data/d/b/c"):
        assert hrefs(ask("PROPFIND", target, {"Depth": "1"})) == {
            "/data/d/b/c/": None,
            "/data/d/b/c/0/": None,
            "/data/d/b/c/1": "5",
        }


def test_propfind_lists_all_below_page_after_page(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webdav, "LARGEST_LIMIT", 2)
    for target in ("/data/d/", "/data/d"):
        found = hrefs(asking(store)("PROPFIND", target))
        assert len(found) == 1 + len(KEYS)
        assert found["/data/d/%C3%BC/x%20y"] == "6"


def test_propfind_of_one(store: Store) -> None:
    ask = asking(store)
    assert hrefs(ask("PROPFIND", "/data/d/a", {"Depth": "0"})) == {"/data/d/a": "1"}
    assert hrefs(ask("PROPFIND", "/data/d/b/", {"Depth": "0"})) == {"/data/d/b/": None}
    assert ask("PROPFIND", "/data/d/none", {"Depth": "1"}).status == 404
    assert ask("PROPFIND", "/data/d/", {"Depth": "2"}).status == 400


def test_an_empty_store_is_listed() -> None:
    ask: Asking = asking(MemoryStore())
    assert hrefs(ask("PROPFIND", "/data/d/", {"Depth": "1"})) == {"/data/d/": None}
    assert ask.get("/data/d/").json()["keys"] == []
