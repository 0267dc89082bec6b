"""Which service an address means: S3, GCS, Azure or plain HTTP, in all the ways that they are written.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from omnizarr.errors import UrlError
from omnizarr.store.urls.credentials import PROFILE, are_signed, options_said, plain_name, with_profile
from omnizarr.store.urls.grammar import Url, parse_url, scheme_of

_AWS = re.compile(
    r"(?:(.+)\.)?s3[.-](?:dualstack\.)?(?:([a-z0-9-]+)\.)?amazonaws\.com(?:\.cn)?", re.IGNORECASE
)
_GOOGLE = re.compile(r"(?:(.+)\.)?storage\.googleapis\.com", re.IGNORECASE)
_AZURE = re.compile(r"([a-z0-9-]+)\.(?:blob|dfs)\.core\.windows\.net", re.IGNORECASE)
# What stands in the place of a bucket, and is a host: it has a port, is a number, this machine or Amazon's.
_HOST = re.compile(r".+:\d+|\[.*\]|localhost|\d+(\.\d+){3}|.+\.amazonaws\.com(\.cn)?", re.IGNORECASE)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_GOOGLE_S3 = "https://storage.googleapis.com"
_ENDPOINTS = ("endpoint", "endpoint_url", "endpoint_url_s3")


class Service(NamedTuple):
    """A URL of a scheme that `ObjectStore` knows, and the options that the address itself says.

    `has_host` where the address names a server, and not just a bucket of whoever's.
    """

    url: str
    kind: str
    options: Mapping[str, object] = {}
    has_host: bool = True

    def __repr__(self) -> str:
        return f"<Service {self.kind}>"  # URL and options may hold signatures


def addressed(url: Url, options: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """Return the URL and the options of the object store that an address means.

    What `options` say goes first, then the fragment, then the address, then the profile. Where an address
    names a server and there are no credentials, requests are not signed.

    Raises
    ------
    UrlError
        A part is missing, or means nothing for its service.
    StoreError
        There is no such profile.
    """
    said = options_said(url)
    given = {plain_name(name) for name in options}
    service = _service(url, has_endpoint=not {*given, *said}.isdisjoint(_ENDPOINTS))
    if said and service.kind != "s3":
        message = f"the fragment: aws.{next(iter(said))} means nothing for {service.kind}"
        raise UrlError(message, store=url.shown)
    found = {**service.options, **said}
    if service.kind == "s3":
        found = with_profile(found, options, url.shown)
    if service.has_host and not are_signed(service.kind, {*found, *given}):
        found["skip_signature"] = "true"
    kept = {name: value for name, value in options.items() if plain_name(name) != PROFILE}
    return service.url, {name: value for name, value in found.items() if name not in given} | kept


def name_of(url: Url) -> str:
    """Return the address itself without credentials, as one that leads to the same place again."""
    shown = url.shown.rstrip("/")
    parts = urlsplit(url.place)
    modes = url.fragment.modes
    if url.scheme not in ("http", "https") or modes.isdisjoint(("s3", "gs3")) or _AWS.fullmatch(parts.netloc):
        return shown
    google = _google(parts, "gs3" in modes)
    if google is not None:
        return f"gs3{google.url[2:]}".rstrip("/") if google.kind == "s3" else shown
    return shown if "s3" not in modes else f"s3+{shown}"


def names_endpoint(place: str, options: Mapping[str, object]) -> bool:
    """Say whether a place names a server of S3's protocol itself, rather than just a bucket."""
    if scheme_of(place) not in ("s3", "s3+http", "s3+https", "gs3", "http", "https"):
        return False
    url = parse_url(place)
    if "endpoint" in options_said(url):
        return True
    has_endpoint = not set(map(plain_name, options)).isdisjoint(_ENDPOINTS)
    return "endpoint" in _service(url, has_endpoint=has_endpoint).options


def _service(url: Url, *, has_endpoint: bool) -> Service:
    parts = urlsplit(url.place)
    if url.scheme in ("http", "https"):
        return _of_web(url, parts)
    if url.query:
        raise UrlError("the query: expected none; credentials are storage_options", store=url.shown)
    bucket = parts.netloc.rpartition("@")[2]
    rest = url.place.partition("://")[2]
    if not bucket:
        raise UrlError(f"the bucket: expected {url.scheme}://BUCKET/PATH, found none", store=url.shown)
    if url.scheme == "gs3":
        return Service(f"s3://{rest}", "s3", {"endpoint": _GOOGLE_S3})
    if url.scheme in ("s3+http", "s3+https"):
        return _at_endpoint(url, parts, url.scheme.removeprefix("s3+"))
    if url.scheme == "s3" and _is_host(bucket, url) and not has_endpoint:
        return _aws(parts) or _at_endpoint(url, parts, "http" if parts.hostname in _LOOPBACK else "https")
    kind = {"s3": "s3", "gs": "gs", "gcs": "gs"}.get(url.scheme, "az")
    return Service(url.place, kind, has_host=False)


def _is_host(bucket: str, url: Url) -> bool:
    """Say whether a server is named where a bucket may be: any with a dot, where netCDF-C's modes follow."""
    return bool(_HOST.fullmatch(bucket)) or (bool(url.fragment.modes) and "." in bucket)


def _of_web(url: Url, parts: SplitResult) -> Service:
    """Return the service of an address of the web; a signature in the query is for what it signs."""
    modes = url.fragment.modes
    if not parts.hostname:
        raise UrlError(f"the host: expected {url.scheme}://HOST/PATH, found none", store=url.shown)
    if url.query:
        azure = _azure(parts)
        if azure is not None:
            return azure._replace(options={**azure.options, "sas_token": url.query})
        return Service(f"{url.place}?{url.query}", "http", has_host=False)
    found = _aws(parts) or _google(parts, "gs3" in modes) or _azure(parts)
    if found is None and "s3" in modes:
        return _at_endpoint(url, parts, url.scheme)
    return Service(url.place, "http", has_host=False) if found is None else found


def _aws(parts: SplitResult) -> Service | None:
    found = _AWS.fullmatch(parts.netloc)
    if found is None:
        return None
    region = {"region": found[2]} if found[2] else {}
    return Service(f"s3://{_with_bucket(found[1], parts)}", "s3", region)


def _google(parts: SplitResult, as_s3: bool) -> Service | None:
    found = _GOOGLE.fullmatch(parts.netloc)
    if found is None:
        return None
    place = _with_bucket(found[1], parts)
    if as_s3:
        return Service(f"s3://{place}", "s3", {"endpoint": _GOOGLE_S3})
    return Service(f"gs://{place}", "gs")


def _azure(parts: SplitResult) -> Service | None:
    found = _AZURE.fullmatch(parts.netloc)
    if found is None:
        return None
    return Service(f"az://{parts.path.lstrip('/')}", "az", {"account_name": found[1]})


def _with_bucket(bucket: str | None, parts: SplitResult) -> str:
    path = parts.path.lstrip("/")
    return f"{bucket}/{path}" if bucket else path


def _at_endpoint(url: Url, parts: SplitResult, scheme: str) -> Service:
    host, path = parts.netloc.rpartition("@")[2], parts.path.lstrip("/")
    if not path.partition("/")[0]:
        raise UrlError(f"the bucket: expected {url.scheme}://{host}/BUCKET/PATH, found none", store=url.shown)
    options: dict[str, object] = {"endpoint": f"{scheme}://{host}"}
    if scheme == "http":
        options["allow_http"] = True
    return Service(f"s3://{path}", "s3", options)
