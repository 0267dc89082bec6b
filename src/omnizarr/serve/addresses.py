"""From the path of a request to a root and a key; and back.

https://www.rfc-editor.org/rfc/rfc3986#section-2.1
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

from starlette.exceptions import HTTPException
from starlette.requests import Request

from omnizarr.errors import KeyNameError
from omnizarr.serve.roots import Root
from omnizarr.store.keys import check_key, check_prefix

MOUNT = "/data/"
_ESCAPES = re.compile(rb"%(?![0-9A-Fa-f]{2})")


class Address(NamedTuple):
    """A key of a root, or a prefix: `""`, or a path that ends in `/`."""

    root: Root
    key: str

    @property
    def is_prefix(self) -> bool:
        """Whether it stands for what lies below it, and not for a value."""
        return not self.key or self.key.endswith("/")


def address_of(request: Request, roots: Mapping[str, Root]) -> Address:
    """Return what the path of a request stands for.

    It is decoded once, part by part: a `/` that is written `%2F` would be in a name, where no key has one.

    Raises
    ------
    HTTPException
        404 where there is no such root, 400 where it is no key; 307 for the name of a root, to its listing.
    """
    raw = bytes(request.scope["raw_path"])
    rest = raw.removeprefix(MOUNT.encode())
    name, slash, key = rest.partition(b"/")
    root = roots.get(_decoded(name))
    if root is None:
        raise HTTPException(404, "there is no such root")
    if not slash and request.method in ("GET", "HEAD"):
        query = request.url.query
        location = f"./{root.address}/?{query}" if query else f"./{root.address}/"
        raise HTTPException(307, f"expected {MOUNT}{root.address}/", {"Location": location})
    return Address(root, checked("/".join(map(_decoded, key.split(b"/")))))


def checked(key: str) -> str:
    """Return a key or prefix.

    Raises
    ------
    HTTPException
        400 where it is neither.
    """
    try:
        if key.endswith("/") or not key:
            check_prefix(key)
        else:
            check_key(key)
    except KeyNameError as error:
        raise HTTPException(400, str(error)) from error
    return key


def url_of(request: Request, address: Address, public_url: str | None) -> str:
    """Return the whole URL of a key or prefix, as a client reaches it."""
    base = (public_url or str(request.base_url)).rstrip("/")
    return f"{base}{MOUNT}{address.root.address}/{quote(address.key)}"


def _decoded(part: bytes) -> str:
    if _ESCAPES.search(part):
        raise HTTPException(400, "not a key: a % that is followed by no two hexadecimal digits")
    try:
        text = unquote_to_bytes(part).decode()
    except UnicodeDecodeError:
        raise HTTPException(400, "not a key: expected UTF-8") from None
    if "/" in text:
        raise HTTPException(400, "not a key: a name may not hold a '/', however it is written")
    return text
