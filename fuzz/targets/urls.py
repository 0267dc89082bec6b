"""Places: paths, URLs, fragments and steps. Nothing is opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from omnizarr.errors import OmniZarrError
from omnizarr.store.keys import check_key
from omnizarr.store.urls.grammar import parse_url, shown_place


def seeds() -> Iterator[bytes]:
    """Yield places of every kind."""
    yield from (
        b"s3://user:pw@bucket/a/b.zarr?versionId=1#mode=nczarr,s3",
        b"https://host.example:8080/data/x.zarr#mode=zarr,zip&dimension_separator=/",
        b"zip::s3://bucket/a.zip",
        b"zip://a/b::file:///tmp/x.zip",
        b"file:///tmp/a%20b.zarr|zip:inner/path|zarr3:node",
        b"memory://name",
        b"/tmp/a.zarr#mode=nczarr,file",
        b"gs://bucket/x#consolidated",
        b"redis://:secret@localhost:6379/0/prefix",
        b"sqlite:///tmp/a.db",
        b"abfss://container@account.dfs.core.windows.net/path",
        b"[log][mode=zarr]https://host/x",
        b"C:\\data\\x.zarr",
    )


def run(data: bytes) -> None:
    """Take a place apart, show it, and put it together again."""
    text = data.decode("utf-8", "surrogateescape")
    with suppress(OmniZarrError):
        url = parse_url(text)
        # Of a path, `#` may be a part, which only looking at the file system tells.
        assert not url.scheme or parse_url(url.text()) == url, (text, url.text())
        repr(url), url.path, url.first, url.zarr_format
    shown_place(text)
    with suppress(OmniZarrError):
        check_key(text)
