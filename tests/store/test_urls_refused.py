"""Addresses that cannot be: errors of the package, which end no process and quote no password."""

from __future__ import annotations

from pathlib import Path

import pytest
from object_servers import KEY, SECRET

import omnizarr
from omnizarr.errors import StoreError, UrlError
from omnizarr.store import ObjectStore, open_store

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
