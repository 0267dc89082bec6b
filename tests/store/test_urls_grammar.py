"""Places taken apart: what each part is, what is wrong with it, and what is never shown of it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from omnizarr.errors import ConversionError, OmniZarrError, StoreError, UrlError
from omnizarr.store.urls.fragments import Fragment
from omnizarr.store.urls.grammar import STEPS, Step, Url, parse_url, scheme_of, shown_place


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a/b", Url("", "a/b")),
        ("S3://b/k", Url("s3", "S3://b/k")),
        ("file:a", Url("file", "file:a")),
        ("memory:", Url("memory", "memory:")),
        ("http://h/p?a=b#zarr", Url("http", "http://h/p", "a=b", Fragment(frozenset({"zarr"})))),
        ("c:/x", Url("", "c:/x")),
        ("a#b", Url("", "a#b")),
        ("a|b", Url("", "a|b")),
        ("a|zip", Url("", "a|zip")),
        ("a|ZIP:b", Url("", "a", steps=(Step("zip", "b"),))),
        ("a|b|zip:/c/", Url("", "a|b", steps=(Step("zip", "c"),))),
        ("a#x#mode=v2|zip:", Url("", "a#x", "", Fragment(frozenset({"v2"})), (Step("zip"),))),
        ("file:///a|zip|Zarr3:g%7Ch", Url("file", "file:///a", steps=(Step("zip"), Step("zarr3", "g|h")))),
        ("simplecache::s3://b/k", Url("simplecache", "simplecache::s3://b/k")),
        ("zip://x%20y::s3://b/k|zarr2:", Url("s3", "s3://b/k", steps=(Step("zip", "x y"), Step("zarr2")))),
        ("zip::file:///a", Url("file", "file:///a", steps=(Step("zip"),))),
    ],
)
def test_parts(text: str, expected: Url) -> None:
    assert parse_url(text) == expected
    assert parse_url(expected.text()) == expected


def test_a_name_that_is_there_is_a_name(tmp_path: Path) -> None:
    for name in ("a#zarr", "b|zip:"):
        place = str(tmp_path / name)
        assert parse_url(place).place == str(tmp_path / name[0])
        Path(place).mkdir()
        assert parse_url(place) == Url("", place)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file:///a|gzip:", r"part 2, 'gzip:': expected one of auto:, zarr:, zarr2:, zarr3:, zip: \(.*///a"),
        ("file:///a|zip:|", "part 3, '': expected one of"),
        ("file:///a|zarr3:|zip:", "part 2, 'zarr3:': a format is the last part"),
        ("file:///a|zip://b", "part 2, 'zip:': expected zip:PATH, found two slashes"),
        ("file:///a|zip:b?c", r"part 2, 'zip:': expected no query here; a \? is written %3F"),
        ("file:///a|zip:b#v2|zarr2:", r"part 2, 'zip:': expected no fragment here; a # is written %23"),
        ("file:///a#v2|zarr3:", "mode=v2 and the part 'zarr3:' contradict each other"),
        ("s3://b/k#mode=v2,v3", "expected one of the modes v2 and v3, found both"),
        ("s3://b/k#mode=zip,file", "expected one of the modes file and zip, found both"),
        ("s3://b/k#mode=nczar", "expected modes among .*, found nczar"),
        ("http://h:port/a", "the host: expected HOST or HOST:PORT"),
        ("http://[::1/a", "the host: expected HOST or HOST:PORT"),
    ],
)
def test_what_is_wrong_is_told_with_its_part(text: str, message: str) -> None:
    with pytest.raises(UrlError, match=message):
        parse_url(text)


def test_an_error_of_a_url_is_one_of_values_and_of_stores() -> None:
    assert issubclass(UrlError, ValueError) and issubclass(UrlError, StoreError)


def test_bytes_are_no_zarr() -> None:
    with pytest.raises(ConversionError, match="mode=bytes"):
        parse_url("https://h/a.nc#bytes")


_names = st.text(min_size=1, max_size=8)
_paths = st.lists(_names, max_size=3).map("/".join)
_steps = st.builds(Step, st.just("zip"), _paths.map(lambda path: path.strip("/")))
_urls = st.builds(
    Url,
    st.just("s3"),
    _paths.map(lambda path: f"s3://b/{quote(path)}"),
    st.just(""),
    st.builds(
        Fragment,
        st.frozensets(st.sampled_from(["nczarr", "v3", "consolidated", "s3"])),
        st.dictionaries(_names.map(lambda name: f"aws.{name}"), st.tuples(_names), max_size=2).map(
            lambda said: tuple(said.items())
        ),
    ),
    st.lists(_steps, max_size=3).map(tuple),
)


@given(_urls)
def test_a_url_written_down_is_read_as_it_was(url: Url) -> None:
    assert parse_url(url.text()) == url


_SECRET = "S3cr3t"
_secrets = st.sampled_from(
    [_SECRET, f"{_SECRET}/{_SECRET}", f"{_SECRET}@x", quote(f"@{_SECRET}:#?|", safe="")]
)


@given(
    st.sampled_from(["s3", "http", "https", "redis", "gs", "unknown", "file", "memory", "s3+http"]),
    st.sampled_from(["", "user:{}@", "{}@", "user:{}@"]),
    st.sampled_from(["h", "h.example", "h:80", ""]),
    st.sampled_from(["", "/a", "/a/b.zip", "/"]),
    st.sampled_from(["", "?sig={}", "?a=b&X-Amz-Signature={}"]),
    st.sampled_from(
        ["", "#aws.secret_access_key={}", "#mode=v2,v3&token={}", "#aws.x={}&zarr", "#mode=q&k={}"]
    ),
    st.sampled_from(["", "|zip:", "|zip:a|zarr3:", "|nothing:a?k={}", "|zip:a?token={}", "|{}@h"]),
    _secrets,
)
def test_credentials_are_never_shown(
    scheme: str, user: str, host: str, path: str, query: str, fragment: str, step: str, secret: str
) -> None:
    text = (f"{scheme}://{user}{host}{path}{query}{fragment}{step}").replace("{}", secret)
    assume("/" not in secret or ":" in user or not user)  # else it is a bucket and a key
    try:
        url = parse_url(text)
    except OmniZarrError as error:
        assert _SECRET not in f"{error} {error!r} {getattr(error, 'store', '')} {shown_place(text)}"
    else:
        assert _SECRET not in f"{url!r} {url.shown} {url.fragment!r} {url.steps} {shown_place(text)}"


@given(
    st.text(max_size=40) | st.from_regex(rf"(s3|file|http)://[a|#?&=%:@/]*(\|({'|'.join(STEPS)}):?[a#?%/]*)*")
)
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        url = parse_url(text)
    except OmniZarrError as error:
        assert isinstance(error, ValueError)
    else:
        assert url.scheme == (scheme_of(text) or "") or "::" in text
        assert parse_url(url.text()).text() == url.text()
