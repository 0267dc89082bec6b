"""Values over HTTP: all of them and parts, what is told of them, and conditions (RFC 9110)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from serving import Asking, asking

from omnizarr.errors import StoreError
from omnizarr.serve import values
from omnizarr.serve.ranges import asked_part
from omnizarr.store import (
    CountingStore,
    DirectoryStore,
    FaultStore,
    From,
    FsspecStore,
    Last,
    LMDBStore,
    MemoryStore,
    Span,
    SQLiteStore,
    Store,
    ZipStore,
)

VALUE = bytes(range(100))


@pytest.fixture
def ask() -> Asking:
    store = MemoryStore()
    store.set("a/v", VALUE)
    store.set("a/empty", b"")
    store.set("a/zarr.json", b"{}")
    store.set("odd ü%2F?#", b"odd")
    return asking(store)


def test_a_value_comes_whole_with_what_is_told_of_it(ask: Asking) -> None:
    found = ask.get("/data/d/a/v")
    assert (found.status, found.body) == (200, VALUE)
    assert found.headers["content-length"] == "100"
    assert found.headers["content-type"] == "application/octet-stream"
    assert found.headers["accept-ranges"] == "bytes"
    assert found.headers["cache-control"] == "no-cache"
    tag = found.headers["etag"]
    assert tag.startswith('"') and tag.endswith('"') and len(tag) == 34
    assert ask.get("/data/d/a/v").headers["etag"] == tag
    assert ask.get("/data/d/a/empty").headers["etag"] != tag


def test_head_tells_the_same_without_the_value(ask: Asking) -> None:
    got, headed = ask.get("/data/d/a/v"), ask("HEAD", "/data/d/a/v")
    assert (headed.status, headed.body) == (200, b"")
    assert headed.headers == got.headers
    assert ask("HEAD", "/data/d/none").status == 404


@pytest.mark.parametrize("name", ["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata", ".nczarray"])
def test_documents_are_json_and_all_else_is_bytes(name: str) -> None:
    store = MemoryStore()
    store.set(f"x/{name}", b"{}")
    store.set("x/page.html", b"<script>")
    ask = asking(store)
    assert ask.get(f"/data/d/x/{name}").headers["content-type"] == "application/json"
    page = ask.get("/data/d/x/page.html").headers
    assert page["content-type"] == "application/octet-stream"
    assert page["x-content-type-options"] == "nosniff"
    assert "sandbox" in page["content-security-policy"]


def test_names_are_decoded_once(ask: Asking) -> None:
    assert ask.get("/data/d/odd%20%C3%BC%252F%3F%23").body == b"odd"


def test_what_is_not_there_is_404_and_tells_no_paths(ask: Asking) -> None:
    for target in ("/data/d/none", "/data/none/a", "/data/none/", "/data/", "/none", "/data/d/a"):
        found = ask.get(target)
        assert found.status == 404, target
        assert "etag" not in found.headers


# Parts


@pytest.mark.parametrize(
    ("header", "start", "stop"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=10-19", 10, 20),
        ("bytes=90-", 90, 100),
        ("bytes=-7", 93, 100),
        ("bytes=-1000", 0, 100),
        ("bytes=95-99999999999999999999999999", 95, 100),
        ("bytes=0-", 0, 100),
        ("BYTES=2-3", 2, 4),
        ("bytes=,2-3,", 2, 4),
        (f"bytes={'0' * 5000}2-3", 2, 4),
    ],
)
def test_one_part_is_206(ask: Asking, header: str, start: int, stop: int) -> None:
    found = ask.get("/data/d/a/v", Range=header)
    assert (found.status, found.body) == (206, VALUE[start:stop])
    assert found.headers["content-range"] == f"bytes {start}-{stop - 1}/100"
    assert found.headers["content-length"] == str(stop - start)


@pytest.mark.parametrize("header", ["bytes=100-", "bytes=100-200", "bytes=-0", f"bytes={'9' * 5000}-"])
def test_a_part_that_is_not_there_is_416(ask: Asking, header: str) -> None:
    found = ask.get("/data/d/a/v", Range=header)
    assert found.status == 416
    assert found.headers["content-range"] == "bytes */100"


@pytest.mark.parametrize(
    "header",
    [
        "bytes=5-4",
        "bytes=0-1,5-6",
        "items=0-1",
        "bytes=a-b",
        "bytes=-",
        "bytes",
        "",
        "bytes=1-2;",
        "bytes=١-٢",
    ],
)
def test_what_is_no_range_or_several_is_answered_by_all(ask: Asking, header: str) -> None:
    if not header.isascii():
        assert asked_part(header) is None
        return
    found = ask.get("/data/d/a/v", Range=header)
    assert (found.status, found.body) == (200, VALUE)


def test_an_empty_value_has_no_parts(ask: Asking) -> None:
    for header in ("bytes=0-", "bytes=0-5", "bytes=-5"):
        found = ask.get("/data/d/a/empty", Range=header)
        assert (found.status, found.body) == (200, b"")
    assert ask.get("/data/d/a/empty", Range="bytes=-0").status == 416


def test_head_has_no_parts(ask: Asking) -> None:
    found = ask("HEAD", "/data/d/a/v", {"Range": "bytes=0-1"})
    assert (found.status, found.headers["content-length"]) == (200, "100")


def test_headers_are_read_as_parts() -> None:
    assert asked_part(None) is None
    assert asked_part("bytes=3-5") == Span(3, 3)
    assert asked_part("bytes=3-") == From(3)
    assert asked_part("bytes=-3") == Last(3)


# Conditions


def test_what_the_client_has_is_304(ask: Asking) -> None:
    tag = ask.get("/data/d/a/v").headers["etag"]
    for header in (tag, "*", f'"x", {tag}', f"W/{tag}", f',, {tag} ,"y"'):
        for method in ("GET", "HEAD"):
            found = ask(method, "/data/d/a/v", {"If-None-Match": header})
            assert (found.status, found.body, found.headers["etag"]) == (304, b"", tag), header
            assert "content-length" not in found.headers
    assert ask.get("/data/d/a/v", If_None_Match='"x"').status == 200
    # a part of what the client has is not read, either
    assert ask.get("/data/d/a/v", If_None_Match=tag, Range="bytes=0-1").status == 304


def test_if_match_asks_for_the_same_value(ask: Asking) -> None:
    tag = ask.get("/data/d/a/v").headers["etag"]
    for header in (tag, "*", f'"x", {tag}'):
        assert ask.get("/data/d/a/v", If_Match=header, Range="bytes=0-1").status == 206
    for header in ('"x"', f"W/{tag}", ""):
        assert ask.get("/data/d/a/v", If_Match=header).status == 412
        assert ask("HEAD", "/data/d/a/v", {"If-Match": header}).status == 412
    assert ask.get("/data/d/none", If_Match="*").status == 404


def test_if_range_gives_all_of_another_value(ask: Asking) -> None:
    tag = ask.get("/data/d/a/v").headers["etag"]
    assert ask.get("/data/d/a/v", If_Range=tag, Range="bytes=0-1").status == 206
    for header in ('"x"', f"W/{tag}", "Sun, 22 Nov 2099 02:25:18 GMT"):
        found = ask.get("/data/d/a/v", If_Range=header, Range="bytes=0-1")
        assert (found.status, found.body) == (200, VALUE)
        assert ask.get("/data/d/a/v", If_Range=header, Range="bytes=500-").status == 200


@pytest.mark.parametrize("header", ["abc", '"a" "b"', '"a', "W/x", "*, *"])
def test_what_is_no_tag_is_400(ask: Asking, header: str) -> None:
    assert ask.get("/data/d/a/v", If_None_Match=header).status == 400


# Stores


def _directory(folder: Path) -> Store:
    return DirectoryStore(folder / "d")


def _zip(folder: Path) -> Store:
    return ZipStore(folder / "d.zip", mode="a")


def _sqlite(folder: Path) -> Store:
    return SQLiteStore(folder / "d.sqlite")


def _lmdb(folder: Path) -> Store:
    return LMDBStore(folder / "d.lmdb")


def _fsspec(folder: Path) -> Store:
    fsspec = pytest.importorskip("fsspec", reason="the extra 'fsspec' is not installed")
    store = FsspecStore.from_mapper(fsspec.get_mapper(f"memory:/{folder}"))
    store.requests = 32  # as if it were on a network
    return store


def _memory(folder: Path) -> Store:
    return MemoryStore()


@pytest.mark.parametrize("make", [_directory, _zip, _sqlite, _lmdb, _fsspec, _memory])
def test_values_of_any_store_come_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], Store]
) -> None:
    for name in ("PIECE", "REMOTE_PIECE", "DIGESTED"):
        monkeypatch.setattr(values, name, 1000)
    large = bytes(range(256)) * 300
    with make(tmp_path) as store:
        store.set("a/large", large)
        store.set("a/small", b"small")
        ask = asking(store)
        assert ask.get("/data/d/a/large").body == large
        assert ask.get("/data/d/a/large", Range="bytes=500-70000").body == large[500:70001]
        for key in ("small", "large"):
            got, headed = ask.get(f"/data/d/a/{key}"), ask("HEAD", f"/data/d/a/{key}")
            assert got.headers == headed.headers
        tag = ask.get("/data/d/a/small").headers["etag"]
        store.set("a/small", b"SMALL")
        assert ask.get("/data/d/a/small").headers["etag"] != tag


def test_no_more_is_read_than_is_asked_for(tmp_path: Path) -> None:
    inner = DirectoryStore(tmp_path)
    inner.set("v", bytes(3 * 2**20))
    store = CountingStore(inner)
    ask = asking(store)
    ask("HEAD", "/data/d/v")
    ask.get("/data/d/v", If_None_Match="*")
    ask.get("/data/d/v", Range="bytes=5000000-")
    assert store.bytes_read == 0
    ask.get("/data/d/v", Range="bytes=7-16")
    assert store.bytes_read == 10
    store.reset()
    assert len(ask.get("/data/d/v").body) == store.bytes_read == 3 * 2**20
    assert store.counts["get"] == 3


def test_files_tell_when_they_were_written(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path)
    store.set("v", b"1")
    assert asking(store).get("/data/d/v").headers["last-modified"].endswith(" GMT")


def test_a_value_that_is_replaced_while_it_is_sent_is_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "PIECE", 10)
    store = DirectoryStore(tmp_path)
    store.set("v", b"o" * 50)
    changing = FaultStore(
        store, lambda operation, key: store.set("v", b"n" * 50) if operation == "get" else None
    )
    assert asking(changing).get("/data/d/v").body == b"o" * 50
    assert store.get("v") == b"n" * 50


# Failures


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (StoreError("secret place", store="s3://user:pass@b/x"), 502),
        (StoreError("denied", errno=13), 403),
        (StoreError("full", errno=28), 507),
        (ValueError("secret bug"), 500),
    ],
)
def test_failures_are_never_404_and_tell_no_secrets(
    error: Exception, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    ask = asking(FaultStore(MemoryStore(), lambda operation, key: error))
    for method in ("GET", "HEAD"):
        found = ask(method, "/data/d/v")
        assert found.status == status
        assert b"secret" not in found.body and b"pass" not in found.body
    assert ask.get("/data/d/a/").status == status
    assert ("secret" in caplog.text) == ("secret" in str(error))


def test_a_value_that_breaks_off_is_not_whole(caplog: pytest.LogCaptureFixture) -> None:
    inner = MemoryStore()
    inner.set("v", VALUE)
    ask = asking(FaultStore(inner, lambda operation, key: StoreError("gone") if operation == "get" else None))
    found = ask.get("/data/d/v")
    assert (found.status, found.headers["content-length"], found.body) == (200, "100", b"")
    assert "broke off" in caplog.text


def test_a_database_that_cannot_be_read_is_502(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "d.sqlite") as store:
        store.set("v", b"1")
        ask = asking(store)
        with sqlite3.connect(tmp_path / "d.sqlite") as connection:
            connection.execute("UPDATE zarr SET v = 'text'")
        assert ask.get("/data/d/v").status == 502


@pytest.mark.parametrize("method", ["PUT", "DELETE", "POST", "PATCH", "TRACE", "MKCOL"])
def test_other_methods_are_405_and_change_nothing(ask: Asking, method: str) -> None:
    found = ask(method, "/data/d/a/v", body=b"new")
    assert found.status == 405
    assert found.headers["allow"] == "GET, HEAD, OPTIONS, PROPFIND"
    assert ask.get("/data/d/a/v").body == VALUE


def test_options_tell_the_methods(ask: Asking) -> None:
    found = ask("OPTIONS", "/data/d/a/v")
    assert (found.status, found.headers["allow"]) == (204, "GET, HEAD, OPTIONS, PROPFIND")
