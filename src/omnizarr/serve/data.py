"""`/data/NAME/KEY`: the values of stores, as any Zarr client reads them over HTTP.

https://www.rfc-editor.org/rfc/rfc9110
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from email.utils import formatdate
from typing import Any

from starlette.datastructures import URLPath
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Match, NoMatchFound
from starlette.types import Receive, Scope, Send

from omnizarr.errors import StoreError
from omnizarr.serve.addresses import MOUNT, Address, address_of
from omnizarr.serve.conditions import Conditions
from omnizarr.serve.faults import log
from omnizarr.serve.limits import Bodies
from omnizarr.serve.listing import listing
from omnizarr.serve.options import ServeOptions
from omnizarr.serve.ranges import asked_part, satisfied
from omnizarr.serve.roots import Root
from omnizarr.serve.threads import Threads
from omnizarr.serve.values import Described, Room, Value, describe, hold, pieces
from omnizarr.serve.webdav import PropFind
from omnizarr.serve.writing import delete, put

READING = ("GET", "HEAD", "OPTIONS", "PROPFIND")
WRITING = ("PUT", "DELETE")
_JSON_NAMES = (".zarray", ".zgroup", ".zattrs", ".zmetadata")


class Data(BaseRoute):
    """Answers requests for values of roots; the path is taken as it came, and by nobody else's patterns."""

    def __init__(self, roots: Mapping[str, Root], options: ServeOptions, threads: Threads) -> None:
        self._roots = roots
        self._options = options
        self._threads = threads
        self._room = Room()
        self._bodies = Bodies(options)
        self._propfind = PropFind(threads, options.public_url)
        self._methods = (*READING, *WRITING) if options.writable else READING

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Say whether a request is for a value or a prefix."""
        is_ours = scope["type"] == "http" and scope["raw_path"].startswith(MOUNT.encode())
        return (Match.FULL if is_ours else Match.NONE), {}

    def url_path_for(self, name: str, /, **path_params: Any) -> URLPath:
        """Refuse: addresses of values are made by `url_of`."""
        raise NoMatchFound(name, path_params)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request = Request(scope, receive)
        response = await self._answer(request)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        allow = {"Allow": ", ".join(self._methods)}
        if request.method not in self._methods:
            raise HTTPException(405, f"{request.method} is not allowed here", allow)
        if request.method == "OPTIONS":
            return Response(status_code=204, headers=allow)
        address = address_of(request, self._roots)
        if request.method == "PUT":
            return await put(request, address, self._threads, self._bodies)
        if request.method == "DELETE":
            return await delete(request, address, self._threads)
        if request.method == "PROPFIND":
            return await self._propfind(request, address)
        if address.is_prefix:
            return await listing(request, address, self._threads, self._options.public_url)
        return await (self._head if request.method == "HEAD" else self._get)(request, address)

    async def _head(self, request: Request, address: Address) -> Response:
        described = await self._threads.answer(request, describe, address.root.store, address.key)
        if described is None:
            raise _absent()
        headers = headers_of(described, address.key)
        conditions = Conditions.of(request.headers)
        conditions.require(described.etag)
        if conditions.know(described.etag):
            return not_modified(headers)
        return Response(headers={**headers, "Content-Length": str(described.size)})

    async def _get(self, request: Request, address: Address) -> Response:
        conditions = Conditions.of(request.headers)
        value = await self._threads.answer(request, hold, address.root.store, address.key)
        if value is None:
            raise _absent()
        try:
            return self._of_value(request, address, value, conditions)
        except BaseException:
            value.close()
            raise

    def _of_value(self, request: Request, address: Address, value: Value, conditions: Conditions) -> Response:
        described = value.described
        headers = headers_of(described, address.key)
        conditions.require(described.etag)
        if conditions.know(described.etag):
            value.close()
            return not_modified(headers)
        part = asked_part(request.headers.get("Range")) if conditions.allow_range(described.etag) else None
        found = satisfied(part, described.size)
        start, stop = found or (0, described.size)
        headers["Content-Length"] = str(stop - start)
        body = pieces(self._threads, self._room, value, start, stop)
        if found is None:
            return ValueResponse(body, value, 200, headers)
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{described.size}"
        return ValueResponse(body, value, 206, headers)


class ValueResponse(StreamingResponse):
    """A value or a part of it, sent piece by piece; where reading it fails, the connection ends early."""

    def __init__(
        self, body: AsyncGenerator[bytes], value: Value, status: int, headers: dict[str, str]
    ) -> None:
        super().__init__(body, status, headers)
        self._body, self._value = body, value

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._body.aclose()
            self._value.close()

    async def stream_response(self, send: Send) -> None:
        """Send the header and the pieces."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        try:
            async for piece in self.body_iterator:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        except (StoreError, EOFError) as error:
            log.error("a value broke off while it was sent: %s", error)
            return
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def headers_of(described: Described, key: str) -> dict[str, str]:
    """Return what the header of an answer tells of a value; what it is asked for has to be asked again."""
    headers = {
        "Content-Type": content_type(key),
        "Accept-Ranges": "bytes",
        "Cache-Control": "no-cache",
    }
    if described.etag is not None:
        headers["ETag"] = described.etag
    if described.modified is not None:
        headers["Last-Modified"] = formatdate(described.modified, usegmt=True)
    return headers


def content_type(key: str) -> str:
    """Return the media type of a value: JSON or bytes, and nothing that a browser would run or show."""
    name = key.rpartition("/")[2]
    is_json = name.endswith(".json") or name in _JSON_NAMES or name.startswith(".ncz")
    return "application/json" if is_json else "application/octet-stream"


def not_modified(headers: Mapping[str, str]) -> Response:
    """Return the answer for a value that the client has."""
    kept = ("ETag", "Cache-Control", "Last-Modified")
    return Response(status_code=304, headers={name: headers[name] for name in kept if name in headers})


def _absent() -> HTTPException:
    return HTTPException(404, "there is no such key")
