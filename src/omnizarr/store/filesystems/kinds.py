"""What kinds of fsspec file systems there are, as far as it matters where values are kept in them.

https://filesystem-spec.readthedocs.io/en/latest/api.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from omnizarr.errors import StoreError, StoreNotFoundError

_LOCAL = frozenset({"file", "local"})
# Whose `mv` replaces a file in one step.
_RENAMES = _LOCAL | {"sftp", "ssh"}
# Services that take `mode="create"` as a condition of the request.
_CONDITIONS = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl"})
# Without directories: nothing has to be made before a value, nothing is left when it goes.
_FLAT = _CONDITIONS | {"oss", "oci", "ocilake", "r2", "b2", "tos", "tosfs", "obs", "http", "https"}
_WEB = frozenset({"http", "https"})
# What does not change, or whose copies would not be seen to change.
_FOR_READING = _WEB | {"zip", "tar", "libarchive", "data", "reference", "git", "github", "gist"}
_CACHES = frozenset({"simplecache", "filecache", "blockcache", "cached"})
_SECRET = re.compile(r"key|secret|token|passw|credential|connection_string|sas", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Kind:
    """How a file system, whatever is wrapped around it, behaves.

    Attributes
    ----------
    links, renames
        Whether a value that was written aside gets its name in one step: by a link, unless there is one
        of this name, or by a move, in place of the one there is.
    creates
        Whether the service refuses to create what is there.
    flat
        Whether there are no directories.
    finds
        Whether all names below one are told by one listing.
    web
        Whether there are no listings, and ranges may be passed over.
    whole_in_one
        Whether a whole value is read by one request only where a start is given.
    read_only
        Whether it is for reading only.
    in_process
        Whether it is in memory, so that another process has another one.
    waits
        Whether a request mostly waits.
    """

    links: bool
    renames: bool
    creates: bool
    flat: bool
    finds: bool
    web: bool
    whole_in_one: bool
    read_only: bool
    in_process: bool
    waits: bool


def kind_of(fs: Any) -> Kind:
    """Return the kind of a file system: that of the innermost one, and what those around it make of it."""
    layers = list(_layers(fs))
    names = set(_protocols(layers[-1]))
    around = {name for layer in layers[:-1] for name in _protocols(layer)}
    return Kind(
        links=bool(names & _LOCAL) and hasattr(fs, "link"),  # which not every layer passes on
        renames=bool(names & _RENAMES),
        creates=bool(names & _CONDITIONS),
        flat=bool(names & _FLAT),
        finds=len(layers) == 1 and bool(names & _CONDITIONS),
        web=bool(names & _WEB),
        whole_in_one=bool(names & {"s3", "s3a"}),
        read_only=bool(names & _FOR_READING or around & (_CACHES | _FOR_READING)),
        in_process="memory" in names,
        waits=bool(getattr(layers[-1], "async_impl", False)),
    )


def _layers(fs: Any) -> list[Any]:
    found = [fs]
    while len(found) < 16:
        # not getattr: a cache shows the attributes of what it caches as its own
        inner = object.__getattribute__(found[-1], "__dict__").get("fs")
        if inner is None or not hasattr(inner, "cat_file"):
            break
        found.append(inner)
    return found


def _protocols(fs: Any) -> tuple[str, ...]:
    said = type(fs).protocol
    return (said,) if isinstance(said, str) else tuple(said)


# What failed


# Behind a colon that begins no port stands a password with a slash in it.
_NO_PORT = re.compile(r"([A-Za-z][\w+.-]*)://(?!\[)[^/:]*:(?!\d*(?:/|$)).*", re.DOTALL)


def shown(text: str) -> str:
    """Return a URL, or a text with URLs, without users, passwords and queries."""
    text = re.sub(r"//[^/@\s]+@", "//", text)
    return re.sub(r"(://[^\s?#\"']*)[?#][^\s\"']*", r"\1", text)


def shown_chain(url: str) -> str:
    """Return a URL, or several joined by `::`, without what may be a credential."""
    parts = [_NO_PORT.sub(r"\1://…", shown(part)) for part in url.split("::")]
    return "::".join(parts).rstrip("/")


def secrets_of(options: Mapping[str, object]) -> list[str]:
    """Return the values of options whose names sound like those of secrets."""
    found: list[str] = []
    for name, value in options.items():
        if isinstance(value, Mapping):
            found += secrets_of(value)
        elif isinstance(value, str) and len(value) > 3 and _SECRET.search(str(name)):
            found.append(value)
    return found


def is_absent(error: BaseException, name: str) -> bool:
    """Say whether an error says that there is no such value, and not something else in these words.

    Some file systems raise `FileNotFoundError` for whatever went wrong, from the real reason.

    Raises
    ------
    StoreNotFoundError
        It is the bucket that is not there.
    """
    if isinstance(error, IsADirectoryError | NotADirectoryError):
        return True
    if not isinstance(error, FileNotFoundError):
        return False
    cause = error.__cause__
    if cause is not None:
        return _is_about_a_name(cause, name)
    context = error.__context__
    return context is None or _status_of(context) is None or _is_about_a_name(context, name)


def is_taken(error: BaseException) -> bool:
    """Say whether an error says that what was to be created is there already."""
    if isinstance(error, FileExistsError):
        return True
    # s3fs tells it so only where the server names the condition, which not all do
    return error.__cause__ is not None and _status_of(error.__cause__) == 412


def _is_about_a_name(cause: BaseException, name: str) -> bool:
    if _code_of(cause) == "NoSuchBucket":
        raise StoreNotFoundError("there is no such bucket", store=name) from None
    status = _status_of(cause)
    if status is not None:
        return status == 404
    return isinstance(cause, KeyError | IsADirectoryError | NotADirectoryError) or is_absent(cause, name)


def _response_of(error: BaseException) -> Mapping[str, Any]:
    response = getattr(error, "response", None)
    return response if isinstance(response, Mapping) else {}


def _code_of(error: BaseException) -> object:
    return _response_of(error).get("Error", {}).get("Code")


def _status_of(error: BaseException) -> int | None:
    """Return the status of an answer that aiohttp or botocore made an error of."""
    status = getattr(error, "status", None)
    if status is None:
        status = _response_of(error).get("ResponseMetadata", {}).get("HTTPStatusCode")
    return status if isinstance(status, int) else None


def failure(
    action: str, error: BaseException, *, store: str, key: str | None, secrets: list[str]
) -> StoreError:
    """Return the error for what a file system raised, without credentials."""
    real = error
    while isinstance(real, FileNotFoundError) and real.__cause__ is not None:
        real = real.__cause__
    said = shown(" ".join(str(real).split())) or type(real).__name__
    for secret in secrets:
        said = said.replace(secret, "…")
    number = real.errno if isinstance(real, OSError) else None
    return StoreError(f"cannot {action}: {said}", store=store, key=key, errno=number)
