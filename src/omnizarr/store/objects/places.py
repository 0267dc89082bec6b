"""From a URL and options to a place in an object store, and to a name for it without credentials.

Options have obstore's names. https://developmentseed.org/obstore/latest/api/store/
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import unquote, urlsplit

from omnizarr.errors import StoreError, UrlError

S3_KEY_BYTES = 1024
PROCESS = "process"

_KINDS = {
    "s3": "s3",
    "gs": "gs",
    "gcs": "gs",
    "az": "az",
    "abfs": "az",
    "abfss": "az",
    "adl": "az",
    "http": "http",
    "https": "http",
}
SCHEMES = tuple(_KINDS)
# What obstore takes as options of its HTTP client rather than of a kind of store.
_CLIENT = frozenset(
    (
        "allow_http",
        "allow_invalid_certificates",
        "connect_timeout",
        "default_content_type",
        "default_headers",
        "http1_only",
        "http2_keep_alive_interval",
        "http2_keep_alive_timeout",
        "http2_keep_alive_while_idle",
        "http2_only",
        "pool_idle_timeout",
        "pool_max_idle_per_host",
        "proxy_url",
        "proxy_ca_certificate",
        "proxy_excludes",
        "randomize_addresses",
        "read_timeout",
        "root_certificate",
        "timeout",
        "user_agent",
    )
)
_BUCKET = re.compile(r"[A-Za-z0-9._:-]+")
_ENDPOINTS = ("aws_endpoint_url_s3", "endpoint", "aws_endpoint", "endpoint_url", "aws_endpoint_url")
# Six tries within about six seconds; obstore's own would be ten within three minutes.
_RETRIES: dict[str, Any] = {
    "max_retries": 5,
    "retry_timeout": timedelta(seconds=60),
    "backoff": {
        "init_backoff": timedelta(milliseconds=100),
        "max_backoff": timedelta(seconds=3),
        "base": 2,
    },
}
_AT_ONCE: dict[str, Any] = {**_RETRIES, "max_retries": 0}
_LOOKED_AT = (
    "AWS_",
    "GOOGLE_",
    "AZURE_",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "ALL_PROXY",
)
# Clients by what they were made of, which holds credentials and is never shown; those used last stay.
_KEPT = 32
_clients: dict[str, Any] = {}
_making = threading.Lock()


@dataclass(frozen=True, slots=True)
class Place:
    """Where the keys of a store are.

    Attributes
    ----------
    client
        obstore's store. All stores in a bucket of S3 share one, and with it the open connections.
    lister
        What lists: the same, but for HTTP one that does not ask again where a server cannot list.
    name
        The URL without credentials and fragment.
    kind
        `"s3"`, `"gs"`, `"az"` or `"http"`.
    before
        What stands before each key in the client's paths: nothing, or a path that ends in `/`.
    taken
        Bytes that what stands before each key takes of the longest key there may be.
    conditions
        How a value is replaced only where it is still what was read: `"trusted"`, the service is
        known to keep to the conditions of a request; `"unproved"`; `"process"`, by locks of this process.
    server
        The endpoint, where it is not the service's own.
    """

    client: Any
    lister: Any
    name: str
    kind: str
    before: str
    taken: int
    conditions: str
    server: str

    def at(self, key: str) -> str:
        """Return the client's path of a key or of a prefix."""
        return self.before + key

    @property
    def before_listed(self) -> str:
        """What stands before the client's paths where it lists them: for HTTP the path of the URL."""
        path = unquote(urlsplit(self.name).path).strip("/") if self.kind == "http" else ""
        return f"{path}/" if path else ""


def shown_url(url: str) -> str:
    """Return a URL without what may be a credential: user, password, query and fragment."""
    place = re.split(r"[?#]", url, maxsplit=1)[0]
    scheme, mark, rest = place.partition("://")
    host, slash, path = rest.partition("/")
    # abfss://container@account: here what stands before the @ is part of the place
    user, at, host = host.rpartition("@")
    container = user.partition(":")[0] + at if scheme.lower().startswith("abfs") else ""
    return f"{scheme}{mark}{container}{host}{slash}{path}".rstrip("/")


