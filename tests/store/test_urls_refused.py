"""Addresses that cannot be: errors of the package, which end no process and quote no password."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from object_servers import KEY, SECRET, Front

import omnizarr
from omnizarr.errors import StoreError, StoreNotFoundError, UrlError
from omnizarr.store import ObjectStore, ZipStore, open_store
from omnizarr.store.filesystems.kinds import shown_chain
from omnizarr.store.urls.grammar import parse_url, shown_place

_PASSWORD = "9S3cr3t"


@pytest.mark.parametrize(
    "url",
    [
        f"s3://me:{_PASSWORD}@bucket/a",
        f"gs://me:{_PASSWORD}@bucket/a",
        f"az://me:{_PASSWORD}@container/a",
        f"abfss://container:{_PASSWORD}@account.dfs.core.windows.net/a",
        f"abfs://me:{_PASSWORD}@container@account.dfs.core.windows.net/a",
    ],
)
def test_passwords_before_buckets_are_refused_and_never_shown(url: str) -> None:
    with pytest.raises(UrlError) as caught:
        open_store(url, mode="r")
    with pytest.raises(UrlError) as direct:
        ObjectStore(url)
    for error in (caught.value, direct.value):
        assert _PASSWORD not in str(error)
        assert _PASSWORD not in repr(error)


@pytest.mark.parametrize(
    "url",
    [
        f"http://me:{_PASSWORD}/x@host/y",
        f"redis://:{_PASSWORD}/x@host/0",
        f"http://me:{_PASSWORD}?x@host/y",
        f"sftp://me:{_PASSWORD}#x@host/y",
        f"zip://a::http://me:{_PASSWORD}/x@host/a.zip",
    ],
)
def test_passwords_that_begin_like_a_port_are_not_shown(url: str) -> None:
    with pytest.raises(UrlError, match="signs of a password are percent-encoded") as caught:
        open_store(url, mode="r")
    assert _PASSWORD not in f"{caught.value} {caught.value!r} {shown_place(url)}"


def test_a_password_with_a_slash_is_not_shown_of_a_chain() -> None:
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    name = shown_chain(f"simplecache::http://me:{_PASSWORD}/x@host/y")
    assert _PASSWORD not in name and name.startswith("simplecache::http://")
    plain = "simplecache::http://host:80/a:b::file:///c"
    assert shown_chain(plain) == plain


def test_a_password_after_a_container_is_not_shown() -> None:
    url = f"abfss://container:{_PASSWORD}@account.dfs.core.windows.net/a"
    assert _PASSWORD not in f"{parse_url(url)!r} {shown_place(url)}"
    plain = "abfss://container@account.dfs.core.windows.net/a"
    assert shown_place(plain) == plain
    assert shown_place("http://[::1]:80/a") == "http://[::1]:80/a"


@pytest.mark.parametrize("bucket", ["a b", "b\u00fc", 'a"b', "a%20b", "a\nb", "{}"])
def test_what_can_be_no_bucket_is_refused(bucket: str) -> None:
    with pytest.raises(UrlError, match="the bucket: expected letters, digits"):
        ObjectStore(f"s3://{bucket}/a")


@pytest.mark.parametrize(
    "wrong",
    [{"endpoint": "http://ho st:1"}, {"region": "a\nb", "access_key_id": "a\nb"}],
)
def test_options_that_can_be_in_no_request_are_errors_of_the_store(
    wrong: dict[str, object], capfd: pytest.CaptureFixture[str]
) -> None:
    said = {"access_key_id": KEY, "secret_access_key": SECRET, "region": "here", "allow_http": True}
    store = ObjectStore("s3://bucket/a", storage_options={**said, "endpoint": "http://127.0.0.1:1", **wrong})
    for operation in (lambda: store.get("k"), lambda: list(store.list_prefix()), lambda: store.set("k", b"")):
        with pytest.raises(StoreError, match="obstore cannot make this request") as caught:
            operation()
        assert SECRET not in str(caught.value)
    assert SECRET not in capfd.readouterr().err


@pytest.mark.parametrize("mode", ["r", "r+", "a", "w"])
@pytest.mark.parametrize("name", ["a\0b", "file:///a%00b", "sqlite:///a%00b", "zip:///a%00.zip", "\ud800"])
def test_paths_that_no_file_can_have(name: str, mode: str) -> None:
    with pytest.raises(UrlError, match="expected a path, found"):
        omnizarr.open_group(name, mode=mode)  # type: ignore[arg-type]


def test_a_pathlib_path_that_no_file_can_have() -> None:
    with pytest.raises(UrlError, match="found a NUL in it"):
        omnizarr.open(Path("a\0b"), mode="r")


# What is wrong with a file that is a store


def make_archive_that_begins_with_zeros(path: Path) -> None:
    """Make an archive whose first value was replaced, where a copy without the hole is not worth it."""
    with ZipStore(path, mode="w") as store:
        store.set("zarr.json", b'{"zarr_format": 3, "node_type": "group"}')
        store.set("other", bytes(10_000))
        store.set("zarr.json", b'{"zarr_format": 3, "node_type": "group", "attributes": {"replaced": true}}')
    assert path.read_bytes()[:4] == bytes(4)


@pytest.mark.parametrize("place", ["{}", "file://{}"])
def test_an_archive_that_is_written_elsewhere_is_no_file_of_another_kind(place: str, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    make_archive_that_begins_with_zeros(path)
    with (
        ZipStore(path, mode="r+") as store,
        pytest.raises(StoreError, match="another writer has it open"),
    ):
        store.set("more", b"")
        omnizarr.open(place.format(path), mode="r+")


def test_what_is_wrong_with_a_database_is_told_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE other(x)")
    with pytest.raises(StoreNotFoundError, match="the database has no table zarr"):
        omnizarr.open(path, mode="r")
    path.write_bytes(path.read_bytes()[:100] + bytes(5000))
    with pytest.raises(StoreError, match="the database is damaged"):
        omnizarr.open(path, mode="r")


def test_an_archive_whose_first_value_was_replaced_is_found_on_the_web(tmp_path: Path) -> None:
    make_archive_that_begins_with_zeros(tmp_path / "named")
    front = Front("http", tmp_path)
    try:
        opened = omnizarr.open_group(f"http://127.0.0.1:{front.port}/named", mode="r")
        assert dict(opened.attrs) == {"replaced": True}
    finally:
        front.close()
