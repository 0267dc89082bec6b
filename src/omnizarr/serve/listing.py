"""Listings as JSON: `/data/NAME/PREFIX/`, page after page, in the order of keys."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from omnizarr.hierarchy.requests import each
from omnizarr.jsontypes import JsonObject
from omnizarr.serve.addresses import Address, checked, url_of
from omnizarr.serve.threads import Threads
from omnizarr.store.base import Store

MEDIA_TYPE = "application/vnd.omnizarr.listing+json"
LIMIT = 1000
LARGEST_LIMIT = 10_000
_YES = ("1", "true", "yes")
_NO = ("", "0", "false", "no")


class Entry(NamedTuple):
    """A key with the size of its value, or a prefix without one."""

    key: str
    size: int | None = None


class Page(NamedTuple):
    """Some entries in order, and the last of them where more follow."""

    entries: list[Entry]
    following: str | None


async def listing(request: Request, address: Address, threads: Threads, public_url: str | None) -> Response:
    """Return what lies below a prefix."""
    asked = request.query_params
    limit = _limit(asked.get("limit"))
    recursive = _truth("recursive", asked.get("recursive"))
    after = asked.get("after") or ""
    if after:
        checked(after)
    page = await threads.answer(request, page_of, address.root.store, address.key, recursive, after, limit)
    keys: list[JsonObject] = []
    prefixes: list[JsonObject] = []
    for key, size in page.entries:
        url = url_of(request, Address(address.root, key), public_url)
        if size is None:
            prefixes.append({"prefix": key, "url": url})
        else:
            keys.append({"key": key, "size": size, "url": url})
    document = {
        "root": address.root.name,
        "prefix": address.key,
        "keys": keys,
        "prefixes": prefixes,
        "next": page.following,
    }
    return JSONResponse(document, headers={"Cache-Control": "no-cache"}, media_type=MEDIA_TYPE)


def page_of(store: Store, prefix: str, recursive: bool, after: str, limit: int) -> Page:
    """Return the first entries after one; what goes while it is listed is left out."""
    if recursive and store.lists_cheaply:
        found = heapq.nsmallest(limit + 1, (entry for entry in store.list_sizes(prefix) if entry[0] > after))
        entries = [Entry(*entry) for entry in found]
        return Page(entries[:limit], entries[limit - 1].key if len(entries) > limit else None)
    names = list(islice(in_order(store, prefix, recursive, after), limit + 1))
    following = names[limit - 1] if len(names) > limit else None
    return Page(with_sizes(store, names[:limit]), following)


def in_order(store: Store, prefix: str, recursive: bool, after: str = "") -> Iterator[str]:
    """Yield keys and prefixes in order; of a listing of all that lies below, keys alone.

    A prefix comes where the keys below it do, since it ends in `/` as they go on.
    """
    waiting = _backwards(store, prefix)
    while waiting:
        name = waiting.pop()
        if name.endswith("/") and recursive:
            if name > after or after.startswith(name):
                waiting += _backwards(store, name)
        elif name > after:
            yield name


def _backwards(store: Store, prefix: str) -> list[str]:
    found = store.list_dir(prefix)
    return sorted((*found.keys, *found.prefixes), reverse=True)


def with_sizes(store: Store, names: list[str]) -> list[Entry]:
    """Return entries with sizes, of which as many are asked for at once as pay off."""
    sizes = each(store, lambda name: None if name.endswith("/") else store.size(name), names)
    pairs = zip(names, sizes, strict=True)
    return [Entry(name, size) for name, size in pairs if size is not None or name.endswith("/")]


def _limit(text: str | None) -> int:
    if text is None:
        return LIMIT
    if not text.isascii() or not text.isdecimal() or len(text) > 9 or int(text) == 0:
        raise HTTPException(400, f"limit: expected a number from 1 on, found {text[:40]!r}")
    return min(int(text), LARGEST_LIMIT)


def _truth(name: str, text: str | None) -> bool:
    if text is None or text.lower() in _NO:
        return False
    if text.lower() in _YES:
        return True
    raise HTTPException(400, f"{name}: expected 1 or 0, found {text[:40]!r}")
