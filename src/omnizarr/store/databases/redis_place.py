"""From a URL and options to a place in a Redis server, and requests to it that outlive a lost connection.

https://redis.io/docs/latest/develop/reference/protocol-spec/
"""

from __future__ import annotations

import logging
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

from omnizarr.errors import ReadOnlyError, StoreError

T = TypeVar("T")
_log = logging.getLogger(__name__)

SCHEMES = ("redis", "rediss", "unix")
_FORMS = "redis://host:port/db/prefix, rediss://… or unix:///socket?db=0&prefix=…"
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 2.0
# Ours, and those without which values would come back as text.
_DEFAULTS: dict[str, Any] = {"socket_timeout": 30.0, "socket_connect_timeout": 5.0}
_FIXED: dict[str, Any] = {"decode_responses": False}


@dataclass(frozen=True, slots=True)
class RedisPlace:
    """Where the keys of a store are.

    Attributes
    ----------
    client
        redis-py's client, which keeps a pool of connections, one anew for each process.
    name
        The URL without user and password.
    prefix
        What stands before each key.
    retries
        How often a request is made again where the connection was lost.
    secrets
        What no message may show.
    """

    client: Any
    name: str
    prefix: str
    retries: int
    secrets: tuple[str, ...]


def connect(url: str, options: Mapping[str, object]) -> RedisPlace:
    """Return the place that a URL names; no request is made.

    Raises
    ------
    StoreError
        The URL is not one of Redis, an option is not redis-py's, or the extra `kv` is not installed.
    """
    scheme, address, path, asked = _taken_apart(url)
    database, prefix = _of_query(asked, url) if scheme == "unix" else _of_path(path, asked, url)
    name = _name(scheme, address, path, database, prefix)
    more = dict(options)
    retries = more.pop("max_retries", 5)
    if not isinstance(retries, int) or retries < 0:
        raise StoreError(f"max_retries: expected a number from 0 on, found {retries!r}", store=name)
    # urlsplit cannot tell a user named `a` from none, redis-py can
    place = f"{scheme}://{address}{path if scheme == 'unix' else ''}"
    client = _client(place, {**_DEFAULTS, **more, **_FIXED, "db": database}, name)
    secrets = [unquote(urlsplit(place).password or ""), *(str(more.get(key) or "") for key in _SECRET)]
    return RedisPlace(client, name, prefix, retries, tuple(filter(None, secrets)))


_SECRET = ("password", "ssl_password")


def shown_place(url: str) -> str:
    """Return a URL without what may be a credential, whatever else is wrong with it."""
    return re.sub(r"//[^/]*@", "//", url.partition("?")[0].partition("#")[0])


def _taken_apart(url: str) -> tuple[str, str, str, dict[str, list[str]]]:
    parts = urlsplit(url.partition("#")[0])
    scheme, asked = parts.scheme.lower(), parse_qs(parts.query)
    if scheme not in SCHEMES or (scheme == "unix" and not parts.path.strip("/")):
        raise StoreError(f"expected {_FORMS}", store=shown_place(url))
    if strange := sorted(set(asked) - {"db", "prefix"}):
        message = f"found {', '.join(strange)} in the URL; expected db and prefix there, and storage_options"
        raise StoreError(message, store=shown_place(url))
    return scheme, parts.netloc, parts.path, asked


def _of_path(path: str, asked: dict[str, list[str]], url: str) -> tuple[int, str]:
    """Return database and prefix of `/db/prefix`; a query may say either where the path does not."""
    first, _, rest = path.lstrip("/").partition("/")
    for name, said in (("db", first), ("prefix", rest)):
        if said and name in asked:
            raise StoreError(f"the URL says {name} in its path and in its query", store=shown_place(url))
    prefix = _prefix(unquote(rest)) if rest else _prefix(asked.get("prefix", [""])[-1])
    return _database(first or asked.get("db", ["0"])[-1], url), prefix


def _of_query(asked: dict[str, list[str]], url: str) -> tuple[int, str]:
    return _database(asked.get("db", ["0"])[-1], url), _prefix(asked.get("prefix", [""])[-1])


def _database(text: str, url: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text):
        message = f"expected the number of a database, found {text!r}: {_FORMS}"
        raise StoreError(message, store=shown_place(url))
    return int(text)


def _prefix(text: str) -> str:
    """Return what stands before keys: with a `/` after it, or as it is where it ends in `:`."""
    inner = text.strip("/")
    return inner if inner == "" or inner.endswith(":") else f"{inner}/"


def _name(scheme: str, address: str, path: str, database: int, prefix: str) -> str:
    shown = prefix.rstrip("/")
    if scheme == "unix":
        return f"unix://{path}?db={database}" + (f"&prefix={shown}" if shown else "")
    host = address.rpartition("@")[2]
    return f"{scheme}://{host}/{database}" + (f"/{shown}" if shown else "")


def _client(url: str, options: dict[str, Any], name: str) -> Any:
    try:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError as error:
        message = "no store for this URL here: it belongs to the extra 'kv'"
        raise StoreError(f"{message} (pip install 'omnizarr[kv]')", store=name) from error
    try:
        # Retries are ours: of some writes it matters whether they may have been made already.
        client = redis.Redis.from_url(url, **{"retry": Retry(NoBackoff(), 0), **options})
        pool = client.connection_pool
        pool.connection_class(**pool.connection_kwargs)  # which connects nothing, but looks at the options
    except (TypeError, ValueError, redis.RedisError) as error:
        raise StoreError(f"cannot be opened: {error}", store=name) from None
    return client


# Requests


def ask(place: RedisPlace, action: str, key: str | None, request: Callable[[Any], T]) -> T:
    """Return what a request returns; it is made again, later each time, where the connection was lost.

    Raises
    ------
    StoreError
        The connection stays lost, or the server refuses.
    """
    import redis

    wait = _FIRST_WAIT
    for left in range(place.retries, -1, -1):
        try:
            return request(place.client)
        except redis.RedisError as error:
            lost = error if _is_lost(error) else lost_in(error)
            if left == 0 or lost is None:
                raise failure(place, action, key, lost or error) from None
        _log.info("%s: connection lost; once more within %.1f s", place.name, wait)
        time.sleep(random.uniform(wait / 2, wait))
        wait = min(2 * wait, _LONGEST_WAIT)
    raise AssertionError("the last try returns or raises")


def _is_lost(error: Exception) -> bool:
    import redis

    refused = (redis.AuthenticationError, redis.exceptions.AuthorizationError)
    lost = (redis.ConnectionError, redis.TimeoutError)
    return isinstance(error, lost) and not isinstance(error, refused)


def lost_in(error: Exception) -> Exception | None:
    """Return the loss of the connection that redis-py shows as a failed condition, or None."""
    cause = error.__cause__ or error.__context__
    return cause if isinstance(cause, Exception) and _is_lost(cause) else None


def failure(place: RedisPlace, action: str, key: str | None, error: Exception) -> StoreError:
    """Return the error for a request that failed, without credentials."""
    import redis

    said = " ".join(str(error).split())
    for secret in place.secrets:
        said = said.replace(secret, "…")
    kind = ReadOnlyError if isinstance(error, redis.ReadOnlyError) else StoreError
    return kind(f"cannot {action}: {said}", store=place.name, key=key)
