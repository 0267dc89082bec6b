"""PROPFIND: listings as object stores' clients for plain HTTP ask for them, omnizarr's among them.

Of WebDAV there is this alone, for the properties that those clients read.

https://www.rfc-editor.org/rfc/rfc4918#section-9.1
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import quote, urlsplit
from xml.sax.saxutils import escape

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from omnizarr.serve.addresses import Address, url_of
from omnizarr.serve.listing import LARGEST_LIMIT, Entry, Page, page_of
from omnizarr.serve.threads import Threads

_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<D:multistatus xmlns:D="DAV:">\n'
_END = "</D:multistatus>\n"
# Clients ask for a time, and stores do not tell it with a listing; none is that old.
_TIME = "Thu, 01 Jan 1970 00:00:00 GMT"


class PropFind:
    """Answers PROPFIND."""

    def __init__(self, threads: Threads, public_url: str | None) -> None:
        self._threads = threads
        self._public_url = public_url

    async def __call__(self, request: Request, address: Address) -> Response:
        """Return what lies directly below a prefix (`Depth: 1`), or all that does (`Depth: infinity`).

        A path without a `/` at its end may be that of a prefix, too, as clients write it.
        """
        depth = request.headers.get("Depth", "infinity").strip().lower()
        if depth not in ("0", "1", "infinity"):
            raise HTTPException(400, "Depth: expected 0, 1 or infinity")
        base = urlsplit(url_of(request, Address(address.root, ""), self._public_url)).path
        if not address.is_prefix:
            size = await self._threads.run(address.root.store.size, address.key)
            if size is not None:
                return _answer(_once([Entry(address.key, size)], base))
            address = Address(address.root, f"{address.key}/")
        if depth == "0":
            return _answer(_once([Entry(address.key)], base))
        first = await self._page(address, depth, "")
        if not first.entries and address.key:
            raise HTTPException(404, "there are no such keys")
        return _answer(self._text(first, address, depth, base))

    async def _text(self, page: Page, address: Address, depth: str, base: str) -> AsyncIterator[str]:
        yield _HEAD + _response(Entry(address.key), base)
        while True:
            yield "".join(_response(entry, base) for entry in page.entries)
            if page.following is None:
                break
            page = await self._page(address, depth, page.following)
        yield _END

    async def _page(self, address: Address, depth: str, after: str) -> Page:
        return await self._threads.run(
            page_of, address.root.store, address.key, depth == "infinity", after, LARGEST_LIMIT
        )


def _answer(text: AsyncIterator[str]) -> Response:
    return StreamingResponse(text, 207, media_type="application/xml")


async def _once(entries: list[Entry], base: str) -> AsyncIterator[str]:
    yield _HEAD + "".join(_response(entry, base) for entry in entries) + _END


def _response(entry: Entry, base: str) -> str:
    """Return what is told of a key or a prefix."""
    if entry.size is None:
        told = "<D:resourcetype><D:collection/></D:resourcetype>"
    else:
        told = f"<D:resourcetype/><D:getcontentlength>{entry.size}</D:getcontentlength>"
    properties = f"<D:prop>{told}<D:getlastmodified>{_TIME}</D:getlastmodified></D:prop>"
    status = "<D:status>HTTP/1.1 200 OK</D:status>"
    href = f"<D:href>{escape(base + quote(entry.key))}</D:href>"
    return f"<D:response>{href}<D:propstat>{properties}{status}</D:propstat></D:response>\n"
