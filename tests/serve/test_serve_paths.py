"""Paths of requests: whatever the spelling, nothing outside of what is served is read, listed or told."""

from __future__ import annotations

from pathlib import Path

import pytest
from serving import Asking, asking

from omnizarr.serve.inside import served
from omnizarr.store import DirectoryStore, MemoryStore, Store

SECRET = b"the secret of another directory"
UP = [
    "..",
    "%2e%2e",
    "%2E.",
    ".%2e",
    "..%2f..",
    "%2e%2e%2f",
    "..%5c..",
    "..\\..",
    "..%00",
    "%00",
    "%0a",
    ".",
    "%2e",
    "",
    "%c0%ae%c0%ae",
    "..%c0%af",
    "%ff",
    "%",
    "%2",
    "%zz",
    "%ed%a0%80",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_bytes(SECRET)
    inside = tmp_path / "d"
    (inside / "a" / "b").mkdir(parents=True)
    (inside / "a" / "v").write_bytes(b"value")
    return inside


@pytest.fixture
def ask(folder: Path) -> Asking:
    return asking(served(DirectoryStore(folder)))


@pytest.mark.parametrize("up", UP)
@pytest.mark.parametrize("way", ["{}/secret", "a/{}/{}/secret", "a/b/../{}/v", "{}/d/a/v", "a/{}/"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "PROPFIND"])
def test_ways_up_are_refused(ask: Asking, up: str, way: str, method: str) -> None:
    found = ask(method, f"/data/d/{way.format(up, up)}")
    assert found.status in (400, 403, 404), found
    assert SECRET not in found.body


@pytest.mark.parametrize(
    "target",
    [
        "/data/d//etc/passwd",
        "/data/d/%2fetc%2fpasswd",
        "/data//d/a/v",
        "/data/d/a//v",
        "/data/d/a/v//",
        "/data/../data/d/a/v",
        "//data/d/a/v",
        "/data/d/../d/a/v",
        "/data/%2e%2e/secret",
        "/data/..",
        "/data/d/C:/x",
        "/data/d/%252e%252e/secret",
        "/data/d/%252fetc",
        f"/data/d/{'a/' * 9000}v",
        f"/data/d/{'n' * 20000}",
        "/page/../app.py",
        "/page/%2e%2e/app.py",
        "/page/..%2fapp.py",
        "/page/%2e%2e%2fapp.py",
        "/page//etc/passwd",
    ],
)
def test_other_spellings_are_refused(ask: Asking, target: str) -> None:
    found = ask.get(target)
    assert found.status in (400, 404), found
    assert b"root:" not in found.body and b"make_app" not in found.body


def test_names_that_are_odd_but_legal_are_just_absent(ask: Asking) -> None:
    assert ask.get("/data/d/a%5Cv").status == 404
    assert ask.get("/data/d/%252e%252e").status == 404


# Links


@pytest.fixture
def linked(folder: Path, tmp_path: Path) -> Path:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "v").write_bytes(SECRET)
    (folder / "file").symlink_to(tmp_path / "secret")
    (folder / "out").symlink_to(tmp_path / "other")
    (folder / "relative").symlink_to("../secret")
    (folder / "within").symlink_to("a")
    (folder / "value").symlink_to("a/v")
    (folder / "a" / "up").symlink_to("..")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "self").symlink_to("self")
    return folder


def test_links_out_of_a_directory_are_refused_and_not_listed(linked: Path) -> None:
    ask = asking(served(DirectoryStore(linked)))
    for key in ("file", "out/v", "relative", "a/up/file", "within/up/out/v"):
        for method in ("GET", "HEAD", "PROPFIND"):
            found = ask(method, f"/data/d/{key}")
            assert found.status == 403, (method, key)
            assert SECRET not in found.body
    assert ask.get("/data/d/out/").status == 403
    assert ask.get("/data/d/out/?recursive=1").status == 403
    assert ask.get("/data/d/dangling").status == 404
    listed = ask.get("/data/d/?recursive=1").json()
    assert [entry["key"] for entry in listed["keys"]] == ["a/v", "value", "within/v"]
    assert b"other" not in ask("PROPFIND", "/data/d/", {"Depth": "infinity"}).body


def test_links_within_a_directory_are_followed(linked: Path) -> None:
    ask = asking(served(DirectoryStore(linked)))
    for key in ("within/v", "value", "a/up/a/v"):
        assert ask.get(f"/data/d/{key}").body == b"value"


def test_links_are_followed_where_that_is_asked_for(linked: Path) -> None:
    ask = asking(served(DirectoryStore(linked), follow_links=True))
    assert ask.get("/data/d/out/v").body == SECRET
    keys = [entry["key"] for entry in ask.get("/data/d/?recursive=1").json()["keys"]]
    assert keys == ["a/v", "file", "out/v", "relative", "value", "within/v"]


def test_a_directory_that_is_a_link_itself_is_served(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    assert asking(served(DirectoryStore(tmp_path / "link"))).get("/data/d/a/v").body == b"value"


def test_walks_of_linked_directories_end(linked: Path) -> None:
    store = served(DirectoryStore(linked))
    assert sorted(store.list_prefix()) == ["a/v", "value", "within/v"]
    assert sorted(key for key, _ in store.list_sizes("a/")) == ["a/v"]


# Hidden files


@pytest.fixture
def hiding(folder: Path) -> Path:
    for name in (".env", ".git/config", "a/.ssh/id", ".zarray.bak", "a/.zsecret"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(SECRET)
    for name in (".zgroup", ".zattrs", ".zmetadata", "a/.zarray", "a/.nczarray", "a/.nczattrs"):
        (folder / name).write_bytes(b"{}")
    return folder


def test_hidden_files_are_refused_but_for_those_of_zarr(hiding: Path) -> None:
    ask = asking(served(DirectoryStore(hiding)))
    for key in (".env", ".git/config", ".git/none", "a/.ssh/id", "a/.ssh", ".zarray.bak", "a/.zsecret"):
        assert ask.get(f"/data/d/{key}").status == 403, key
        assert ask("HEAD", f"/data/d/{key}").status == 403
    assert ask.get("/data/d/.git/").status == 403
    for key in (".zgroup", ".zattrs", ".zmetadata", "a/.zarray", "a/.nczarray", "a/.nczattrs"):
        assert ask.get(f"/data/d/{key}").body == b"{}"
    body = ask.get("/data/d/?recursive=1").body
    assert b".env" not in body and b"secret" not in body and b".zgroup" in body


def test_hidden_files_are_served_where_that_is_asked_for(hiding: Path) -> None:
    ask = asking(served(DirectoryStore(hiding), hidden=True))
    assert ask.get("/data/d/.git/config").body == SECRET
    assert b".env" in ask.get("/data/d/").body


def test_stores_that_are_no_directories_hide_nothing(folder: Path) -> None:
    store: Store = MemoryStore()
    assert served(store) is store