def connect(url: str, options: Mapping[str, object]) -> Place:
    """Return the place that a URL names; no request is made.

    Raises
    ------
    StoreError
        A scheme, an option or its value is not one that obstore takes; or obstore is not installed.
    UrlError
        What stands for the bucket is none.
    """
    name = shown_url(url)
    kind = _KINDS.get(url.partition("://")[0].lower())
    if kind is None:
        raise StoreError(f"expected a URL of {', '.join(SCHEMES)}", store=name)
    if "?" in url.partition("#")[0] and kind != "http":
        raise StoreError("expected no query in the URL: credentials are storage_options", store=name)
    if kind != "http":
        _check_bucket(url, name)
    config, arguments = _sorted_options(options)
    conditions = _conditions(kind, config)
    if kind == "http" and config:
        raise StoreError(f"storage_options: {', '.join(sorted(config))} mean nothing for HTTP", store=name)
    place = url.partition("#")[0].rstrip("/")
    before = ""
    if kind == "s3":
        parts = urlsplit(place)
        place, inside = parts.netloc, unquote(parts.path).strip("/")
        before = f"{inside}/" if inside else ""
    client = _shared_client(kind, place, config, arguments, name)
    lister = client
    if kind == "http":
        lister = _shared_client(kind, place, config, {**arguments, "retry_config": _AT_ONCE}, name)
    taken = len((before or _prefix_of(client)).encode())
    return Place(client, lister, name, kind, before, taken, conditions, _server(config))


def _check_bucket(url: str, name: str) -> None:
    """Refuse what is no bucket, by which obstore would come to an end or quote a password."""
    scheme, _, rest = url.partition("://")
    before, at, bucket = re.split("[/?#]", rest, maxsplit=1)[0].rpartition("@")
    if at and (":" in before or not scheme.lower().startswith("abfs")):
        message = "the bucket: expected no user or password before it; credentials are storage_options"
        raise UrlError(message, store=name)
    for part in (before, bucket) if at else (bucket,):
        if not _BUCKET.fullmatch(part):
            message = f"the bucket: expected letters, digits and . - _ :, found {part!a}"
            raise UrlError(message, store=name)


def _prefix_of(client: Any) -> str:
    prefix = str(getattr(client, "prefix", None) or "")
    return f"{prefix}/" if prefix else ""


def _sorted_options(options: Mapping[str, object]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options of the kind of store, and those of obstore's constructors."""
    config: dict[str, Any] = dict(options)
    named = config.pop("client_options", None)
    client: dict[str, Any] = dict(named) if isinstance(named, Mapping) else {}
    client |= {name: config.pop(name) for name in list(config) if name in _CLIENT}
    arguments: dict[str, Any] = {"retry_config": config.pop("retry_config", None) or _RETRIES}
    if "credential_provider" in config:
        arguments["credential_provider"] = config.pop("credential_provider")
    if client:
        arguments["client_options"] = client
    return config, arguments


def _conditions(kind: str, config: dict[str, Any]) -> str:
    if config.get("conditional_put") == PROCESS:
        del config["conditional_put"]
        return PROCESS
    return "unproved" if kind == "s3" and _server(config) else "trusted"


def _server(config: Mapping[str, object]) -> str:
    """Return the endpoint that options or the environment name, or nothing."""
    asked = [config[name] for name in _ENDPOINTS if name in config]
    asked += [os.environ[name.upper()] for name in _ENDPOINTS if name.upper() in os.environ]
    return str(asked[0]) if asked else ""


def _shared_client(kind: str, place: str, config: Any, arguments: dict[str, Any], name: str) -> Any:
    """Return the client that was made of the same before, or a new one.

    To make one takes 3.6 ms, and its first request a connection.
    """
    made_of = repr((kind, place, config, arguments, _environment()))
    with _making:
        client = _clients.pop(made_of, None) or _client(kind, place, config, arguments, name)
        _clients[made_of] = client
        while len(_clients) > _KEPT:
            del _clients[next(iter(_clients))]
    return client


def _environment() -> list[tuple[str, str]]:
    """Return the variables that obstore looks at."""
    return sorted(item for item in os.environ.items() if item[0].startswith(_LOOKED_AT))


def _client(kind: str, url: str, config: Any, arguments: dict[str, Any], name: str) -> Any:
    try:
        from obstore import exceptions, store
    except ImportError as error:
        message = "no store for this URL here: it belongs to the extra 'cloud'"
        raise StoreError(f"{message} (pip install 'omnizarr[cloud]')", store=name) from error
    try:
        if kind == "http":
            options = {"allow_http": True, **arguments.get("client_options", {})}
            # of bytes that a server compresses on the way no part has the place that was asked for
            options["default_headers"] = {"Accept-Encoding": "identity", **options.get("default_headers", {})}
            return store.HTTPStore(url, **{**arguments, "client_options": options})
        if kind == "s3":
            return store.S3Store(url, config=config, **arguments)
        if kind == "gs":
            address = "gs://" + url.partition("://")[2]
            return store.GCSStore.from_url(address, config=config, **arguments)
        return store.AzureStore.from_url(url, config=config, **arguments)
    except (exceptions.BaseError, TypeError, ValueError) as error:
        hint = "; options have obstore's names: skip_signature=True for anon" if "anon" in config else ""
        raise StoreError(f"cannot be opened: {_first_line(error).rstrip('.')}{hint}", store=name) from None


def _first_line(error: Exception) -> str:
    """Return what obstore says, without the source that it quotes, which may hold what it was given."""
    return str(error).partition("\n")[0]
